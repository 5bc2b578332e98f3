#!/usr/bin/env python3
"""Compares parsing from Python: crossarc's `nlp.pipe` with the program, ufal.udpipe and spaCy.

    scripts/compare_python.py --program target/release/crossarc TEXTS

TEXTS has a document on each line. Each system runs in a process of its own: start-up (import and model),
words a second of wall time and of processor time, which does not depend on what else the machine does, and the
most memory it had. Readers of CoNLL-U are compared on what crossarc
made of the texts. What is not installed, or has no model, is named and left out: models of UDPipe
(--udpipe MODEL) and of spaCy (--spacy NAME) cannot be had by pip from the index.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time


def texts(path):
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines if line.strip()]


def crossarc_pipe(options):
    import crossarc

    nlp = crossarc.load(options.model)
    yield
    yield sum(len(doc.words) for doc in nlp.pipe(texts(options.texts), threads=options.threads))


def udpipe(options):
    from ufal.udpipe import Model, Pipeline

    model = Model.load(options.udpipe or "")
    if model is None:
        raise RuntimeError("no model")
    pipeline = Pipeline(model, "tokenize", Pipeline.DEFAULT, Pipeline.DEFAULT, "conllu")
    yield
    out = "".join(pipeline.process(text) for text in texts(options.texts))
    yield sum(line[:1].isdigit() and line.split("\t")[0].isdigit() for line in out.split("\n"))


def spacy(options):
    import spacy

    nlp = spacy.load(options.spacy)
    yield
    yield sum(len(doc) for doc in nlp.pipe(texts(options.texts)))


def spacy_with_crossarc(options):
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("crossarc", config={"model": options.model})
    yield
    yield sum(len(doc) for doc in nlp.pipe(texts(options.texts)))


def reader_crossarc(options):
    import crossarc

    yield
    yield sum(len(sentence.words) for sentence in crossarc.read(options.treebank))


def reader_conllu(options):
    import conllu

    yield
    with open(options.treebank, encoding="utf-8") as file:
        yield sum(isinstance(w["id"], int) for s in conllu.parse_incr(file) for w in s)


def reader_pyconll(options):
    import pyconll

    yield
    load = getattr(pyconll, "iter_from_file", None)
    sentences = load(options.treebank) if load else pyconll.conllu.iter_from_file(options.treebank)
    yield sum(token.id.isdigit() for sentence in sentences for token in sentence)


SYSTEMS = {
    "nlp.pipe": crossarc_pipe,
    "ufal.udpipe": udpipe,
    "spaCy": spacy,
    "spaCy with crossarc": spacy_with_crossarc,
    "reader: crossarc": reader_crossarc,
    "reader: conllu": reader_conllu,
    "reader: pyconll": reader_pyconll,
}


def child(name, options):
    start = time.perf_counter()
    steps = SYSTEMS[name](options)
    next(steps)
    ready, used = time.perf_counter(), time.process_time()
    words = next(steps)
    done, used = time.perf_counter(), time.process_time() - used
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([ready - start, words, done - ready, used, memory]))


def program(options):
    """The program reads, parses and writes; documents are its paragraphs."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "texts.txt")
        with open(source, "w", encoding="utf-8") as out:
            out.write("\n\n".join(texts(options.texts)) + "\n")
        command = [options.program, "parse", "-q", "--from", "text", "--threads", str(options.threads)]
        if options.model:
            command += ["-m", options.model]
        empty = os.path.join(folder, "empty.txt")
        open(empty, "w").close()
        start, before = time.perf_counter(), processor_time()
        subprocess.run([*command, empty], check=True, stdout=subprocess.DEVNULL)
        ready, between = time.perf_counter(), processor_time()
        with open(options.treebank, "wb") as out:
            subprocess.run([*command, source], check=True, stdout=out)
        done, after = time.perf_counter(), processor_time()
    used = after - between - (between - before)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    with open(options.treebank, encoding="utf-8") as lines:
        words = sum(line.split("\t")[0].isdigit() for line in lines if line[:1].isdigit())
    return ready - start, words, done - ready - (ready - start), used, memory


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", help="a document on each line")
    parser.add_argument("--program", default="crossarc")
    parser.add_argument("--model", help="model of crossarc; English without")
    parser.add_argument("--udpipe", help="model of UDPipe")
    parser.add_argument("--spacy", default="en_core_web_sm")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--treebank", help=argparse.SUPPRESS)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.child, options)
    with tempfile.TemporaryDirectory() as folder:
        options.treebank = os.path.join(folder, "parsed.conllu")
        rows = [("the program", program(options))]
        for name in SYSTEMS:
            command = [sys.executable, __file__, *sys.argv[1:], "--treebank", options.treebank, "--child", name]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode == 0:
                rows.append((name, json.loads(done.stdout.splitlines()[-1])))
            else:
                why = (done.stderr.strip().splitlines() or ["it failed"])[-1]
                print(f"{name}: left out ({why})", file=sys.stderr)
    print("| system | start-up s | words | words/s | words/s of CPU time | memory MB |\n|---|---|---|---|---|---|")
    for name, (start, words, seconds, used, memory) in rows:
        speed, by_cpu = words / max(seconds, 1e-9), words / max(used, 1e-9)
        print(f"| {name} | {start:.2f} | {words:,} | {speed:,.0f} | {by_cpu:,.0f} | {memory:.0f} |")


if __name__ == "__main__":
    main()
