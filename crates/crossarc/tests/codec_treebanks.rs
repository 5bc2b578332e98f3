//! Codecs on real treebanks, from the folder `CROSSARC_TREEBANKS`.
use conll::{ReadOptions, Reader, Roots, Sentence};
use crossarc::tree::codec::CodecChain;
use crossarc::tree::codec::round_trip::RoundTrip;

fn development_parts() -> Vec<(String, Vec<Sentence>)> {
    let Some(folder) = std::env::var_os("CROSSARC_TREEBANKS") else {
        println!("skipped: CROSSARC_TREEBANKS is not set");
        return Vec::new();
    };
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let options = ReadOptions { need_tree: true, roots: Roots::Any, ..ReadOptions::default() };
    paths
        .into_iter()
        .filter(|path| path.to_string_lossy().contains("-dev.conll"))
        .map(|path| {
            let sentences = Reader::open(&path, options).unwrap().map(Result::unwrap).collect();
            (path.display().to_string(), sentences)
        })
        .collect()
}

#[test]
fn gold_survives_as_far_as_each_codec_promises() {
    for (path, gold) in development_parts() {
        let measure = |names: &[&str]| {
            RoundTrip::measure_chain(&CodecChain::named(names).unwrap(), &gold).unwrap()
        };
        let baseline = measure(&["baseline"]);
        assert_eq!(baseline.nonprojective_encoded, 0, "{path}");
        assert_eq!(baseline.correct, baseline.words - baseline.moved, "{path}");
        for scheme in ["pseudo-head", "pseudo-path", "pseudo-head+path"] {
            let measured = measure(&[scheme]);
            assert_eq!((measured.moved, measured.nonprojective_encoded), (baseline.moved, 0));
            assert!(
                measured.moved < 50 || 2 * measured.recovered > measured.moved,
                "{path} {scheme} {measured:?}"
            );
        }
        for lossless in ["punctuation", "parenthesis", "features-to-tag", "articles"] {
            let measured = measure(&[lossless]);
            assert_eq!(measured.correct, measured.words, "{path} {lossless}");
        }
        let all_unequal = "[[codec]]\nname = \"markers\"\nall-unequal = true\n";
        let chain = CodecChain::from_toml(all_unequal).unwrap();
        let measured = RoundTrip::measure_chain(&chain, &gold).unwrap();
        assert_eq!(measured.correct, measured.words, "{path} markers");
        let measured = measure(&["markers"]);
        assert!(measured.correct * 100 > measured.words * 97, "{path} {measured:?}");
        let guarded = measure(&["auxiliary-arguments"]);
        assert!(guarded.nonprojective_encoded <= baseline.nonprojective_arcs, "{path}");
        let chain = measure(&["punctuation", "markers", "pseudo-head+path"]);
        assert_eq!(chain.nonprojective_encoded, 0, "{path}");
    }
}
