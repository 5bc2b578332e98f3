//! The façade with the English model.
use std::io::Cursor;
use std::thread;

use conll::{ReadOptions, Reader, Sentence};
use crossarc::{Error, NewWord, Pipeline, SentenceBuilder, Session, SessionOptions, StreamOptions};

fn arcs(sentence: &Sentence) -> Vec<(&str, Option<u32>, &str)> {
    sentence.words().map(|word| (word.form(), word.head(), word.deprel())).collect()
}

fn written(sentences: &[Sentence]) -> String {
    let mut out = Vec::new();
    for sentence in sentences {
        sentence.write_to(&mut out).unwrap();
    }
    String::from_utf8(out).unwrap()
}

const TEXT: &str = "She sees stars. The old dog barked at the cat.\n\nWe don't sleep.";

#[test]
fn sessions_may_go_anywhere() {
    fn moves<T: Send + 'static>() {}
    fn shared<T: Send + Sync + Clone + 'static>() {}
    moves::<Session>();
    moves::<crossarc::Stream>();
    moves::<Error>();
    shared::<Pipeline>();
}

#[test]
fn simple_sentences_get_their_trees() {
    let english = crossarc_english::pipeline().unwrap();
    let sentences = english.parse(TEXT).unwrap();
    assert_eq!(sentences.len(), 3);
    let first = [
        ("She", Some(2), "nsubj"),
        ("sees", Some(0), "root"),
        ("stars", Some(2), "obj"),
        (".", Some(2), "punct"),
    ];
    assert_eq!(arcs(&sentences[0]), first);
    let second = [
        ("The", Some(3), "det"),
        ("old", Some(3), "amod"),
        ("dog", Some(4), "nsubj"),
        ("barked", Some(0), "root"),
        ("at", Some(7), "case"),
        ("the", Some(7), "det"),
        ("cat", Some(4), "obl"),
        (".", Some(4), "punct"),
    ];
    assert_eq!(arcs(&sentences[1]), second);
    let third = [
        ("We", Some(4), "nsubj"),
        ("do", Some(4), "aux"),
        ("n't", Some(4), "advmod"),
        ("sleep", Some(0), "root"),
        (".", Some(4), "punct"),
    ];
    assert_eq!(arcs(&sentences[2]), third);
    assert_eq!(sentences[0].word(2).lemma(), "see");
    assert_eq!(sentences[0].comment_value("sent_id"), Some("1"));
    let words = english.parse_words(&["She", "sees", "stars", "."]).unwrap();
    assert_eq!(arcs(&words), first);
    let options = ReadOptions { need_tree: true, ..ReadOptions::default() };
    assert_eq!(conll::read_str(&written(&sentences), options).unwrap(), sentences);
}

#[test]
fn threads_that_share_a_pipeline_agree() {
    let english = crossarc_english::pipeline().unwrap();
    let alone = english.parse(TEXT).unwrap();
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let english = english.clone();
            thread::spawn(move || (0..5).map(|_| english.parse(TEXT).unwrap()).collect::<Vec<_>>())
        })
        .collect();
    for thread in threads {
        assert!(thread.join().unwrap().iter().all(|sentences| *sentences == alone));
    }
    let mut session = english.session(SessionOptions::default());
    assert_eq!(thread::spawn(move || session.parse(TEXT).unwrap()).join().unwrap(), alone);
}

#[test]
fn streams_keep_the_order() {
    let english = crossarc_english::pipeline().unwrap();
    let text = format!("{TEXT}\n\n").repeat(4000);
    let streamed = |threads| {
        let options = StreamOptions { threads: Some(threads), ..StreamOptions::default() };
        let stream = english.stream_with(Cursor::new(text.clone()), options);
        stream.collect::<Result<Vec<_>, _>>().unwrap()
    };
    let all = streamed(3);
    assert_eq!(all.len(), 12_000);
    assert_eq!(all, streamed(1));
    assert_eq!(all.last().unwrap().comment_value("sent_id"), Some("12000"));
    assert_eq!(english.stream(Cursor::new(text.clone())).take(5).count(), 5, "dropped early");

    let bad = "1\tShe\t_\t_\t_\t_\tx\t_\t_\t_\n\n";
    let treebank = written(&all[..100]) + bad + &written(&all[100..110]);
    let reader = Reader::from_bytes("treebank", treebank, ReadOptions::default()).unwrap();
    let results: Vec<_> = english.stream_treebank(reader, StreamOptions::default()).collect();
    assert_eq!(results.len(), 111);
    for (at, result) in results.iter().enumerate() {
        assert_eq!(result.is_err(), at == 100, "{at}");
    }
    assert_eq!(results[110].as_ref().unwrap(), &all[109]);
}

#[test]
fn given_columns_are_respected() {
    let english = crossarc_english::pipeline().unwrap();
    let mut sentence = SentenceBuilder::new()
        .word(NewWord { upos: "NOUN", ..NewWord::new("Time") })
        .word(NewWord { upos: "NOUN", head: Some(3), deprel: "nsubj", ..NewWord::new("flies") })
        .word(NewWord { upos: "VERB", ..NewWord::new("like") })
        .build()
        .unwrap();
    let options = SessionOptions { keep_heads: true, scores: true, ..SessionOptions::default() };
    english.session(options).annotate(&mut sentence).unwrap();
    assert_eq!(sentence.word(2).upos(), "NOUN");
    assert_eq!((sentence.word(2).head(), sentence.word(2).deprel()), (Some(3), "nsubj"));
    assert!(sentence.words().all(|word| word.head().is_some() && word.misc().contains("Score=")));
}

#[test]
fn errors_are_clear() {
    let english = crossarc_english::pipeline().unwrap();
    assert!(matches!(english.parse_words::<&str>(&[]), Err(Error::Build(_))));
    assert!(english.parse("").unwrap().is_empty());
    assert!(matches!(Pipeline::from_bytes(&b"nothing"[..]), Err(Error::Model(_))));
    let error = Pipeline::open("/no/such/model").err().unwrap();
    assert!(error.to_string().contains("/no/such/model"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
    let parser = english.components().parser.as_ref().unwrap();
    assert_eq!(english.info().parser.as_deref(), Some(parser.header.parser.as_str()));
}
