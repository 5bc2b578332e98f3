#!/usr/bin/env python3
"""Trains parsers on one treebank and tests them on distorted copies of its test set and on text of
another kind; prints a Markdown table of labelled attachment scores and losses.

    python3 scripts/robustness.py --crossarc target/release/crossarc --train T --dev D --test E
        [--genre PREFIX | --held-out] [--kinds greedy beam eisner carreras default udpipe] [--epochs N] [--work DIR]

Distortions of the test set, each by itself:
    lower           all forms in lower case
    no punctuation  words with the tag PUNCT are gone; what hung on them hangs on their heads
    typing errors   in one word of twenty two letters change places, or one is missing, doubled or wrong
    no lemma ...    one column is `_` for all words; the last one has forms alone
Text of another kind:
    --genre weblog  sentences whose sent_id begins so are left out of training; the other sentences of the
                    test set are what they are compared with
    --held-out      every tenth training sentence is kept for testing and is what the test set, of another
                    kind than the training set, is compared with

Tags are those of the files. A score is that of all words with full labels; a loss is the difference to the
same words (without punctuation, to the other words) of the file as it is. `exact` is the search without
pruning. UDPipe 1 takes part if the package `ufal.udpipe` is installed. Nothing else is needed.
"""
import argparse
import os
import random
import subprocess
import sys

KINDS = {
    "greedy": ["--parser", "arc-eager", "--codec", "pseudo-head", "--label-cap", "30"],
    "beam": ["--parser", "arc-eager", "--codec", "pseudo-head", "--label-cap", "30", "--beam", "8"],
    "eisner": ["--parser", "eisner"],
    "carreras": ["--parser", "carreras"],
    "default": [],
    "udpipe": None,
}
UDPIPE = ("embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;embedding_lemma=0;"
          "embedding_deprel=20;learning_rate=0.01;learning_rate_final=0.001;l2=0.5;hidden_layer=200;"
          "batch_size=10;transition_system=swap;transition_oracle=static_lazy;structured_interval=10")
COLUMNS = {"lemma": [2], "upos": [3], "xpos": [4], "feats": [5], "lemma, tags and features": [2, 3, 4, 5]}
FORM, TAG, HEAD, LABEL = 1, 3, 6, 7


def read(path):
    """Sentences as pairs of sent_id and rows; ranges and empty nodes are left out."""
    sentences, name, rows = [], "", []
    with open(path, encoding="utf-8") as file:
        for line in [*file, "\n"]:
            line = line.rstrip("\n")
            if line.startswith("#"):
                if line.split("=")[0].strip() == "# sent_id":
                    name = line.split("=", 1)[1].strip()
            elif line:
                row = line.split("\t")
                if row[0].isdigit():
                    rows.append((row + ["_"] * 10)[:10])
            elif rows:
                sentences.append((name, rows))
                name, rows = "", []
    return sentences


def write(path, sentences):
    with open(path, "w", encoding="utf-8") as file:
        for name, rows in sentences:
            if name:
                file.write(f"# sent_id = {name}\n")
            for row in rows:
                file.write("\t".join([*row[:8], "_", "_"]) + "\n")
            file.write("\n")


def each_row(sentences, change):
    return [(name, [change(list(row)) for row in rows]) for name, rows in sentences]


def lower(row):
    row[FORM] = row[FORM].lower()
    return row


def blank(columns):
    def change(row):
        for column in columns:
            row[column] = "_"
        return row
    return change


def misspell(chance):
    numbers = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"

    def change(row):
        form = row[FORM]
        if len(form) < 2 or not form.isalpha() or numbers.random() >= chance:
            return row
        at = numbers.randrange(len(form) - 1)
        row[FORM] = [
            form[:at] + form[at + 1] + form[at] + form[at + 2:],
            form[:at] + form[at + 1:],
            form[:at] + form[at] + form[at:],
            form[:at] + numbers.choice(letters) + form[at + 1:],
        ][numbers.randrange(4)]
        return row
    return change


def is_mark(row):
    return row[TAG] == "PUNCT"


def without_marks(sentences):
    """Sentences of words alone; those without a word are left out."""
    result = []
    for name, rows in sentences:
        heads = {row[0]: row[HEAD] for row in rows}
        marks = {row[0] for row in rows if is_mark(row)}
        kept = [list(row) for row in rows if row[0] not in marks]
        numbers = {"0": "0", **{row[0]: str(at) for at, row in enumerate(kept, 1)}}
        for row in kept:
            head = row[HEAD]
            while head in marks:
                head = heads[head]
            row[0], row[HEAD] = numbers[row[0]], numbers[head]
        # If a mark was the root, the first word under it is the new one.
        roots = [row for row in kept if row[HEAD] == "0"]
        for row in roots[1:]:
            row[HEAD] = roots[0][0]
        if kept:
            result.append((name, kept))
    return result


def las(gold, parsed, counts=lambda row: True):
    words = right = 0
    for (_, gold_rows), (_, rows) in zip(gold, parsed, strict=True):
        for one, other in zip(gold_rows, rows, strict=True):
            if counts(one):
                words += 1
                right += one[HEAD] == other[HEAD] and one[LABEL] == other[LABEL]
    return 100 * right / max(words, 1)


