#!/usr/bin/env bash
# Looks for bytes for which something does not hold that must hold for any bytes (fuzz/src).
#
#   scripts/fuzz.sh MINUTES [TARGET...]   all targets in turn by coverage (libFuzzer), so many minutes in all
#   scripts/fuzz.sh plain SECONDS         every target so many seconds by mutation alone; needs no C++ compiler
#   scripts/fuzz.sh minimise [TARGET...]  throws inputs out of fuzz/corpus that add no coverage
#
# Works with the stable compiler; ADDRESS=1 takes nightly and AddressSanitizer. Inputs that are of interest are
# kept in fuzz/corpus, those that failed in fuzz/artifacts. Ends with a table of executions and coverage;
# exit code 1 if a target failed.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2; }
[ $# -ge 1 ] || usage

if [ "$1" = plain ]; then
    # With what the workspace has built already.
    cargo build -q --manifest-path fuzz/Cargo.toml --target-dir target --bin plain
    exec target/debug/plain all "${2:-10}" "${SEED:-1}"
fi

host=$(rustc -vV | sed -n 's/^host: //p')
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Clink-arg=-Wl,-z,nostart-stop-gc --cfg fuzzing"
toolchain=()
if [ -n "${ADDRESS:-}" ]; then
    toolchain=(+nightly)
    flags="$flags -Zsanitizer=address"
fi
RUSTFLAGS="$flags" cargo "${toolchain[@]}" build -q --manifest-path fuzz/Cargo.toml --release \
    --target "$host" --features guided --bin guided
program=fuzz/target/$host/release/guided

what=$1
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(sed -n 's/^    ("\([a-z0-9]*\)",.*/\1/p' fuzz/src/lib.rs)
mkdir -p fuzz/artifacts

if [ "$what" = minimise ]; then
    for target in "${targets[@]}"; do
        mkdir -p "fuzz/corpus/$target.new"
        CROSSARC_TARGET=$target $program -merge=1 "fuzz/corpus/$target.new" "fuzz/corpus/$target"
        rm -r "fuzz/corpus/$target"
        mv "fuzz/corpus/$target.new" "fuzz/corpus/$target"
    done
    exit
fi

seconds=$((what * 60 / ${#targets[@]}))
failed=0
table=$(printf '%-10s %12s %10s %8s %8s  %s' target executions a-second edges corpus outcome)
for target in "${targets[@]}"; do
    folders=("fuzz/corpus/$target")
    mkdir -p "${folders[0]}"
    [ -d "fuzz/seeds/$target" ] && folders+=("fuzz/seeds/$target")
    log=fuzz/artifacts/$target.log
    outcome=held
    CROSSARC_TARGET=$target $program -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -max_len=4096 \
        -print_final_stats=1 -artifact_prefix="fuzz/artifacts/$target-" "${folders[@]}" 2>"$log" \
        || { outcome="FAILED: see $log"; failed=1; }
    stat() { sed -n "s/^stat::$1: *//p" "$log" | tail -1; }
    edges=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$log" | tail -1)
    table+=$(printf '\n%-10s %12s %10s %8s %8s  %s' "$target" "$(stat number_of_executed_units)" \
        "$(stat average_exec_per_sec)" "${edges:--}" "$(find "${folders[0]}" -type f | wc -l)" "$outcome")
done
echo "$table"
exit $failed
