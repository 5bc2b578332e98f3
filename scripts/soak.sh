#!/usr/bin/env bash
# Kills, interrupts and starves the program, and looks at what is left: old files as they were, new ones whole or
# absent, and resumed work that ends with the same bytes as work that nobody disturbed.
#
#   scripts/soak.sh target/release/crossarc        100 kills of each kind: some minutes
#   scripts/soak.sh target/debug/crossarc 3        a short run
#
# The treebank is made up by the script. Needs bash, coreutils and, for the n-th write that fails, a C compiler;
# the full disk needs the right to mount a small tmpfs. What cannot be tried is told. Exit code 1 if something
# did not hold.
set -uo pipefail
program=$(realpath "${1:?usage: scripts/soak.sh PROGRAM [KILLS]}")
kills=${2:-100}
scripts=$(realpath "$(dirname "$0")")
place=$(mktemp -d)
cd "$place" || exit 1
trap 'cd /; mountpoint -q "$place/disk" && umount "$place/disk"; rm -rf "$place"' EXIT
wrong=0
holds() { printf 'holds: %s\n' "$1"; }
fails() { printf 'FAILS: %s\n' "$1"; wrong=1; }
skips() { printf 'SKIPPED: %s\n' "$1"; }
parts() { find . -name '.*.part' | wc -l; }

# Sentences of a made-up language, from a generator of 32-bit numbers.
awk 'BEGIN {
    seed = 7
    split("sun moon star dog cat bird tree river", nouns); split("sees hears likes finds", verbs)
    for (s = 1; s <= 400; s++) {
        print "# sent_id = " s
        seed = (seed * 1103515245 + 12345) % 2147483648; a = nouns[1 + int(seed / 65536) % 8]
        seed = (seed * 1103515245 + 12345) % 2147483648; v = verbs[1 + int(seed / 65536) % 4]
        seed = (seed * 1103515245 + 12345) % 2147483648; b = nouns[1 + int(seed / 65536) % 8]
        print "1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_\n2\t" a "\t" a "\tNOUN\t_\t_\t3\tnsubj\t_\t_"
        print "3\t" v "\t" v "\tVERB\t_\t_\t0\troot\t_\t_\n4\ta\ta\tDET\t_\t_\t5\tdet\t_\t_"
        print "5\t" b "\t" b "\tNOUN\t_\t_\t3\tobj\t_\t_\n6\t.\t.\tPUNCT\t_\t_\t3\tpunct\t_\t_\n"
    }
}' > train.conllu
head -n 320 train.conllu > dev.conllu
for _ in 1 2 3 4 5; do cat train.conllu; done > long.conllu

