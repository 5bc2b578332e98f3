//! Labels that context decides are merged, and told apart again after parsing: whether a
//! coordination is conjunctive or disjunctive, for example, follows from the conjunction in most
//! cases (the Italian step of Schiehlen and Spranger 2007).
//!
//! The context is the lemma (or the form, if there is no lemma) of the word itself, of its head, of
//! a dependent, or of a sibling. Which label goes with which context is counted on gold; a context
//! never seen gets the most frequent label of the group.
use std::collections::BTreeMap;

use conll::Sentence;
use serde::{Deserialize, Serialize};

use super::ArcTransformation;
use super::arcs::{Arcs, with_arcs};

/// Labels that context decides are merged, and told apart again after parsing: whether a coordination is
/// conjunctive or disjunctive, for example, follows from the conjunction in most cases (the Italian step of
/// Schiehlen and Spranger 2007).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ContextLabels {
    /// What is merged.
    pub merges: Vec<Merge>,
}

/// One group of labels.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Merge {
    /// The labels that become one.
    pub labels: Vec<String>,
    /// The one they become.
    pub merged: String,
    /// Whose lemma decides.
    #[serde(rename = "where", default)]
    pub place: Where,
    /// The label of the dependent or sibling whose lemma decides; any if empty.
    #[serde(default)]
    pub with_label: Vec<String>,
    /// Learned: the label for each context; the empty context holds the most frequent one.
    #[serde(default)]
    pub restored: BTreeMap<String, String>,
}

/// Where the context of a word lies.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    /// The word itself.
    #[default]
    Itself,
    /// Its head.
    Head,
    /// Its nearest dependent.
    Dependent,
    /// The nearest other dependent of its head.
    Sibling,
}

impl Merge {
    /// The lemma of each word's context, by word; `None` if there is no context.
    fn contexts<'a>(&self, sentence: &'a Sentence, arcs: &Arcs) -> Vec<Option<&'a str>> {
        let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); sentence.len() + 1];
        for word in arcs.words() {
            if self.with_label.is_empty()
                || self.with_label.iter().any(|label| label == arcs.label(word))
            {
                dependents[arcs.head(word)].push(word);
            }
        }
        let nearest = |candidates: &[usize], word: usize| {
            let others = candidates.iter().copied().filter(|&other| other != word);
            others.min_by_key(|&other| (other.abs_diff(word), other))
        };
        let context = |word: usize| match self.place {
            Where::Itself => Some(word),
            Where::Head => Some(arcs.head(word)).filter(|&head| head != 0),
            Where::Dependent => nearest(&dependents[word], word),
            Where::Sibling => nearest(&dependents[arcs.head(word)], word),
        };
        let mut contexts = vec![None];
        for word in arcs.words() {
            let asks = self.merged == arcs.label(word)
                || self.labels.iter().any(|label| label == arcs.label(word));
            contexts.push(context(word).filter(|_| asks).map(|found| {
                let found = sentence.word(found);
                if found.lemma() == "_" { found.form() } else { found.lemma() }
            }));
        }
        contexts
    }
}

impl ArcTransformation for ContextLabels {
    fn encode(&self, gold: &Sentence) -> Sentence {
        with_arcs(gold, |arcs| {
            for merge in &self.merges {
                for word in arcs.words() {
                    if merge.labels.iter().any(|label| label == arcs.label(word)) {
                        arcs.set_label(word, merge.merged.as_str());
                    }
                }
            }
        })
    }

    fn decode(&self, parsed: &Sentence) -> Sentence {
        with_arcs(parsed, |arcs| {
            for merge in self.merges.iter().rev() {
                let contexts = merge.contexts(parsed, arcs);
                for word in arcs.words() {
                    if arcs.label(word) == merge.merged {
                        let known = contexts[word].and_then(|context| merge.restored.get(context));
                        if let Some(label) = known.or_else(|| merge.restored.get("")) {
                            arcs.set_label(word, label.as_str());
                        }
                    }
                }
            }
        })
    }

    fn fit(&mut self, gold: &[Sentence]) {
        for merge in &mut self.merges {
            let mut counts: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
            for sentence in gold {
                let Some(arcs) = Arcs::of(sentence) else { continue };
                let contexts = merge.contexts(sentence, &arcs);
                for word in arcs.words() {
                    let label = arcs.label(word);
                    if label == merge.merged || merge.labels.iter().any(|merged| merged == label) {
                        let mut count = |context: &str| {
                            let labels = counts.entry(context.to_owned()).or_default();
                            *labels.entry(label.to_owned()).or_default() += 1;
                        };
                        count("");
                        contexts[word].into_iter().for_each(count);
                    }
                }
            }
            let most_frequent = |labels: BTreeMap<String, usize>| {
                labels.into_iter().rev().max_by_key(|&(_, count)| count).map(|(label, _)| label)
            };
            merge.restored = counts
                .into_iter()
                .filter_map(|(context, labels)| Some((context, most_frequent(labels)?)))
                .collect();
            // What the most frequent label says anyway need not be stored.
            if let Some(default) = merge.restored.get("").cloned() {
                merge.restored.retain(|context, label| context.is_empty() || *label != default);
            }
        }
    }
}
