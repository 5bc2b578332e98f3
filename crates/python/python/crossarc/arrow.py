"""Huge collections: batches of Arrow with texts in, batches with sentences out.

    for batch in crossarc.arrow.parse_batches(table.to_batches(), text="text", id="doc_id"):
        writer.write_batch(batch)

A row is a sentence. The schema is always the same. A text that cannot be parsed is a row with `error`
and nothing else but its identifier, so one document never ends a job. Rows do not depend on how the
input is cut into batches or partitions.

Memory: one batch of the input, three parts of at most 64 texts for each thread, and one batch of the
output, which is cut behind the sentence that brings it to `most_words` words, at the next end of a part.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, Iterator, Optional, Union

from ._crossarc import ArrowTable, Batches, Pipeline, __version__, _schema
from ._models import load

#: The schema as a table without rows: `pyarrow.schema(crossarc.arrow.SCHEMA)`.
SCHEMA: ArrowTable = _schema

#: The schema for Spark.
SPARK_DDL = (
    "doc_id string, sent_index int, sent_id string, text string, form array<string>, "
    "lemma array<string>, upos array<string>, xpos array<string>, feats array<string>, "
    "head array<int>, deprel array<string>, deps array<string>, misc array<string>, "
    "multiword array<struct<first:int,last:int,form:string,misc:string>>, "
    "start array<int>, end array<int>, score array<double>, error string"
)

Model = Union[None, str, Pipeline]


def pipeline_of(model: Model) -> Pipeline:
    """A pipeline, its path, or nothing for English."""
    return model if isinstance(model, Pipeline) else load(model)


def metadata(pipeline: Pipeline) -> Dict[str, str]:
    """What the schema of a result says about its making."""
    return {"crossarc.version": __version__, "crossarc.model": pipeline.hash}


def parse_tables(
    batches: Iterable[Any],
    model: Model = None,
    *,
    text: str = "text",
    id: Optional[str] = "doc_id",
    threads: Optional[int] = None,
    most_words: int = 50_000,
) -> Iterator[ArrowTable]:
    """As `parse_batches`, without pyarrow: the tables are for any library that knows Arrow."""
    return iter(Batches(batches, pipeline_of(model), text, id, threads, most_words))


def parse_batches(
    batches: Iterable[Any],
    model: Model = None,
    *,
    text: str = "text",
    id: Optional[str] = "doc_id",
    threads: Optional[int] = None,
    most_words: int = 50_000,
) -> Iterator[Any]:
    """Parses record batches of any library, and gives record batches of pyarrow.

    `text` and `id` name columns: texts are strings, identifiers strings or whole numbers; `id=None` if
    there are none. `model` is a path or a `Pipeline`. The schema's metadata has the version of crossarc
    and the hash of the model.
    """
    import pyarrow

    pipeline = pipeline_of(model)
    about = metadata(pipeline)
    for table in parse_tables(
        batches, pipeline, text=text, id=id, threads=threads, most_words=most_words
    ):
        yield pyarrow.record_batch(table).replace_schema_metadata(about)
