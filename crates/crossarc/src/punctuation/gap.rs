//! A finished tree as a punctuation mark sees it: a gap between two words, and the words that can be
//! seen from there.
//!
//! From the nearest word on either side one climbs from head to head up to a word with an arc that
//! leads over the gap: in a projective tree these are all the words that the mark can hang on without a crossing
//! arc. Marks themselves are no part of the view.
use conll::Sentence;

use crossarc_eval::is_punctuation;
use crossarc_learn::features::hash::{attribute, mix};
use crossarc_tree::{Labels, Node, Tree};

/// Words that are looked at on either side of a gap, at most.
pub const MOST_STEPS: usize = 24;
/// Distances from this on are alike.
const FAR: usize = 6;
/// Steps from this on are alike.
const HIGH: u32 = 4;

/// Stand for what is missing in features; hashes are larger.
const NOTHING: u32 = 1;
const ROOT: u32 = 2;

/// Marks that come in pairs; some close what they open.
const PAIRS: [(&str, &str); 13] = [
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("“", "”"),
    ("„", "“"),
    ("„", "”"),
    ("‘", "’"),
    ("«", "»"),
    ("»", "«"),
    ("``", "''"),
    ("\"", "\""),
    ("'", "'"),
    ("「", "」"),
];

/// A word that a mark may hang on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The word.
    pub node: usize,
    /// True if it was reached from the word before the mark.
    before: bool,
    /// Steps from the word next to the mark.
    steps: u32,
    /// The word from which the last step led here, or 0.
    below: usize,
}

/// A sentence and its tree; reused from sentence to sentence.
#[derive(Clone, Debug, Default)]
pub struct Sight {
    heads: Vec<usize>,
    marks: Vec<bool>,
    forms: Vec<u32>,
    tags: Vec<u32>,
    labels: Vec<u32>,
    /// First and last word below each word, marks left out.
    ends: Vec<(usize, usize)>,
    /// The nearest words before and after each mark, or 0.
    neighbours: Vec<(usize, usize)>,
    /// The mark that each mark closes, or 0.
    openers: Vec<usize>,
    /// Dependents that are still to be looked at.
    waiting: Vec<u32>,
    stack: Vec<usize>,
    lower: String,
}

impl Sight {
    /// Takes in a sentence with its tree. False if it has no mark to be attached: words that are
    /// punctuation, have no dependents, hang on a word and are not given.
    pub fn look_at(
        &mut self,
        sentence: &Sentence,
        tree: &Tree,
        labels: &Labels,
        given: Option<&[Option<Node>]>,
    ) -> bool {
        let side = tree.len() + 1;
        if sentence.len() + 1 != side {
            return false;
        }
        self.heads.clear();
        self.heads.extend(tree.heads().iter().map(|head| head.index()));
        self.waiting.clear();
        self.waiting.resize(side, 0);
        for &head in &self.heads[1..] {
            self.waiting[head] += 1;
        }
        let is_given = |word: usize| given.is_some_and(|heads| heads[word].is_some());
        self.marks.clear();
        self.marks.push(false);
        for (word, columns) in (1..).zip(sentence.words()) {
            let free = self.waiting[word] == 0 && self.heads[word] != 0 && !is_given(word);
            self.marks.push(free && is_punctuation(columns.form()));
        }
        if !self.marks.contains(&true) {
            return false;
        }
        self.read_words(sentence, tree, labels);
        self.find_ends();
        self.find_neighbours();
        self.find_pairs(sentence);
        true
    }

    fn read_words(&mut self, sentence: &Sentence, tree: &Tree, labels: &Labels) {
        for column in [&mut self.forms, &mut self.tags, &mut self.labels] {
            column.clear();
            column.push(NOTHING);
        }
        for (word, columns) in tree.words().zip(sentence.words()) {
            self.lower.clear();
            self.lower.extend(columns.form().chars().flat_map(char::to_lowercase));
            self.forms.push(attribute(&self.lower));
            let tag = if columns.upos() == "_" { columns.xpos() } else { columns.upos() };
            self.tags.push(attribute(tag));
            let name = labels.name(tree.label(word));
            self.labels.push(attribute(name.split(':').next().unwrap_or(name)));
        }
    }

