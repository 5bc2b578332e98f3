use conll::{ReadOptions, Reader, Roots};

use super::*;
use crate::seed::Seed;
use crate::treebank::generate::{TreebankOptions, treebank_text};

fn check_with(options: CheckOptions, texts: &[&str]) -> CheckReport {
    let mut checker = Checker::new(options);
    for (number, text) in texts.iter().enumerate() {
        let name = format!("file{}", number + 1);
        checker.start_file(&name);
        let options = ReadOptions { roots: Roots::Any, ..ReadOptions::default() };
        let mut reader = Reader::from_bytes(&name, *text, options).unwrap();
        let mut sentence = Sentence::default();
        loop {
            match reader.read(&mut sentence) {
                Ok(true) => checker.sentence(&sentence),
                Ok(false) => break,
                Err(_) => reader.faults().iter().for_each(|fault| checker.fault(fault)),
            }
        }
        reader.warnings().iter().for_each(|warning| checker.warning(warning));
    }
    checker.finish()
}

/// An endless stream of different sentences fills no memory; those that are remembered are compared.
#[test]
fn only_so_many_sentences_are_remembered() {
    let mut checker = Checker::new(CheckOptions::default());
    checker.most_remembered = 3;
    checker.start_file("endless");
    let line = |id, form: &str| format!("{id}\t{form}\t_\tX\t_\t_\t{}\tdep\t_\t_\n", id - 1);
    let text = |form: &str| {
        let words: String = (1..=5).map(|id| line(id, form)).collect();
        format!("# sent_id = {form}\n{words}\n")
    };
    let forms = ["a", "b", "c", "d", "e", "a", "d"];
    let all: String = forms.map(text).concat();
    for sentence in conll::read_str(&all, ReadOptions::default()).unwrap() {
        checker.sentence(&sentence);
    }
    assert_eq!((checker.remembered.len(), checker.identifiers.len()), (3, 3));
    let report = checker.finish();
    assert_eq!(found(&report, &Kind::NotRemembered), [(22, Severity::Warning)]);
    assert_eq!(found(&report, &Kind::DuplicateSentence), [(36, Severity::Warning)]);
    assert_eq!(found(&report, &Kind::DuplicateSentenceId), [(36, Severity::Error)]);
}

fn check(texts: &[&str]) -> CheckReport {
    check_with(CheckOptions::default(), texts)
}

/// A sentence from `form tag head label` per word, with a comment to mark it as CoNLL-U.
fn sentence(words: &str) -> String {
    let lines: Vec<String> = words
        .split('/')
        .enumerate()
        .map(|(at, word)| {
            let parts: Vec<&str> = word.split_whitespace().collect();
            let [form, tag, head, label] = parts[..] else { panic!("{word}") };
            format!("{}\t{form}\t{form}\t{tag}\tT\tA=B\t{head}\t{label}\t_\t_\n", at + 1)
        })
        .collect();
    format!("# x\n{}\n", lines.concat())
}

fn found(report: &CheckReport, kind: &Kind) -> Vec<(usize, Severity)> {
    let of_kind = report.findings.iter().filter(|finding| finding.kind == *kind);
    of_kind.map(|finding| (finding.line, finding.severity)).collect()
}

#[test]
fn a_clean_treebank_is_clean() {
    let options = TreebankOptions { sentences: 300, ..TreebankOptions::default() };
    let report = check(&[&treebank_text(Seed(41), &options)]);
    assert_eq!(report.errors, 0, "{:?}", report.findings);
    let kinds: Vec<&Kind> = report.kinds.iter().map(|count| &count.kind).collect();
    let harmless = [Kind::DuplicateSentence, Kind::InconsistentAnnotation];
    // Its language is invented, not its rules: some of Universal Dependencies are not among them.
    let is_rule = |kind: &Kind| matches!(kind, Kind::Universal(_));
    let all = kinds.iter().all(|kind| harmless.contains(kind) || is_rule(kind));
    assert!(all, "{:?}", report.findings);
    assert_eq!(report.sentences, 300);
}

