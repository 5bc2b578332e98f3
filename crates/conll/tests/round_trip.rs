//! Every treebank under `CROSSARC_TREEBANKS` is read and written again, byte for byte.
use std::io::{Read, Write};

use conll::{ReadOptions, Reader, Sentence};

#[test]
fn treebanks_are_written_as_they_were_read() {
    let Some(folder) = std::env::var_os("CROSSARC_TREEBANKS") else {
        // Straight to standard error: the test harness hides what `eprintln!` says.
        let message = "SKIPPED round trip: set CROSSARC_TREEBANKS to a folder of treebanks";
        writeln!(std::io::stderr(), "{message}").unwrap();
        return;
    };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of treebanks")
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|end| end == "conllu" || end == "conll"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no .conllu or .conll file in CROSSARC_TREEBANKS");
    for file in files {
        let mut before = Vec::new();
        std::fs::File::open(&file).unwrap().read_to_end(&mut before).unwrap();
        let mut after = Vec::with_capacity(before.len());
        let mut reader = Reader::open(&file, ReadOptions::default()).unwrap();
        let mut sentence = Sentence::default();
        while reader.read(&mut sentence).unwrap() {
            sentence.write_to(&mut after).unwrap();
        }
        assert!(before == after, "{} differs after reading and writing", file.display());
        let is_x = file.extension().is_some_and(|end| end == "conll");
        let expected = if is_x { conll::Format::ConllX } else { conll::Format::ConllU };
        assert_eq!(reader.format(), expected, "{}", file.display());
    }
}
