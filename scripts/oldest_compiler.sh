#!/usr/bin/env bash
# The workspace compiles with the oldest Rust that Cargo.toml names (rust-version), if rustup can get it.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
rustup toolchain install "$version" --profile minimal
cargo "+$version" check --workspace --locked
