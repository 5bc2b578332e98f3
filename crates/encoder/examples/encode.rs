//! Prints what an encoder makes of sentences, for comparisons with other programs: a line of words in, a
//! line of JSON out with the pieces of each word and all layers of all pieces, or with the last argument
//! `time` the words a second on one thread.
//!
//! `cargo run --release -p crossarc-encoder --example encode -- FOLDER [time] < WORDS`
use std::io::{self, BufRead, Write};
use std::time::Instant;

use encoder::{Encoder, TransformerMemory};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which folder?")?;
    let encoder = Encoder::open(folder.as_ref())?;
    let lines: Vec<String> = io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let sentences: Vec<Vec<&str>> = lines.iter().map(|line| line.split(' ').collect()).collect();
    if arguments.next().as_deref() == Some("time") {
        encoder.remember(0);
        let start = Instant::now();
        for batch in sentences.chunks(32) {
            encoder.outputs(batch);
        }
        let words: usize = sentences.iter().map(Vec::len).sum();
        println!("{:.0} words/s", words as f64 / start.elapsed().as_secs_f64());
        return Ok(());
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut memory = TransformerMemory::default();
    for words in sentences {
        let pieces = encoder.tokenizer().pieces(words.iter().copied());
        let of_words: Vec<&[u32]> = (0..words.len()).map(|word| pieces.of_word(word)).collect();
        let ids = encoder.tokenizer().with_special(&of_words.concat());
        let mut layers = Vec::new();
        if ids.len() <= encoder.transformer().places() {
            let lengths = [ids.len()];
            encoder.transformer().run(&ids, &lengths, &mut memory, |_, x| layers.push(x.to_vec()));
        }
        serde_json::to_writer(&mut out, &(of_words, ids, layers))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
