//! Reversible treebank transformations: a treebank is reshaped so that the parser's features see
//! what matters, and the parser's output is shaped back (Schiehlen and Spranger 2007, section 2.5).
//!
//! | name | what happens to gold |
//! |---|---|
//! | `punctuation` | punctuation under the root hangs on the word before it |
//! | `split-sentences` | long sentences are cut behind final punctuation |
//! | `context-labels` | labels that context decides are merged |
//! | `markers` | labels of conjuncts and of their coordination change places |
//! | `parenthesis` | a parenthesis and its head change places |
//! | `auxiliary-arguments` | arguments move from the main verb to its auxiliary |
//! | `features-to-tag`, `features-to-lemma` | morphological features are copied into the tag or an empty lemma |
//! | `punctuation-classes` | punctuation gets fine tags |
//! | `preposition-article` | prepositions with an article in them get a tag of their own |
//! | `articles` | all articles get one tag |
//! | `treebank-feature` | the treebank that a sentence comes from is a feature of its words |
//!
//! The last six change columns only; the columns are as before in what is written.
mod arcs;
mod articles;
mod auxiliary_arguments;
mod columns;
mod context_labels;
mod features_to_lemma;
mod features_to_tag;
mod markers;
mod parenthesis;
mod preposition_article;
mod punctuation;
mod punctuation_classes;
mod split_sentences;
#[cfg(test)]
mod tests;
mod treebank_feature;

pub use articles::Articles;
pub use auxiliary_arguments::AuxiliaryArguments;
pub use columns::TagColumn;
pub use context_labels::{ContextLabels, Merge, Where};
pub use features_to_lemma::FeaturesToLemma;
pub use features_to_tag::FeaturesToTag;
pub use markers::{Marker, Markers};
pub use parenthesis::Parenthesis;
pub use preposition_article::PrepositionArticle;
pub use punctuation::Punctuation;
pub use punctuation_classes::PunctuationClasses;
pub use split_sentences::{JoinRule, SplitSentences};
pub use treebank_feature::TreebankFeature;

use conll::Sentence;
use serde::{Deserialize, Serialize};

/// A reversible change of sentences.
///
/// Training calls [`encode_gold`](Transformation::encode_gold). Parsing has no tree to begin with:
/// it calls [`prepare`](Transformation::prepare), which does what needs no tree (columns,
/// splitting), parses the parts, and hands them to [`restore`](Transformation::restore).
pub trait Transformation: Send + Sync {
    /// The sentences to train on.
    fn encode_gold(&self, gold: &Sentence) -> Vec<Sentence>;

    /// The sentences to parse.
    fn prepare(&self, sentence: &Sentence) -> Vec<Sentence>;

    /// The parsed sentence in the treebank's own shape, from the sentence that was given to
    /// [`prepare`](Transformation::prepare) and the parsed parts of what it gave. If parts are
    /// missing or of another length, the original comes back.
    fn restore(&self, original: &Sentence, parsed: &[Sentence]) -> Sentence;

    /// Learns from gold sentences what restoring needs; most have nothing to learn.
    fn fit(&mut self, gold: &[Sentence]) {
        let _ = gold;
    }
}

/// A change of arcs and labels only.
trait ArcTransformation: Send + Sync {
    fn encode(&self, gold: &Sentence) -> Sentence;
    fn decode(&self, parsed: &Sentence) -> Sentence;
    fn fit(&mut self, _gold: &[Sentence]) {}
}

impl<T: ArcTransformation> Transformation for T {
    fn encode_gold(&self, gold: &Sentence) -> Vec<Sentence> {
        vec![self.encode(gold)]
    }

    fn prepare(&self, sentence: &Sentence) -> Vec<Sentence> {
        vec![sentence.clone()]
    }

    fn restore(&self, original: &Sentence, parsed: &[Sentence]) -> Sentence {
        match parsed {
            [parsed] if parsed.len() == original.len() => self.decode(parsed),
            _ => original.clone(),
        }
    }

    fn fit(&mut self, gold: &[Sentence]) {
        ArcTransformation::fit(self, gold);
    }
}

macro_rules! transformations {
    ($($variant:ident),*) => {
        /// A transformation with its parameters, as it stands in a configuration or model file.
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        #[serde(tag = "name", rename_all = "kebab-case")]
        pub enum TransformationSpec {
            $(#[doc = concat!("[`", stringify!($variant), "`]")] $variant($variant),)*
        }

        impl TransformationSpec {
            /// The transformation.
            pub fn get(&self) -> &dyn Transformation {
                match self { $(TransformationSpec::$variant(transformation) => transformation,)* }
            }

            pub(super) fn get_mut(&mut self) -> &mut dyn Transformation {
                match self { $(TransformationSpec::$variant(transformation) => transformation,)* }
            }

            /// All transformations with default parameters.
            pub fn all() -> Vec<TransformationSpec> {
                vec![$(TransformationSpec::$variant(Default::default()),)*]
            }
        }
    };
}

transformations!(
    Articles,
    AuxiliaryArguments,
    ContextLabels,
    FeaturesToLemma,
    FeaturesToTag,
    Markers,
    Parenthesis,
    PrepositionArticle,
    Punctuation,
    PunctuationClasses,
    SplitSentences,
    TreebankFeature
);

impl TransformationSpec {
    /// The name on the command line and in files.
    pub fn name(&self) -> &'static str {
        match self {
            TransformationSpec::Articles(_) => "articles",
            TransformationSpec::AuxiliaryArguments(_) => "auxiliary-arguments",
            TransformationSpec::ContextLabels(_) => "context-labels",
            TransformationSpec::FeaturesToLemma(_) => "features-to-lemma",
            TransformationSpec::FeaturesToTag(_) => "features-to-tag",
            TransformationSpec::Markers(_) => "markers",
            TransformationSpec::Parenthesis(_) => "parenthesis",
            TransformationSpec::PrepositionArticle(_) => "preposition-article",
            TransformationSpec::Punctuation(_) => "punctuation",
            TransformationSpec::PunctuationClasses(_) => "punctuation-classes",
            TransformationSpec::SplitSentences(_) => "split-sentences",
            TransformationSpec::TreebankFeature(_) => "treebank-feature",
        }
    }

    /// True if the inverse needs the sentence as it was before.
    pub fn needs_original(&self) -> bool {
        !matches!(
            self,
            TransformationSpec::AuxiliaryArguments(_)
                | TransformationSpec::ContextLabels(_)
                | TransformationSpec::Markers(_)
                | TransformationSpec::Parenthesis(_)
                | TransformationSpec::Punctuation(_)
        )
    }
}
