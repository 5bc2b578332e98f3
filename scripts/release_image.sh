#!/usr/bin/env bash
# Builds the container image and packs it into release/. `docker load` takes the file.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
mkdir -p release
docker build -f deploy/Dockerfile -t "crossarc:$version" .
docker save "crossarc:$version" | gzip > "release/crossarc-$version-image.tar.gz.part"
mv "release/crossarc-$version-image.tar.gz.part" "release/crossarc-$version-image.tar.gz"
