#!/usr/bin/env bash
# Builds the Python package as a wheel, installs it in a fresh virtual environment and runs all its tests:
# pytest, the examples of its docstrings, mypy.
#
#   scripts/test_python.sh                 what every change must pass
#   scripts/test_python.sh --spark         Spark, too (half a gigabyte of downloads; needs Java)
#   scripts/test_python.sh --release       with the wheel that users get, and its size and time of import
#
# More arguments go to pytest. PYTHON chooses the interpreter (3.9 or later). Where nothing can be installed it says
# so and leaves all out.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=(maturin==1.16.0 pytest==9.2.0 mypy==2.4.1)
libraries=(pandas==3.1.1 pyarrow==26.0.1 polars==2.1.0 tqdm==4.70.1 conllu==6.0.0 nltk==3.10.4 spacy==3.8.18)
spark=()
profile=dev
while [ $# -gt 0 ]; do
    case "$1" in
        --spark) spark=(pyspark==4.3.0) ;;
        --release) profile=release ;;
        *) break ;;
    esac
    shift
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! "${PYTHON:-python3}" -m venv "$work/venv" >"$work/log" 2>&1; then
    tail -3 "$work/log"
    echo "python: SKIPPED the wheel and its tests: there is no Python with venv"
    exit 0
fi
python=$work/venv/bin/python
install() { "$python" -m pip install --quiet --no-compile --disable-pip-version-check "$@"; }
if ! install "${tools[@]}" "${libraries[@]}" "${spark[@]}" >"$work/log" 2>&1; then
    tail -3 "$work/log"
    echo "python: SKIPPED the wheel and its tests: pip cannot install"
    exit 0
fi
# The tests parse little, so the compiler need not work hard. Nothing is shared with other builds: for one package
# cargo chooses other features of what it depends on.
if [ "$profile" = dev ]; then
    export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/python"
    export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=false
fi
PATH="$work/venv/bin:$PATH" "$work/venv/bin/maturin" build --quiet --profile "$profile" --locked --out "$work/wheels"
install --no-deps "$work"/wheels/*.whl
if [ "$profile" = release ]; then
    du -h "$work"/wheels/*.whl
    "$python" - <<'END'
import subprocess, sys, time
def seconds(program):
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    return time.perf_counter() - start
least = min(seconds("pass") for _ in range(10))
print(f"import: {1000 * (min(seconds('import crossarc') for _ in range(10)) - least):.0f} ms")
END
fi
cd crates/python/tests
"$python" -m pytest -q -rs -p no:cacheprovider "$@"
