//! One hand-written case for each rule of the formats, good and bad.
use conll::{Column, Fault, FaultKind, Format, ReadOptions, Reader, Roots, Row, Sentence};
use conll::{Limits, WarningKind};

fn word(id: &str, head: &str) -> String {
    format!("{id}\tform\tlemma\tNOUN\tNN\t_\t{head}\tdep\t_\t_\n")
}

/// A CoNLL-U sentence of words given as (ID, head).
fn words(words: &[(&str, &str)]) -> String {
    words.iter().map(|(id, head)| word(id, head)).collect::<String>() + "\n"
}

fn reader(text: impl Into<Vec<u8>>, options: ReadOptions) -> Reader {
    Reader::from_bytes("test", text, options).unwrap()
}

fn universal() -> ReadOptions {
    ReadOptions { format: Some(Format::ConllU), ..ReadOptions::default() }
}

fn x() -> ReadOptions {
    ReadOptions { format: Some(Format::ConllX), ..ReadOptions::default() }
}

fn fault_with(text: impl Into<Vec<u8>>, options: ReadOptions) -> Fault {
    let mut reader = reader(text, options);
    let error = reader.read(&mut Sentence::default()).expect_err("the sentence is bad");
    assert!(error.is_recoverable());
    reader.faults()[0].clone()
}

fn fault(text: impl Into<Vec<u8>>) -> Fault {
    fault_with(text, universal())
}

fn place(fault: &Fault) -> (usize, usize, &str) {
    (fault.line, fault.column, fault.text.as_str())
}

/// Reads all, and gives what is written again and the kinds of warnings.
fn copy(text: impl Into<Vec<u8>>, options: ReadOptions) -> (String, Vec<WarningKind>) {
    let mut reader = reader(text, options);
    let mut out = Vec::new();
    let mut sentence = Sentence::default();
    while reader.read(&mut sentence).unwrap_or_else(|error| panic!("{error}")) {
        sentence.write_to(&mut out).unwrap();
    }
    let kinds = reader.warnings().iter().map(|warning| warning.kind).collect();
    (String::from_utf8(out).unwrap(), kinds)
}

fn assert_unchanged(text: &str, options: ReadOptions) {
    let (copy, warnings) = copy(text, options);
    assert_eq!(copy, text);
    assert_eq!(warnings, []);
}

const RICH: &str = "# newdoc\n# sent_id = 1\n# text = vámonos al mar\n#odd  comment\t with a tab\n\
    0.1\tzero\t_\t_\t_\t_\t_\t_\t1:dep\t_\n\
    1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n\
    1\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t0:root\t_\n\
    1.1\te\t_\t_\t_\t_\t_\t_\t1:dep\t_\n\
    2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t1:obj|4:nsubj\t_\n\
    3-4\tal\t_\t_\t_\tTypo=Yes\t_\t_\t_\t_\n\
    3\ta b\ta b\tADP\t_\t_\t5\tcase\t_\tGloss=to the\n\
    4\t_\t_\tDET\t_\t_\t5\tdet\t_\t_\n\
    5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\t_\n\n";

#[test]
fn a_sentence_with_everything_is_kept() {
    assert_unchanged(RICH, ReadOptions::default());
    let sentence = conll::read_str(RICH, ReadOptions::default()).unwrap().remove(0);
    assert_eq!(sentence.len(), 5);
    assert_eq!(sentence.word(3).form(), "a b");
    assert_eq!(sentence.word(4).form(), "_");
    assert_eq!(sentence.word(5).line(), 13);
    assert_eq!(sentence.word(2).get(Column::Deps), Some("1:obj|4:nsubj"));
    assert_eq!(sentence.comment_value("sent_id"), Some("1"));
    assert_eq!(sentence.comment_value("text_en"), None);
    let kinds: String = sentence
        .rows()
        .map(|row| match row {
            Row::Comment(_) => '#',
            Row::Range { .. } => '-',
            Row::Empty { .. } => '.',
            Row::Word(_) => 'w',
        })
        .collect();
    assert_eq!(kinds, "####.-w.w-www");
}

