//! `crossarc shuffle`
use std::process::ExitCode;

use clap::Args;

use crate::arguments::{Inputs, Output};
use crate::units::{UnitArguments, Units};

/// Put the sentences of treebanks into random order.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  crossarc shuffle treebank.conllu --seed 7 -o shuffled.conllu\n  crossarc shuffle a.conllu b.conllu --documents > mixed.conllu"
)]
pub struct Shuffle {
    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    units: UnitArguments,

    #[command(flatten)]
    output: Output,
}

impl Shuffle {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let (units, tally) = Units::read(&self.inputs, self.units)?;
        let mut out = self.output.create()?;
        units.write(&units.shuffled(self.units, "shuffle"), &mut out)?;
        out.finish()?;
        Ok(tally.exit_code())
    }
}
