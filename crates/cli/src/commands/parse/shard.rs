//! A part of many files, for jobs that share the work, and the manifest of all of them.
//!
//! File number `n` of the input, from 0, belongs to shard `n mod N`. Every job gets the same inputs and the same
//! folder; what the others have done is seen there.
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use super::inputs::Document;
use crate::arguments::Output;

/// Which of how many shards.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    number: usize,
    count: usize,
}

/// `I/N`, or `slurm` for what SLURM says about a job of an array.
pub fn shard(text: &str) -> Result<Shard, String> {
    let made =
        if text == "slurm" { of_slurm(|name| std::env::var(name).ok())? } else { told(text)? };
    if made.number < made.count {
        return Ok(made);
    }
    Err(format!("shard {} of {}: shards are counted from 0", made.number, made.count))
}

fn told(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(number, count)| {
        Some(Shard { number: number.parse().ok()?, count: count.parse().ok()? })
    });
    parts.ok_or_else(|| "expected I/N, as 3/100, or slurm".to_owned())
}

fn of_slurm(variable: impl Fn(&str) -> Option<String>) -> Result<Shard, String> {
    let read = |name: &str| -> Result<usize, String> {
        let value = variable(name).ok_or_else(|| {
            format!("{name} is not set: `slurm` is for jobs of an array (sbatch --array=0-99)")
        })?;
        value.parse().map_err(|_| format!("{name} is `{value}`, expected a number"))
    };
    let (task, count) = (read("SLURM_ARRAY_TASK_ID")?, read("SLURM_ARRAY_TASK_COUNT")?);
    let first = read("SLURM_ARRAY_TASK_MIN").unwrap_or(0);
    Ok(Shard { number: task.saturating_sub(first), count })
}

/// All files of all shards.
pub struct Manifest {
    path: PathBuf,
    model: Option<PathBuf>,
    files: Vec<(String, PathBuf)>,
}

impl Manifest {
    /// Leaves those documents that belong to the shard; every one must have a file of its own.
    pub fn of(
        shard: Shard,
        folder: &Path,
        model: Option<&PathBuf>,
        documents: &mut Vec<Document>,
    ) -> anyhow::Result<Manifest> {
        let mut files = Vec::new();
        for document in &*documents {
            let output = document.output.clone();
            let output = output.context("--shard needs a folder for the output: -o parsed/")?;
            files.push((document.input.clone(), output));
        }
        let mut number = 0..;
        documents
            .retain(|_| number.next().is_some_and(|at: usize| at % shard.count == shard.number));
        Ok(Manifest { path: folder.join("manifest.json"), model: model.cloned(), files })
    }

    /// Writes the manifest if all files are there.
    pub fn write(&self) -> anyhow::Result<()> {
        let mut listed = Vec::new();
        for (input, output) in &self.files {
            let Ok(about) = fs::metadata(output) else { return Ok(()) };
            let output = output.to_string_lossy();
            listed.push(json!({ "input": input, "output": output, "bytes": about.len() }));
        }
        let model = self.model.as_ref().map_or(Value::Null, |path| path.to_string_lossy().into());
        let version = env!("CARGO_PKG_VERSION");
        let told = json!({ "crossarc": version, "model": model, "files": listed });
        let mut sink = Output { output: Some(self.path.clone()) }.create()?;
        writeln!(sink, "{told:#}")?;
        sink.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_counted_from_zero() {
        assert_eq!(shard("3/4"), Ok(Shard { number: 3, count: 4 }));
        for wrong in ["4/4", "0/0", "1", "a/b", "-1/3", "1/2/3", ""] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn slurm_says_which_one() {
        let array = |name: &str| match name {
            "SLURM_ARRAY_TASK_ID" => Some("7".to_owned()),
            "SLURM_ARRAY_TASK_COUNT" => Some("4".to_owned()),
            "SLURM_ARRAY_TASK_MIN" => Some("5".to_owned()),
            _ => None,
        };
        assert_eq!(of_slurm(array), Ok(Shard { number: 2, count: 4 }));
        let error = of_slurm(|_| None).unwrap_err();
        assert!(error.contains("SLURM_ARRAY_TASK_ID is not set"), "{error}");
    }
}
