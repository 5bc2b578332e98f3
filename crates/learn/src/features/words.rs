//! A sentence as rows of attribute values, one row a node, and what its words say in letters.
use super::attribute::{self, Attribute};
use super::guides::Guidance;
use super::hash;
use conll::Sentence;
use crossarc_tree::Node;
use crossarc_tree::treebank::morphology::{self, Category, Meaning};

/// The columns of one word that attributes are computed from; `_` for an empty one.
///
/// What is empty has the value of its nearest relative: XPOS and UPOS stand for each other, the form for
/// the lemma. Features are missing.
#[derive(Copy, Clone, Debug)]
pub struct WordColumns<'a> {
    /// FORM
    pub form: &'a str,
    /// LEMMA
    pub lemma: &'a str,
    /// UPOS or CPOSTAG
    pub upos: &'a str,
    /// XPOS or POSTAG
    pub xpos: &'a str,
    /// FEATS
    pub feats: &'a str,
}

/// Value of every attribute of the root.
const ROOT_VALUE: u32 = 2;
/// Most morphological features that one word contributes.
const MOST_MORPHOLOGY: usize = 12;
const STRIDE: usize = Attribute::NAMES.len();

/// The words of a sentence as numbers, reused from sentence to sentence.
///
/// ```
/// use crossarc_learn::features::{Attribute, Words, words::WordColumns};
/// use crossarc_tree::Node;
/// let word = |form| WordColumns { form, lemma: "_", upos: "NOUN", xpos: "_", feats: "Case=Acc|Number=Sing" };
/// let mut words = Words::default();
/// words.fill([word("Hund"), word("Katze")]);
/// assert_eq!(words.len(), 2);
/// assert_eq!(words.value(Node(1), Attribute::Upos), words.value(Node(2), Attribute::Upos));
/// assert_ne!(words.value(Node(1), Attribute::Form), words.value(Node(2), Attribute::Form));
/// assert_eq!(words.morphology(Node(1)).len(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Row of the root, then rows of the words.
    values: Vec<[u32; STRIDE]>,
    morphology: Vec<u32>,
    /// Where the morphology of each node ends; one more than there are nodes.
    morphology_ends: Vec<u32>,
    agreement: Vec<Agreement>,
    guidance: Guidance,
    letters: Letters,
}

/// Columns of [`WordColumns`].
const COLUMNS: usize = 5;

/// The columns of all words, one after the other.
#[derive(Clone, Debug, Default)]
struct Letters {
    text: String,
    /// Where each column of each word ends.
    ends: Vec<[u32; COLUMNS]>,
}

impl Letters {
    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    fn push(&mut self, word: WordColumns<'_>) {
        let ends = [word.form, word.lemma, word.upos, word.xpos, word.feats].map(|column| {
            self.text.push_str(column);
            self.text.len() as u32
        });
        self.ends.push(ends);
    }

    /// The columns of a word, counted from zero.
    fn get(&self, word: usize) -> WordColumns<'_> {
        let mut start = if word == 0 { 0 } else { self.ends[word - 1][COLUMNS - 1] as usize };
        let [form, lemma, upos, xpos, feats] = self.ends[word].map(|end| {
            let column = &self.text[start..end as usize];
            start = end as usize;
            column
        });
        WordColumns { form, lemma, upos, xpos, feats }
    }
}

/// What a word can agree in.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Agreement {
    /// Gender, number, person and case, zero for what the word does not have. A finite verb without
    /// a case counts as nominative (Schiehlen and Spranger 2007).
    plain: [u32; 4],
    /// Number and person that a verb shows for an argument in each of [`CASES`], as in Basque.
    of_case: [[u32; 2]; 3],
    /// One more than the place of the own case in [`CASES`], or zero.
    own_case: u8,
}

/// Cases of arguments that a verb may agree with, each by itself.
const CASES: [&str; 3] = ["Abs", "Erg", "Dat"];

impl Agreement {
    fn of(feats: &str) -> Agreement {
        let mut found = Agreement::default();
        let mut finite = false;
        for feature in feats.split('|') {
            match morphology::meaning(feature) {
                Some(Meaning::Is(Category::VerbForm, form)) => finite |= form == "Fin",
                Some(Meaning::Is(category, value)) => {
                    found.plain[category as usize] = hash::attribute(value);
                    if category == Category::Case {
                        let place = CASES.iter().position(|case| *case == value);
                        found.own_case = place.map_or(0, |place| place as u8 + 1);
                    }
                    if let Some(number) = morphology::number_with_person(feature) {
                        found.plain[Category::Number as usize] = hash::attribute(number);
                    }
                }
                Some(Meaning::Argument(case, number, person)) => {
                    let Some(place) = CASES.iter().position(|known| *known == case) else {
                        continue;
                    };
                    for (shown, value) in found.of_case[place].iter_mut().zip([number, person]) {
                        if !value.is_empty() {
                            *shown = hash::attribute(value);
                        }
                    }
                }
                None => {}
            }
        }
        if finite && found.plain[3] == 0 && found.of_case == [[0; 2]; 3] {
            found.plain[3] = hash::attribute("Nom");
        }
        found
    }

