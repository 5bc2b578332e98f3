//! A net learns what it is shown, says the same about a sentence whatever stands beside it, and is
//! the same at any number of threads.
use std::fmt::Write;

use conll::{ReadOptions, Sentence, read_str};
use neural::{
    BiaffineModel, Example, Inputs, Observer, Options, ReadError, Scorer, TrainError, Verdict,
    train,
};

/// Keeps the loss of the last epoch.
#[derive(Default)]
struct Losses(Vec<f64>);

impl Observer for Losses {
    fn epoch(&mut self, _epoch: usize, loss: f64, _model: &BiaffineModel) -> Verdict {
        self.0.push(loss);
        Verdict::default()
    }
}

/// Twelve sentences of several lengths with trees by no rule.
fn sentences() -> Vec<Sentence> {
    let mut text = String::new();
    for number in 0..12_usize {
        let words = 1 + number * 5 % 9;
        for word in 1..=words {
            let head = if word == 1 { 0 } else { 1 + (number * 7 + word * 3) % (word - 1) };
            let label = if head == 0 { "root" } else { ["a", "b", "c"][(number + word) % 3] };
            let form = format!("w{}x{}", (number * 3 + word) % 17, number);
            writeln!(text, "{word}\t{form}\t{form}\tT{}\t_\tA=B\t{head}\t{label}\t_\t_", word % 3)
                .unwrap();
        }
        text.push('\n');
    }
    read_str(&text, ReadOptions::default()).unwrap()
}

fn labels() -> Vec<String> {
    ["root", "a", "b", "c"].map(str::to_owned).to_vec()
}

fn examples(sentences: &[Sentence]) -> Vec<Example<'_>> {
    let names = labels();
    let number = |label: &str| names.iter().position(|name| name == label).unwrap() as u32;
    let example = |sentence| Example {
        sentence,
        heads: Sentence::words(sentence).map(|word| word.head().unwrap()).collect(),
        labels: sentence.words().map(|word| number(word.deprel())).collect(),
    };
    sentences.iter().map(example).collect()
}

fn small(epochs: usize, dropout: f32) -> Options {
    Options {
        embedding: 16,
        hidden: 24,
        arcs: 20,
        labels: 12,
        buckets: 500,
        batch_words: 20,
        least_count: 1,
        epochs,
        dropout,
        ..Options::default()
    }
}

#[test]
fn the_loss_of_twelve_sentences_falls_to_nothing() {
    let sentences = sentences();
    let mut losses = Losses::default();
    let model = train(&small(400, 0.0), &examples(&sentences), &labels(), &mut losses).unwrap();
    assert!(losses.0[0] > 1.0 && losses.0[399] < 0.02, "{:?}", losses.0.last());
    let mut scorer = Scorer::new(&model);
    let mut of_labels = Vec::new();
    for (sentence, example) in sentences.iter().zip(examples(&sentences)) {
        let scores = &scorer.score(&[sentence]).unwrap()[0];
        assert_eq!(scores.words(), sentence.len());
        for (at, (&head, &label)) in example.heads.iter().zip(&example.labels).enumerate() {
            let dependent = at + 1;
            let others = (0..=sentence.len()).filter(|&other| other != dependent);
            let best = others
                .max_by(|&a, &b| scores.arc(a, dependent).total_cmp(&scores.arc(b, dependent)));
            assert_eq!(best, Some(head as usize));
            scores.labels(head as usize, dependent, &mut of_labels);
            let best = (0..4).max_by(|&a, &b| of_labels[a].total_cmp(&of_labels[b]));
            assert_eq!(best, Some(label as usize));
        }
    }
}

#[test]
fn a_sentence_has_the_same_scores_whatever_stands_beside_it() {
    let sentences = sentences();
    let options = Options { epochs: 1, ..Options::default() };
    let model = train(&options, &examples(&sentences), &labels(), &mut Losses::default()).unwrap();
    let all: Vec<&Sentence> = sentences.iter().collect();
    let together = Scorer::new(&model).score(&all).unwrap();
    let mut scorer = Scorer::new(&model);
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for (sentence, of_all) in sentences.iter().zip(&together) {
        let alone = &scorer.score(&[sentence]).unwrap()[0];
        assert_eq!(alone.arcs(), of_all.arcs());
        for dependent in 1..=sentence.len() {
            alone.labels(0, dependent, &mut one);
            of_all.labels(0, dependent, &mut other);
            assert_eq!(one, other);
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let sentences = sentences();
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let examples = examples(&sentences);
            train(&small(3, 0.33), &examples, &labels(), &mut Losses::default()).unwrap().sections()
        })
    };
    assert!(bytes(1) == bytes(3));
}

#[test]
fn a_net_is_kept_in_sections_and_damage_is_told() {
    let sentences = sentences();
    let model =
        train(&small(2, 0.33), &examples(&sentences), &labels(), &mut Losses::default()).unwrap();
    let mut sections = model.sections();
    let read = |sections: &[(String, Vec<u8>)]| {
        BiaffineModel::read(
            |name| sections.iter().find(|(known, _)| known == name).map(|(_, bytes)| &bytes[..]),
            None,
        )
    };
    let again = read(&sections).unwrap();
    assert!(again.sections() == sections);
    assert_eq!((again.labels(), again.inputs()), (&labels()[..], Inputs::default()));
    let of = |model| Scorer::new(model).score(&[&sentences[0]]).unwrap()[0].arcs().to_vec();
    assert_eq!(of(&model), of(&again));
    let last = sections.len() - 1;
    sections[last].1[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(matches!(read(&sections), Err(ReadError::NotANumber(_))));
    sections[last].1.pop();
    assert!(matches!(read(&sections), Err(ReadError::Size(_))));
    sections.pop();
    assert!(matches!(read(&sections), Err(ReadError::Missing(_))));
    sections[0].1.truncate(10);
    assert!(matches!(read(&sections), Err(ReadError::Facts(_))));
}

#[test]
fn what_cannot_be_learned_is_told() {
    let sentences = sentences();
    let mut wrong = examples(&sentences);
    let options = small(1, 0.0);
    let mut none = Losses::default();
    assert_eq!(train(&options, &[], &labels(), &mut none).err(), Some(TrainError::Nothing));
    wrong[3].heads[0] = 99;
    let error = train(&options, &wrong, &labels(), &mut none).err();
    assert_eq!(error, Some(TrainError::Tree { sentence: 4 }));
    let options = Options { rate: f32::MAX, ..small(5, 0.0) };
    let error = train(&options, &examples(&sentences), &labels(), &mut none).err();
    assert!(matches!(error, Some(TrainError::NotANumber(_))));
}