#[test]
fn empty_nodes_count_on_behind_nine() {
    let mut text = word("1", "0");
    for index in 1..=11 {
        text += &word(&format!("1.{index}"), "_");
    }
    assert_unchanged(&(text + "\n"), universal());
    let bad = fault(words(&[("1", "0"), ("1.1", "_"), ("1.3", "_")]));
    assert_eq!(bad.kind, FaultKind::EmptyNodeSequence { after: 1, index: 2 });
    let bad = fault(words(&[("1", "0"), ("2.1", "_")]));
    assert_eq!(bad.kind, FaultKind::EmptyNodeSequence { after: 1, index: 1 });
    assert_eq!(fault(words(&[("1", "0"), ("1.01", "_")])).kind, FaultKind::BadId);
}

#[test]
fn columns_are_counted() {
    let bad = fault("1\tform\tlemma\n\n");
    assert_eq!(bad.kind, FaultKind::ColumnCount { found: 3, expected: 10 });
    let text = word("1", "0").trim_end().to_owned() + "\textra\n\n";
    assert_eq!(fault(text).kind, FaultKind::ColumnCount { found: 11, expected: 10 });
    let bad = fault("1 form lemma NOUN NN _ 0 root _ _\n\n");
    assert_eq!(bad.kind, FaultKind::ColumnCount { found: 1, expected: 10 });
}

#[test]
fn fields_are_not_empty() {
    let bad = fault("1\tform\t\tNOUN\tNN\t_\t0\troot\t_\t_\n\n");
    assert_eq!(bad.kind, FaultKind::EmptyField);
    assert_eq!(place(&bad), (1, 8, ""));
    assert_eq!(fault("1\tform\tl\tNOUN\tNN\t_\t0\troot\t_\t\n\n").kind, FaultKind::EmptyField);
}

#[test]
fn ids_follow_each_other() {
    let bad = fault(words(&[("1", "0"), ("3", "1")]));
    assert_eq!(bad.kind, FaultKind::IdSequence { expected: 2 });
    assert_eq!(place(&bad), (2, 1, "3"));
    assert_eq!(fault(words(&[("0", "0")])).kind, FaultKind::IdSequence { expected: 1 });
    for id in ["x", "01", "+1", "1-", "-1", "1.", "1-2-3", "１", "4294967297"] {
        assert_eq!(fault(words(&[(id, "0")])).kind, FaultKind::BadId, "{id}");
    }
    let bad = fault_with(words(&[("1-2", "_"), ("1", "0"), ("2", "1")]), x());
    assert_eq!(bad.kind, FaultKind::BadId, "CoNLL-X has no ranges");
}

#[test]
fn ranges_fit_the_words() {
    assert_unchanged(&words(&[("1-2", "_"), ("1", "0"), ("2", "1"), ("3", "1")]), universal());
    for bad in [
        &[("1-3", "_"), ("1", "0"), ("2", "1")][..],
        &[("2-3", "_"), ("1", "0"), ("2", "1"), ("3", "1")],
        &[("1", "0"), ("1-2", "_"), ("2", "1")],
        &[("1-2", "_"), ("1", "0"), ("2-3", "_"), ("2", "1"), ("3", "1")],
        &[("1-2", "_"), ("1-2", "_"), ("1", "0"), ("2", "1")],
        &[("1", "0"), ("2", "1"), ("3-2", "_"), ("3", "1")],
    ] {
        assert_eq!(fault(words(bad)).kind, FaultKind::BadRange, "{bad:?}");
    }
}

#[test]
fn heads_are_words() {
    let bad = fault(words(&[("1", "0"), ("2", "3")]));
    assert_eq!(bad.kind, FaultKind::HeadOutOfRange { words: 2 });
    assert_eq!(place(&bad), (2, 24, "3"));
    assert_eq!(
        bad.to_string(),
        "test:2:24: there is no such head: `3`, expected a number from 0 to 2"
    );
    assert_eq!(fault(words(&[("1", "0"), ("2", "2")])).kind, FaultKind::SelfHead);
    for head in ["x", "-1", "1.1", "00", "99999999999999999999"] {
        assert_eq!(fault(words(&[("1", "0"), ("2", head)])).kind, FaultKind::BadHead, "{head}");
    }
}

