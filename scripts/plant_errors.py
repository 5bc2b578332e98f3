#!/usr/bin/env python3
"""How many planted mistakes does `crossarc check` find?

    scripts/plant_errors.py plant gold.conllu damaged.conllu --labels 36 --heads 36
    crossarc check --cross-validate 10 --worst 3 --json damaged.conllu > found.jsonl
    scripts/plant_errors.py count damaged.conllu.planted found.jsonl

Labels are replaced by others as frequent as labels are, heads by any other word that makes no cycle.
"""
import argparse
import json
import random


def sentences(path):
    block = []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        block.append((number, line.rstrip("\n")))
        if not line.strip():
            yield block
            block = []
    if block:
        yield block


def is_word(line):
    return line and line[0].isdigit() and line.split("\t")[0].isdigit()


def dominates(heads, above, below):
    while below:
        if below == above:
            return True
        below = heads[below]
    return False


def plant(arguments):
    draw = random.Random(arguments.seed)
    lines = {}
    words = []
    labels = []
    for block in sentences(arguments.gold):
        rows = [(number, line.split("\t")) for number, line in block if is_word(line)]
        lines.update(block)
        words += [(at, rows) for at in range(len(rows)) if rows[at][1][6] != "0"]
        labels += [row[7] for _, row in rows if row[6] != "0"]
    planted = []
    kinds = ["label"] * arguments.labels + ["head"] * arguments.heads
    for kind, (at, rows) in zip(kinds, draw.sample(words, 4 * len(kinds))):
        number, row = rows[at]
        if kind == "label":
            row[7] = draw.choice([label for label in labels if label != row[7]])
        else:
            heads = [0] + [int(other[6]) for _, other in rows]
            own = at + 1
            free = [h for h in range(1, len(heads)) if h != heads[own] and not dominates(heads, own, h)]
            if not free:
                continue
            row[6] = str(draw.choice(free))
        lines[number] = "\t".join(row)
        planted.append((number, kind))
    with open(arguments.damaged, "w", encoding="utf-8") as out:
        for number in sorted(lines):
            out.write(lines[number] + "\n")
    with open(arguments.damaged + ".planted", "w", encoding="utf-8") as out:
        for number, kind in sorted(planted):
            out.write(f"{number}\t{kind}\n")
    print(f"{len(planted)} mistakes among {len(words)} words")


def count(arguments):
    planted = dict(line.rstrip("\n").split("\t") for line in open(arguments.planted, encoding="utf-8"))
    found = [json.loads(line)["line"] for line in open(arguments.found, encoding="utf-8")]
    hits = {number for number in planted if int(number) in set(found)}
    for kind in ["label", "head"]:
        all_of = [number for number in planted if planted[number] == kind]
        if all_of:
            of_kind = sum(number in hits for number in all_of)
            print(f"{kind}: {of_kind} of {len(all_of)}, {100 * of_kind / len(all_of):.0f} %")
    print(f"all: {len(hits)} of {len(planted)} among {len(found)} words, {100 * len(hits) / len(planted):.0f} %")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
commands = parser.add_subparsers(dest="command", required=True)
first = commands.add_parser("plant")
first.add_argument("gold")
first.add_argument("damaged")
first.add_argument("--labels", type=int, default=36)
first.add_argument("--heads", type=int, default=36)
first.add_argument("--seed", type=int, default=1)
second = commands.add_parser("count")
second.add_argument("planted")
second.add_argument("found")
arguments = parser.parse_args()
plant(arguments) if arguments.command == "plant" else count(arguments)
