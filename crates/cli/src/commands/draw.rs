//! `crossarc draw FILE [FILE2]`
mod moves;

use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, ValueEnum};
use conll::{Reader, Sentence, printable};
use crossarc::draw::{Attachment, Drawing, Highlight, Layout, Options, Word};
use crossarc::draw::{displacy, dot, html, svg, terminal, tikz};

use crate::arguments::{Output, Reading, Sink, Tally};

/// Draw trees, or the difference between two annotations of the same sentences.
#[derive(Args)]
#[command(after_help = "\
Crossing arcs have heavy lines (--highlight). With two files the first is gold and the second the system's: arcs \
of both are plain, those of gold alone double or with long dashes, those of the system alone \
dotted or with short dashes; `nsubj/obj` is gold's label and the system's.

Examples:
  crossarc draw treebank.conllu --sentence 1
  crossarc draw treebank.conllu --sentence weblog-0042 -o picture.svg
  crossarc draw treebank.conllu --sentence 10-20 -o page.html
  crossarc draw gold.conllu system.conllu --to html -o differences.html
  crossarc draw treebank.conllu --sentence 3 --to dot | dot -Tpdf > tree.pdf
  crossarc draw treebank.conllu --sentence 3 --moves swap")]
pub struct Draw {
    /// The file to draw, or gold and system; none or `-` is standard input
    #[arg(value_name = "FILE", num_args = 0..=2)]
    files: Vec<PathBuf>,

    /// Which sentences: a number, a range `3-5` or `3-`, or a `sent_id` (write `id=3` for one that
    /// looks like a number); may be repeated; all if not given
    #[arg(long, short, value_name = "WHICH", value_parser = Choice::parse)]
    sentence: Vec<Choice>,

    /// What to draw; told by the name of the output file if not given
    #[arg(long, value_name = "FORMAT", value_enum)]
    to: Option<Target>,

    /// Arcs above a line of words (`across`), or beside a column of words (`down`); `auto` draws
    /// across what is not too wide
    #[arg(long, value_name = "LAYOUT", value_enum, default_value_t)]
    layout: LayoutArgument,

    /// Which arcs stand out: those that cross another (`crossing`), or those that pass over a word
    /// their head does not dominate (`non-projective`)
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    highlight: HighlightArgument,

    /// Columns (terminal) or pixels (svg, html) that `--layout auto` may fill; by default the
    /// terminal's width, or 1600 pixels
    #[arg(long, value_name = "N")]
    width: Option<usize>,

    /// Instead of a picture, how a transition system builds the tree: its moves, and the stack and the
    /// buffer behind each
    #[arg(long, value_name = "SYSTEM", value_parser = moves::systems())]
    #[arg(conflicts_with_all = ["to", "layout", "highlight", "width"])]
    moves: Option<String>,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    output: Output,
}

/// What to draw.
#[derive(Copy, Clone, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Box-drawing characters
    Terminal,
    /// A picture
    Svg,
    /// A page
    Html,
    /// LaTeX with tikz-dependency
    Tikz,
    /// Graphviz
    Dot,
    /// The JSON that displaCy draws: an object, or a list of them for several sentences
    Displacy,
}

/// Where the arcs are.
#[derive(Copy, Clone, Default, PartialEq, Eq, ValueEnum)]
enum LayoutArgument {
    /// Across if not too wide
    #[default]
    Auto,
    /// Above the words
    Across,
    /// Beside the words
    Down,
}

/// Which arcs stand out.
#[derive(Copy, Clone, Default, PartialEq, Eq, ValueEnum)]
enum HighlightArgument {
    /// Those that cross another
    #[default]
    Crossing,
    /// Those over a word that their head does not dominate
    NonProjective,
}

impl From<HighlightArgument> for Highlight {
    fn from(argument: HighlightArgument) -> Highlight {
        match argument {
            HighlightArgument::Crossing => Highlight::Crossing,
            HighlightArgument::NonProjective => Highlight::NonProjective,
        }
    }
}

/// Which sentences to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Choice {
    Numbers(RangeInclusive<usize>),
    Identifier(String),
}