class Crossarc:
    def __init__(self, options, kind):
        self.program, self.model = options.crossarc, os.path.join(options.work, f"{kind}.crossarc")
        self.graph = kind in ("eisner", "carreras", "default")
        command = [self.program, "train", "-m", self.model, "--train", options.train_file, *KINDS[kind]]
        if options.dev:
            command += ["--dev", options.dev]
        if options.epochs:
            command += ["--epochs", str(options.epochs)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stderr)
        self.said = run.stderr

    def parse(self, source, target, exact=False):
        command = [self.program, "parse", "-q", "-m", self.model, source, "-o", target]
        subprocess.run(command + ["--no-prune"] * exact, check=True)
        return read(target)


class UDPipe:
    graph = False

    def __init__(self, options, _kind):
        from ufal import udpipe
        self.udpipe, self.said, path = udpipe, "", os.path.join(options.work, "model.udpipe")
        settings = f"iterations={options.epochs or 10};{UDPIPE}"
        error = udpipe.ProcessingError()
        train, dev = self.sentences(options.train_file), self.sentences(options.dev)
        data = udpipe.Trainer.train("morphodita_parsito", train, dev, "none", "none", settings, error)
        if error.occurred():
            sys.exit(error.message)
        with open(path, "wb") as file:
            file.write(data)
        self.model = udpipe.Model.load(path)
        self.pipeline = udpipe.Pipeline(self.model, "conllu", "none", "default", "conllu")

    def sentences(self, path):
        reader, error = self.udpipe.InputFormat.newConlluInputFormat(), self.udpipe.ProcessingError()
        found, sentence = self.udpipe.Sentences(), self.udpipe.Sentence()
        if path:
            with open(path, encoding="utf-8") as file:
                reader.setText(file.read())
            while reader.nextSentence(sentence, error):
                found.append(sentence)
                sentence = self.udpipe.Sentence()
        return found

    def parse(self, source, target, exact=False):
        with open(source, encoding="utf-8") as file, open(target, "w", encoding="utf-8") as out:
            out.write(self.pipeline.process(file.read()))
        return read(target)


def has_udpipe():
    try:
        from ufal import udpipe
        return bool(udpipe)
    except ImportError:
        return False


def tests_of(options, test, base):
    """Name, sentences, and of the file as it is: sentences, and which of their words count."""
    everything = lambda row: True
    tests = [("the file as it is", test, None, everything)]
    if options.genre:
        tests.append((f"another kind: {options.genre}", base[1], base[0], everything))
    elif options.held_out:
        tests[0] = ("held-out training text", base, None, everything)
        tests.append(("another kind: the test file", test, base, everything))
    plain = base if options.held_out else test
    tests += [("lower case", each_row(plain, lower), plain, everything),
              ("no punctuation", without_marks(plain), plain, lambda row: not is_mark(row)),
              ("typing errors", each_row(plain, misspell(0.05)), plain, everything)]
    for name, columns in COLUMNS.items():
        if any(row[column] != "_" for _, rows in plain for row in rows for column in columns):
            tests.append((f"no {name}", each_row(plain, blank(columns)), plain, everything))
    return tests


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crossarc", default="target/release/crossarc")
    parser.add_argument("--train", required=True)
    parser.add_argument("--dev")
    parser.add_argument("--test", required=True)
    parser.add_argument("--genre")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--work", default="robustness-work")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    train, test = read(options.train), read(options.test)
    base = None
    if options.genre:
        of_kind = lambda sentence: sentence[0].startswith(options.genre)
        train = [one for one in train if not of_kind(one)]
        base = ([one for one in test if not of_kind(one)], [one for one in test if of_kind(one)])
        test = base[0]
    elif options.held_out:
        base, train = train[::10], [one for at, one in enumerate(train) if at % 10]
    options.train_file = os.path.join(options.work, "train.conllu")
    write(options.train_file, train)
    if options.dev:
        dev = [one for one in read(options.dev) if not (options.genre and one[0].startswith(options.genre))]
        options.dev = os.path.join(options.work, "dev.conllu")
        write(options.dev, dev)
    tests = tests_of(options, test, base)
    kinds = [kind for kind in options.kinds if kind != "udpipe" or has_udpipe()]
    cells = {name: [] for name, *_ in tests}
    heading = []
    for kind in kinds:
        model = (UDPipe if kind == "udpipe" else Crossarc)(options, kind)
        for line in model.said.splitlines():
            if "pruning keeps" in line:
                print(f"{kind}: {line}", file=sys.stderr)
        searches = [False, True] if model.graph else [False]
        heading += [kind, f"{kind}, exact"][:len(searches)]
        for exact in searches:
            parsed = {}

            def trees(sentences):
                if id(sentences) not in parsed:
                    source, target = (os.path.join(options.work, name) for name in ("in.conllu", "out.conllu"))
                    write(source, each_row(sentences, lambda row: [*row[:6], "_", "_", "_", "_"]))
                    parsed[id(sentences)] = model.parse(source, target, exact)
                return parsed[id(sentences)]

            for name, distorted, plain, counts in tests:
                score = las(distorted, trees(distorted))
                if plain is None:
                    cells[name].append(f"{score:.2f}")
                else:
                    before = las(plain, trees(plain), counts)
                    cells[name].append(f"{score:.2f} ({score - before:+.2f})")
            print(f"{kind}{', exact' * exact} done", file=sys.stderr)
    print("| test | " + " | ".join(heading) + " |")
    print("|---" + "|---:" * len(heading) + "|")
    for name, row in cells.items():
        print(f"| {name} | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
