//! Figures of real treebanks, when `CROSSARC_TREEBANKS` names the folder that holds them: training
//! sentences and words, non-projective arcs and sentences in percent (by dominance), sentences with
//! several roots.
use std::io::Write;
use std::path::Path;

use conll::{ReadOptions, Reader};
use crossarc::tree::treebank::statistics::Statistics;
use crossarc::tree::treebank::unlabelled_tree_of;

const FIGURES: [(&str, u64, u64, f64, f64, u64); 8] = [
    ("da_ddt-conllx-train.conll", 4_466, 81_277, 1.07, 16.1, 129),
    ("el_gdt-ud-train.conllu", 1_662, 42_326, 0.49, 11.0, 0),
    ("eu_conll07-train.conll", 2_595, 40_032, 2.98, 25.8, 1007),
    ("got_proiel-ud-train.conllu", 3_387, 35_024, 2.82, 20.4, 0),
    ("hu_szeged-ud-train.conllu", 910, 20_166, 1.41, 19.5, 0),
    ("la_perseus-ud-train.conllu", 1_334, 18_259, 5.67, 41.0, 0),
    ("nl_lassysmall-ud-train.conllu", 6_641, 88_929, 6.36, 29.4, 0),
    ("tr_imst-ud-train.conllu", 3_435, 37_522, 0.60, 5.0, 0),
];

/// Straight to standard error: the test harness hides what `eprintln!` says.
fn skip(what: &str) {
    std::io::stderr().write_all(format!("SKIPPED {what}\n").as_bytes()).unwrap();
}

#[test]
fn known_treebanks_have_their_known_figures() {
    let Ok(folder) = std::env::var("CROSSARC_TREEBANKS") else {
        skip("treebank figures: set CROSSARC_TREEBANKS to a folder of treebanks");
        return;
    };
    for (name, sentences, words, arcs, nonprojective, several_roots) in FIGURES {
        let path = Path::new(&folder).join(name);
        if !path.exists() {
            skip(&format!("{name}, which is not in CROSSARC_TREEBANKS"));
            continue;
        }
        let mut statistics = Statistics::default();
        for sentence in Reader::open(&path, ReadOptions::default()).unwrap() {
            let sentence = sentence.unwrap();
            statistics.add(&sentence, unlabelled_tree_of(&sentence).as_ref().ok());
        }
        let summary = statistics.summary();
        assert_eq!((summary.sentences, summary.words), (sentences, words), "{name}");
        assert_eq!(
            format!("{:.2}", summary.nonprojective_arcs_percent),
            format!("{arcs:.2}"),
            "{name}"
        );
        let percent = summary.nonprojective_sentences_percent;
        assert_eq!(format!("{percent:.1}"), format!("{nonprojective:.1}"), "{name}");
        assert_eq!(summary.sentences_with_several_roots, several_roots, "{name}");
    }
}
