//! `crossarc parse`
mod document;
mod inputs;
mod json_lines;
mod preview;
mod shard;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use anyhow::Context;
use clap::Args;
use conll::Format;
use conll::parallel::map_jobs;
use crossarc::Pipeline;
use crossarc::annotate::AnnotateOptions;
use crossarc::parser::{Approximate, ParseOptions};
use crossarc::pipeline::{Components, Steps};
use crossarc::text::tokenize::{MOST_TOKEN, MOST_TOKENS};

use self::document::{Course, Outlet, Report};
use self::inputs::{Document, Source};
use self::preview::Told;
use self::shard::Shard;
use crate::arguments::{
    OnError, OpeningArgument, Output, Quiet, Reading, RootsArgument, Threads, Unpacking,
    abbreviations, beam_width,
};
use crate::export::Kind;
use crate::progress::Progress;

/// Parse text or sentences with a model.
///
/// Text is split into sentences and words, tagged, lemmatized and parsed, as far as the model can.
/// Of treebank files HEAD and DEPREL are written, and tags and lemmas where a sentence has none; all
/// else comes out as it went in. Everything streams through, in order, on all cores, and memory does
/// not depend on the size of the input.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc parse \"A hearing is scheduled on the issue today.\"\n  crossarc parse --draw \"What are you going to do?\"\n  crossarc parse novel.txt -o novel.conllu\n  cat page.txt | crossarc parse | crossarc draw\n  crossarc parse -m hu.crossarc regény.txt -o regény.conllu\n  crossarc parse -m en.crossarc tagged.conllu -o parsed.conllu\n  zcat corpus.conllu.gz | crossarc parse -m en.crossarc > parsed.conllu\n  crossarc parse -m en.crossarc --tag --parse words.conllu\n  crossarc parse -m en.crossarc --from horizontal --to conllx tokenized.txt\n  crossarc parse -m en.crossarc --keep-heads half-annotated.conllu\n  crossarc parse texts/ -o parsed/ --skip-existing\n  crossarc parse texts/ -o parsed/ --skip-existing --shard 3/100\n  crossarc parse novel.txt -o novel.csv\n  crossarc parse --from jsonl --text-field body news.jsonl -o parsed.jsonl\n  crossarc parse --html page.html\n\nFormats of the input (--from):\n  text         raw text\n  lines        one sentence a line\n  horizontal   one sentence a line, blanks between words\n  vertical     one word a line, an empty line behind each sentence\n  jsonl        a JSON object a line, each a document; its other fields are kept\n  conllu, conllup, conllx, conll09\n\nFormats of the output (--to) besides those of treebanks:\n  csv, tsv     a table with the columns of the data frame of R\'s udpipe; cells of csv that a spreadsheet would\n               calculate begin with a quote\n  parquet      the same table for data frames\n  json, jsonl  documents with their sentences and tokens; a document a line\n  text         the text again\n  draw         trees, drawn for the terminal (--draw)\n\nA folder is parsed with all that is in it, hidden files apart. Documents are named by their files, and sentences\nare numbered in each: `# newdoc id = novel`, `# sent_id = novel-1`.\n\nExit codes: 0 all is well, 1 a sentence or document was bad, 2 wrong usage"
)]
#[allow(clippy::struct_excessive_bools, reason = "switches")]
pub struct Parse {
    /// Model to parse with; the English one inside this program if not given
    #[arg(long, short, value_name = "FILE")]
    model: Option<PathBuf>,

    #[command(flatten)]
    opening: OpeningArgument,

    /// Files or folders to parse, or text: an argument that holds a blank and neither is a file nor looks
    /// like the name of one is text. None or `-` is standard input; gzip, xz and zstd are recognised
    #[arg(value_name = "FILE|FOLDER|TEXT")]
    inputs: Vec<String>,

    /// Take all arguments for text
    #[arg(long)]
    text: bool,

    /// Format of the input; recognised by content if not given
    #[arg(long, value_name = "FORMAT", value_parser = inputs::source)]
    from: Option<Source>,

    /// JSON Lines: the field that holds the text
    #[arg(long, value_name = "NAME", default_value = "text")]
    text_field: String,

    /// JSON Lines: the field that names the document
    #[arg(long, value_name = "NAME", default_value = "id")]
    id_field: String,

    /// Take the text out of HTML: tags, scripts and styles go, paragraphs stay. Such a document is read as
    /// a whole
    #[arg(long)]
    html: bool,

    /// Write to this file instead of standard output; it appears when it is complete. A folder if the input
    /// is one: then there is a file in it for each of the input
    #[arg(long, short, value_name = "FILE|FOLDER")]
    output: Option<PathBuf>,

    /// With a folder for the output: leave out what is there already
    #[arg(long, requires = "output")]
    skip_existing: bool,

    /// Share the files with other jobs: do those whose number, from 0, is I when it is divided by N. `slurm`
    /// takes I and N of a job in SLURM's array. When the files of all shards are there, `manifest.json` in the
    /// folder of the output lists them
    #[arg(long, value_name = "I/N|slurm", value_parser = shard::shard, requires = "output")]
    shard: Option<Shard>,

