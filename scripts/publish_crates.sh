#!/usr/bin/env bash
# Packs all crates in the order of their dependencies and publishes them. By default nothing is published: cargo
# says what it would do. A crate that depends on another finds it, though it is not published yet.
#
# Usage: scripts/publish_crates.sh [--publish]
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in
    --publish) cargo publish --workspace --locked ;;
    "") cargo publish --workspace --locked --dry-run --no-verify ;;
    *) sed -n 's/^# //p' "$0"; exit 2 ;;
esac
