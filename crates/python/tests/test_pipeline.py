"""Parsing: one text, many texts, words, sentences; errors and hostile input."""

import gc
import itertools
import resource
import threading

import pytest

import crossarc


def test_texts_words_and_sentences_agree(nlp):
    doc = nlp("She sees stars.")
    words = nlp.parse_words([["She", "sees", "stars", "."]])
    assert [w.head for w in doc.words] == [w.head for w in words.words]
    bare = "".join(f"{w.id}\t{w.text}" + "\t_" * 8 + "\n" for w in doc.words) + "\n"
    assert [w.head for w in nlp.annotate(bare).words] == [w.head for w in doc.words]
    assert nlp.annotate(doc) is not doc
    assert nlp.annotate(doc.sentences) == nlp.annotate(doc)


def test_documents_are_those_of_the_program(small):
    doc = small("Birds sing. Birds sing.\n\nBirds sing.")
    assert [s.comments[:2] for s in doc] == [
        ["newdoc", "newpar"],
        ["sent_id = 2", "text = Birds sing."],
        ["newpar", "sent_id = 3"],
    ]


def test_pipes_are_in_order_at_any_number_of_threads(small):
    texts = ["Birds sing." * (1 + at % 3) + f" Birds {at} sing." for at in range(300)]
    alone = [small(text) for text in texts]
    for threads, size in ((1, 1), (2, 7), (4, 64)):
        assert list(small.pipe(texts, threads=threads, batch_size=size)) == alone


def test_pipes_stream(small):
    taken = []

    def endless():
        for at in itertools.count():
            taken.append(at)
            yield "Birds sing."

    docs = small.pipe(endless(), threads=2, batch_size=4)
    for _ in range(10):
        next(docs)
    assert len(taken) <= 10 + 2 * 3 * 4 + 4


def test_pipes_carry_along(small):
    pairs = [("Birds sing.", at) for at in range(5)]
    assert [at for _, at in small.pipe(pairs, as_tuples=True)] == list(range(5))


def test_what_the_iterable_raises_arrives_behind_the_documents(small):
    def failing():
        yield "Birds sing."
        raise KeyError("gone")

    docs = small.pipe(failing())
    assert len(next(docs)) == 1
    with pytest.raises(KeyError, match="gone"):
        next(docs)


def test_errors_are_raised_skipped_or_returned(small):
    texts = ["Birds sing.", None, "a\ud800b", 7, "Birds sing."]
    with pytest.raises(TypeError, match="text 1 is NoneType, expected str"):
        list(small.pipe(texts))
    assert len(list(small.pipe(texts, errors="skip"))) == 2
    found = list(small.pipe(texts, errors="return", threads=3, batch_size=2))
    kinds = [type(one).__name__ for one in found]
    assert kinds == ["Document", "TypeError", "DataError", "TypeError", "Document"]
    assert "half a surrogate pair at character 1" in str(found[2])
    with pytest.raises(ValueError, match="expected raise, skip or return"):
        small.pipe([], errors="ignore")
    with pytest.raises(TypeError, match="call nlp"):
        small.pipe("a text")


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\x00", "a\x00b \x01.", "\ufeffBirds", "🍎" * 100])
def test_odd_texts(nlp, text):
    doc = nlp(text)
    assert doc.text == text
    assert [w.id for s in doc for w in s] == [at for s in doc for at in range(1, len(s) + 1)]
    assert crossarc.reads(doc.to_conllu(), roots="any") and doc.to_dataframe(kind="dict")
    assert len(doc.to_arrow()) == len(doc)


def test_wrong_types_are_told(nlp):
    with pytest.raises(TypeError, match="the text is NoneType, expected str"):
        nlp(None)
    with pytest.raises(crossarc.DataError, match="surrogate"):
        nlp("\udfff")
    with pytest.raises(TypeError, match="list of words"):
        nlp.parse_words(["She", "sees"])
    with pytest.raises(TypeError, match=r"sentences\[0\]\[1\] is NoneType"):
        nlp.parse_words([["She", None]])
    with pytest.raises(crossarc.DataError):
        nlp.parse_words([[]])


def test_a_text_without_a_blank(small):
    doc = small("x" * 10_000_000)
    assert sum(len(word.text) for word in doc.words) == 10_000_000


def test_models_that_cannot_be_used(tmp_path, small):
    missing = tmp_path / "none.crossarc"
    with pytest.raises(FileNotFoundError) as caught:
        crossarc.load(missing)
    assert caught.value.filename == str(missing)
    (tmp_path / "bad.crossarc").write_bytes(b"no model")
    with pytest.raises(crossarc.ModelError) as unread:
        crossarc.load(tmp_path / "bad.crossarc")
    assert unread.value.file == str(tmp_path / "bad.crossarc")
    with pytest.raises(crossarc.ModelError):
        crossarc.load(small.to_bytes()[:5000])
    with pytest.raises(ValueError, match="expected one of text, lines"):
        crossarc.load(format="html")
    alone = crossarc.train(list(small("Birds sing.")), epochs=1)
    with pytest.raises(crossarc.ModelError, match="no tokenizer"):
        alone("Birds sing.")


def test_options(small_path):
    scored = crossarc.load(small_path, scores=True)
    assert all(0 <= word.score <= 1 for word in scored("Birds sing.").words)
    assert crossarc.load(small_path)("Birds sing.").words[0].score is None
    kept = crossarc.load(small_path, keep_heads=True)
    text = "1\tBirds\t_\t_\t_\t_\t0\troot\t_\t_\n2\tsing\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"
    assert [word.head for word in kept.annotate(text).words] == [0, 1]
    assert kept.options["keep_heads"] and kept != crossarc.load(small_path)
    lines = crossarc.load(small_path, format="vertical")
    assert [w.text for w in lines("Birds\nsing\n\nThey\n").words] == ["Birds", "sing", "They"]


def test_one_pipeline_serves_many_threads(small):
    alone = small("Birds sing.")
    found = []

    def work():
        found.extend(small("Birds sing.") == alone for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 160 and all(found)


def test_a_thousand_pipes_leave_no_memory_behind(small):
    def many():
        for _ in range(250):
            list(small.pipe(["Birds sing."] * 3, threads=4))
            next(small.pipe(["Birds sing."] * 3, threads=4))

    many()
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    many()
    gc.collect()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 * 1024
