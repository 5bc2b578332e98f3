//! Speed of a query on one thread, reading included:
//! `cargo run --release -p crossarc-query --example search_speed -- QUERY FILE [TIMES]`.
use conll::{ReadOptions, Reader, Sentence};
use crossarc_query::Query;

/// Processor time of this process in seconds; nothing where the system does not tell.
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let behind_name = text.rsplit(')').next()?;
    let mut fields = behind_name.split_ascii_whitespace().skip(11);
    let ticks: f64 = fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [query, file, times @ ..] = &arguments[..] else { return Err("QUERY FILE [TIMES]".into()) };
    let times: u32 = times.first().map_or(Ok(10), |times| times.parse())?;
    let query = Query::parse(query)?;
    let mut matcher = query.matcher();
    let mut sentence = Sentence::default();
    let start = std::time::Instant::now();
    let before = processor_time();
    let (mut words, mut found) = (0, 0);
    for _ in 0..times {
        (words, found) = (0, 0);
        let mut reader = Reader::open(file, ReadOptions::default())?;
        while reader.read(&mut sentence)? {
            words += sentence.len();
            found += matcher.find(&sentence)?.len();
        }
    }
    let wall = start.elapsed().as_secs_f64();
    let seconds = before.zip(processor_time()).map_or(wall, |(before, after)| after - before);
    let speed = words as f64 * f64::from(times) / seconds.max(1e-9) / 1e6;
    println!("{found} matches, {words} words, {speed:.2} million words/s");
    Ok(())
}
