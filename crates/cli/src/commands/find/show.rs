//! One match, or a sentence without one, in the formats of `crossarc find`.
use conll::{Column, Sentence, printable};
use crossarc::draw::{Drawing, Highlight, Word};
use serde_json::{Map, Value, json};

use crate::commands::draw::{annotation_of, words_of};
use crate::delimited::Delimited;

/// The columns of a word in tables.
const COLUMNS: [(&str, Column); 5] = [
    ("id", Column::Id),
    ("form", Column::Form),
    ("lemma", Column::Lemma),
    ("upos", Column::Upos),
    ("deprel", Column::Deprel),
];

/// The words of a query that are shown: those with names, and where they are in a match.
pub struct Names(pub Vec<(usize, String)>);

/// A sentence and where it stands.
#[derive(Copy, Clone)]
pub struct Place<'a> {
    pub file: &'a str,
    pub sentence: &'a Sentence,
}

impl Place<'_> {
    fn id(&self) -> &str {
        self.sentence.comment_value("sent_id").unwrap_or_default()
    }

    /// Its identifier, or file and line if it has none.
    fn name(&self) -> String {
        match self.id() {
            "" => format!("{}:{}", self.file, self.sentence.first_line()),
            id => id.to_owned(),
        }
    }

    fn text(&self) -> String {
        match self.sentence.comment_value("text") {
            Some(text) => text.to_owned(),
            None => join(self.sentence, 1, self.sentence.len() as u32, &[]),
        }
    }
}

/// Words from one to the other as text, those that were found in brackets.
fn join(sentence: &Sentence, first: u32, last: u32, found: &[u32]) -> String {
    let mut text = String::new();
    for id in first..=last {
        let word = sentence.word(id as usize);
        let is_found = found.contains(&id);
        text.push_str(if is_found { "[" } else { "" });
        text.push_str(word.form());
        text.push_str(if is_found { "]" } else { "" });
        if id < last && !word.misc().split('|').any(|part| part == "SpaceAfter=No") {
            text.push(' ');
        }
    }
    text
}

/// A keyword in context: the first word of the query between its neighbours.
pub fn concordance(place: Place<'_>, found: &[u32], width: usize, out: &mut Vec<u8>) {
    let sentence = place.sentence;
    let context = width.saturating_sub(30).max(40) / 2;
    let key = found.iter().copied().find(|&id| id > 0);
    let (left, middle, right) = match key {
        None => (String::new(), place.text(), String::new()),
        Some(key) => {
            let last = sentence.len() as u32;
            let left = join(sentence, 1, key - 1, found);
            let right =
                if key < last { join(sentence, key + 1, last, found) } else { String::new() };
            (left, join(sentence, key, key, found), right)
        }
    };
    let skipped = left.chars().count().saturating_sub(context);
    let left: String = left.chars().skip(skipped).collect();
    let right: String = right.chars().take(context).collect();
    let padding =
        if key.is_some() { " ".repeat(context - left.chars().count()) } else { String::new() };
    let gap = if key.is_some() { "  " } else { "" };
    let filler = " ".repeat(context.saturating_sub(right.chars().count()));
    let name = place.name();
    let line = format!("{padding}{left}{gap}{middle}{gap}{right}{filler}  {name}");
    out.extend(printable(&line).bytes());
    out.push(b'\n');
}

/// The names of the columns of [`row`].
pub fn header(names: &Names, kind: Delimited, out: &mut Vec<u8>) {
    let mut cells = vec!["file".to_owned(), "line".to_owned(), "sent_id".to_owned()];
    for (_, name) in &names.0 {
        cells.extend(COLUMNS.iter().map(|(column, _)| format!("{name}.{column}")));
    }
    cells.push("text".to_owned());
    kind.row(cells.iter().map(String::as_str), out);
}

/// A match as a row of a table.
pub fn row(place: Place<'_>, names: &Names, found: &[u32], kind: Delimited, out: &mut Vec<u8>) {
    let Place { file, sentence } = place;
    let (line, text) = (sentence.first_line().to_string(), place.text());
    let mut cells = vec![file, &line, place.id()];
    for (at, _) in &names.0 {
        let word = sentence.word(found[*at] as usize);
        cells.extend(COLUMNS.iter().map(|(_, column)| match column {
            Column::Upos => word.upos(),
            column => word.get(*column).unwrap_or("_"),
        }));
    }
    cells.push(&text);
    kind.row(cells, out);
}

/// A match as one line of JSON.
pub fn object(place: Place<'_>, names: &Names, found: &[u32], out: &mut Vec<u8>) {
    let Place { file, sentence } = place;
    let mut words = Map::new();
    if !found.is_empty() {
        for (at, name) in &names.0 {
            let word = sentence.word(found[*at] as usize);
            words.insert(
                name.clone(),
                json!({
                    "id": word.id(), "form": word.form(), "lemma": word.lemma(), "upos": word.upos(),
                    "xpos": word.xpos(), "feats": word.feats(), "head": word.head(), "deprel": word.deprel(),
                }),
            );
        }
    }
    let line = json!({
        "file": file, "line": sentence.first_line(), "sent_id": sentence.comment_value("sent_id"),
        "text": place.text(), "words": Value::Object(words),
    });
    out.extend(line.to_string().bytes());
    out.push(b'\n');
}

/// The sentence as it was, with a comment that tells what was found: `# found = V=2 O=5; V=7 O=9`.
pub fn treebank(
    sentence: &mut Sentence,
    names: &Names,
    all: &[u32],
    width: usize,
    out: &mut Vec<u8>,
) {
    if sentence.format().is_universal() && !all.is_empty() && !names.0.is_empty() {
        let one = |found: &[u32]| {
            let words = names.0.iter().map(|(at, name)| format!("{name}={}", found[*at]));
            words.collect::<Vec<_>>().join(" ")
        };
        let told: Vec<String> = all.chunks_exact(width).map(one).collect();
        sentence.set_comment("found", &told.join("; "));
    }
    // Writing to memory cannot fail.
    let _ = sentence.write_to(out);
}

/// The sentence as a picture, in which the words and arcs that were found stand out.
pub fn drawing(place: Place<'_>, names: &Names, all: &[u32], width: usize) -> Drawing {
    let sentence = place.sentence;
    let mut words = words_of(sentence);
    let mut is_found = vec![false; words.len() + 1];
    for found in all.chunks_exact(width.max(1)) {
        for &id in found {
            is_found[id as usize] = true;
        }
        for (at, name) in &names.0 {
            let Word { tag, .. } = &mut words[found[*at] as usize - 1];
            if !tag.split(' ').any(|part| part == name) {
                *tag = if tag.is_empty() { name.clone() } else { format!("{tag} {name}") };
            }
        }
    }
    let mut drawing =
        Drawing::new(place.name(), words, &annotation_of(sentence), Highlight::Crossing);
    if width > 1 {
        let both = |found: &[u32], arc: &crossarc::draw::Arc| {
            found.contains(&arc.head) && found.contains(&arc.dependent)
        };
        drawing.highlight(|arc| all.chunks_exact(width).any(|found| both(found, arc)));
    } else if width == 1 {
        drawing.highlight(|arc| is_found[arc.dependent as usize]);
    }
    drawing
}
