use std::collections::BTreeMap;

use conll::{Column, ReadOptions, Roots, Sentence};

use super::*;
use crate::codec::round_trip::RoundTrip;
use crate::codec::{CodecChain, CodecError};
use crate::generate::random_tree;
use crate::seed::Seed;
use crate::treebank::unlabelled_tree_of;
use crate::{RootPolicy, Tree};

/// A sentence from lines `form tag feats head label`.
fn sentence(lines: &[&str]) -> Sentence {
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let [form, tag, feats, head, label] =
            line.split(' ').collect::<Vec<_>>().try_into().expect("five fields");
        let id = (at + 1).to_string();
        let columns = [&id, form, form, tag, "_", feats, head, label, "_", "_\n"];
        text.push_str(&columns.join("\t"));
    }
    read(&text)
}

fn read(text: &str) -> Sentence {
    let options = ReadOptions { roots: Roots::Any, ..ReadOptions::default() };
    conll::read_str(text, options).unwrap().remove(0)
}

fn arcs(sentence: &Sentence) -> Vec<String> {
    sentence.words().map(|word| format!("{} {}", word.head().unwrap(), word.deprel())).collect()
}

fn written(sentence: &Sentence) -> String {
    let mut bytes = Vec::new();
    sentence.write_to(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Encodes one sentence into one, checks that it comes back, and gives its arcs.
fn there_and_back(transformation: &impl Transformation, gold: &Sentence) -> Vec<String> {
    let encoded = transformation.encode_gold(gold);
    assert_eq!(arcs(&transformation.restore(gold, &encoded)), arcs(gold));
    arcs(&encoded[0])
}

#[test]
fn punctuation_under_the_root_goes_to_the_word_before() {
    let gold = sentence(&[
        "« u _ 0 AuxG",
        "he p _ 3 SBJ",
        "came v _ 0 PRED",
        ", u _ 0 AuxX",
        "late d _ 3 ADV",
        ". u _ 0 AuxK",
    ]);
    assert_eq!(
        there_and_back(&Punctuation::default(), &gold),
        ["0 AuxG", "3 SBJ", "0 PRED", "3 AuxX@root", "3 ADV", "5 AuxK@root"]
    );
    let only = sentence(&["word n _ 2 x", ". u _ 0 root"]);
    assert_eq!(there_and_back(&Punctuation::default(), &only), ["2 x", "0 root"]);
    let tags = Punctuation { tags: vec!["d".to_owned()], ..Punctuation::default() };
    assert_eq!(there_and_back(&tags, &gold), arcs(&gold));
}

/// The example of Schiehlen and Spranger 2007, section 2.5, with a clash of unequal conjuncts.
#[test]
fn conjuncts_and_coordination_change_labels() {
    let gold = sentence(&[
        "Minimálně d _ 3 AuxZ",
        "dva c _ 3 Atr",
        "stupně n _ 0 ExD",
        "rozlišení n _ 5 Atr_M",
        ", u _ 3 Apos",
        "standard n _ 7 ExD_M",
        "a j _ 5 Coord_M",
        "jemně d _ 7 ExD_M",
        ". u _ 0 AuxK",
    ]);
    let markers = Markers {
        markers: vec![Marker {
            marker: "_M".to_owned(),
            heads: vec!["Coord".to_owned(), "Apos".to_owned()],
        }],
        ..Markers::default()
    };
    assert_eq!(
        there_and_back(&markers, &gold),
        [
            "3 AuxZ",
            "3 Atr",
            "0 ExD",
            "5 -Apos",
            "3 Atr",
            "7 -Coord",
            "5 -Apos:ExD",
            "7 -Coord",
            "0 AuxK"
        ]
    );
    assert_eq!(there_and_back(&Markers::default(), &gold)[6], "5 -Apos:ExD:_M");
    let mut fitted = Markers::default();
    ArcTransformation::fit(&mut fitted, std::slice::from_ref(&gold));
    assert_eq!(
        fitted.markers.iter().map(|marker| marker.marker.as_str()).collect::<Vec<_>>(),
        ["_M"]
    );
    assert!(fitted.carried);
    assert_eq!(there_and_back(&fitted, &gold), there_and_back(&markers, &gold));
    // An inner coordination without a marker is told apart.
    let bare = sentence(&["a n _ 2 Atr_M", ", u _ 0 Apos", "b n _ 4 Atr_M_M", "and c _ 2 Coord"]);
    assert_eq!(there_and_back(&markers, &bare), ["2 -Apos", "0 Atr", "4 -Coord!", "2 -Apos"]);
}

#[test]
fn markers_of_nested_coordinations_stand_on_the_conjuncts_in_perseus() {
    let gold = sentence(&[
        "a n _ 2 OBJ_AP",
        ", u _ 7 APOS",
        "b n _ 4 OBJ_AP_CO",
        "and c _ 2 COORD",
        "c n _ 4 OBJ_AP_CO",
        "of r _ 4 AuxP",
        "see v _ 0 PRED",
        "d n _ 6 ADV_AP_CO",
        "e n _ 7 SBJ_CO",
    ]);
    let mut perseus = Markers { all_unequal: true, ..Markers::default() };
    ArcTransformation::fit(&mut perseus, std::slice::from_ref(&gold));
    assert!(!perseus.carried);
    assert_eq!(
        there_and_back(&perseus, &gold),
        [
            "2 -APOS",
            "7 OBJ",
            "4 -COORD",
            "2 -APOS",
            "4 -COORD",
            "4 AuxP",
            "0 PRED",
            "6 -COORD:ADV_AP",
            "7 SBJ_CO"
        ]
    );
    // As in the paper, a label that is unequal without being weak is lost otherwise.
    let few = Markers { all_unequal: false, ..perseus };
    assert_eq!(arcs(&few.encode(&gold))[7], "6 -COORD");
    assert_eq!(arcs(&few.decode(&few.encode(&gold)))[7], "6 OBJ_AP_CO");
    let unequal = sentence(&[
        "a n _ 2 ExD_CO",
        "and c _ 0 COORD",
        "b n _ 2 SBJ_CO",
        "c n _ 2 OBJ_CO",
        "d n _ 2 OBJ_CO",
        "or c _ 5 COORD",
    ]);
    assert_eq!(
        there_and_back(&Markers { all_unequal: true, ..Markers::default() }, &unequal),
        ["2 -COORD:ExD", "0 OBJ", "2 -COORD:SBJ", "2 -COORD", "2 -COORD", "5 COORD"]
    );
}

#[test]
fn a_parenthesis_changes_places_with_its_head() {
    let gold = sentence(&[
        "he p _ 2 SBJ",
        "came v _ 0 PRED",
        "( u _ 2 AuxG",
        "they p _ 5 SBJ",
        "say v _ 3 PRED_PA",
        ") u _ 3 AuxG",
    ]);
    assert_eq!(
        there_and_back(&Parenthesis::default(), &gold),
        ["2 SBJ", "0 PRED", "5 PA:AuxG", "5 SBJ", "2 PRED", "3 AuxG"]
    );
    let none = Parenthesis { heads: vec!["APOS".to_owned()], ..Parenthesis::default() };
    assert_eq!(there_and_back(&none, &gold), arcs(&gold));
}

#[test]
fn arguments_move_to_the_auxiliary_unless_that_crosses_arcs() {
    let gold = sentence(&[
        "minister n _ 3 ncsubj",
        "view n _ 3 ncobj",
        "explained v _ 0 ROOT",
        "had x _ 3 auxmod",
        "today d _ 3 ncmod",
        "us p _ 3 nczobj",
    ]);
    // Subject and object cannot leave for the right of the verb; over "today" the third cannot.
    assert_eq!(there_and_back(&AuxiliaryArguments::default(), &gold), arcs(&gold));
    let without = AuxiliaryArguments { projectivity_guard: false, ..Default::default() };
    assert_eq!(
        there_and_back(&without, &gold),
        ["4 ncsubj", "4 ncobj", "0 ROOT", "3 auxmod", "3 ncmod", "4 nczobj"]
    );
    let near = sentence(&["goes v _ 0 ROOT", "has x _ 1 auxmod", "man n _ 1 ncsubj"]);
    assert_eq!(
        there_and_back(&AuxiliaryArguments::default(), &near),
        ["0 ROOT", "1 auxmod", "2 ncsubj"]
    );
    let marked = AuxiliaryArguments { mark: "^".to_owned(), ..Default::default() };
    assert_eq!(there_and_back(&marked, &near), ["0 ROOT", "1 auxmod", "2 ncsubj^"]);
}

#[test]
fn labels_that_context_decides_are_merged_and_restored() {
    let with = |conjunction: &str, label: &str| {
        sentence(&[
            "bread n _ 0 root",
            &format!("{conjunction} c _ 1 cc"),
            &format!("water n _ 1 {label}"),
        ])
    };
    let gold = [with("e", "conj"), with("o", "disj"), with("e", "conj"), with("o", "disj")];
    let mut merge = ContextLabels {
        merges: vec![Merge {
            labels: vec!["conj".to_owned(), "disj".to_owned()],
            merged: "coord".to_owned(),
            place: Where::Sibling,
            with_label: vec!["cc".to_owned()],
            restored: BTreeMap::new(),
        }],
    };
    Transformation::fit(&mut merge, &gold);
    for sentence in &gold {
        assert_eq!(there_and_back(&merge, sentence)[2], "1 coord");
    }
    let unseen = with("ma", "coord");
    assert_eq!(arcs(&merge.decode(&unseen))[2], "1 conj");
}

#[test]
fn columns_change_for_the_parser_only() {
    let gold = read(
        "# sent_id = 1\n1\tnel\t_\tADP\tE\tNumber=Sing|Case=Loc\t2\tcase\t_\t_\n\
         2\tbosco\tbosco\tNOUN\t_\tCase=Loc\t0\troot\t_\t_\n\
         3\til\til\tDET\tRD\tPronType=Art\t2\tdet\t_\t_\n4\t)\t)\tPUNCT\tFB\t_\t2\tpunct\t_\tx=y\n",
    );
    let values = |transformation: &dyn Transformation, column: Column| -> Vec<String> {
        let prepared = transformation.prepare(&gold);
        let encoded = transformation.encode_gold(&gold);
        assert_eq!(written(&prepared[0]), written(&encoded[0]));
        assert_eq!(written(&transformation.restore(&gold, &prepared)), written(&gold));
        prepared[0].words().map(|word| word.get(column).unwrap().to_owned()).collect()
    };
    let xpos = Column::Xpos;
    assert_eq!(values(&FeaturesToTag::default(), xpos), ["E+Loc", "NOUN+Loc", "RD", "FB"]);
    assert_eq!(values(&PunctuationClasses::default(), xpos), ["E", "_", "RD", "FB+close"]);
    assert_eq!(values(&PrepositionArticle::default(), xpos), ["E+article", "_", "RD", "FB"]);
    assert_eq!(values(&Articles::default(), xpos), ["E", "_", "article", "FB"]);
    let lemma = FeaturesToLemma { features: vec!["Case".to_owned()], tags: Vec::new() };
    assert_eq!(values(&lemma, Column::Lemma), ["Loc", "bosco", "il", ")"]);
}

fn long_sentence() -> Sentence {
    sentence(&[
        "one n _ 2 nsubj",
        "ends v _ 0 root",
        ". u _ 2 punct",
        "two n _ 5 nsubj",
        "ends v _ 2 parataxis",
        "! u _ 5 punct",
        "? u _ 5 punct",
        "three n _ 9 nsubj",
        "ends v _ 5 parataxis",
        ". u _ 9 punct",
    ])
}

#[test]
fn long_sentences_are_split_and_joined() {
    let gold = long_sentence();
    let split = SplitSentences { longer_than: 5, ..SplitSentences::default() };
    let parts = split.encode_gold(&gold);
    assert_eq!(parts.iter().map(Sentence::len).collect::<Vec<_>>(), [3, 4, 3]);
    assert_eq!(arcs(&parts[1]), ["2 nsubj", "0 root", "2 punct", "2 punct"]);
    assert_eq!(arcs(&split.restore(&gold, &parts)), arcs(&gold));

    let prepared = split.prepare(&gold);
    assert_eq!(prepared.len(), 3);
    assert_eq!(prepared[2].word(2).head(), None);
    assert_eq!(prepared[2].word(2).form(), "ends");

    let several = SplitSentences { join: JoinRule::Several, ..split.clone() };
    let joined = several.restore(&gold, &several.encode_gold(&gold));
    assert_eq!(arcs(&joined)[4], "0 parataxis");
    let first = SplitSentences { join: JoinRule::First, ..split.clone() };
    let joined = first.restore(&gold, &first.encode_gold(&gold));
    assert_eq!(arcs(&joined)[8], "2 parataxis");

    let whole = SplitSentences { longer_than: 10, ..split.clone() };
    assert_eq!(whole.encode_gold(&gold).len(), 1);
    // Lost parts leave the original.
    assert_eq!(arcs(&split.restore(&gold, &parts[..2])), arcs(&gold));
}

#[test]
fn words_know_the_treebank_of_their_sentence() {
    let from = |treebank: &str| {
        let mut gold = sentence(&["he p Num=s 2 SBJ", "came v _ 0 PRED"]);
        if !treebank.is_empty() {
            gold.set_comment("treebank", treebank);
        }
        gold
    };
    let gold = ["one", "the other", "the other", ""].map(from);
    let mut feature = TreebankFeature::default();
    feature.fit(&gold);
    assert_eq!(feature.usual, "the other");
    for (gold, treebank) in gold.iter().zip(["one", "the-other", "the-other", "the-other"]) {
        let encoded = feature.encode_gold(gold);
        let feats: Vec<&str> = encoded[0].words().map(|word| word.feats()).collect();
        assert_eq!(feats, [&format!("Num=s|Treebank={treebank}"), &format!("Treebank={treebank}")]);
        assert_eq!(written(&feature.restore(gold, &encoded)), written(gold));
    }
}

#[test]
fn multiword_tokens_and_comments_survive_a_split() {
    let gold = read(
        "# text = a. b.\n1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2-3\t..\t_\t_\t_\t_\t_\t_\t_\t_\n\
         2\t.\t_\t_\t_\t_\t0\troot\t_\t_\n3\t.\t_\t_\t_\t_\t2\tp\t_\t_\n4\tb\t_\t_\t_\t_\t2\tparataxis\t_\t_\n",
    );
    let split = SplitSentences { longer_than: 1, ..SplitSentences::default() };
    let parts = split.encode_gold(&gold);
    assert_eq!(parts.iter().map(Sentence::len).collect::<Vec<_>>(), [3, 1]);
    assert_eq!(written(&split.restore(&gold, &parts)), written(&gold));
}

#[test]
fn chains_go_there_and_back() {
    let gold = [long_sentence()];
    let text = "[[codec]]\nname = \"split-sentences\"\nlonger-than = 5\n\n\
                [[codec]]\nname = \"features-to-tag\"\n\n[[codec]]\nname = \"pseudo-path\"\nlabel-cap = 3\n";
    let chain = CodecChain::from_toml(text).unwrap();
    let measured = RoundTrip::measure_chain(&chain, &gold).unwrap();
    assert_eq!((measured.parts, measured.correct, measured.whole_sentences), (3, 10, 1));

    let again = CodecChain::from_toml(&chain.to_toml()).unwrap();
    assert_eq!(again, chain);
    let stored = serde_json::to_string(&chain).unwrap();
    assert_eq!(serde_json::from_str::<CodecChain>(&stored).unwrap(), chain);
    assert_eq!(chain.select(["pseudo-path"]).unwrap().tree.label_cap, Some(3));
}

#[test]
fn bad_configurations_are_refused() {
    assert!(matches!(CodecChain::named(["lift"]), Err(CodecError::Unknown { .. })));
    assert!(matches!(
        CodecChain::named(["baseline", "markers"]),
        Err(CodecError::BehindTreeCodec { .. })
    ));
    for bad in ["codec = 3", "[[codec]]", "[[codec]]\nname = \"markers\"\nweek = []", "[[codec"] {
        assert!(matches!(CodecChain::from_toml(bad), Err(CodecError::Configuration(_))), "{bad}");
    }
    for name in CodecChain::available() {
        assert_eq!(CodecChain::named([name]).unwrap().names(), [name]);
    }
}

/// Whatever a parser predicts, restoring gives a tree, and one root stays one root.
#[test]
fn restoring_any_parse_gives_a_tree() {
    let labels = [
        "a",
        "-COORD",
        "-APOS:ExD",
        "-COORD_CO:a:_AP",
        "COORD",
        "PA:a",
        "PA:",
        "auxmod",
        "ncsubj",
        "_PA",
        "-",
    ];
    for index in 0..2000 {
        let seed = Seed(11).fork("restore", index);
        let mut rng = seed.rng();
        let words = 1 + rng.below(12);
        let policy = if rng.chance(0.5) { RootPolicy::Single } else { RootPolicy::Several };
        let tree = random_tree(&mut rng, words, policy);
        let lines: Vec<String> = tree
            .words()
            .map(|word| {
                let label = labels[rng.below(labels.len())];
                format!("{} t _ {} {label}", [".", "w"][rng.below(2)], tree.head(word).0)
            })
            .collect();
        let parsed = sentence(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        for spec in TransformationSpec::all() {
            let encoded = spec.get().encode_gold(&parsed);
            for part in &encoded {
                assert!(unlabelled_tree_of(part).is_ok(), "{seed:?} {}", spec.name());
            }
            let restored = spec.get().restore(&parsed, std::slice::from_ref(&parsed));
            let restored = unlabelled_tree_of(&restored);
            let keeps_root = |tree: &Tree| tree.obeys(RootPolicy::Single);
            assert!(
                restored.is_ok_and(|restored| !keeps_root(&tree) || keeps_root(&restored)),
                "{seed:?} {}",
                spec.name()
            );
        }
    }
}