    /// Gender, number, person and case as another word sees them: a verb shows number and person
    /// of the argument in the other's case, if it does.
    #[inline]
    fn seen_by(&self, other: &Agreement) -> [u32; 4] {
        let of_case = usize::from(other.own_case).checked_sub(1).map(|case| self.of_case[case]);
        match of_case {
            Some([number, person]) if number != 0 || person != 0 => {
                [0, number, person, other.plain[3]]
            }
            _ => self.plain,
        }
    }

    /// For gender, number, person and case whether two words agree; nothing if one of them does not
    /// have it.
    #[inline]
    pub fn with(&self, other: &Agreement) -> [Option<bool>; 4] {
        let (one, two) = (self.seen_by(other), other.seen_by(self));
        std::array::from_fn(|at| (one[at] != 0 && two[at] != 0).then_some(one[at] == two[at]))
    }
}

impl Words {
    /// Takes in a sentence, forgetting the one before.
    pub fn fill<'a>(&mut self, sentence: impl IntoIterator<Item = WordColumns<'a>>) {
        self.values.clear();
        self.values.push([ROOT_VALUE; STRIDE]);
        self.morphology.clear();
        self.morphology_ends.clear();
        self.morphology_ends.extend([0, 0]);
        self.agreement.clear();
        self.agreement.push(Agreement::default());
        self.guidance.clear();
        self.letters.clear();
        let (mut lower, mut scratch) = (String::new(), String::new());
        for word in sentence {
            lower.clear();
            lower.extend(word.form.chars().flat_map(char::to_lowercase));
            let mut row = [0; STRIDE];
            row[Attribute::Form as usize] = hash::attribute(word.form);
            row[Attribute::Lower as usize] = hash::attribute(&lower);
            let filled = |column, instead| if column == "_" { instead } else { column };
            row[Attribute::Lemma as usize] = hash::attribute(filled(word.lemma, &lower));
            row[Attribute::Upos as usize] = hash::attribute(filled(word.upos, word.xpos));
            row[Attribute::Xpos as usize] = hash::attribute(filled(word.xpos, word.upos));
            row[Attribute::Feats as usize] = hash::attribute(word.feats);
            row[Attribute::Prefix2 as usize] = attribute::prefix(&lower, 2);
            row[Attribute::Prefix3 as usize] = attribute::prefix(&lower, 3);
            row[Attribute::Suffix2 as usize] = attribute::suffix(&lower, 2);
            row[Attribute::Suffix3 as usize] = attribute::suffix(&lower, 3);
            row[Attribute::Suffix4 as usize] = attribute::suffix(&lower, 4);
            row[Attribute::Shape as usize] = attribute::shape(word.form, &mut scratch);
            self.values.push(row);
            if word.feats != "_" {
                let features = word.feats.split('|').take(MOST_MORPHOLOGY);
                self.morphology.extend(features.map(hash::attribute));
            }
            self.morphology_ends.push(self.morphology.len() as u32);
            self.agreement.push(Agreement::of(word.feats));
            self.letters.push(word);
        }
    }

    /// The sentence from its last word to its first.
    #[must_use]
    pub fn mirrored(&self) -> Words {
        let mut mirrored = Words::default();
        mirrored.mirror_of(self);
        mirrored
    }

    /// Takes in another sentence from its last word to its first.
    pub fn mirror_of(&mut self, other: &Words) {
        let nodes = || std::iter::once(0).chain((1..=other.len()).rev());
        self.values.clear();
        self.values.extend(nodes().map(|node| other.values[node]));
        self.agreement.clear();
        self.agreement.extend(nodes().map(|node| other.agreement[node]));
        self.morphology.clear();
        self.morphology_ends.clear();
        self.morphology_ends.push(0);
        for node in nodes() {
            self.morphology.extend_from_slice(other.morphology(Node(node as u32)));
            self.morphology_ends.push(self.morphology.len() as u32);
        }
        self.guidance.mirror_of(&other.guidance);
        self.letters.clear();
        for word in (0..other.len()).rev() {
            self.letters.push(other.letters.get(word));
        }
    }

    /// The columns of a word as they were taken in; nothing for the root.
    pub fn columns(&self, node: Node) -> Option<WordColumns<'_>> {
        node.index().checked_sub(1).map(|word| self.letters.get(word))
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.values.len().saturating_sub(1)
    }

    /// True if there is no word.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An attribute of a node; all attributes of the root have one reserved value.
    #[inline]
    pub fn value(&self, node: Node, attribute: Attribute) -> u32 {
        self.values[node.index()][attribute as usize]
    }

    /// What a node can agree in.
    pub fn agreement(&self, node: Node) -> Agreement {
        self.agreement[node.index()]
    }

    /// Takes in what guides say about the sentence.
    pub fn set_guidance(&mut self, guidance: &Guidance) {
        self.guidance.clone_from(guidance);
    }

    /// What guides say about the sentence.
    #[inline]
    pub fn guidance(&self) -> &Guidance {
        &self.guidance
    }

    /// The morphological features of a node, one value each.
    #[inline]
    pub fn morphology(&self, node: Node) -> &[u32] {
        let start = self.morphology_ends[node.index()] as usize;
        let end = self.morphology_ends[node.index() + 1] as usize;
        &self.morphology[start..end]
    }
}

