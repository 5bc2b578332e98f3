//! Mutation without coverage, for any compiler: `plain TARGET [N [SEED]]`, or `plain all SECONDS` for
//! all targets in turn, so many seconds each.
//!
//! Inputs begin as one of the seeds of `fuzz/seeds/TARGET`, or as nothing. A failure prints the number of
//! its input and the bytes; `plain TARGET 1 SEED` repeats it.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crossarc::tree::seed::{Rng, Seed};
use crossarc_fuzz::{TARGETS, Target, target};

/// The hand-made inputs of a target.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|one| one.path()).collect();
    paths.sort();
    let mut seeds: Vec<Vec<u8>> =
        paths.iter().filter_map(|path| std::fs::read(path).ok()).collect();
    seeds.push(Vec::new());
    seeds
}

fn mutate(rng: &mut Rng, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = seeds[rng.below(seeds.len())].clone();
    if bytes.is_empty() || rng.chance(0.2) {
        bytes = (0..rng.below(200)).map(|_| rng.below(256) as u8).collect();
    }
    for _ in 0..rng.below(6) {
        let at = rng.below(bytes.len() + 1);
        let end = (at + rng.below(30)).min(bytes.len());
        match rng.below(5) {
            0 if at < bytes.len() => bytes[at] = rng.below(256) as u8,
            1 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let copy = bytes[at..end].to_vec();
                let to = rng.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            _ => {
                let other = &seeds[rng.below(seeds.len())];
                let from = rng.below(other.len() + 1);
                let part = other[from..(from + rng.below(30)).min(other.len())].to_vec();
                drop(bytes.splice(at..at, part));
            }
        }
    }
    bytes
}

/// Runs a target until so many inputs or so much time; false if one failed.
fn run(name: &str, check: Target, first: u64, most: u64, time: Option<Duration>) -> bool {
    let seeds = seeds(name);
    let start = Instant::now();
    let mut done = 0;
    while done < most && time.is_none_or(|time| start.elapsed() < time) {
        let number = first + done;
        let bytes = mutate(&mut Seed(number).fork(name, 0).rng(), &seeds);
        if catch_unwind(AssertUnwindSafe(|| check(&bytes))).is_err() {
            eprintln!("{name}: input {number} failed: \"{}\"", bytes.escape_ascii());
            return false;
        }
        done += 1;
    }
    println!("{name}: {done} inputs from {first} on, none failed");
    true
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<u64>().ok());
    let name = arguments.first().map_or("", String::as_str);
    let good = match (name, target(name)) {
        ("all", _) => {
            let time = Some(Duration::from_secs(number(1).unwrap_or(10)));
            let first = number(2).unwrap_or(1);
            let run = |(name, check): &(&str, Target)| run(name, *check, first, u64::MAX, time);
            TARGETS.iter().map(run).fold(true, |all, one| all && one)
        }
        (_, Some(check)) => {
            run(name, check, number(2).unwrap_or(1), number(1).unwrap_or(10_000), None)
        }
        _ => {
            eprintln!("usage: plain TARGET [N [SEED]] or plain all [SECONDS [SEED]]; targets:");
            TARGETS.iter().for_each(|(name, _)| eprintln!("  {name}"));
            return ExitCode::from(2);
        }
    };
    ExitCode::from(u8::from(!good))
}
