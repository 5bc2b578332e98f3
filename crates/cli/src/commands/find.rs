//! `crossarc find`
mod show;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, ValueEnum};
use conll::Reader;
use conll::parallel::{Item, map_ordered};
use crossarc::draw::{Drawing, Layout, Options};
use crossarc_query::{Key, Matcher, Query};

use self::show::{Names, Place};
use super::draw::{Album, Target as Picture};
use crate::arguments::{Output, Reading, Sink, Tally, Threads};
use crate::delimited::Delimited;
use crate::table::{Table, thousands};

/// Find words and arcs in treebanks.
///
/// A query names words, says what holds for each in brackets, and what holds between them. Treebanks
/// stream through on all cores; nothing is indexed.
#[derive(Args)]
#[command(after_help = "\
Queries:
  'V[upos=VERB] -[obj]-> O'                  a verb and its object
  'X[lemma=/^un/] -[amod]- Y, X << Y'        an arc in either direction, X before Y
  'V -[nsubj:*]-> S without V -[obj]-> O'    a subject and no object
  'X[Case=Acc, !Number]'                     features that are there or not
  'A ->> B, distance(A, B) > 10'             dominance and distance
  'crossing(X), depth(X) > 5, length < 40'   crossing arcs, depth, length
`crossarc help query-language` has the whole language on one page.

Examples:
  crossarc find 'V[upos=VERB] -[nsubj:pass]-> S' *.conllu
  crossarc find 'V -[obj]-> O' treebank.conllu --by V.lemma,O.lemma
  crossarc find 'V -[obj]-> O, O << V' treebank.conllu --count
  crossarc find --crossing treebank.conllu -o crossing.html
  crossarc find 'X[form=/ /]' treebank.conllu --to conllu | crossarc draw
  crossarc find 'V -[xcomp]-> X' treebank.conllu.xz -o xcomp.csv

Exit codes: 0 all is well, also if nothing was found; 1 a sentence was bad; 2 wrong usage")]
pub struct Find {
    /// The query, then the files to search; no file or `-` is standard input; gzip, xz and zstd are
    /// recognised
    #[arg(value_name = "QUERY|FILE")]
    arguments: Vec<String>,

    /// Find words whose arc crosses another, as the query `crossing(X)` does; all arguments are files
    #[arg(long)]
    crossing: bool,

    /// Print only how many matches there are (with -v, sentences without one), by file if there are
    /// several
    #[arg(long, conflicts_with_all = ["by", "to"])]
    count: bool,

    /// Count what was found: `S.lemma`, `S.lemma,V.upos`, `distance(V,S)`, `length`, `meta.genre`
    #[arg(long, value_name = "WHAT", conflicts_with = "invert")]
    by: Option<String>,

    /// The sentences in which the query is not found
    #[arg(long, short = 'v')]
    invert: bool,

    /// What to print: concordance (keyword in context), conllu (the sentences as they are), draw, svg,
    /// html, csv, tsv or json (a match a line); told by the name of the output file if not given
    #[arg(long, value_name = "FORMAT", value_enum)]
    to: Option<Target>,

    /// Columns of concordances and drawings; as wide as the terminal if not given
    #[arg(long, value_name = "N")]
    width: Option<usize>,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    threads: Threads,
}

/// What to print.
#[derive(Copy, Clone, PartialEq, Eq, ValueEnum)]
enum Target {
    Concordance,
    Conllu,
    Draw,
    Svg,
    Html,
    Csv,
    Tsv,
    Json,
}

/// What a run of sentences gave.
#[derive(Default)]
struct Chunk {
    text: Vec<u8>,
    drawings: Vec<Drawing>,
    groups: BTreeMap<Vec<String>, u64>,
    counts: Counts,
    errors: Vec<conll::Error>,
    failures: Vec<String>,
}