/// Takes in the words of a sentence.
pub fn read_words(sentence: &Sentence, words: &mut Words) {
    words.fill(sentence.words().map(|word| WordColumns {
        form: word.form(),
        lemma: word.lemma(),
        upos: word.upos(),
        xpos: word.xpos(),
        feats: word.feats(),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_of_a_mirror_is_the_sentence() {
        let word = |form, feats| WordColumns { form, lemma: form, upos: "X", xpos: "_", feats };
        let sentence = [word("a", "A=1|B=2"), word("b", "_"), word("c", "Case=Nom|VerbForm=Fin")];
        let (mut plain, mut backwards) = (Words::default(), Words::default());
        plain.fill(sentence);
        backwards.fill(sentence.into_iter().rev());
        assert_eq!(format!("{:?}", plain.mirrored()), format!("{backwards:?}"));
        assert_eq!(format!("{:?}", plain.mirrored().mirrored()), format!("{plain:?}"));
        let columns = backwards.columns(Node(2)).unwrap();
        assert_eq!((columns.form, columns.upos, columns.feats), ("b", "X", "_"));
        assert!(backwards.columns(Node::ROOT).is_none());
        plain.fill([]);
        assert!(plain.mirrored().is_empty());
    }

    #[test]
    fn what_is_empty_has_the_value_of_its_relative() {
        let word = |lemma, upos, xpos| WordColumns { form: "Dogs", lemma, upos, xpos, feats: "_" };
        let mut words = Words::default();
        words.fill([word("_", "NOUN", "_"), word("_", "_", "NNS"), word("dog", "NOUN", "NNS")]);
        let value = |word, attribute| words.value(Node(word), attribute);
        assert_eq!(value(1, Attribute::Xpos), value(3, Attribute::Upos));
        assert_eq!(value(2, Attribute::Upos), value(3, Attribute::Xpos));
        assert_eq!(value(1, Attribute::Lemma), value(3, Attribute::Lower));
        assert_ne!(value(3, Attribute::Lemma), value(3, Attribute::Lower));
    }

    #[test]
    fn agreement_is_by_category() {
        let verb = Agreement::of("Number=Sing|Person=3|VerbForm=Fin");
        let noun = Agreement::of("Case=Nom|Gender=Fem|Number=Plur");
        assert_eq!(verb.with(&noun), [None, Some(false), None, Some(true)]);
        assert_eq!(noun.with(&verb), verb.with(&noun));
        assert_eq!(verb.with(&Agreement::default()), [None; 4]);
    }

    #[test]
    fn a_verb_agrees_with_the_argument_in_each_case() {
        let verb = Agreement::of("Number[abs]=Plur|Number[erg]=Sing|Person[abs]=3|VerbForm=Fin");
        let object = Agreement::of("Case=Abs|Number=Plur");
        let subject = Agreement::of("Case=Erg|Number=Plur");
        let place = Agreement::of("Case=Ine|Number=Plur");
        assert_eq!(verb.with(&object), [None, Some(true), None, Some(true)]);
        assert_eq!(subject.with(&verb), [None, Some(false), None, Some(true)]);
        assert_eq!(verb.with(&place), [None; 4], "no agreement in other cases");
    }
}
