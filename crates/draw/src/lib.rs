//! Pictures of dependency trees in which crossing arcs stand out.
//!
//! A [`Drawing`] is what every output starts from: words, arcs, and what is to be said about each
//! arc. It knows nothing of files or formats, so trees, half-annotated sentences and the
//! comparison of two annotations are drawn alike.
//!
//! | module | what comes out |
//! |---|---|
//! | [`terminal`] | box-drawing characters, arcs above the words or beside them |
//! | [`mod@svg`] | a self-contained picture |
//! | [`html`] | a self-contained page of many sentences |
//! | [`tikz`] | LaTeX for the `tikz-dependency` package |
//! | [`dot`] | Graphviz |
//! | [`displacy`] | the JSON that displaCy draws |
//!
//! Two layouts serve the terminal and SVG: [`across`] (words in a line, arcs above) and [`down`]
//! (one word a line, arcs beside; any length stays legible). Both take O(n log n) time.
//!
//! ```
//! use crossarc_draw::{Drawing, Highlight, Options, Word, terminal};
//! let words = ["Saw", "him"].map(|form| Word::new(form, "")).to_vec();
//! let annotation = [(Some(0), "root"), (Some(1), "obj")];
//! let drawing = Drawing::new("1", words, &annotation, Highlight::Crossing);
//! let picture = terminal::render(&drawing, &Options::default());
//! assert_eq!(picture, "\
//! root
//!  │┌─obj─┐
//!  ▼│     ▼
//! Saw    him
//! ");
//! ```
#![forbid(unsafe_code)]

pub mod across;
mod canvas;
pub mod displacy;
pub mod dot;
pub mod down;
pub mod html;
mod layers;
pub mod svg;
pub mod terminal;
mod text;
pub mod tikz;

use crossarc_tree::Tree;
use crossarc_tree::projectivity::nonprojective_arcs;

use layers::Layers;

/// A word as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The form.
    pub form: String,
    /// What stands under the form, usually the part of speech; may be empty.
    pub tag: String,
}

impl Word {
    /// A word with its tag.
    pub fn new(form: impl Into<String>, tag: impl Into<String>) -> Word {
        Word { form: form.into(), tag: tag.into() }
    }
}

/// A sentence as a self-contained SVG picture.
///
/// ```
/// let text = "1\tSaw\t_\t_\t_\t_\t0\troot\t_\t_\n2\thim\t_\t_\t_\t_\t1\tobj\t_\t_\n\n";
/// let sentences = conll::read_str(text, conll::ReadOptions::default())?;
/// let picture = crossarc_draw::svg(&sentences[0]);
/// assert!(picture.starts_with("<svg ") && picture.contains("obj"));
/// # Ok::<(), conll::Error>(())
/// ```
pub fn svg(sentence: &conll::Sentence) -> String {
    svg::render(&Drawing::of(sentence, Highlight::Crossing), &Options::picture())
}

/// A sentence as a picture made of characters.
///
/// ```
/// let text = "1\tSaw\t_\t_\t_\t_\t0\troot\t_\t_\n2\thim\t_\t_\t_\t_\t1\tobj\t_\t_\n\n";
/// let sentences = conll::read_str(text, conll::ReadOptions::default())?;
/// assert!(crossarc_draw::in_text(&sentences[0]).contains("him"));
/// # Ok::<(), conll::Error>(())
/// ```
pub fn in_text(sentence: &conll::Sentence) -> String {
    terminal::render(&Drawing::of(sentence, Highlight::Crossing), &Options::default())
}

/// The words of a sentence with their universal tags, or the specific ones where there are no others.
fn words_of(sentence: &conll::Sentence) -> Vec<Word> {
    let universal = sentence.words().any(|word| word.upos() != "_");
    let words = sentence.words().map(|word| {
        let tag = if universal { word.upos() } else { word.xpos() };
        Word::new(word.form(), if tag == "_" { "" } else { tag })
    });
    words.collect()
}

/// What a comparison of two annotations says about an arc.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Standing {
    /// There is nothing to compare with, or both annotations agree.
    #[default]
    Agreed,
    /// Both annotations have the arc, with different labels.
    WrongLabel,
    /// Only the gold annotation has the arc.
    GoldOnly,
    /// Only the system's annotation has the arc.
    SystemOnly,
}

/// An arc as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arc {
    /// The head: 0 is the artificial root, words are `1..=n`.
    pub head: u32,
    /// The dependent.
    pub dependent: u32,
    /// The label; `gold/system` where only the labels differ.
    pub label: String,
    /// What the comparison says.
    pub standing: Standing,
    /// True if the arc is to stand out, as [`Highlight`] says.
    pub highlighted: bool,
}

/// Which arcs stand out. What the other arcs of the same annotation are decides, never those of
/// the annotation it is compared with.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Highlight {
    /// Those that cross another arc. The artificial root stands left of the first word, so an arc
    /// that passes over a root word crosses the root's arc.
    #[default]
    Crossing,
    /// Those that pass over a word which their head does not dominate: of two arcs that cross, at
    /// least one. Words without a head count as roots.
    NonProjective,
}

