//! Small synthetic treebanks for tests and benches: an invented language that a parser can learn.
//!
//! A sentence is grown from its verb by a little grammar (subjects, objects, adpositional phrases,
//! relative and complement clauses, coordination). Tags, cases, agreement and labels follow from the
//! structure, words from a vocabulary with frequent and rare words. Crossing arcs come from two
//! constructions that natural languages have, too: a modifier of the subject moves to the end of the
//! clause, and an adjective of the object moves to its front; agreement tells where they belong.
//!
//! ```
//! use crossarc_tree::seed::Seed;
//! use crossarc_tree::treebank::generate::{TreebankOptions, treebank};
//! let sentences = treebank(Seed(1), &TreebankOptions { sentences: 20, ..Default::default() });
//! assert_eq!(sentences.len(), 20);
//! assert!(sentences[0].words().any(|word| word.deprel() == "root" && word.upos() == "VERB"));
//! ```
use std::fmt::Write;

use conll::{ReadOptions, Roots, Sentence};

use crate::projectivity::nonprojective_arcs;
use crate::seed::{Rng, Seed};
use crate::{RootPolicy, Tree};

/// What the treebank should be like.
#[derive(Clone, Debug)]
pub struct TreebankOptions {
    /// Number of sentences.
    pub sentences: usize,
    /// Share of arcs that are non-projective by dominance, from 0 to about 0.15.
    pub nonprojective: f64,
    /// Number of stems of each open class.
    pub vocabulary: usize,
    /// Whether the final punctuation hangs on the verb or, as a second root, on the root.
    pub roots: RootPolicy,
}

impl Default for TreebankOptions {
    fn default() -> TreebankOptions {
        TreebankOptions {
            sentences: 200,
            nonprojective: 0.03,
            vocabulary: 200,
            roots: RootPolicy::Single,
        }
    }
}

/// A synthetic treebank. The same seed and options give the same sentences.
pub fn treebank(seed: Seed, options: &TreebankOptions) -> Vec<Sentence> {
    let reading = ReadOptions { roots: Roots::Any, ..ReadOptions::default() };
    conll::read_str(&treebank_text(seed, options), reading).expect("generated text is CoNLL-U")
}

/// A synthetic treebank as CoNLL-U text.
pub fn treebank_text(seed: Seed, options: &TreebankOptions) -> String {
    let lexicon = Lexicon::new(seed, options.vocabulary.max(1));
    let mut text = String::new();
    let (mut arcs, mut crossing) = (0usize, 0usize);
    for number in 0..options.sentences {
        let crossing_wanted = (crossing as f64) < options.nonprojective * (arcs + 8) as f64;
        let mut grown = Grown {
            lexicon: &lexicon,
            rng: seed.fork("sentence", number as u64).rng(),
            words: Vec::new(),
            crossing_wanted,
        };
        let verb = grown.clause(0);
        let punctuation = grown.add("PUNCT", "punct", ".".into(), ".".into(), "_".into());
        if options.roots == RootPolicy::Single {
            grown.words[verb].right.push(punctuation);
        }
        let mut order = Vec::new();
        grown.linearise(verb, &mut order);
        if options.roots == RootPolicy::Several {
            order.push(punctuation);
        }
        let heads = grown.heads(&order);
        arcs += heads.len();
        let tree = Tree::from_heads(&heads).expect("grown from its root");
        crossing += nonprojective_arcs(&tree).len();
        grown.write(number + 1, &order, &heads, &mut text);
    }
    text
}

/// How many clauses and noun phrases may be inside each other.
const DEPTH_LIMIT: usize = 4;
const CASES: [&str; 3] = ["Nom", "Acc", "Dat"];
const CASE_ENDINGS: [&str; 3] = ["", "n", "m"];
const GENDERS: [&str; 2] = ["Fem", "Masc"];
const GENDER_ENDINGS: [&str; 2] = ["a", "o"];

struct Lexicon {
    verbs: Vec<String>,
    nouns: Vec<String>,
    adjectives: Vec<String>,
    adverbs: Vec<String>,
}

impl Lexicon {
    fn new(seed: Seed, size: usize) -> Lexicon {
        let stems = |class: &str, ending: &str| {
            let mut rng = seed.fork(class, 0).rng();
            (0..size).map(|index| format!("{}{ending}", stem(&mut rng, index))).collect()
        };
        Lexicon {
            verbs: stems("verbs", "k"),
            nouns: stems("nouns", "l"),
            adjectives: stems("adjectives", "s"),
            adverbs: stems("adverbs", "vi"),
        }
    }
}