#[test]
fn heads_form_trees() {
    let bad = fault(words(&[("1", "0"), ("2", "3"), ("3", "4"), ("4", "2"), ("5", "2")]));
    assert_eq!(bad.kind, FaultKind::Cycle);
    assert_eq!(fault(words(&[("1", "2"), ("2", "1")])).kind, FaultKind::NoRoot);
    let unchecked = ReadOptions { check_trees: false, ..universal() };
    assert_unchanged(&words(&[("1", "2"), ("2", "1"), ("3", "77")]), unchecked);
}

#[test]
fn several_roots_depend_on_the_format() {
    let text = words(&[("1", "0"), ("2", "0")]);
    let bad = fault(text.clone());
    assert_eq!(bad.kind, FaultKind::SeveralRoots);
    assert_eq!(bad.line, 2);
    assert_eq!(copy(text.clone(), x()), (text.clone(), vec![WarningKind::SeveralRoots]));
    assert_unchanged(&text, ReadOptions { roots: Roots::Any, ..universal() });
    let one = ReadOptions { roots: Roots::One, ..x() };
    assert_eq!(fault_with(text, one).kind, FaultKind::SeveralRoots);
}

#[test]
fn heads_may_be_missing_where_no_tree_is_needed() {
    let text = words(&[("1", "_"), ("2", "1")]);
    assert_eq!(copy(text.clone(), universal()), (text.clone(), vec![WarningKind::MissingHead]));
    let need = ReadOptions { need_tree: true, ..universal() };
    let bad = fault_with(text, need);
    assert_eq!(bad.kind, FaultKind::MissingHead);
    assert_eq!(place(&bad), (1, 24, "_"));
    let bad = fault(words(&[("1", "_"), ("2", "3"), ("3", "2")]));
    assert_eq!(bad.kind, FaultKind::Cycle, "what is there is checked");
}

#[test]
fn sentences_have_words_behind_their_comments() {
    let good = words(&[("1", "0")]);
    assert_eq!(fault("# only\n# comments\n\n").kind, FaultKind::NoWords);
    let bad = fault(word("1", "0") + "# late\n\n");
    assert_eq!((bad.kind.clone(), place(&bad)), (FaultKind::LateComment, (2, 1, "# late")));
    assert_unchanged(&format!("# first\n{good}"), universal());
}

#[test]
fn text_is_utf8_without_control_characters() {
    let bad = fault(b"# one\n1\tf\xffm\tlemma\tNOUN\tNN\t_\t0\troot\t_\t_\n\n");
    assert_eq!((bad.kind.clone(), bad.line, bad.column), (FaultKind::BadUtf8, 2, 4));
    for byte in [0, 1, 7, 8, 11, 12, 27, 31, 127] {
        let text = format!("# text = é{}b\n{}", char::from(byte), words(&[("1", "0")]));
        let bad = fault(text);
        assert_eq!((bad.kind.clone(), bad.line, bad.column), (FaultKind::ControlCharacter, 1, 11));
    }
    let bad = fault("# text = a\rb\n".to_owned() + &words(&[("1", "0")]));
    assert_eq!(bad.kind, FaultKind::ControlCharacter, "CR belongs before LF");
    for (character, warnings) in [
        ('\u{80}', &[WarningKind::LatinControlCharacter][..]),
        ('\u{9f}', &[WarningKind::LatinControlCharacter]),
        ('\u{a0}', &[]),
    ] {
        let text = format!("# {}{character}\n{}", "x".repeat(253), words(&[("1", "0")]));
        assert_eq!(copy(text.clone(), universal()), (text, warnings.to_vec()));
    }
}

#[test]
fn sizes_are_limited() {
    let limits = Limits { line_bytes: 40, words: 3, sentence_bytes: 300, ..Limits::default() };
    let small = ReadOptions { limits, ..universal() };
    assert_unchanged(&words(&[("1", "0"), ("2", "1"), ("3", "1")]), small);
    let bad = fault_with(words(&[("1", "0"), ("2", "1"), ("3", "1"), ("4", "1")]), small);
    assert_eq!(bad.kind, FaultKind::LongSentence { limit: 3 });
    let bad = fault_with(format!("# {}\n{}", "x".repeat(39), words(&[("1", "0")])), small);
    assert_eq!(bad.kind, FaultKind::LongLine { limit: 40 });
    for huge in ["x".repeat(1_000_000), "# short\n".repeat(100_000)] {
        let good = words(&[("1", "0")]);
        let mut reader = reader(format!("{good}{huge}\n\n{good}"), small);
        let mut sentence = Sentence::default();
        assert!(reader.read(&mut sentence).unwrap());
        reader.read(&mut sentence).unwrap_err();
        assert_eq!(reader.faults()[0].kind, FaultKind::HugeSentence { limit: 300 });
        assert_eq!(reader.faults()[0].line, 3);
        assert!(reader.rejected().is_empty());
        assert!(reader.read(&mut sentence).unwrap(), "reading goes on behind it");
        assert_eq!(sentence.word(1).line(), 2 + huge.split('\n').count() + 2);
        assert!(!reader.read(&mut sentence).unwrap());
    }
}

