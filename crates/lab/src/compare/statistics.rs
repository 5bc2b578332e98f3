//! Tables about the treebanks themselves, as every seed has one: sentences, arcs, how many of them
//! are non-projective, lifts, ambiguity.
use serde::Deserialize;

use super::table::{Entry, Table};
use super::treebanks::Sentences;
use crossarc_transition::SystemOptions;
use crossarc_transition::statistics::statistics as moves;
use crossarc_transition::systems::arc_eager::optional_reductions;
use crossarc_tree::codec::lift::{Definition, projectivise};
use crossarc_tree::treebank::statistics::{Statistics, Summary};
use crossarc_tree::treebank::{root_policy, tree_of};
use crossarc_tree::{Labels, Tree};

/// A table about treebanks.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StatisticsSpec {
    /// Name of its files.
    pub name: String,
    /// Stands above it.
    #[serde(default)]
    pub title: String,
    /// Which parts of the treebank.
    pub parts: Vec<Part>,
    /// What is shown of each.
    pub figures: Vec<Statistic>,
}

/// A part of a treebank.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Part {
    Train,
    Dev,
    Test,
}

/// A figure of a part.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// Sentences.
    Sentences,
    /// Words, and so arcs.
    Words,
    /// Words in a sentence.
    Length,
    /// Labels.
    Labels,
    /// Non-projective arcs, by dominance.
    NonprojectiveArcs,
    /// Their share.
    NonprojectiveArcsPercent,
    /// Share of crossed arcs.
    CrossedArcsPercent,
    /// Share of non-projective sentences.
    NonprojectiveSentencesPercent,
    /// Share of projective trees.
    ProjectivePercent,
    /// Share of trees in which no arcs between words cross.
    PlanarPercent,
    /// Share of trees whose arcs between words can be parted into two sets without crossings.
    TwoPlanarPercent,
    /// Share of trees with a gap degree of at most 1.
    GapDegreeOnePercent,
    /// Share of well-nested trees.
    WellNestedPercent,
    /// Share of 1-endpoint-crossing trees, by arcs between words.
    OneEndpointCrossingPercent,
    /// Share of crossing-interval trees, by arcs between words.
    CrossingIntervalPercent,
    /// Lifts that make a non-projective sentence projective.
    Lifts,
    /// The same by Algorithms 4 and 5 of Reisinger (2016) to the letter, which lift the arcs of the root
    /// word, too.
    LiftsToRoot,
    /// Times, per sentence, that arc-eager shifts though it could reduce as well: what Table 5.9 of
    /// Reisinger (2016) averages.
    OptionalReductions,
    /// States of the arc-eager system, per sentence, in which more than one move is right.
    Ambiguity,
    /// Moves of the arc-eager system for a sentence.
    MovesArcEager,
    /// Moves of the attach-complete system for a sentence.
    MovesAttachComplete,
    /// Moves of Covington's system for a sentence.
    MovesCovington,
    /// Moves of Covington's system with reductions for a sentence.
    MovesCovingtonReduce,
}

impl Statistic {
    fn head(self) -> &'static str {
        match self {
            Statistic::Sentences => "sentences",
            Statistic::Words => "words",
            Statistic::Length => "length",
            Statistic::Labels => "labels",
            Statistic::NonprojectiveArcs => "#NP arcs",
            Statistic::NonprojectiveArcsPercent => "% NP arcs",
            Statistic::CrossedArcsPercent => "% crossed arcs",
            Statistic::NonprojectiveSentencesPercent => "% NP sentences",
            Statistic::ProjectivePercent => "projective",
            Statistic::PlanarPercent => "planar",
            Statistic::TwoPlanarPercent => "2-planar",
            Statistic::GapDegreeOnePercent => "gap degree ≤ 1",
            Statistic::WellNestedPercent => "well-nested",
            Statistic::OneEndpointCrossingPercent => "1-endpoint-crossing",
            Statistic::CrossingIntervalPercent => "crossing-interval",
            Statistic::Lifts => "lifts",
            Statistic::LiftsToRoot => "lifts, root word too",
            Statistic::OptionalReductions => "SHIFT for REDUCE",
            Statistic::Ambiguity => "ambiguous states",
            Statistic::MovesArcEager => "arc-eager",
            Statistic::MovesAttachComplete => "attach-complete",
            Statistic::MovesCovington => "covington",
            Statistic::MovesCovingtonReduce => "covington-reduce",
        }
    }

    fn show(self, summary: &Summary, trees: &[Tree]) -> String {
        let oracle = |system: &str, oracle: &str, projective: bool| {
            let lifted: Vec<Tree>;
            let trees = if projective {
                let lift = |tree: &Tree| projectivise(tree, Definition::Dominance).tree;
                lifted = trees.iter().map(lift).collect();
                &lifted
            } else {
                trees
            };
            let options = SystemOptions { roots: root_policy(trees), ..SystemOptions::default() };
            moves(system, oracle, options, trees)
        };
        let per_sentence = |system: &str, name: &str, projective: bool| {
            let found = oracle(system, name, projective);
            found.map_or_else(String::new, |found| format!("{:.2}", found.moves_per_sentence()))
        };
        match self {
            Statistic::Sentences => summary.sentences.to_string(),
            Statistic::Words => summary.words.to_string(),
            Statistic::Length => format!("{:.2}", summary.sentence_length.mean),
            Statistic::Labels => summary.labels.distinct.to_string(),
            Statistic::NonprojectiveArcs => summary.nonprojective_arcs.to_string(),
            Statistic::NonprojectiveArcsPercent => {
                format!("{:.2}", summary.nonprojective_arcs_percent)
            }
            Statistic::CrossedArcsPercent => format!("{:.2}", summary.crossed_arcs_percent),
            Statistic::NonprojectiveSentencesPercent => {
                format!("{:.2}", summary.nonprojective_sentences_percent)
            }
            Statistic::ProjectivePercent => {
                format!("{:.2}", 100.0 - summary.nonprojective_sentences_percent)
            }
            Statistic::PlanarPercent => format!("{:.2}", summary.planar.percent),
            Statistic::TwoPlanarPercent => format!("{:.2}", summary.two_planar.percent),
            Statistic::GapDegreeOnePercent => {
                let bins = summary.gap_degree.bins.iter().filter(|bin| bin.from <= 1);
                format!("{:.2}", bins.map(|bin| bin.percent).sum::<f64>())
            }
            Statistic::WellNestedPercent => format!("{:.2}", summary.well_nested_percent),
            Statistic::OneEndpointCrossingPercent => {
                format!("{:.2}", summary.one_endpoint_crossing.percent)
            }
            Statistic::CrossingIntervalPercent => {
                format!("{:.2}", summary.crossing_interval.percent)
            }
            Statistic::Lifts => format!("{:.2}", summary.average_lifts_by_crossing),
            Statistic::LiftsToRoot => format!("{:.2}", summary.average_lifts_to_root),
            Statistic::OptionalReductions => {
                let lifted =
                    trees.iter().map(|tree| projectivise(tree, Definition::Dominance).tree);
                let counts: Vec<usize> =
                    lifted.filter_map(|tree| optional_reductions(&tree).ok()).collect();
                let sum: usize = counts.iter().sum();
                format!("{:.2}", sum as f64 / counts.len().max(1) as f64)
            }
            Statistic::Ambiguity => {
                let found = oracle("arc-eager", "dynamic", true);
                let choices = found.and_then(|found| found.choices_per_sentence());
                choices.map_or_else(String::new, |choices| format!("{choices:.2}"))
            }
            Statistic::MovesArcEager => per_sentence("arc-eager", "static", true),
            Statistic::MovesAttachComplete => per_sentence("attach-complete", "static", true),
            Statistic::MovesCovington => per_sentence("covington", "static", false),
            Statistic::MovesCovingtonReduce => per_sentence("covington-reduce", "static", false),
        }
    }
}

