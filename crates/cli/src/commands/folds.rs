//! `crossarc folds`
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};

use crate::arguments::{Inputs, Output};
use crate::units::{UnitArguments, Units};

/// Divide treebanks for cross-validation.
///
/// Every sentence is in the test part of exactly one fold and in the train part of all others;
/// within a part the sentences keep their order.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc folds treebank.conllu -k 10 -o folds/\n      writes folds/01/train.conllu, folds/01/test.conllu, ... folds/10/test.conllu\n  crossarc folds treebank.conllu -k 10 --fold 3 --part train -o train.conllu\n  crossarc folds treebank.conllu -k 10 --fold 3 --part test | crossarc stats"
)]
pub struct Folds {
    #[command(flatten)]
    inputs: Inputs,

    /// Number of folds
    #[arg(short, long = "folds", value_name = "K", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u32).range(2..=100_000))]
    k: u32,

    /// Write only this fold, from 1
    #[arg(long, value_name = "FOLD", requires = "part")]
    fold: Option<u32>,

    /// Which part of the fold to write, to standard output or to the file of `-o`
    #[arg(long, value_enum, requires = "fold")]
    part: Option<Part>,

    #[command(flatten)]
    units: UnitArguments,

    /// Folder for all folds, or file for one part of one fold
    #[arg(long, short, value_name = "PATH", required_unless_present = "fold")]
    output: Option<PathBuf>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Everything but the fold
    Train,
    /// The fold
    Test,
}

impl Folds {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let k = self.k as usize;
        if let Some(fold) = self.fold {
            ensure!((1..=self.k).contains(&fold), "--fold {fold} is not in 1 to {k}");
        }
        let (units, tally) = Units::read(&self.inputs, self.units)?;
        ensure!(
            units.len() >= k,
            "{k} folds need at least {k} sentences or documents, there are {}",
            units.len()
        );
        let mut fold_of = vec![0; units.len()];
        for (position, unit) in units.shuffled(self.units, "folds").into_iter().enumerate() {
            fold_of[unit] = position % k + 1;
        }
        let chosen = |fold: usize, part: Part| -> Vec<usize> {
            let is_in = |unit: &usize| (fold_of[*unit] == fold) == (part == Part::Test);
            (0..units.len()).filter(is_in).collect()
        };
        if let (Some(fold), Some(part)) = (self.fold, self.part) {
            let mut out = Output { output: self.output }.create()?;
            units.write(&chosen(fold as usize, part), &mut out)?;
            out.finish()?;
        } else if let Some(folder) = &self.output {
            let digits = k.to_string().len();
            for fold in 1..=k {
                let folder = folder.join(format!("{fold:0digits$}"));
                std::fs::create_dir_all(&folder)
                    .with_context(|| format!("cannot make the folder {}", folder.display()))?;
                for (part, name) in [(Part::Train, "train"), (Part::Test, "test")] {
                    let path = folder.join(format!("{name}.{}", units.extension()));
                    let sentences = units.write_file(&chosen(fold, part), &path)?;
                    if !self.inputs.reading.quiet.quiet {
                        anstream::eprintln!("{}: {sentences} sentences", path.display());
                    }
                }
            }
        }
        Ok(tally.exit_code())
    }
}
