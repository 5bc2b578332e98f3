#!/usr/bin/env python3
"""Are scores probabilities? Trains parsers on treebanks and compares `Score=` with what is right.

    scripts/calibration_table.py target/release/crossarc FOLDER hu_szeged-ud la_perseus-ud ... \\
        --options='--fast' --options='--parser swap --beam 8' --options='--parser carreras' [--raw]

Each parser is trained on NAME-train with NAME-dev (without one, scores are fitted on a part of the training
sentences that a second training leaves out), and parses NAME-test with gold tags. With --raw the parsers are
pipelines (`--pipeline`) and parse the text of the test set; words that the tokenizer has not found where they
are count as wrong. `inside` instead of options is the English model inside the program. A line is printed for each parser as
it is done: arcs, LAS, mean score, and the expected calibration error in points, over fifteen bins.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

BINS = 15


def sentences(path):
    """For each sentence its words: place in the text, head, label and MISC."""
    found, rows, at, skip = [], [], 0, 0
    for line in open(path, encoding="utf-8"):
        if not line.strip():
            found.append(rows)
            rows, skip = [], 0
            continue
        if line[0] == "#":
            continue
        cells = line.rstrip("\n").split("\t")
        length = len("".join(cells[1].split()))
        if "-" in cells[0]:
            first, skip = map(int, cells[0].split("-"))
            span = (at, at + length)
            at += length
            continue
        if not cells[0].isdigit():
            continue
        number = int(cells[0])
        if number <= skip:
            place = span + (number - first,)
        else:
            place = (at, at + length, 0)
            at += length
        rows.append((place, int(cells[6]), cells[7], cells[9]))
    return found


def judged(gold, parsed):
    """Pairs of a score and whether head and label are right, and the number of gold words."""
    truth, words = {}, 0
    for sentence in gold:
        for place, head, label, _ in sentence:
            truth[place] = (sentence[head - 1][0] if head else None, label)
            words += 1
    pairs = []
    for sentence in parsed:
        for place, head, label, misc in sentence:
            score = re.search(r"(?:^|\|)Score=([0-9.]+)", misc)
            arc = (sentence[head - 1][0] if head else None, label)
            if score:
                pairs.append((float(score[1]), truth.get(place) == arc))
    return pairs, words


def report(treebank, parser, source, pairs, words):
    bins = [[0, 0.0, 0] for _ in range(BINS)]
    for score, right in pairs:
        one = bins[min(int(score * BINS), BINS - 1)]
        one[0] += 1
        one[1] += score
        one[2] += right
    error = sum(abs(total - right) for _, total, right in bins) / len(pairs)
    right = sum(right for _, right in pairs)
    mean = sum(score for score, _ in pairs) / len(pairs)
    print(
        f"| {treebank} | `{parser}` | {source} | {len(pairs):,} | {100 * right / words:.2f} "
        f"| {100 * mean:.2f} | {100 * right / len(pairs):.2f} | {100 * error:.2f} |",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("--options", action="append", required=True)
    parser.add_argument("--raw", action="store_true")
    parser.add_argument("--no-header", action="store_true")
    arguments = parser.parse_args()
    program = arguments.program
    run = lambda *command: subprocess.run(command, check=True, stdout=sys.stderr)
    if not arguments.no_header:
        print("| treebank | options | from | words | LAS | mean score | right | calibration error |")
        print("|---|---|---|---:|---:|---:|---:|---:|", flush=True)
    for treebank in arguments.treebanks:
        files = {}
        for part in ["train", "dev", "test"]:
            for end in ["conllu", "conll"]:
                path = os.path.join(arguments.folder, f"{treebank}-{part}.{end}")
                if os.path.exists(path):
                    files[part] = path
        for options in arguments.options:
            with tempfile.TemporaryDirectory() as folder:
                model = os.path.join(folder, "model.crossarc")
                parsed = os.path.join(folder, "parsed.conllu")
                source, use = files["test"], []
                if options != "inside":
                    dev = ["--dev", files["dev"]] if "dev" in files else []
                    raw = ["--pipeline"] if arguments.raw else []
                    run(program, "train", "-q", "-m", model, "--train", files["train"], *dev, *raw,
                        "--threads", "1", *shlex.split(options))
                    use = ["-m", model]
                if arguments.raw:
                    source = os.path.join(folder, "text.txt")
                    run(program, "convert", "-q", "--to", "text", files["test"], "-o", source)
                kind = ["--from", "text"] if arguments.raw else []
                run(program, "parse", "-q", "--scores", "--threads", "1", *kind, *use, source, "-o", parsed,
                    "--to", "conllu")
                pairs, words = judged(sentences(files["test"]), sentences(parsed))
                report(treebank, options, "raw text" if arguments.raw else "gold tags", pairs, words)


main()
