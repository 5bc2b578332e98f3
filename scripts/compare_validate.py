#!/usr/bin/env python3
"""Compare `crossarc check --ud` with the official validator of Universal Dependencies, rule by rule.

    pip install udtools
    scripts/compare_validate.py target/release/crossarc TREEBANK.conllu... [--sentences 300] [--damage 3]

Each file is looked at as it is and in a damaged copy: in every so many words a label, a head, a tag or
a feature is replaced or the order of features turned round. The validator runs with levels 1 to 3 and the
universal lists (`--lang ud`). The table counts findings by line and rule: found by both, by one alone.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

INCIDENT = re.compile(r"^\[Line (\d+).*?\]: \[L(\d) \w+ ([a-z0-9-]+)\]")


def blocks(path):
    block = []
    for line in open(path, encoding="utf-8"):
        block.append(line.rstrip("\n"))
        if not line.strip():
            yield block
            block = []


def damaged(row, words, draw):
    """A word with one thing wrong."""
    kind = draw.choice(["label", "head", "tag", "order", "feature"])
    if kind == "label":
        row[7] = draw.choice(["punct", "nsubj", "obj", "conj", "flat", "aux", "case", "fixed", "det", "cc"])
    elif kind == "head" and row[6] != "0":
        row[6] = str(draw.randrange(1, words + 1))
        row[6] = row[6] if row[6] != row[0] else "0"
    elif kind == "tag":
        row[3] = draw.choice(["NOUN", "VERB", "PUNCT", "AUX", "DET", "ADP", "PRON"])
    elif kind == "order" and "|" in row[5]:
        row[5] = "|".join(reversed(row[5].split("|")))
    elif kind == "feature":
        row[5] = row[5] + "|" + row[5].split("|")[0] if row[5] != "_" else "case=nom"
    return row


def copy(source, target, sentences, damage, draw):
    with open(target, "w", encoding="utf-8") as out:
        for number, block in enumerate(blocks(source)):
            if number == sentences:
                break
            words = sum(line.split("\t")[0].isdigit() for line in block)
            for line in block:
                row = line.split("\t")
                if damage and row[0].isdigit() and draw.randrange(100) < damage:
                    line = "\t".join(damaged(row, words, draw))
                out.write(line + "\n")


def official(path, validator):
    command = [validator, "--lang", "ud", "--level", "3", "--max-err", "1000000", path]
    out = subprocess.run(command, capture_output=True, text=True)
    found = map(INCIDENT.match, (out.stdout + out.stderr).splitlines())
    return {(int(match[1]), match[3]) for match in found if match}


def ours(path, program):
    command = [program, "check", "--ud", "--json", "--max", "1000000", path]
    report = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    return {(finding["line"], finding["kind"]) for finding in report["findings"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--damage", type=int, default=3, help="damaged words in a hundred")
    parser.add_argument("--validator", default=os.path.join(os.path.dirname(sys.executable), "udvalidate"))
    arguments = parser.parse_args()
    counts = collections.defaultdict(lambda: [0] * 6)
    for treebank in arguments.treebanks:
        for column, damage in enumerate([0, arguments.damage]):
            draw = random.Random(f"{treebank} {damage}")
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "copy.conllu")
                copy(treebank, path, arguments.sentences, damage, draw)
                theirs, own = official(path, arguments.validator), ours(path, arguments.program)
            for name, found in [(0, theirs & own), (1, theirs - own), (2, own - theirs)]:
                for _, rule in found:
                    counts[rule][3 * column + name] += 1
            print(f"{os.path.basename(treebank)}: {len(theirs)} and {len(own)}", file=sys.stderr)
    print("| rule | as it is: both | validator only | check only | damaged: both | validator only | check only |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for rule in sorted(counts):
        print(f"| {rule} | " + " | ".join(map(str, counts[rule])) + " |")
    print("| all | " + " | ".join(str(sum(row[at] for row in counts.values())) for at in range(6)) + " |")


main()