/// Frequent words, which come first, are short.
fn stem(rng: &mut Rng, index: usize) -> String {
    let syllables = 1 + usize::from(index >= 20) + usize::from(index >= 400);
    (0..=syllables)
        .map(|_| {
            let onset = ["b", "d", "f", "g", "m", "n", "p", "r", "t", "z"][rng.below(10)];
            let nucleus = ["a", "e", "i", "o", "u"][rng.below(5)];
            format!("{onset}{nucleus}")
        })
        .collect::<Vec<_>>()
        .concat()
}

struct Grown<'a> {
    lexicon: &'a Lexicon,
    rng: Rng,
    words: Vec<Word>,
    crossing_wanted: bool,
}

struct Word {
    tag: &'static str,
    label: &'static str,
    form: String,
    lemma: String,
    features: String,
    left: Vec<usize>,
    right: Vec<usize>,
    /// Dependents of deeper words, moved to the front and to the end of this clause.
    fronted: Vec<usize>,
    extraposed: Vec<usize>,
    moved_from: Option<usize>,
}

/// What a noun phrase is for.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Role {
    Subject,
    Object,
    Oblique,
    Modifier,
}

impl Role {
    fn label(self) -> &'static str {
        match self {
            Role::Subject => "nsubj",
            Role::Object => "obj",
            Role::Oblique => "obl",
            Role::Modifier => "nmod",
        }
    }

    fn case(self) -> usize {
        match self {
            Role::Subject => 0,
            Role::Object => 1,
            Role::Oblique | Role::Modifier => 2,
        }
    }
}

