//! What may be chosen about several parsers that work together: guides, members of a vote, how votes count.
use serde::{Deserialize, Serialize};

use crate::options::TrainOptions;
pub use crate::trust::Trust;

/// Name of the parser in the header of a bundle.
pub const VOTE: &str = "vote";
/// Most trees that a member may share its vote out among.
pub const MOST_TREES: usize = 64;

/// The trees among which the winner is sought.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// All trees, crossing arcs included.
    #[default]
    SpanningTree,
    /// Projective trees.
    Projective,
}

/// What a vote counts.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Weighing {
    /// The same for all.
    #[default]
    Uniform,
    /// By the share of words whose head the member finds.
    Accuracy,
    /// By that share among words of the same tag.
    Tag,
}

impl Weighing {
    /// All by name.
    pub const NAMES: [(&'static str, Weighing); 3] =
        [("uniform", Weighing::Uniform), ("accuracy", Weighing::Accuracy), ("tag", Weighing::Tag)];
}

/// How votes are counted.
#[derive(Copy, Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct VoteOptions {
    /// Among which trees the winner is sought.
    pub search: Search,
    /// What a vote counts.
    pub weighing: Weighing,
    /// Multiply by how sure the member is of the arc.
    pub confidences: bool,
    /// Share the vote out among so many trees, where a member ranks trees.
    pub k_best: usize,
}

impl Default for VoteOptions {
    fn default() -> VoteOptions {
        VoteOptions {
            search: Search::default(),
            weighing: Weighing::default(),
            confidences: false,
            k_best: 1,
        }
    }
}

/// What the header of a bundle has beside that of other models.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BundleHeader {
    /// How votes are counted.
    pub vote: VoteOptions,
    /// The members.
    pub members: Vec<MemberHeader>,
}

/// One member of a bundle.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MemberHeader {
    /// What it is, for people.
    pub name: String,
    /// A number that its votes are multiplied by.
    pub weight: f32,
    /// How often it was right.
    pub trust: Trust,
}

impl MemberHeader {
    /// What a vote of this member counts for a word with a tag.
    pub fn weight_for(&self, weighing: Weighing, tag: &str) -> f32 {
        let measured = match weighing {
            Weighing::Uniform => None,
            Weighing::Accuracy => self.trust.accuracy(),
            Weighing::Tag => self.trust.accuracy_for(tag),
        };
        self.weight * measured.unwrap_or(1.0) as f32
    }
}

/// Folds of cross-fitting, unless told otherwise.
pub const FOLDS: usize = 5;
/// Most folds.
pub const MOST_FOLDS: usize = 1000;

/// What a parser consists of beside itself.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Combination {
    /// How each guide is trained.
    pub guides: Vec<TrainOptions>,
    /// Folds of cross-fitting, 2 or more.
    pub folds: usize,
    /// How each member of a vote is trained.
    pub members: Vec<TrainOptions>,
    /// How their votes are counted.
    pub vote: VoteOptions,
}

impl Default for Combination {
    fn default() -> Combination {
        Combination {
            guides: Vec::new(),
            folds: FOLDS,
            members: Vec::new(),
            vote: VoteOptions::default(),
        }
    }
}
