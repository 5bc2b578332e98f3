//! What is measured in a cell, and the names under which tables ask for it.
use serde::{Deserialize, Serialize};

use super::cell::{Outcome, Spec};
use crossarc_eval::Counts;
use crossarc_train::header::FeatureCounts;

/// The figures of a cell; scores are percentages of the test set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "the names are those of `Measure`, which explains them")]
pub struct Figures {
    pub words: u64,
    pub sentences: u64,
    pub uas: Option<f64>,
    pub las: Option<f64>,
    pub la: Option<f64>,
    pub clas: Option<f64>,
    pub uem: Option<f64>,
    pub lem: Option<f64>,
    pub nonprojective_gold: u64,
    pub nonprojective_arcs: u64,
    pub nonprojective_precision: Option<f64>,
    pub nonprojective_recall: Option<f64>,
    pub crossed_uas: Option<f64>,
    pub crossed_las: Option<f64>,
    pub uncrossed_uas: Option<f64>,
    pub uncrossed_las: Option<f64>,
    pub crossed_la: Option<f64>,
    pub uncrossed_la: Option<f64>,
    pub projective_uem: Option<f64>,
    pub nonprojective_uem: Option<f64>,
    pub gold_arc_length: Option<f64>,
    pub arc_length: Option<f64>,
    pub words_with_head: Option<f64>,
    pub dev_uas: Option<f64>,
    pub dev_las: Option<f64>,
    pub epochs: usize,
    pub best_epoch: usize,
    pub train_words: usize,
    pub train_seconds: Option<f64>,
    pub words_per_second: Option<f64>,
    pub model_bytes: u64,
    pub moves_per_word: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<FeatureCounts>,
}

impl Figures {
    /// The scores of these counts; what does not come from counting is left open.
    pub fn of(counts: &Counts) -> Figures {
        let (attachment, crossing) = (&counts.attachment, &counts.nonprojective);
        // Six decimals survive being written and read again.
        let percent = |share: Option<f64>| share.map(|share| (share * 1e8).round() / 1e6);
        let number = |number: Option<f64>| number.map(|number| (number * 1e6).round() / 1e6);
        Figures {
            words: attachment.words,
            sentences: attachment.sentences,
            uas: percent(attachment.uas()),
            las: percent(attachment.las()),
            la: percent(attachment.la()),
            clas: percent(attachment.clas()),
            uem: percent(attachment.uem()),
            lem: percent(attachment.lem()),
            nonprojective_gold: crossing.gold_arcs,
            nonprojective_arcs: crossing.system_arcs,
            nonprojective_precision: percent(crossing.precision()),
            nonprojective_recall: percent(crossing.recall()),
            crossed_uas: percent(crossing.crossed.uas()),
            crossed_las: percent(crossing.crossed.las()),
            uncrossed_uas: percent(crossing.uncrossed.uas()),
            uncrossed_las: percent(crossing.uncrossed.las()),
            crossed_la: percent(crossing.crossed.la()),
            uncrossed_la: percent(crossing.uncrossed.la()),
            projective_uem: percent(crossing.projective.uem()),
            nonprojective_uem: percent(crossing.nonprojective.uem()),
            gold_arc_length: number(crossing.gold_lengths.average()),
            arc_length: number(crossing.system_lengths.average()),
            words_with_head: percent(crossing.words_with_head()),
            ..Figures::default()
        }
    }
}

/// What a row or a column of a table can stand for.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// The treebank.
    Treebank,
    /// The transition system.
    Parser,
    /// The oracle.
    Oracle,
    /// The learner.
    Learner,
    /// The feature set.
    Features,
    /// The width of the beam.
    Beam,
    /// The codec.
    Codec,
    /// What guides it, or votes.
    With,
    /// How many sentences are trained on.
    Size,
    /// Where the tags come from.
    Tags,
    /// What else was chosen.
    Options,
    /// The seed.
    Seed,
    /// The fold of a cross-validation.
    Fold,
}

impl Axis {
    /// All axes.
    pub const ALL: [Axis; 13] = [
        Axis::Treebank,
        Axis::Parser,
        Axis::Oracle,
        Axis::Learner,
        Axis::Features,
        Axis::Beam,
        Axis::Codec,
        Axis::With,
        Axis::Size,
        Axis::Tags,
        Axis::Options,
        Axis::Seed,
        Axis::Fold,
    ];

