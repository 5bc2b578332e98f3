"""Crossarc in Spark.

    rows = frame.mapInArrow(crossarc.spark.parser(text="text", id="id"), crossarc.spark.SCHEMA)

What travels to the executors is the path of the model and its hash; each of their processes loads it
once and works on one thread, for Spark has as many processes as it wants threads.
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Iterator, Optional

from .arrow import SPARK_DDL as SCHEMA
from .arrow import Model, parse_batches, pipeline_of

__all__ = ["SCHEMA", "parser"]


class _Parser:
    def __init__(self, model: Model, text: str, id: Optional[str], most_words: int) -> None:
        self.pipeline = pipeline_of(model)
        self.text, self.id, self.most_words = text, id, most_words

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        return parse_batches(
            batches,
            self.pipeline,
            text=self.text,
            id=self.id,
            threads=1,
            most_words=self.most_words,
        )


def parser(
    model: Model = None,
    *,
    text: str = "text",
    id: Optional[str] = "doc_id",
    most_words: int = 50_000,
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """A function for `DataFrame.mapInArrow`, with `crossarc.spark.SCHEMA` as the schema."""
    made = _Parser(model, text, id, most_words)

    def parse(batches: Iterable[Any]) -> Iterator[Any]:
        return made(batches)

    return parse
