#!/usr/bin/env bash
# Gives all crates, the citation and the changelog a new version. Then `CROSSARC_BLESS=1 cargo test -p crossarc --test
# kept_models` keeps small models of it.
#
# Usage: scripts/set_version.sh 0.2.0
set -euo pipefail
cd "$(dirname "$0")/.."
new=${1:?usage: scripts/set_version.sh VERSION}
old=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
sed -i "s/^version = \"$old\"/version = \"$new\"/; s/\(path = \"crates[^}]*version = \)\"$old\"/\1\"$new\"/" Cargo.toml
sed -i "s/^version: $old/version: $new/" CITATION.cff
sed -i "s/^## Unreleased\$/## Unreleased\n\n## $new/" CHANGELOG.md
cargo update --workspace --offline
cargo update --workspace --offline --manifest-path fuzz/Cargo.toml
echo "$old is now $new"
