#!/bin/sh
# Instructions that the processor executes for each word it parses, counted by callgrind: a figure
# that does not depend on the load of the machine, so that two versions can be compared.
#
#   scripts/instructions.sh                    greedy and beam 8 on a generated treebank
#   scripts/instructions.sh MODEL FILE [BEAM]  a model of your own on a treebank
#
# Only the parsing of sentences in memory is counted, not reading, writing or loading.
set -eu
cd "$(dirname "$0")/.."
cargo build --profile profiling --quiet --package crossarc-cli
crossarc=${CARGO_TARGET_DIR:-target}/profiling/crossarc
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# name of the run, model, treebank, width of the beam (nothing: that of the model)
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        --toggle-collect='*crossarc::annotate::Annotator*::annotate' \
        "$crossarc" bench --model "$2" --runs 1 --threads 1 --json ${4:+--beam "$4"} "$3" \
        >"$folder/figures" 2>"$folder/log" || { cat "$folder/log"; exit 1; }
    collected=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$folder/log")
    words=$(sed -n 's/.*"words": \([0-9]*\).*/\1/p' "$folder/figures")
    [ "${collected:-0}" -gt 0 ] || { echo "callgrind has not seen the annotator" >&2; exit 1; }
    # `bench` parses twice, alone and in its pool of threads.
    echo "$1: $((collected / words / 2)) instructions/word ($words words)"
}

if [ $# -ge 2 ]; then
    count "$1" "$1" "$2" "${3:-}"
    exit
fi
generate() {
    cargo run --profile profiling --quiet --package crossarc --example generate_treebank -- "$@"
}
generate 1 400 >"$folder/train.conllu"
generate 2 100 >"$folder/test.conllu"
"$crossarc" train --model "$folder/greedy" --train "$folder/train.conllu" --epochs 3 --quiet
"$crossarc" train --model "$folder/beam" --train "$folder/train.conllu" --epochs 3 --quiet --beam 8
count greedy "$folder/greedy" "$folder/test.conllu"
count "beam 8" "$folder/beam" "$folder/test.conllu"
