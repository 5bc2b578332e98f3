#!/usr/bin/env python3
"""Trains a pipeline for each UD treebank and writes docs/results/pipeline.md.

Usage: scripts/pipeline_table.py [--crossarc PROGRAM] [--models FOLDER] [--threads N]
       [--setting NAME=OPTIONS]... [PREFIX ...]

Treebanks are the files PREFIX-{train,dev,test}.conllu in the folder CROSSARC_TREEBANKS; without a
PREFIX all that have both train and test. PREFIX+NAME stands for the same treebank trained with the
options of the setting NAME, such as `--setting "vectors=--vectors en.vec"`; PREFIX+inside for the
model inside the program. Figures are F1 of the official measures on the test set, from raw text,
from gold tokens (tags predicted), and from gold tokens and tags. Models that are in the folder of
models already are used again, with the training time that was noted beside them. The page is
written after every treebank.
"""
import argparse, json, os, pathlib, shlex, subprocess, tempfile

METRICS = ["Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "CLAS",
           "MLAS", "BLEX"]


def raw_text(path):
    """The text of a treebank: paragraphs with an empty line between; no blanks where the treebank
    says nothing about them and its script has none."""
    text = path.read_text(encoding="utf8")
    sentences = [block.split("\n") for block in text.split("\n\n") if block.strip()]
    forms = [line.split("\t")[1] for lines in sentences for line in lines if line[:1].isdigit()]
    letters = sum(c.isalpha() and ord(c) < 0x2E80 for form in forms for c in form)
    ideographs = sum(ord(c) >= 0x2E80 for form in forms for c in form)
    without_blanks = "SpaceAfter=No" not in text and ideographs > letters
    paragraphs = [""]
    for lines in sentences:
        if any(line.startswith(("# newpar", "# newdoc")) for line in lines):
            paragraphs.append("")
        covered = 0
        for line in lines:
            fields = line.split("\t")
            if line.startswith("#") or "." in fields[0]:
                continue
            if "-" in fields[0]:
                covered = int(fields[0].split("-")[1])
            elif int(fields[0]) <= covered:
                continue
            blank = "" if without_blanks or "SpaceAfter=No" in fields[9].split("|") else " "
            paragraphs[-1] += fields[1] + blank
    return "\n\n".join(part.strip() for part in paragraphs if part.strip()) + "\n"


def processor_seconds(command):
    """Runs a command and returns the processor time that it took."""
    before = os.times()
    subprocess.run(command, check=True)
    after = os.times()
    return (after.children_user + after.children_system
            - before.children_user - before.children_system)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--crossarc", default="target/release/crossarc")
    parser.add_argument("--models", default="target/pipelines", type=pathlib.Path)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--output", default="docs/results/pipeline.md", type=pathlib.Path)
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=OPTIONS")
    parser.add_argument("prefixes", nargs="*")
    options = parser.parse_args()
    settings = {"": "", "inside": "", **dict(pair.split("=", 1) for pair in options.setting)}
    folder = pathlib.Path(os.environ["CROSSARC_TREEBANKS"])
    prefixes = options.prefixes or sorted(
        file.name.removesuffix("-train.conllu") for file in folder.glob("*-train.conllu"))
    options.models.mkdir(parents=True, exist_ok=True)
    rows, facts = [], []
    for name in prefixes:
        prefix, _, kind = name.partition("+")
        inside = kind == "inside"
        part = {name: folder / f"{prefix}-{name}.conllu" for name in ["train", "dev", "test"]}
        model = options.models / f"{name}.crossarc"
        noted = model.with_suffix(".json")
        if not inside and not (model.exists() and noted.exists()):
            command = [options.crossarc, "train", "--pipeline", "-m", model, "--train", part["train"],
                       "--threads", options.threads, "--quiet"]
            if part["dev"].exists():
                command += ["--dev", part["dev"]]
            command += shlex.split(settings[kind])
            noted.write_text(json.dumps({"seconds": processor_seconds(command)}))
        training = "-" if inside else f"{json.loads(noted.read_text())['seconds']:.0f}"
        megabytes = "-" if inside else f"{model.stat().st_size / 1e6:.1f}"
        with tempfile.TemporaryDirectory() as scratch:
            text = pathlib.Path(scratch) / "test.txt"
            text.write_text(raw_text(part["test"]), encoding="utf8")
            speed = 0.0
            for source_name, arguments, source in [
                    ("raw text", ["--from", "text"], text),
                    ("gold tokens", ["--tag", "--parse"], part["test"]),
                    ("gold tokens and tags", ["--parse"], part["test"])]:
                out = pathlib.Path(scratch) / "out.conllu"
                chosen = [] if inside else ["-m", model]
                command = [options.crossarc, "parse", *chosen, *arguments, "--quiet",
                           "--threads", "1", source, "-o", out]
                best = float("inf")
                for _ in range(3 if source_name == "raw text" else 1):
                    best = min(best, processor_seconds(command))
                table = subprocess.run(
                    [options.crossarc, "eval", "--official", part["test"], out],
                    check=True, capture_output=True, text=True).stdout
                scores = {cells[0].strip(): cells[3].strip() for cells in
                          (line.split("|") for line in table.splitlines()) if len(cells) > 3}
                if source_name == "raw text":
                    words = sum(line[:1].isdigit() and line.split("\t")[0].isdigit()
                                for line in out.read_text(encoding="utf8").splitlines())
                    speed = words / best
                rows.append([name, source_name] + [scores.get(metric, "-") for metric in METRICS])
        facts.append([name, training, megabytes, f"{speed:.0f}"])
        write_page(options.output, rows, facts)


def write_page(output, rows, facts):
    lines = ["# Pipelines", "", "F1 on the test sets by `crossarc eval --official`; written by "
             "`scripts/pipeline_table.py`. No outside data.", "",
             "| treebank | from | " + " | ".join(METRICS) + " |", "|---" * (len(METRICS) + 2) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    lines += ["", "| treebank | training, CPU s | model, MB | words per CPU second from raw text, "
              "loading included |", "|---|---|---|---|"]
    lines += ["| " + " | ".join(row) + " |" for row in facts]
    output.write_text("\n".join(lines) + "\n", encoding="utf8")


main()