impl Arc {
    /// True for the arc of a word under the artificial root.
    pub fn is_root(&self) -> bool {
        self.head == 0
    }
}

/// Head and label of a word; no head where none is annotated.
pub type Attachment<'a> = (Option<u32>, &'a str);

/// A sentence ready to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// What the sentence is called, usually its identifier or number.
    pub title: String,
    words: Vec<Word>,
    arcs: Vec<Arc>,
    comparison: bool,
}

impl Drawing {
    /// One annotation. Words without a head, and those whose head is not another word of the
    /// sentence, are drawn without an arc.
    pub fn new(
        title: impl Into<String>,
        words: Vec<Word>,
        annotation: &[Attachment],
        highlight: Highlight,
    ) -> Drawing {
        let arcs = arcs_of(&words, annotation, Standing::Agreed, highlight);
        Drawing { title: title.into(), words, arcs, comparison: false }
    }

    /// A sentence as it is annotated, called as its `sent_id` says.
    pub fn of(sentence: &conll::Sentence, highlight: Highlight) -> Drawing {
        let annotation: Vec<Attachment> =
            sentence.words().map(|word| (word.head(), word.deprel())).collect();
        let title = sentence.comment_value("sent_id").unwrap_or_default();
        Drawing::new(title, words_of(sentence), &annotation, highlight)
    }

    /// Two annotations laid over each other.
    ///
    /// ```
    /// use crossarc_draw::{Drawing, Highlight, Standing, Word};
    /// let words = ["She", "sings", "well"].map(|form| Word::new(form, "")).to_vec();
    /// let gold = [(Some(2), "nsubj"), (Some(0), "root"), (Some(2), "advmod")];
    /// let system = [(Some(2), "obj"), (Some(0), "root"), (Some(1), "amod")];
    /// let drawing = Drawing::compare("1", words, &gold, &system, Highlight::Crossing);
    /// let standings: Vec<_> = drawing.arcs().iter().map(|arc| arc.standing).collect();
    /// use Standing::*;
    /// assert_eq!(standings, [WrongLabel, Agreed, GoldOnly, SystemOnly]);
    /// assert_eq!(drawing.arcs()[0].label, "nsubj/obj");
    /// ```
    pub fn compare(
        title: impl Into<String>,
        words: Vec<Word>,
        gold: &[Attachment],
        system: &[Attachment],
        highlight: Highlight,
    ) -> Drawing {
        let gold = arcs_of(&words, gold, Standing::GoldOnly, highlight);
        let system = arcs_of(&words, system, Standing::SystemOnly, highlight);
        let mut by_word: Vec<[Option<Arc>; 2]> = vec![[None, None]; words.len() + 1];
        for arc in gold {
            let place = arc.dependent as usize;
            by_word[place][0] = Some(arc);
        }
        for arc in system {
            let place = arc.dependent as usize;
            by_word[place][1] = Some(arc);
        }
        let mut arcs = Vec::with_capacity(words.len());
        for pair in by_word {
            match pair {
                [Some(gold), Some(system)] if gold.head == system.head => {
                    arcs.push(merge(gold, &system));
                }
                [gold, system] => arcs.extend(gold.into_iter().chain(system)),
            }
        }
        Drawing { title: title.into(), words, arcs, comparison: true }
    }

    /// Lets these arcs stand out, and no others.
    pub fn highlight(&mut self, stands_out: impl Fn(&Arc) -> bool) {
        for arc in &mut self.arcs {
            arc.highlighted = stands_out(arc);
        }
    }

    /// The words, first word first.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// The arcs in the order of their dependents.
    pub fn arcs(&self) -> &[Arc] {
        &self.arcs
    }

    /// True if two annotations are laid over each other.
    pub fn is_comparison(&self) -> bool {
        self.comparison
    }

    /// True if the sentence is to be read from right to left: most of its words that have a
    /// direction begin with a letter of a right-to-left script.
    pub fn is_right_to_left(&self) -> bool {
        let mut balance = 0i64;
        for word in &self.words {
            match text::direction(&word.form) {
                Some(text::Direction::RightToLeft) => balance += 1,
                Some(text::Direction::LeftToRight) => balance -= 1,
                None => {}
            }
        }
        balance > 0
    }
}

/// How the words and arcs are laid out.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Layout {
    /// Across where it fits, else down.
    #[default]
    Auto,
    /// Words in a line, arcs above.
    Across,
    /// One word a line, arcs beside.
    Down,
}

/// Settings of the terminal and SVG outputs.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// How the words and arcs are laid out.
    pub layout: Layout,
    /// Columns of the terminal, or pixels of an SVG picture, that [`Layout::Auto`] may fill.
    pub width: usize,
    /// Whether the terminal output holds colour codes.
    pub colour: bool,
}

impl Options {
    /// The width that [`Layout::Auto`] may fill in an SVG picture.
    pub const PICTURE_WIDTH: usize = 1600;

    /// The usual settings for an SVG picture.
    pub fn picture() -> Options {
        Options { width: Options::PICTURE_WIDTH, ..Options::default() }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options { layout: Layout::Auto, width: 80, colour: false }
    }
}

