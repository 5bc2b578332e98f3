#!/usr/bin/env bash
# Builds the program for a target and packs it into release/, with its licences and a checksum.
#
# Usage: scripts/release_program.sh [TARGET]
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-$(rustc -vV | sed -n 's/^host: //p')}
if command -v rustup > /dev/null; then
    rustup target add "$target"
fi
if [[ $target == *-musl ]] && ! command -v musl-gcc > /dev/null; then
    sudo apt-get update && sudo apt-get install --yes musl-tools
fi
cargo build --release --locked -p crossarc-cli --target "$target"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
name="crossarc-$version-$target"
mkdir -p "release/$name"
cp "target/$target/release/crossarc"* "release/$name/"
rm -f "release/$name/"*.d
cp README.md CHANGELOG.md LICENSE-* NOTICE "release/$name/"
tar -C release -czf "release/$name.tar.gz" "$name"
rm -r "release/${name:?}"
(cd release && { sha256sum "$name.tar.gz" || shasum -a 256 "$name.tar.gz"; } > "$name.tar.gz.sha256")
