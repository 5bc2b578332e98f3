"""Corpora part by part: shards, restarts, the manifest."""

import gzip
import json
import os

import pytest

import crossarc

pyarrow = pytest.importorskip("pyarrow")
import pyarrow.parquet  # noqa: E402

from crossarc import corpus  # noqa: E402

DOCUMENTS = [{"id": f"d{at}", "text": "Birds sing." if at % 7 else None} for at in range(25)]


@pytest.fixture
def inputs(tmp_path):
    lines = tmp_path / "a.jsonl.gz"
    lines.write_bytes(gzip.compress("\n".join(json.dumps(one) for one in DOCUMENTS[:15]).encode()))
    table = tmp_path / "b.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(DOCUMENTS[15:]), table)
    return [lines, table]


def rows(folder):
    found = []
    for path in sorted(folder.glob("part-*.parquet")):
        found.extend(pyarrow.parquet.read_table(path).to_pylist())
    return found


def test_shards_make_what_one_machine_makes(inputs, small, tmp_path):
    alone = corpus.Corpus(inputs, tmp_path / "alone", documents=4)
    manifest = json.loads(alone.run(small).read_text())
    wanted = rows(tmp_path / "alone")
    assert [row["doc_id"] for row in wanted] == [one["id"] for one in DOCUMENTS]
    assert (manifest["sentences"], manifest["errors"], manifest["words"]) == (21, 4, 63)
    assert manifest["crossarc.model"] == small.hash and len(manifest["parts"]) == 7
    made = [
        corpus.Corpus(inputs, tmp_path / "shards", shard=(at, 3), documents=4).run(small)
        for at in (2, 0, 1)
    ]
    assert made[:2] == [None, None] and made[2] is not None
    assert rows(tmp_path / "shards") == wanted
    assert not [name for name in os.listdir(tmp_path / "shards") if name.startswith(".")]


def test_what_is_there_is_not_done_again(inputs, small, tmp_path, nlp):
    folder = tmp_path / "out"
    corpus.Corpus(inputs, folder, documents=4).run(small)
    parts = sorted(folder.glob("part-*"))
    parts[2].unlink()
    before = {path: path.stat().st_mtime_ns for path in parts if path.exists()}
    corpus.Corpus(inputs, folder, documents=4).run(small)
    assert parts[2].exists()
    assert {path: path.stat().st_mtime_ns for path in before} == before
    with pytest.raises(crossarc.Error, match="another model"):
        corpus.Corpus(inputs, folder, documents=4).run(nlp)


def test_the_program(inputs, small_path, tmp_path, capsys, monkeypatch):
    common = ["-m", str(small_path), "-o", str(tmp_path / "out"), *map(str, inputs)]
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "1")
    monkeypatch.setenv("SLURM_ARRAY_TASK_COUNT", "2")
    monkeypatch.setenv("SLURM_ARRAY_TASK_MIN", "1")
    assert corpus.main([*common, "--documents", "4"]) == 0
    assert "other shards" in capsys.readouterr().out
    assert corpus.main([*common, "--documents", "4", "--shard", "1/2"]) == 0
    assert "manifest.json" in capsys.readouterr().out
    assert corpus.main([*common, "--text-field", "body"]) == 1
    assert "no column `body`" in capsys.readouterr().err
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": 1, "text": "a"}\nnonsense\n')
    assert corpus.main(["-m", str(small_path), "-o", str(tmp_path / "x"), str(bad)]) == 1
    assert f"{bad}:2: no JSON" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        corpus.main([*common, "--shard", "2/2"])
