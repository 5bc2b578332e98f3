//! Models of every kind, altered in their headers and sections, with checksums that are right again.
use std::path::Path;
use std::sync::OnceLock;

use conll::{ReadOptions, Roots, Sentence};
use crossarc::annotate::AnnotateOptions;
use crossarc::model::{Bytes, Container, SectionBytes};
use crossarc::pipeline::{
    Components, Parts, PipelineOptions, Steps, TextFormat, TextOptions, train,
};
use crossarc::text::tokenize::characters::Class;
use crossarc::text::tokenize::document::Blocks;
use crossarc::text::tokenize::spaces::rebuild;
use crossarc::text::tokenize::write::TokenNotes;
use crossarc::train::{Choices, Unobserved};
use serde_json::Value;

use crate::draws::Draws;

/// Parsers whose models are altered, as `train` takes their options.
const PARSERS: [&str; 11] = [
    "arc-eager",
    "arc-hybrid --exploration 0.5",
    "swap --beam 4",
    "covington --codec pseudo-head",
    "two-planar --partial",
    "eisner",
    "mst",
    "carreras",
    "one-endpoint-crossing",
    "arc-standard --learner svm",
    "attardi --right-to-left",
];

fn treebank() -> Vec<Sentence> {
    let examples =
        [include_str!("../../examples/hearing.conllu"), include_str!("../../examples/queries.conllu")];
    let read = |text| conll::read_str(text, ReadOptions::default()).expect("an example");
    examples.into_iter().flat_map(read).filter(|one| one.words().all(|w| w.head().is_some())).collect()
}

/// A pipeline with each of the parsers.
fn models() -> &'static [Parts] {
    static MODELS: OnceLock<Vec<Parts>> = OnceLock::new();
    MODELS.get_or_init(|| {
        let gold = treebank();
        let trained = |parser: &str| {
            let choices = Choices::parse(&format!("{parser} --epochs 1")).expect("a parser");
            let mut options = PipelineOptions::new(choices.options(Path::new("")).expect("options"));
            options.tokenizer.epochs = 1;
            options.tagger.epochs = 1;
            options.cross_fit = None;
            options.parser.hold_out = false;
            train(&options, Parts::default(), &gold, &[], &Unobserved).expect("a model")
        };
        PARSERS.into_iter().map(trained).collect()
    })
}

/// Changes a value somewhere within.
fn change(value: &mut Value, draws: &mut Draws<'_>) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let at = draws.below(fields.len());
            if let Some((_, inner)) = fields.iter_mut().nth(at) {
                change(inner, draws);
            }
        }
        Value::Array(list) if !list.is_empty() => {
            let at = draws.below(list.len());
            match draws.byte() % 8 {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                2 => list.clear(),
                3 => list.reverse(),
                _ => change(&mut list[at], draws),
            }
        }
        Value::Array(list) => list.push(Value::from(draws.word())),
        Value::Bool(truth) => *truth = !*truth,
        Value::String(text) => {
            *text = match draws.byte() % 8 {
                0 => String::new(),
                1 => "_".to_owned(),
                2 => "root".to_owned(),
                3 => "a\tb\n".to_owned(),
                4 => PARSERS[draws.below(PARSERS.len())].to_owned(),
                _ => draws.text(),
            };
        }
        Value::Number(_) => {
            *value = match draws.byte() % 8 {
                0 => Value::from(0),
                1 => Value::from(-1),
                2 => Value::from(u64::from(draws.word())),
                3 => Value::from(u64::MAX),
                4 => Value::from(1u64 << 40),
                5 => Value::from(f64::from(draws.number())),
                _ => Value::from(u64::from(draws.byte())),
            };
        }
        Value::Null | Value::Object(_) => *value = Value::from(draws.byte()),
    }
}

/// A container with changes in header or sections, also in containers within it.
fn altered(bytes: &[u8], draws: &mut Draws<'_>) -> Option<Vec<u8>> {
    let container = Container::from_bytes(Path::new("altered"), &Bytes::copy(bytes)).ok()?;
    let mut header: Value = container.content().ok()?;
    let names: Vec<String> = container.names().map(str::to_owned).collect();
    let mut sections = Vec::with_capacity(names.len());
    for name in &names {
        sections.push(container.section(name).ok()?.to_vec());
    }
    let chosen = draws.below(sections.len() + 1);
    match sections.get_mut(chosen) {
        None => change(&mut header, draws),
        Some(section) if section.starts_with(b"CROSSARC") => *section = altered(section, draws)?,
        Some(section) => match draws.byte() % 4 {
            0 => section.truncate(draws.below(section.len() + 1)),
            1 => section.extend([draws.byte(); 64]),
            _ => {
                for _ in 0..=draws.below(8) {
                    let at = draws.below(section.len());
                    if let Some(byte) = section.get_mut(at) {
                        *byte = draws.byte();
                    }
                }
            }
        },
    }
    let sections: Vec<SectionBytes<'_>> =
        names.iter().zip(&sections).map(|(name, bytes)| SectionBytes { name, bytes }).collect();
    Some(Container::to_bytes(&header, &sections))
}