    /// From the leaves upwards, a word when all below it are done.
    fn find_ends(&mut self) {
        let side = self.heads.len();
        self.ends.clear();
        self.ends.extend((0..side).map(|word| (word, word)));
        for mark in (1..side).filter(|&word| self.marks[word]) {
            self.waiting[self.heads[mark]] -= 1;
        }
        self.stack.clear();
        self.stack.extend((1..side).filter(|&word| !self.marks[word] && self.waiting[word] == 0));
        while let Some(word) = self.stack.pop() {
            let (first, last) = self.ends[word];
            let head = self.heads[word];
            let ends = &mut self.ends[head];
            *ends = (ends.0.min(first), ends.1.max(last));
            self.waiting[head] -= 1;
            if self.waiting[head] == 0 && head != 0 {
                self.stack.push(head);
            }
        }
    }

    fn find_neighbours(&mut self) {
        let side = self.heads.len();
        self.neighbours.clear();
        let mut before = 0;
        for word in 0..side {
            self.neighbours.push((before, 0));
            if word > 0 && !self.marks[word] {
                before = word;
            }
        }
        let mut after = 0;
        for word in (1..side).rev() {
            self.neighbours[word].1 = after;
            if !self.marks[word] {
                after = word;
            }
        }
    }

    fn find_pairs(&mut self, sentence: &Sentence) {
        self.openers.clear();
        self.openers.resize(self.heads.len(), 0);
        self.stack.clear();
        for (word, columns) in (1..).zip(sentence.words()).filter(|(word, _)| self.marks[*word]) {
            let form = columns.form();
            let closes = |open: &usize| {
                let open = sentence.word(*open);
                PAIRS.contains(&(open.form(), form))
            };
            if let Some(place) = self.stack.iter().rposition(closes) {
                self.openers[word] = self.stack[place];
                self.stack.truncate(place);
            } else if PAIRS.iter().any(|(open, _)| *open == form) && self.stack.len() < MOST_STEPS {
                self.stack.push(word);
            }
        }
    }

    /// True if the word is a mark to be attached.
    pub fn is_mark(&self, word: usize) -> bool {
        self.marks[word]
    }

    /// The head of a word.
    pub fn head(&self, word: usize) -> usize {
        self.heads[word]
    }

    /// The head of a word as a node.
    pub fn node_above(&self, word: Node) -> Node {
        Node(self.heads[word.index()] as u32)
    }

    /// Gives a mark another head.
    pub fn attach(&mut self, mark: usize, head: usize) {
        self.heads[mark] = head;
    }

    /// Appends the words that can be seen from a mark.
    pub fn candidates(&self, mark: usize, out: &mut Vec<Candidate>) {
        let (left, right) = self.neighbours[mark];
        for (start, before) in [(left, true), (right, false)] {
            let (mut node, mut below) = (start, 0);
            for steps in 0..MOST_STEPS as u32 {
                if node == 0 {
                    break;
                }
                out.push(Candidate { node, before, steps, below });
                if self.is_end(mark, node, before) {
                    break;
                }
                (below, node) = (node, self.heads[node]);
            }
        }
    }

    /// True if an arc from a word, upwards or downwards, leads over the mark: nothing above it can be
    /// seen.
    fn is_end(&self, mark: usize, node: usize, before: bool) -> bool {
        let (first, last) = self.ends[node];
        let head = self.heads[node];
        let upwards = if before { head > mark } else { head < mark && head != 0 };
        upwards || (if before { last > mark } else { first < mark })
    }

