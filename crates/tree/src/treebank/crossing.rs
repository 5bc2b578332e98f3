//! Why arcs are non-projective: constructions, found by rules that can be edited.
//!
//! A line is `cause: test test ...`; the first line all of whose tests are true of an arc names its cause,
//! and arcs that no line fits are `other`. `#` begins a comment.
//!
//! | test | true if |
//! |---|---|
//! | `label=nsubj,obj` | the label of the arc is one of these, subtypes and marks aside unless given |
//! | `tag=PRON` `head-tag=VERB` | so is the coarse or the fine tag of the dependent, of the head |
//! | `has=PronType=Int,PronType=Rel` | a word of the dependent's phrase has one of these features |
//! | `word=PronType=Int` | the dependent itself has |
//! | `direction=left` or `right` | the dependent is to the left or to the right of its head |
//! | `gap=parataxis` | a word between head and dependent that the head does not dominate has this label |
//!
//! ```
//! use crossarc_tree::treebank::crossing::Rules;
//! let rules = Rules::usual();
//! // "A hearing is scheduled on the issue today": "on the issue" belongs to "hearing".
//! let text = "1\tA\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\thearing\t_\tNOUN\t_\t_\t4\tnsubj\t_\t_\n\
//! 3\tis\t_\tAUX\t_\t_\t4\taux\t_\t_\n4\tscheduled\t_\tVERB\t_\t_\t0\troot\t_\t_\n\
//! 5\ton\t_\tADP\t_\t_\t7\tcase\t_\t_\n6\tthe\t_\tDET\t_\t_\t7\tdet\t_\t_\n\
//! 7\tissue\t_\tNOUN\t_\t_\t2\tnmod\t_\t_\n8\ttoday\t_\tNOUN\t_\t_\t4\tobl\t_\t_\n\n";
//! let sentence = conll::read_str(text, conll::ReadOptions::default())?.remove(0);
//! let causes: Vec<_> = rules.causes(&sentence).into_iter().map(|(word, cause)| (word.0, cause)).collect();
//! assert_eq!(causes, [(7, "extraposition")]);
//! # Ok::<(), conll::Error>(())
//! ```
use conll::Sentence;

use super::unlabelled_tree_of;
use crate::projectivity::nonprojective_arcs;
use crate::structure::Structure;
use crate::{Node, Tree};

/// Rules that name the causes of crossing arcs, in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules(Vec<(String, Vec<Test>)>);

/// The name of a cause that no rule knows.
pub const OTHER: &str = "other";

/// The usual rules, as the text of a file.
pub const USUAL: &str = include_str!("crossing.txt");

#[derive(Clone, PartialEq, Eq, Debug)]
enum Test {
    Label(Vec<String>),
    Tag(Vec<String>),
    HeadTag(Vec<String>),
    Has(Vec<String>),
    Word(Vec<String>),
    ToTheLeft(bool),
    Gap(Vec<String>),
}

/// A line that is no rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "line {line}: expected `cause: test test ...` with tests such as label=nsubj, tag=PRON, head-tag=VERB, has=PronType=Int, word=PronType=Int, direction=left, gap=parataxis; found `{text}`"
)]
pub struct RuleError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong.
    pub text: String,
}

/// What rules look at of a word.
#[derive(Copy, Clone, Debug)]
pub struct Seen<'a> {
    /// DEPREL
    pub label: &'a str,
    /// UPOS or CPOSTAG
    pub tag: &'a str,
    /// XPOS or POSTAG
    pub fine_tag: &'a str,
    /// FEATS
    pub features: &'a str,
}

impl Rules {
    /// The usual rules.
    pub fn usual() -> Rules {
        Rules::parse(USUAL).unwrap_or(Rules(Vec::new()))
    }

    /// Reads a file of rules.
    pub fn parse(text: &str) -> Result<Rules, RuleError> {
        let mut rules = Vec::new();
        for (index, raw) in text.lines().enumerate() {
            let line = raw.split('#').next().unwrap_or("").trim();
            if line.is_empty() {
                continue;
            }
            let error = |text: &str| RuleError { line: index + 1, text: text.to_owned() };
            let (cause, tests) = line.split_once(": ").ok_or_else(|| error(line))?;
            let tests: Option<Vec<Test>> = tests.split_whitespace().map(test).collect();
            rules.push((cause.trim().to_owned(), tests.ok_or_else(|| error(line))?));
        }
        Ok(Rules(rules))
    }

