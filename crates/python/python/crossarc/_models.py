"""Opening models."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any, Dict, Optional, Tuple, Union

from ._crossarc import Pipeline, _from_bytes, _load
from ._errors import ModelError

Options = Tuple[Optional[int], bool, bool, bool, str]


def load(
    model: Union[None, str, "os.PathLike[str]", bytes] = None,
    *,
    beam: Optional[int] = None,
    scores: bool = False,
    keep_heads: bool = False,
    exact: bool = False,
    format: str = "text",
) -> Pipeline:
    """Opens a model file; without one, the English model of this package.

    `beam` is the width of the beam, if not that of the model. With `scores`, words know how sure the
    parser is of their heads. With `keep_heads`, heads that are there stay. With `exact`, the search
    looks at all there is. `format` says what is known about texts: nothing (`"text"`), each line is a
    sentence (`"lines"`), with blanks between words (`"horizontal"`), or each line is a word
    (`"vertical"`).

    >>> nlp = crossarc.load(scores=True)
    >>> 0 <= nlp("She sees stars.").words[0].score <= 1
    True
    """
    options: Options = (beam, scores, keep_heads, exact, format)
    if isinstance(model, (bytes, bytearray, memoryview)):
        return _from_bytes(bytes(model), options)
    return _load(None if model is None else Path(model), options)


_kept: Dict[Any, Pipeline] = {}
_lock = threading.Lock()


def restore(path: Union[str, "os.PathLike[str]"], hash: str, options: Options) -> Pipeline:
    """The pipeline of a pickle: loaded once a process, and checked to be the same model."""
    key = (os.fspath(path), hash, options)
    with _lock:
        known = _kept.get(key)
        if known is not None:
            return known
        place = Path(path)
        english = os.fspath(path) in ("", ".")
        pipeline = _load(None if english else place, options)
        if pipeline.hash != hash:
            name = "the English model of this version of crossarc" if english else str(place)
            raise ModelError(
                f"{name} is not the model that was pickled: its SHA-256 is {pipeline.hash[:12]}…, "
                f"expected {hash[:12]}…; use the same file and version everywhere",
                file=None if english else str(place),
            )
        _kept[key] = pipeline
        return pipeline
