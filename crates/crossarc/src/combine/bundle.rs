//! Several models in one file, which vote on every sentence ([`super::reparse`]).
//!
//! The members may be of any kind, bundles included, and differ in codecs and labels: each does all
//! of its own work, and its finished tree is what it votes for. What a vote counts can depend on how
//! often the member was right on held-out sentences ([`crossarc_train::trust`]), and on how sure it is of the
//! arc. A member that ranks trees may share its vote out among its best ones, by their probabilities
//! (Hall 2007 calls the space of such trees k-best).
//!
//! A bundle is a container of containers, as a pipeline is: sections `member 1`, `member 2` and so on
//! are models of their own.
use conll::Sentence;

use super::reparse::Reparser;
use crate::annotate::{AnnotateOptions, Annotator, LABEL_ALONE, Model, OTHER_HEAD};
use crate::train::attachment_scores;
use crossarc_model::{Container, ModelError, SectionBytes};
use crossarc_train::combination::Trust;
pub use crossarc_train::combination::{
    BundleHeader, MOST_TREES, MemberHeader, VOTE, VoteOptions, Weighing,
};
use crossarc_train::header::{Header, Kind, Roots, Training};
use crossarc_train::parser::{Analysis, ParseOptions};
use crossarc_tree::repair;
use crossarc_tree::{Label, Labels, Node, RootPolicy, Tree};

/// How sure a member counts as that does not say so.
const PLAIN_VOTE: f32 = 0.8;

/// Most members of a bundle.
pub const MOST_MEMBERS: usize = 64;
struct Member {
    model: Model,
    /// The label of the bundle for each of its labels.
    labels: Vec<Label>,
}

/// Models that vote.
pub struct Bundle {
    header: BundleHeader,
    members: Vec<Member>,
    labels: Labels,
    roots: RootPolicy,
}

/// The section of a member, from 0.
fn section(member: usize) -> String {
    format!("member {}", member + 1)
}

impl Bundle {
    /// The bundle in a model file, which lies so many files deep in others.
    pub(crate) fn load(
        container: &Container,
        header: &BundleHeader,
        roots: RootPolicy,
        depth: usize,
    ) -> Result<Bundle, ModelError> {
        if header.members.is_empty() || header.members.len() > MOST_MEMBERS {
            return Err(container.damaged(&format!("a bundle has 1 to {MOST_MEMBERS} members")));
        }
        let mut models = Vec::with_capacity(header.members.len());
        for member in 0..header.members.len() {
            let name = section(member);
            let part = container.nested(&name)?;
            let part =
                part.ok_or_else(|| container.damaged(&format!("section `{name}` is missing")))?;
            models.push(Model::load_nested(&part, 0, depth + 1)?);
        }
        Ok(Bundle::new(header.clone(), models, roots))
    }

    fn new(header: BundleHeader, models: Vec<Model>, roots: RootPolicy) -> Bundle {
        let mut labels = Labels::default();
        let members = models
            .into_iter()
            .map(|model| {
                let own = model.labels().iter();
                let own = own.map(|(_, name)| labels.intern(name).unwrap_or_default()).collect();
                Member { model, labels: own }
            })
            .collect();
        Bundle { header, members, labels, roots }
    }

    /// All labels of all members.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    pub(crate) fn worker(&self, options: &AnnotateOptions) -> BundleWorker<'_> {
        let VoteOptions { search, confidences, .. } = self.header.vote;
        let confidences = confidences || options.parse.confidences;
        let parse = ParseOptions { confidences, ..options.parse.clone() };
        let options = AnnotateOptions { parse, keep_heads: options.keep_heads, headless: false };
        BundleWorker {
            bundle: self,
            members: self.members.iter().map(|one| one.model.annotator(options.clone())).collect(),
            reparser: Reparser::new(search, self.roots),
            labels: self.labels.clone(),
            trees: Vec::new(),
            votes: Vec::new(),
            sure: Vec::new(),
        }
    }
}

/// One thread of a bundle.
pub(crate) struct BundleWorker<'m> {
    bundle: &'m Bundle,
    members: Vec<Annotator<'m>>,
    reparser: Reparser,
    labels: Labels,
    trees: Vec<Tree>,
    /// What each tree counts for the head of each node.
    votes: Vec<Vec<f32>>,
    /// How sure each tree's member is of the arc above each node, if it says so.
    sure: Vec<Vec<f32>>,
}

