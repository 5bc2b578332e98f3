//! `crossarc man`
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::arguments::Output;

/// Columns of the help in Markdown.
const COLUMNS: usize = 100;

/// Writes a page for each command, and one that lists them.
fn write_pages(program: &clap::Command, folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut list = String::from("# Commands\n\n| command | what it does |\n|---|---|\n");
    for command in program.get_subcommands() {
        let name = command.get_name();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(list, "| [{name}]({name}.md) | {about} |");
        let help = command.clone().term_width(COLUMNS).render_long_help().to_string();
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        let page = format!("# crossarc {name}\n\n```text\n{}\n```\n", lines.join("\n").trim_end());
        std::fs::write(folder.join(format!("{name}.md")), page)?;
    }
    std::fs::write(folder.join("index.md"), list)
}

/// Print the manual page of the program or of a command.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc man | man -l -\n  crossarc man convert | man -l -\n  crossarc man --all ~/.local/share/man/man1\n  crossarc man --markdown pages/"
)]
pub struct Man {
    /// The command to describe; the whole program if not given
    #[arg(value_name = "COMMAND")]
    command: Option<String>,

    /// Write the pages of the program and of all commands into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["command", "output"])]
    all: Option<PathBuf>,

    /// Write the help of all commands into this folder as pages in Markdown
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["command", "output", "all"])]
    markdown: Option<PathBuf>,

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
        if let Some(folder) = &self.markdown {
            write_pages(&program, folder)
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