/// How much was found.
#[derive(Copy, Clone, Default)]
struct Counts {
    sentences: u64,
    words: u64,
    /// Sentences that are printed.
    chosen: u64,
    matches: u64,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.sentences += other.sentences;
        self.words += other.words;
        self.chosen += other.chosen;
        self.matches += other.matches;
    }
}

/// The query and what is to become of what it finds.
struct Search {
    query: Query,
    names: Names,
    keys: Vec<Key>,
    target: Target,
    invert: bool,
    silent: bool,
    width: usize,
}

impl Find {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (query, files) = self.query_and_files()?;
        let search = self.search(query)?;
        let mut out = Printer::new(&search, self.output.create()?)?;
        let mut tally = Tally::default();
        let mut counts = Counts::default();
        let mut groups = BTreeMap::new();
        for file in &files {
            let found = self.search_file(&search, file, &mut tally, &mut groups, &mut out)?;
            if self.count && files.len() > 1 {
                let name = file.display().to_string();
                writeln!(out.sink, "{}\t{}", conll::printable(&name), self.number(found))?;
            }
            counts.add(found);
        }
        if self.count && files.len() == 1 {
            writeln!(out.sink, "{}", self.number(counts))?;
        }
        if !search.keys.is_empty() {
            write_groups(&search, &groups, &mut out.sink)?;
        }
        out.finish()?;
        if !self.reading.quiet.quiet {
            let Counts { sentences, chosen, matches, .. } = counts;
            let (chosen, sentences) = (thousands(chosen), thousands(sentences));
            if self.invert {
                anstream::eprintln!("{chosen} of {sentences} sentences have no match");
            } else {
                let matches = thousands(matches);
                anstream::eprintln!("{matches} matches in {chosen} of {sentences} sentences");
            }
        }
        tally.report();
        Ok(tally.exit_code())
    }

    fn number(&self, counts: Counts) -> u64 {
        if self.invert { counts.chosen } else { counts.matches }
    }

    fn query_and_files(&self) -> anyhow::Result<(Query, Vec<PathBuf>)> {
        let (text, files) = match self.arguments.split_first() {
            _ if self.crossing => ("crossing(X)", &self.arguments[..]),
            Some((text, files)) => (text.as_str(), files),
            None => anyhow::bail!(
                "there is no query: crossarc find 'V[upos=VERB] -[obj]-> O' treebank.conllu"
            ),
        };
        let query = Query::parse(text).map_err(|error| {
            if Path::new(text).exists() {
                anyhow::anyhow!(
                    "`{text}` is a file, but the query comes first: crossarc find QUERY {text}"
                )
            } else {
                error.into()
            }
        })?;
        let files = if files.is_empty() { &["-".to_owned()][..] } else { files };
        Ok((query, files.iter().map(PathBuf::from).collect()))
    }

    fn search(&self, query: Query) -> anyhow::Result<Search> {
        let keys = match &self.by {
            None => Vec::new(),
            Some(text) => {
                let keys = keys_of(text).into_iter().map(|key| query.key(key));
                keys.collect::<Result<_, _>>().context("--by")?
            }
        };
        let named = |(_, name): &(usize, &str)| !name.is_empty() && *name != "ROOT";
        let names = query.names().enumerate().filter(named);
        let names = Names(names.map(|(at, name)| (at, name.to_owned())).collect());
        let (target, invert) = (self.target(), self.invert);
        let width = self.width.unwrap_or_else(|| {
            terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0))
        });
        let silent = self.count || !keys.is_empty();
        Ok(Search { query, names, keys, target, invert, silent, width })
    }

    fn target(&self) -> Target {
        let extension = self.output.output.as_ref().and_then(|path| path.extension());
        self.to.unwrap_or_else(|| match extension.and_then(|extension| extension.to_str()) {
            Some("conllu" | "conllup" | "conll" | "conllx" | "conll09") => Target::Conllu,
            Some("svg") => Target::Svg,
            Some("html" | "htm") => Target::Html,
            Some("csv") => Target::Csv,
            Some("tsv") => Target::Tsv,
            Some("json" | "jsonl") => Target::Json,
            _ => Target::Concordance,
        })
    }

    fn search_file(
        &self,
        search: &Search,
        file: &Path,
        tally: &mut Tally,
        groups: &mut BTreeMap<Vec<String>, u64>,
        out: &mut Printer,
    ) -> anyhow::Result<Counts> {
        let mut reader = Reader::open(file, self.reading.options())?;
        let name = reader.name().to_owned();
        let mut counts = Counts::default();
        map_ordered(
            &mut reader,
            self.threads.count(),
            || search.query.matcher(),
            |matcher, item, chunk: &mut Chunk| match item {
                Item::Sentence(sentence) => {
                    let file = name.as_str();
                    search.sentence(matcher, file, sentence, chunk);
                }
                Item::Rejected { error, .. } => chunk.errors.push(error),
            },
            |chunk| -> anyhow::Result<()> {
                for error in chunk.errors {
                    tally.rejected += 1;
                    self.reading.refuse(error)?;
                }
                for failure in chunk.failures {
                    tally.rejected += 1;
                    anstream::eprintln!("{}", conll::printable(&failure));
                }
                tally.sentences += chunk.counts.sentences;
                counts.add(chunk.counts);
                for (group, count) in chunk.groups {
                    *groups.entry(group).or_default() += count;
                }
                out.add(&chunk.text, chunk.drawings)
            },
        )?;
        self.reading.warn(&reader);
        Ok(counts)
    }
}

