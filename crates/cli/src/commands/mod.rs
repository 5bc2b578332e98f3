//! The subcommands. To add one: a file here, a line in [`Command`] and a line in `run`.
mod check;
mod completions;
mod convert;
mod draw;
mod eval;
mod folds;
mod man;
mod shuffle;
mod split;
mod stats;
mod transform;

use std::process::ExitCode;

use clap::Subcommand;

/// What `crossarc` can do.
#[derive(Subcommand)]
pub enum Command {
    Check(check::Check),
    /// Print completions for a shell
    Completions(completions::Completions),
    Convert(convert::Convert),
    Draw(draw::Draw),
    Eval(eval::Eval),
    Folds(folds::Folds),
    Man(man::Man),
    Shuffle(shuffle::Shuffle),
    Split(split::Split),
    Stats(stats::Stats),
    Transform(transform::Transform),
}

impl Command {
    /// Runs the command; an error is bad data or a bad result (exit code 1).
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Command::Check(command) => command.run(),
            Command::Completions(command) => command.run(),
            Command::Convert(command) => command.run(),
            Command::Draw(command) => command.run(),
            Command::Eval(command) => command.run(),
            Command::Folds(command) => command.run(),
            Command::Man(command) => command.run(),
            Command::Shuffle(command) => command.run(),
            Command::Split(command) => command.run(),
            Command::Stats(command) => command.run(),
            Command::Transform(command) => command.run(),
        }
    }
}
