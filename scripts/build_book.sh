#!/usr/bin/env bash
# Builds the book with mdBook into docs/book/book; installs mdBook if it is not there.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v mdbook > /dev/null || cargo install mdbook --locked
mdbook build docs/book