impl Choice {
    fn parse(text: &str) -> Result<Choice, String> {
        let number = |text: &str| text.parse::<usize>().ok();
        if let Some(identifier) = text.strip_prefix("id=") {
            return Ok(Choice::Identifier(identifier.to_owned()));
        }
        let range = match text.split_once('-') {
            Some((first, "")) => number(first).map(|first| first..=usize::MAX),
            Some((first, last)) => number(first).zip(number(last)).map(|(a, b)| a..=b),
            None => number(text).map(|only| only..=only),
        };
        match range {
            Some(range) if *range.start() == 0 => Err("sentences are numbered from 1".to_owned()),
            Some(range) if range.is_empty() => Err("the range is empty".to_owned()),
            Some(range) => Ok(Choice::Numbers(range)),
            None => Ok(Choice::Identifier(text.to_owned())),
        }
    }

    fn holds(&self, number: usize, sentence: &Sentence) -> bool {
        match self {
            Choice::Numbers(range) => range.contains(&number),
            Choice::Identifier(name) => sentence.comment_value("sent_id") == Some(name),
        }
    }
}

/// The most sentences in one SVG picture; pages have no such limit.
const PICTURE_LIMIT: usize = 200;

impl Draw {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        if self.moves.is_some() && self.files.len() == 2 {
            let message = "--moves shows the trees of one file";
            crate::Cli::command().error(ErrorKind::ArgumentConflict, message).exit()
        }
        let target = self.target();
        let options = self.options(target);
        let mut tally = Tally::default();
        let mut album = Album {
            target,
            options,
            comparison: self.files.len() == 2,
            titled: !matches!(&self.sentence[..], [Choice::Numbers(range)] if range.start() == range.end()),
            drawn: 0,
            kept: Vec::new(),
            out: self.output.create()?,
        };
        album.begin(&self.title())?;
        let read = match &self.moves {
            None => self.each_chosen(&mut tally, |number, gold, system| {
                album.add(match system {
                    None => draw(number, gold.1, self.highlight.into()),
                    Some(system) => compare(number, gold, system, self.highlight.into())?,
                })
            })?,
            Some(name) => self.each_chosen(&mut tally, |number, gold, _| {
                album.add_text(&moves::table(&title_of(number, gold.1), gold.1, name)?)
            })?,
        };
        if album.drawn == 0 && (read > 0 || !self.sentence.is_empty()) {
            bail!("no such sentence: {} has {read} sentences", self.title());
        }
        album.end()?;
        tally.report();
        Ok(tally.exit_code())
    }

    fn target(&self) -> Target {
        if self.moves.is_some() {
            return Target::Terminal;
        }
        if let Some(target) = self.to {
            return target;
        }
        let Some(path) = &self.output.output else { return Target::Terminal };
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.unwrap_or_default() {
            "" | "txt" => Target::Terminal,
            "svg" => Target::Svg,
            "html" | "htm" => Target::Html,
            "tex" | "tikz" => Target::Tikz,
            "dot" | "gv" => Target::Dot,
            "json" => Target::Displacy,
            other => {
                let message = format!("cannot tell from `.{other}` what to draw; say so with --to");
                crate::Cli::command().error(ErrorKind::ValueValidation, message).exit()
            }
        }
    }

    fn options(&self, target: Target) -> Options {
        let to_stdout = self.output.output.as_deref().is_none_or(|path| path == Path::new("-"));
        let colour = to_stdout
            && anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        let layout = match self.layout {
            LayoutArgument::Auto => Layout::Auto,
            LayoutArgument::Across => Layout::Across,
            LayoutArgument::Down => Layout::Down,
        };
        let usual = match target {
            Target::Terminal if to_stdout => terminal_size::terminal_size()
                .map_or(Options::default().width, |(width, _)| usize::from(width.0)),
            Target::Terminal => Options::default().width,
            _ => Options::PICTURE_WIDTH,
        };
        Options { layout, width: self.width.unwrap_or(usual), colour }
    }

    fn title(&self) -> String {
        let name = |path: &PathBuf| match path.to_str() {
            Some("-") | None => "standard input".to_owned(),
            Some(path) => path.to_owned(),
        };
        match &self.files[..] {
            [] => "standard input".to_owned(),
            [file] => name(file),
            [gold, system, ..] => format!("{} and {}", name(gold), name(system)),
        }
    }

    /// Hands on each chosen sentence with its number, of both files if there are two; returns how many
    /// sentences were read.
    fn each_chosen(
        &self,
        tally: &mut Tally,
        mut each: impl FnMut(usize, Place<'_>, Option<Place<'_>>) -> anyhow::Result<()>,
    ) -> anyhow::Result<usize> {
        let options = self.reading.options();
        let first = self.files.first().map_or(Path::new("-"), PathBuf::as_path);
        let mut gold = Reader::open(first, options)?;
        let mut system = match self.files.get(1) {
            Some(path) => Some(Reader::open(path, options)?),
            None => None,
        };
        let mut waiting = self.sentence.clone();
        let mut sentence = Sentence::default();
        let mut other = Sentence::default();
        let mut number = 0;
        loop {
            match gold.read(&mut sentence) {
                Ok(true) => tally.sentences += 1,
                Ok(false) => break,
                Err(error) if system.is_some() => return Err(error.into()),
                Err(error) => {
                    self.reading.refuse(error)?;
                    tally.rejected += 1;
                    number += 1;
                    continue;
                }
            }
            number += 1;
            if let Some(system) = &mut system
                && !system.read(&mut other)?
            {
                bail!(
                    "{} ends after {} sentences, but {} goes on at line {}",
                    system.name(),
                    number - 1,
                    gold.name(),
                    sentence.first_line()
                );
            }
            let chosen = self.sentence.is_empty()
                || waiting.iter().any(|choice| choice.holds(number, &sentence));
            if chosen {
                let place = system.as_ref().map(|system| (system, &other));
                each(number, (&gold, &sentence), place)?;
            }
            waiting.retain(|choice| match choice {
                Choice::Numbers(range) => *range.end() > number,
                Choice::Identifier(_) => !choice.holds(number, &sentence),
            });
            if waiting.is_empty() && !self.sentence.is_empty() {
                return Ok(number);
            }
        }
        if let Some(system) = &mut system
            && system.read(&mut other)?
        {
            bail!(
                "{} ends after {number} sentences, but {} goes on at line {}",
                gold.name(),
                system.name(),
                other.first_line()
            );
        }
        for reader in std::iter::once(&gold).chain(&system) {
            self.reading.warn(reader);
        }
        Ok(number)
    }
}

