//! What a parser gets wrong, and where: the error analysis of McDonald and Nivre (2007), the
//! comparisons of Reisinger (2016), and a browser for the sentences behind the numbers.
//!
//! | file | question |
//! |---|---|
//! | [`scores`] | all words: attachment, exact match, arc-length bias, words with a head, crossed and uncrossed arcs |
//! | [`sentence_length`] | does accuracy fall with the length of the sentence? |
//! | [`precision_recall`] | and with the length of the arc, the distance to the root, the number of siblings, the degree of non-projectivity? |
//! | [`part_of_speech`] | accuracy by part of speech |
//! | [`dependency_type`] | precision and recall of roots, subjects, objects and all labels |
//! | [`crossing`] | which crossing arcs are found, by construction |
//! | [`confusion`] | which labels are taken for which |
//! | [`error_types`] | where a wrong head is, seen from the right one |
//! | [`frequent_words`] | the words that are wrong most often |
//! | [`agreement`] | where systems agree, who is right when they differ, what a perfect combination would reach |
//! | [`difference`] | is the difference between two systems chance? |
//! | [`reliability`] | can scores be believed? |
//! | [`label_baseline`] | how far labels follow from tags alone |
//! | [`moves`] | transitions per sentence |
//! | [`corpus`] | gold and systems side by side, in memory |
//! | [`browser`] | every sentence with an error, drawn |
//!
//! Every analysis is a function from a [`Corpus`] to a [`Panel`]. All are linear in the number of
//! words but for the sorting of what is most frequent.
//!
//! ```
//! use crossarc_lab::analyze::{self, corpus::Corpus};
//! use crossarc_eval::Settings;
//! let file = |name: &str, label: &str| {
//!     let text = format!("1\tcats\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\t_\tVERB\t_\t_\t0\t{label}\t_\t_\n\n");
//!     conll::Reader::from_bytes(name, text, conll::ReadOptions::default()).unwrap()
//! };
//! let corpus = Corpus::read(&mut file("gold", "root"), &mut [file("mine", "dep")], Settings::default())?;
//! let panel = analyze::part_of_speech::panel(&corpus);
//! assert_eq!(panel.shown("VERB"), ["VERB", "1", "100.00", "0.00"]); // words, UAS, LAS
//! # Ok::<(), crossarc_eval::Error>(())
//! ```
pub mod agreement;
pub mod browser;
pub mod confusion;
pub mod corpus;
pub mod crossing;
pub mod dependency_type;
pub mod difference;
pub mod error_types;
pub mod frequent_words;
pub mod label_baseline;
pub mod moves;
pub mod part_of_speech;
pub mod precision_recall;
pub mod reliability;
pub mod scores;
pub mod sentence_length;

use corpus::Corpus;
use label_baseline::TagLabels;

use crate::report::Panel;
use crossarc_tree::seed::Seed;
use crossarc_tree::treebank::crossing::Rules;

/// What may be chosen.
#[derive(Clone, Debug)]
pub struct Options {
    /// Of the statistical tests that draw samples.
    pub seed: Seed,
    /// Samples that they draw.
    pub samples: usize,
    /// Labels by tag, from a training set; those of the gold file if nothing.
    pub labels: Option<TagLabels>,
    /// Causes of crossing arcs.
    pub causes: Rules,
}

impl Default for Options {
    fn default() -> Options {
        Options { seed: Seed(1), samples: 2000, labels: None, causes: Rules::usual() }
    }
}

/// All analyses.
pub fn panels(corpus: &Corpus, options: &Options) -> Vec<Panel> {
    let mut panels = vec![scores::panel(corpus)];
    if corpus.systems.len() > 1 {
        panels.push(difference::panel(corpus, options.samples, options.seed));
    }
    panels.push(sentence_length::panel(corpus));
    panels.extend(precision_recall::panels(corpus));
    panels.push(crossing::panel(corpus, &options.causes));
    panels.push(part_of_speech::panel(corpus));
    panels.push(dependency_type::groups(corpus));
    panels.push(dependency_type::labels(corpus));
    panels.push(confusion::panel(corpus));
    panels.push(error_types::panel(corpus));
    panels.push(frequent_words::panel(corpus));
    if corpus.systems.len() > 1 {
        panels.push(agreement::panel(corpus));
    }
    panels.push(agreement::oracle(corpus));
    panels.extend(reliability::panel(corpus));
    panels.push(label_baseline::panel(corpus, options.labels.as_ref()));
    panels.push(moves::panel(corpus));
    panels
}

/// Heads of columns: these, and then for each system each of those.
fn columns<'a>(
    first: impl IntoIterator<Item = &'a str>,
    corpus: &Corpus,
    each: &[&str],
) -> Vec<String> {
    let of_systems = corpus.systems.iter().flat_map(|system| {
        each.iter().map(move |name| {
            if corpus.systems.len() == 1 { (*name).to_owned() } else { format!("{system} {name}") }
        })
    });
    first.into_iter().map(str::to_owned).chain(of_systems).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::corpus::tests::small;

    #[test]
    fn every_row_has_all_columns_and_names_are_different() {
        for systems in 1..=2 {
            let panels = panels(&small(systems), &Options { samples: 50, ..Options::default() });
            let mut names: Vec<&str> = panels.iter().map(|panel| panel.name.as_str()).collect();
            for panel in &panels {
                assert!(!panel.rows.is_empty(), "{}", panel.name);
                for row in &panel.rows {
                    assert_eq!(row.len(), panel.columns.len(), "{}", panel.name);
                }
            }
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), all);
        }
    }
}
