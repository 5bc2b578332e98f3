"""Tables of Arrow, and the kernel for huge collections."""

import pytest

import crossarc

pyarrow = pytest.importorskip("pyarrow")

TEXTS = ["Birds sing. Birds sing.", None, "", "Birds sing."] * 25


def batches(size, kind=None):
    table = pyarrow.table(
        {"doc_id": [f"d{at}" for at in range(len(TEXTS))], "text": pyarrow.array(TEXTS, kind)}
    )
    return table.to_batches(max_chunksize=size)


def rows(found):
    return pyarrow.Table.from_batches(found).to_pylist()


def test_documents_are_tables(nlp):
    doc = nlp("She doesn't like cats. They scratch.")
    table = pyarrow.table(doc.to_arrow("d"))
    assert table.schema == pyarrow.schema(crossarc.arrow.SCHEMA)
    first, second = table.to_pylist()
    assert first["doc_id"] == "d" and (first["sent_index"], second["sent_id"]) == (0, "d-2")
    assert first["multiword"] == [{"first": 2, "last": 3, "form": "doesn't", "misc": None}]
    assert first["form"] == [word.text for word in doc.sentences[0]]
    assert first["head"] == [word.head for word in doc.sentences[0]]
    assert second["start"] == [word.start for word in doc.sentences[1]]
    assert table.schema.field("head").type == table.schema.field("start").type
    assert first["error"] is None and first["deps"] == [None] * len(first["form"])
    batch = pyarrow.record_batch(doc.to_arrow())
    assert batch.num_rows == 2 and batch["sent_id"].to_pylist() == ["1", "2"]
    del doc
    assert table.to_pylist()[0] == first


def test_rows_do_not_depend_on_partitions(small):
    wanted = rows(crossarc.arrow.parse_batches(batches(1000), small))
    for size, threads, words in ((1, 1, 1), (7, 2, 10), (1000, 4, 50_000)):
        found = list(
            crossarc.arrow.parse_batches(batches(size), small, threads=threads, most_words=words)
        )
        assert rows(found) == wanted
        assert all(batch.schema == found[0].schema for batch in found)
    assert len(wanted) == 25 * 4
    errors = [row for row in wanted if row["error"]]
    assert {row["error"] for row in errors} == {"the text is null"} and len(errors) == 25
    assert all(row["form"] is None and row["doc_id"] for row in errors)


def test_rows_are_those_of_documents(small):
    wanted = []
    for at, text in enumerate(TEXTS):
        if text is not None:
            wanted.extend(pyarrow.table(small(text).to_arrow(f"d{at}")).to_pylist())
    found = rows(crossarc.arrow.parse_batches(batches(10), small))
    assert [row for row in found if not row["error"]] == wanted


def test_columns_may_have_many_types(small):
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        assert len(rows(crossarc.arrow.parse_batches(batches(9, kind), small))) == 100
    table = pyarrow.table({"n": pyarrow.array([7, None], pyarrow.int64()), "t": ["Birds sing."] * 2})
    found = rows(crossarc.arrow.parse_batches(table.to_batches(), small, text="t", id="n"))
    assert [row["doc_id"] for row in found] == ["7", None]
    found = rows(crossarc.arrow.parse_batches(table.to_batches(), small, text="t", id=None))
    assert len(found) == 2
    with pytest.raises(KeyError, match="there is no column `text`; there are: n, t"):
        list(crossarc.arrow.parse_batches(table.to_batches(), small))
    with pytest.raises(TypeError, match="expected strings"):
        list(crossarc.arrow.parse_batches(table.to_batches(), small, text="n", id=None))
    with pytest.raises(TypeError, match="expected a record batch of Arrow"):
        list(crossarc.arrow.parse_batches(["Birds sing."], small))


def test_batches_are_cut_by_words(small):
    long = pyarrow.table({"doc_id": [str(at) for at in range(2000)], "text": ["Birds sing."] * 2000})
    sizes = [b.num_rows for b in crossarc.arrow.parse_batches(long.to_batches(), small, most_words=300)]
    assert sum(sizes) == 2000 and max(sizes) <= 100 + 64


def test_the_schema_says_what_made_it(small):
    (batch,) = crossarc.arrow.parse_batches(batches(1000), small)
    metadata = batch.schema.metadata
    assert metadata[b"crossarc.model"].decode() == small.hash
    assert metadata[b"crossarc.version"].decode() == crossarc.__version__


def test_poison_is_a_row(small):
    poison = ["Birds sing.", "\x00\x01", "x" * 3_000_000, "Birds sing."]
    table = pyarrow.table({"doc_id": ["a", "b", "c", "d"], "text": poison})
    found = rows(crossarc.arrow.parse_batches(table.to_batches(), small))
    assert {row["doc_id"] for row in found} >= {"a", "d"}
    assert found[0]["form"] == found[-1]["form"] == ["Birds", "sing", "."]
