//! Treebanks as what other programs take: tables (CSV, TSV, Parquet), JSON, plain text.
//!
//! The tables have the columns of the data frame of R's udpipe, a row for every word, range and empty
//! node; documents are told by `# newdoc`, paragraphs by `# newpar`. JSON is an array of documents, JSON
//! Lines has a document a line; both are written sentence by sentence, so documents may be of any size.
use std::io::{self, Write};

use conll::{Column, Fields, ReadOptions, Reader, Roots, Row, Sentence};
use crossarc::draw::{Drawing, Highlight, Options, terminal};
use crossarc::text::tokenize::spaces::rebuild;
use serde_json::{Map, Value, json};

use crate::delimited::Delimited;
use crate::parquet::{Cell, Parquet, Type};

/// What comes out.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Table(Delimited),
    Parquet,
    /// An array of documents, or a document a line.
    Json {
        lines: bool,
    },
    Text,
    /// Trees, drawn for the terminal.
    Drawing,
}

impl Kind {
    /// The names on the command line; they are those of file extensions, too.
    pub const NAMES: [(&'static str, Kind); 7] = [
        ("csv", Kind::Table(Delimited::Csv)),
        ("tsv", Kind::Table(Delimited::Tsv)),
        ("parquet", Kind::Parquet),
        ("json", Kind::Json { lines: false }),
        ("jsonl", Kind::Json { lines: true }),
        ("text", Kind::Text),
        ("draw", Kind::Drawing),
    ];

    /// By its name.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::NAMES.iter().find(|(known, _)| *known == name).map(|&(_, kind)| kind)
    }

    /// What files of it are called.
    pub fn extension(self) -> &'static str {
        let name = Kind::NAMES.iter().find(|(_, kind)| *kind == self).map_or("", |&(name, _)| name);
        if matches!(name, "text" | "draw") { "txt" } else { name }
    }
}

/// The columns of R's udpipe.
const COLUMNS: [&str; 14] = [
    "doc_id",
    "paragraph_id",
    "sentence_id",
    "sentence",
    "token_id",
    "token",
    "lemma",
    "upos",
    "xpos",
    "feats",
    "head_token_id",
    "dep_rel",
    "deps",
    "misc",
];

/// Writes sentences, one after the other.
pub struct Exporter {
    kind: Kind,
    parquet: Option<Parquet>,
    documents: u64,
    document: String,
    /// What the next document has besides its sentences.
    fields: Option<Map<String, Value>>,
    paragraph: u64,
    sentence: u64,
    is_open: bool,
    /// Blanks behind the last sentence of a text.
    blanks: String,
    buffer: Vec<u8>,
}

impl Exporter {
    /// Nothing is written yet.
    pub fn new(kind: Kind) -> Exporter {
        let mut buffer = Vec::new();
        let mut parquet = None;
        match kind {
            Kind::Table(table) => table.row(COLUMNS, &mut buffer),
            Kind::Parquet => {
                let columns = COLUMNS.map(|name| match name {
                    "paragraph_id" | "sentence_id" => (name, Type::Number),
                    _ => (name, Type::Text),
                });
                parquet = Some(Parquet::new(columns, &mut buffer));
            }
            Kind::Json { lines: false } => buffer.extend(b"["),
            Kind::Json { .. } | Kind::Text | Kind::Drawing => {}
        }
        Exporter {
            kind,
            parquet,
            documents: 0,
            document: String::new(),
            fields: None,
            paragraph: 0,
            sentence: 0,
            is_open: false,
            blanks: String::new(),
            buffer,
        }
    }

    /// What the next document has besides its sentences.
    pub fn fields(&mut self, fields: Map<String, Value>) {
        self.fields = Some(fields);
    }

    /// Adds sentences in CoNLL-U.
    pub fn add_text(&mut self, text: &[u8]) -> anyhow::Result<()> {
        let options =
            ReadOptions { roots: Roots::Any, check_trees: false, ..ReadOptions::default() };
        let mut reader = Reader::from_bytes("output", text, options)?;
        let mut sentence = Sentence::default();
        while reader.read(&mut sentence)? {
            self.add(&sentence)?;
        }
        Ok(())
    }

