//! Reading speed of one file in MB per second of processor time:
//! `cargo run --release --example read_speed -- FILE [TIMES]`, one line of JSON.
use conll::{ReadOptions, Reader, Sentence};

/// Processor time of this process in seconds; nothing where the system does not tell.
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let behind_name = text.rsplit(')').next()?;
    let mut fields = behind_name.split_ascii_whitespace().skip(11);
    let ticks: f64 = fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

fn main() -> Result<(), conll::Error> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| "-".to_owned());
    let times = arguments.next().and_then(|times| times.parse().ok()).unwrap_or(1);
    let start = std::time::Instant::now();
    let before = processor_time();
    let (mut sentences, mut words) = (0, 0);
    let mut sentence = Sentence::default();
    for _ in 0..times {
        (sentences, words) = (0, 0);
        let mut reader = Reader::open(&file, ReadOptions::default())?;
        while reader.read(&mut sentence)? {
            sentences += 1;
            words += sentence.len();
        }
    }
    let wall = start.elapsed().as_secs_f64();
    let seconds = before.zip(processor_time()).map_or(wall, |(before, after)| after - before);
    let bytes = std::fs::metadata(&file).map_or(0, |data| data.len());
    let speed = bytes as f64 * f64::from(times) / 1e6 / seconds.max(1e-9);
    println!(
        "{{\"bytes\": {bytes}, \"sentences\": {sentences}, \"words\": {words}, \"seconds\": {:.4}, \
         \"wall_seconds\": {:.4}, \"megabytes_per_second\": {speed:.1}}}",
        seconds / f64::from(times),
        wall / f64::from(times),
    );
    Ok(())
}