    /// Draw the trees for the terminal, as --to draw does
    #[arg(long, conflicts_with = "to")]
    draw: bool,

    /// Format of the output: conllu, conllup, conllx, conll09, csv, tsv, parquet, json, jsonl, text or draw; told by the
    /// name of the output file, or that of the input, or conllu, if not given
    #[arg(long, value_name = "FORMAT", value_parser = target)]
    to: Option<Target>,

    /// Split text; with none of --tokenize, --tag and --parse all that is missing is done
    #[arg(long)]
    tokenize: bool,

    /// Find tags, features and lemmas, also where there are some
    #[arg(long)]
    tag: bool,

    /// Find heads and labels
    #[arg(long = "parse")]
    find_trees: bool,

    /// Refuse text that is not UTF-8 instead of replacing what cannot be read
    #[arg(long)]
    strict: bool,

    /// A file of abbreviations that end no sentence, one a line, besides those that the model knows: `Mrs.`,
    /// `No. number` (only before a number), `etc. either` (the tokenizer decides)
    #[arg(long, value_name = "FILE")]
    abbreviations: Option<PathBuf>,

    /// Leave out `SpacesAfter` and `SpacesBefore`, from which text can be rebuilt exactly
    #[arg(long)]
    no_spaces_after: bool,

    /// Put the place of every token in the text into MISC, as `TokenRange=0:5`, in characters
    #[arg(long)]
    token_range: bool,

    /// Width of the beam; what the model was trained for if not given
    #[arg(long, value_name = "N", value_parser = beam_width)]
    beam: Option<usize>,

    /// Exact search: graph parsers look at all heads, a beam drops nothing that has a place in it
    #[arg(long)]
    no_prune: bool,

    /// Graph parsers: crossing arcs by approximation: off, or by how much a change must gain
    #[arg(long, value_name = "off|T")]
    approximation: Option<Approximate>,

    /// Parser `eisner`, or a beam: write the N best trees of each sentence, with rank and score as comments
    #[arg(long, value_name = "N", conflicts_with_all = ["keep_heads", "scores"])]
    kbest: Option<usize>,

    /// Put into MISC how sure the parser is of each arc, as `Score=0.97`
    #[arg(long)]
    scores: bool,

    /// Keep heads and labels that are there already, and fill the gaps
    #[arg(long)]
    keep_heads: bool,

    /// With a model that was trained with --partial: let words without a head stay so, instead of giving
    /// every sentence a whole tree
    #[arg(long)]
    partial: bool,

    /// What to do with a bad sentence: `stop`, or `skip` it and go on (exit code 1 at the end)
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    on_error: OnError,

    /// How many words may have head 0: one in CoNLL-U and several in CoNLL-X (`format`), or
    /// everywhere `any` or `one`
    #[arg(long, value_name = "HOW-MANY", value_enum, default_value_t)]
    roots: RootsArgument,

    /// Take lemma, tag and features from the predicted columns (CoNLL-2009)
    #[arg(long)]
    predicted: bool,

    #[command(flatten)]
    unpacking: Unpacking,

    #[command(flatten)]
    quiet: Quiet,

    /// Number of threads; as many as there are cores if not given
    #[arg(long, visible_alias = "jobs", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

/// A format of the output.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Target {
    Treebank(Format),
    Export(Kind),
}

fn target(name: &str) -> Result<Target, String> {
    if let Some(kind) = Kind::named(name) {
        return Ok(Target::Export(kind));
    }
    name.parse().map(Target::Treebank).map_err(|error: conll::UnknownFormat| {
        format!("{error}, csv, tsv, parquet, json, jsonl, text, draw")
    })
}