    /// Adds a sentence.
    pub fn add(&mut self, sentence: &Sentence) -> io::Result<()> {
        let (mut document, mut paragraph) = (None, false);
        let mut told = Map::new();
        for comment in sentence.comments() {
            let comment = comment.trim_start_matches('#').trim_start();
            if let Some(rest) = comment.strip_prefix("newdoc") {
                let id = rest.trim_start().strip_prefix("id").map(str::trim_start);
                let id = id.and_then(|rest| rest.strip_prefix('=')).unwrap_or_default();
                document = Some(id.trim().to_owned());
            } else if comment.starts_with("newpar") {
                paragraph = true;
            } else if let Some((key, value)) =
                comment.strip_prefix("meta::").and_then(|rest| rest.split_once('='))
            {
                told.insert(key.trim().to_owned(), value.trim().into());
            }
        }
        let begins_document = document.is_some();
        if begins_document || self.documents == 0 {
            self.begin_document(document.unwrap_or_default(), told);
        }
        self.paragraph += u64::from(paragraph || self.paragraph == 0);
        self.sentence += 1;
        match self.kind {
            Kind::Table(table) => self.rows(sentence, table),
            Kind::Parquet => self.cells(sentence)?,
            Kind::Json { .. } => self.object(sentence),
            Kind::Text => self.text(sentence, paragraph || begins_document),
            Kind::Drawing => self.buffer.extend(drawn(sentence).bytes()),
        }
        Ok(())
    }

    /// Hands over what is ready.
    pub fn drain(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Ends the output.
    pub fn finish(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.end_document();
        if let Some(parquet) = &mut self.parquet {
            parquet.finish(&mut self.buffer)?;
        }
        match self.kind {
            Kind::Json { lines: false } => self.buffer.extend(b"]\n"),
            Kind::Text => {
                let blanks = std::mem::take(&mut self.blanks);
                self.buffer.extend(blanks.bytes());
            }
            Kind::Json { .. } | Kind::Table(_) | Kind::Parquet | Kind::Drawing => {}
        }
        self.drain(out)
    }

    fn begin_document(&mut self, name: String, told: Map<String, Value>) {
        self.end_document();
        self.documents += 1;
        (self.paragraph, self.sentence, self.is_open) = (0, 0, true);
        self.document = if name.is_empty() { format!("doc{}", self.documents) } else { name };
        if let Kind::Json { lines } = self.kind {
            let mut fields = self.fields.take().unwrap_or(told);
            fields.remove("sentences");
            fields.entry("id").or_insert_with(|| self.document.as_str().into());
            let fields = Value::Object(fields).to_string();
            let start = if lines || self.documents == 1 { "" } else { "," };
            let open = fields.strip_suffix('}').unwrap_or(&fields);
            self.buffer.extend(format!("{start}{open},\"sentences\":[").bytes());
        }
    }

    fn end_document(&mut self) {
        if std::mem::take(&mut self.is_open)
            && let Kind::Json { .. } = self.kind
        {
            self.buffer.extend(b"]}\n");
        }
    }

    fn rows(&mut self, sentence: &Sentence, table: Delimited) {
        let (paragraph, number) = (self.paragraph.to_string(), self.sentence.to_string());
        let text = text_of(sentence);
        for (id, fields) in tokens(sentence) {
            let cells = [self.document.as_str(), &paragraph, &number, &text, &id, fields.form()];
            let values = CELLS.map(|(_, column)| value(fields, column).unwrap_or_default());
            table.row(cells.into_iter().chain(values), &mut self.buffer);
        }
    }

    fn cells(&mut self, sentence: &Sentence) -> io::Result<()> {
        let Some(parquet) = &mut self.parquet else { return Ok(()) };
        let text = text_of(sentence);
        let number = |number: u64| i32::try_from(number).map_or(Cell::Missing, Cell::Number);
        for (id, fields) in tokens(sentence) {
            let cells = [
                Cell::Text(&self.document),
                number(self.paragraph),
                number(self.sentence),
                Cell::Text(&text),
                Cell::Text(&id),
                Cell::Text(fields.form()),
            ];
            let values =
                CELLS.map(|(_, column)| value(fields, column).map_or(Cell::Missing, Cell::Text));
            parquet.row(cells.into_iter().chain(values), &mut self.buffer)?;
        }
        Ok(())
    }

    fn object(&mut self, sentence: &Sentence) {
        let mut found = Vec::new();
        for (id, fields) in tokens(sentence) {
            let mut token = Map::new();
            let id = id.parse::<u32>().map_or_else(|_| id.into(), Value::from);
            token.insert("id".to_owned(), id);
            token.insert("form".to_owned(), fields.form().into());
            for (name, column) in CELLS {
                let value = value(fields, column).map_or(Value::Null, |value| match column {
                    Column::Head => value.parse::<u32>().map_or(Value::Null, Value::from),
                    _ => value.into(),
                });
                token.insert(name.to_owned(), value);
            }
            found.push(Value::Object(token));
        }
        let id = sentence.comment_value("sent_id");
        let object = json!({ "id": id, "text": text_of(sentence), "tokens": found });
        let start = if self.sentence == 1 { "" } else { "," };
        self.buffer.extend(format!("{start}{object}").bytes());
    }

    fn text(&mut self, sentence: &Sentence, begins: bool) {
        // Where paragraphs are marked but blanks are not, an empty line stands between them.
        if begins && self.blanks.ends_with(' ') && !self.blanks.contains('\n') {
            self.blanks.pop();
            self.blanks.push_str("\n\n");
        }
        let mut text = std::mem::take(&mut self.blanks);
        rebuild(sentence, &mut text);
        let end = text.trim_end().len();
        self.buffer.extend(&text.as_bytes()[..end]);
        self.blanks = text.split_off(end);
    }
}

/// The columns of a word behind its form, with their names in JSON.
const CELLS: [(&str, Column); 8] = [
    ("lemma", Column::Lemma),
    ("upos", Column::Upos),
    ("xpos", Column::Xpos),
    ("feats", Column::Feats),
    ("head", Column::Head),
    ("deprel", Column::Deprel),
    ("deps", Column::Deps),
    ("misc", Column::Misc),
];

/// Words, ranges and empty nodes with their IDs.
fn tokens(sentence: &Sentence) -> impl Iterator<Item = (String, Fields<'_>)> {
    sentence.rows().filter_map(|row| match row {
        Row::Comment(_) => None,
        Row::Word(word) => Some((word.id().to_string(), word.fields())),
        Row::Range { first, last, fields } => Some((format!("{first}-{last}"), fields)),
        Row::Empty { after, index, fields } => Some((format!("{after}.{index}"), fields)),
    })
}

fn value(fields: Fields<'_>, column: Column) -> Option<&str> {
    fields.get(column).filter(|value| *value != "_")
}

/// A tree with an empty line behind it, as wide as the terminal.
fn drawn(sentence: &Sentence) -> String {
    let width = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0));
    let options = Options { width, ..Options::default() };
    terminal::render(&Drawing::of(sentence, Highlight::default()), &options) + "\n"
}

