#!/usr/bin/env python3
"""Compare `crossarc find` with hand-written loops over the library conllu: counts and speed.

    cargo build --release
    python3 -m venv venv && venv/bin/pip install conllu
    venv/bin/python scripts/compare_find.py target/release/crossarc TREEBANK.conllu...

If grewpy and its backend are there, it is asked, too. Every query must have the same number of matches everywhere;
the exit code is 1 if one has not. Times are processor time of one thread, reading included; parsing with conllu
is timed once and added to every loop.
"""

import os
import subprocess
import sys
import time

import conllu


def head_of(words, token):
    return words.get(token["head"])


def arcs(sentence):
    """Pairs of head and dependent."""
    words = {token["id"]: token for token in sentence if isinstance(token["id"], int)}
    for token in words.values():
        head = head_of(words, token)
        if head is not None:
            yield head, token


def dominated(sentence):
    words = {token["id"]: token for token in sentence if isinstance(token["id"], int)}
    for token in words.values():
        above = head_of(words, token)
        while above is not None:
            yield above, token
            above = head_of(words, above)


def words_of(sentence):
    return [token for token in sentence if isinstance(token["id"], int)]


def feature(token, name):
    return (token["feats"] or {}).get(name)


def without_object(sentence):
    heads = {head["id"] for head, token in arcs(sentence) if token["deprel"] == "obj"}
    return sum(head["id"] not in heads for head, token in arcs(sentence) if token["deprel"] == "nsubj")


def crossing(sentence):
    spans = [sorted((token["id"], token["head"])) for token in words_of(sentence) if token["head"] is not None]

    def cross(a, b):
        return a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1]

    return sum(any(cross(one, other) for other in spans) for one in spans)


def neighbours(sentence):
    words = words_of(sentence)
    return sum(a["upos"] == "ADJ" and b["upos"] == "NOUN" for a, b in zip(words, words[1:]))


# The query, a loop that gives the number of its matches in a sentence, the query for grew.
QUERIES = [
    ("X[upos=VERB]", lambda s: sum(t["upos"] == "VERB" for t in words_of(s)), "pattern { X [upos=VERB] }"),
    (
        "V[upos=VERB] -[nsubj:pass]-> S",
        lambda s: sum(h["upos"] == "VERB" and t["deprel"] == "nsubj:pass" for h, t in arcs(s)),
        'pattern { V [upos=VERB]; V -[nsubj:pass]-> S }',
    ),
    (
        "V -[obj]-> O, O << V",
        lambda s: sum(t["deprel"] == "obj" and t["id"] < h["id"] for h, t in arcs(s)),
        "pattern { V -[obj]-> O; O << V }",
    ),
    (
        "X[lemma=/^un/]",
        lambda s: sum((t["lemma"] or "").startswith("un") for t in words_of(s)),
        'pattern { X [lemma = re"un.*"] }',
    ),
    ("A[upos=ADJ] < N[upos=NOUN]", neighbours, "pattern { A [upos=ADJ]; N [upos=NOUN]; A < N }"),
    (
        "N[upos=NOUN] -> D[PronType=Art]",
        lambda s: sum(h["upos"] == "NOUN" and feature(t, "PronType") == "Art" for h, t in arcs(s)),
        "pattern { N [upos=NOUN]; D [PronType=Art]; N -> D }",
    ),
    (
        "V[upos=VERB] ->> X[upos=PROPN]",
        lambda s: sum(a["upos"] == "VERB" and t["upos"] == "PROPN" for a, t in dominated(s)),
        None,
    ),
    (
        "V -[nsubj]-> S without V -[obj]-> O",
        without_object,
        "pattern { V -[nsubj]-> S } without { V -[obj]-> O }",
    ),
    (
        "X -> Y, distance(X, Y) > 10",
        lambda s: sum(abs(h["id"] - t["id"]) > 10 for h, t in arcs(s)),
        None,
    ),
    ("crossing(X)", crossing, None),
]


def of_children():
    """Seconds of processor time of the programs that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def load(files):
    sentences = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            sentences.extend(conllu.parse_incr(file))
    return sentences


def grew(files):
    """A function that counts matches; nothing without grewpy and its backend."""
    try:
        from grewpy import Corpus, Request, set_config

        set_config("ud")
        corpora = [Corpus(name) for name in files]
    except BaseException as error:  # The backend that is not there ends the process.
        print(f"grewpy is not here: {error}", file=sys.stderr)
        return None
    return lambda text: sum(corpus.count(Request(text)) for corpus in corpora)


def main():
    program, *files = sys.argv[1:]
    start = time.process_time()
    sentences = load(files)
    reading = time.process_time() - start
    words = sum(len(words_of(sentence)) for sentence in sentences)
    ask = grew(files)
    print(f"{words} words; conllu reads them in {reading:.1f} s\n")
    print("| query | matches | find, s | words/s | conllu, s | times | grewpy |\n|---|---|---|---|---|---|---|")
    wrong = False
    for query, loop, request in QUERIES:
        start = of_children()
        command = [program, "find", query, *files, "--threads", "1", "--count", "-q"]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        seconds = max(of_children() - start, 0.01)
        found = sum(int(line.split("\t")[-1]) for line in out.splitlines())
        start = time.process_time()
        expected = sum(map(loop, sentences))
        theirs = time.process_time() - start + reading
        third = ask(request) if ask and request else None
        wrong |= found != expected or third not in (None, found)
        note = "" if found == expected else f" (conllu: {expected})"
        told = "-" if third is None else str(third)
        print(
            f"| `{query}` | {found}{note} | {seconds:.3f} | {words / seconds:,.0f} | {theirs:.2f} "
            f"| {theirs / seconds:.0f} | {told} |"
        )
    sys.exit(wrong)


if __name__ == "__main__":
    main()
