//! What `crossarc train` tells about graph parsers.
use crossarc::header::GraphHeader;
use crossarc::header::Training;

use super::Terminal;

impl Terminal {
    /// How crossing arcs are found, what pruning keeps and costs, and how many features there are.
    pub(super) fn say_facts(&self, graph: &GraphHeader, training: &Training) {
        if let Some(threshold) = graph.approximation {
            let las = training.dev_las.map_or(String::new(), |las| format!("; dev LAS {las:.2}"));
            self.say(&format!("crossing arcs where they gain more than {threshold}{las}"));
        }
        if let Some(loss) = graph.pruning_loss {
            let scores = loss.scores.map_or(String::new(), |(pruned, exact, words)| {
                format!("; LAS of {words} words {pruned:.2}, by exact search {exact:.2}")
            });
            self.say(&format!(
                "pruning keeps {:.1} heads a word and {:.2} % of the gold arcs of {}{scores}",
                loss.heads,
                loss.recall,
                if loss.folds { "held-out training text" } else { "the development files" }
            ));
        }
        let counts = graph.counts;
        if counts.gold > 0 {
            self.say(&format!(
                "{} features in the gold trees, {} split by labels, {} with a pruned taxonomy; {} with a weight after the first epoch, {} at the end",
                counts.gold, counts.split, counts.pruned, counts.non_null, counts.learned
            ));
        }
    }
}
