//! What must hold for any bytes whatever: no panic, and what was read and written is read again
//! without a fault and written as the same bytes. Shared by the tests and the fuzzers.
use conll::parallel::{Item, map_ordered};
use conll::{Converter, Format, ReadOptions, Reader, Roots, Sentence, WarningKind};

/// Reads, and writes the good sentences in the given format.
fn copy(reader: &mut Reader, to: Format) -> (Vec<u8>, usize) {
    let (mut out, mut rejected) = (Vec::new(), 0);
    let mut converter = Converter::new(to);
    let mut sentence = Sentence::default();
    loop {
        match reader.read(&mut sentence) {
            Ok(true) => converter.write(&sentence, &mut out).unwrap(),
            Err(error) if error.is_recoverable() => {
                assert!(!error.to_string().is_empty());
                rejected += 1;
            }
            Ok(false) | Err(_) => return (out, rejected),
        }
    }
}

/// Checks one input, in a given format or in the one that is recognised.
pub fn check(input: &[u8], format: Option<Format>) {
    let options = ReadOptions { format, roots: Roots::Any, ..ReadOptions::default() };
    let Ok(mut reader) = Reader::from_bytes("input", input, options) else {
        return;
    };
    let format = reader.format();
    let (first, rejected) = copy(&mut reader, format);
    let kinds = |reader: &Reader| {
        let mut kinds: Vec<_> = reader.warnings().iter().map(|w| format!("{:?}", w.kind)).collect();
        kinds.sort();
        kinds
    };

    let mut chunked = Reader::from_bytes("input", input, options).unwrap();
    let mut rejected_in_chunks = 0;
    let mut in_chunks = Vec::new();
    let mut converter = Converter::new(format);
    let work = |(): &mut (), item: Item<'_>, out: &mut (Vec<Sentence>, usize)| match item {
        Item::Sentence(sentence) => out.0.push(sentence.clone()),
        Item::Rejected { .. } => out.1 += 1,
    };
    let outcome = map_ordered(
        &mut chunked,
        1,
        || (),
        work,
        |(sentences, rejected)| {
            rejected_in_chunks += rejected;
            for sentence in &sentences {
                converter.write(sentence, &mut in_chunks).unwrap();
            }
            Ok::<(), conll::Error>(())
        },
    );
    if outcome.is_ok() {
        assert_eq!(in_chunks, first, "in chunks: {}", input.escape_ascii());
        assert_eq!(rejected_in_chunks, rejected, "in chunks: {}", input.escape_ascii());
        assert_eq!(kinds(&chunked), kinds(&reader), "in chunks: {}", input.escape_ascii());
    }
    if first.is_empty() {
        return;
    }

    let harmless = [
        WarningKind::MissingHead,
        WarningKind::SeveralRoots,
        WarningKind::ArgumentColumns,
        WarningKind::LatinControlCharacter,
    ];
    let again = ReadOptions { format: Some(format), ..options };
    let mut reader = Reader::from_bytes("first", first.as_slice(), again).unwrap();
    let (second, rejected) = copy(&mut reader, format);
    assert_eq!(first.escape_ascii().to_string(), second.escape_ascii().to_string());
    assert_eq!(rejected, 0, "{}", first.escape_ascii());
    for warning in reader.warnings() {
        assert!(harmless.contains(&warning.kind), "{warning}: {}", first.escape_ascii());
    }

    for to in Format::ALL {
        let mut reader = Reader::from_bytes("first", first.as_slice(), again).unwrap();
        let (converted, _) = copy(&mut reader, to);
        let converted_options = ReadOptions { format: Some(to), ..options };
        let mut reader =
            Reader::from_bytes("converted", converted.as_slice(), converted_options).unwrap();
        let (copied, rejected) = copy(&mut reader, to);
        assert_eq!(rejected, 0, "{} to {to}: {}", first.escape_ascii(), converted.escape_ascii());
        assert_eq!(copied, converted, "{} to {to}", first.escape_ascii());
    }
}
