//! `crossarc completions SHELL`
use std::io;
use std::process::ExitCode;

use clap::Args;

/// Print completions for a shell.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc completions bash > ~/.local/share/bash-completion/completions/crossarc\n  crossarc completions fish > ~/.config/fish/completions/crossarc.fish"
)]
pub struct Completions {
    /// The shell to write completions for
    shell: clap_complete::Shell,
}

impl Completions {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        clap_complete::generate(self.shell, &mut crate::command(), "crossarc", &mut io::stdout());
        Ok(ExitCode::SUCCESS)
    }
}