fn arcs_of(
    words: &[Word],
    annotation: &[Attachment],
    standing: Standing,
    highlight: Highlight,
) -> Vec<Arc> {
    let mut arcs = Vec::with_capacity(words.len());
    for (index, &(head, label)) in annotation.iter().take(words.len()).enumerate() {
        let dependent = index as u32 + 1;
        let Some(head) = head.filter(|&head| head as usize <= words.len() && head != dependent)
        else {
            continue;
        };
        let label = if label == "_" { "" } else { label };
        arcs.push(Arc { head, dependent, label: label.to_owned(), standing, highlighted: false });
    }
    if highlight == Highlight::Crossing || !mark_nonprojective(&mut arcs, words.len()) {
        mark_crossing(&mut arcs, words.len());
    }
    arcs
}

fn merge(gold: Arc, system: &Arc) -> Arc {
    let highlighted = gold.highlighted || system.highlighted;
    let (label, standing) = if gold.label == system.label {
        (gold.label, Standing::Agreed)
    } else {
        (format!("{}/{}", gold.label, system.label), Standing::WrongLabel)
    };
    Arc { label, standing, highlighted, ..gold }
}

/// An arc crosses another if some word strictly inside it is tied to one strictly outside: the
/// extremes of the words' arcs, looked up by range, tell in O(log n).
fn mark_crossing(arcs: &mut [Arc], words: usize) {
    let mut rightmost = Layers::new(words + 1);
    let mut leftmost = Layers::new(words + 1); // counted from the right end
    let from_right = |node: usize| (words - node) as u32;
    for arc in &*arcs {
        let (head, dependent) = (arc.head as usize, arc.dependent as usize);
        for (node, other) in [(head, dependent), (dependent, head)] {
            rightmost.raise(node..node + 1, other as u32);
            leftmost.raise(node..node + 1, from_right(other));
        }
    }
    for arc in arcs {
        let left = arc.head.min(arc.dependent) as usize;
        let right = arc.head.max(arc.dependent) as usize;
        arc.highlighted = rightmost.highest(left + 1..right) > right as u32
            || leftmost.highest(left + 1..right) > from_right(left);
    }
}

/// False if the heads make no tree, not even with headless words under the root.
fn mark_nonprojective(arcs: &mut [Arc], words: usize) -> bool {
    let mut heads = vec![0; words];
    for arc in &*arcs {
        heads[arc.dependent as usize - 1] = arc.head;
    }
    let Ok(tree) = Tree::from_heads(&heads) else { return false };
    let mut found = nonprojective_arcs(&tree).into_iter().peekable();
    for arc in arcs {
        arc.highlighted = found.next_if(|word| word.0 == arc.dependent).is_some();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossarc_tree::generate::random_tree;
    use crossarc_tree::projectivity::crossed_arcs;
    use crossarc_tree::seed::Seed;
    use crossarc_tree::{Node, RootPolicy};

    fn highlighted(tree: &Tree, highlight: Highlight) -> Vec<Node> {
        let heads: Vec<_> = tree.heads()[1..].iter().map(|head| (Some(head.0), "x")).collect();
        let words = vec![Word::new("w", ""); tree.len()];
        let drawing = Drawing::new("", words, &heads, highlight);
        let found = drawing.arcs().iter().filter(|arc| arc.highlighted);
        found.map(|arc| Node(arc.dependent)).collect()
    }

    #[test]
    fn highlights_are_those_of_the_definitions() {
        let seed = Seed(20);
        let mut rng = seed.rng();
        for round in 0..300 {
            let tree = random_tree(&mut rng, 1 + round % 12, RootPolicy::Several);
            let crossing = highlighted(&tree, Highlight::Crossing);
            assert_eq!(crossing, crossed_arcs(&tree), "{seed:?} {tree:?}");
            let nonprojective = highlighted(&tree, Highlight::NonProjective);
            assert_eq!(nonprojective, nonprojective_arcs(&tree), "{seed:?} {tree:?}");
        }
    }

    #[test]
    fn heads_that_are_no_words_are_left_out() {
        let words = vec![Word::new("w", ""); 3];
        let heads = [(Some(1), "self"), (Some(9), "far"), (None, "none")];
        assert!(Drawing::new("", words, &heads, Highlight::Crossing).arcs().is_empty());
    }

    #[test]
    fn headless_words_and_cycles_are_highlighted_too() {
        let words = vec![Word::new("w", ""); 4];
        let heads = [(Some(3), ""), (Some(4), ""), (None, ""), (None, "")];
        for highlight in [Highlight::Crossing, Highlight::NonProjective] {
            let drawing = Drawing::new("", words.clone(), &heads, highlight);
            assert!(drawing.arcs().iter().all(|arc| arc.highlighted), "{highlight:?}");
        }
        let cycles = [(Some(3), ""), (Some(4), ""), (Some(1), ""), (Some(2), "")];
        let drawing = Drawing::new("", words, &cycles, Highlight::NonProjective);
        assert!(drawing.arcs().iter().all(|arc| arc.highlighted));
    }
}
