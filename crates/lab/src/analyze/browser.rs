//! Every sentence with an error as a drawing of gold and system, made by the reader's browser from
//! compact data: gold heads and labels, and for each system only what is different.
use serde_json::{Value, json};

use super::corpus::{Corpus, Item};
use crate::report::page::Extra;

const SCRIPT: &str = include_str!("browser.js");
const STYLE: &str = include_str!("browser.css");
const MARKUP: &str = include_str!("browser.html");

/// Most bytes of data: a page must open fast.
pub const MOST_BYTES: usize = 16 << 20;

/// The section of the page, and how many sentences with errors did not find room.
pub fn section(corpus: &Corpus) -> (Extra, usize) {
    let (sentences, left_out) = sentences(corpus);
    let data = json!({
        "systems": corpus.systems,
        "labels": corpus.labels,
        "tags": corpus.tags,
        "all": corpus.sentences.len(),
        "leftOut": left_out,
        "sentences": sentences,
    });
    let extra = Extra {
        name: "sentences".to_owned(),
        title: "Sentences with errors".to_owned(),
        html: MARKUP.to_owned(),
        data: data.to_string(),
        script: SCRIPT,
        style: STYLE,
    };
    (extra, left_out)
}

/// Those with the most errors first, each as `[number, id, forms, tags, heads, labels, differences, words that do not count]`; the
/// differences of a system are `word, head, label` one after the other, head -1 if there is none.
fn sentences(corpus: &Corpus) -> (Vec<Value>, usize) {
    let mut found = Vec::new();
    let mut bytes = 0;
    let mut left_out = 0;
    let wrong = |item: &Item| -> usize {
        let of =
            |system| item.words().filter(move |&word| !item.right(system, word).both()).count();
        (0..item.systems.len()).map(of).sum()
    };
    let mut worst: Vec<(usize, usize, &Item)> = corpus
        .sentences
        .iter()
        .enumerate()
        .filter(|(_, item)| item.has_error())
        .map(|(number, item)| (wrong(item), number, item))
        .collect();
    worst.sort_by_key(|&(wrong, number, _)| (std::cmp::Reverse(wrong), number));
    for (_, number, item) in worst {
        let differences: Vec<Vec<i64>> = item
            .systems
            .iter()
            .map(|system| {
                let differs = |&word: &usize| {
                    system.heads[word] != item.gold.heads[word]
                        || system.labels[word] != item.gold.labels[word]
                };
                (0..item.forms.len())
                    .filter(differs)
                    .flat_map(|word| {
                        let head = system.heads[word].map_or(-1, i64::from);
                        [word as i64 + 1, head, system.labels[word] as i64]
                    })
                    .collect()
            })
            .collect();
        let uncounted: Vec<usize> = (0..item.forms.len())
            .filter(|&word| !item.counted[word])
            .map(|word| word + 1)
            .collect();
        let value = json!([
            number + 1,
            item.id.as_deref().unwrap_or(""),
            item.forms.join("\t"),
            item.tags,
            item.gold.heads.iter().map(|head| head.unwrap_or(0)).collect::<Vec<_>>(),
            item.gold.labels,
            differences,
            uncounted,
        ]);
        bytes += value.to_string().len();
        if bytes > MOST_BYTES {
            left_out += 1;
        } else {
            found.push(value);
        }
    }
    (found, left_out)
}

#[cfg(test)]
mod tests {
    use super::super::corpus::tests::{GOLD, of, small};
    use super::*;

    #[test]
    fn only_errors_and_only_differences() {
        let corpus = small(2);
        let label = |name: &str| corpus.labels.iter().position(|label| label == name).unwrap();
        let (found, left_out) = sentences(&corpus);
        assert_eq!((found.len(), left_out), (2, 0));
        let first = &found[0];
        assert_eq!(first[1], "s1");
        assert_eq!(first[2], "A\thearing\tis\tscheduled\ton\tit");
        assert_eq!(first[4], json!([2, 3, 0, 3, 2, 5]));
        assert_eq!(first[6], json!([[2, 3, label("obj"), 5, 4, label("nmod")], []]));
        let (none, _) = sentences(&of(&GOLD, &[("a", &GOLD)]));
        assert!(none.is_empty());
    }
}