#[test]
fn every_rule_for_one_sentence() {
    use Severity::{Error, Warning};
    let report = check(&[&sentence("a X 0 root/b X 0 root")]);
    assert_eq!(found(&report, &Kind::SeveralRoots), [(3, Error)]);

    let report = check(&[&sentence("a X 0 dep/b X 1 root:x")]);
    assert_eq!(found(&report, &Kind::RootLabel), [(2, Error), (3, Error)]);

    let report = check(&[&sentence("a X 0 root/b PUNCT 1 punct/c X 2 dep")]);
    assert_eq!(found(&report, &Kind::Universal("leaf-punct")), [(4, Warning)]);
    let strict = CheckOptions { strict: true, ..CheckOptions::default() };
    let report = check_with(strict, &[&sentence("a X 0 root/b PUNCT 1 punct/c X 2 dep")]);
    assert_eq!(found(&report, &Kind::Universal("leaf-punct")), [(4, Error)]);
    let report = check(&[&sentence("a X 0 root/b PUNCT 1 dep/c X 2 dep")]);
    assert_eq!(found(&report, &Kind::PunctuationWithDependents), [(4, Warning)]);

    let report = check(&[&sentence("a CONJ 0 root/b n 1 dep")]);
    assert_eq!(found(&report, &Kind::UnknownTag), [(2, Warning), (3, Warning)]);

    let report = check(&[&sentence("a X _ root/b X 0 root")]);
    assert_eq!(found(&report, &Kind::MissingHead), [(2, Error)]);

    let report = check(&[&sentence("a X 0 root/b _ 1 dep/c X 1 _")]);
    assert_eq!(found(&report, &Kind::EmptyField), [(3, Warning), (4, Warning)]);

    let options = CheckOptions { long_sentence: 2, ..CheckOptions::default() };
    let report = check_with(options, &[&sentence("a X 0 root/b X 1 dep/c X 1 dep")]);
    assert_eq!(found(&report, &Kind::LongSentence), [(1, Warning)]);
}

#[test]
fn roots_as_the_user_says() {
    let two_roots = sentence("a X 0 root/b X 0 root");
    let options = CheckOptions { roots: Some(RootPolicy::Several), ..CheckOptions::default() };
    assert_eq!(check_with(options, &[&two_roots]).errors, 0);
    let conllx = two_roots.replace("# x\n", "").replace("\tX\t", "\tNoun\t");
    let report = check(&[&conllx]);
    assert_eq!(found(&report, &Kind::SeveralRoots), [(2, Severity::Warning)]);
    let options = CheckOptions { roots: Some(RootPolicy::Single), ..CheckOptions::default() };
    assert_eq!(check_with(options, &[&conllx]).errors, 1);
}

#[test]
fn refused_sentences_are_told_and_the_rest_is_checked() {
    let text = sentence("a X 0 root/b X 9 dep") + &sentence("a X 0 root/b ADX 1 dep");
    let report = check(&[&text]);
    let fault = &report.findings[0];
    assert!(matches!(&fault.kind, Kind::Unreadable(_)), "{fault}");
    assert_eq!((fault.line, fault.severity), (3, Severity::Error));
    assert!(fault.message.starts_with("column 15: "), "{fault}");
    assert_eq!(found(&report, &Kind::UnknownTag), [(7, Severity::Warning)]);
    let report = check(&[sentence("a X 0 root").trim_end()]);
    assert!(matches!(&report.findings[0].kind, Kind::Unusual(_)), "{:?}", report.findings);
}

