//! Taggers and lemmatizers as a whole: learning, columns that are empty, model files.
use std::fmt::Write;
use std::path::Path;

use conll::{Column, ReadOptions, Sentence};
use crossarc::model::{Bytes, Container};
use crossarc::text::lemma::{Lemmatizer, LemmatizerHeader, LemmatizerMemory, LemmatizerOptions};
use crossarc::text::tag::{
    CrossFitOptions, TagNetOptions, Tagger, TaggerError, TaggerHeader, TaggerMemory, TaggerOptions,
    cross_fitted,
};
use crossarc::tree::seed::Seed;
use crossarc::tree::treebank::generate::{TreebankOptions, treebank};

fn generated(seed: u64, sentences: usize) -> Vec<Sentence> {
    let options = TreebankOptions { sentences, vocabulary: 60, ..TreebankOptions::default() };
    treebank(Seed(seed), &options)
}

fn options(both_directions: bool) -> TaggerOptions {
    TaggerOptions { epochs: 4, runs: 1, both_directions, ..TaggerOptions::default() }
}

fn train(sentences: &[Sentence], both_directions: bool) -> (Tagger, Lemmatizer) {
    let tagger = Tagger::train(sentences, &[], &options(both_directions), &|_| ()).unwrap();
    (tagger, Lemmatizer::train(sentences, &[], &LemmatizerOptions::default()))
}

fn text(sentences: &[Sentence]) -> String {
    let mut out = Vec::new();
    for sentence in sentences {
        sentence.write_to(&mut out).unwrap();
    }
    String::from_utf8(out).unwrap()
}

fn annotated(tagger: &Tagger, lemmatizer: &Lemmatizer, sentences: &[Sentence]) -> Vec<Sentence> {
    let mut sentences = sentences.to_vec();
    let (mut memory, mut lemma_memory) = (TaggerMemory::default(), LemmatizerMemory::default());
    for sentence in &mut sentences {
        tagger.tag(sentence, &mut memory);
        lemmatizer.lemmatize(sentence, &mut lemma_memory);
    }
    sentences
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Header {
    tagger: TaggerHeader,
    lemmatizer: LemmatizerHeader,
}

fn model(tagger: &Tagger, lemmatizer: &Lemmatizer) -> Vec<u8> {
    let header = Header { tagger: tagger.header(), lemmatizer: lemmatizer.header() };
    let sections: Vec<_> = tagger.sections().into_iter().chain(lemmatizer.sections()).collect();
    Container::to_bytes(&header, &sections)
}

fn open(bytes: &[u8]) -> Container {
    Container::from_bytes(Path::new("test"), &Bytes::copy(bytes)).unwrap()
}

#[test]
fn a_small_treebank_is_learned_and_generalised() {
    let (seen, unseen) = (generated(1, 200), generated(1, 260).split_off(200));
    for both_directions in [false, true] {
        let (tagger, lemmatizer) = train(&seen, both_directions);
        let known = tagger.accuracy(&seen);
        assert!(known.upos > 99.0 && known.all > 98.0, "{known:?}");
        assert!(lemmatizer.accuracy(&seen) > 99.9, "all lemmas are known");
        let new = tagger.accuracy(&unseen);
        assert!(new.upos > 95.0 && new.feats > 90.0, "{new:?}");
        assert!(lemmatizer.accuracy(&unseen) > 95.0);
    }
}

/// Tags by chance: nothing can be learned about new words, so two readers, whose scores are added,
/// seldom choose what the first of them chooses alone.
#[test]
fn both_directions_are_heard() {
    let mut rng = Seed(9).rng();
    let mut sentences = generated(9, 120);
    for sentence in &mut sentences {
        for word in 1..=sentence.len() {
            sentence.set(word, Column::Upos, ["ADJ", "NOUN", "VERB"][rng.below(3)]);
        }
    }
    let unseen = sentences.split_off(80);
    let [one, both] = [false, true].map(|both_directions| {
        let (tagger, lemmatizer) = train(&sentences, both_directions);
        assert_eq!(tagger.header().mirrored_tables.is_some(), both_directions);
        text(&annotated(&tagger, &lemmatizer, &unseen))
    });
    assert_ne!(one, both);
}

#[test]
fn a_model_file_gives_the_same_annotation_and_damage_is_told() {
    let seen = generated(2, 120);
    let (tagger, lemmatizer) = train(&seen, true);
    let bytes = model(&tagger, &lemmatizer);
    let container = open(&bytes);
    let header: Header = container.content().unwrap();
    let loaded = Tagger::load(&container, header.tagger.clone()).unwrap();
    let loaded_lemmatizer = Lemmatizer::load(&container, header.lemmatizer.clone()).unwrap();
    assert_eq!(
        text(&annotated(&tagger, &lemmatizer, &seen)),
        text(&annotated(&loaded, &loaded_lemmatizer, &seen))
    );
    let mut wrong = header.tagger.clone();
    wrong.inventory.analyses[0].tag = 999;
    let message = Tagger::load(&container, wrong).unwrap_err().to_string();
    assert!(message.contains("damaged: its list of tags"), "{message}");
    let mut wrong = header.lemmatizer.clone();
    wrong.by_upos[0].1.push(60_000);
    let message = Lemmatizer::load(&container, wrong).unwrap_err().to_string();
    assert!(message.contains("edit scripts"), "{message}");
    let bare = open(&Container::to_bytes(&header, &[]));
    assert!(Tagger::load(&bare, header.tagger).unwrap_err().to_string().contains("missing"));
    assert!(Lemmatizer::load(&bare, header.lemmatizer).is_err());
}

/// The same bytes whatever the number of threads.
#[test]
fn training_is_deterministic() {
    let sentences = generated(3, 60);
    let train = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let options = TaggerOptions { epochs: 2, runs: 3, ..options(true) };
            let tagger = Tagger::train(&sentences, &sentences[..9], &options, &|_| ()).unwrap();
            let lemmas = Lemmatizer::train(&sentences, &[], &LemmatizerOptions::default());
            let fold = CrossFitOptions {
                folds: 3,
                tagger: TaggerOptions { epochs: 1, ..TaggerOptions::default() },
                ..CrossFitOptions::default()
            };
            (model(&tagger, &lemmas), text(&cross_fitted(&sentences, &fold).unwrap()))
        })
    };
    let (one, three) = (train(1), train(3));
    assert!(one.0 == three.0, "models differ");
    assert_eq!(one.1, three.1);
}

