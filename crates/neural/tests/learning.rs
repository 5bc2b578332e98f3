//! A net learns what it is shown, says the same about a sentence whatever stands beside it, and is
//! the same at any number of threads.
use std::fmt::Write;

use conll::{ReadOptions, Sentence, read_str};
use neural::{
    BiaffineModel, Example, Inputs, Observer, Options, Outside, Precision, ReadError, Saved,
    Scorer, TrainError, Verdict, train,
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
            let model = train(&small(3, 0.33), &examples, &labels(), &mut Losses::default());
            model.unwrap().sections(Precision::Exact)
        })
    };
    assert!(bytes(1) == bytes(3));
}

/// Stops after two epochs, keeping where it stands, or goes on from there.
#[derive(Default)]
struct Interrupted {
    kept: Option<Saved>,
    from: Option<Saved>,
    stop: bool,
}

impl Observer for Interrupted {
    fn epoch(&mut self, epoch: usize, _: f64, _: &BiaffineModel) -> Verdict {
        Verdict { best: false, stop: self.stop && epoch == 2 }
    }

    fn interrupted(&mut self) -> Option<Saved> {
        self.from.take()
    }

    fn keep(&mut self, saved: &dyn Fn() -> Saved) {
        self.kept = Some(saved());
    }
}

#[test]
fn an_interrupted_training_goes_on_as_if_nothing_had_been() {
    let sentences = sentences();
    let examples = examples(&sentences);
    let run = |observer: &mut Interrupted| {
        let model = train(&small(5, 0.33), &examples, &labels(), observer);
        model.map(|model| model.sections(Precision::Exact))
    };
    let whole = run(&mut Interrupted::default()).unwrap();
    let mut first = Interrupted { stop: true, ..Interrupted::default() };
    assert!(run(&mut first).unwrap() != whole);
    let saved = first.kept.unwrap();
    assert_eq!(saved.epoch, 2);
    let mut second = Interrupted { from: Some(saved.clone()), ..Interrupted::default() };
    assert!(run(&mut second).unwrap() == whole);
    let mut damaged = saved;
    damaged.sections[1].1.pop();
    let mut third = Interrupted { from: Some(damaged), ..Interrupted::default() };
    assert!(matches!(run(&mut third), Err(TrainError::Saved(ReadError::Size(_)))));
}

#[test]
fn a_net_is_kept_in_sections_and_damage_is_told() {
    let sentences = sentences();
    let model =
        train(&small(2, 0.33), &examples(&sentences), &labels(), &mut Losses::default()).unwrap();
    let mut sections = model.sections(Precision::Exact);
    let read = |sections: &[(String, Vec<u8>)]| {
        BiaffineModel::read(
            |name| sections.iter().find(|(known, _)| known == name).map(|(_, bytes)| &bytes[..]),
            &Outside::default(),
        )
    };
    let again = read(&sections).unwrap();
    assert!(again.sections(Precision::Exact) == sections);
    let small = model.sections(Precision::Bytes);
    let size = |sections: &[(String, Vec<u8>)]| -> usize {
        sections[1..].iter().map(|(_, bytes)| bytes.len()).sum()
    };
    assert!(3 * size(&small) < size(&sections));
    let arcs = |model: &BiaffineModel| Scorer::new(model).score(&[&sentences[0]]).unwrap();
    let near = read(&small).unwrap();
    let pairs = arcs(&model)[0].arcs().to_vec().into_iter().zip(arcs(&near)[0].arcs().to_vec());
    assert!(pairs.clone().all(|(one, other)| (one - other).abs() < 0.3 || one == other));
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
