//! `crossarc split`
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;

use crate::arguments::Inputs;
use crate::units::{UnitArguments, Units};

/// Divide treebanks into parts, such as train, dev and test.
///
/// Which sentence goes where is drawn at random; within a part the sentences keep their order.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc split treebank.conllu --parts 80,10,10 -o parts/\n      writes parts/train.conllu, parts/dev.conllu and parts/test.conllu\n  crossarc split treebank.conllu --parts 9,1 --names train,test --documents --seed 3 -o parts/\n  crossarc split treebank.conllu --parts 1,1 --names first,second --in-order -o halves/"
)]
pub struct Split {
    #[command(flatten)]
    inputs: Inputs,

    /// The shares of the parts, in any unit
    #[arg(long, value_name = "SHARES", value_delimiter = ',', default_value = "80,10,10")]
    parts: Vec<f64>,

    /// The names of the parts [default: train,dev,test, or train,test, or 1,2,...]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    names: Vec<String>,

    /// Cut the treebank as it stands, without drawing at random
    #[arg(long)]
    in_order: bool,

    #[command(flatten)]
    units: UnitArguments,

    /// Folder for the parts; made if it does not exist
    #[arg(long, short, value_name = "FOLDER")]
    output: PathBuf,
}

impl Split {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let names = self.part_names()?;
        let whole: f64 = self.parts.iter().sum();
        ensure!(
            self.parts.iter().all(|share| *share >= 0.0) && whole.is_finite() && whole > 0.0,
            "--parts needs numbers that are not negative and not all 0, for example 80,10,10"
        );
        let (units, tally) = Units::read(&self.inputs, self.units)?;
        let order = if self.in_order {
            (0..units.len()).collect()
        } else {
            units.shuffled(self.units, "split")
        };
        std::fs::create_dir_all(&self.output)
            .with_context(|| format!("cannot make the folder {}", self.output.display()))?;
        let (mut start, mut shares) = (0, 0.0);
        for (name, share) in names.iter().zip(&self.parts) {
            shares += share;
            let end = ((shares / whole) * order.len() as f64).round() as usize;
            let end = end.clamp(start, order.len());
            let mut part = order[start..end].to_vec();
            part.sort_unstable();
            start = end;
            let path = self.output.join(format!("{name}.{}", units.extension()));
            let sentences = units.write_file(&part, &path)?;
            if !self.inputs.reading.quiet.quiet {
                anstream::eprintln!("{}: {sentences} sentences", path.display());
            }
        }
        Ok(tally.exit_code())
    }

    fn part_names(&self) -> anyhow::Result<Vec<String>> {
        let names: Vec<String> = match (self.names.as_slice(), self.parts.len()) {
            ([], 3) => ["train", "dev", "test"].map(str::to_owned).to_vec(),
            ([], 2) => ["train", "test"].map(str::to_owned).to_vec(),
            ([], parts) => (1..=parts).map(|part| part.to_string()).collect(),
            (names, _) => names.to_vec(),
        };
        ensure!(
            names.len() == self.parts.len(),
            "--names has {} names for the {} shares of --parts",
            names.len(),
            self.parts.len()
        );
        let is_plain = |name: &String| !name.is_empty() && !name.contains(['/', '\\', '\0']);
        ensure!(names.iter().all(is_plain), "--names must be plain file names without an ending");
        ensure!(
            (1..names.len()).all(|at| !names[..at].contains(&names[at])),
            "--names must differ from each other"
        );
        Ok(names)
    }
}