impl Parse {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let abbreviations = abbreviations(self.abbreviations.as_deref())?;
        let pipeline = match &self.model {
            Some(path) => Pipeline::open_with(path, self.opening.into(), &abbreviations)?,
            None => crossarc_english::pipeline_with(&abbreviations)
                .context("the model inside this program")?,
        };
        let pipeline = pipeline.components();
        self.check_ranking(pipeline)?;
        let mut report = Report::default();
        let (documents, manifest) = self.documents(&mut report)?;
        let progress = if self.quiet.quiet || self.output.is_none() {
            Progress::hidden()
        } else {
            Progress::of_files(documents.iter().map(|document| document.path.as_deref()))
        };
        if manifest.is_some() || documents.iter().any(|document| document.output.is_some()) {
            self.each_to_its_file(pipeline, documents, &progress, &mut report)?;
        } else {
            self.all_to_one(pipeline, &documents, &progress, &mut report)?;
        }
        progress.finish();
        if let Some(manifest) = manifest {
            manifest.write()?;
        }
        if report.cheaper > 0 && !self.quiet.quiet {
            anstream::eprintln!(
                "{} sentences were too large for the search of this parser: a cheaper one was used",
                report.cheaper
            );
        }
        if report.cut > 0 && !self.quiet.quiet {
            anstream::eprintln!(
                "{} tokens of more than {MOST_TOKEN} characters or sentences of more than {MOST_TOKENS} tokens were cut",
                report.cut
            );
        }
        report.tally.report();
        if report.failed.is_empty() {
            return Ok(report.tally.exit_code());
        }
        anstream::eprintln!(
            "crossarc: {} bad: {}{}",
            match report.failed.len() as u64 + report.unnamed {
                1 => "1 document was".to_owned(),
                several => format!("{several} documents were"),
            },
            conll::printable(&report.failed.join(", ")),
            if report.unnamed > 0 { ", ..." } else { "" }
        );
        Ok(ExitCode::from(1))
    }

    /// Writes all documents to one output.
    fn all_to_one(
        &self,
        pipeline: &Components,
        documents: &[Document],
        progress: &Progress,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        let sink = Output { output: self.output.clone() }.create()?;
        let mut out = Outlet::new(sink, self.target());
        let told = Told::new(self.quiet.quiet);
        let course = Course { pipeline, threads: self.threads(), progress, told: &told };
        for document in documents {
            let outcome = self.document(course, document, &mut out);
            self.take(document, outcome, progress, report)?;
        }
        out.finish()
    }

    /// Writes every document to its own file, several at the same time.
    fn each_to_its_file(
        &self,
        pipeline: &Components,
        documents: Vec<Document>,
        progress: &Progress,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        let all = self.threads();
        let inside = if documents.len() > 1 { 1 } else { all };
        let told = Told::new(self.quiet.quiet);
        let course = Course { pipeline, threads: inside, progress, told: &told };
        let left = Mutex::new(documents.into_iter());
        map_jobs(
            all,
            || Ok::<_, anyhow::Error>(left.lock().ok().and_then(|mut left| left.next())),
            || (),
            |(), document| {
                let outcome = self.to_file(course, &document);
                (document, outcome)
            },
            |(document, outcome)| self.take(&document, outcome, progress, report),
        )
    }

    fn to_file(&self, course: Course<'_>, document: &Document) -> anyhow::Result<Report> {
        let folder = document.output.as_ref().and_then(|path| path.parent());
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        let sink = Output { output: document.output.clone() }.create()?;
        let mut out = Outlet::new(sink, self.target());
        let report = self.document(course, document, &mut out)?;
        out.finish()?;
        Ok(report)
    }

    /// Adds what became of a document; passes its error on, or only tells it if bad ones are skipped.
    fn take(
        &self,
        document: &Document,
        outcome: anyhow::Result<Report>,
        progress: &Progress,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        match outcome {
            Ok(more) => report.add(more),
            Err(error) if self.on_error == OnError::Stop || crate::is_broken_pipe(&error) => {
                return Err(error);
            }
            Err(error) => {
                progress.suspend(|| anstream::eprintln!("crossarc: {}", crate::told(&error)));
                report.fail(document.input.clone());
            }
        }
        Ok(())
    }

    fn threads(&self) -> usize {
        Threads { threads: self.threads }.count()
    }

    /// What is written, if that is said.
    fn target(&self) -> Option<Target> {
        let extension = self.output.as_ref().and_then(|path| path.extension());
        let told = extension.and_then(|extension| Kind::named(extension.to_str()?));
        let drawn = self.draw.then_some(Target::Export(Kind::Drawing));
        drawn.or(self.to).or(told.map(Target::Export))
    }

    /// The treebank format of the output, if that is said.
    fn format(&self) -> Option<Format> {
        match self.to {
            Some(Target::Treebank(format)) => Some(format),
            _ if matches!(self.target(), Some(Target::Export(_))) => Some(Format::ConllU),
            _ => None,
        }
    }

    fn check_ranking(&self, pipeline: &Components) -> anyhow::Result<()> {
        let Some(parser) = pipeline.parser.as_ref().filter(|_| self.kbest.is_some()) else {
            return Ok(());
        };
        let beam =
            parser.header.transition().is_some() && self.beam.unwrap_or(parser.header.beam()) > 1;
        anyhow::ensure!(
            parser.header.parser == "eisner" || beam,
            "--kbest needs a model of the parser `eisner` or a transition parser with a beam; this one is of `{}`",
            parser.header.parser
        );
        anyhow::ensure!(
            parser.header.codec.transformations.is_empty(),
            "--kbest does not go with a model that transforms sentences"
        );
        Ok(())
    }

    fn steps(&self) -> Steps {
        if self.tokenize || self.tag || self.find_trees {
            return Steps { tag: Some(self.tag), parse: self.find_trees };
        }
        Steps::default()
    }

    fn annotate_options(&self) -> AnnotateOptions {
        AnnotateOptions {
            parse: ParseOptions {
                beam: self.beam,
                confidences: self.scores,
                exact: self.no_prune,
                approximation: self.approximation,
            },
            keep_heads: self.keep_heads,
            headless: self.partial,
        }
    }

    fn reading(&self, from: Option<Format>) -> Reading {
        Reading {
            from,
            on_error: self.on_error,
            roots: self.roots,
            predicted: self.predicted,
            unpacking: self.unpacking,
            quiet: self.quiet,
        }
    }
}