#[test]
fn real_life_is_accepted_with_one_warning_per_kind() {
    let good = words(&[("1", "0")]);
    let two = good.repeat(2);
    let cases: [(String, &[WarningKind]); 9] = [
        (format!("\u{feff}{two}"), &[WarningKind::ByteOrderMark]),
        (two.replace('\n', "\r\n"), &[WarningKind::CarriageReturn]),
        (format!("{good}\n\n{good}"), &[WarningKind::DoubledBlankLine]),
        (format!("\n{two}"), &[WarningKind::DoubledBlankLine]),
        (format!("{two}\n"), &[WarningKind::DoubledBlankLine]),
        (two.replace("\n\n", "\n \t\n"), &[WarningKind::LineOfBlanks]),
        (two.trim_end().to_owned(), &[WarningKind::MissingFinalNewline]),
        (two.trim_end().to_owned() + "\n", &[WarningKind::MissingFinalNewline]),
        (
            two.trim_end().replace('\n', "\r\n") + "\r",
            &[WarningKind::CarriageReturn, WarningKind::MissingFinalNewline],
        ),
    ];
    for (text, expected) in cases {
        let (copy, warnings) = copy(text.clone(), universal());
        assert_eq!(copy, two, "{text:?}");
        assert_eq!(warnings, expected, "{text:?}");
    }
    assert_eq!(copy("", universal()), (String::new(), vec![]));
    assert_eq!(copy("\n \n", universal()).0, "");
}

#[test]
fn warnings_count_sentences() {
    let mut reader = reader(words(&[("1", "0"), ("2", "0")]).repeat(3), x());
    while reader.read(&mut Sentence::default()).unwrap() {}
    assert_eq!((reader.warnings()[0].count, reader.warnings()[0].line), (3, 2));
}

#[test]
fn reading_goes_on_behind_a_bad_sentence() {
    let (good, bad) = (words(&[("1", "0")]), words(&[("1", "9"), ("7", "x")]));
    let mut reader = reader(format!("{good}{bad}{good}"), universal());
    let mut sentence = Sentence::default();
    assert!(reader.read(&mut sentence).unwrap());
    reader.read(&mut sentence).unwrap_err();
    assert_eq!(reader.rejected(), bad.strip_suffix('\n').unwrap_or_default().as_bytes());
    assert_eq!(reader.faults().len(), 3, "all that is wrong is told: {:?}", reader.faults());
    assert!(reader.read(&mut sentence).unwrap());
    assert_eq!(sentence.first_line(), 6);
    assert!(!reader.read(&mut sentence).unwrap());
}

#[test]
fn plus_takes_its_columns_from_the_first_line() {
    let text = "# global.columns = ID FORM UPOS PARSEME:MWE\n# sent_id = 1\n\
        1-2\tdel\t_\t_\n1\tde\tADP\t1:ID\n2\tel\tDET\t1\n\n1\ty\tCCONJ\t*\n\n";
    assert_unchanged(text, ReadOptions::default());
    let sentences = conll::read_str(text, ReadOptions::default()).unwrap();
    assert_eq!(sentences[0].format(), Format::ConllUPlus);
    let word = sentences[0].word(1);
    assert_eq!((word.upos(), word.lemma(), word.head()), ("ADP", "_", None));
    assert_eq!(word.get(Column::Other(3)), Some("1:ID"));
    let no_id = "# global.columns = FORM UPOS\n# not a word\n#\tSYM\nfor\tADP\n\n";
    assert_unchanged(no_id, ReadOptions::default());
    assert_eq!(conll::read_str(no_id, ReadOptions::default()).unwrap()[0].word(1).form(), "#");
    let plus = ReadOptions { format: Some(Format::ConllUPlus), ..ReadOptions::default() };
    for text in [words(&[("1", "0")]), format!("# global.columns =\n{}", words(&[("1", "0")]))] {
        let Err(conll::Error::Fault(bad)) = Reader::from_bytes("test", text, plus) else {
            panic!("the columns are not named");
        };
        assert_eq!(bad.kind, FaultKind::NoGlobalColumns);
    }
}

