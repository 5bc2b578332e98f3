//! The `crossarc` command: one file per subcommand under `commands/`.
//!
//! Exit codes: 0 all is well, 1 the data or the result is bad, 2 the command was used wrongly.
#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod delimited;
mod export;
mod interrupt;
mod parquet;
mod progress;
mod table;
mod units;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser};

/// Dependency parsing in which crossing arcs are first-class.
#[derive(Parser)]
#[command(name = "crossarc", version, arg_required_else_help = true, before_help = WHICH, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: commands::Command,
}

/// At the top of the help.
const WHICH: &str = "\
Which command do I need?
  to get trees from text or treebanks         parse
  to make a parser of my own                  train, then parse
  to find words and constructions             find
  to look at trees                            draw, view
  to know how good a parser is                eval, analyze, bench
  to compare many parsers                     compare
  to know what is in a treebank, or wrong     stats, check
  to change formats, make tables              convert, transform
  to divide a treebank                        split, folds, shuffle
  to let other programs parse                 serve
  to read how all this is done                help";

/// Words that users try, and what they mean.
const MEANT: [(&[&str], &str); 5] = [
    (&["search", "grep", "query", "filter"], "find 'V[upos=VERB] -[obj]-> O' treebank.conllu"),
    (&["tag", "tokenize", "lemmatize", "annotate"], "parse text.txt"),
    (&["validate", "lint"], "check treebank.conllu"),
    (&["evaluate", "score"], "eval gold.conllu system.conllu"),
    (&["show", "plot", "visualize"], "draw treebank.conllu"),
];

fn main() -> ExitCode {
    let matches = command().try_get_matches();
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches)).unwrap_or_else(|error| {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let asks = |pair: &[String]| pair[0] == "--parser" && pair[1] == "help";
        if error.kind() == ErrorKind::MissingRequiredArgument
            && words.first().is_some_and(|word| word == "train")
            && (words.windows(2).any(asks) || words.iter().any(|word| word == "--parser=help"))
        {
            commands::train::list_parsers();
            std::process::exit(0);
        }
        let word = words.into_iter().next().unwrap_or_default();
        let meant = MEANT.iter().find(|(words, _)| words.contains(&word.as_str()));
        if let (ErrorKind::InvalidSubcommand, Some((_, example))) = (error.kind(), meant) {
            anstream::eprintln!(
                "crossarc: there is no `{word}`; what you want is perhaps: crossarc {example}"
            );
            std::process::exit(2);
        }
        error.exit()
    });
    interrupt::remove_unfinished_files();
    match cli.command.run() {
        Ok(outcome) => outcome,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("crossarc: {}", told(&error));
            ExitCode::from(1)
        }
    }
}

/// The program and its subcommands, the long help in groups.
pub fn command() -> clap::Command {
    Cli::command().mut_subcommand("train", commands::train::help::grouped)
}

/// The error and its causes, but for those that the message before them has told already; safe for
/// terminals, whatever names and words of files stand in it.
pub fn told(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if message.is_empty() {
            message = cause;
        } else if !message.ends_with(&cause) {
            message.push_str(": ");
            message.push_str(&cause);
        }
    }
    let lines: Vec<_> = message.split('\n').map(conll::printable).collect();
    lines.join("\n")
}

/// Whether the reader of our output has gone, as `head` does: nothing to complain about.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