/// The keys of `--by`: commas divide them outside of parentheses.
fn keys_of(text: &str) -> Vec<&str> {
    let (mut keys, mut start, mut depth) = (Vec::new(), 0, 0u32);
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                keys.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    keys.push(&text[start..]);
    keys
}

impl Search {
    fn sentence(
        &self,
        matcher: &mut Matcher<'_>,
        file: &str,
        sentence: &mut conll::Sentence,
        chunk: &mut Chunk,
    ) {
        chunk.counts.sentences += 1;
        chunk.counts.words += sentence.len() as u64;
        let found = if self.invert {
            matcher.is_match(sentence).map(|found| (!found).then(Vec::new))
        } else {
            matcher.find(sentence).map(|matches| {
                let count = matches.len();
                chunk.counts.matches += count as u64;
                (count > 0).then(|| matches.flatten().copied().collect::<Vec<u32>>())
            })
        };
        let found = match found {
            Ok(Some(found)) => found,
            Ok(None) => return,
            Err(error) => {
                let line = sentence.first_line();
                chunk.failures.push(format!("{file}:{line}: {error}"));
                return;
            }
        };
        chunk.counts.chosen += 1;
        let width = self.query.names().len();
        let one = [&found[..]];
        let matches: Vec<&[u32]> = match width {
            0 => one.to_vec(),
            _ if self.invert => one.to_vec(),
            width => found.chunks_exact(width).collect(),
        };
        if !self.keys.is_empty() {
            for matched in matches {
                let group = self.keys.iter().map(|key| key.value(sentence, matched).into_owned());
                *chunk.groups.entry(group.collect()).or_default() += 1;
            }
            return;
        }
        if self.silent {
            return;
        }
        let none = Names(Vec::new());
        let names = if self.invert { &none } else { &self.names };
        let place = Place { file, sentence };
        let out = &mut chunk.text;
        match self.target {
            Target::Concordance => {
                for found in matches {
                    show::concordance(place, found, self.width, out);
                }
            }
            Target::Csv | Target::Tsv => {
                let kind = self.delimited();
                for found in matches {
                    show::row(place, names, found, kind, out);
                }
            }
            Target::Json => {
                for found in matches {
                    show::object(place, names, found, out);
                }
            }
            Target::Conllu => show::treebank(sentence, names, &found, width, out),
            Target::Draw | Target::Svg | Target::Html => {
                let width = if self.invert { 0 } else { width };
                chunk.drawings.push(show::drawing(place, names, &found, width));
            }
        }
    }

