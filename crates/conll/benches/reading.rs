//! Reading speed in MB/s, on a synthetic treebank or on the file named by `CROSSARC_BENCH_FILE`.
use conll::parallel::{Item, map_ordered};
use conll::{ReadOptions, Reader, Sentence};
use divan::Bencher;
use divan::counter::BytesCount;

fn main() {
    divan::main();
}

fn treebank() -> Vec<u8> {
    if let Some(file) = std::env::var_os("CROSSARC_BENCH_FILE") {
        return std::fs::read(file).expect("CROSSARC_BENCH_FILE");
    }
    let word = |word: usize| {
        let head = if word == 8 { 0 } else { 8 };
        format!("{word}\twörd\tlemma\tNOUN\tNN\tCase=Nom|Number=Sing\t{head}\tnsubj\t_\t_\n")
    };
    let words: String = (1..=15).map(word).collect();
    let sentence = |id: usize| format!("# sent_id = {id}\n# text = so it goes on\n{words}\n");
    let text: String = (0..20_000).map(sentence).collect();
    text.into_bytes()
}

#[divan::bench(sample_count = 10)]
fn read(bencher: Bencher<'_, '_>) {
    let text = treebank();
    bencher.counter(BytesCount::new(text.len())).with_inputs(|| text.clone()).bench_values(
        |text| {
            let mut reader = Reader::from_bytes("bench", text, ReadOptions::default()).unwrap();
            let mut sentence = Sentence::default();
            let mut words = 0;
            while reader.read(&mut sentence).unwrap() {
                words += sentence.len();
            }
            words
        },
    );
}

#[divan::bench(sample_count = 10)]
fn read_and_write(bencher: Bencher<'_, '_>) {
    let text = treebank();
    bencher.counter(BytesCount::new(text.len())).with_inputs(|| text.clone()).bench_values(
        |text| {
            let mut out = Vec::with_capacity(text.len());
            let mut reader = Reader::from_bytes("bench", text, ReadOptions::default()).unwrap();
            let mut sentence = Sentence::default();
            while reader.read(&mut sentence).unwrap() {
                sentence.write_to(&mut out).unwrap();
            }
            out
        },
    );
}

#[divan::bench(sample_count = 10, args = [1, 2])]
fn read_in_parallel(bencher: Bencher<'_, '_>, threads: usize) {
    let text = treebank();
    bencher.counter(BytesCount::new(text.len())).with_inputs(|| text.clone()).bench_values(
        |text| {
            let mut reader = Reader::from_bytes("bench", text, ReadOptions::default()).unwrap();
            let mut words = 0;
            let work = |(): &mut (), item: Item<'_>, sum: &mut usize| match item {
                Item::Sentence(sentence) => *sum += sentence.len(),
                Item::Rejected { error, .. } => panic!("{error}"),
            };
            let add = |sum| -> Result<(), conll::Error> {
                words += sum;
                Ok(())
            };
            map_ordered(&mut reader, threads, || (), work, add).unwrap();
            words
        },
    );
}
