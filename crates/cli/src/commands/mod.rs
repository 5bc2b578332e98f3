//! The subcommands. To add one: a file here, a line in [`Command`] and a line in `run`.
mod completions;

use std::process::ExitCode;

use clap::Subcommand;

/// What `crossarc` can do.
#[derive(Subcommand)]
pub enum Command {
    /// Print completions for a shell
    Completions(completions::Completions),
}

impl Command {
    /// Runs the command; an error is bad data or a bad result (exit code 1).
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Command::Completions(command) => command.run(),
        }
    }
}