/// Everything in a sentence that was parsed can be relied on.
fn check(sentence: &Sentence, pipeline: &Components) {
    let mut written = Vec::new();
    sentence.write_to(&mut written).expect("memory can be written");
    let options = ReadOptions { need_tree: true, roots: Roots::Any, ..ReadOptions::default() };
    let written = String::from_utf8(written).expect("UTF-8");
    let again = conll::read_str(&written, options);
    assert_eq!(again.expect("what was written is read").len(), 1);
    let Some(parser) = &pipeline.parser else { return };
    let header = &parser.header;
    if header.codec.transformations.is_empty() {
        let roots = sentence.words().filter(|word| word.head() == Some(0)).count();
        let several = header.roots == crossarc::header::Roots::Several;
        assert!(roots == 1 || several, "{roots} roots");
    }
    let plain = header.labels.iter().all(|label| label != "_" && !label.starts_with("root"));
    let rule = header.root_rule.as_ref().filter(|rule| rule.root == header.root_label);
    assert!(rule.is_none_or(|rule| rule.holds(sentence)), "labels do not fit heads: {written}");
    assert!(!plain || sentence.words().all(|word| !word.deprel().is_empty()));
}

/// An altered model is refused, or what it does is valid.
pub fn model(bytes: &[u8]) {
    let mut draws = Draws::new(bytes);
    let models = models();
    let mut changed = models[draws.below(models.len())].to_bytes();
    for _ in 0..=draws.below(4) {
        let Some(next) = altered(&changed, &mut draws) else { return };
        changed = next;
    }
    let Ok(pipeline) = Components::from_bytes(&changed) else { return };
    let keep = draws.byte() % 4 == 0;
    let annotate = AnnotateOptions { keep_heads: keep, ..AnnotateOptions::default() };
    let mut worker = pipeline.worker(Steps::default(), annotate.clone());
    for mut sentence in treebank().into_iter().take(3) {
        if worker.annotate(&mut sentence).is_ok() {
            check(&sentence, &pipeline);
        }
    }
    let options = TextOptions { format: TextFormat::Text, notes: TokenNotes::default() };
    let mut worker = pipeline.text_worker(Steps::default(), annotate, options, None);
    let text = "A hearing is scheduled on the issue today. Who don't you want? 3.5%\n";
    let mut blocks = Blocks::new(std::io::Cursor::new(text), options.format.cut());
    while let Ok(Some(block)) = blocks.next_block() {
        // An error tells the line; what is silent is written.
        if let Err(error) = worker.sentences(&block, &mut |sentence, _| check(sentence, &pipeline)) {
            assert!(error.to_string().contains("line"), "{error}");
        }
    }
}

/// A good pipeline makes a valid treebank of any text, from which the text can be rebuilt.
pub fn pipeline(bytes: &[u8]) {
    static PIPELINES: OnceLock<Vec<Components>> = OnceLock::new();
    let open = |parts: &Parts| Components::from_bytes(&parts.to_bytes()).expect("a model");
    let pipelines = PIPELINES.get_or_init(|| models().iter().map(open).collect());
    let mut draws = Draws::new(bytes);
    let pipeline = &pipelines[draws.below(pipelines.len())];
    let format = TextFormat::NAMES[draws.below(TextFormat::NAMES.len())].1;
    let options = TextOptions { format, notes: TokenNotes { spaces: true, ranges: true } };
    let mut worker =
        pipeline.text_worker(Steps::default(), AnnotateOptions::default(), options, None);
    let mut blocks = Blocks::new(std::io::Cursor::new(draws.rest().to_vec()), format.cut());
    let (mut text, mut output) = (String::new(), Vec::new());
    while let Some(block) = blocks.next_block().expect("memory can be read") {
        text.push_str(&block.text);
        output.extend(worker.work(&block).expect("every text has sentences").text);
    }
    let output = String::from_utf8(output).expect("UTF-8");
    let options = ReadOptions { need_tree: true, roots: Roots::Any, ..ReadOptions::default() };
    let sentences = conll::read_str(&output, options).expect("a valid treebank");
    let is_gap = |character| Class::of(character) == Class::Gap;
    assert_eq!(sentences.is_empty(), text.chars().all(is_gap), "only blanks give no sentence");
    if format.needs_tokenizer() && !sentences.is_empty() {
        let mut rebuilt = String::new();
        sentences.iter().for_each(|sentence| rebuild(sentence, &mut rebuilt));
        assert_eq!(rebuilt, text, "the text is rebuilt");
    }
}
