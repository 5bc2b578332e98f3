//! Random mutations of small treebanks on stable Rust: `cargo run --release --example fuzz -- N`.
//!
//! Arguments: the number of inputs, and optionally a seed. A failure panics and prints the seed of
//! its input; `fuzz 1 SEED` repeats it.
#[path = "../tests/stability/mod.rs"]
mod stability;

use conll::Format;

const BASES: [&[u8]; 5] = [
    b"# text = ab c\n0.1\tz\t_\t_\t_\t_\t_\t_\t1:d\t_\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\ta\tDET\tD\tX=Y\t2\tdet\t2:det\t_\n2\tb\tb\tNOUN\tN\t_\t0\troot\t0:root\tSpaceAfter=No\n2.1\te\t_\t_\t_\t_\t_\t_\t_\t_\n3\tc d\t\xc3\xa9\tX\t_\t_\t2\tdep\t_\t_\n\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n",
    b"# global.columns = ID FORM HEAD MWE:X\n# a\n1\ta\t2\t*\n2\tb\t0\t1:ID\n\n1\tc\t0\t*\n\n",
    b"# global.columns = FORM UPOS\n#\tSYM\na\tX\n\nb\tX\n\n",
    b"1\ta\ta\tNC\tNCx\tc=u|d=i\t2\tmod\t_\t_\n2\tb\tb\tV\tVx\t_\t0\tROOT\t0\tROOT\n3\t.\t.\tXP\tXP\t_\t0\tpnct\t_\t_\n\n1\ta\t_\tQ\t_\t_\t0\tR\t_\t_\n\n",
    b"1\tT\tt\tT\tDT\tDT\t_\t_\t2\t2\tN\tN\t_\t_\t_\tA0\n2\td\td\td\tNN\tNN\t_\t_\t0\t0\tS\tS\tY\td.01\tA1\t_\n3\tb\tb\tb\tVB\tVB\t_\t_\t2\t2\tR\tR\tY\tb.01\t_\t_\n\n",
];
const PIECES: [&[u8]; 30] = [
    b"\t",
    b"\n",
    b"\n\n",
    b"\r\n",
    b"\r",
    b" ",
    b"#",
    b"_",
    b"0",
    b"1",
    b"2",
    b"3",
    b"9",
    b"-",
    b".",
    b"1-2",
    b"2.1",
    b"0.1",
    b"\xef\xbb\xbf",
    b"\xc3",
    b"\xff",
    b"\x00",
    b"\x7f",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"# global.columns = ID FORM\n",
    b"# newdoc\n",
    b"Y",
    b"\t_",
    b"999999999",
];

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (((u128::from(z ^ (z >> 31))) * bound as u128) >> 64) as usize
    }

    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let start = self.below(len + 1);
        let end = (start + self.below(40)).min(len);
        start..end
    }
}

fn mutate(random: &mut Random, input: &mut Vec<u8>) {
    input.clear();
    input.extend_from_slice(BASES[random.below(BASES.len())]);
    for _ in 0..random.below(8) {
        let len = input.len();
        match random.below(6) {
            0 if len > 0 => {
                let at = random.below(len);
                input[at] = random.below(256) as u8;
            }
            1 | 2 => {
                let at = random.below(len + 1);
                let piece = PIECES[random.below(PIECES.len())];
                input.splice(at..at, piece.iter().copied());
            }
            3 => {
                input.drain(random.range(len));
            }
            4 => {
                let copy = input[random.range(len)].to_vec();
                let at = random.below(len + 1);
                input.splice(at..at, copy);
            }
            _ => {
                let other = BASES[random.below(BASES.len())];
                let part = &other[random.range(other.len())];
                let range = random.range(len);
                input.splice(range, part.iter().copied());
            }
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let count = arguments.next().and_then(Result::ok).unwrap_or(100_000);
    let first = arguments.next().and_then(Result::ok).unwrap_or(1);
    let mut input = Vec::new();
    for seed in first..first.saturating_add(count) {
        let mut random = Random(seed.wrapping_mul(0xD134_2543_DE82_EF95));
        mutate(&mut random, &mut input);
        let format =
            [None, None, None].into_iter().chain(Format::ALL.map(Some)).nth(random.below(7));
        let outcome = std::panic::catch_unwind(|| stability::check(&input, format.flatten()));
        if outcome.is_err() {
            eprintln!("seed {seed}, format {:?}, input \"{}\"", format, input.escape_ascii());
            std::process::exit(1);
        }
        if seed % 1_000_000 == 0 {
            eprintln!("{seed} inputs");
        }
    }
    println!("{count} inputs from seed {first}: no panic, all stable");
}
