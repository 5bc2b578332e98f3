"""Corpora larger than memory and longer than a machine lives: part by part into Parquet.

    python -m crossarc.corpus -o parsed/ texts/*.parquet                    # on one machine
    python -m crossarc.corpus -o parsed/ texts/*.jsonl --shard 3/100        # one of a hundred jobs
    sbatch --array=0-99 ... python -m crossarc.corpus -o parsed/ texts/*    # SLURM says which one

Inputs are Parquet or JSON Lines (also compressed), with a column of texts and one of identifiers. They are
cut into parts of so many documents; part `p` belongs to shard `p mod N`. A part file appears when it is
complete. Who starts again does what is missing, and nothing twice. When the last part is there,
`manifest.json` lists them all, with rows, words, errors, the version of crossarc and the hash of the model.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ._crossarc import Pipeline, __version__
from ._errors import Error
from ._models import load
from .arrow import metadata, parse_batches

Shard = Tuple[int, int]


def shard_of(text: str) -> Shard:
    """`i/N`, with i from 0.

    >>> shard_of("3/100")
    (3, 100)
    """
    try:
        number, count = (int(part) for part in text.split("/"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}: expected i/N, as 3/100") from None
    if not 0 <= number < count:
        raise argparse.ArgumentTypeError(f"{text!r}: i must be from 0 to N-1")
    return number, count


def usual_shard() -> Shard:
    """The one that SLURM's array says, else all."""
    number = os.environ.get("SLURM_ARRAY_TASK_ID")
    count = os.environ.get("SLURM_ARRAY_TASK_COUNT")
    if number is None or count is None:
        return 0, 1
    first = int(os.environ.get("SLURM_ARRAY_TASK_MIN", "0"))
    return int(number) - first, int(count)


def batches_of(path: Path, columns: Sequence[str], size: int) -> Iterator[Any]:
    """Record batches of at most `size` documents, the same ones each time."""
    import pyarrow
    import pyarrow.parquet

    if path.suffix == ".parquet":
        with pyarrow.parquet.ParquetFile(path) as file:
            missing = [name for name in columns if name not in file.schema_arrow.names]
            if missing:
                raise Error(f"{path}: there is no column `{missing[0]}`", file=str(path))
            yield from file.iter_batches(batch_size=size, columns=list(columns))
        return
    rows: List[Dict[str, Any]] = []

    def batch() -> Any:
        schema = pyarrow.schema([(name, pyarrow.string()) for name in columns])
        texts = [{name: _text(row.get(name)) for name in columns} for row in rows]
        rows.clear()
        return pyarrow.RecordBatch.from_pylist(texts, schema=schema)

    with pyarrow.input_stream(str(path), compression="detect") as stream:
        pending = b""
        number = 0
        while True:
            block = stream.read(1 << 20)
            lines = (pending + block).split(b"\n")
            pending = lines.pop() if block else b""
            for line in lines:
                number += 1
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise Error(f"{path}:{number}: no JSON: {error}", str(path), number) from None
                if not isinstance(row, dict):
                    raise Error(f"{path}:{number}: expected an object", str(path), number)
                rows.append(row)
                if len(rows) == size:
                    yield batch()
            if not block:
                break
    if rows:
        yield batch()


def _text(value: Any) -> Optional[str]:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value)
    # Half a surrogate pair, which JSON can hold, has no place in Arrow.
    return text.encode("utf-8", "replace").decode("utf-8")