# Runs a command for a random part of the time that it takes undisturbed, then kills it.
# 0 if it was killed, 1 if it had ended.
killed() { # SIGNAL SECONDS COMMAND...
    local signal=$1 seconds=$2 child status
    shift 2
    "$@" >/dev/null 2>&1 &
    child=$!
    sleep "$(awk -v most="$seconds" -v draw="$RANDOM" 'BEGIN { printf "%.3f", most * draw / 32768 }')"
    kill -"$signal" "$child" 2>/dev/null
    wait "$child" 2>/dev/null
    status=$?
    [ "$status" -gt 128 ]
}
seconds_of() { local start; start=$(date +%s.%N); "$@" >/dev/null 2>&1; awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { print b - a }'; }

# 1. Training with a checkpoint.
training() {
    "$program" train -q --threads 1 --parser swap --epochs 6 --train train.conllu --dev dev.conllu "$@"
}
time=$(seconds_of training -m whole.crossarc --checkpoint whole.checkpoint)
[ -s whole.crossarc ] || fails "training without disturbance"
count=0 rounds=0
while [ "$count" -lt "$kills" ] && [ "$rounds" -lt $((2 * kills)) ]; do
    rm -f model.crossarc checkpoint
    # One to four kills before it may end.
    for _ in $(seq $((1 + RANDOM % 4))); do
        killed KILL "$time" "$program" train -q --threads 1 --parser swap --epochs 6 --train train.conllu \
            --dev dev.conllu -m model.crossarc --checkpoint checkpoint --resume && count=$((count + 1))
        [ ! -e model.crossarc ] || cmp -s model.crossarc whole.crossarc || fails "a model that is not whole"
    done
    training -m model.crossarc --checkpoint checkpoint --resume || fails "training did not go on"
    cmp -s model.crossarc whole.crossarc || fails "a resumed model differs"
    rounds=$((rounds + 1))
done
holds "training: $count kills in $rounds runs, every resumed model has the same bytes"
rm -f .*.part

# 2. Parsing to a file.
time=$(seconds_of "$program" parse -q -m whole.crossarc long.conllu -o whole.conllu)
echo "as it was" > out.conllu
count=0
for _ in $(seq $((4 * kills))); do
    [ "$count" -lt "$kills" ] || break
    killed KILL "$time" "$program" parse -q -m whole.crossarc long.conllu -o out.conllu && count=$((count + 1))
    if cmp -s out.conllu whole.conllu; then
        echo "as it was" > out.conllu
    elif [ "$(cat out.conllu)" != "as it was" ]; then
        fails "half an output"
    fi
done
holds "parsing: $count kills, the old file or the whole new one was there"
rm -f .*.part

# 3. The same with signals that can be caught: nothing is left behind.
for signal in INT TERM; do
    count=0
    for _ in $(seq $((2 * kills))); do
        [ "$count" -lt "$kills" ] || break
        # A shell without job control starts programs in the background with SIGINT ignored.
        ( set -m; killed "$signal" "$time" "$program" parse -q -m whole.crossarc long.conllu -o out.conllu ) && count=$((count + 1))
    done
    [ "$(parts)" = 0 ] && holds "$signal: $count times, no unfinished file is left" || fails "$signal leaves unfinished files"
done

# 4. A grid of parsers.
cat > recipe.toml <<'R'
title = "Soak"
[grid]
treebanks = ["toy"]
options = { epochs = 3 }
[[run]]
parsers = ["swap", "arc-eager", "eisner"]
R
mkdir -p treebanks
cp train.conllu treebanks/toy-train.conllu
cp dev.conllu treebanks/toy-dev.conllu
cp dev.conllu treebanks/toy-test.conllu
grid() { "$program" compare -r recipe.toml --treebanks treebanks -o "$1" -j 1; }
time=$(seconds_of grid undisturbed)
numbers() { find "$1" -type f ! -name '.*' | sort | sed "s|^$1/||"; }
count=0
for _ in $(seq "$kills"); do
    [ "$count" -lt "$kills" ] || break
    rm -rf disturbed
    for _ in 1 2 3 4; do
        killed KILL "$time" "$program" compare -r recipe.toml --treebanks treebanks -o disturbed -j 1 && count=$((count + 1))
    done
    grid disturbed >/dev/null 2>&1 || fails "compare did not go on"
    [ "$(numbers disturbed)" = "$(numbers undisturbed)" ] || fails "compare left other files"
    # Times differ from run to run; trees and scores may not.
    scores() { cat "$1"/runs/*.json "$1/scores.csv" | cksum; }
    [ -s undisturbed/scores.csv ] || fails "compare without disturbance"
    [ "$(scores disturbed)" = "$(scores undisturbed)" ] || fails "compare has other scores"
done
holds "compare: $count kills, the same files with the same trees and scores"
rm -rf disturbed

# 5. A disk that is full, by mounting a small one.
mkdir -p disk
if mount -t tmpfs -o size=96k none disk 2>/dev/null; then
    echo "as it was" > disk/out.conllu
    echo "as it was" > disk/model.crossarc
    told=$("$program" parse -q -m whole.crossarc long.conllu -o disk/out.conllu 2>&1) && fails "a full disk is no error"
    [[ $told == *"No space left"* ]] || fails "a full disk is told as: $told"
    "$program" train -q --parser swap --epochs 1 --train train.conllu -m disk/model.crossarc >/dev/null 2>&1
    for file in disk/out.conllu disk/model.crossarc; do
        [ "$(head -c 9 $file)" = "as it was" ] || [ "$file" = disk/model.crossarc ] || fails "$file is spoilt on a full disk"
    done
    [ "$(find disk -name '.*.part' | wc -l)" = 0 ] || fails "unfinished files on a full disk"
    mount -o remount,ro disk
    "$program" parse -q -m whole.crossarc dev.conllu -o disk/out.conllu 2>/dev/null && fails "a disk that is read-only is no error"
    mount -o remount,rw disk
    umount disk
    holds "a full disk and one that is read-only are errors, and the old files stay"
else
    skips "a full disk: no right to mount one"
fi

# 6. The n-th write fails, whichever it is; then syncing and renaming.
if cc -shared -fPIC -o failing_write.so "$scripts/failing_write.c" -ldl 2>/dev/null; then
    attempts=0
    disturbed() { # WHAT FILE COMMAND...: error and the old file, or success and a whole one
        local what=$1 file=$2
        shift 2
        echo "as it was" > "$file"
        if env LD_PRELOAD="$place/failing_write.so" "$what" "$@" >/dev/null 2>&1; then
            cmp -s "$file" "whole.${file##*.}" || fails "$what: success, and $file is not whole"
            return 1
        fi
        [ "$(cat "$file")" = "as it was" ] || fails "$what: $file is spoilt"
        [ "$(parts)" = 0 ] || { fails "$what: unfinished files"; rm -f .*.part; }
        attempts=$((attempts + 1))
    }
    for n in $(seq 1 40); do
        disturbed "FAIL_WRITE=$n" out.conllu "$program" parse -q -m whole.crossarc long.conllu -o out.conllu || break
    done
    for n in $(seq 1 40); do
        disturbed "FAIL_WRITE=$n" out.crossarc "$program" train -q --threads 1 --parser swap --epochs 6 \
            --train train.conllu --dev dev.conllu -m out.crossarc || break
    done
    for what in FAIL_SYNC=1 FAIL_RENAME=1; do
        disturbed $what out.conllu "$program" parse -q -m whole.crossarc long.conllu -o out.conllu && [ $attempts -gt 0 ] || fails "$what is no error"
    done
    holds "$attempts commands of which one write, sync or renaming failed: errors, and the old files stay"
else
    skips "the n-th write that fails: no C compiler"
fi

# 7. Readers that go, outputs that are closed.
for command in "parse -q -m whole.crossarc long.conllu" "convert long.conllu" "stats train.conllu" "check train.conllu" \
    "draw train.conllu" "find X train.conllu" "transform --codec pseudo-head long.conllu" "shuffle train.conllu"; do
    # shellcheck disable=SC2086
    told=$( { "$program" $command | head -c 10 >/dev/null; echo "${PIPESTATUS[0]}" >status; } 2>&1 )
    [[ $told != *panicked* ]] && [ "$(cat status)" -lt 2 ] || fails "$command | head: $told"
    # shellcheck disable=SC2086
    told=$("$program" $command 2>&1 >&- </dev/null)
    [[ $told != *panicked* ]] || fails "$command with its output closed: $told"
done
holds "readers that go and outputs that are closed: no panic"

# 8. Many documents, one in a hundred poisoned: exactly those fail, by name.
all=$((100 * kills))
mkdir -p documents
printf '\037\213\010\000\000\000\000\000\000\003K' > archive.gz
awk -v all="$all" 'BEGIN {
    for (n = 1; n <= all; n++) {
        if (n % 200 == 50) print "{oh"
        else if (n % 200 == 150) print "{\"id\": \"d" n "\", \"texts\": \"It rains.\"}"
        else print "{\"id\": \"d" n "\", \"text\": \"It rains.\"}"
        if (n % 100 != 50) print "It rains." > ("documents/" n ".txt")
    }
}' > documents.jsonl
for n in $(seq 50 100 "$all"); do cp archive.gz "documents/$n.txt.gz"; done
poisoned() { # WHAT GOOD NAMES: what the program says at its end in `told`
    local names
    names=$(sed -n 's/^crossarc: [0-9]* documents\{0,1\} w[a-z]* bad: //p' told | tr -d ' ' | tr ',' '\n' | sort)
    [ "$2" = $((all - kills)) ] || fails "$1: $2 of $all documents"
    [ "$names" = "$(sort <<< "$3")" ] || fails "$1: other documents are bad: $names"
}
"$program" parse -q --from jsonl --on-error skip --to jsonl documents.jsonl > parsed.jsonl 2> told && fails "poison is no error"
poisoned "JSON Lines" "$(wc -l < parsed.jsonl)" "$(seq -f 'documents.jsonl:%.0f' 50 100 "$all")"
"$program" parse -q --on-error skip documents -o parsed 2> told && fails "poison is no error"
poisoned "a folder" "$(find parsed -name '*.conllu' | wc -l)" "$(seq -f 'documents/%.0f.txt.gz' 50 100 "$all")"
holds "$all documents in JSON Lines and in a folder, $kills of them poisoned: exactly those failed, by name"
exit $wrong
