//! Nets that choose moves, on small generated treebanks: what they learn is kept, and the same.
use std::sync::atomic::{AtomicUsize, Ordering};

use conll::Sentence;
use crossarc_model::{Bytes, Container};
use crossarc_train::TrainError;
use crossarc_train::Unobserved;
use crossarc_train::header::{Header, MoveScorerHeader};
use crossarc_train::material::Material;
use crossarc_train::observer::Observer;
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

/// Without dropout, which keeps nets from learning by heart.
fn by_heart(parser: &str, scorer: ScorerKind, epochs: usize) -> TrainOptions {
    let plain = options(parser, scorer, epochs);
    TrainOptions { net: NetOptions { dropout: Some(0.0), ..plain.net.clone() }, ..plain }
}

const NETS: [ScorerKind; 3] = [ScorerKind::FeedForward, ScorerKind::Bilstm, ScorerKind::StackLstm];

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
fn twelve_sentences_are_learned_by_heart() {
    let sentences = generated(3, 12, 0.0);
    let cases = [
        ("arc-eager", ScorerKind::FeedForward, 1),
        ("arc-hybrid", ScorerKind::Bilstm, 1),
        ("covington", ScorerKind::StackLstm, 1),
        ("arc-standard", ScorerKind::FeedForward, 4),
        ("swap", ScorerKind::StackLstm, 2),
    ];
    for (parser, scorer, beam) in cases {
        let options = TrainOptions { beam, ..by_heart(parser, scorer, 60) };
        let bytes = trained(&options, &sentences).to_bytes();
        let found = scores(&bytes, &sentences, &ParseOptions::default());
        assert!(found.las > 97.0, "{parser}, {scorer:?}, beam {beam}: {found:?}");
    }
}

/// Every system with every net, greedy and in a beam: what was learned is kept, and parses what was
/// never seen.
#[test]
fn every_system_learns_greedily_or_with_a_beam() {
    let (sentences, unseen) = (generated(4, 8, 0.1), generated(9, 4, 0.1));
    for (number, entry) in SYSTEMS.iter().enumerate() {
        let scorer = NETS[number % NETS.len()];
        for (scorer, beam, epochs) in [(scorer, 2, 2), (ScorerKind::StackLstm, 1, 12)] {
            let options = TrainOptions {
                beam,
                oracle: Some(entry.oracle.to_owned()),
                ..by_heart(entry.system, scorer, epochs)
            };
            let bytes = trained(&options, &sentences).to_bytes();
            let parse = ParseOptions { confidences: true, ..Default::default() };
            let found = scores(&bytes, &sentences, &parse);
            let name = format!("{}/{} {scorer:?} beam {beam}", entry.system, entry.oracle);
            assert!(beam > 1 || found.las > 50.0, "{name}: {found:?}");
            let (parser, header) = stored(&bytes);
            let wide = ParseOptions { beam: Some(3), ..parse };
            let trial = Trial::new(parser, &header).unwrap();
            assert!(trial.scores(Material::plain(&unseen), &wide).uas > 0.0, "{name}");
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    let sentences = generated(5, 30, 0.1);
    let cases = [
        (ScorerKind::FeedForward, 3),
        (ScorerKind::Bilstm, 1),
        (ScorerKind::StackLstm, 2),
        (ScorerKind::Hybrid, 1),
    ];
    for (scorer, beam) in cases {
        let options = TrainOptions { beam, ..options("swap", scorer, 2) };
        let bytes = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| trained(&options, &sentences).to_bytes())
        };
        assert!(bytes(1) == bytes(2), "{scorer:?}");
    }
}

/// Ends training after so many epochs.
struct After(usize, AtomicUsize);

impl Observer for After {
    fn begin_epoch(&self, epoch: usize) {
        self.1.store(epoch, Ordering::SeqCst);
    }

    fn should_stop(&self) -> bool {
        self.1.load(Ordering::SeqCst) > self.0
    }
}

#[test]
fn an_interrupted_training_goes_on_as_if_nothing_had_been() {
    let sentences = generated(6, 20, 0.0);
    for scorer in NETS {
        goes_on(scorer, &sentences);
    }
}

fn goes_on(scorer: ScorerKind, sentences: &[Sentence]) {
    let folder = std::env::temp_dir().join(format!("crossarc-nets-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("checkpoint");
    let plain = options("arc-eager", scorer, 4);
    let whole = trained(&plain, sentences).to_bytes();
    let checkpoint = Some(Checkpointing { path: path.clone(), resume: true });
    let resumable = TrainOptions { checkpoint, ..plain };
    let material = Material::plain(sentences);
    let stop = After(2, AtomicUsize::new(0));
    train(&resumable, material, Material::plain(&[]), &stop).unwrap();
    assert!(path.exists());
    assert!(trained(&resumable, sentences).to_bytes() == whole, "{scorer:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_hybrid_knows_what_both_parts_know() {
    let (sentences, dev) = (generated(10, 40, 0.1), generated(11, 30, 0.1));
    let train = |scorer| {
        let options = TrainOptions { epochs: 5, ..options("swap", scorer, 6) };
        let (material, dev) = (Material::plain(&sentences), Material::plain(&dev));
        train(&options, material, dev, &Unobserved).unwrap()
    };
    let (linear, both) = (train(ScorerKind::Linear), train(ScorerKind::Hybrid));
    assert_eq!(both.header.learner(), "hybrid");
    let las = both.header.training.dev_las.unwrap();
    assert!(las >= linear.header.training.dev_las.unwrap() - 1.0);
    let bytes = both.to_bytes();
    // The header has hundredths.
    assert!((scores(&bytes, &dev, &ParseOptions::default()).las - las).abs() < 0.01);
    let (_, header) = stored(&bytes);
    let container = Container::from_bytes("test".as_ref(), &Bytes::copy(&bytes)).unwrap();
    let mut damaged = header.clone();
    let scorer = damaged.transition_mut().map(|header| &mut header.scorer);
    let Some(MoveScorerHeader::Linear { net_scale, .. }) = scorer else { panic!("not linear") };
    *net_scale = Some(f32::NAN);
    assert!(load(&container, &damaged).is_err());
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
    let checkpoint = Some(Checkpointing::default());
    let kept = TrainOptions { scorer: ScorerKind::Hybrid, checkpoint, ..plain.clone() };
    assert!(matches!(refused(&kept), Some(TrainError::NoCheckpoint { .. })));
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
