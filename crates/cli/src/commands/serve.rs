//! `crossarc serve` and `crossarc view`
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;
use crossarc_server::log::LogFormat;
use crossarc_server::{Limits, Models, Shared, Sources, Treebanks};

/// Answer requests over HTTP: UDPipe's protocol, JSON, and a page to look at trees.
///
/// Clients name models, never files. Only programs on this machine can connect unless --address says
/// otherwise. SIGHUP reads the models anew, SIGTERM answers open requests and ends.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc serve\n  crossarc serve --model hungarian-szeged=hu.crossarc\n  crossarc serve --models-dir models --address 0.0.0.0:8080\n  curl -F data=@novel.txt -F tokenizer= -F tagger= -F parser= http://127.0.0.1:8080/process"
)]
pub struct Serve {
    /// A model with the name that clients use for it; the first one is the default
    #[arg(long, value_name = "NAME=FILE", value_parser = named)]
    model: Vec<(String, PathBuf)>,

    /// Folder of files NAME.crossarc, loaded when they are asked for
    #[arg(long, value_name = "FOLDER")]
    models_dir: Option<PathBuf>,

    /// The model of requests that name none [default: the first one]
    #[arg(long, value_name = "NAME")]
    default: Option<String>,

    /// Leave out the English model inside this program
    #[arg(long)]
    no_english: bool,

    /// Where to listen
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080")]
    address: String,

    /// Let pages of other origins send requests
    #[arg(long)]
    cors: bool,

    /// What to write to standard error about each request: its route, status and time, never its text
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "off")]
    log: Log,

    /// Most bytes of a request [default: 4000000]
    #[arg(long, value_name = "N")]
    max_bytes: Option<usize>,

    /// Most words of a sentence [default: 2000]
    #[arg(long, value_name = "N")]
    max_words: Option<usize>,

    /// Most sentences of a request [default: 20000]
    #[arg(long, value_name = "N")]
    max_sentences: Option<usize>,

    /// Most seconds for a request, waiting included [default: 60]
    #[arg(long, value_name = "N")]
    max_seconds: Option<u64>,

    /// Requests that are worked on at a time [default: number of cores]
    #[arg(long, value_name = "N")]
    concurrent: Option<usize>,

    /// Requests that may wait; more are refused with status 503 [default: 64]
    #[arg(long, value_name = "N")]
    queue: Option<usize>,

    /// Open connections [default: 512]
    #[arg(long, value_name = "N")]
    connections: Option<usize>,

    /// Seconds for the head of a request to arrive [default: 10]
    #[arg(long, value_name = "N")]
    header_seconds: Option<u64>,

    /// Seconds for the body of a request to arrive [default: 30]
    #[arg(long, value_name = "N")]
    body_seconds: Option<u64>,

    /// Models of the folder in memory at a time [default: 8]
    #[arg(long, value_name = "N")]
    loaded_models: Option<usize>,
}

/// How requests are logged.
#[derive(Copy, Clone, clap::ValueEnum)]
enum Log {
    /// Not at all
    Off,
    /// A line of text
    Text,
    /// A line of JSON
    Json,
}

fn named(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_owned(), PathBuf::from(file)))
        }
        _ => Err("expected NAME=FILE".to_owned()),
    }
}

fn log(message: &str) {
    anstream::eprintln!("crossarc: {message}");
}

/// Lines of the log stand alone, so that programs can read them.
fn say(line: &str) {
    anstream::eprintln!("{line}");
}

fn announce(address: SocketAddr) {
    anstream::eprintln!("crossarc: http://{address}/");
}

impl Serve {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut limits = Limits::default();
        let sizes = [
            (&mut limits.bytes, self.max_bytes),
            (&mut limits.sentence_words, self.max_words),
            (&mut limits.sentences, self.max_sentences),
            (&mut limits.concurrent, self.concurrent),
            (&mut limits.queue, self.queue),
            (&mut limits.connections, self.connections),
            (&mut limits.loaded_models, self.loaded_models),
        ];
        for (limit, wanted) in sizes {
            *limit = wanted.unwrap_or(*limit);
        }
        let times = [
            (&mut limits.seconds, self.max_seconds),
            (&mut limits.header_seconds, self.header_seconds),
            (&mut limits.body_seconds, self.body_seconds),
        ];
        for (limit, wanted) in times {
            *limit = wanted.unwrap_or(*limit);
        }
        let sources = Sources {
            files: self.model,
            folder: self.models_dir,
            without_english: self.no_english,
            default: self.default,
        };
        let models = Models::open(sources, limits.loaded_models, &mut |warning| log(&warning))?;
        anyhow::ensure!(
            !models.now().entries().is_empty(),
            "there is no model: give one with --model NAME=FILE, or leave out --no-english"
        );
        let mut shared = Shared::new(limits, models, Treebanks::default(), self.cors);
        shared.log = match self.log {
            Log::Off => LogFormat::Off,
            Log::Text => LogFormat::Text,
            Log::Json => LogFormat::Json,
        };
        shared.say = say;
        // The server listens to signals itself.
        crate::interrupt::stop_gently();
        crossarc_server::run(shared, &self.address, announce, log)
            .with_context(|| self.address.clone())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Look at treebanks on a page in the browser.
///
/// The page lists the sentences of the files, filters them by text, label or crossing arcs, and
/// draws their trees. Nothing leaves this machine.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc view treebank.conllu\n  crossarc view gold.conllu parsed.conllu.gz --address 127.0.0.1:9000"
)]
pub struct View {
    /// Files to look at
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    address: String,
}

impl View {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let treebanks = Treebanks::open(&self.files)?;
        let limits = Limits::default();
        let models = Models::open(Sources::default(), limits.loaded_models, &mut |_| ())?;
        let shared = Shared::new(limits, models, treebanks, false);
        // The server listens to signals itself.
        crate::interrupt::stop_gently();
        crossarc_server::run(shared, &self.address, announce, log)
            .with_context(|| self.address.clone())?;
        Ok(ExitCode::SUCCESS)
    }
}