/// A sentence, and the file that it stands in.
type Place<'a> = (&'a Reader, &'a Sentence);

fn title_of(number: usize, sentence: &Sentence) -> String {
    match sentence.comment_value("sent_id") {
        Some(name) => format!("{number} {name}"),
        None => number.to_string(),
    }
}

/// Forms with their universal tags, or with the treebank's own where there are no universal ones.
pub fn words_of(sentence: &Sentence) -> Vec<Word> {
    let universal = sentence.words().any(|word| word.upos() != "_");
    let tags = sentence.words().map(|word| if universal { word.upos() } else { word.xpos() });
    sentence
        .words()
        .zip(tags)
        .map(|(word, tag)| Word::new(word.form(), if tag == "_" { "" } else { tag }))
        .collect()
}

pub fn annotation_of(sentence: &Sentence) -> Vec<Attachment<'_>> {
    sentence.words().map(|word| (word.head(), word.deprel())).collect()
}

fn draw(number: usize, sentence: &Sentence, highlight: Highlight) -> Drawing {
    let title = title_of(number, sentence);
    Drawing::new(title, words_of(sentence), &annotation_of(sentence), highlight)
}

fn compare(
    number: usize,
    (gold_reader, gold): Place<'_>,
    (system_reader, system): Place<'_>,
    highlight: Highlight,
) -> anyhow::Result<Drawing> {
    let title = title_of(number, gold);
    for (ours, theirs) in gold.words().zip(system.words()) {
        if ours.form() != theirs.form() {
            bail!(
                "sentence {title}: word {} is `{}` at {}:{} but `{}` at {}:{}; \
                 only annotations of the same words can be compared",
                ours.id(),
                ours.form(),
                gold_reader.name(),
                ours.line(),
                theirs.form(),
                system_reader.name(),
                theirs.line(),
            );
        }
    }
    if gold.len() != system.len() {
        bail!(
            "sentence {title}: {} words at {}:{} but {} words at {}:{}; \
             only annotations of the same words can be compared",
            gold.len(),
            gold_reader.name(),
            gold.first_line(),
            system.len(),
            system_reader.name(),
            system.first_line(),
        );
    }
    let (ours, theirs) = (annotation_of(gold), annotation_of(system));
    Ok(Drawing::compare(title, words_of(gold), &ours, &theirs, highlight))
}

