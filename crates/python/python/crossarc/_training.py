"""Training."""

from __future__ import annotations

import json
import logging
import os
from typing import Any, Callable, Iterable, List, Optional, Tuple, Union

from ._crossarc import Document, Pipeline, Sentence, _train

File = Union[str, "os.PathLike[str]"]
Treebank = Union[File, Sentence, Document, Iterable[Union[Sentence, Document]]]

log = logging.getLogger("crossarc")


class _Progress:
    """Tells how training goes: a bar if there is tqdm, lines to the log always."""

    def __init__(self, wanted: Union[bool, Callable[[str], None]]) -> None:
        self.bar: Any = None
        self.tell: Optional[Callable[[str], None]] = wanted if callable(wanted) else None
        if wanted is True:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                pass
            else:
                self.bar = tqdm(unit=" sentences", leave=False)

    def say(self, line: str) -> None:
        log.info(line)
        if self.tell is not None:
            self.tell(line)

    def begin(self, sentences: int) -> None:
        if self.bar is not None:
            self.bar.reset(total=sentences)

    def begin_epoch(self) -> None:
        if self.bar is not None:
            self.bar.reset()

    def studied(self, sentences: int) -> None:
        if self.bar is not None:
            self.bar.update(sentences)

    def end_epoch(self, epoch: int, scores: Optional[Tuple[float, float]], best: bool) -> None:
        line = f"epoch {epoch}"
        if scores is not None:
            line += f": dev UAS {scores[0]:.2f} LAS {scores[1]:.2f}{' *' if best else ''}"
        if self.bar is not None:
            self.bar.set_description(line)
        self.say(line)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def train(
    train: Treebank,
    dev: Optional[Treebank] = None,
    *,
    pipeline: bool = False,
    progress: Union[bool, Callable[[str], None]] = False,
    note: str = "",
    threads: Optional[int] = None,
    **options: Any,
) -> Pipeline:
    """Trains a parser on a treebank, or with `pipeline` all from raw text to trees.

    `train` and `dev` are paths or sentences. `options` are those of `crossarc train`, with underscores:
    `parser="carreras"`, `beam=8`, `epochs=20`, `max_size=10`. `progress` shows a bar of tqdm, or is
    called with each line; lines also go to the logger `crossarc`. Ctrl-C ends training with the best
    model so far, a second one at once and without a model.

    >>> text = "1\\tBirds\\t_\\tNOUN\\t_\\t_\\t2\\tnsubj\\t_\\t_\\n2\\tsing\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> nlp = crossarc.train(list(crossarc.reads(text)), epochs=2)
    >>> [word.head for word in nlp.parse_words([["Birds", "sing"]]).words]
    [2, 0]
    """
    chosen = json.dumps({name.replace("_", "-"): value for name, value in options.items() if value is not None})
    names = ([_name(train)], [_name(dev)] if dev is not None else [])
    watcher = _Progress(progress)
    try:
        return _train(_path(train), _path(dev), chosen, pipeline, note, threads, names, watcher)
    finally:
        watcher.close()


def _path(treebank: Optional[Treebank]) -> Any:
    if isinstance(treebank, os.PathLike):
        return os.fspath(treebank)
    if isinstance(treebank, (str, Sentence, Document)) or treebank is None:
        return treebank
    sentences: List[Any] = list(treebank)
    return sentences


def _name(treebank: Optional[Treebank]) -> str:
    if isinstance(treebank, (str, os.PathLike)):
        return os.path.basename(os.fspath(treebank))
    return "(memory)"
