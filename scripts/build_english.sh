#!/usr/bin/env bash
# Rebuilds crates/english/english.crossarc.zst, the model inside the program, from UD English EWT.
# The same treebank and the same source give the same bytes.
#
# Usage: CROSSARC_TREEBANKS=FOLDER scripts/build_english.sh [PROGRAM]
set -eu
cd "$(dirname "$0")/.."
program=${1:-target/release/crossarc}
model=$(mktemp -d)/english.crossarc
"$program" train --pipeline --model "$model" --max-size 23.1 --beam 2 --epochs 10 --seed 1 \
    --train "$CROSSARC_TREEBANKS/en_ewt-ud-train.conllu" \
    --dev "$CROSSARC_TREEBANKS/en_ewt-ud-dev.conllu" \
    --note "$(cat crates/english/NOTE)"
zstd --ultra -22 --force --no-progress "$model" -o crates/english/english.crossarc.zst
size=$(wc -c < crates/english/english.crossarc.zst)
[ "$size" -le 9000000 ] || { echo "$size bytes are more than 9 MB" >&2; exit 1; }
echo "crates/english/english.crossarc.zst: $size bytes"
