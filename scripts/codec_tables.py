#!/usr/bin/env python3
"""Writes docs/results/codecs.md: what each codec does to every treebank in CROSSARC_TREEBANKS.

    CROSSARC_TREEBANKS=folder scripts/codec_tables.py > docs/results/codecs.md

Uses target/release/crossarc, or the binary named by CROSSARC. Only training parts are measured.
"""
import json
import os
import pathlib
import subprocess
import sys

CROSSARC = os.environ.get("CROSSARC", "target/release/crossarc")
SCHEMES = ["pseudo-head", "pseudo-path", "pseudo-head+path"]
CAPS = [None, 30]
TRANSFORMATIONS = ["punctuation", "markers", "parenthesis", "auxiliary-arguments", "split-sentences"]


def report(path, codecs, cap=None, lift_by=None):
    command = [CROSSARC, "transform", "--quiet", "--report", "--json", "--roots", "any"]
    for codec in codecs:
        command += ["--codec", codec]
    if cap is not None:
        command += ["--label-cap", str(cap)]
    if lift_by is not None:
        command += ["--lift-by", lift_by]
    answer = subprocess.run([*command, str(path)], check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)


def percent(part, whole, digits=2):
    return f"{100 * part / whole:.{digits}f}" if whole else "–"


def main():
    folder = os.environ.get("CROSSARC_TREEBANKS")
    if not folder:
        sys.exit("set CROSSARC_TREEBANKS to a folder with treebanks")
    parts = sorted(pathlib.Path(folder).glob("*-train.conll*"))
    names = {path: path.name.split("-train.")[0] for path in parts}

    print("# What codecs do to gold")
    print()
    print("Made by `scripts/codec_tables.py` from the training parts of the treebanks. Each codec is")
    print("fitted to a training part, encodes it and decodes it again. What does not come back here")
    print("no parser can get right, so the last columns are a ceiling.")
    print()
    print("## Projectivising")
    print()
    print("Arcs that are non-projective by dominance, lifts until there is none, arcs that end up with")
    print("another head; the same lifted by crossing (shortest crossed arc first, root arcs cross too).")
    print("Lifts per sentence are averages over the non-projective sentences.")
    print()
    print("| treebank | words | non-projective arcs | % | sentences % | lifts | lifts per sentence "
          "| arcs moved | by crossing: lifts | per sentence | arcs moved |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for path, name in names.items():
        by_dominance = report(path, ["baseline"])
        by_crossing = report(path, ["baseline"], lift_by="crossing")
        row = by_dominance
        sentences = row["nonprojective_sentences"]
        print(f"| {name} | {row['words']:,} | {row['nonprojective_arcs']:,} "
              f"| {percent(row['nonprojective_arcs'], row['words'])} "
              f"| {percent(sentences, row['sentences'], 1)} | {row['lifts']:,} "
              f"| {row['lifts'] / max(sentences, 1):.2f} | {row['moved']:,} "
              f"| {by_crossing['lifts']:,} | {by_crossing['lifts'] / max(sentences, 1):.2f} "
              f"| {by_crossing['moved']:,} |", flush=True)
    print()
    print("## Pseudo-projective encodings")
    print()
    print("New labels, the share of moved arcs that come back to head and label, and the share of all")
    print("arcs right after encoding and decoding (LAS on gold), without a cap and with the 30 most")
    print("frequent new labels. `baseline` moves the same arcs, and none comes back.")
    for cap in CAPS:
        print()
        print(f"### {'Without a cap' if cap is None else f'Cap {cap}'}")
        print()
        print("| treebank | arcs moved | baseline LAS | " + " | ".join(
            f"{scheme}: new labels | back % | LAS" for scheme in SCHEMES) + " |")
        print("|---|--:|--:|" + "--:|--:|--:|" * len(SCHEMES))
        for path, name in names.items():
            rows = [report(path, [scheme], cap) for scheme in SCHEMES]
            moved, words = rows[0]["moved"], rows[0]["words"]
            cells = " | ".join(
                f"{row['new_labels']} | {percent(row['recovered'], moved)} "
                f"| {percent(row['correct'], words)}" for row in rows)
            print(f"| {name} | {moved:,} | {percent(words - moved, words)} | {cells} |", flush=True)
    print()
    print("## Treebank transformations")
    print()
    print("With default parameters, where they change or lose anything. Labels before and after,")
    print("non-projective arcs before and after, arcs moved, and what is right after decoding.")
    print()
    print("| treebank | transformation | labels | after | non-projective | after | arcs moved "
          "| heads back % | heads and labels back % |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for path, name in names.items():
        for transformation in TRANSFORMATIONS:
            row = report(path, [transformation])
            changed = row["moved"] or row["encoded_labels"] != row["labels"] or (
                row["parts"] != row["sentences"] or row["correct"] != row["words"])
            if changed:
                print(f"| {name} | {transformation} | {row['labels']} | {row['encoded_labels']} "
                      f"| {row['nonprojective_arcs']:,} | {row['nonprojective_encoded']:,} "
                      f"| {row['moved']:,} | {percent(row['correct_heads'], row['words'], 3)} "
                      f"| {percent(row['correct'], row['words'], 3)} |", flush=True)


if __name__ == "__main__":
    main()
