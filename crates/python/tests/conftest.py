"""What all tests share: the English pipeline, and a small one that was trained here."""

from pathlib import Path

import pytest

import crossarc

HERE = Path(__file__).parent
#: Hand-written sentences of the repository.
HEARING = HERE.parents[2] / "examples" / "hearing.conllu"

WORDS = [
    ("Birds", "NOUN", 2, "nsubj"),
    ("sing", "VERB", 0, "root"),
    (".", "PUNCT", 2, "punct"),
]


def treebank(copies=20):
    """A treebank of one sentence, many times."""
    lines = [
        f"{at}\t{form}\t{form.lower()}\t{tag}\t_\t_\t{head}\t{label}\t_\t"
        + ("SpaceAfter=No" if form == "sing" else "_")
        for at, (form, tag, head, label) in enumerate(WORDS, 1)
    ]
    return ("# text = Birds sing.\n" + "\n".join(lines) + "\n\n") * copies


@pytest.fixture(scope="session")
def nlp():
    return crossarc.load()


@pytest.fixture(scope="session")
def small_path(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "birds.crossarc"
    sentences = list(crossarc.reads(treebank()))
    crossarc.train(sentences, pipeline=True, epochs=2, note="birds").save(path)
    return path


@pytest.fixture(scope="session")
def small(small_path):
    return crossarc.load(small_path)
