#!/usr/bin/env bash
# Makes a release on the forge of the files in release/, with what the changelog says of this version.
# Needs `gh`, and GH_TOKEN for it.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
notes=$(mktemp)
trap 'rm "$notes"' EXIT
awk -v head="## $version" '/^## /{on = ($0 == head)} on' CHANGELOG.md > "$notes"
[ -s "$notes" ] || { echo "CHANGELOG.md has no section \"## $version\""; exit 1; }
gh release create "v$version" release/* --title "Crossarc $version" --notes-file "$notes"
