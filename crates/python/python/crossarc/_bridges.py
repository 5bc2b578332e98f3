"""Documents as other libraries have them."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Tuple, Union

from ._crossarc import Document, EmptyNode, Features, Word

Id = Union[int, Tuple[int, str, int]]


def _mapping(features: Features) -> Optional[Dict[str, str]]:
    return dict(features.items()) if len(features) else None


def _id(text: str) -> Id:
    """`3`, or `3.1` of an empty node in three parts."""
    after, _, index = text.partition(".")
    return (int(after), ".", int(index)) if index else int(after)


def _deps(text: str) -> Optional[List[Tuple[str, Id]]]:
    if text == "_":
        return None
    parts = (part.partition(":") for part in text.split("|"))
    return [(label, _id(head)) for head, _, label in parts]


def _word(word: Word) -> Dict[str, Any]:
    return {
        "id": word.id,
        "form": word.text,
        "lemma": word.lemma,
        "upos": word.upos,
        "xpos": None if word.xpos == "_" else word.xpos,
        "feats": _mapping(word.feats),
        "head": word.head,
        "deprel": word.deprel,
        "deps": _deps(word.deps),
        "misc": _mapping(word.misc),
    }


def _empty(node: EmptyNode) -> Dict[str, Any]:
    return {
        "id": _id(node.id),
        "form": node.text,
        "lemma": node.lemma,
        "upos": node.upos,
        "xpos": None if node.xpos == "_" else node.xpos,
        "feats": _mapping(Features(node.feats)),
        "head": None,
        "deprel": "_",
        "deps": _deps(node.deps),
        "misc": _mapping(Features(node.misc)),
    }


def dicts(document: Document) -> List[List[Dict[str, Any]]]:
    """Lists of dicts with the keys and values of the library `conllu`: words, ranges and empty nodes."""
    found = []
    for sentence in document:
        empty = [_empty(node) for node in sentence.empty_nodes]
        rows: List[Dict[str, Any]] = [node for node in empty if node["id"][0] == 0]
        for token in sentence.tokens:
            if token.is_multiword:
                first, last = (int(end) for end in token.id.split("-"))
                rows.append(
                    {
                        "id": (first, "-", last),
                        "form": token.text,
                        "lemma": "_",
                        "upos": "_",
                        "xpos": None,
                        "feats": _mapping(token.feats),
                        "head": None,
                        "deprel": "_",
                        "deps": None,
                        "misc": _mapping(token.misc),
                    }
                )
            for word in token.words:
                rows.append(_word(word))
                rows.extend(node for node in empty if node["id"][0] == word.id)
        found.append(rows)
    return found


def displacy(document: Document) -> List[Dict[str, Any]]:
    """What displaCy draws with `manual=True`."""
    return [json.loads(sentence.draw("displacy")) for sentence in document]


def nltk_graphs(document: Document) -> List[Any]:
    """A dependency graph of NLTK for each sentence."""
    from nltk.parse import DependencyGraph

    graphs = []
    for sentence in document:
        root = sentence.root
        top = root.deprel if root is not None else "root"
        rows = [
            "\t".join(
                (
                    str(word.id),
                    word.text,
                    word.lemma,
                    word.upos,
                    word.xpos,
                    str(word.feats),
                    str(word.head if word.head is not None else 0),
                    word.deprel,
                    "_",
                    "_",
                )
            )
            for word in sentence.words
        ]
        graphs.append(
            DependencyGraph(
                "\n".join(rows), cell_separator="\t", top_relation_label=top
            )
        )
    return graphs
