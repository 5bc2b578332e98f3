//! `crossarc man`
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::arguments::Output;

/// Print the manual page of the program or of a command.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc man | man -l -\n  crossarc man convert | man -l -\n  crossarc man --all ~/.local/share/man/man1"
)]
pub struct Man {
    /// The command to describe; the whole program if not given
    #[arg(value_name = "COMMAND")]
    command: Option<String>,

    /// Write the pages of the program and of all commands into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["command", "output"])]
    all: Option<PathBuf>,

    #[command(flatten)]
    output: Output,
}

impl Man {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut program = crate::command();
        program.build();
        if let Some(folder) = &self.all {
            std::fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(program, folder))
                .with_context(|| format!("cannot write into {}", folder.display()))?;
            return Ok(ExitCode::SUCCESS);
        }
        let page = match &self.command {
            None => program,
            Some(name) => {
                let command = program.find_subcommand(name);
                let command = command.with_context(|| format!("there is no command `{name}`"))?;
                command.clone().display_name(format!("crossarc-{name}"))
            }
        };
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text)?;
        let mut out = self.output.create()?;
        out.write_all(&text)?;
        out.finish()?;
        Ok(ExitCode::SUCCESS)
    }
}
