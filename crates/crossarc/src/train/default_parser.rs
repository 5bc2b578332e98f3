//! The parser of a treebank if none was asked for: the most accurate one that is trained in minutes.
//!
//! From a few thousand words on that is a graph parser of second order with a net beside it; both make
//! errors of their own, and crossing arcs need no encoding. Below that there is too little to learn from
//! for a net. Who wants speed says `--fast` and gets a greedy transition parser; students of a teacher get a
//! transition parser, too.
use conll::Sentence;

use super::Choices;
use crate::pipeline::{PARSER_FOR_CROSSING_ARCS, has_many_crossing_arcs};
use crossarc_train::options::ScorerKind;

/// Words of a treebank from which nets learn enough.
pub const WORDS_FOR_NETS: usize = 5_000;

impl Choices {
    /// These choices with a parser for a treebank, and why; nothing if the choice has been made, or if
    /// the default of all treebanks is right for this one.
    pub fn for_treebank(
        &self,
        sentences: &[Sentence],
        pipeline: bool,
    ) -> Option<(Choices, String)> {
        let is_student = self.teacher.is_some() || !self.taught.is_empty();
        if self.fast || is_student || !self.leaves_parser_open() {
            return None;
        }
        let words: usize = sentences.iter().map(Sentence::len).sum();
        let parser = PARSER_FOR_CROSSING_ARCS;
        let mut chosen = Choices { parser: Some(parser.to_owned()), ..self.clone() };
        if words >= WORDS_FOR_NETS || self.encoder.is_some() {
            chosen.scorer = Some(ScorerKind::Hybrid);
            let why = format!(
                "the parser is {parser} with a net, the most accurate (--fast trains and parses many times faster)"
            );
            return Some((chosen, why));
        }
        (pipeline && has_many_crossing_arcs(sentences)).then(|| {
            let why = format!("many arcs cross others: the parser is {parser} (--fast is faster)");
            (chosen, why)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::seed::Seed;
    use crossarc_tree::treebank::generate::{TreebankOptions, treebank};

    #[test]
    fn size_crossing_arcs_and_choices_decide() {
        let some = |sentences, nonprojective| {
            let options = TreebankOptions { sentences, nonprojective, ..Default::default() };
            treebank(Seed(5), &options)
        };
        let large = some(2_000, 0.0);
        let parser = |text: &str, sentences: &[Sentence], pipeline| {
            let choices = Choices::parse(text).unwrap().for_treebank(sentences, pipeline);
            choices.map(|(chosen, _)| (chosen.parser.unwrap(), chosen.scorer))
        };
        let carreras = "carreras".to_owned();
        let hybrid = Some((carreras.clone(), Some(ScorerKind::Hybrid)));
        assert_eq!(parser("default", &large, false), hybrid);
        assert_eq!(parser("default --epochs 3", &large, true), hybrid);
        for open in
            ["default --fast", "default --taught x", "swap", "default --beam 4", "default --small"]
        {
            assert_eq!(parser(open, &large, true), None, "{open}");
        }
        assert_eq!(parser("default", &some(50, 0.0), true), None);
        assert_eq!(parser("default", &some(50, 0.1), true), Some((carreras, None)));
        assert_eq!(parser("default", &some(50, 0.1), false), None);
    }
}
