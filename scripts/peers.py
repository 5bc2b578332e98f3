#!/usr/bin/env python3
"""Trains Crossarc and other parsers on the same treebank with the same tags and prints one table.

    python3 scripts/peers.py --crossarc target/release/crossarc --train T --dev D --test E [--work DIR]
        [--parsers '' swap '--beam 8 --runs 4'] [--udpipe-iterations 20] [--spacy-steps 0]
        [--other NAME 'TRAIN COMMAND' 'PARSE COMMAND' MODEL] [--chart FILE.svg]

Needs Linux. UDPipe 1 (`ufal.udpipe`) and spaCy come from PyPI into an environment below --work; nothing
else is installed. Every parser gets the gold tags of the files: UDPipe is trained without tokenizer and
tagger, spaCy's parser gets tags, morphology and lemmas by its embedding. Each program runs on one core
with one thread. Times are processor time (user and system). Parsing is timed three times with the model
loaded before, and the best counts; loading is a column of its own. Accuracy is that of the official
scorer (`crossarc eval --official`, which agrees with udtools digit for digit).

UDPipe parses twice with one model, with its usual beam of five and greedily. --chart draws accuracy against
speed; who is on the front has nobody beside it that is both faster and more accurate.

Other parsers by path: --other takes a name, a command that trains, a command that parses and the model
file or folder; {train}, {dev}, {test}, {model} and {output} in the commands are replaced. Their loading
is a part of parsing.
"""
import argparse
import json
import math
import os
import resource
import shlex
import subprocess
import sys
import time
import venv
from datetime import date
from html import escape


def sh(command, log, cores=True):
    """Runs a command on one core: processor seconds and peak megabytes."""
    def limit():
        if cores:
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1",
                   "CUDA_VISIBLE_DEVICES": ""}
    with open(log, "ab") as file:
        file.write((shlex.join(command) + "\n").encode())
        file.flush()
        process = subprocess.Popen(command, stdout=file, stderr=file, preexec_fn=limit, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        with open(log, encoding="utf-8", errors="replace") as file:
            tail = "".join(file.readlines()[-15:])
        sys.exit(f"failed: {shlex.join(command)}\n{tail}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def size(path):
    if os.path.isdir(path):
        return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)
    return os.path.getsize(path)


def words(path):
    with open(path, encoding="utf-8") as file:
        return sum(line.split("\t")[0].isdigit() for line in file)


# What runs inside the environment, as `peers.py worker NAME ARGUMENTS`; the figures are printed as JSON.

def processor():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def timed(load, parse, output):
    """Loads, parses three times, writes the output."""
    before = processor()
    model = load()
    loading = processor() - before
    best = None
    for _ in range(3):
        before = processor()
        text = parse(model)
        seconds = processor() - before
        best = seconds if best is None else min(best, seconds)
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)
    print("FIGURES " + json.dumps({"loading": loading, "parsing": best}))


def udpipe_train(train, dev, model, iterations):
    from ufal import udpipe
    def read(path):
        reader = udpipe.InputFormat.newConlluInputFormat()
        with open(path, encoding="utf-8") as file:
            reader.setText(file.read())
        sentences, error = udpipe.Sentences(), udpipe.ProcessingError()
        sentence = udpipe.Sentence()
        while reader.nextSentence(sentence, error):
            sentences.append(sentence)
            sentence = udpipe.Sentence()
        return sentences
    error = udpipe.ProcessingError()
    options = f"iterations={iterations};embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;embedding_lemma=0;embedding_deprel=20;learning_rate=0.01;learning_rate_final=0.001;l2=0.5;hidden_layer=200;batch_size=10;transition_system=swap;transition_oracle=static_lazy;structured_interval=10"
    data = udpipe.Trainer.train("morphodita_parsito", read(train), read(dev), "none", "none", options, error)
    if error.occurred():
        sys.exit(error.message)
    with open(model, "wb") as file:
        file.write(data)


