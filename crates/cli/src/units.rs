//! What is drawn at random when a treebank is shuffled or divided: sentences, or whole documents.
use std::path::Path;

use anyhow::Context;
use clap::Args;
use conll::{AtomicFile, Converter, Format, Sentence};
use crossarc::tree::seed::Seed;

use crate::arguments::{Inputs, SeedArgument, Tally};

/// What is kept together.
#[derive(Args, Clone, Copy, Debug)]
pub struct UnitArguments {
    /// Keep the sentences of a document together (a document starts at `# newdoc`)
    #[arg(long)]
    documents: bool,

    #[command(flatten)]
    seed: SeedArgument,
}

/// The sentences of the inputs, and where each unit of them starts.
pub struct Units {
    sentences: Vec<Sentence>,
    starts: Vec<usize>,
}

impl Units {
    /// Reads all inputs.
    pub fn read(inputs: &Inputs, how: UnitArguments) -> anyhow::Result<(Units, Tally)> {
        let (sentences, tally) = inputs.read_all(inputs.reading.options())?;
        let starts = (0..sentences.len())
            .filter(|&at| at == 0 || !how.documents || starts_document(&sentences[at]))
            .collect();
        Ok((Units { sentences, starts }, tally))
    }

    /// Number of units.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// All units in random order, the same for the same seed and purpose.
    pub fn shuffled(&self, how: UnitArguments, purpose: &str) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        Seed(how.seed.seed).fork(purpose, 0).rng().shuffle(&mut order);
        order
    }

    /// The sentences of some units, in the order given.
    pub fn sentences<'a>(&'a self, units: &'a [usize]) -> impl Iterator<Item = &'a Sentence> {
        units.iter().flat_map(|&unit| {
            let end = self.starts.get(unit + 1).copied().unwrap_or(self.sentences.len());
            &self.sentences[self.starts[unit]..end]
        })
    }

    /// The format of the first sentence.
    pub fn format(&self) -> Format {
        self.sentences.first().map_or(Format::ConllU, Sentence::format)
    }

    /// How a file of this format is called.
    pub fn extension(&self) -> &'static str {
        match self.format() {
            Format::ConllU => "conllu",
            Format::ConllUPlus => "conllup",
            Format::ConllX => "conll",
            Format::Conll2009 => "conll09",
        }
    }

    /// Writes some units.
    pub fn write(&self, units: &[usize], out: &mut impl std::io::Write) -> anyhow::Result<()> {
        let mut converter = Converter::new(self.format());
        for sentence in self.sentences(units) {
            converter.write(sentence, out)?;
        }
        Ok(())
    }

    /// Writes some units to a file; gives the number of sentences.
    pub fn write_file(&self, units: &[usize], path: &Path) -> anyhow::Result<usize> {
        let cannot_write = || format!("cannot write {}", path.display());
        let mut file = AtomicFile::create(path).with_context(cannot_write)?;
        self.write(units, &mut file).with_context(cannot_write)?;
        file.finish().with_context(cannot_write)?;
        Ok(self.sentences(units).count())
    }
}

fn starts_document(sentence: &Sentence) -> bool {
    sentence.comments().any(|comment| {
        let text = comment.trim_start_matches('#').trim_start();
        text.strip_prefix("newdoc").is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}
