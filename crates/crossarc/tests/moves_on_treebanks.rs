//! Numbers of moves that were published, on the treebanks under `CROSSARC_TREEBANKS`.
use std::path::Path;

use conll::{ReadOptions, Reader};
use crossarc::transition::SystemOptions;
use crossarc::transition::statistics::statistics;
use crossarc::tree::RootPolicy;
use crossarc::tree::treebank::unlabelled_tree_of;

/// Nivre (2009, section 4.1): m = 2.22n with R² = 0.85 on the Danish training set of CoNLL-X. The
/// file here leaves some of it for development, so the last digit may differ.
#[test]
fn swap_is_linear_on_danish() {
    let Some(folder) = std::env::var_os("CROSSARC_TREEBANKS") else {
        eprintln!("SKIPPED: set CROSSARC_TREEBANKS to a folder of treebanks");
        return;
    };
    let path = Path::new(&folder).join("da_ddt-conllx-train.conll");
    if !path.exists() {
        eprintln!("SKIPPED: no {}", path.display());
        return;
    }
    let trees: Vec<_> = Reader::open(&path, ReadOptions::default())
        .unwrap()
        .map(|sentence| unlabelled_tree_of(&sentence.unwrap()).unwrap())
        .collect();
    let options = SystemOptions { roots: RootPolicy::Several, partial: false };
    let eager = statistics("swap", "eager", options, &trees).unwrap();
    assert_eq!(eager.unreachable, 0);
    assert!((eager.line.slope - 2.22).abs() < 0.02, "{:?}", eager.line);
    assert!((eager.line.r_squared - 0.85).abs() < 0.02, "{:?}", eager.line);
    let lazy = statistics("swap", "lazy", options, &trees).unwrap();
    assert!(lazy.moves < eager.moves, "{} {}", lazy.moves, eager.moves);
}
