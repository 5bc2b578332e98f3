#!/usr/bin/env python3
"""Compares reading speed with Python's conllu and pyconll on the same file in the same run.

    cargo build --release -p crossarc-conll --example read_speed
    pip install conllu pyconll
    scripts/compare_readers.py FILE.conllu [--times 3]

Prints a Markdown table. Every reader reads the whole file into sentences; the time is processor
time, the best of the runs; the number of words must be the same for all.
"""
import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

READ_SPEED = Path(__file__).parent.parent / "target/release/examples/read_speed"


def with_conllu(file):
    import conllu

    with open(file, encoding="utf-8") as text:
        for sentence in conllu.parse_incr(text):
            yield sum(isinstance(word["id"], int) for word in sentence)


def with_pyconll(file):
    try:
        from pyconll.conllu import conllu as reader  # version 4

        sentences = reader.iter_from_file(file)
        is_word = lambda word: word.id.isdigit()
    except ImportError:
        import pyconll

        sentences = pyconll.iter_from_file(file)
        is_word = lambda word: word.id.isdigit()
    for sentence in sentences:
        words = getattr(sentence, "tokens", sentence)
        yield sum(is_word(word) for word in words)


def run_python(read, file, times):
    best = None
    for _ in range(times):
        start = time.process_time()
        counts = list(read(file))
        seconds = time.process_time() - start
        best = min(best or seconds, seconds)
    return {"seconds": best, "sentences": len(counts), "words": sum(counts)}


def run_crossarc(file, times):
    runs = []
    for _ in range(times):
        out = subprocess.run([READ_SPEED, file, "10"], check=True, capture_output=True, text=True)
        runs.append(json.loads(out.stdout))
    return min(runs, key=lambda run: run["seconds"])


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("file")
    arguments.add_argument("--times", type=int, default=3, help="runs of each reader")
    options = arguments.parse_args()
    if not READ_SPEED.exists():
        sys.exit("first: cargo build --release -p crossarc-conll --example read_speed")
    megabytes = os.path.getsize(options.file) / 1e6
    version = importlib.metadata.version
    rows = [
        ("crossarc-conll, all checks on", run_crossarc(options.file, options.times)),
        (f"conllu {version('conllu')} (Python)", run_python(with_conllu, options.file, options.times)),
        (f"pyconll {version('pyconll')} (Python)", run_python(with_pyconll, options.file, options.times)),
    ]
    words = {row["words"] for _, row in rows}
    if len(words) != 1:
        sys.exit(f"the readers do not agree on the number of words: {rows}")
    name = Path(options.file).name
    print(f"{name}: {megabytes:.1f} MB, {rows[0][1]['sentences']:,} sentences, {words.pop():,} words;")
    print(f"processor time of one core, best of {options.times}, Python {platform.python_version()}")
    print()
    print("| reader | seconds | MB/s | words/s | times slower |")
    print("|---|---|---|---|---|")
    for reader, row in rows:
        seconds = row["seconds"]
        slower = seconds / rows[0][1]["seconds"]
        print(
            f"| {reader} | {seconds:.3f} | {megabytes / seconds:.1f} "
            f"| {row['words'] / seconds:,.0f} | {slower:.0f} |"
        )


if __name__ == "__main__":
    main()
