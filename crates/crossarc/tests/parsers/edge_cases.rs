//! Input at the edges: nothing, one word, the unknown, the very long, the untouched.
use super::{crossing, model, parsed, projective, quick, text};
use conll::{ReadOptions, Roots, Sentence};
use crossarc::annotate::{AnnotateOptions, Model};
use crossarc::parser::ParseOptions;
use crossarc::train::train;
use crossarc::train::{TrainError, TrainOptions, Unobserved};
use crossarc::transition::systems::{SYSTEMS, default_oracle};
use crossarc::tree::RootPolicy;
use crossarc::tree::treebank::unlabelled_tree_of;

fn read(text: &str) -> Vec<Sentence> {
    conll::read_str(text, ReadOptions { roots: Roots::Any, ..ReadOptions::default() }).unwrap()
}

/// All systems with their default oracles, and how wide their beams are.
fn models() -> impl Iterator<Item = (&'static str, usize, Model)> {
    let sentences = projective(30, 8, RootPolicy::Single);
    let mut systems: Vec<&str> = SYSTEMS.iter().map(|entry| entry.system).collect();
    systems.dedup();
    systems.into_iter().flat_map(|system| [(system, 1), (system, 3)]).map(move |(system, beam)| {
        let oracle = default_oracle(system).unwrap();
        let options = TrainOptions { beam, epochs: 2, ..quick(system, oracle) };
        (system, beam, model(&options, &sentences))
    })
}

#[test]
fn training_needs_a_sentence() {
    let options = quick("swap", "lazy");
    for sentences in [vec![], vec![Sentence::default()]] {
        let error = train(&options, &sentences, &[], &Unobserved).err().unwrap();
        assert!(matches!(error, TrainError::NoSentence), "{error}");
    }
    let error =
        train(&quick("psychic", "static"), &crossing(1, 2), &[], &Unobserved).err().unwrap();
    assert!(error.to_string().contains("arc-standard"), "{error}");
    let error = train(&quick("swap", "psychic"), &crossing(1, 2), &[], &Unobserved).err().unwrap();
    assert!(error.to_string().contains("lazy"), "{error}");
    let several = projective(1, 5, RootPolicy::Several);
    let several: Vec<Sentence> = several
        .into_iter()
        .filter(|s| s.words().filter(|word| word.head() == Some(0)).count() > 1)
        .collect();
    let single = TrainOptions { roots: Some(RootPolicy::Single), ..options };
    let error = train(&single, &several, &[], &Unobserved).err().unwrap();
    assert!(error.to_string().contains("too many roots"), "{error}");
}

/// Training on next to nothing gives a model that parses.
#[test]
fn a_treebank_of_one_word_will_do() {
    let sentences = read("1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n");
    for entry in SYSTEMS {
        for beam in [1, 2] {
            let options = TrainOptions { beam, epochs: 1, ..quick(entry.system, entry.oracle) };
            let model = model(&options, &sentences);
            let parsed = parsed(&model, &crossing(2, 3), &AnnotateOptions::default());
            assert!(parsed.iter().all(|sentence| unlabelled_tree_of(sentence).is_ok()));
        }
    }
}

#[test]
fn empty_one_word_and_unknown() {
    let one = read("1\tGo\t_\t_\t_\t_\t_\t_\t_\t_\n\n");
    let unknown = read(
        "1\t𝔛𝔜\t☃\tPSYCHIC\tx,y\tZ=9\t_\tnever-seen\t_\t_\n\
         2\t\u{301}\t_\t_\t_\t_\t_\t_\t_\t_\n\
         3\ta b\t|\t=\t|\tA=1|B=2\t1\t|\t_\t_\n\n",
    );
    for (system, beam, model) in models() {
        let mut annotator = model.annotator(AnnotateOptions::default());
        let mut nothing = Sentence::default();
        assert_eq!(annotator.annotate(&mut nothing).unwrap().steps, 0, "{system} {beam}");
        assert_eq!(text(&[nothing]), text(&[Sentence::default()]));
        let mut one = one[0].clone();
        annotator.annotate(&mut one).unwrap();
        assert_eq!(one.word(1).head(), Some(0), "{system} {beam}");
        let mut unknown = unknown[0].clone();
        annotator.annotate(&mut unknown).unwrap();
        assert!(unlabelled_tree_of(&unknown).is_ok(), "{system} {beam}");
        let known = &model.header.labels;
        assert!(unknown.words().all(|word| known.iter().any(|label| label == word.deprel())));
    }
}