class Corpus:
    """The parts of a corpus, those that a shard does, and the folder they go to."""

    def __init__(
        self,
        inputs: Sequence[Path],
        folder: Path,
        *,
        shard: Shard = (0, 1),
        text: str = "text",
        id: Optional[str] = "id",
        documents: int = 10_000,
    ) -> None:
        self.inputs = list(inputs)
        self.folder = folder
        self.shard = shard
        self.columns = [text] if id is None else [id, text]
        self.text, self.id = text, id
        self.documents = documents

    def parts(self) -> Iterator[Tuple[Path, Any]]:
        """All parts in order: the file of each and its documents."""
        for number, path in enumerate(self.inputs):
            for at, batch in enumerate(batches_of(path, self.columns, self.documents)):
                yield self.folder / f"part-{number:05}-{at:06}.parquet", batch

    def run(self, pipeline: Pipeline, threads: Optional[int] = None) -> Optional[Path]:
        """Does what is missing of this shard. Gives the manifest if all parts of all shards are there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        about = metadata(pipeline)
        number, count = self.shard
        files: List[Path] = []
        for at, (file, batch) in enumerate(self.parts()):
            files.append(file)
            if at % count == number:
                self._part(file, batch, pipeline, threads, about)
        return self._manifest(files, about) if all(file.exists() for file in files) else None

    def _part(
        self, file: Path, batch: Any, pipeline: Pipeline, threads: Optional[int], about: Dict[str, str]
    ) -> None:
        import pyarrow
        import pyarrow.parquet

        from .arrow import SCHEMA

        if file.exists():
            made = {k.decode(): v.decode() for k, v in (pyarrow.parquet.read_schema(file).metadata or {}).items()}
            if any(made.get(key) != value for key, value in about.items()):
                raise Error(
                    f"{file}: this part was made by another model or version; choose another folder",
                    file=str(file),
                )
            return
        schema = pyarrow.schema(SCHEMA).with_metadata(about)
        temporary = file.with_name(f".{file.name}.{os.getpid()}")
        try:
            with pyarrow.parquet.ParquetWriter(temporary, schema, compression="zstd") as writer:
                for rows in parse_batches([batch], pipeline, text=self.text, id=self.id, threads=threads):
                    writer.write_batch(rows)
            os.replace(temporary, file)
        finally:
            temporary.unlink(missing_ok=True)

    def _manifest(self, files: List[Path], about: Dict[str, str]) -> Path:
        import pyarrow.parquet

        listed: List[Dict[str, Any]] = []
        for file in files:
            table = pyarrow.parquet.read_table(file, columns=["head", "error"])
            errors = len(table) - table["error"].null_count
            words = sum(len(heads) for heads in table["head"].to_pylist() if heads is not None)
            listed.append(
                {"file": file.name, "sentences": len(table) - errors, "words": words, "errors": errors}
            )
        total = {key: sum(part[key] for part in listed) for key in ("sentences", "words", "errors")}
        path = self.folder / "manifest.json"
        temporary = path.with_name(f".manifest.{os.getpid()}")
        inputs = [str(one) for one in self.inputs]
        temporary.write_text(
            json.dumps({**about, "inputs": inputs, **total, "parts": listed}, indent=1) + "\n"
        )
        os.replace(temporary, path)
        return path


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """The program."""
    parser = argparse.ArgumentParser(
        prog="python -m crossarc.corpus",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("inputs", nargs="+", type=Path, help="Parquet or JSON Lines")
    add("-o", "--output", type=Path, required=True, help="folder of the parts")
    add("-m", "--model", type=Path, help="model file; English without")
    add("--text-field", default="text", help="column of texts")
    add("--id-field", default="id", help="column of identifiers; '' if there is none")
    add("--shard", type=shard_of, default=None, help="i/N, from 0; SLURM's array if not given")
    add("--documents", type=int, default=10_000, help="documents in a part")
    add("--threads", type=int, default=None, help="one for each core if not given")
    add("--version", action="version", version=__version__)
    chosen = parser.parse_args(arguments)
    corpus = Corpus(
        chosen.inputs,
        chosen.output,
        shard=chosen.shard or usual_shard(),
        text=chosen.text_field,
        id=chosen.id_field or None,
        documents=max(1, chosen.documents),
    )
    try:
        manifest = corpus.run(load(chosen.model), chosen.threads)
    except (Error, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(manifest if manifest is not None else "done; other shards are not yet")
    return 0


if __name__ == "__main__":
    sys.exit(main())
