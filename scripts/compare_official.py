#!/usr/bin/env python3
"""Compares `crossarc eval --official` with the official scorer, digit for digit.

Installs `udtools` from PyPI into a virtual environment, takes stretches of the CoNLL-U files in
the folder CROSSARC_TREEBANKS, damages copies of them (heads, labels, tags, features, lemmas,
enhanced dependencies, split and merged tokens, multiword tokens made and unmade, sentence breaks
moved), scores each copy with both programs, and compares the tables of percentages and of counts.
A few copies get a different text: both programs must refuse those.

    cargo build --release
    CROSSARC_TREEBANKS=FOLDER scripts/compare_official.py [--copies 240] [--seed 1]
"""
import argparse
import glob
import os
import random
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def inside_environment(folder):
    """Runs this script again with the Python of an environment that has the scorer."""
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    if subprocess.run([python, "-c", "import udtools"], capture_output=True).returncode != 0:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "udtools"], check=True)
    os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:], "--inside"])


# A sentence is a list of tokens; heads are references, so that numbers follow from the order.


class Word:
    def __init__(self, columns):
        self.columns = columns
        self.head = None
        self.deps = []  # (Word, Empty or None for the root, label)
        self.empties = []  # empty nodes behind this word


class Empty:
    def __init__(self, columns):
        self.columns = columns
        self.deps = []


class Token:
    """A word, or a multiword token if `form` is not None."""

    def __init__(self, words, form=None):
        self.words = words
        self.form = form

    def text(self):
        return self.words[0].columns[1] if self.form is None else self.form


class Sentence:
    def __init__(self):
        self.comments = []
        self.empties = []  # in front of the first word
        self.tokens = []

    def words(self):
        return [word for token in self.tokens for word in token.words]


def parse(block):
    sentence = Sentence()
    nodes = {"0": None}
    multiword = None
    for line in block:
        if line.startswith("#"):
            sentence.comments.append(line)
            continue
        columns = line.split("\t")
        if "-" in columns[0]:
            first, last = map(int, columns[0].split("-"))
            multiword = (last, Token([], columns[1]))
            sentence.tokens.append(multiword[1])
        elif "." in columns[0]:
            empty = Empty(columns)
            words = sentence.words()
            (words[-1].empties if words else sentence.empties).append(empty)
            nodes[columns[0]] = empty
        else:
            word = Word(columns)
            nodes[columns[0]] = word
            if multiword and int(columns[0]) <= multiword[0]:
                multiword[1].words.append(word)
            else:
                sentence.tokens.append(Token([word]))
    for node in nodes.values():
        if node is None:
            continue
        if isinstance(node, Word):
            node.head = nodes[node.columns[6]]
        if node.columns[8] != "_":
            for dependency in node.columns[8].split("|"):
                head, label = dependency.split(":", 1)
                node.deps.append((nodes[head], label))
    return sentence


def write(sentences):
    lines = []
    for sentence in sentences:
        number = {None: "0"}
        for index, empty in enumerate(sentence.empties):
            number[empty] = f"0.{index + 1}"
        for position, word in enumerate(sentence.words(), 1):
            number[word] = str(position)
            for index, empty in enumerate(word.empties):
                number[empty] = f"{position}.{index + 1}"

        def line(node):
            columns = list(node.columns)
            columns[0] = number[node]
            if isinstance(node, Word):
                columns[6] = number[node.head]
            deps = [f"{number[head]}:{label}" for head, label in node.deps if head in number]
            columns[8] = "|".join(deps) or "_"
            return "\t".join(columns)

        lines.extend(sentence.comments)
        lines.extend(map(line, sentence.empties))
        for token in sentence.tokens:
            if token.form is not None:
                first, last = number[token.words[0]], number[token.words[-1]]
                lines.append("\t".join([f"{first}-{last}", token.form] + ["_"] * 8))
            for word in token.words:
                lines.append(line(word))
                lines.extend(map(line, word.empties))
        lines.append("")
    return "\n".join(lines) + "\n" if lines else ""


def read(path):
    block = []
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            line = line.rstrip("\r\n")
            if line:
                block.append(line)
            elif block:
                yield block
                block = []
    if block:
        yield block


