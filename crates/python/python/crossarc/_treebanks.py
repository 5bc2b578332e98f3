"""Reading, writing, comparing, measuring, checking and drawing treebanks."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from ._crossarc import (
    Document,
    Query,
    Reader,
    Sentence,
    Word,
    _check,
    _draw,
    _evaluate,
    _read,
    _stats,
    _write,
)

File = Union[str, "os.PathLike[str]"]
Sentences = Union[Sentence, Document, Iterable[Union[Sentence, Document]]]


def read(
    path: File, *, format: Optional[str] = None, errors: str = "raise", roots: str = "format"
) -> Reader:
    """Reads the sentences of a file one by one, losing nothing; gzip, xz and Zstandard are recognised.

    `format` is `"conllu"`, `"conllup"`, `"conllx"` or `"conll09"`, recognised by content if not given.
    `errors` says what becomes of a sentence that breaks the format: `"raise"` an exception, `"skip"` it,
    or `"return"` the exception in its place. `roots` is how many words may have head 0: as the format
    says, `"any"` or `"one"`.

    >>> for sentence in crossarc.read("examples/hearing.conllu"):
    ...     print(sentence.root.text, sentence.is_projective)
    scheduled False
    """
    return _read(os.fspath(path), None, format, errors, roots)


def reads(
    text: Union[str, bytes],
    *,
    format: Optional[str] = None,
    errors: str = "raise",
    roots: str = "format",
) -> Reader:
    """As `read`, from memory.

    >>> [word.text for s in crossarc.reads("1\\tHi\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n") for word in s]
    ['Hi']
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
    return _read(None, data, format, errors, roots)


def write(path: File, sentences: Sentences, *, format: Optional[str] = None) -> int:
    """Writes sentences to a file, which is complete or absent, and gives their number.

    Sentences are written in their own format, unchanged ones byte by byte, unless `format` names another.
    """
    name = os.fspath(path)
    if name.endswith((".gz", ".xz", ".zst", ".bz2")):
        raise ValueError(f"{name}: files are written without compression, leave out the ending")
    return _write(name, sentences, format)


def evaluate(
    gold: Union[File, Sentences],
    system: Union[File, Sentences],
    *,
    official: bool = False,
    punctuation: bool = True,
) -> Dict[str, Any]:
    """Scores in percent: `UAS`, `LAS`, `LA`, `CLAS`, `UEM`, `LEM`, and those of crossing arcs apart.

    Both sides are paths or sentences, and have the same words. With `official` they may differ in
    tokens, and the scores are the F1 of the official scorer. `punctuation=False` leaves marks out.

    >>> gold = list(crossarc.read("examples/hearing.conllu"))
    >>> crossarc.evaluate(gold, gold)["LAS"]
    100.0
    """
    return _evaluate(gold, system, official, punctuation)


def stats(source: Union[File, Sentences]) -> Dict[str, Any]:
    """What `crossarc stats --json` tells about a treebank.

    >>> crossarc.stats("examples/hearing.conllu")["nonprojective_sentences"]
    1
    """
    found: Dict[str, Any] = json.loads(_stats(source))
    return found


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong or suspicious in a treebank."""

    file: str
    line: int
    severity: str
    kind: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.severity}: {self.message}"


@dataclass(frozen=True)
class Report:
    """What `check` found. It is true if there are no errors."""

    sentences: int
    words: int
    errors: int
    warnings: int
    findings: Tuple[Finding, ...]

    def __bool__(self) -> bool:
        return self.errors == 0


def check(
    *paths: File, max_per_kind: int = 20, long_sentence: int = 250, roots: str = "format"
) -> Report:
    """Everything wrong or suspicious in treebank files, by line.

    >>> report = crossarc.check("examples/hearing.conllu")
    >>> report.errors, report.sentences
    (0, 1)
    """
    names = [os.fspath(path) for path in paths]
    found: Dict[str, Any] = json.loads(_check(names, max_per_kind, long_sentence, roots))
    listed: List[Finding] = [
        Finding(
            file=one["file"],
            line=one["line"],
            severity=one["severity"],
            kind=_kind(one["kind"]),
            message=one["message"],
        )
        for one in found["findings"]
    ]
    return Report(
        found["sentences"], found["words"], found["errors"], found["warnings"], tuple(listed)
    )


def _kind(kind: Any) -> str:
    return kind if isinstance(kind, str) else next(iter(kind))


def draw(
    sentences: Sentences,
    to: str = "text",
    *,
    highlight: str = "crossing",
    width: Optional[int] = None,
) -> str:
    """Draws sentences below each other, as `Sentence.draw`; `to="html"` is a whole page.

    >>> print(crossarc.draw(crossarc.load().parse_words([["Saw", "him"]]), to="displacy"))
    {"words":[{"text":"Saw","tag":"VERB"},{"text":"him","tag":"PRON"}],"arcs":[{"start":0,"end":1,"label":"obj","dir":"right"}]}
    """
    return _draw(sentences, to, highlight, width)


@dataclass(frozen=True)
class Match:
    """What a query has found: a sentence, and the words that its names stand for."""

    sentence: Sentence
    words: Dict[str, Word]

    def __getitem__(self, name: str) -> Word:
        return self.words[name]


def find(query: Union[str, Query], source: Union[File, Sentences]) -> Iterator[Match]:
    """Words and arcs by the query language of `crossarc find` (docs/book/src/query-language.md), one match after the other.

    >>> for match in crossarc.find("H[upos=NOUN] -> D, crossing(D)", "examples/hearing.conllu"):
    ...     print(match["H"].text, match["D"].text, match["D"].deprel)
    hearing issue nmod
    """
    asked = Query(query) if isinstance(query, str) else query
    return _matches(asked, read(source) if isinstance(source, (str, os.PathLike)) else source)


def _matches(query: Query, source: Any) -> Iterator[Match]:
    for one in [source] if isinstance(source, (Sentence, Document)) else source:
        for sentence in one.sentences if isinstance(one, Document) else [one]:
            for numbers in query.matches(sentence):
                words = [sentence.words[number - 1] for number in numbers]
                yield Match(sentence, dict(zip(query.names, words)))
