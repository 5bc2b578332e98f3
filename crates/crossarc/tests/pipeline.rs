//! Raw text through a whole pipeline: nothing is lost, nothing panics, components can be replaced.
use std::fmt::Write;

use conll::{ReadOptions, Sentence};
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::pipeline::{
    Component, Components, Parts, PipelineOptions, Steps, TextFormat, TextOptions, train,
};
use crossarc::text::tokenize::characters::Class;
use crossarc::text::tokenize::document::Blocks;
use crossarc::text::tokenize::spaces::rebuild;
use crossarc::text::tokenize::write::TokenNotes;
use crossarc::train::TrainOptions;
use crossarc::train::Unobserved;
use crossarc::tree::seed::{Rng, Seed};

/// Tokens with their words, tags and heads; a blank follows where the third field says so.
const SENTENCES: [&[(&str, &str, bool)]; 4] = [
    &[("Dogs", "NOUN", true), ("bark", "VERB", false), (".", "PUNCT", true)],
    &[
        ("Cats", "NOUN", true),
        ("don't", "AUX", true),
        ("bark", "VERB", false),
        ("!", "PUNCT", true),
    ],
    &[
        ("Mr.", "PROPN", true),
        ("Smith", "PROPN", true),
        ("sleeps", "VERB", false),
        (".", "PUNCT", true),
    ],
    &[("Birds", "NOUN", false), (",", "PUNCT", true), ("too", "ADV", false), (".", "PUNCT", true)],
];

fn treebank() -> Vec<Sentence> {
    let mut text = String::new();
    for round in 0..12 {
        let tokens = SENTENCES[round % SENTENCES.len()];
        let mut id = 0;
        let mut lines = String::new();
        for &(form, tag, space) in tokens {
            let misc = if space { "_" } else { "SpaceAfter=No" };
            let mut words = vec![(form, misc)];
            if let Some(stem) = form.strip_suffix("n't") {
                let (first, last) = (id + 1, id + 2);
                let blank = "_\t_\t_\t_\t_\t_\t_";
                writeln!(lines, "{first}-{last}\t{form}\t{blank}\t{misc}").unwrap();
                words = vec![(stem, "_"), ("n't", "_")];
            }
            for (word, misc) in words {
                id += 1;
                let (head, label) = if id == 1 { (0, "root") } else { (1, "dep") };
                let lemma = word.to_lowercase();
                let columns = format!("{id}\t{word}\t{lemma}\t{tag}\t_\t_\t{head}\t{label}");
                writeln!(lines, "{columns}\t_\t{misc}").unwrap();
            }
        }
        if round % 5 == 0 {
            text += "# newpar\n";
        }
        text += &lines;
        text += "\n";
    }
    conll::read_str(&text, ReadOptions::default()).unwrap()
}

fn options() -> PipelineOptions {
    let mut options = PipelineOptions::new(TrainOptions { epochs: 3, ..TrainOptions::default() });
    options.tokenizer.epochs = 4;
    options.tagger.epochs = 2;
    options
}

fn trained() -> Parts {
    train(&options(), Parts::default(), &treebank(), &[], &Unobserved).unwrap()
}

fn output(pipeline: &Components, text: &[u8], format: TextFormat) -> (String, Vec<usize>) {
    let mut blocks = Blocks::new(std::io::Cursor::new(text.to_vec()), format.cut());
    let options = TextOptions { format, notes: TokenNotes::default() };
    let mut worker =
        pipeline.text_worker(Steps::default(), AnnotateOptions::default(), options, None);
    let (mut all, mut starts) = (String::new(), Vec::new());
    while let Some(block) = blocks.next_block().unwrap() {
        let chunk = worker.work(&block).unwrap();
        starts.extend(chunk.sentences.iter().map(|(start, _)| start + all.len()));
        all += &String::from_utf8(chunk.text).unwrap();
    }
    (all, starts)
}

