//! Compressed input, slow input, and several threads.
use std::io::{self, Read, Write};

use conll::parallel::{Item, map_ordered};
use conll::{Limits, ReadOptions, Reader, Sentence, WarningKind};

fn treebank(sentences: usize) -> String {
    let sentence = |id: usize| {
        let word = |word| format!("{word}\tw{id}\tl\tNOUN\t_\t_\t{}\tdep\t_\t_\n", word - 1);
        let words: String = (1..=id % 17 + 1).map(word).collect();
        format!("# sent_id = {id}\n{words}\n")
    };
    (0..sentences).map(sentence).collect()
}

fn copy(mut reader: Reader) -> Result<Vec<u8>, conll::Error> {
    let mut out = Vec::new();
    let mut sentence = Sentence::default();
    while reader.read(&mut sentence)? {
        sentence.write_to(&mut out).unwrap();
    }
    Ok(out)
}

#[test]
fn compressed_files_are_recognised_and_broken_ones_refused() {
    let text = treebank(200);
    let bytes = text.as_bytes();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(bytes).unwrap();
    let gz = gz.finish().unwrap();
    let zst = zstd::encode_all(bytes, 3).unwrap();
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut xz = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    xz.write_all(bytes).unwrap();
    let xz = xz.finish().unwrap();
    for (name, compressed) in [("gz", gz), ("zst", zst), ("xz", xz)] {
        let read = |bytes: &[u8]| {
            copy(Reader::from_bytes(name, bytes, ReadOptions::default()).map_err(drop).ok()?).ok()
        };
        assert!(read(&compressed).as_deref() == Some(bytes), "{name}");
        assert_eq!(read(&compressed[..compressed.len() / 2]), None, "{name} cut short");
        let twice = compressed.repeat(2);
        assert!(read(&twice).as_deref() == Some(text.repeat(2).as_bytes()), "{name} twice");
    }
}

/// Gives one byte at a time, and interruptions.
struct Slow<'a>(&'a [u8], bool);

impl Read for Slow<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let len = self.0.len().min(out.len()).min(1);
        out[..len].copy_from_slice(&self.0[..len]);
        self.0 = &self.0[len..];
        Ok(len)
    }
}

#[test]
fn slow_input_gives_the_same_sentences() {
    let text: &'static str = treebank(30).leak();
    let slow = Slow(text.as_bytes(), false);
    let reader = Reader::from_read("slow", slow, ReadOptions::default()).unwrap();
    assert!(copy(reader).unwrap() == text.as_bytes());
}

#[test]
fn threads_keep_the_order_the_lines_and_the_warnings() {
    let bad = "1\tonly\tthree\n\n";
    let text =
        format!("{}{bad}{}\n\n{}", treebank(9000), treebank(3000), treebank(3000).trim_end());
    let mut alone = Reader::from_bytes("text", text.as_str(), ReadOptions::default()).unwrap();
    let mut expected = Vec::new();
    let mut sentence = Sentence::default();
    loop {
        match alone.read(&mut sentence) {
            Ok(true) => expected.push((sentence.first_line(), sentence.len())),
            Ok(false) => break,
            Err(error) => expected.push((error.to_string().len(), 0)),
        }
    }
    for threads in [1, 2, 5] {
        let mut reader = Reader::from_bytes("text", text.as_str(), ReadOptions::default()).unwrap();
        let mut found = Vec::new();
        let work = |(): &mut (), item: Item<'_>, out: &mut Vec<(usize, usize)>| match item {
            Item::Sentence(sentence) => out.push((sentence.first_line(), sentence.len())),
            Item::Rejected { error, text, .. } => {
                assert_eq!(text, &bad.as_bytes()[..bad.len() - 1]);
                out.push((error.to_string().len(), 0));
            }
        };
        map_ordered(
            &mut reader,
            threads,
            || (),
            work,
            |part| {
                found.extend(part);
                Ok::<(), conll::Error>(())
            },
        )
        .unwrap();
        assert!(found == expected, "{threads} threads");
        assert_eq!(reader.warnings(), alone.warnings());
        assert_eq!(
            reader.warnings().iter().map(|warning| warning.kind).collect::<Vec<_>>(),
            [WarningKind::DoubledBlankLine, WarningKind::MissingFinalNewline]
        );
    }
}

#[test]
fn an_error_of_the_sink_ends_the_work() {
    for threads in [1, 3] {
        let text = treebank(20_000);
        let mut reader = Reader::from_bytes("text", text, ReadOptions::default()).unwrap();
        let mut calls = 0;
        let work = |(): &mut (), _: Item<'_>, (): &mut ()| {};
        let outcome = map_ordered(
            &mut reader,
            threads,
            || (),
            work,
            |()| {
                calls += 1;
                if calls == 2 { Err(Stopped::BySink) } else { Ok(()) }
            },
        );
        assert_eq!((outcome, calls), (Err(Stopped::BySink), 2));
    }
}

#[test]
#[should_panic(expected = "a scoped thread panicked")]
fn a_panic_of_a_worker_is_passed_on() {
    let mut reader = Reader::from_bytes("text", treebank(20_000), ReadOptions::default()).unwrap();
    let work = |(): &mut (), item: Item<'_>, (): &mut ()| {
        if let Item::Sentence(sentence) = item {
            assert_ne!(sentence.comment_value("sent_id"), Some("11111"));
        }
    };
    let _ = map_ordered(&mut reader, 2, || (), work, |()| Ok::<(), Stopped>(()));
}

#[derive(Debug, PartialEq)]
enum Stopped {
    BySink,
    ByInput,
}

impl From<conll::Error> for Stopped {
    fn from(_: conll::Error) -> Stopped {
        Stopped::ByInput
    }
}

#[test]
fn sentences_over_the_limit_do_not_stop_threads() {
    let huge = "# no blank line for a long time\n".repeat(50_000);
    let text = format!("{}{huge}\n{}", treebank(10), treebank(10));
    let limits = Limits { sentence_bytes: 100_000, ..Limits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    for threads in [1, 2] {
        let mut reader = Reader::from_bytes("text", text.as_str(), options).unwrap();
        let work = |(): &mut (), item: Item<'_>, seen: &mut (u32, u32)| match item {
            Item::Sentence(_) => seen.0 += 1,
            Item::Rejected { text, .. } => {
                assert!(text.is_empty());
                seen.1 += 1;
            }
        };
        let mut seen = (0, 0);
        map_ordered(
            &mut reader,
            threads,
            || (),
            work,
            |part| {
                seen = (seen.0 + part.0, seen.1 + part.1);
                Ok::<(), conll::Error>(())
            },
        )
        .unwrap();
        assert_eq!(seen, (20, 1));
    }
}
