//! The `crossarc` command: one file per subcommand under `commands/`.
//!
//! Exit codes: 0 all is well, 1 the data or the result is bad, 2 the command was used wrongly.
mod arguments;
mod commands;
mod table;
mod units;

use std::process::ExitCode;

use clap::Parser;

/// Dependency parsing in which crossing arcs are first-class.
#[derive(Parser)]
#[command(name = "crossarc", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(outcome) => outcome,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("crossarc: {}", told(&error));
            ExitCode::from(1)
        }
    }
}

/// The error and its causes, but for those that the message before them has told already.
fn told(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if message.is_empty() {
            message = cause;
        } else if !message.ends_with(&cause) {
            message.push_str(": ");
            message.push_str(&cause);
        }
    }
    message
}

/// Whether the reader of our output has gone, as `head` does: nothing to complain about.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