    /// Appends the features of a mark under a candidate.
    pub fn features(&self, mark: usize, candidate: Candidate, out: &mut Vec<u64>) {
        let Candidate { node, before, steps, below } = candidate;
        let (left, right) = self.neighbours[mark];
        let head = self.heads[node];
        let touches = if before { self.ends[node].1 == left } else { self.ends[node].0 == right };
        let is_top = head == 0 || self.is_end(mark, node, before);
        let side = u32::from(before) | u32::from(touches) << 1 | u32::from(is_top) << 2;
        let edge = u32::from(left == 0) | u32::from(right == 0) << 1;
        let place = side << 2 | edge;
        let pair = match self.openers[mark] {
            0 => 0,
            opener if self.heads[opener] == node => 1,
            _ => 2,
        };
        let is_mark = |word: usize| u32::from(self.marks.get(word) == Some(&true));
        let between_marks = is_mark(mark - 1) | is_mark(mark + 1) << 1;
        let (form, tag, label) = (self.forms[mark], self.tags[node], self.labels[node]);
        let label_above = if head == 0 { ROOT } else { self.labels[head] };
        let distance = node.abs_diff(mark).min(FAR) as u32;
        let mut template = 0;
        let mut add = |values: &[u32]| {
            template += 1;
            let start = mix(0x51A7, template);
            out.push(values.iter().fold(start, |hash, &value| mix(hash, u64::from(value))));
        };
        add(&[place]);
        add(&[form, place]);
        add(&[form, place, label]);
        add(&[place, label, tag]);
        add(&[form, side, label, self.labels[below]]);
        add(&[form, side & 1, steps.min(HIGH)]);
        add(&[form, side & 3, pair]);
        add(&[form, side, label, self.labels[left], self.labels[right]]);
        add(&[form, side, tag, self.tags[left], self.tags[right]]);
        add(&[form, side, label, tag, self.labels[below], self.tags[below]]);
        add(&[form, side, label, between_marks]);
        add(&[form, side, label, label_above]);
        add(&[form, side, label, self.forms[right]]);
        add(&[form, side, label, self.forms[left]]);
        add(&[form, side, distance]);
        add(&[form, pair, label]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::RootPolicy;
    use crossarc_tree::generate::random_projective_tree;
    use crossarc_tree::projectivity::is_projective;
    use crossarc_tree::seed::Seed;
    use crossarc_tree::treebank::tree_of;

    fn sentence(forms: &[&str], heads: &[usize]) -> Sentence {
        let rows = (1..)
            .zip(forms.iter().zip(heads))
            .map(|(id, (form, head))| format!("{id}\t{form}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n"));
        let text: String = rows.collect();
        conll::read_str(&(text + "\n"), conll::ReadOptions::default()).unwrap().remove(0)
    }

    fn sight(sentence: &Sentence) -> Sight {
        let mut labels = Labels::default();
        let tree = tree_of(sentence, &mut labels).unwrap();
        let mut sight = Sight::default();
        sight.look_at(sentence, &tree, &labels, None);
        sight
    }

    fn seen(sight: &Sight, mark: usize) -> Vec<usize> {
        let mut found = Vec::new();
        sight.candidates(mark, &mut found);
        let mut nodes: Vec<usize> = found.iter().map(|candidate| candidate.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    /// The candidates are the words that a leaf in the gap can hang on without a crossing arc.
    #[test]
    fn candidates_are_what_keeps_a_tree_projective() {
        let seed = 31;
        let mut rng = Seed(seed).rng();
        for round in 0..300 {
            let words = 1 + rng.below(9);
            let tree = random_projective_tree(&mut rng, words, RootPolicy::Single);
            let mark = 1 + rng.below(words + 1);
            let shifted = |node: usize| node + usize::from(node >= mark);
            let heads_with = |head: usize| -> Vec<usize> {
                let mut heads: Vec<usize> =
                    tree.words().map(|word| shifted(tree.head(word).index())).collect();
                heads.insert(mark - 1, head);
                heads
            };
            let forms: Vec<&str> =
                (1..=words + 1).map(|word| if word == mark { "," } else { "a" }).collect();
            let projective: Vec<usize> = (1..=words)
                .map(shifted)
                .filter(|&head| {
                    let heads: Vec<u32> = heads_with(head).iter().map(|&h| h as u32).collect();
                    is_projective(&Tree::from_heads(&heads).unwrap())
                })
                .collect();
            let any = sentence(&forms, &heads_with(shifted(1)));
            assert_eq!(seen(&sight(&any), mark), projective, "seed {seed}, round {round}");
        }
    }

    #[test]
    fn marks_are_leaves_below_words() {
        let given = [None, None, Some(Node(3)), None, None];
        let text = sentence(&[",", "-", "go", "."], &[3, 3, 0, 3]);
        let looked = sight(&text);
        assert_eq!([1, 2, 3, 4].map(|word| looked.is_mark(word)), [true, true, false, true]);
        let mut labels = Labels::default();
        let tree = tree_of(&text, &mut labels).unwrap();
        let mut looked = Sight::default();
        assert!(looked.look_at(&text, &tree, &labels, Some(&given)));
        assert!(!looked.is_mark(2), "its head is given");
        let text = sentence(&["-", "go", "."], &[0, 1, 2]);
        assert!(!sight(&text).is_mark(1), "a root with a dependent");
    }

    #[test]
    fn quotes_open_and_close() {
        let forms = ["\"", "a", "\"", "(", "b", "\"", "c", "\"", ")"];
        let sight = sight(&sentence(&forms, &[2, 0, 2, 2, 2, 2, 2, 2, 2]));
        assert_eq!(sight.openers[1..], [0, 0, 1, 0, 0, 0, 0, 6, 4]);
    }
}
