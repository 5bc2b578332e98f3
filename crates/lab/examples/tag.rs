//! Trains a tagger and a lemmatizer, and tells how good they are: `tag TRAIN DEV [TEST]`.
//!
//! Options of the tagger are read from the environment: EPOCHS, RUNS, STEP, MARGIN, DROPOUT, NOISE,
//! CHANCE, EXPLORE, LEAST, PRUNE, BYTES, BOTH; `LEMMA_BYTES` limits the lemmatizer. OUT names a file for
//! the annotated sentences of the last input.
use std::time::Instant;

use conll::{ReadOptions, Reader, Sentence, Word};
use crossarc::text::lemma::{Lemmatizer, LemmatizerOptions};
use crossarc::text::tag::{Tagger, TaggerOptions};

fn read(path: &str) -> Result<Vec<Sentence>, conll::Error> {
    let mut reader = Reader::open(path, ReadOptions::default())?;
    let mut sentences = Vec::new();
    let mut sentence = Sentence::default();
    while reader.read(&mut sentence)? {
        sentences.push(sentence.clone());
    }
    Ok(sentences)
}

fn seconds() -> f64 {
    crossarc_lab::processor_time::thread_seconds().unwrap_or_default()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [train, dev, ..] = &paths[..] else { return Err("usage: tag TRAIN DEV [TEST]".into()) };
    let (train, dev) = (read(train)?, read(dev)?);
    let start = Instant::now();
    let number = |name, default: f64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let d = TaggerOptions::default();
    let options = TaggerOptions {
        epochs: number("EPOCHS", d.epochs as f64) as usize,
        runs: number("RUNS", d.runs as f64) as usize,
        step: number("STEP", d.step.into()) as f32,
        margin: number("MARGIN", d.margin.into()) as f32,
        dropout: number("DROPOUT", d.dropout),
        noise: number("NOISE", d.noise),
        least_chance: number("CHANCE", d.least_chance.into()) as f32,
        exploration: number("EXPLORE", d.exploration),
        least_count: number("LEAST", d.least_count.into()) as u8,
        prune: number("PRUNE", d.prune.into()) as f32,
        both_directions: number("BOTH", 1.0) > 0.0,
        most_bytes: Some(number("BYTES", 1e12) as usize),
        ..d
    };
    let tagger = Tagger::train(&train, &dev, &options, &|p| {
        eprintln!(
            "{:?} {} {} {:.2} {:?}",
            p.step,
            p.run,
            p.epoch,
            p.dev.unwrap_or(0.0),
            start.elapsed()
        );
    })?;
    println!(
        "{:.2?} trained in {:?}, sizes {:?}",
        tagger.training().dev,
        start.elapsed(),
        tagger.sizes()
    );
    let start = Instant::now();
    let lemmatizer = Lemmatizer::train(
        &train,
        &dev,
        &LemmatizerOptions {
            most_bytes: Some(number("LEMMA_BYTES", 1e12) as usize),
            ..LemmatizerOptions::default()
        },
    );
    println!(
        "{:?} in {:?}, sizes {:?}",
        lemmatizer.training(),
        start.elapsed(),
        lemmatizer.sizes()
    );
    for path in &paths[1..] {
        let gold = read(path)?;
        let mut system = gold.clone();
        let (mut memory, mut lemma_memory) = Default::default();
        let start = seconds();
        for sentence in &mut system {
            tagger.tag(sentence, &mut memory);
        }
        let tagging = seconds() - start;
        for sentence in &mut system {
            lemmatizer.lemmatize(sentence, &mut lemma_memory);
        }
        let all = seconds() - start;
        if let Ok(out) = std::env::var("OUT") {
            let mut file = std::fs::File::create(out)?;
            for sentence in &system {
                sentence.write_to(&mut file)?;
            }
        }
        let pairs =
            || gold.iter().zip(&system).flat_map(|(gold, own)| gold.words().zip(own.words()));
        let words = pairs().count().max(1) as f64;
        let share = |same: fn(&(Word<'_>, Word<'_>)) -> bool| {
            pairs().filter(same).count() as f64 * 100.0 / words
        };
        println!(
            "{path}: UPOS {:.2} XPOS {:.2} FEATS {:.2} lemma {:.2}; {:.0} words per CPU second, with lemmas {:.0}",
            share(|(gold, own)| gold.upos() == own.upos()),
            share(|(gold, own)| gold.xpos() == own.xpos()),
            share(|(gold, own)| gold.feats() == own.feats()),
            share(|(gold, own)| gold.lemma() == own.lemma()),
            words / tagging,
            words / all,
        );
    }
    Ok(())
}
