#!/usr/bin/env bash
# Rebuilds crates/english/english.crossarc.zst, the model inside the program: a small student of the model of
# scripts/build_english_accurate.sh, from UD English EWT and from novels that the teacher parses. The same treebank,
# text and source give the same bytes.
#
# TEXT is the English part of ELTeC (level 1), 100 novels, a paragraph a line, blank lines between, compressed by xz.
# The teacher reads every eighth paragraph; sentences of which it is sure are lessons.
#
# Usage: CROSSARC_TREEBANKS=FOLDER scripts/build_english.sh TEACHER TEXT [PROGRAM]
set -eu
teacher=$(realpath "${1:?which model is the teacher? scripts/build_english_accurate.sh trains it}")
text=$(realpath "${2:?which text should the teacher parse?}")
cd "$(dirname "$0")/.."
program=${3:-target/release/crossarc}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
xz -dc "$text" | awk 'BEGIN { RS = ""; ORS = "\n\n" } NR % 8 == 1' >"$folder/en-sample.txt"
"$program" parse --scores --model "$teacher" --from text "$folder/en-sample.txt" --output "$folder/taught.conllu"
"$program" train --pipeline --model "$folder/english.crossarc" --max-size 26 --beam 4 --epochs 5 --runs 2 --seed 1 \
    --train "$CROSSARC_TREEBANKS/en_ewt-ud-train.conllu" \
    --dev "$CROSSARC_TREEBANKS/en_ewt-ud-dev.conllu" \
    --leave-out "$CROSSARC_TREEBANKS/en_ewt-ud-test.conllu" \
    --taught "$folder/taught.conllu" --text-words 900000 --least-sure 0.8 \
    --note "$(cat crates/english/NOTE)"
zstd --ultra -22 --force --no-progress "$folder/english.crossarc" -o crates/english/english.crossarc.zst
size=$(wc -c < crates/english/english.crossarc.zst)
[ "$size" -le 9000000 ] || { echo "$size bytes are more than 9 MB" >&2; exit 1; }
echo "crates/english/english.crossarc.zst: $size bytes"