def udpipe_parse(test, model, output, beam):
    from ufal import udpipe
    with open(test, encoding="utf-8") as file:
        text = file.read()
    def parse(loaded):
        error = udpipe.ProcessingError()
        result = udpipe.Pipeline(loaded, "conllu", "none", f"beam_search={beam}", "conllu").process(text, error)
        if error.occurred():
            sys.exit(error.message)
        return result
    timed(lambda: udpipe.Model.load(model), parse, output)


SPACY = """
[nlp]
lang = "xx"
pipeline = ["tok2vec","parser"]
batch_size = 256
[components]
[components.tok2vec]
factory = "tok2vec"
[components.tok2vec.model]
@architectures = "spacy.Tok2Vec.v2"
[components.tok2vec.model.embed]
@architectures = "spacy.MultiHashEmbed.v2"
width = 96
attrs = ["NORM","PREFIX","SUFFIX","SHAPE","TAG","POS","MORPH","LEMMA"]
rows = [5000,1000,2500,2500,1000,500,2500,5000]
include_static_vectors = false
[components.tok2vec.model.encode]
@architectures = "spacy.MaxoutWindowEncoder.v2"
width = 96
depth = 4
window_size = 1
maxout_pieces = 3
[components.parser]
factory = "parser"
[components.parser.model]
@architectures = "spacy.TransitionBasedParser.v2"
state_type = "parser"
extra_state_tokens = false
hidden_width = 128
maxout_pieces = 3
use_upper = true
[components.parser.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = 96
[corpora]
@readers = "crossarc.gold_tags"
train = "{train}"
dev = "{dev}"
[training]
seed = 1
gpu_allocator = null
dropout = 0.1
patience = 1600
max_steps = {steps}
eval_frequency = 200
dev_corpus = "corpora.dev"
train_corpus = "corpora.train"
[training.batcher]
@batchers = "spacy.batch_by_words.v1"
size = 1000
tolerance = 0.2
discard_oversize = false
[training.optimizer]
@optimizers = "Adam.v1"
learn_rate = 0.001
[training.score_weights]
dep_las = 1.0
"""


def spacy_docs(vocabulary, path):
    """Sentences as documents with gold tags, and the arcs apart."""
    from spacy.tokens import Doc
    forms = []
    def finish():
        rows = [row.split("\t") for row in forms if row.split("\t")[0].isdigit()]
        def blank(text):
            return "" if text == "_" else text
        return Doc(vocabulary, words=[r[1] for r in rows], tags=[blank(r[4]) or blank(r[3]) for r in rows],
                   pos=[blank(r[3]) for r in rows], morphs=[blank(r[5]) for r in rows],
                   lemmas=[blank(r[2]) for r in rows]), rows
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("#"):
                continue
            if line:
                forms.append(line)
            elif forms:
                yield finish()
                forms = []
    if forms:
        yield finish()


def spacy_train(train, dev, model, steps):
    import spacy
    from spacy.tokens import Doc
    from spacy.training import Example
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train as loop
    from spacy.util import registry
    from thinc.api import Config

    @registry.readers("crossarc.gold_tags")
    def corpora(train: str, dev: str):
        def corpus(path):
            def read(nlp):
                for doc, rows in spacy_docs(nlp.vocab, path):
                    heads = [int(r[6]) - 1 if r[6] != "0" else at for at, r in enumerate(rows)]
                    gold = Doc(nlp.vocab, words=[r[1] for r in rows], heads=heads, deps=[r[7] for r in rows])
                    yield Example(doc, gold)
            return read
        return {"train": corpus(train), "dev": corpus(dev)}
    config = Config().from_str(SPACY.replace("{train}", train).replace("{dev}", dev).replace("{steps}", str(steps)))
    nlp = init_nlp(config)
    nlp, _ = loop(nlp, None, stdout=sys.stdout, stderr=sys.stderr)
    nlp.to_disk(model)


