//! `crossarc select`
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use conll::Sentence;
use crossarc::annotate::AnnotateOptions;
use crossarc::parser::ParseOptions;
use crossarc::pipeline::{Components, Steps};
use crossarc::select::{Candidate, select};
use rayon::prelude::*;

use crate::arguments::{Inputs, OpeningArgument, Output, Threads};

/// Select the sentences that are most worth annotating next.
///
/// A model parses the pool. Sentences are worth more the less sure it is of their arcs, and the less
/// they are like those that have been selected before. They come out best first, as the model has
/// parsed them, with `Score=` in MISC, ready to be corrected.
#[derive(Args)]
#[command(after_help = "\
Examples:
  crossarc select -m hu.crossarc pool.conllu --words 5000 -o next.conllu
  crossarc parse -m hu.crossarc --from text novel.txt | crossarc select -m hu.crossarc --words 1000
  crossarc select -m hu.crossarc pool.conllu --words 2000 --longest 40 -o next.conllu

Then correct next.conllu, add it to the training files, train again, and select again.")]
pub struct Select {
    /// The model that is to become better
    #[arg(long, short, value_name = "FILE")]
    model: PathBuf,

    #[command(flatten)]
    opening: OpeningArgument,

    /// Words to select, in whole sentences
    #[arg(long, value_name = "N", default_value_t = 5000)]
    words: usize,

    /// Leave out sentences with more words than this
    #[arg(long, value_name = "WORDS", default_value_t = 60)]
    longest: usize,

    /// Leave out sentences with fewer words than this
    #[arg(long, value_name = "WORDS", default_value_t = 4)]
    shortest: usize,

    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    output: Output,

    #[command(flatten)]
    threads: Threads,
}

impl Select {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        rayon::ThreadPoolBuilder::new().num_threads(self.threads.count()).build_global()?;
        let pipeline = Components::open_by(&self.model, self.opening.into())?;
        let (mut sentences, tally) = self.inputs.read_all(self.inputs.reading.options())?;
        sentences.retain(|one| (self.shortest..=self.longest).contains(&one.len()));
        let parse = ParseOptions { confidences: true, ..ParseOptions::default() };
        let options = AnnotateOptions { parse, ..AnnotateOptions::default() };
        let quiet = self.inputs.reading.quiet.quiet;
        if let Some(lacking) = pipeline.lacking(&sentences, Steps::default()).filter(|_| !quiet) {
            anstream::eprintln!("warning: {lacking}");
        }
        let candidates: Vec<Candidate> = sentences
            .par_chunks_mut(32)
            .flat_map_iter(|chunk| {
                let mut worker = pipeline.worker(Steps::default(), options.clone());
                let one = |sentence: &mut Sentence| match worker.annotate(sentence) {
                    Ok(_) => Candidate::of(sentence),
                    Err(_) => Candidate::default(),
                };
                chunk.iter_mut().map(one).collect::<Vec<_>>()
            })
            .collect();
        // Each word counts by its form and by its arc.
        let selected = select(&candidates, 2 * self.words);
        let mut out = self.output.create()?;
        let mut words = 0;
        for (rank, one) in (1..).zip(&selected) {
            let sentence = &mut sentences[one.sentence];
            words += sentence.len();
            sentence.set_comment("selected", &rank.to_string());
            sentence.set_comment("value", &format!("{:.4}", one.value));
            sentence.write_to(&mut out)?;
        }
        out.flush()?;
        out.finish()?;
        if !quiet {
            anstream::eprintln!(
                "selected {} of {} sentences, {words} words",
                selected.len(),
                candidates.len()
            );
        }
        Ok(tally.exit_code())
    }
}