    fn delimited(&self) -> Delimited {
        if self.target == Target::Csv { Delimited::Csv } else { Delimited::Tsv }
    }
}

/// Where matches go.
struct Printer {
    sink: Sink,
    album: Option<Album>,
}

impl Printer {
    fn new(search: &Search, mut sink: Sink) -> anyhow::Result<Printer> {
        let picture = match search.target {
            Target::Draw => Some(Picture::Terminal),
            Target::Svg => Some(Picture::Svg),
            Target::Html => Some(Picture::Html),
            _ => None,
        };
        if search.silent {
            return Ok(Printer { sink, album: None });
        }
        if matches!(search.target, Target::Csv | Target::Tsv) {
            let mut text = Vec::new();
            let none = Names(Vec::new());
            let names = if search.invert { &none } else { &search.names };
            show::header(names, search.delimited(), &mut text);
            sink.write_all(&text)?;
        }
        let Some(picture) = picture else { return Ok(Printer { sink, album: None }) };
        let to_terminal = picture == Picture::Terminal;
        let colour = to_terminal
            && matches!(sink, Sink::Stdout(_))
            && anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
        let width = if to_terminal { search.width } else { Options::PICTURE_WIDTH };
        let options = Options { layout: Layout::Auto, width, colour };
        let mut album = Album::new(picture, options, sink);
        album.begin("What was found")?;
        Ok(Printer { sink: Sink::Nothing, album: Some(album) })
    }

    fn add(&mut self, text: &[u8], drawings: Vec<Drawing>) -> anyhow::Result<()> {
        if let Some(album) = &mut self.album {
            drawings.into_iter().try_for_each(|drawing| album.add(drawing))?;
        }
        self.sink.write_all(text)?;
        self.sink.pass_on().map_err(Into::into)
    }

    fn finish(self) -> anyhow::Result<()> {
        match self.album {
            Some(album) => album.end(),
            None => self.sink.finish(),
        }
    }
}

/// The table of frequencies, the most frequent first.
fn write_groups(
    search: &Search,
    groups: &BTreeMap<Vec<String>, u64>,
    out: &mut Sink,
) -> anyhow::Result<()> {
    let mut rows: Vec<(&Vec<String>, u64)> =
        groups.iter().map(|(key, &count)| (key, count)).collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let total: u64 = rows.iter().map(|(_, count)| count).sum();
    let percent = |count: u64| format!("{:.2}", 100.0 * count as f64 / total.max(1) as f64);
    let names: Vec<&str> = search.keys.iter().map(Key::text).collect();
    let header = names.iter().copied().chain(["count", "percent"]);
    match search.target {
        Target::Csv | Target::Tsv => {
            let mut text = Vec::new();
            search.delimited().row(header, &mut text);
            for (group, count) in rows {
                let figures = [count.to_string(), percent(count)];
                let cells = group.iter().chain(&figures).map(String::as_str);
                search.delimited().row(cells, &mut text);
            }
            out.write_all(&text)?;
        }
        Target::Json => {
            for (group, count) in rows {
                let values = names
                    .iter()
                    .zip(group)
                    .map(|(name, value)| ((*name).to_owned(), value.as_str().into()));
                let mut object: serde_json::Map<String, serde_json::Value> = values.collect();
                object.insert("count".to_owned(), count.into());
                writeln!(out, "{}", serde_json::Value::Object(object))?;
            }
        }
        Target::Concordance | Target::Conllu | Target::Draw | Target::Svg | Target::Html => {
            let mut table = Table::new(header);
            for (group, count) in rows {
                table.row(group.iter().cloned().chain([thousands(count), percent(count)]));
            }
            table.write(out)?;
        }
    }
    Ok(())
}
