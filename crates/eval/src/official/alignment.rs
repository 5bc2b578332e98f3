//! Which system word stands for which gold word.
//!
//! Words that are tokens are aligned when their spans in the text are equal. Around multiword
//! tokens, of either file, the smallest span that no multiword token sticks out of is aligned by
//! the longest common subsequence of its forms, without regard to case. The walk is the official
//! scorer's own, step by step: where a tokenisation is badly off, a multiword span may also take
//! in earlier words, and equal scores need equal quirks.
use super::corpus::{Corpus, NONE, Word};
use super::lcs::{self, SpanTooLong};

/// Aligned words as positions in [`Corpus::words`].
pub(super) struct Alignment {
    pub pairs: Vec<(u32, u32)>,
    /// For each system word its gold word, or [`NONE`].
    pub gold_of: Vec<u32>,
}

impl Alignment {
    pub(super) fn new(gold: &Corpus, system: &Corpus) -> Result<Alignment, SpanTooLong> {
        let mut alignment = Alignment {
            pairs: Vec::with_capacity(gold.words.len().min(system.words.len())),
            gold_of: vec![NONE; system.words.len()],
        };
        alignment.fill(&gold.words, &system.words)?;
        Ok(alignment)
    }

    fn push(&mut self, gold: usize, system: usize) {
        self.pairs.push((gold as u32, system as u32));
        self.gold_of[system] = gold as u32;
    }

    fn fill(&mut self, gold: &[Word], system: &[Word]) -> Result<(), SpanTooLong> {
        let (mut g, mut s) = (0, 0);
        let (mut gold_forms, mut system_forms) = (Vec::new(), Vec::new());
        while g < gold.len() && s < system.len() {
            if gold[g].multiword || system[s].multiword {
                let (start, end) = multiword_span(gold, system, g, s);
                gold_forms.clear();
                gold_forms.extend(gold[start.0..end.0].iter().map(|word| word.form));
                system_forms.clear();
                system_forms.extend(system[start.1..end.1].iter().map(|word| word.form));
                lcs::align(&gold_forms, &system_forms, |at_gold, at_system| {
                    self.push(start.0 + at_gold, start.1 + at_system);
                })?;
                (g, s) = end;
            } else if gold[g].span == system[s].span {
                self.push(g, s);
                g += 1;
                s += 1;
            } else if gold[g].span.start <= system[s].span.start {
                g += 1;
            } else {
                s += 1;
            }
        }
        Ok(())
    }
}

/// The first words of the span around the multiword token at `g` or `s`, and the first words
/// after it. A word that begins earlier than the token is left out.
fn multiword_span(
    gold: &[Word],
    system: &[Word],
    mut g: usize,
    mut s: usize,
) -> ((usize, usize), (usize, usize)) {
    let mut end;
    if gold[g].multiword {
        end = gold[g].span.end;
        s += usize::from(!system[s].multiword && system[s].span.start < gold[g].span.start);
    } else {
        end = system[s].span.end;
        g += usize::from(gold[g].span.start < system[s].span.start);
    }
    let start = (g, s);
    let is_beyond = |word: Option<&Word>, end: u32| match word {
        None => true,
        Some(word) if word.multiword => word.span.start >= end,
        Some(word) => word.span.end > end,
    };
    while !is_beyond(gold.get(g), end) || !is_beyond(system.get(s), end) {
        let from_gold =
            g < gold.len() && (s >= system.len() || gold[g].span.start <= system[s].span.start);
        let word = if from_gold { &gold[g] } else { &system[s] };
        if word.multiword {
            end = end.max(word.span.end);
        }
        if from_gold {
            g += 1;
        } else {
            s += 1;
        }
    }
    (start, (g, s))
}
