//! Random bytes and text through a pipeline: `cargo run --release --example fuzz_pipeline -- MODEL N`.
//!
//! Arguments: a pipeline, the number of inputs, and optionally a seed. Every output must be a valid
//! treebank from which the text can be rebuilt. A failure prints the seed of its input;
//! `fuzz_pipeline MODEL 1 SEED` repeats it.
use conll::ReadOptions;
use crossarc::annotate::AnnotateOptions;
use crossarc::pipeline::{Components, Steps, TextFormat, TextOptions};
use crossarc::text::tokenize::characters::Class;
use crossarc::text::tokenize::document::Blocks;
use crossarc::text::tokenize::spaces::rebuild;
use crossarc::text::tokenize::write::TokenNotes;
use crossarc::tree::seed::{Rng, Seed};

const PIECES: [&[u8]; 24] = [
    b" ",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\t",
    b"\xc2\xa0",
    b"\0",
    b".",
    b"...",
    b"?!",
    b"\"",
    b"(",
    b")",
    b"don't",
    b"U.S.",
    b"The",
    b"word",
    b"3.14",
    b"\xf0\x9f\x98\x80",
    b"\xd7\xa9",
    b"\xff",
    b"\xc3",
    b"\\|_#",
    b"\xe6\x97\xa5",
];

fn input(rng: &mut Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..rng.below(200) {
        match rng.below(8) {
            0 => bytes.push(rng.below(256) as u8),
            1 => {
                let character = char::from_u32(rng.next_u64() as u32 % 0x11_0000);
                bytes.extend(character.unwrap_or('x').to_string().into_bytes());
            }
            _ => bytes.extend_from_slice(PIECES[rng.below(PIECES.len())]),
        }
    }
    bytes
}

fn check(pipeline: &Components, bytes: &[u8], format: TextFormat) {
    let mut blocks = Blocks::new(std::io::Cursor::new(bytes.to_vec()), format.cut());
    let options = TextOptions { format, notes: TokenNotes { spaces: true, ranges: true } };
    let mut worker =
        pipeline.text_worker(Steps::default(), AnnotateOptions::default(), options, None);
    let (mut text, mut output) = (String::new(), Vec::new());
    while let Some(block) = blocks.next_block().expect("memory can be read") {
        text.push_str(&block.text);
        output.extend(worker.work(&block).expect("every text has sentences").text);
    }
    let output = String::from_utf8(output).expect("output is UTF-8");
    let options = ReadOptions { need_tree: true, ..ReadOptions::default() };
    let sentences = conll::read_str(&output, options).expect("output is a valid treebank");
    let is_gap = |character| Class::of(character) == Class::Gap;
    assert_eq!(sentences.is_empty(), text.chars().all(is_gap), "only blanks give no sentence");
    if format.needs_tokenizer() && !sentences.is_empty() {
        let mut rebuilt = String::new();
        for sentence in &sentences {
            rebuild(sentence, &mut rebuilt);
        }
        assert_eq!(rebuilt, text, "the text is rebuilt");
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<u64>().ok());
    let pipeline = arguments.first().and_then(|path| Components::open(path).ok());
    let Some(pipeline) = pipeline else {
        eprintln!("usage: fuzz_pipeline MODEL [N [SEED]]");
        std::process::exit(2);
    };
    let (count, first) = (number(1).unwrap_or(10_000), number(2).unwrap_or(1));
    for seed in first..first.saturating_add(count) {
        let mut rng = Seed(seed).rng();
        let bytes = input(&mut rng);
        let format = TextFormat::NAMES[rng.below(TextFormat::NAMES.len())].1;
        let run = std::panic::AssertUnwindSafe(|| check(&pipeline, &bytes, format));
        if std::panic::catch_unwind(run).is_err() {
            eprintln!("seed {seed}, {format:?}, input \"{}\"", bytes.escape_ascii());
            std::process::exit(1);
        }
    }
    println!("{count} inputs from seed {first}: no panic, all valid, all rebuilt");
}