class Damage:
    """Random changes that leave a valid file with the same text."""

    def __init__(self, rng, pools):
        self.rng = rng
        self.pools = pools
        self.rate = rng.choice([0.02, 0.1, 0.3])

    def hits(self, weight=1.0):
        return self.rng.random() < self.rate * weight

    def apply(self, sentences):
        sentences = self.sentence_breaks(sentences)
        for sentence in sentences:
            self.tokens(sentence)
            words = sentence.words()
            for word in words:
                self.columns(word)
                if self.hits():
                    self.reattach(word, words)
                self.enhanced(word, words)
        return sentences

    def columns(self, word):
        for column in (2, 3, 4, 5, 7):
            if self.hits():
                word.columns[column] = self.rng.choice(self.pools[column])
        if self.hits(0.5):
            features = word.columns[5].split("|")
            self.rng.shuffle(features)
            word.columns[5] = "|".join(features)
        if self.hits(0.5):
            word.columns[7] = word.columns[7].split(":")[0] + self.rng.choice(["", ":x", ":x:y"])
        if self.hits(0.2):
            word.columns[2] = "_"

    def reattach(self, word, words):
        new = self.rng.choice(words)
        if word.head is None or new is word:
            # Turn the arc between the root and one of its dependents around.
            below = [other for other in words if other.head is word]
            if word.head is None and below:
                child = self.rng.choice(below)
                child.head, word.head = None, child
            return
        above = new
        while above is not None and above is not word:
            above = above.head
        if above is None:
            word.head = new

    def enhanced(self, word, words):
        if self.hits() and word.deps:
            word.deps.pop(self.rng.randrange(len(word.deps)))
        if self.hits(0.5) and word.deps:
            word.deps.append(self.rng.choice(word.deps))
        if self.hits():
            head = self.rng.choice(words + [None])
            label = self.rng.choice(["nsubj", "conj:and", "conj:en>obl:voor", "conj>obl", "ref"])
            word.deps.append((head, label))
        if self.hits() and word.deps:
            at = self.rng.randrange(len(word.deps))
            head, label = word.deps[at]
            word.deps[at] = (head, label + ":x" if self.rng.random() < 0.5 else label.split(":")[0])

    def tokens(self, sentence):
        at = 0
        while at < len(sentence.tokens):
            token = sentence.tokens[at]
            if self.hits():
                kind = self.rng.choice(["split", "merge", "make", "unmake", "grow", "inside"])
                getattr(self, kind)(sentence, at, token)
            at += 1

    def split(self, sentence, at, token):
        text = token.text().replace(" ", "")
        if token.form is not None or len(text) < 2:
            return
        word = token.words[0]
        cut = self.rng.randrange(1, len(text))
        other = Word(list(word.columns))
        word.columns[1], other.columns[1] = text[:cut], text[cut:]
        other.head = word
        other.empties, word.empties = word.empties, []
        sentence.tokens.insert(at + 1, Token([other]))

    def fuse(self, sentence, words):
        """Makes one word of several neighbours: the first stays."""
        kept = words[0]
        inside = set(words)
        head = kept
        while head in inside:
            head = head.head
        # The head of the first word that has its head outside and is not below the others.
        for word in words:
            above = word.head
            while above is not None and above not in inside:
                above = above.head
            if above is None:
                head = word.head
                break
        everyone = sentence.words()
        kept.head = head
        for word in everyone:
            if word is not kept and word.head in inside:
                word.head = kept
            word.deps = [(kept if other in inside else other, label) for other, label in word.deps]
        for word in words[1:]:
            kept.empties += word.empties
        return kept

    def merge(self, sentence, at, token):
        if at + 1 == len(sentence.tokens):
            return
        next_token = sentence.tokens[at + 1]
        if token.form is not None or next_token.form is not None:
            return
        text = token.text() + self.rng.choice(["", " ", "\u00a0"]) + next_token.text()
        word = self.fuse(sentence, [token.words[0], next_token.words[0]])
        word.columns[1] = text
        sentence.tokens[at : at + 2] = [Token([word])]

    def make(self, sentence, at, token):
        tokens = sentence.tokens[at : at + self.rng.choice([1, 2, 2, 3])]
        if any(other.form is not None for other in tokens):
            return
        form = "".join(other.text() for other in tokens)
        sentence.tokens[at : at + len(tokens)] = [Token([t.words[0] for t in tokens], form)]

    def unmake(self, sentence, at, token):
        if token.form is None:
            return
        if "".join(word.columns[1] for word in token.words) == token.form:
            sentence.tokens[at : at + 1] = [Token([word]) for word in token.words]
        else:
            word = self.fuse(sentence, token.words)
            word.columns[1] = token.form
            sentence.tokens[at] = Token([word])

    def grow(self, sentence, at, token):
        if at + 1 == len(sentence.tokens) or token.form is None:
            return
        next_token = sentence.tokens[at + 1]
        whole = Token(token.words + next_token.words, token.form + next_token.text())
        sentence.tokens[at : at + 2] = [whole]

    def inside(self, sentence, at, token):
        if token.form is None:
            return
        word = self.rng.choice(token.words)
        form = word.columns[1]
        word.columns[1] = self.rng.choice([form.upper(), form.lower(), form + "x", form[:1]])

    def sentence_breaks(self, sentences):
        result = []
        for sentence in sentences:
            if result and self.hits(0.5):
                previous = result[-1]
                root = next(word for word in previous.words() if word.head is None)
                for word in sentence.words():
                    if word.head is None:
                        word.head = root
                previous.words()[-1].empties += sentence.empties
                previous.tokens += sentence.tokens
            elif self.hits(0.5) and len(sentence.tokens) > 1:
                cut = self.rng.randrange(1, len(sentence.tokens))
                rest = Sentence()
                rest.tokens = sentence.tokens[cut:]
                sentence.tokens = sentence.tokens[:cut]
                for half in (sentence, rest):
                    own = set(half.words())
                    root = None
                    for word in half.words():
                        if word.head not in own:
                            word.head = root
                            root = root or word
                result += [sentence, rest]
            else:
                result.append(sentence)
        return result


