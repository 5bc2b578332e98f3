#!/usr/bin/env python3
"""Time and memory of every parser on one sentence of 1,000 to 16,000 words, and whether the tree is valid.

    scripts/growth.py target/release/crossarc                      # all parsers
    scripts/growth.py target/debug/crossarc swap mst --most 4000   # some, not as far

Trains a small model of each parser on made-up sentences with crossing arcs, then parses one long sentence of such words
after the other, each in a process of its own. Every tree is checked: one head for each word, one root, no cycle, the
label `root` on the root only. `cheaper` says that the sentence was above the limit of the parser's search and that
the program told so. Prints a table; exit code 1 if a tree is not valid.
"""
import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

PARSERS = ["arc-standard", "arc-eager", "arc-hybrid", "swap", "swap --beam 8", "covington", "swap-hybrid", "two-planar", "attardi", "attach-complete",
           "eisner", "eisner-sibling", "carreras", "mst", "one-endpoint-crossing", "dual-decomposition"]
WORDS = [("the", "DET"), ("sun", "NOUN"), ("moon", "NOUN"), ("sees", "VERB"), ("a", "DET"), ("dog", "NOUN"), ("here", "ADV"),
         ("likes", "VERB"), (",", "PUNCT"), ("and", "CCONJ"), ("big", "ADJ"), ("to", "ADP")]
LIMIT = 600


def sentence(rng, count, trees=True):
    """Words with a random tree in which some arcs cross; with its heads or without."""
    heads, order = [0] * (count + 1), list(range(1, count + 1))
    root = rng.choice(order)
    for word in order:
        if word != root:
            # Towards the root, mostly to a neighbour: no cycle can arise.
            step = 1 if word < root else -1
            far = rng.randint(1, 3) if rng.random() < 0.3 else 1
            heads[word] = word + step * min(far, abs(root - word))
    lines = []
    for word in order:
        form, tag = rng.choice(WORDS)
        head, label = (str(heads[word]), "root" if word == root else tag.lower()) if trees else ("_", "_")
        lines.append(f"{word}\t{form}\t{form}\t{tag}\t_\t_\t{head}\t{label}\t_\t_")
    return "\n".join(lines) + "\n\n"


def is_valid(text, count):
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    heads = [0] + [int(row[6]) for row in rows]
    if len(rows) != count or heads[1:].count(0) != 1:
        return False
    if any((row[6] == "0") != (row[7] == "root") for row in rows):
        return False
    state = [0] * (count + 1)
    state[0] = 2
    for start in range(1, count + 1):
        path, at = [], start
        while state[at] == 0:
            state[at] = 1
            path.append(at)
            at = heads[at]
        if state[at] == 1:
            return False
        for word in path:
            state[word] = 2
    return True


def measured(command):
    """Seconds, peak megabytes, exit code, output, and what was said."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        start = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=said,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT)))
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
        child.returncode = status
        out.seek(0)
        said.seek(0)
        cpu = usage.ru_utime + usage.ru_stime
        return min(seconds, cpu), usage.ru_maxrss / 1024, status, out.read().decode(), said.read().decode()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("program")
    arguments.add_argument("parsers", nargs="*")
    arguments.add_argument("--most", type=int, default=16_000)
    chosen = arguments.parse_args()
    sizes = [size for size in (1_000, 2_000, 4_000, 8_000, 16_000) if size <= chosen.most]
    wrong = 0
    with tempfile.TemporaryDirectory() as place:
        rng = random.Random(1)
        train = os.path.join(place, "train.conllu")
        with open(train, "w") as file:
            file.writelines(sentence(rng, rng.randint(4, 15)) for _ in range(300))
        for size in sizes:
            with open(os.path.join(place, f"{size}.conllu"), "w") as file:
                file.write(sentence(rng, size, trees=False))
        print("| parser | " + " | ".join(f"{size:,} words" for size in sizes) + " |")
        print("|---|" + "---|" * len(sizes))
        for parser in chosen.parsers or PARSERS:
            model = os.path.join(place, "model")
            name, *options = parser.split()
            subprocess.run([chosen.program, "train", "-q", "--threads", "1", "--epochs", "2", "--no-calibration", "-m", model,
                            "--train", train, "--parser", name, *options], check=True, stdout=subprocess.DEVNULL)
            cells = []
            for size in sizes:
                command = [chosen.program, "parse", "--threads", "1", "-m", model, os.path.join(place, f"{size}.conllu")]
                seconds, megabytes, status, output, said = measured(command)
                if status != 0:
                    cells.append(f"over {LIMIT} s" if seconds >= LIMIT - 1 else "FAILED")
                    wrong += cells[-1] == "FAILED"
                    continue
                valid = is_valid(output, size)
                wrong += not valid
                cheaper = " cheaper" if "a cheaper one was used" in said else ""
                cells.append(f"{seconds:.1f} s, {megabytes:.0f} MB{cheaper}{'' if valid else ' NOT VALID'}")
            print(f"| {parser} | " + " | ".join(cells) + " |", flush=True)
    sys.exit(1 if wrong else 0)


main()
