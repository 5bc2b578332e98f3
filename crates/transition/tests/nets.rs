//! Nets that choose moves, on small generated treebanks: what they learn is kept, and the same.
use conll::Sentence;
use crossarc_model::{Bytes, Container};
use crossarc_train::TrainError;
use crossarc_train::Unobserved;
use crossarc_train::header::Header;
use crossarc_train::material::Material;
use crossarc_train::options::{Checkpointing, NetOptions, ScorerKind, TrainOptions};
use crossarc_train::parser::{ParseOptions, Parser};
use crossarc_train::trial::{Scored, Trial};
use crossarc_transition::model::load;
use crossarc_transition::systems::SYSTEMS;
use crossarc_transition::train::{Trained, train};
use crossarc_tree::seed::Seed;
use crossarc_tree::treebank::generate::{TreebankOptions, treebank};

fn generated(seed: u64, sentences: usize, nonprojective: f64) -> Vec<Sentence> {
    let options =
        TreebankOptions { sentences, nonprojective, vocabulary: 20, ..Default::default() };
    treebank(Seed(seed), &options)
}

fn options(parser: &str, scorer: ScorerKind, epochs: usize) -> TrainOptions {
    let net = NetOptions { epochs: Some(epochs), hidden: Some(24), ..NetOptions::default() };
    TrainOptions { parser: parser.to_owned(), scorer, net, ..TrainOptions::default() }
}

fn trained(options: &TrainOptions, sentences: &[Sentence]) -> Trained {
    train(options, Material::plain(sentences), Material::plain(&[]), &Unobserved).unwrap()
}

fn stored(bytes: &[u8]) -> (Box<dyn Parser>, Header) {
    let container = Container::from_bytes("test".as_ref(), &Bytes::copy(bytes)).unwrap();
    let header: Header = container.content().unwrap();
    (load(&container, &header).unwrap(), header)
}

fn scores(bytes: &[u8], gold: &[Sentence], options: &ParseOptions) -> Scored {
    let (parser, header) = stored(bytes);
    Trial::new(parser, &header).unwrap().scores(Material::plain(gold), options)
}

#[test]
#[ignore = "fails: bilstm reaches 79 of 97 points on twelve sentences"]
fn twelve_sentences_are_learned_by_heart() {
    let sentences = generated(3, 12, 0.0);
    let cases = [
        ("arc-eager", ScorerKind::FeedForward, 1),
        ("arc-hybrid", ScorerKind::Bilstm, 1),
        ("arc-standard", ScorerKind::FeedForward, 4),
    ];
    for (parser, scorer, beam) in cases {
        let options = TrainOptions { beam, ..options(parser, scorer, 120) };
        let bytes = trained(&options, &sentences).to_bytes();
        let found = scores(&bytes, &sentences, &ParseOptions::default());
        assert!(found.las > 97.0, "{parser}, {scorer:?}, beam {beam}: {found:?}");
    }
}

#[test]
#[ignore = "takes minutes, and has not been seen to end"]
fn every_system_learns_greedily_or_with_a_beam() {
    let sentences = generated(4, 25, 0.1);
    for (number, entry) in SYSTEMS.iter().enumerate() {
        let beam = [1, 3][number % 2];
        let options = TrainOptions {
            beam,
            oracle: Some(entry.oracle.to_owned()),
            ..options(entry.system, ScorerKind::FeedForward, 12)
        };
        let bytes = trained(&options, &sentences).to_bytes();
        let parse = ParseOptions { confidences: true, ..Default::default() };
        let found = scores(&bytes, &sentences, &parse);
        assert!(found.las > 15.0, "{}/{} beam {beam}: {found:?}", entry.system, entry.oracle);
    }
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let sentences = generated(5, 30, 0.1);
    for (scorer, beam) in [(ScorerKind::FeedForward, 3), (ScorerKind::Bilstm, 1)] {
        let options = TrainOptions { beam, ..options("swap", scorer, 2) };
        let bytes = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| trained(&options, &sentences).to_bytes())
        };
        assert!(bytes(1) == bytes(2), "{scorer:?}");
    }
}

#[test]
fn an_interrupted_training_goes_on_as_if_nothing_had_been() {
    struct After(usize, std::sync::atomic::AtomicUsize);
    impl crossarc_train::observer::Observer for After {
        fn begin_epoch(&self, epoch: usize) {
            self.1.store(epoch, std::sync::atomic::Ordering::SeqCst);
        }
        fn should_stop(&self) -> bool {
            self.1.load(std::sync::atomic::Ordering::SeqCst) > self.0
        }
    }
    let sentences = generated(6, 20, 0.0);
    let folder = std::env::temp_dir().join(format!("crossarc-nets-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("checkpoint");
    let plain = options("arc-eager", ScorerKind::Bilstm, 4);
    let whole = trained(&plain, &sentences).to_bytes();
    let checkpoint = Some(Checkpointing { path: path.clone(), resume: true });
    let resumable = TrainOptions { checkpoint, ..plain };
    let material = Material::plain(&sentences);
    let stop = After(2, std::sync::atomic::AtomicUsize::new(0));
    train(&resumable, material, Material::plain(&[]), &stop).unwrap();
    assert!(path.exists());
    assert!(trained(&resumable, &sentences).to_bytes() == whole);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn what_nets_do_not_do_is_told() {
    let sentences = generated(7, 5, 0.0);
    let refused = |options: &TrainOptions| {
        train(options, Material::plain(&sentences), Material::plain(&[]), &Unobserved).err()
    };
    let plain = options("arc-eager", ScorerKind::FeedForward, 1);
    let runs = TrainOptions { runs: 2, ..plain.clone() };
    assert!(matches!(refused(&runs), Some(TrainError::NotWithNets(_))));
    let biaffine = TrainOptions { scorer: ScorerKind::Biaffine, ..plain };
    assert!(matches!(refused(&biaffine), Some(TrainError::NoArcs { .. })));
}

#[test]
fn a_damaged_net_is_an_error() {
    let sentences = generated(8, 5, 0.0);
    let bytes = trained(&options("arc-eager", ScorerKind::FeedForward, 1), &sentences).to_bytes();
    let container = Container::from_bytes("test".as_ref(), &Bytes::copy(&bytes)).unwrap();
    let header: Header = container.content().unwrap();
    let other = Header { labels: header.labels[1..].to_vec(), ..header.clone() };
    assert!(load(&container, &other).is_err());
    assert!(load(&container, &header).is_ok());
}
