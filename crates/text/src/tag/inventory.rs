//! Tags and analyses that a tagger can give, and the parts they share.
use std::collections::HashMap;

use conll::Sentence;
use serde::{Deserialize, Serialize};

use crossarc_learn::composite::{Class, Classes};
use crossarc_model::{Container, ModelError};

/// Most analyses; of more, the rarest are not learned.
pub const MOST_ANALYSES: usize = 20_000;
/// Most pairs of UPOS and XPOS that are chosen in one step; beyond, XPOS is a part of the analysis.
const MOST_PAIRS: usize = 120;

/// What the first step chooses: UPOS, together with XPOS where there are few.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TagName {
    /// UPOS.
    pub upos: String,
    /// XPOS, if it is chosen in the same step.
    pub xpos: Option<String>,
}

/// What the second step chooses among the analyses of a tag.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AnalysisName {
    /// Number of the tag.
    pub tag: Class,
    /// XPOS.
    pub xpos: String,
    /// FEATS.
    pub feats: String,
}

/// All tags and analyses, most frequent first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Inventory {
    /// Tags.
    pub tags: Vec<TagName>,
    /// Analyses.
    pub analyses: Vec<AnalysisName>,
}

/// Classes and candidates of both steps.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Parts of tags: the tag, its UPOS.
    pub tags: Classes,
    /// All tags.
    pub all_tags: Vec<Class>,
    /// Parts of analyses: the analysis, its XPOS, each feature.
    pub analyses: Classes,
    /// Analyses of each tag.
    pub of_tag: Vec<Vec<Class>>,
}

impl Inventory {
    /// What is in a treebank.
    pub fn of(sentences: &[Sentence]) -> Inventory {
        let words = || sentences.iter().flat_map(Sentence::words);
        let mut pairs: HashMap<(&str, &str), usize> = HashMap::new();
        let mut all: HashMap<(&str, &str, &str), usize> = HashMap::new();
        for word in words() {
            *pairs.entry((word.upos(), word.xpos())).or_default() += 1;
            *all.entry((word.upos(), word.xpos(), word.feats())).or_default() += 1;
        }
        let joint = pairs.len() <= MOST_PAIRS;
        let name = |upos: &str, xpos: &str| TagName {
            upos: upos.to_owned(),
            xpos: joint.then(|| xpos.to_owned()),
        };
        let mut tags: HashMap<TagName, usize> = HashMap::new();
        for (&(upos, xpos), &count) in &pairs {
            *tags.entry(name(upos, xpos)).or_default() += count;
        }
        let mut tags: Vec<_> = tags.into_iter().collect();
        tags.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        tags.truncate(MOST_ANALYSES);
        let tags: Vec<TagName> = tags.into_iter().map(|(name, _)| name).collect();
        let numbers: HashMap<&TagName, Class> = tags.iter().zip(0..).collect();
        let mut analyses: Vec<_> = all
            .iter()
            .filter_map(|(&(upos, xpos, feats), &count)| {
                let tag = *numbers.get(&name(upos, xpos))?;
                let (xpos, feats) = (xpos.to_owned(), feats.to_owned());
                Some((AnalysisName { tag, xpos, feats }, count))
            })
            .collect();
        analyses.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        analyses.truncate(MOST_ANALYSES);
        let analyses = analyses.into_iter().map(|(name, _)| name).collect();
        Inventory { tags, analyses }
    }

    /// Refuses an inventory that cannot be used.
    pub fn check(&self, container: &Container) -> Result<(), ModelError> {
        let tags = self.tags.len();
        let fits = tags <= MOST_ANALYSES && self.analyses.len() <= MOST_ANALYSES;
        if fits && self.analyses.iter().all(|analysis| usize::from(analysis.tag) < tags) {
            Ok(())
        } else {
            Err(container.damaged("its list of tags is wrong"))
        }
    }

    /// Numbers the parts.
    pub fn choices(&self) -> Choices {
        let mut choices = Choices {
            all_tags: (0..self.tags.len() as Class).collect(),
            of_tag: vec![Vec::new(); self.tags.len()],
            ..Choices::default()
        };
        let joint = self.tags.iter().any(|tag| tag.xpos.is_some());
        let mut coarse = Parts::new(self.tags.len());
        for (tag, number) in self.tags.iter().zip(0..) {
            let upos = joint.then(|| coarse.number("upos", &tag.upos)).flatten();
            choices.tags.push([number].into_iter().chain(upos));
        }
        let mut parts = Parts::new(self.analyses.len());
        for (analysis, number) in self.analyses.iter().zip(0..) {
            let xpos = if joint { None } else { parts.number("xpos", &analysis.xpos) };
            let feats = analysis.feats.split('|').filter_map(|feature| parts.number("", feature));
            choices.analyses.push([number].into_iter().chain(xpos).chain(feats));
            choices.of_tag[usize::from(analysis.tag)].push(number);
        }
        choices
    }

    /// Numbers of tags and analyses by their names.
    pub fn numbers(&self) -> Numbers<'_> {
        let tags: HashMap<_, _> =
            self.tags.iter().map(|tag| (tag.upos.as_str(), tag.xpos.as_deref())).zip(0..).collect();
        let analyses = self
            .analyses
            .iter()
            .map(|analysis| (analysis.tag, analysis.xpos.as_str(), analysis.feats.as_str()))
            .zip(0..)
            .collect();
        Numbers { tags, analyses, joint: self.tags.iter().any(|tag| tag.xpos.is_some()) }
    }
}

/// Numbers of names.
#[derive(Debug)]
pub struct Numbers<'a> {
    tags: HashMap<(&'a str, Option<&'a str>), Class>,
    analyses: HashMap<(Class, &'a str, &'a str), Class>,
    joint: bool,
}

impl Numbers<'_> {
    /// The tag and the analysis of a word, if there are such.
    pub fn of(&self, word: &conll::Word<'_>) -> (Option<Class>, Option<Class>) {
        let tag = self.tags.get(&(word.upos(), self.joint.then(|| word.xpos()))).copied();
        let analysis =
            tag.and_then(|tag| self.analyses.get(&(tag, word.xpos(), word.feats())).copied());
        (tag, analysis)
    }
}

/// Numbers of parts behind those of the wholes.
struct Parts<'a> {
    numbers: HashMap<(&'static str, &'a str), u16>,
    first: usize,
}

impl<'a> Parts<'a> {
    fn new(first: usize) -> Parts<'a> {
        Parts { numbers: HashMap::new(), first }
    }

    /// Nothing if there are more parts than numbers.
    fn number(&mut self, kind: &'static str, part: &'a str) -> Option<u16> {
        let next = u16::try_from(self.first + self.numbers.len()).ok();
        match self.numbers.get(&(kind, part)) {
            Some(&known) => Some(known),
            None => next.inspect(|&next| {
                self.numbers.insert((kind, part), next);
            }),
        }
    }
}
