//! Treebanks of local files, for `crossarc view`: browsed and filtered on the page.
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use conll::{ReadOptions, Reader, Roots, Sentence};
use crossarc_query::Query;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::limits::Deadline;
use crate::parsing;
use crate::refusal::Refusal;

/// Sentences after which a search looks at the clock.
const CHECKED: usize = 64;
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
    /// A query for words and arcs.
    #[serde(default)]
    pub pattern: String,
    /// A label that must be there.
    #[serde(default)]
    pub label: String,
    /// Whether an arc must cross another one.
    #[serde(default)]
    pub crossing: bool,
    /// Another file, whose sentences of the same number are compared.
    pub other: Option<usize>,
    /// Whether some word must have another head or label there.
    #[serde(default)]
    pub differing: bool,
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

    fn get(&self, treebank: usize) -> Result<&Treebank, Refusal> {
        let none = || Refusal::new(StatusCode::NOT_FOUND, "There is no such treebank.");
        self.0.get(treebank).ok_or_else(none)
    }

    /// The sentences that fit a filter.
    pub fn search(
        &self,
        treebank: usize,
        filter: &Filter,
        deadline: Deadline,
    ) -> Result<Value, Refusal> {
        let treebank = self.get(treebank)?;
        let other = filter.other.map(|other| self.get(other)).transpose()?;
        let query = filter.query.to_lowercase();
        let pattern = Some(filter.pattern.trim()).filter(|pattern| !pattern.is_empty());
        let pattern = pattern
            .map(Query::parse)
            .transpose()
            .map_err(|error| Refusal::bad(format!("The query is not understood: {error}")))?;
        let mut matcher = pattern.as_ref().map(Query::matcher);
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
            if number % CHECKED == 0 {
                deadline.check()?;
            }
            let mut matched = Vec::new();
            if let Some(matcher) = &mut matcher {
                let found = matcher
                    .find(sentence)
                    .map_err(|error| Refusal::bad(format!("Sentence {}: {error}", number + 1)))?;
                let mut found = found.peekable();
                if found.peek().is_none() {
                    continue;
                }
                matched.extend(found.flatten().copied());
                matched.sort_unstable();
                matched.dedup();
            }
            let rival = other.map(|other| other.sentences.get(number).map(|(rival, _)| rival));
            let differences = rival.map(|rival| differences(sentence, rival));
            if filter.differing && differences == Some(0) {
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
                    "differences": differences,
                    "matched": matched,
                }));
            }
        }
        Ok(json!({ "total": total, "sentences": found }))
    }

    /// How often there is what.
    pub fn statistics(&self, treebank: usize) -> Result<Value, Refusal> {
        let treebank = self.get(treebank)?;
        let (mut labels, mut tags) = (BTreeMap::new(), BTreeMap::new());
        let (mut words, mut arcs, mut sentences) = (0, 0, 0);
        for (sentence, facts) in &treebank.sentences {
            words += sentence.len();
            arcs += facts.crossing;
            sentences += usize::from(facts.crossing > 0);
            for word in sentence.words() {
                *labels.entry(word.deprel()).or_insert(0) += 1;
                let tag = if word.upos() == "_" { word.xpos() } else { word.upos() };
                *tags.entry(tag).or_insert(0) += 1;
            }
        }
        Ok(json!({
            "sentences": treebank.sentences.len(),
            "words": words,
            "crossing_arcs": arcs,
            "crossing_sentences": sentences,
            "labels": most_frequent(labels),
            "tags": most_frequent(tags),
        }))
    }

    /// One sentence.
    pub fn sentence(&self, treebank: usize, number: usize) -> Option<&Sentence> {
        self.0.get(treebank)?.sentences.get(number).map(|(sentence, _)| sentence)
    }
}

fn most_frequent(counts: BTreeMap<&str, usize>) -> Vec<(&str, usize)> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(name, count)| (Reverse(count), name));
    counts
}

/// Words with another head or label; all of them if the sentences are not of the same words.
fn differences(sentence: &Sentence, rival: Option<&Sentence>) -> usize {
    let same_words = |rival: &&Sentence| {
        let forms = |sentence: &'_ Sentence| -> Vec<String> {
            sentence.words().map(|word| word.form().to_owned()).collect()
        };
        forms(rival) == forms(sentence)
    };
    let Some(rival) = rival.filter(same_words) else { return sentence.len().max(1) };
    let pairs = sentence.words().zip(rival.words());
    pairs.filter(|(one, two)| one.head() != two.head() || one.deprel() != two.deprel()).count()
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