impl Grown<'_> {
    fn add(
        &mut self,
        tag: &'static str,
        label: &'static str,
        form: String,
        lemma: String,
        features: String,
    ) -> usize {
        self.words.push(Word {
            tag,
            label,
            form,
            lemma,
            features,
            left: Vec::new(),
            right: Vec::new(),
            fronted: Vec::new(),
            extraposed: Vec::new(),
            moved_from: None,
        });
        self.words.len() - 1
    }

    /// Stems near the start of a list are drawn more often.
    fn draw(&mut self, stems: fn(&Lexicon) -> &[String]) -> String {
        let stems = stems(self.lexicon);
        let skewed = self.rng.unit() * self.rng.unit() * self.rng.unit();
        stems[(skewed * stems.len() as f64) as usize].clone()
    }

    fn clause(&mut self, depth: usize) -> usize {
        let past = self.rng.chance(0.4);
        let plural = self.rng.chance(0.3);
        let stem = self.draw(|lexicon| &lexicon.verbs);
        let form =
            format!("{stem}{}{}", if past { "it" } else { "e" }, if plural { "r" } else { "" });
        let features = format!(
            "Number={}|Tense={}|VerbForm=Fin",
            if plural { "Plur" } else { "Sing" },
            if past { "Past" } else { "Pres" }
        );
        let verb = self.add("VERB", "root", form, format!("{stem}e"), features);
        if depth == 0 && self.rng.chance(0.25) {
            let adverb = self.adverb();
            self.words[verb].left.push(adverb);
        }
        let subject = self.noun_phrase(Role::Subject, plural, depth + 1, verb);
        self.words[verb].left.push(subject);
        if self.rng.chance(0.2) {
            let auxiliary =
                self.add("AUX", "aux", "wil".into(), "wil".into(), "VerbForm=Fin".into());
            self.words[verb].left.push(auxiliary);
        }
        if self.rng.chance(0.65) {
            let plural = self.rng.chance(0.3);
            let object = self.noun_phrase(Role::Object, plural, depth + 1, verb);
            self.words[verb].right.push(object);
        }
        if self.rng.chance(0.35) {
            let plural = self.rng.chance(0.3);
            let oblique = self.noun_phrase(Role::Oblique, plural, depth + 1, verb);
            self.words[verb].right.push(oblique);
        }
        if depth < DEPTH_LIMIT && self.rng.chance(0.22) {
            let further = self.clause(depth + 2);
            let (label, link) = if self.rng.chance(0.5) {
                ("ccomp", self.add("SCONJ", "mark", "ke".into(), "ke".into(), "_".into()))
            } else {
                ("conj", self.add("CCONJ", "cc", "et".into(), "et".into(), "_".into()))
            };
            self.words[further].left.insert(0, link);
            self.words[further].label = label;
            self.words[verb].right.push(further);
        }
        verb
    }

    fn adverb(&mut self) -> usize {
        let form = self.draw(|lexicon| &lexicon.adverbs);
        self.add("ADV", "advmod", form.clone(), form, "_".into())
    }

    fn noun_phrase(&mut self, role: Role, plural: bool, depth: usize, clause: usize) -> usize {
        let number = if plural { "Plur" } else { "Sing" };
        let case = role.case();
        let crossing = self.crossing_wanted && depth == 1;
        if role == Role::Subject && !crossing && self.rng.chance(0.3) {
            let form = if plural { "zi" } else { "si" };
            let features = format!("Case=Nom|Number={number}|PronType=Prs");
            return self.add("PRON", "nsubj", form.into(), "si".into(), features);
        }
        let stem = self.draw(|lexicon| &lexicon.nouns);
        let gender = stem.len() % 2;
        let ending = GENDER_ENDINGS[gender];
        let features = format!("Case={}|Gender={}|Number={number}", CASES[case], GENDERS[gender]);
        let form = format!("{stem}{ending}{}{}", CASE_ENDINGS[case], if plural { "r" } else { "" });
        let noun = self.add("NOUN", role.label(), form, format!("{stem}{ending}"), features);
        if matches!(role, Role::Oblique | Role::Modifier) {
            let forms: &[&str] =
                if role == Role::Oblique { &["in", "ad", "per"] } else { &["dil", "dul"] };
            let form = forms[self.rng.below(forms.len())];
            let adposition = self.add("ADP", "case", form.into(), form.into(), "_".into());
            self.words[noun].left.push(adposition);
        }
        if self.rng.chance(0.6) {
            let form = format!("l{ending}");
            let features = format!("Gender={}|PronType=Art", GENDERS[gender]);
            let determiner = self.add("DET", "det", form, "la".into(), features);
            self.words[noun].left.push(determiner);
        }
        let fronted = crossing && role == Role::Object;
        if fronted || self.rng.chance(0.3) {
            let stem = self.draw(|lexicon| &lexicon.adjectives);
            let features = format!("Case={}|Gender={}", CASES[case], GENDERS[gender]);
            let form = format!("{stem}{ending}{}", CASE_ENDINGS[case]);
            let adjective = self.add("ADJ", "amod", form, format!("{stem}a"), features);
            if fronted {
                self.words[adjective].moved_from = Some(noun);
                self.words[clause].fronted.push(adjective);
            } else {
                self.words[noun].left.push(adjective);
            }
        }
        let extraposed = crossing && role == Role::Subject;
        if extraposed || depth < DEPTH_LIMIT && self.rng.chance(0.25) {
            let modifier = if self.rng.chance(0.5) {
                let plural = self.rng.chance(0.3);
                self.noun_phrase(Role::Modifier, plural, depth + 1, clause)
            } else {
                self.relative_clause(gender, depth + 1)
            };
            if extraposed {
                self.words[modifier].moved_from = Some(noun);
                self.words[clause].extraposed.push(modifier);
            } else {
                self.words[noun].right.push(modifier);
            }
        }
        noun
    }

    fn relative_clause(&mut self, gender: usize, depth: usize) -> usize {
        let stem = self.draw(|lexicon| &lexicon.verbs);
        let features = "Tense=Pres|VerbForm=Fin".into();
        let verb = self.add("VERB", "acl", format!("{stem}e"), format!("{stem}e"), features);
        let form = format!("k{}", GENDER_ENDINGS[gender]);
        let features = format!("Gender={}|PronType=Rel", GENDERS[gender]);
        let relative = self.add("PRON", "nsubj", form, "ka".into(), features);
        self.words[verb].left.push(relative);
        if depth < DEPTH_LIMIT && self.rng.chance(0.5) {
            let object = self.noun_phrase(Role::Object, false, depth + 1, verb);
            self.words[verb].right.push(object);
        }
        verb
    }

    /// The words of a phrase in order. Its depth is bounded by [`DEPTH_LIMIT`].
    fn linearise(&self, top: usize, order: &mut Vec<usize>) {
        let word = &self.words[top];
        for &before in word.fronted.iter().chain(&word.left) {
            self.linearise(before, order);
        }
        order.push(top);
        // Moved phrases stand behind everything but the final punctuation.
        let (punctuation, right): (Vec<usize>, Vec<usize>) =
            word.right.iter().partition(|&&after| self.words[after].tag == "PUNCT");
        for &after in right.iter().chain(&word.extraposed).chain(&punctuation) {
            self.linearise(after, order);
        }
    }

    fn heads(&self, order: &[usize]) -> Vec<u32> {
        let mut place = vec![0u32; self.words.len()];
        for (at, &word) in order.iter().enumerate() {
            place[word] = at as u32 + 1;
        }
        let mut heads = vec![0u32; self.words.len()];
        for (index, word) in self.words.iter().enumerate() {
            for &dependent in word.left.iter().chain(&word.right) {
                heads[dependent] = place[index];
            }
            if let Some(home) = word.moved_from {
                heads[index] = place[home];
            }
        }
        order.iter().map(|&word| heads[word]).collect()
    }

    fn write(&self, number: usize, order: &[usize], heads: &[u32], text: &mut String) {
        let mut plain = String::new();
        let mut lines = String::new();
        for (at, (&index, head)) in order.iter().zip(heads).enumerate() {
            let word = &self.words[index];
            let next_is_punctuation =
                order.get(at + 1).is_some_and(|&next| self.words[next].tag == "PUNCT");
            let misc = if next_is_punctuation { "SpaceAfter=No" } else { "_" };
            plain.push_str(&word.form);
            plain.push_str(if next_is_punctuation { "" } else { " " });
            let Word { tag, label, form, lemma, features, .. } = word;
            // Writing to a string cannot fail.
            let _ = writeln!(
                lines,
                "{}\t{form}\t{lemma}\t{tag}\t{tag}\t{features}\t{head}\t{label}\t_\t{misc}",
                at + 1
            );
        }
        let _ = writeln!(
            text,
            "# sent_id = synthetic-{number}\n# text = {}\n{lines}",
            plain.trim_end()
        );
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::treebank::{root_policy, unlabelled_tree_of};

    fn share(options: &TreebankOptions) -> (f64, Vec<Tree>) {
        let trees: Vec<Tree> = treebank(Seed(31), options)
            .iter()
            .map(|sentence| unlabelled_tree_of(sentence).unwrap())
            .collect();
        let arcs: usize = trees.iter().map(Tree::len).sum();
        let crossing: usize = trees.iter().map(|tree| nonprojective_arcs(tree).len()).sum();
        (crossing as f64 / arcs as f64, trees)
    }

    #[test]
    fn the_share_of_crossing_arcs_is_as_asked() {
        for nonprojective in [0.0, 0.02, 0.05, 0.1] {
            let options =
                TreebankOptions { sentences: 500, nonprojective, ..TreebankOptions::default() };
            let (share, trees) = share(&options);
            assert!((share - nonprojective).abs() < 0.004, "{share} instead of {nonprojective}");
            assert_eq!(root_policy(&trees), RootPolicy::Single);
        }
    }

    #[test]
    fn several_roots_on_request() {
        let options = TreebankOptions { roots: RootPolicy::Several, ..TreebankOptions::default() };
        assert!(share(&options).1.iter().all(|tree| tree.roots().count() == 2));
    }

    #[test]
    fn the_seed_decides() {
        let options = TreebankOptions { sentences: 30, ..TreebankOptions::default() };
        assert_eq!(treebank_text(Seed(1), &options), treebank_text(Seed(1), &options));
        assert_ne!(treebank_text(Seed(1), &options), treebank_text(Seed(2), &options));
    }

    #[test]
    fn labels_follow_from_the_structure() {
        let options = TreebankOptions { sentences: 400, ..TreebankOptions::default() };
        let mut counts: BTreeMap<Vec<String>, BTreeMap<String, usize>> = BTreeMap::new();
        let mut words = 0;
        for sentence in treebank(Seed(32), &options) {
            for word in sentence.words() {
                let head = word.head().unwrap() as usize;
                let tag = if head == 0 { "ROOT" } else { sentence.word(head).upos() };
                let side = if word.id() < head as u32 { "left" } else { "right" };
                let context = [word.upos(), word.feats(), tag, side].map(str::to_owned).to_vec();
                *counts.entry(context).or_default().entry(word.deprel().to_owned()).or_default() +=
                    1;
                words += 1;
            }
        }
        let predictable: usize = counts.values().filter_map(|labels| labels.values().max()).sum();
        assert!(predictable * 100 > words * 95, "{predictable} of {words}");
        let labels: std::collections::BTreeSet<&String> =
            counts.values().flat_map(BTreeMap::keys).collect();
        assert!(labels.len() >= 12, "{labels:?}");
    }
}