/// Makes the table, one row for each treebank.
pub fn table(spec: &StatisticsSpec, treebanks: &[(&str, &Sentences)]) -> Table {
    let mut header = vec!["treebank".to_owned()];
    for part in &spec.parts {
        let name = match part {
            Part::Train => "train",
            Part::Dev => "dev",
            Part::Test => "test",
        };
        let several = spec.parts.len() > 1;
        let head = |figure: &Statistic| {
            if several { format!("{name} {}", figure.head()) } else { figure.head().to_owned() }
        };
        header.extend(spec.figures.iter().map(head));
    }
    let mut rows = Vec::new();
    for (name, sentences) in treebanks {
        let mut row = vec![(*name).to_owned()];
        for part in &spec.parts {
            let sentences = match part {
                Part::Train => &sentences.train,
                Part::Dev => &sentences.dev,
                Part::Test => &sentences.test,
            };
            let mut labels = Labels::default();
            let mut statistics = Statistics::default();
            let mut trees = Vec::new();
            for sentence in sentences {
                let tree = tree_of(sentence, &mut labels).ok();
                statistics.add(sentence, tree.as_ref());
                trees.extend(tree);
            }
            let summary = statistics.summary();
            row.extend(spec.figures.iter().map(|figure| figure.show(&summary, &trees)));
        }
        rows.push(row.into_iter().map(|text| Entry { text, best: false }).collect());
    }
    Table {
        name: spec.name.clone(),
        title: if spec.title.is_empty() { spec.name.clone() } else { spec.title.clone() },
        header,
        rows,
        names: 1,
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One projective tree with three words, one with four and a non-projective arc.
    #[test]
    fn hand_counted() {
        let sentence = |heads: &[u32]| {
            let line = |(at, head): (usize, &u32)| {
                let label = if *head == 0 { "root" } else { "x" };
                format!("{}\tw\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n", at + 1)
            };
            let text: String = heads.iter().enumerate().map(line).collect();
            conll::read_str(&text, conll::ReadOptions::default()).unwrap().remove(0)
        };
        // Word 3, between 2 and its head 4, is not below 4.
        let train = vec![sentence(&[2, 0, 2]), sentence(&[3, 4, 0, 3])];
        let sentences = Sentences { train, ..Sentences::default() };
        let spec = StatisticsSpec {
            name: "s".into(),
            title: String::new(),
            parts: vec![Part::Train, Part::Test],
            figures: vec![
                Statistic::Sentences,
                Statistic::Words,
                Statistic::NonprojectiveArcs,
                Statistic::NonprojectiveSentencesPercent,
                Statistic::Length,
                Statistic::MovesArcEager,
            ],
        };
        let table = table(&spec, &[("t", &sentences)]);
        let row: Vec<&str> = table.rows[0].iter().map(|entry| entry.text.as_str()).collect();
        // Shift, left, right, right; and with 2 lifted to 3: shift, shift, left, left, right, right.
        assert_eq!(row[..7], ["t", "2", "7", "1", "50.00", "3.50", "5.00"], "{:?}", table.header);
        assert_eq!(table.header[1], "train sentences");
        assert_eq!(row[7], "0");
    }
}
