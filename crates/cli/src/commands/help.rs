//! `crossarc help [TOPIC]`
use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use crate::arguments::Output;

/// Show a chapter of the book, or the help of a command.
#[derive(Args)]
#[command(after_help = "\
Examples:
  crossarc help                what there is to read
  crossarc help start          the first chapter: start in five minutes
  crossarc help crossing-arcs
  crossarc help draw           the same as crossarc draw --help")]
pub struct Help {
    /// A chapter or a command; the list of chapters if not given
    #[arg(value_name = "TOPIC")]
    topic: Option<String>,
}

/// The chapters of the book by name, in its order.
macro_rules! chapters {
    ($($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("../../book/", $name, ".md")))),+]
    };
}

const CHAPTERS: [(&str, &str); 25] = chapters![
    "start",
    "parse",
    "train",
    "correct",
    "which-parser",
    "find",
    "evaluate",
    "coming-from",
    "crossing-arcs",
    "transition-systems",
    "graph-parsers",
    "neural",
    "combine",
    "python",
    "server",
    "clusters",
    "reproduce",
    "formats",
    "query-language",
    "templates",
    "recipes",
    "model-file",
    "limits",
    "glossary",
    "papers",
];

impl Help {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut out = Output::default().create()?;
        write!(out, "{}", text(self.topic.as_deref())?)?;
        out.finish()?;
        Ok(ExitCode::SUCCESS)
    }
}

fn text(topic: Option<&str>) -> anyhow::Result<String> {
    let Some(topic) = topic else {
        let title = |text: &str| text.lines().next().unwrap_or_default()[2..].to_owned();
        let lines = CHAPTERS.map(|(name, text)| format!("  {name:<20} {}\n", title(text)));
        return Ok(format!(
            "Chapters of the book (crossarc help CHAPTER):\n{}\ncrossarc --help lists the commands.\n",
            lines.concat()
        ));
    };
    if let Some((_, text)) = CHAPTERS.iter().find(|(name, _)| *name == topic) {
        // A command of the same name has its options elsewhere.
        let mut text = (*text).to_owned();
        if crate::command().find_subcommand(topic).is_some() {
            text = format!("{text}\nAll options: crossarc {topic} --help\n");
        }
        return Ok(text);
    }
    let mut program = crate::command();
    program.build();
    let command = program.find_subcommand_mut(topic).with_context(|| {
        format!("there is no chapter and no command `{topic}`; `crossarc help` lists the chapters")
    })?;
    Ok(command.render_long_help().to_string())
}