impl BundleWorker<'_> {
    /// The labels of the trees that it finds.
    pub(crate) fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The tree with the most votes. Its confidences are what the members think of its arcs, each as far
    /// as it is sure of its own ones, weighted as their votes are.
    pub(crate) fn vote(&mut self, sentence: &Sentence, given: Option<&[Option<Node>]>) -> Analysis {
        self.trees.clear();
        self.votes.clear();
        self.sure.clear();
        let (mut steps, mut cheaper) = (0, false);
        for at in 0..self.members.len() {
            let summary = self.take_votes(at, sentence, given);
            steps += summary.0;
            cheaper |= summary.1;
        }
        let (trees, votes, sure) = (&self.trees, &self.votes, &self.sure);
        let weight = |tree: usize, word: Node| votes[tree][word.index()];
        let mut tree = self.reparser.combine(trees, weight).unwrap_or_default();
        if let Some(heads) = given {
            let root_label = tree.roots().next().map_or(Label::default(), |word| tree.label(word));
            tree = repair::enforce(&tree, heads, self.bundle.roots, root_label);
        }
        let opinion = |word: Node| {
            let (mut sum, mut all) = (0.0, f32::MIN_POSITIVE);
            for ((other, votes), sure) in trees.iter().zip(votes).zip(sure) {
                let sure = sure.get(word.index()).copied().unwrap_or(PLAIN_VOTE);
                let same_head = other.head(word) == tree.head(word);
                let of_arc = if !same_head {
                    (1.0 - sure) * OTHER_HEAD
                } else if other.label(word) == tree.label(word) {
                    sure
                } else {
                    (1.0 - sure) * LABEL_ALONE
                };
                let weight = votes[word.index()];
                sum += weight * of_arc;
                all += weight;
            }
            sum / all
        };
        let confidences = std::iter::once(0.0).chain(tree.words().map(opinion)).collect();
        Analysis { tree, headless: Vec::new(), confidences, steps, cheaper, proved: None }
    }

    /// How probable the arcs of a sentence are, by node, as its members see it.
    pub(crate) fn sure_of(&mut self, sentence: &Sentence) -> Vec<f32> {
        let BundleWorker { bundle, members, .. } = self;
        let VoteOptions { weighing, .. } = bundle.header.vote;
        let mut sums = vec![0.0; sentence.len() + 1];
        let mut weights = vec![f32::MIN_POSITIVE; sentence.len() + 1];
        for (annotator, member) in members.iter_mut().zip(&bundle.header.members) {
            let sure = annotator.sure_of_arcs(sentence);
            for ((word, at), sure) in sentence.words().zip(1..).zip(sure.iter().skip(1)) {
                let weight = member.weight_for(weighing, word.upos());
                sums[at] += weight * sure;
                weights[at] += weight;
            }
        }
        sums.iter().zip(weights).map(|(sum, weight)| sum / weight).collect()
    }

    /// Lets a member parse the sentence and writes down what it votes for.
    fn take_votes(
        &mut self,
        at: usize,
        sentence: &Sentence,
        given: Option<&[Option<Node>]>,
    ) -> (usize, bool) {
        let BundleWorker { bundle, members, labels, trees, votes, sure, .. } = self;
        let VoteOptions { weighing, confidences, k_best, .. } = bundle.header.vote;
        let member = &bundle.header.members[at];
        let known = &bundle.members[at].labels;
        let weights = || -> Vec<f32> {
            let words = sentence.words().map(|word| member.weight_for(weighing, word.upos()));
            std::iter::once(0.0).chain(words).collect()
        };
        let annotator = &mut members[at];
        if k_best > 1 && given.is_none() {
            let ranked = annotator.ranked(sentence, k_best.min(MOST_TREES));
            if ranked.len() > 1 {
                let sum: f32 = ranked.iter().map(|(_, share)| share).sum();
                for (tree, share) in ranked {
                    let weights = weights().into_iter().map(|weight| weight * share / sum);
                    votes.push(weights.collect());
                    sure.push(Vec::new());
                    trees.push(renamed(&tree, |label| known.get(label.index()).copied()));
                }
                return (0, false);
            }
        }
        let (analysis, names) = annotator.analyse_whole(sentence, given);
        let mut weights = weights();
        if confidences && analysis.confidences.len() == weights.len() {
            let said = analysis.confidences.iter().map(|sure| sure.clamp(0.0, 1.0));
            for (weight, sure) in weights.iter_mut().zip(said) {
                *weight *= sure;
            }
        }
        votes.push(weights);
        sure.push(analysis.confidences);
        trees.push(match names {
            None => renamed(&analysis.tree, |label| known.get(label.index()).copied()),
            Some(names) => renamed(&analysis.tree, |label| labels.intern(names.name(label))),
        });
        (analysis.steps, analysis.cheaper)
    }
}