    /// The head of its column.
    pub fn name(self) -> &'static str {
        match self {
            Axis::Treebank => "treebank",
            Axis::Parser => "parser",
            Axis::Oracle => "oracle",
            Axis::Learner => "learner",
            Axis::Features => "features",
            Axis::Beam => "beam",
            Axis::Codec => "codec",
            Axis::With => "with",
            Axis::Size => "sentences",
            Axis::Tags => "tags",
            Axis::Options => "options",
            Axis::Seed => "seed",
            Axis::Fold => "fold",
        }
    }

    /// Where a cell stands on this axis.
    pub fn value(self, spec: &Spec) -> String {
        match self {
            Axis::Treebank => spec.treebank.clone(),
            Axis::Parser => spec.parser.clone(),
            Axis::Oracle => spec.oracle.clone(),
            Axis::Learner => spec.learner.clone(),
            Axis::Features => spec.features.clone(),
            Axis::Beam => spec.beam.to_string(),
            Axis::Codec => spec.codec.clone(),
            Axis::With => spec.with.clone(),
            Axis::Size => spec.size.map_or_else(|| "all".to_owned(), |size| size.to_string()),
            Axis::Tags => spec.tags.clone(),
            Axis::Options => spec.options.clone(),
            Axis::Seed => spec.seed.to_string(),
            Axis::Fold => spec.fold.clone(),
        }
    }
}

macro_rules! measures {
    ($($(#[$doc:meta])* $measure:ident $name:literal $head:literal $digits:literal $better:ident $value:expr;)+) => {
        /// What a table can show.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Measure {
            $($(#[$doc])* #[serde(rename = $name)] $measure,)+
        }

        impl Measure {
            /// All measures.
            pub const ALL: &[Measure] = &[$(Measure::$measure),+];

            /// The name in recipes.
            pub fn name(self) -> &'static str {
                match self { $(Measure::$measure => $name),+ }
            }

            /// The head of its column.
            pub fn head(self) -> &'static str {
                match self { $(Measure::$measure => $head),+ }
            }

            /// Decimals shown.
            pub fn digits(self) -> usize {
                match self { $(Measure::$measure => $digits),+ }
            }

            /// Which values are better, if that can be said.
            pub fn better(self) -> Better {
                match self { $(Measure::$measure => Better::$better),+ }
            }

            /// The value in a cell, if there is one.
            pub fn value(self, outcome: &Outcome) -> Option<f64> {
                let figures = &outcome.figures;
                match self { $(Measure::$measure => ($value)(figures)),+ }
            }
        }
    };
}

/// Which values are better.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Better {
    /// High ones.
    High,
    /// Low ones.
    Low,
    /// Neither.
    Neither,
}

type F<'a> = &'a Figures;

