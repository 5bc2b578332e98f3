//! The subcommands. To add one: a file here, a line in [`Command`] and a line in `run`.
mod analyze;
mod bench;
mod check;
mod compare;
mod completions;
mod convert;
mod draw;
mod eval;
mod find;
mod folds;
mod help;
mod info;
mod man;
mod parse;
mod select;
mod serve;
mod shuffle;
mod split;
mod stats;
pub mod train;
mod transform;
mod vectors;
mod vote;

use std::process::ExitCode;

use clap::Subcommand;

/// What `crossarc` can do.
#[derive(Subcommand)]
pub enum Command {
    Analyze(Box<analyze::Analyze>),
    Bench(bench::Bench),
    Check(check::Check),
    Compare(Box<compare::Compare>),
    /// Print completions for a shell
    Completions(completions::Completions),
    Convert(convert::Convert),
    Draw(draw::Draw),
    Eval(eval::Eval),
    Find(find::Find),
    Folds(folds::Folds),
    Help(help::Help),
    Info(info::Info),
    Man(man::Man),
    Parse(parse::Parse),
    Select(select::Select),
    Serve(Box<serve::Serve>),
    Shuffle(shuffle::Shuffle),
    Split(split::Split),
    Stats(stats::Stats),
    Train(Box<train::Train>),
    Transform(transform::Transform),
    Vectors(vectors::Vectors),
    View(serve::View),
    Vote(vote::Vote),
}

impl Command {
    /// Runs the command; an error is bad data or a bad result (exit code 1).
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Command::Analyze(command) => command.run(),
            Command::Bench(command) => command.run(),
            Command::Check(command) => command.run(),
            Command::Compare(command) => command.run(),
            Command::Completions(command) => command.run(),
            Command::Convert(command) => command.run(),
            Command::Draw(command) => command.run(),
            Command::Eval(command) => command.run(),
            Command::Find(command) => command.run(),
            Command::Folds(command) => command.run(),
            Command::Help(command) => command.run(),
            Command::Info(command) => command.run(),
            Command::Man(command) => command.run(),
            Command::Parse(command) => command.run(),
            Command::Select(command) => command.run(),
            Command::Serve(command) => command.run(),
            Command::Shuffle(command) => command.run(),
            Command::Split(command) => command.run(),
            Command::Stats(command) => command.run(),
            Command::Train(command) => command.run(),
            Command::Transform(command) => command.run(),
            Command::Vectors(command) => command.run(),
            Command::View(command) => command.run(),
            Command::Vote(command) => command.run(),
        }
    }
}