def pools_of(blocks):
    pools = {column: [] for column in (2, 3, 4, 5, 7)}
    for block in blocks[:300]:
        for line in block:
            columns = line.split("\t")
            if len(columns) == 10 and columns[0].isdigit():
                for column, pool in pools.items():
                    pool.append(columns[column])
    return pools


def crossarc(binary, gold, system, *options):
    run = subprocess.run(
        [binary, "eval", "--quiet", *options, gold, system], capture_output=True, encoding="utf-8"
    )
    return run.returncode, run.stdout, run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--copies", type=int, default=240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--binary", default=os.path.join(ROOT, "target/release/crossarc"))
    parser.add_argument("--environment", default=os.path.join(ROOT, "target/official-scorer"))
    parser.add_argument("--keep", help="folder for the files that are scored differently")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    treebanks = os.environ.get("CROSSARC_TREEBANKS")
    if not treebanks:
        print("skipped: CROSSARC_TREEBANKS does not name a folder of treebanks")
        return 0
    if not arguments.inside:
        inside_environment(arguments.environment)
    from importlib.metadata import version
    from udtools import udeval

    sys.setrecursionlimit(10000)  # the scorer follows heads by recursion

    paths = sorted(glob.glob(os.path.join(treebanks, "*.conllu")))
    cache = {}
    counts = {"equal": 0, "refused by both": 0, "different": 0}
    peer_time = own_time = 0.0
    words = 0
    ranges = {"Tokens": [], "Sentences": [], "Words": [], "LAS": [], "MLAS": [], "ELAS": []}
    for copy in range(arguments.copies):
        rng = random.Random(f"{arguments.seed}/{copy}")
        path = paths[copy % len(paths)]
        if path not in cache:
            blocks = list(read(path))
            cache[path] = (blocks, pools_of(blocks))
        blocks, pools = cache[path]
        size = rng.randint(30, min(200, max(31, len(blocks))))
        start = rng.randrange(max(1, len(blocks) - size))
        gold = [parse(block) for block in blocks[start : start + size]]
        system = [parse(block) for block in blocks[start : start + size]]
        # Gold has enhanced dependencies and multiword tokens even where the treebank has none.
        if rng.random() < 0.3:
            gold = Damage(rng, pools).apply(gold)
        system = Damage(rng, pools).apply(system)
        other_text = rng.random() < 0.05
        if other_text:
            rng.choice(rng.choice(system).words()).columns[1] += "x"
        with tempfile.TemporaryDirectory() as folder:
            names = [os.path.join(folder, name) for name in ("gold.conllu", "system.conllu")]
            for name, sentences in zip(names, (gold, system)):
                with open(name, "w", encoding="utf-8", newline="\n") as file:
                    file.write(write(sentences))
            began = time.perf_counter()
            try:
                scores = udeval.evaluate(*(udeval.load_conllu_file(name, {}) for name in names))
                peer = [
                    udeval.build_evaluation_table(scores, True, False, True) + "\n",
                    udeval.build_evaluation_table(scores, True, True, True) + "\n",
                    udeval.build_evaluation_table(scores, True, False, False) + "\n",
                ]
                words += sum(len(sentence.words()) for sentence in system)
                for metric, seen in ranges.items():
                    seen.append(100 * scores[metric].f1)
            except udeval.UDError as error:
                peer = [str(error)]
            between = time.perf_counter()
            own = [crossarc(arguments.binary, *names, "--official")]
            own_time += time.perf_counter() - between
            peer_time += between - began
            own.append(crossarc(arguments.binary, *names, "--official", "--counts"))
            own.append(crossarc(arguments.binary, *names, "--conll18"))
            if len(peer) == 1:
                same = other_text and all(code == 1 for code, _, _ in own)
                outcome = "refused by both" if same else "different"
            else:
                same = all(code == 0 and out == table for (code, out, _), table in zip(own, peer))
                outcome = "equal" if same else "different"
            counts[outcome] += 1
            if not same:
                print(f"copy {copy} of {os.path.basename(path)} differs")
                for (code, out, err), table in zip(own, peer):
                    print(f"official:\n{table}\ncrossarc (exit code {code}):\n{out}{err}")
                if arguments.keep:
                    target = os.path.join(arguments.keep, str(copy))
                    os.makedirs(target, exist_ok=True)
                    for name in names:
                        os.replace(name, os.path.join(target, os.path.basename(name)))
    print(
        f"udtools {version('udtools')}, seed {arguments.seed}: {arguments.copies} damaged copies of "
        f"{min(len(paths), arguments.copies)} files, {words} words: "
        + ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
    )
    for metric, seen in ranges.items():
        print(f"{metric} F1 from {min(seen):.2f} to {max(seen):.2f}, mean {sum(seen) / len(seen):.2f}")
    print(f"time: official {peer_time:.1f} s (in process), crossarc {own_time:.1f} s (one process each)")
    return 1 if counts["different"] or not counts["equal"] else 0


if __name__ == "__main__":
    sys.exit(main())
