//! A student learns from text what its treebank lacks, and nothing that it will be measured on.
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use conll::{ReadOptions, Sentence};
use crossarc::Pipeline;
use crossarc::pipeline::{Parts, PipelineOptions, train};
use crossarc::teacher::{HeldOut, Lessons, lessons};
use crossarc::train::options::TeachingOptions;
use crossarc::train::{TrainOptions, Unobserved};

const ANIMALS: [&str; 4] = ["Dogs", "Cats", "Birds", "Wolves"];
const ACTS: [&str; 4] = ["bark", "sleep", "sing", "run"];

fn sentence(noun: &str, verb: &str) -> Sentence {
    let mut text = String::new();
    let lemmas = [noun.trim_end_matches('s').to_lowercase(), verb.to_owned()];
    let blank = "SpaceAfter=No";
    writeln!(text, "1\t{noun}\t{}\tNOUN\t_\t_\t2\tnsubj\t_\t_", lemmas[0]).unwrap();
    writeln!(text, "2\t{verb}\t{}\tVERB\t_\t_\t0\troot\t_\t{blank}", lemmas[1]).unwrap();
    writeln!(text, "3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n").unwrap();
    conll::read_str(&text, ReadOptions::default()).unwrap().remove(0)
}

fn treebank() -> Vec<Sentence> {
    let all = ANIMALS.iter().flat_map(|noun| ACTS.map(|verb| sentence(noun, verb)));
    let all: Vec<Sentence> = all.collect();
    (0..3).flat_map(|_| all.clone()).collect()
}

fn options() -> PipelineOptions {
    let mut options = PipelineOptions::new(TrainOptions { epochs: 3, ..TrainOptions::default() });
    options.tokenizer.epochs = 4;
    options.tagger.epochs = 2;
    options
}

/// A folder of this test with the model of a teacher and text for it.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("crossarc-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let parts = train(&options(), Parts::default(), &treebank(), &[], &Unobserved).unwrap();
    parts.save(&folder.join("teacher.crossarc")).unwrap();
    let text = "Wolves howl. Dogs growl. Birds sing. Dogs growl.\n\nCats purr. Cats sing.\n";
    fs::write(folder.join("text.txt"), text).unwrap();
    folder
}

fn forms(lessons: &Lessons) -> Vec<String> {
    let join = |one: &Sentence| one.words().map(|word| word.form().to_owned()).collect::<Vec<_>>();
    lessons.sentences.iter().map(|one| join(one).join(" ")).collect()
}

#[test]
fn students_learn_from_text() {
    let folder = folder("students");
    let teaching = TeachingOptions {
        teacher: Some(folder.join("teacher.crossarc")),
        text: vec![folder.join("text.txt")],
        least_sure: 0.0,
        ..TeachingOptions::default()
    };
    let mut held_out = HeldOut::default();
    held_out.add(&[sentence("Cats", "purr")]);
    let taught = |threads, teaching: &TeachingOptions| {
        lessons(teaching, held_out.clone(), Some(threads), &|| false).unwrap()
    };
    let found = taught(1, &teaching);
    let all = ["Wolves howl .", "Dogs growl .", "Birds sing .", "Cats sing ."];
    assert_eq!(forms(&found), all);
    assert_eq!((found.words, found.held_out, found.repeated, found.unsure), (12, 1, 1, 0));
    assert_eq!(found.sentences[0].word(1).deprel(), "nsubj");
    assert_eq!(found.sentences, taught(3, &teaching).sentences);
    let few = TeachingOptions { words: Some(4), ..teaching.clone() };
    assert_eq!(forms(&taught(2, &few)), all[..2]);

    // What was parsed before is as good as what is parsed now.
    let parsed = folder.join("parsed.conllu");
    let mut file = Vec::new();
    found.sentences.iter().for_each(|one| one.write_to(&mut file).unwrap());
    fs::write(&parsed, file).unwrap();
    let before =
        TeachingOptions { taught: vec![parsed], teacher: None, text: Vec::new(), ..teaching };
    assert_eq!(forms(&taught(1, &before)), all);

    let knows = |options: &PipelineOptions, word: &str| {
        let student = train(options, Parts::default(), &treebank(), &[], &Unobserved).unwrap();
        let student = Pipeline::from_bytes(student.to_bytes()).unwrap();
        let components = student.components();
        let parser = components.parser.as_ref().unwrap();
        let forms = parser.header.training.known_forms.as_ref().unwrap();
        (forms.contains(word), components.tagger.as_ref().unwrap().knows(word))
    };
    assert_eq!(knows(&options(), "howl"), (false, false));
    let student = PipelineOptions { taught: found.sentences, ..options() };
    assert_eq!(knows(&student, "howl"), (true, true));
    assert_eq!(knows(&student, "purr"), (false, false));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn teachers_must_be_whole_pipelines() {
    let folder = folder("whole");
    let teacher = folder.join("teacher.crossarc");
    let mut parts = Parts::open(&teacher).unwrap();
    parts.sections.retain(|(name, _)| *name != crossarc::pipeline::TAGGER);
    parts.save(&teacher).unwrap();
    let text = vec![folder.join("text.txt")];
    let teaching = TeachingOptions { teacher: Some(teacher), text, ..TeachingOptions::default() };
    let error = lessons(&teaching, HeldOut::default(), Some(1), &|| false).unwrap_err();
    assert!(error.to_string().contains("it has no tagger"), "{error}");
    fs::remove_dir_all(folder).unwrap();
}
