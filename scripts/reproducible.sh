#!/usr/bin/env bash
# Builds the committed source twice, in two folders, and compares the bytes: who has the same source and the same
# compiler can check that a program is what its source says.
#
#   scripts/reproducible.sh                       # the program, twice: many minutes
#   scripts/reproducible.sh -p crossarc-query --example search_speed
set -euo pipefail
cd "$(dirname "$0")/.."
what=("$@")
[ ${#what[@]} -gt 0 ] || what=(-p crossarc-cli --bin crossarc)
name=${what[-1]}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for folder in one another-with-a-longer-name; do
    mkdir "$place/$folder"
    git archive HEAD | tar -x -C "$place/$folder"
    # Paths in messages are those below the folder and below cargo's home, wherever they are.
    (cd "$place/$folder" && RUSTFLAGS="--remap-path-prefix=$PWD=/crossarc --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo" \
        CARGO_INCREMENTAL=0 cargo build -q --release --locked "${what[@]}")
    find "$place/$folder/target/release" -maxdepth 2 -type f -name "$name" -executable -exec sha256sum {} + |
        sed "s# .*# $name in $folder#"
done | tee "$place/sums"
[ "$(cut -d' ' -f1 "$place/sums" | sort -u | wc -l)" = 1 ] && [ "$(wc -l < "$place/sums")" = 2 ] ||
    { echo "the two builds differ"; exit 1; }
echo "the two builds have the same bytes"