fn rebuilt(conllu: &str) -> String {
    let mut text = String::new();
    for sentence in conll::read_str(conllu, ReadOptions { need_tree: true, ..Default::default() })
        .expect("the output is a valid treebank")
    {
        rebuild(&sentence, &mut text);
    }
    text
}

fn random_text(rng: &mut Rng) -> String {
    const PIECES: [&str; 28] = [
        " ",
        "  ",
        "\n",
        "\r\n",
        "\n\n",
        "\t",
        "\u{a0}",
        "\u{0}",
        "\u{3000}",
        "Dogs",
        "bark",
        "don't",
        ".",
        "...",
        "!",
        "?\"",
        "(",
        "https://a.b/c?d=e",
        "😀👩‍👩‍👧",
        "שלום",
        "مرحبا",
        "日本語",
        "é\u{301}",
        "\\",
        "|",
        "_",
        "#",
        "-",
    ];
    let mut text = String::new();
    for _ in 0..rng.below(60) {
        if rng.chance(0.2) {
            text.extend(char::from_u32(rng.next_u64() as u32 % 0x11_0000));
        } else {
            text.push_str(PIECES[rng.below(PIECES.len())]);
        }
    }
    text
}

#[test]
fn any_text_is_rebuilt_exactly() {
    let pipeline = Components::from_bytes(&trained().to_bytes()).unwrap();
    for seed in 0..300 {
        let text = random_text(&mut Seed(seed).rng());
        for format in [TextFormat::Text, TextFormat::Lines] {
            let (out, _) = output(&pipeline, text.as_bytes(), format);
            let is_blank = text.chars().all(|character| Class::of(character) == Class::Gap);
            assert_eq!(out.is_empty(), is_blank, "seed {seed}, {format:?}");
            if is_blank {
                continue;
            }
            assert_eq!(rebuilt(&out), text, "seed {seed}, {format:?}");
        }
    }
}

/// The text of every treebank under `CROSSARC_TREEBANKS`, whatever its language, by a pipeline that knows
/// none of them.
#[test]
fn the_text_of_treebanks_is_rebuilt_exactly() {
    let Some(folder) = std::env::var_os("CROSSARC_TREEBANKS") else {
        eprintln!("SKIPPED: set CROSSARC_TREEBANKS to a folder of treebanks");
        return;
    };
    let pipeline = Components::from_bytes(&trained().to_bytes()).unwrap();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if !path.to_string_lossy().ends_with("-test.conllu") {
            continue;
        }
        let mut text = String::new();
        for sentence in conll::Reader::open(&path, ReadOptions::default()).unwrap() {
            rebuild(&sentence.unwrap(), &mut text);
        }
        let (out, _) = output(&pipeline, text.as_bytes(), TextFormat::Text);
        assert!(rebuilt(&out) == text, "{}", path.display());
    }
}

#[test]
fn odd_input_gives_valid_trees() {
    let pipeline = Components::from_bytes(&trained().to_bytes()).unwrap();
    let mut rng = Seed(3).rng();
    let junk: Vec<u8> = (0..20_000).map(|_| rng.below(256) as u8).collect();
    let long_word = "x".repeat(300_000).into_bytes();
    let long_line = "dogs bark ".repeat(20_000).into_bytes();
    for (name, input) in [("junk", junk), ("word", long_word), ("line", long_line)] {
        for (_, format) in TextFormat::NAMES {
            let (out, starts) = output(&pipeline, &input, format);
            let sentences =
                conll::read_str(&out, ReadOptions { need_tree: true, ..Default::default() });
            assert_eq!(sentences.unwrap().len(), starts.len(), "{name} {format:?}");
        }
    }
    for (_, format) in TextFormat::NAMES {
        assert_eq!(output(&pipeline, b"", format).0, "");
        assert_eq!(output(&pipeline, b" \n\n\t", format).0, "");
    }
}

