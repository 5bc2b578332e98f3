//! Treebanks of local files, for `crossarc view`: browsed and filtered on the page.
use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use conll::{ReadOptions, Reader, Roots, Sentence};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::parsing;
use crate::refusal::Refusal;

/// Most sentences that one search gives back.
const MOST_FOUND: usize = 200;

/// One file in memory.
struct Treebank {
    name: String,
    sentences: Vec<(Sentence, Facts)>,
}

/// What searches look at.
struct Facts {
    id: Option<String>,
    text: String,
    /// The text in small letters.
    plain: String,
    labels: Vec<String>,
    crossing: usize,
}

/// All files that a page shows.
#[derive(Default)]
pub struct Treebanks(Vec<Treebank>);

/// Which sentences are wanted.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Filter {
    /// Part of the text or identifier.
    #[serde(default)]
    pub query: String,
    /// A label that must be there.
    #[serde(default)]
    pub label: String,
    /// Whether an arc must cross another one.
    #[serde(default)]
    pub crossing: bool,
    /// How many sentences that fit are passed over.
    #[serde(default)]
    pub skip: usize,
    /// How many are given back.
    pub limit: Option<usize>,
}

impl Treebanks {
    /// Reads files of any treebank format, compressed or not.
    pub fn open(paths: &[PathBuf]) -> Result<Treebanks, conll::Error> {
        paths.iter().map(|path| read(path)).collect::<Result<_, _>>().map(Treebanks)
    }

    /// Names and sizes.
    pub fn list(&self) -> Value {
        let describe = |treebank: &Treebank| {
            let words: usize = treebank.sentences.iter().map(|(sentence, _)| sentence.len()).sum();
            let crossing =
                treebank.sentences.iter().filter(|(_, facts)| facts.crossing > 0).count();
            json!({ "name": treebank.name, "sentences": treebank.sentences.len(), "words": words, "crossing": crossing })
        };
        self.0.iter().map(describe).collect()
    }

    /// The sentences that fit a filter.
    pub fn search(&self, treebank: usize, filter: &Filter) -> Result<Value, Refusal> {
        let none = || Refusal::new(StatusCode::NOT_FOUND, "There is no such treebank.");
        let treebank = self.0.get(treebank).ok_or_else(none)?;
        let query = filter.query.to_lowercase();
        let fits = |facts: &Facts| {
            (!filter.crossing || facts.crossing > 0)
                && (query.is_empty()
                    || facts.plain.contains(&query)
                    || facts.id.as_ref().is_some_and(|id| id.to_lowercase().contains(&query)))
                && (filter.label.is_empty() || facts.labels.contains(&filter.label))
        };
        let (mut total, mut found) = (0, Vec::new());
        let most = filter.limit.unwrap_or(50).min(MOST_FOUND);
        for (number, (sentence, facts)) in treebank.sentences.iter().enumerate() {
            if !fits(facts) {
                continue;
            }
            total += 1;
            if total > filter.skip && found.len() < most {
                found.push(json!({
                    "number": number,
                    "id": facts.id,
                    "text": facts.text,
                    "words": sentence.len(),
                    "crossing": facts.crossing,
                }));
            }
        }
        Ok(json!({ "total": total, "sentences": found }))
    }

    /// One sentence.
    pub fn sentence(&self, treebank: usize, number: usize) -> Option<&Sentence> {
        self.0.get(treebank)?.sentences.get(number).map(|(sentence, _)| sentence)
    }
}

fn read(path: &Path) -> Result<Treebank, conll::Error> {
    let options = ReadOptions { roots: Roots::Any, ..ReadOptions::default() };
    let mut reader = Reader::open(path, options)?;
    let mut sentences = Vec::new();
    let mut sentence = Sentence::default();
    while reader.read(&mut sentence)? {
        let facts = facts_of(&sentence);
        sentences.push((sentence.clone(), facts));
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Treebank { name, sentences })
}

fn facts_of(sentence: &Sentence) -> Facts {
    let text = sentence.comment_value("text").map_or_else(
        || sentence.words().map(|word| word.form()).collect::<Vec<_>>().join(" "),
        str::to_owned,
    );
    let mut labels: Vec<String> = sentence.words().map(|word| word.deprel().to_owned()).collect();
    labels.sort();
    labels.dedup();
    Facts {
        id: sentence.comment_value("sent_id").map(str::to_owned),
        plain: text.to_lowercase(),
        text,
        labels,
        crossing: parsing::crossing(sentence).into_iter().filter(|crossing| *crossing).count(),
    }
}