def spacy_parse(test, model, output, _):
    import spacy
    def parse(nlp):
        lines = []
        documents = list(spacy_docs(nlp.vocab, test))
        for doc, (_, rows) in zip(nlp.pipe([doc for doc, _ in documents]), documents):
            roots = [token for token in doc if token.head.i == token.i]
            for token, row in zip(doc, rows):
                # A document may fall into several sentences; the scorer wants one root.
                if token.head.i == token.i:
                    head, label = (0, "root") if token.i == roots[0].i else (roots[0].i + 1, token.dep_ or "dep")
                else:
                    head, label = token.head.i + 1, token.dep_ or "dep"
                lines.append("\t".join([*row[:6], str(head), label, "_", "_"]))
            lines.append("")
        return "\n".join(lines) + "\n"
    timed(lambda: spacy.load(model), parse, output)


WORKERS = {"udpipe-train": udpipe_train, "udpipe-parse": udpipe_parse,
           "spacy-train": spacy_train, "spacy-parse": spacy_parse}


def plain(source, target):
    """Words only: no ranges and empty nodes, so that all parsers get the same tokens."""
    with open(source, encoding="utf-8") as file, open(target, "w", encoding="utf-8") as out:
        for line in file:
            first = line.split("\t")[0]
            if line.startswith("#") or "-" in first or "." in first:
                continue
            if line.strip():
                fields = line.rstrip("\n").split("\t")
                fields[8:] = ["_", "_"]
                line = "\t".join(fields) + "\n"
            out.write(line)


