"""Crossarc in spaCy: documents, and a component of a pipeline.

    nlp = spacy.blank("en")
    nlp.add_pipe("crossarc")                      # or config={"model": "hu.crossarc"}
    doc = nlp("She sees stars.")

The component keeps the tokens that spaCy has found; it sets tags, features, lemmas, heads and labels,
and sentence starts where there are none.
"""

from __future__ import annotations

from typing import Any, List, Optional, Tuple, Union

from ._crossarc import Document, Pipeline, Word
from ._models import load


def to_doc(document: Document, vocab: Any) -> Any:
    """A `spacy.tokens.Doc` of words; its text is that of the document as far as blanks go."""
    from spacy.tokens import Doc

    words: List[str] = []
    spaces: List[bool] = []
    found: List[Word] = []
    starts: List[Union[bool, int, None]] = []
    heads: List[int] = []
    for sentence in document:
        first = len(words)
        for token in sentence.tokens:
            parts = token.words
            for at, word in enumerate(parts):
                words.append(word.text)
                last = at + 1 == len(parts)
                spaces.append(last and token.misc.get("SpaceAfter") != "No")
                found.append(word)
                starts.append(word.id == 1)
                heads.append(first + word.head - 1 if word.head else len(words) - 1)
    if not words:
        return Doc(vocab)
    parsed = any(word.head is not None for word in found)
    return Doc(
        vocab,
        words=words,
        spaces=spaces,
        tags=_column(found, "xpos"),
        pos=_tags(found),
        morphs=[_plain(str(word.feats)) for word in found],
        lemmas=[word.lemma if word.lemma != "_" or word.text == "_" else "" for word in found],
        heads=heads if parsed else None,
        deps=_labels(found) if parsed else None,
        sent_starts=None if parsed else starts,
    )


def _plain(value: str) -> str:
    return "" if value == "_" else value


def _column(words: List[Word], name: str) -> List[str]:
    return [_plain(word[name]) for word in words]


def _tags(words: List[Word]) -> List[str]:
    from spacy.parts_of_speech import IDS

    return [word.upos if word.upos in IDS else "" for word in words]


def _labels(words: List[Word]) -> List[str]:
    # spaCy asks for ROOT, and knows an unlabelled word by an empty label.
    return ["ROOT" if word.head == 0 else _plain(word.deprel) or "dep" for word in words]


class Component:
    """Annotates the tokens of a document with a crossarc pipeline."""

    def __init__(self, pipeline: Pipeline, name: str = "crossarc") -> None:
        self.pipeline = pipeline
        self.name = name

    def __call__(self, doc: Any) -> Any:
        from spacy.tokens import Doc

        spans = self._sentences(doc)
        kept: List[Tuple[int, List[int]]] = []
        forms: List[List[str]] = []
        for start, end in spans:
            places = [at for at in range(start, end) if not doc[at].is_space]
            if places:
                kept.append((start, places))
                forms.append([doc[at].text for at in places])
        parsed = self.pipeline.parse_words(forms)
        size = len(doc)
        heads, deps = list(range(size)), ["dep"] * size
        tags, pos, morphs, lemmas = [""] * size, [""] * size, [""] * size, [t.text for t in doc]
        for (start, places), sentence in zip(kept, parsed):
            words = sentence.words
            labels, universal = _labels(words), _tags(words)
            root = next((at for at, word in zip(places, words) if word.head == 0), places[0])
            for at, word, label, tag in zip(places, words, labels, universal):
                heads[at] = places[word.head - 1] if word.head else at
                deps[at] = label
                tags[at], pos[at] = _plain(word.xpos), tag
                morphs[at] = _plain(str(word.feats))
                lemmas[at] = word.lemma if word.lemma != "_" else word.text
            inside = set(places)
            end = next(stop for begin, stop in spans if begin == start)
            for at in range(start, end):
                if at not in inside:
                    heads[at], pos[at] = root, "SPACE"
        made = Doc(
            doc.vocab,
            words=[token.text for token in doc],
            spaces=[bool(token.whitespace_) for token in doc],
            tags=tags,
            pos=pos,
            morphs=morphs,
            lemmas=lemmas,
            heads=heads,
            deps=deps,
        )
        from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, TAG

        if size:
            names = [TAG, POS, MORPH, LEMMA, HEAD, DEP]
            doc.from_array(names, made.to_array(names))
        return doc

    def _sentences(self, doc: Any) -> List[Tuple[int, int]]:
        if doc.has_annotation("SENT_START"):
            return [(span.start, span.end) for span in doc.sents]
        if not self.pipeline.info["tokenizer"]:
            return [(0, len(doc))] if len(doc) else []
        # Where the pipeline sees sentences begin, the next token of spaCy begins one.
        document = self.pipeline(doc.text)
        begins = {0}
        at = 0
        for sentence in document:
            start: Optional[int] = sentence.words[0].start
            while start is not None and at < len(doc) and doc[at].idx < start:
                at += 1
            if start is not None and at < len(doc):
                begins.add(at)
        bounds = sorted(begins) + [len(doc)]
        return [(first, last) for first, last in zip(bounds, bounds[1:]) if first < last]

    def to_bytes(self, exclude: Any = ()) -> bytes:
        """Nothing: the model stays in its file."""
        return b""

    def from_bytes(self, data: bytes, exclude: Any = ()) -> "Component":
        return self

    def to_disk(self, path: Any, exclude: Any = ()) -> None:
        """Nothing: the model stays in its file."""

    def from_disk(self, path: Any, exclude: Any = ()) -> "Component":
        return self


def make_component(nlp: Any, name: str, model: Optional[str] = None) -> Component:
    """What `nlp.add_pipe("crossarc")` calls."""
    return Component(load(model), name)


def _register() -> None:
    from spacy.language import Language

    if not Language.has_factory("crossarc"):
        Language.factory(
            "crossarc",
            default_config={"model": None},
            assigns=["token.tag", "token.pos", "token.morph", "token.lemma", "token.head", "token.dep"],
        )(make_component)


try:
    _register()
except ImportError:
    pass
