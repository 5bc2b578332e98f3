//! Parses a text file on all cores: `cargo run --release -p crossarc-english --example parse_file -- FILE`.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let english = crossarc_english::pipeline()?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for sentence in english.stream(std::fs::File::open(path)?) {
        sentence?.write_to(&mut out)?;
    }
    Ok(())
}