def chart(title, points):
    """Accuracy against speed as SVG: name, words a second, LAS. Colours follow the reader's light or dark."""
    width, height, left, right, top, bottom = 720, 420, 56, 24, 40, 52
    front = [p for p in points if not any(q[1] >= p[1] and q[2] >= p[2] and q[1:] != p[1:] for q in points)]
    low, high = min(p[1] for p in points) / 1.6, max(p[1] for p in points) * 1.6
    floor = math.floor(min(p[2] for p in points) - 0.5)
    ceiling = math.ceil(max(p[2] for p in points) + 0.5)
    def x(speed):
        return left + (width - left - right) * math.log(speed / low) / math.log(high / low)
    def y(score):
        return top + (height - top - bottom) * (ceiling - score) / (ceiling - floor)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" font-family="sans-serif" font-size="12">',
           f"<title>{escape(title)}</title>",
           "<style>.t{fill:#222}.g{stroke:#ddd}.f{stroke:#0a6;fill:none;stroke-dasharray:4 3}.o{fill:#0a6}.n{fill:#fff;stroke:#888;stroke-width:1.5}"
           "@media (prefers-color-scheme:dark){.t{fill:#ddd}.g{stroke:#444}.f{stroke:#3d9}.o{fill:#3d9}.n{fill:#222;stroke:#999}}</style>",
           f'<text class="t" x="{left}" y="20" font-size="14">{escape(title)}</text>']
    for score in range(floor, ceiling + 1, max(1, (ceiling - floor) // 8)):
        out.append(f'<line class="g" x1="{left}" x2="{width - right}" y1="{y(score):.1f}" y2="{y(score):.1f}"/>'
                   f'<text class="t" x="{left - 8}" y="{y(score) + 4:.1f}" text-anchor="end">{score}</text>')
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for factor in (1, 2, 5):
            speed = factor * 10**power
            if low <= speed <= high:
                out.append(f'<line class="g" x1="{x(speed):.1f}" x2="{x(speed):.1f}" y1="{top}" y2="{height - bottom}"/>'
                           f'<text class="t" x="{x(speed):.1f}" y="{height - bottom + 18}" text-anchor="middle">{speed:,}</text>')
    out.append(f'<text class="t" x="{(left + width - right) / 2}" y="{height - 10}" text-anchor="middle">words per second on one core (log scale)</text>'
               f'<text class="t" transform="translate(14 {(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">LAS</text>')
    line = " ".join(f"{x(speed):.1f},{y(score):.1f}" for _, speed, score in sorted(front, key=lambda p: p[1]))
    out.append(f'<polyline class="f" points="{line}"/>')
    taken = [(x(p[1]) - 6, y(p[2]) - 6, x(p[1]) + 6, y(p[2]) + 6) for p in points]
    for name, speed, score in sorted(points, key=lambda p: -p[2]):
        kind = "o" if (name, speed, score) in front else "n"
        out.append(f'<circle class="{kind}" cx="{x(speed):.1f}" cy="{y(score):.1f}" r="5"><title>{escape(name)}: LAS {score:.2f}, {speed:,.0f} words/s</title></circle>')
        long = 6.6 * len(name)
        places = [(9, 4, "start"), (-9, 4, "end"), (0, -10, "middle"), (0, 18, "middle"), (9, -10, "start"), (-9, 18, "end")]
        def box(place):
            dx, dy, anchor = place
            begin = x(speed) + dx - {"start": 0, "middle": long / 2, "end": long}[anchor]
            return begin, y(score) + dy - 11, begin + long, y(score) + dy + 3
        def cost(place):
            a = box(place)
            meets = sum(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for b in taken)
            return meets + 5 * (a[0] < left or a[2] > width)
        place = min(places, key=cost)
        taken.append(box(place))
        out.append(f'<text class="t" x="{x(speed) + place[0]:.1f}" y="{y(score) + place[1]:.1f}" text-anchor="{place[2]}">{escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "worker":
        return WORKERS[sys.argv[2]](*sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crossarc", default="target/release/crossarc")
    parser.add_argument("--train", required=True)
    parser.add_argument("--dev", required=True)
    parser.add_argument("--test", required=True)
    parser.add_argument("--work", default="target/peers", help="folder for models, output and the environment")
    parser.add_argument("--parsers", nargs="+", default=["", "swap"],
                        help="parsers of crossarc, or options of its training; '' is the default parser")
    parser.add_argument("--skip", nargs="*", default=[], choices=["udpipe", "spacy"])
    parser.add_argument("--udpipe-iterations", type=int, default=20)
    parser.add_argument("--spacy-steps", type=int, default=0, help="0: until it no longer gets better")
    parser.add_argument("--other", nargs=4, action="append", default=[], metavar=("NAME", "TRAIN", "PARSE", "MODEL"))
    parser.add_argument("--chart", metavar="FILE.svg", help="accuracy against speed as a picture")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    at = lambda name: os.path.join(os.path.abspath(options.work), name)
    log = at("log.txt")
    python = at("environment/bin/python")
    wanted = [name for name in ("udpipe", "spacy") if name not in options.skip]
    if wanted:
        if not os.path.exists(python):
            venv.create(at("environment"), with_pip=True)
        packages = {"udpipe": "ufal.udpipe", "spacy": "spacy"}
        subprocess.run([python, "-m", "pip", "install", "--quiet", *[packages[name] for name in wanted]], check=True)
    files = {}
    for name in ("train", "dev", "test"):
        files[name] = at(name + ".conllu")
        plain(getattr(options, name), files[name])
    count = words(files["test"])
    rows, points = [], []

    def score(output):
        table = subprocess.run([options.crossarc, "eval", files["test"], output, "--official", "--json"],
                               check=True, capture_output=True, text=True).stdout
        found = json.loads(table)["systems"][0]
        def f1(name):
            for key, value in found.get("scores", found).items():
                if key.lower() == name:
                    return 100 * (value["f1"] if isinstance(value, dict) else value)
            raise KeyError(name)
        return f1("uas"), f1("las")

    def row(name, version, output, model, training, memory, loading, parsing, parse_memory):
        uas, las = score(output)
        rows.append([name, version, f"{uas:.2f}", f"{las:.2f}", f"{training:.1f}", f"{memory:.0f}",
                     f"{loading:.2f}", f"{count / parsing:,.0f}", f"{parse_memory:.0f}", f"{size(model) / 1e6:.1f}"])
        points.append((name, count / parsing, las))
        print(f"{name}: UAS {uas:.2f} LAS {las:.2f}", file=sys.stderr)

    version = subprocess.run([options.crossarc, "--version"], capture_output=True, text=True).stdout.split()[-1]
    for name in options.parsers:
        place = name.replace(" ", "") or "default"
        model, output = at(f"crossarc-{place}.model"), at(f"crossarc-{place}.conllu")
        given = shlex.split(name) if name.startswith("-") else ["--parser", name] if name else []
        train = [options.crossarc, "train", "--threads", "1", "--quiet", "--train", files["train"], "--dev", files["dev"],
                 "--model", model, *given]
        training, memory = sh(train, log)
        empty = at("empty.conllu")
        open(empty, "w").close()
        parse = [options.crossarc, "parse", "--threads", "1", "--quiet", "--model", model]
        # A first sentence makes the model come from disk; an empty file takes what loading takes.
        loading = min(sh([*parse, empty, "-o", at("nothing")], log)[0] for _ in range(3))
        runs = [sh([*parse, files["test"], "-o", output], log) for _ in range(3)]
        parsing = min(run[0] for run in runs) - loading
        row(f"Crossarc {name}".strip(), version, output, model, training, memory, loading, max(parsing, 1e-3), max(run[1] for run in runs))

    me = os.path.abspath(__file__)
    def figures():
        with open(log, encoding="utf-8", errors="replace") as file:
            return json.loads([line for line in file if line.startswith("FIGURES ")][-1][8:])
    def version_of(package):
        command = [python, "-c", f"import importlib.metadata as m; print(m.version('{package}'))"]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    for name, title, package, amount in (("udpipe", "UDPipe 1", "ufal.udpipe", options.udpipe_iterations),
                                         ("spacy", "spaCy", "spacy", options.spacy_steps)):
        if name not in wanted:
            continue
        model, output = at(name + ".model"), at(name + ".conllu")
        training, memory = sh([python, me, "worker", name + "-train", files["train"], files["dev"], model, str(amount)], log)
        for manner, beam in ((" beam 5", 5), (" greedy", 1)) if name == "udpipe" else (("", 0),):
            _, parse_memory = sh([python, me, "worker", name + "-parse", files["test"], model, output, str(beam)], log)
            found = figures()
            row(title + manner, version_of(package), output, model, training, memory, found["loading"], found["parsing"], parse_memory)

    for name, train, parse, model in options.other:
        output = at(name + ".conllu")
        places = {**files, "model": model, "output": output}
        training, memory = sh(shlex.split(train.format(**places)), log)
        runs = [sh(shlex.split(parse.format(**places)), log) for _ in range(3)]
        row(name, "", output, model, training, memory, 0.0, min(run[0] for run in runs), max(run[1] for run in runs))

    head = ["parser", "version", "UAS", "LAS", "training s", "training MB", "loading s", "words/s", "parsing MB", "model MB"]
    print(f"{os.path.basename(options.train)}, {count:,} test words, {date.today()}; "
          f"`{shlex.join(['scripts/peers.py', *sys.argv[1:]])}`\n")
    print("| " + " | ".join(head) + " |\n|---|---|" + "---:|" * 8)
    for cells in rows:
        print("| " + " | ".join(cells) + " |")
    if options.chart:
        treebank = os.path.basename(options.test).split("-")[0]
        with open(options.chart, "w", encoding="utf-8") as file:
            file.write(chart(f"{treebank}: accuracy and speed, {date.today()}", points))


if __name__ == "__main__":
    main()