measures! {
    /// Unlabelled attachment score.
    Uas "uas" "UAS" 2 High |f: F<'_>| f.uas;
    /// Labelled attachment score.
    Las "las" "LAS" 2 High |f: F<'_>| f.las;
    /// Label accuracy.
    La "la" "LA" 2 High |f: F<'_>| f.la;
    /// F1 of words with a content label.
    Clas "clas" "CLAS" 2 High |f: F<'_>| f.clas;
    /// Sentences with all heads right.
    Uem "uem" "UEM" 2 High |f: F<'_>| f.uem;
    /// Sentences with all heads and labels right.
    Lem "lem" "LEM" 2 High |f: F<'_>| f.lem;
    /// Precision of non-projective arcs, by dominance.
    NonprojectivePrecision "np-precision" "NP precision" 2 High |f: F<'_>| f.nonprojective_precision;
    /// Recall of non-projective arcs, by dominance.
    NonprojectiveRecall "np-recall" "NP recall" 2 High |f: F<'_>| f.nonprojective_recall;
    /// Non-projective arcs of the output.
    NonprojectiveArcs "np-arcs" "#NP" 0 Neither |f: F<'_>| Some(f.nonprojective_arcs as f64);
    /// Non-projective arcs of the test set.
    NonprojectiveGold "np-gold" "#NP gold" 0 Neither |f: F<'_>| Some(f.nonprojective_gold as f64);
    /// Unlabelled attachment score of arcs that are crossed in gold.
    CrossedUas "crossed-uas" "crossed UAS" 2 High |f: F<'_>| f.crossed_uas;
    /// Labelled attachment score of arcs that are crossed in gold.
    CrossedLas "crossed-las" "crossed LAS" 2 High |f: F<'_>| f.crossed_las;
    /// Unlabelled attachment score of arcs that are not crossed in gold.
    UncrossedUas "uncrossed-uas" "uncrossed UAS" 2 High |f: F<'_>| f.uncrossed_uas;
    /// Labelled attachment score of arcs that are not crossed in gold.
    UncrossedLas "uncrossed-las" "uncrossed LAS" 2 High |f: F<'_>| f.uncrossed_las;
    /// Label accuracy of words whose arc is crossed in gold.
    CrossedLa "crossed-la" "crossed LA" 2 High |f: F<'_>| f.crossed_la;
    /// Label accuracy of words whose arc is not crossed in gold.
    UncrossedLa "uncrossed-la" "uncrossed LA" 2 High |f: F<'_>| f.uncrossed_la;
    /// Projective sentences with all heads right.
    ProjectiveUem "projective-uem" "proj. UEM" 2 High |f: F<'_>| f.projective_uem;
    /// Non-projective sentences with all heads right.
    NonprojectiveUem "nonprojective-uem" "non-proj. UEM" 2 High |f: F<'_>| f.nonprojective_uem;
    /// Average length of gold arcs.
    GoldArcLength "gold-arc-length" "gold arc length" 2 Neither |f: F<'_>| f.gold_arc_length;
    /// Average length of the arcs of the output.
    ArcLength "arc-length" "arc length" 2 Neither |f: F<'_>| f.arc_length;
    /// How much longer the arcs of the output are than those of gold.
    ArcLengthBias "arc-length-bias" "bias" 2 Neither |f: F<'_>| f.arc_length.zip(f.gold_arc_length).map(|(own, gold)| own - gold);
    /// Moves that the parser makes for a sentence.
    MovesPerSentence "moves-per-sentence" "moves/sentence" 2 Neither |f: F<'_>| Some(f.moves_per_word * f.words as f64 / f.sentences.max(1) as f64);
    /// Words that have a head in the output.
    WordsWithHead "words-with-head" "with head" 2 Neither |f: F<'_>| f.words_with_head;
    /// Unlabelled attachment score on the development set.
    DevUas "dev-uas" "dev UAS" 2 High |f: F<'_>| f.dev_uas;
    /// Labelled attachment score on the development set.
    DevLas "dev-las" "dev LAS" 2 High |f: F<'_>| f.dev_las;
    /// Processor time of training, in seconds.
    TrainSeconds "train-seconds" "train s" 1 Low |f: F<'_>| f.train_seconds;
    /// Words parsed in a second of processor time on one core.
    WordsPerSecond "words-per-second" "words/s" 0 High |f: F<'_>| f.words_per_second;
    /// Size of the model file in megabytes.
    Megabytes "megabytes" "MB" 1 Low |f: F<'_>| Some(f.model_bytes as f64 / 1e6);
    /// Processor time of an epoch of training, in minutes.
    MinutesPerEpoch "minutes-per-epoch" "min/epoch" 2 Low |f: F<'_>| f.train_seconds.map(|seconds| seconds / 60.0 / f.epochs.max(1) as f64);
    /// Features in the gold trees, not counting labels.
    GoldFeatures "features" "features" 0 Neither |f: F<'_>| f.features.map(|counts| counts.gold as f64);
    /// Features in the gold trees, split by labels and their classes, as pruned for each feature.
    SplitFeatures "split-features" "split features" 0 Neither |f: F<'_>| f.features.map(|counts| counts.pruned as f64);
    /// Features with a weight after the first epoch, not counting labels.
    NonNullFeatures "non-null-features" "non-null" 0 Neither |f: F<'_>| f.features.map(|counts| counts.non_null as f64);
    /// Epochs run.
    Epochs "epochs" "epochs" 0 Neither |f: F<'_>| Some(f.epochs as f64);
    /// The epoch that was kept.
    BestEpoch "best-epoch" "best epoch" 0 Neither |f: F<'_>| Some(f.best_epoch as f64);
    /// Moves that the parser makes for a word.
    MovesPerWord "moves-per-word" "moves/word" 2 Neither |f: F<'_>| Some(f.moves_per_word);
}