/// The text of a sentence, from its comment or its words.
fn text_of(sentence: &Sentence) -> String {
    if let Some(text) = sentence.comment_value("text") {
        return text.to_owned();
    }
    let mut text = String::new();
    rebuild(sentence, &mut text);
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREEBANK: &str = "# newdoc id = a\n# meta::year = 1999\n# newpar\n# sent_id = a-1\n# text = don't, \"you\"\n\
        1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n1\tdo\tdo\tAUX\t_\t_\t0\troot\t_\t_\n\
        2\tn't\tnot\tPART\t_\t_\t1\tadvmod\t_\t_\n3\t,\t,\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\
        4\t\"you\"\tyou\tPRON\t_\t_\t1\tnsubj\t_\tSpacesAfter=\\n\n\n\
        # newdoc id = b\n1\t=1+1\t_\t_\t_\t_\t0\troot\t_\t_\n\n";

    fn export(kind: Kind) -> String {
        let (mut exporter, mut out) = (Exporter::new(kind), Vec::new());
        exporter.add_text(TREEBANK.as_bytes()).unwrap();
        exporter.finish(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn tables_have_the_columns_of_udpipe() {
        let csv = export(Kind::Table(Delimited::Csv));
        let lines: Vec<&str> = csv.lines().collect();
        assert!(
            lines[0].starts_with("doc_id,paragraph_id,sentence_id,sentence,token_id,token,lemma,")
        );
        assert_eq!(lines[1], "a,1,1,\"don't, \"\"you\"\"\",1-2,don't,,,,,,,,SpaceAfter=No");
        assert_eq!(lines[3], "a,1,1,\"don't, \"\"you\"\"\",2,n't,not,PART,,,1,advmod,,");
        assert_eq!(lines[6], "b,1,1,'=1+1,1,'=1+1,,,,,0,root,,");
        let tsv = export(Kind::Table(Delimited::Tsv));
        assert!(tsv.lines().all(|line| line.split('\t').count() == COLUMNS.len()), "{tsv}");
    }

    #[test]
    fn json_is_json() {
        let all: Value = serde_json::from_str(&export(Kind::Json { lines: false })).unwrap();
        assert_eq!(all[0]["year"], "1999");
        assert_eq!(all[0]["sentences"][0]["tokens"][2]["head"], 1);
        assert_eq!(all[0]["sentences"][0]["tokens"][0]["id"], "1-2");
        assert_eq!(all[1]["sentences"][0]["tokens"][0]["lemma"], Value::Null);
        let lines = export(Kind::Json { lines: true });
        let documents: Vec<Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(documents.len(), 2);
        assert_eq!(documents[1]["id"], "b");
        let empty = |lines| {
            let mut out = Vec::new();
            Exporter::new(Kind::Json { lines }).finish(&mut out).unwrap();
            out
        };
        assert_eq!((empty(false), empty(true)), (b"[]\n".to_vec(), Vec::new()));
    }

    #[test]
    fn text_is_what_it_was() {
        assert_eq!(export(Kind::Text), "don't, \"you\"\n=1+1 ");
    }
}