const SHARED_TASK: &str = "\
    1\tThe\tthe\tThe\tDT\tDX\tg=1\tp=1\t2\t3\tNMOD\tPM\t_\t_\t_\tA0\n\
    2\tdog\tdog\tdogg\tNN\tNNP\t_\t_\t3\t3\tSBJ\tPS\tY\tdog.01\tA1\tA0\n\
    3\tbarks\tbark\tbarks\tVBZ\tVB\t_\t_\t0\t0\tROOT\tROOT\tY\tbark.01\t_\t_\n\n";

#[test]
fn conll_2009_has_predicted_columns_and_arguments() {
    assert_unchanged(SHARED_TASK, ReadOptions::default());
    let sentence = conll::read_str(SHARED_TASK, ReadOptions::default()).unwrap().remove(0);
    assert_eq!(sentence.format(), Format::Conll2009);
    let dog = sentence.word(2);
    assert_eq!((dog.lemma(), dog.xpos(), dog.upos(), dog.head()), ("dog", "NN", "NN", Some(3)));
    assert_eq!(dog.get(Column::Apred(0)), Some("A1"));
    assert_eq!(dog.get(Column::Apred(2)), None);
    assert_eq!(dog.get(Column::Upos), None);
    let predicted = ReadOptions { predicted: true, ..ReadOptions::default() };
    let sentence = conll::read_str(SHARED_TASK, predicted).unwrap().remove(0);
    assert_eq!((sentence.word(2).lemma(), sentence.word(2).xpos()), ("dogg", "NNP"));
    assert_eq!(sentence.word(1).feats(), "p=1");
    let ragged = SHARED_TASK.replace("A1\tA0", "A1");
    let bad = fault_with(ragged, ReadOptions::default());
    assert_eq!(bad.kind, FaultKind::ColumnCount { found: 15, expected: 16 });
    let fewer = SHARED_TASK.replace("Y\tdog.01", "_\t_");
    assert_eq!(copy(fewer, ReadOptions::default()).1, [WarningKind::ArgumentColumns]);
}

#[test]
fn formats_are_recognised_by_content() {
    let format = |text: &str| reader(text, ReadOptions::default()).format();
    assert_eq!(format(RICH), Format::ConllU);
    assert_eq!(format(&words(&[("1", "0")])), Format::ConllU);
    assert_eq!(format(&words(&[("1", "0")]).replace("NOUN", "NC")), Format::ConllX);
    assert_eq!(format(SHARED_TASK), Format::Conll2009);
    assert_eq!(format("\u{feff}# global.columns = ID FORM\n1\ta\n\n"), Format::ConllUPlus);
    assert_eq!(format(""), Format::ConllU);
}

#[test]
fn edits_change_only_what_they_touch() {
    let mut sentence = conll::read_str(RICH, ReadOptions::default()).unwrap().remove(0);
    sentence.set_head(5, Some(2));
    sentence.set(5, Column::Deprel, "tab\there");
    sentence.set(4, Column::Misc, "");
    sentence.set_head(3, None);
    sentence.set_comment("sent_id", "2");
    sentence.set_comment("generator", "test");
    assert_eq!(sentence.word(5).head(), Some(2));
    assert_eq!(sentence.word(3).head(), None);
    let mut out = Vec::new();
    sentence.write_to(&mut out).unwrap();
    let expected = RICH
        .replace("NOUN\t_\t_\t1\tobl", "NOUN\t_\t_\t2\ttab here")
        .replace("ADP\t_\t_\t5", "ADP\t_\t_\t_")
        .replace("sent_id = 1", "sent_id = 2")
        .replace("with a tab\n", "with a tab\n# generator = test\n");
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    assert!(!sentence.set(1, Column::Pred, "x"), "CoNLL-U has no such column");
    let again = conll::read_str(&expected, ReadOptions::default()).unwrap();
    assert_eq!(again[0].comment_value("generator"), Some("test"));
}