/// The output: what comes before, between and behind the sentences.
pub struct Album {
    target: Target,
    options: Options,
    comparison: bool,
    titled: bool,
    drawn: usize,
    /// Sentences that must wait until all are known.
    kept: Vec<Drawing>,
    out: Sink,
}

impl Album {
    /// Sentences with their titles.
    pub fn new(target: Target, options: Options, out: Sink) -> Album {
        let (kept, drawn) = (Vec::new(), 0);
        Album { target, options, comparison: false, titled: true, drawn, kept, out }
    }

    /// Writes what comes before the sentences.
    pub fn begin(&mut self, title: &str) -> anyhow::Result<()> {
        match self.target {
            Target::Html => self.out.write_all(html::opening(title, self.comparison).as_bytes())?,
            Target::Tikz => self.out.write_all(tikz::OPENING.as_bytes())?,
            Target::Terminal | Target::Svg | Target::Dot | Target::Displacy => {}
        }
        Ok(())
    }

    /// Takes in a sentence.
    pub fn add(&mut self, drawing: Drawing) -> anyhow::Result<()> {
        self.drawn += 1;
        let text = match self.target {
            Target::Terminal => {
                let gap = if self.drawn > 1 { "\n" } else { "" };
                let title = if self.titled {
                    format!("# {}\n", printable(&drawing.title))
                } else {
                    String::new()
                };
                format!("{gap}{title}{}", terminal::render(&drawing, &self.options))
            }
            Target::Html => html::section(&drawing, self.drawn, &self.options),
            Target::Tikz => tikz::picture(&drawing),
            Target::Dot => dot::render(&drawing),
            Target::Svg => {
                if self.drawn > PICTURE_LIMIT {
                    bail!(
                        "more than {PICTURE_LIMIT} sentences for one picture; \
                         choose some with --sentence, or draw a page with --to html"
                    );
                }
                self.kept.push(drawing);
                return Ok(());
            }
            Target::Displacy => {
                if self.drawn == 1 {
                    self.kept.push(drawing);
                    return Ok(());
                }
                let first = self.kept.pop();
                let first = first.map(|first| format!("[{}", displacy::value(&first)));
                format!("{},\n{}", first.unwrap_or_default(), displacy::value(&drawing))
            }
        };
        self.out.write_all(text.as_bytes()).context("cannot write the drawing")
    }

    /// Takes in what is text already, with its title.
    fn add_text(&mut self, text: &str) -> anyhow::Result<()> {
        self.drawn += 1;
        let gap = if self.drawn > 1 { "\n" } else { "" };
        self.out.write_all(format!("{gap}{text}").as_bytes()).context("cannot write the drawing")
    }

    /// Writes what is left.
    pub fn end(mut self) -> anyhow::Result<()> {
        match self.target {
            Target::Terminal if self.comparison => {
                let legend = terminal::legend(self.options.colour);
                self.out.write_all(format!("\n{legend}").as_bytes())?;
            }
            Target::Terminal | Target::Dot => {}
            Target::Svg => {
                self.out.write_all(svg::document(&self.kept, &self.options).as_bytes())?;
            }
            Target::Html => self.out.write_all(html::CLOSING.as_bytes())?,
            Target::Tikz => self.out.write_all(tikz::CLOSING.as_bytes())?,
            Target::Displacy => match (self.drawn, self.kept.pop()) {
                (0, _) => self.out.write_all(b"[]\n")?,
                (_, Some(only)) => writeln!(self.out, "{}", displacy::value(&only))?,
                (_, None) => self.out.write_all(b"]\n")?,
            },
        }
        self.out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices() {
        assert_eq!(Choice::parse("3"), Ok(Choice::Numbers(3..=3)));
        assert_eq!(Choice::parse("3-5"), Ok(Choice::Numbers(3..=5)));
        assert_eq!(Choice::parse("3-"), Ok(Choice::Numbers(3..=usize::MAX)));
        assert_eq!(Choice::parse("id=3"), Ok(Choice::Identifier("3".to_owned())));
        assert_eq!(Choice::parse("dev-s17"), Ok(Choice::Identifier("dev-s17".to_owned())));
        assert!(Choice::parse("0").is_err());
        assert!(Choice::parse("5-3").is_err());
    }
}