#[test]
fn cross_fitting_keeps_forms_order_and_trees() {
    let mut sentences = generated(4, 90);
    // A tag of this sentence only, which no other can teach.
    sentences[7].set(1, Column::Upos, "ODD");
    let fitted = cross_fitted(&sentences, &CrossFitOptions::default()).unwrap();
    assert_eq!(fitted.len(), sentences.len());
    let (mut words, mut right) = (0, 0);
    for (gold, own) in sentences.iter().zip(&fitted) {
        for (gold, own) in gold.words().zip(own.words()) {
            assert_eq!((gold.form(), gold.head()), (own.form(), own.head()));
            words += 1;
            right += usize::from(gold.upos() == own.upos() && gold.lemma() == own.lemma());
        }
    }
    assert!(right * 10 > words * 8, "{right} of {words}");
    assert_ne!(fitted[7].word(1).upos(), "ODD");
}

#[test]
fn empty_columns_stay_empty() {
    let text = "1\t這\t_\tPRON\t_\t_\t0\troot\t_\t_\n2\t書\t_\tNOUN\t_\t_\t1\tdep\t_\t_\n\n";
    let sentences = conll::read_str(text, ReadOptions::default()).unwrap();
    let (tagger, lemmatizer) = train(&sentences, true);
    let made = annotated(&tagger, &lemmatizer, &generated(5, 3));
    for word in made.iter().flat_map(Sentence::words) {
        assert_eq!((word.xpos(), word.feats(), word.lemma()), ("_", "_", "_"));
        assert!(["PRON", "NOUN"].contains(&word.upos()));
    }
}

#[test]
fn nothing_to_learn_from_is_an_error_and_odd_words_are_not() {
    assert_eq!(Tagger::train(&[], &[], &options(true), &|_| ()).unwrap_err(), TaggerError::NoWords);
    let (tagger, lemmatizer) = train(&generated(6, 40), true);
    let long = "Ꙗ".repeat(300_000);
    let odd = ["\u{200f}", "😀👩‍👩‍👧", "İı", "ﬃ", "-", "…", "\u{301}", &long];
    let mut lines = String::new();
    for (id, form) in (1..).zip(odd) {
        writeln!(lines, "{id}\t{form}\t_\t_\t_\t_\t_\t_\t_\t_").unwrap();
    }
    let options = ReadOptions {
        limits: conll::Limits { line_bytes: 1 << 24, ..conll::Limits::default() },
        ..ReadOptions::default()
    };
    let sentences = conll::read_str(&format!("{lines}\n"), options).unwrap();
    for word in annotated(&tagger, &lemmatizer, &sentences)[0].words() {
        assert!(word.upos() != "_" && !word.lemma().is_empty(), "{}", word.form());
    }
}

#[test]
fn a_net_beside_the_tagger_is_kept_and_reads_sentences_alone_or_together() {
    let (seen, unseen) = (generated(11, 120), generated(12, 70));
    let (mut tagger, lemmatizer) = train(&seen, true);
    let options = TagNetOptions { hidden: 16, epochs: 3, ..TagNetOptions::default() };
    let mut epochs = Vec::new();
    tagger
        .train_net(&seen, &generated(13, 30), &options, &mut |epoch, loss| {
            epochs.push((epoch, loss));
            false
        })
        .unwrap();
    assert!(epochs.len() == 3 && epochs[2].1 < epochs[0].1, "{epochs:?}");
    let bytes = tagger.to_bytes();
    let container = open(&bytes);
    let kept = Tagger::load(&container, container.content().unwrap()).unwrap();
    assert_eq!(kept.to_bytes(), bytes);
    let alone = annotated(&tagger, &lemmatizer, &unseen);
    let mut together = unseen.clone();
    let mut borrowed: Vec<&mut Sentence> = together.iter_mut().collect();
    kept.tag_all(&mut borrowed, &mut TaggerMemory::default());
    for sentence in &mut together {
        lemmatizer.lemmatize(sentence, &mut LemmatizerMemory::default());
    }
    assert_eq!(text(&alone), text(&together));
    // Without its net the model is damaged.
    let without = Container::to_bytes(&tagger.header(), &tagger.sections());
    let container = open(&without);
    assert!(Tagger::load(&container, container.content().unwrap()).is_err());
}