#[test]
fn texts_are_compared_with_the_words() {
    let text = "# sent_id = 1\n# text = vámonos al mar.\n\
                1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\t_\n\
                1\tvamos\tir\tVERB\t_\t_\t0\troot\t_\t_\n\
                2\tnos\tnos\tPRON\t_\t_\t1\tobj\t_\t_\n\
                2.1\tempty\t_\t_\t_\t_\t_\t_\t_\t_\n\
                3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_\n\
                3\ta\ta\tADP\t_\t_\t5\tcase\t_\t_\n\
                4\tel\tel\tDET\t_\t_\t5\tdet\t_\t_\n\
                5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\tX=Y|SpaceAfter=No\n\
                6\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n";
    assert_eq!(check(&[text]).errors, 0);
    assert_eq!(check(&[&text.replace("al mar.", "al\u{a0}mar.")]).errors, 0);
    let report = check(&[&text.replace("al mar.", "al mar .")]);
    assert_eq!(found(&report, &Kind::TextMismatch), [(2, Severity::Error)]);
    assert_eq!(
        report.findings.iter().find(|finding| finding.kind == Kind::TextMismatch).unwrap().message,
        "`# text` has `…nos al mar .` where the words spell `…nos al mar.` (character 15)"
    );
}

#[test]
fn repeated_sentences_are_told_across_files() {
    let first = sentence("a X 2 dep/b X 0 root/c X 2 dep/d X 2 dep/e X 2 dep");
    let other = first.replace("\t2\tdep\t_\t_\n5", "\t3\tdep\t_\t_\n5");
    let report = check(&[&first, &(first.clone() + &other)]);
    let places: Vec<(&str, usize, &Kind)> = report
        .findings
        .iter()
        .map(|finding| (finding.file.as_str(), finding.line, &finding.kind))
        .collect();
    let expected =
        [("file2", 1, &Kind::DuplicateSentence), ("file2", 8, &Kind::InconsistentAnnotation)];
    assert_eq!(places.iter().filter(|place| place.0 == "file2").count(), 2, "{places:?}");
    assert!(expected.iter().all(|place| places.contains(place)), "{places:?}");
    assert!(report.findings.iter().any(|finding| finding.message.ends_with("but other heads")));
}

#[test]
fn identifiers_are_unique() {
    let one = sentence("a X 0 root").replace("# x", "# sent_id = s1");
    let report = check(&[&one, &one]);
    let finding = &report.findings[0];
    assert_eq!((finding.file.as_str(), &finding.kind), ("file2", &Kind::DuplicateSentenceId));
    assert!(finding.message.ends_with("file1:1"));
}

#[test]
fn names_are_compared_at_the_end() {
    let text = sentence("a X 0 root/b X 1 dep/c X 1 dep/d X 1 Dep/e X 1 Dep/f X 1 dep/g Z 1 hapax");
    let report = check(&[&text]);
    assert_eq!(found(&report, &Kind::NearDuplicate), [(5, Severity::Warning)]);
    assert_eq!(found(&report, &Kind::SeenOnce).len(), 3); // root, hapax, Z
    let many: String =
        (0..600).map(|n| sentence(&format!("a X 0 root/b X 1 l{n}"))).collect::<Vec<_>>().concat();
    let report = check(&[&many]);
    assert_eq!(found(&report, &Kind::TooManyValues).len(), 1);
    let once = report.kinds.iter().find(|count| count.kind == Kind::SeenOnce).unwrap();
    assert_eq!((once.count, once.listed), (600, 20));
}

#[test]
fn an_empty_column_is_one_finding_per_file() {
    let text = sentence("a X 0 root/b X 1 dep").replace("A=B", "_").replace("\tT\t", "\t_\t");
    let report = check(&[&text]);
    assert_eq!(found(&report, &Kind::EmptyColumn).len(), 2);
    assert_eq!(report.errors, 0);
}

#[test]
fn columns_that_come_and_go_are_told() {
    let with = sentence("a X 0 root/b X 1 dep/c X 1 dep/d X 1 dep/e X 1 dep");
    let without = with.replace("\tT\t", "\t_\t");
    let report = check(&[&(with.clone() + &without), &without, &with]);
    let place = |kind: &Kind| {
        let of_kind = report.findings.iter().filter(|finding| finding.kind == *kind);
        of_kind.map(|finding| finding.file.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(place(&Kind::ColumnWithGaps), ["file1"]);
    assert_eq!(place(&Kind::ColumnsDiffer), ["file2"]);
}
