"""Dependency parsing in which crossing arcs are first-class, with an English model inside.

>>> nlp = crossarc.load()
>>> for word in nlp("She sees stars.").words:
...     print(word.id, word.text, word.upos, word.head, word.deprel)
1 She PRON 2 nsubj
2 sees VERB 0 root
3 stars NOUN 2 obj
4 . PUNCT 2 punct
"""

from collections.abc import Mapping as _Mapping

from ._crossarc import (
    ArrowTable,
    Document,
    EmptyNode,
    Features,
    Pipe,
    Pipeline,
    Query,
    Reader,
    Sentence,
    Token,
    Word,
    __version__,
)
from ._errors import DataError, Error, ModelError, TrainError
from ._models import load
from ._training import train
from ._treebanks import (
    Finding,
    Match,
    Report,
    check,
    draw,
    evaluate,
    find,
    read,
    reads,
    stats,
    write,
)
from . import arrow

_Mapping.register(Features)

__all__ = [
    "ArrowTable",
    "DataError",
    "Document",
    "EmptyNode",
    "Error",
    "Features",
    "Finding",
    "Match",
    "ModelError",
    "Pipe",
    "Pipeline",
    "Query",
    "Reader",
    "Report",
    "Sentence",
    "Token",
    "TrainError",
    "Word",
    "__version__",
    "arrow",
    "check",
    "draw",
    "evaluate",
    "find",
    "load",
    "read",
    "reads",
    "stats",
    "train",
    "write",
]
