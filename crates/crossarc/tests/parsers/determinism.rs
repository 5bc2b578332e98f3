//! The same options and data give the same bytes, on any number of threads.
use super::{crossing, quick, trained};
use crossarc::train::TrainOptions;

fn check(options: &TrainOptions) {
    let (train, dev) = (crossing(1, 30), crossing(2, 8));
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| trained(options, &train, &dev).to_bytes())
    };
    let once = bytes(1);
    assert!(once == bytes(1), "twice on one thread: {} {:?}", options.parser, options.oracle);
    assert!(once == bytes(2), "on one thread and on two: {} {:?}", options.parser, options.oracle);
    let other = TrainOptions { seed: 2, ..options.clone() };
    assert!(once != trained(&other, &train, &dev).to_bytes(), "the seed makes no difference");
}

#[test]
fn greedy_with_exploration() {
    check(&quick("arc-hybrid", "dynamic"));
    check(&quick("swap", "dynamic"));
}

#[test]
fn greedy_with_a_static_oracle() {
    check(&quick("swap", "lazy"));
}

#[test]
fn beam() {
    check(&TrainOptions { beam: 4, ..quick("swap", "lazy") });
}
