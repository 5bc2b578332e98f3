//! What is built is what would have been read.
use conll::{BuildError, Format, Limits, NewWord, ReadOptions, Roots, SentenceBuilder};

/// Numbers from a linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % limit
    }

    fn value(&mut self) -> String {
        const PIECES: [&str; 10] = ["a", "ő", "_", "#", "1", "日", " ", "|", "=", "\u{85}"];
        (0..self.below(5)).map(|_| PIECES[self.below(10) as usize]).collect()
    }
}

fn build(random: &mut Random) -> (Result<conll::Sentence, BuildError>, usize) {
    let mut builder = SentenceBuilder::new();
    for _ in 0..random.below(3) {
        builder.metadata(&random.value(), &random.value());
    }
    let words = random.below(8) as u32;
    let mut covered = 0;
    for word in 1..=words {
        if word > covered && random.below(4) == 0 {
            let length = 1 + random.below(2) as u32;
            covered = word + length - 1;
            builder.multiword("to ken", &random.value(), length);
        }
        let values: Vec<String> = (0..8).map(|_| random.value()).collect();
        // Mostly trees: heads to the left.
        let head = match random.below(12) {
            0 => None,
            1 => Some(random.below(9) as u32),
            _ => Some(if word == 1 { 0 } else { 1 + random.below(u64::from(word) - 1) as u32 }),
        };
        builder.word(NewWord {
            form: if values[0].is_empty() { "form" } else { &values[0] },
            lemma: &values[1],
            upos: &values[2],
            xpos: &values[3],
            feats: &values[4],
            head,
            deprel: &values[5],
            deps: &values[6],
            misc: &values[7],
            offsets: (random.below(3) == 0).then_some(3..5),
        });
        if random.below(6) == 0 {
            builder.empty_node("gap");
        }
    }
    (builder.build(), words as usize)
}

#[test]
fn built_written_and_read_is_the_same() {
    let options = ReadOptions { format: Some(Format::ConllU), ..ReadOptions::default() };
    let mut good = 0;
    for seed in 0..3000 {
        let (Ok(sentence), words) = build(&mut Random(seed)) else { continue };
        good += 1;
        assert_eq!(sentence.len(), words);
        let mut text = Vec::new();
        sentence.write_to(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let read =
            conll::read_str(&text, options).unwrap_or_else(|error| panic!("{seed}: {error}"));
        assert_eq!(read, std::slice::from_ref(&sentence), "seed {seed}");
        let heads = |sentence: &conll::Sentence| -> Vec<_> {
            sentence.words().map(|word| (word.head(), word.offsets(), word.line())).collect()
        };
        assert_eq!(heads(&read[0]), heads(&sentence), "seed {seed}");
    }
    assert!(good > 1000, "{good}");
}

#[test]
fn what_no_reader_would_take_is_refused() {
    let mut builder = SentenceBuilder::new();
    let head = |head| NewWord { head: Some(head), ..NewWord::new("x") };
    assert_eq!(builder.build(), Err(BuildError::NoWords));
    assert!(matches!(builder.word("a\tb").build(), Err(BuildError::ControlCharacter { .. })));
    assert!(matches!(
        builder.text("a\nb").word("a").build(),
        Err(BuildError::ControlCharacter { .. })
    ));
    assert_eq!(builder.word("").build(), Err(BuildError::EmptyForm { line: 1 }));
    assert_eq!(builder.word("a").comment("b").build(), Err(BuildError::LateComment { line: 2 }));
    assert_eq!(
        builder.multiword("a", "", 2).word("a").build(),
        Err(BuildError::BadRange { line: 1 })
    );
    assert_eq!(
        builder.multiword("a", "", 0).word("a").build(),
        Err(BuildError::BadRange { line: 1 })
    );
    assert_eq!(builder.word(head(1)).build(), Err(BuildError::SelfHead { word: 1 }));
    let error = builder.word(head(2)).build();
    assert_eq!(error, Err(BuildError::HeadOutOfRange { word: 1, head: 2, words: 1 }));
    assert!(builder.word(head(u32::MAX)).build().is_err());
    let cycle = builder.word(head(2)).word(head(1)).word(head(0)).build();
    assert!(matches!(cycle, Err(BuildError::Cycle { .. })));
    assert_eq!(builder.word(head(2)).word(head(1)).build(), Err(BuildError::NoRoot));
    let several = |builder: &mut SentenceBuilder| builder.word(head(0)).word(head(0)).build();
    assert_eq!(several(&mut builder), Err(BuildError::SeveralRoots { word: 2 }));
    assert!(several(builder.roots(Roots::Any)).is_ok());
    builder.limits(Limits { line_bytes: 30, words: 2, sentence_bytes: 100, ..Limits::default() });
    assert!(matches!(
        builder.word("x".repeat(20).as_str()).build(),
        Err(BuildError::LongLine { .. })
    ));
    let long = builder.word("a").word("b").word("c").build();
    assert_eq!(long, Err(BuildError::LongSentence { limit: 2 }));
    let huge = builder.word("x".repeat(200).as_str()).build();
    assert_eq!(huge, Err(BuildError::HugeSentence { limit: 100 }));
    assert!(builder.word("a").build().is_ok(), "empty again after every error");
}