    /// The causes, in the order of the rules, each once, and what no rule knows.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in &self.0 {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names.push(OTHER);
        names
    }

    /// The dependents of the non-projective arcs (by dominance) of a sentence, with their causes; none if
    /// it has no tree.
    pub fn causes(&self, sentence: &Sentence) -> Vec<(Node, &str)> {
        let Ok(tree) = unlabelled_tree_of(sentence) else { return Vec::new() };
        let seen: Vec<Seen<'_>> = sentence
            .words()
            .map(|word| Seen {
                label: word.deprel(),
                tag: word.upos(),
                fine_tag: word.xpos(),
                features: word.feats(),
            })
            .collect();
        self.causes_in(&tree, &seen)
    }

    /// The same for a tree and what is seen of its words.
    pub fn causes_in(&self, tree: &Tree, seen: &[Seen<'_>]) -> Vec<(Node, &str)> {
        let structure = Structure::new(tree);
        let found = nonprojective_arcs(tree).into_iter().filter(|word| word.index() <= seen.len());
        found.map(|word| (word, self.cause(tree, &structure, seen, word))).collect()
    }

    fn cause(&self, tree: &Tree, structure: &Structure, seen: &[Seen<'_>], word: Node) -> &str {
        let head = tree.head(word);
        let at = |node: Node| seen.get(node.index().wrapping_sub(1)).copied();
        let fits = |test: &Test| match test {
            Test::Label(names) => at(word).is_some_and(|seen| is_label(seen.label, names)),
            Test::Tag(names) => at(word).is_some_and(|seen| has_tag(seen, names)),
            Test::HeadTag(names) => at(head).is_some_and(|seen| has_tag(seen, names)),
            Test::Word(features) => at(word).is_some_and(|seen| has_feature(seen, features)),
            Test::Has(features) => structure
                .subtree(word)
                .iter()
                .any(|&node| at(node).is_some_and(|seen| has_feature(seen, features))),
            Test::ToTheLeft(left) => (word < head) == *left,
            Test::Gap(names) => (word.min(head).0 + 1..word.max(head).0).map(Node).any(|node| {
                !structure.dominates(head, node)
                    && at(node).is_some_and(|seen| is_label(seen.label, names))
            }),
        };
        let rule = self.0.iter().find(|(_, tests)| tests.iter().all(fits));
        rule.map_or(OTHER, |(name, _)| name)
    }
}

fn test(text: &str) -> Option<Test> {
    let (name, values) = text.split_once('=')?;
    let values = || values.split(',').map(str::to_owned).collect();
    Some(match name {
        "label" => Test::Label(values()),
        "tag" => Test::Tag(values()),
        "head-tag" => Test::HeadTag(values()),
        "has" => Test::Has(values()),
        "word" => Test::Word(values()),
        "direction" => match text {
            "direction=left" => Test::ToTheLeft(true),
            "direction=right" => Test::ToTheLeft(false),
            _ => return None,
        },
        "gap" => Test::Gap(values()),
        _ => return None,
    })
}

fn is_label(label: &str, names: &[String]) -> bool {
    let base = label.split([':', '_']).next().unwrap_or(label);
    names.iter().any(|name| name == label || name == base)
}

fn has_tag(seen: Seen<'_>, names: &[String]) -> bool {
    names.iter().any(|name| name == seen.tag || name == seen.fine_tag)
}

fn has_feature(seen: Seen<'_>, features: &[String]) -> bool {
    // A word may have several values of a feature, as in `PronType=Int,Rel`.
    seen.features.split('|').any(|feature| {
        features.iter().any(|wanted| {
            feature == wanted
                || wanted.split_once('=').is_some_and(|(name, value)| {
                    feature.split_once('=').is_some_and(|(n, values)| {
                        n == name && values.split(',').any(|v| v == value)
                    })
                })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn causes(heads: &[u32], seen: &[Seen<'_>]) -> Vec<(u32, String)> {
        let tree = Tree::from_heads(heads).unwrap();
        let rules = Rules::usual();
        let found = rules.causes_in(&tree, seen);
        found.into_iter().map(|(word, cause)| (word.0, cause.to_owned())).collect()
    }

    #[test]
    fn constructions_are_told_apart() {
        let seen = |label, tag, features| Seen { label, tag, fine_tag: "_", features };
        let verb = seen("root", "VERB", "_");
        // "What do you want to eat": what <- eat crosses the root's arc.
        let wh = seen("obj", "PRON", "PronType=Int,Rel");
        let others = [wh, seen("nsubj", "PRON", "_"), verb, seen("xcomp", "VERB", "_")];
        assert_eq!(causes(&[4, 3, 0, 3], &others), [(1, "wh-movement".into())]);
        let topic = [seen("obj", "NOUN", "_"), others[1], verb, others[3]];
        assert_eq!(causes(&[4, 3, 0, 3], &topic), [(1, "scrambling".into())]);
        // A relative clause behind the verb.
        let late = [seen("nsubj", "NOUN", "_"), verb, seen("acl:relcl", "VERB", "_")];
        assert_eq!(causes(&[2, 0, 1], &late), [(3, "extraposition".into())]);
        let particle = [seen("xcomp", "VERB", "_"), verb, seen("compound:prt", "ADP", "_")];
        assert_eq!(causes(&[2, 0, 1], &particle), [(3, "particle".into())]);
        let odd = [seen("nsubj", "NOUN", "_"), verb, seen("dep", "X", "_")];
        assert_eq!(causes(&[2, 0, 1], &odd), [(3, OTHER.into())]);
    }

    #[test]
    fn a_bad_line_is_named() {
        assert!(Rules::parse(USUAL).is_ok());
        for bad in ["no colon", "x: colour=red", "x: direction=up"] {
            let error = Rules::parse(&format!("# fine\n{bad}\n")).unwrap_err();
            assert_eq!(error.line, 2, "{bad}");
        }
    }
}
