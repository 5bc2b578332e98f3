"""Documents as other libraries have them."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Tuple, Union

from ._crossarc import Document, Features, Word


def _mapping(features: Features) -> Optional[Dict[str, str]]:
    return dict(features.items()) if len(features) else None


def _word(word: Word) -> Dict[str, Any]:
    deps: Optional[List[Tuple[str, Union[int, str]]]] = None
    if word.deps != "_":
        deps = []
        for part in word.deps.split("|"):
            head, _, label = part.partition(":")
            deps.append((label, int(head) if head.isdigit() else head))
    return {
        "id": word.id,
        "form": word.text,
        "lemma": word.lemma,
        "upos": word.upos,
        "xpos": None if word.xpos == "_" else word.xpos,
        "feats": _mapping(word.feats),
        "head": word.head,
        "deprel": word.deprel,
        "deps": deps,
        "misc": _mapping(word.misc),
    }


def dicts(document: Document) -> List[List[Dict[str, Any]]]:
    """Lists of dicts with the keys and values of the library `conllu`, words and ranges."""
    found = []
    for sentence in document:
        rows: List[Dict[str, Any]] = []
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
                        "feats": None,
                        "head": None,
                        "deprel": "_",
                        "deps": None,
                        "misc": _mapping(token.misc),
                    }
                )
            rows.extend(_word(word) for word in token.words)
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
                "\n".join(rows), cell_separator="\t", top_relation_label="root"
            )
        )
    return graphs
