//! Lossless reading and writing of treebanks: CoNLL-U, CoNLL-U Plus, CoNLL-X and CoNLL-2009.