/// All but Covington's systems, which look at every pair of words, and that of Yamada and Matsumoto, which passes
/// over a sentence as often as it takes.
#[test]
fn ten_thousand_words_take_a_linear_number_of_moves() {
    const WORDS: usize = 10_000;
    let sentences = crossing(31, 100);
    let words = sentences.iter().flat_map(Sentence::words).cycle().take(WORDS);
    let line = |(number, word): (usize, conll::Word<'_>)| {
        let (id, form, upos, feats) = (number + 1, word.form(), word.upos(), word.feats());
        format!("{id}\t{form}\t_\t{upos}\t_\t{feats}\t_\t_\t_\t_\n")
    };
    let lines: String = words.enumerate().map(line).collect();
    let long = read(&(lines + "\n"));
    for (system, beam, model) in models() {
        if ["covington", "covington-unshift", "yamada-matsumoto"].contains(&system)
            || (beam > 1 && system != "arc-hybrid")
        {
            continue;
        }
        let mut sentence = long[0].clone();
        let mut annotator = model.annotator(AnnotateOptions::default());
        let steps = annotator.annotate(&mut sentence).unwrap().steps;
        assert!((WORDS..5 * WORDS).contains(&steps), "{system}, beam {beam}: {steps} moves");
        assert!(unlabelled_tree_of(&sentence).is_ok());
    }
}

const ANNOTATED: &str = "\
# newdoc
# sent_id = 1
# text = Don't go home.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=Yes
1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t3:aux\tA=b|C
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t3:advmod\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t0:root\tScore=0.1|Z=1
3.1\tthere\tthere\tADV\tRB\t_\t_\t_\t3:advmod\tCopyOf=4
4\thome\thome\tADV\tRB\t_\t3\tadvmod\t3:advmod\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_

";

/// HEAD and DEPREL change, nothing else.
#[test]
fn everything_else_is_left_alone() {
    let blank = |text: &str| -> Vec<String> {
        let blank = |line: &str| {
            let mut columns: Vec<&str> = line.split('\t').collect();
            if columns.len() == 10 {
                (columns[6], columns[7]) = ("", "");
            }
            columns.join("\t")
        };
        text.lines().map(blank).collect()
    };
    for (system, beam, model) in models() {
        let parsed = text(&parsed(&model, &read(ANNOTATED), &AnnotateOptions::default()));
        assert_eq!(blank(&parsed), blank(ANNOTATED), "{system} {beam}");
        assert!(parsed.contains("3.1\tthere\tthere\tADV\tRB\t_\t_\t_\t3:advmod\t"), "{parsed}");
    }
}

#[test]
fn scores_stand_beside_what_is_in_misc() {
    let options = AnnotateOptions {
        parse: ParseOptions { confidences: true, ..Default::default() },
        ..Default::default()
    };
    for (system, beam, model) in models() {
        let parsed = parsed(&model, &read(ANNOTATED), &options);
        let misc: Vec<&str> = parsed[0].words().map(|word| word.misc()).collect();
        for (misc, rest) in misc.iter().zip(["A=b|C|", "", "Z=1|", "SpaceAfter=No|", ""]) {
            let score = misc.strip_prefix(rest).and_then(|score| score.strip_prefix("Score="));
            let score: f64 = score.unwrap_or_else(|| panic!("{system}: {misc}")).parse().unwrap();
            assert!((0.0..=1.0).contains(&score), "{system} {beam}: {misc}");
        }
        assert!(text(&parsed).contains("\tCopyOf=4\n"));
        assert!(text(&parsed).contains("\tSpaceAfter=Yes\n"));
    }
}
