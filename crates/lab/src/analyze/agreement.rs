//! Where systems agree, who is right when they differ, and what a perfect combination would reach.
use super::corpus::{Corpus, Item};
use crate::report::{Panel, Value};

/// What two systems say about a word.
#[derive(Copy, Clone, Default)]
struct Pair {
    both: u64,
    first: u64,
    second: u64,
    same_error: u64,
    other_error: u64,
}

fn pair(corpus: &Corpus, first: usize, second: usize) -> Pair {
    let mut counts = Pair::default();
    for (item, word) in corpus.words() {
        let right = [first, second].map(|system| item.right(system, word).both());
        match right {
            [true, true] => counts.both += 1,
            [true, false] => counts.first += 1,
            [false, true] => counts.second += 1,
            [false, false] => {
                let arc = |system: usize| {
                    (item.systems[system].heads[word], item.systems[system].labels[word])
                };
                if arc(first) == arc(second) {
                    counts.same_error += 1;
                } else {
                    counts.other_error += 1;
                }
            }
        }
    }
    counts
}

/// Every two systems.
pub fn panel(corpus: &Corpus) -> Panel {
    let mut panel = Panel::new(
        "agreement",
        "Agreement",
        "Words by what two systems say about head and label. They agree if both are right or make the same error; accuracy where they agree tells how far agreement can be trusted, the last two columns who is right when they differ.",
        [
            "first",
            "second",
            "both right",
            "only first",
            "only second",
            "same error",
            "different errors",
            "agree %",
            "right where they agree %",
            "first right where they differ %",
            "second right where they differ %",
        ],
    );
    for first in 0..corpus.systems.len() {
        for second in first + 1..corpus.systems.len() {
            let p = pair(corpus, first, second);
            let agree = p.both + p.same_error;
            let differ = p.first + p.second + p.other_error;
            panel.rows.push(vec![
                Value::text(&corpus.systems[first]),
                Value::text(&corpus.systems[second]),
                Value::Count(p.both),
                Value::Count(p.first),
                Value::Count(p.second),
                Value::Count(p.same_error),
                Value::Count(p.other_error),
                Value::share(agree, agree + differ),
                Value::share(p.both, agree),
                Value::share(p.first, differ),
                Value::share(p.second, differ),
            ]);
        }
    }
    panel
}

/// The score of one who always knew which system is right: by word, and by sentence.
pub fn oracle(corpus: &Corpus) -> Panel {
    let systems = 0..corpus.systems.len();
    let mut words = 0u64;
    let (mut some_head, mut some_arc, mut all_arcs) = (0u64, 0u64, 0u64);
    for (item, word) in corpus.words() {
        words += 1;
        let mut right = systems.clone().map(|system| item.right(system, word));
        some_head += u64::from(right.clone().any(|right| right.head));
        some_arc += u64::from(right.clone().any(super::corpus::Right::both));
        all_arcs += u64::from(right.all(super::corpus::Right::both));
    }
    let best = |of: fn(&Item, usize) -> u64| -> u64 {
        let best_of = |item: &Item| systems.clone().map(|system| of(item, system)).max();
        corpus.sentences.iter().filter_map(best_of).sum()
    };
    let heads = best(|item, system| item.counts[system].attachment.heads);
    let labelled = best(|item, system| item.counts[system].attachment.labelled);
    let mut panel = Panel::new(
        "oracle",
        "Oracle combination",
        "What a combination of the systems could reach at best: if for every word, or for every sentence, it knew which system is right.",
        ["", "UAS", "LAS"],
    );
    for (system, counts) in corpus.systems.iter().zip(&corpus.totals) {
        let a = &counts.attachment;
        panel.rows.push(vec![Value::text(system), Value::Share(a.uas()), Value::Share(a.las())]);
    }
    panel.rows.push(vec![
        Value::text("best system for each sentence"),
        Value::share(heads, words),
        Value::share(labelled, words),
    ]);
    panel.rows.push(vec![
        Value::text("best system for each word"),
        Value::share(some_head, words),
        Value::share(some_arc, words),
    ]);
    panel.rows.push(vec![
        Value::text("right in all systems"),
        Value::Share(None),
        Value::share(all_arcs, words),
    ]);
    panel.chart_columns("", &[("LAS", "Labelled attachment score")], true, usize::MAX);
    panel
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::{of, small};
    use super::*;

    #[test]
    fn hand_counted_agreement() {
        let panel = panel(&small(2));
        // Both right: 1 3 4 6; only a: both words of the second sentence; only b: 2 and 5.
        let expected = ["a", "b", "4", "2", "2", "0", "0", "50.00", "100.00", "50.00", "50.00"];
        assert_eq!(panel.shown("a"), expected);

        let gold = "a/X/0/r b/X/1/x c/X/2/x";
        let first = "a/X/0/r b/X/1/y c/X/1/x";
        let second = "a/X/0/r b/X/1/y c/X/1/z";
        let panel = super::panel(&of(&[gold], &[("f", &[first]), ("s", &[second])]));
        assert_eq!(panel.shown("f")[2..9], ["1", "0", "0", "1", "1", "66.67", "50.00"]);
    }

    #[test]
    fn hand_counted_oracle() {
        let panel = oracle(&small(2));
        assert_eq!(panel.shown("best system for each word")[1..], ["100.00", "100.00"]);
        assert_eq!(panel.shown("best system for each sentence")[1..], ["100.00", "100.00"]);
        assert_eq!(panel.shown("right in all systems")[1..], ["–", "50.00"]);
        let one = oracle(&small(1));
        assert_eq!(one.shown("best system for each word")[1..], ["87.50", "75.00"]);
        assert_eq!(one.shown("a"), ["a", "87.50", "75.00"]);
    }
}
