#!/usr/bin/env bash
# Builds the wheel of the Python package into release/.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(command -v python3 || command -v python)
"$python" -m pip wheel --no-deps --wheel-dir release .