/// The same tree with other labels.
fn renamed(tree: &Tree, mut rename: impl FnMut(Label) -> Option<Label>) -> Tree {
    let mut renamed = tree.clone();
    for word in tree.words() {
        renamed.set_label(word, rename(tree.label(word)).unwrap_or_default());
    }
    renamed
}

/// A bundle on its way into a file.
pub struct Assembled {
    /// What the bundle knows about itself.
    pub header: Header,
    /// The members by the names of their sections.
    pub sections: Vec<(String, Vec<u8>)>,
}

/// Puts models, each with a name and a number that its votes are multiplied by, into a bundle. What
/// they are worth, and the score of the bundle, is measured on `dev` if there is any.
pub fn assemble(
    models: &[(String, f32, Vec<u8>)],
    dev: &[Sentence],
    vote: VoteOptions,
) -> Result<Assembled, ModelError> {
    let mut opened = Vec::with_capacity(models.len());
    let mut members = Vec::with_capacity(models.len());
    let mut sections = Vec::with_capacity(models.len());
    for (at, (name, weight, bytes)) in models.iter().enumerate() {
        let model = Model::from_bytes(bytes)?;
        let mut trust = Trust::default();
        if vote.weighing != Weighing::Uniform {
            measure(&model, dev, &mut trust);
        }
        members.push(MemberHeader { name: name.clone(), weight: *weight, trust });
        sections.push((section(at), bytes.clone()));
        opened.push(model);
    }
    let several = opened.iter().any(|model| model.header.roots == Roots::Several);
    let roots = if several { Roots::Several } else { Roots::Single };
    let training = opened.first().map(|model| model.header.training.clone()).unwrap_or_default();
    let root_label = opened.first().map(|model| model.header.root_label.clone());
    let root_rule = opened.first().and_then(|model| model.header.root_rule.clone());
    let header = BundleHeader { vote, members };
    let bundle = Bundle::new(header.clone(), opened, roots.into());
    let mut header = Header {
        parser: VOTE.to_owned(),
        roots,
        codec: crossarc_tree::codec::CodecChain::default(),
        labels: bundle.labels.iter().map(|(_, name)| name.to_owned()).collect(),
        root_label: root_label.unwrap_or_default(),
        root_rule,
        temperature: 1.0,
        calibration: None,
        guides: 0,
        kind: Kind::Bundle(header),
        training: Training { dev_uas: None, dev_las: None, ..training },
    };
    if !dev.is_empty() {
        let model = Model::of_bundle(header.clone(), bundle);
        header.training.note_scores(attachment_scores(&model, dev));
    }
    Ok(Assembled { header, sections })
}

impl Assembled {
    fn listed(&self) -> Vec<SectionBytes<'_>> {
        self.sections.iter().map(|(name, bytes)| SectionBytes { name, bytes }).collect()
    }

    /// Writes the model file.
    pub fn save(&self, path: &std::path::Path) -> Result<(), ModelError> {
        Container::write(path, &self.header, &self.listed())
    }

    /// The model file as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        Container::to_bytes(&self.header, &self.listed())
    }
}

/// Parses held-out sentences and counts how often the head is right.
fn measure(model: &Model, gold: &[Sentence], trust: &mut Trust) {
    let mut annotator = model.annotator(AnnotateOptions::default());
    for gold in gold {
        let mut parsed = gold.clone();
        if annotator.annotate(&mut parsed).is_err() {
            continue;
        }
        for (gold, word) in gold.words().zip(parsed.words()) {
            trust.observe(gold.upos(), gold.head() == word.head());
        }
    }
}