#[test]
fn what_was_learned_is_done() {
    let pipeline = Components::from_bytes(&trained().to_bytes()).unwrap();
    let (out, starts) = output(&pipeline, b"Dogs bark. Cats don't bark!\n", TextFormat::Text);
    assert_eq!(starts.len(), 2, "{out}");
    assert!(out.contains("2-3\tdon't\t"), "{out}");
    assert!(out.contains("SpacesAfter=\\n"), "{out}");
    let (out, starts) = output(&pipeline, b"dogs\nbark\n\ncats\n", TextFormat::Vertical);
    assert_eq!(starts.len(), 2, "{out}");
}

#[test]
fn components_are_replaced_one_by_one() {
    let parts = trained();
    assert_eq!(parts.to_bytes(), trained().to_bytes(), "the same bytes twice");
    let again = PipelineOptions { components: vec![Component::Tagger], ..options() };
    let replaced = train(&again, parts.clone(), &treebank()[..4], &[], &Unobserved).unwrap();
    for (old, new) in parts.sections.iter().zip(&replaced.sections) {
        assert_eq!(old.0, new.0);
        assert_eq!(old.1 == new.1, !old.0.contains("tagger"), "{}", old.0);
    }
    let bytes = parts.to_bytes();
    let alone = &parts.sections.last().unwrap().1;
    assert_eq!(
        Model::from_bytes(&bytes).unwrap().header.labels,
        Model::from_bytes(alone).unwrap().header.labels
    );
    assert!(Components::from_bytes(alone).unwrap().tokenizer.is_none());
}

/// A model whose rules for tokens of several words give words that no treebank can hold: every text with
/// such a token is an error that tells the line, and nothing of it is dropped silently.
#[test]
fn words_that_cannot_be_written_are_errors() {
    // Eight bytes of magic, then version, length and checksum of the header.
    const PREFIX: usize = 20;
    let mut parts = trained();
    let (_, bytes) =
        parts.sections.iter_mut().find(|(name, _)| name.contains("tokenizer")).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let header = String::from_utf8(bytes[PREFIX..PREFIX + length].to_vec()).unwrap();
    let hostile = header.replace("\"n't\"]", "\"n\\tt\"]");
    assert_ne!(hostile, header);
    let hostile = format!("{:length$}", hostile.trim_end());
    assert_eq!(hostile.len(), length);
    bytes[PREFIX..PREFIX + length].copy_from_slice(hostile.as_bytes());
    bytes[16..20].copy_from_slice(&crc32fast::hash(hostile.as_bytes()).to_le_bytes());
    let pipeline = Components::from_bytes(&parts.to_bytes()).unwrap();
    let options = TextOptions { format: TextFormat::Text, notes: TokenNotes::default() };
    let mut worker =
        pipeline.text_worker(Steps::default(), AnnotateOptions::default(), options, None);
    let mut work = |text: &str| {
        let mut blocks = Blocks::new(std::io::Cursor::new(text.to_owned()), options.format.cut());
        worker.work(&blocks.next_block().unwrap().unwrap())
    };
    let error = work("Dogs bark. Cats don't bark! Dogs bark.").unwrap_err().to_string();
    assert!(error.starts_with("text from line 1 on: ") && error.contains("control"), "{error}");
    assert_eq!(work("Dogs bark. Dogs bark.").unwrap().sentences.len(), 2, "the next is as good");
}

#[test]
fn damage_is_noticed() {
    let bytes = trained().to_bytes();
    let mut rng = Seed(9).rng();
    for _ in 0..200 {
        assert!(Components::from_bytes(&bytes[..rng.below(bytes.len() - 64)]).is_err());
        let mut copy = bytes.clone();
        copy[rng.below(bytes.len())] ^= 1 << rng.below(8);
        if let Ok(pipeline) = Components::from_bytes(&copy) {
            output(&pipeline, b"Dogs bark.", TextFormat::Text);
        }
    }
}
