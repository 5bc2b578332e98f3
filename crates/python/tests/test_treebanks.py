"""Reading, writing, evaluating, checking; and training."""

import gzip
import logging
import os
import signal
import threading

import pytest
from conftest import HEARING, treebank

import crossarc

BAD = "1\tShe\t_\t_\t_\t_\t0\troot\t_\t_\n\n1\tit\t_\t_\t_\t_\t7\troot\t_\t_\n\n" + treebank(1)


def test_files_are_written_as_they_were(tmp_path):
    path = tmp_path / "copy.conllu"
    assert crossarc.write(path, crossarc.read(HEARING)) == 1
    assert path.read_bytes() == HEARING.read_bytes()
    packed = tmp_path / "packed.conllu.gz"
    packed.write_bytes(gzip.compress(HEARING.read_bytes()))
    assert list(crossarc.read(packed)) == list(crossarc.read(HEARING))
    assert crossarc.read(packed).format == "conllu"
    crossarc.write(path, crossarc.read(HEARING), format="conllx")
    assert crossarc.read(path, format="conllx").format == "conllx"
    with pytest.raises(ValueError, match="without compression"):
        crossarc.write(packed, [])
    with pytest.raises(FileNotFoundError):
        crossarc.write(tmp_path / "no" / "where", [])
    with pytest.raises(ValueError, match="expected a Sentence or a Document, found str"):
        crossarc.write(tmp_path / "half.conllu", [*crossarc.read(HEARING), "x"])
    assert not (tmp_path / "half.conllu").exists()


def test_bad_sentences_have_a_place(tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_text(BAD)
    with pytest.raises(crossarc.DataError, match="there is no such head") as caught:
        list(crossarc.read(path))
    error = caught.value
    assert (error.file, error.line, error.column) == (str(path), 3, 14)
    assert isinstance(error, crossarc.Error) and isinstance(error, ValueError)
    assert len(list(crossarc.read(path, errors="skip"))) == 2
    kinds = [type(one).__name__ for one in crossarc.read(path, errors="return")]
    assert kinds == ["Sentence", "DataError", "Sentence"]
    with pytest.raises(FileNotFoundError) as missing:
        crossarc.read(tmp_path / "none")
    assert missing.value.filename == str(tmp_path / "none")


def test_warnings_are_kept():
    reader = crossarc.reads(treebank(1).replace("\n", "\r\n"))
    list(reader)
    assert any("CR LF" in warning for warning in reader.warnings)


def test_scores(tmp_path):
    gold = list(crossarc.reads(treebank(2)))
    system = list(crossarc.reads(treebank(2)))
    system[0].words[0].deprel = "obj"
    scores = crossarc.evaluate(gold, system)
    assert scores["UAS"] == 100 and scores["LAS"] == pytest.approx(100 * 5 / 6)
    path = tmp_path / "gold.conllu"
    crossarc.write(path, gold)
    assert crossarc.evaluate(path, str(path))["LEM"] == 100
    official = crossarc.evaluate(gold, system, official=True)
    assert official["Words"] == 100 and official["LAS"] == pytest.approx(100 * 5 / 6)
    with pytest.raises(crossarc.DataError):
        crossarc.evaluate(gold, gold[:1])


def test_statistics_and_checks(tmp_path):
    assert crossarc.stats(HEARING)["words"] == crossarc.stats(crossarc.read(HEARING))["words"] == 9
    path = tmp_path / "bad.conllu"
    path.write_text(BAD)
    report = crossarc.check(path)
    assert not report and report.errors >= 1
    assert any(one.line == 3 and one.severity == "error" for one in report.findings)
    assert crossarc.check(HEARING)


def test_training_tells_how_it_goes(caplog):
    lines = []
    sentences = list(crossarc.reads(treebank()))
    with caplog.at_level(logging.INFO, logger="crossarc"):
        nlp = crossarc.train(sentences, sentences, epochs=3, parser="eisner", progress=lines.append)
    assert nlp.info["parser"] == "eisner" and nlp.info["dev_las"] == 100
    assert any("LAS 100.00" in line for line in lines)
    assert [record.message for record in caplog.records] == lines
    assert nlp.path is None


def test_training_says_what_is_wrong():
    sentences = list(crossarc.reads(treebank(1)))
    with pytest.raises(TypeError, match="unknown field `colour`"):
        crossarc.train(sentences, colour="red")
    with pytest.raises(crossarc.TrainError, match="did you mean `arc-eager`"):
        crossarc.train(sentences, parser="arc-eagr")
    with pytest.raises(crossarc.Error, match="no sentence"):
        crossarc.train([])
    with pytest.raises(FileNotFoundError):
        crossarc.train("none.conllu")


def test_interrupted_training_keeps_the_best_model():
    sentences = list(crossarc.reads(treebank(50)))
    epochs = []

    def stop(line):
        if line.startswith("epoch"):
            epochs.append(line)
            if len(epochs) == 2:
                os.kill(os.getpid(), signal.SIGINT)

    nlp = crossarc.train(sentences, sentences, epochs=100_000, progress=stop)
    assert len(epochs) < 100_000
    assert [word.head for word in nlp.parse_words([["Birds", "sing"]]).words] == [2, 0]
    assert threading.main_thread() is threading.current_thread()


def test_find():
    found = list(crossarc.find("H -[nmod]-> D, H << D", HEARING))
    assert [(m["H"].text, m["D"].text, m.sentence.id) for m in found] == [("hearing", "issue", "hearing")]
    sentences = list(crossarc.read(HEARING))
    assert len(list(crossarc.find(crossarc.Query("X[upos=DET]"), sentences))) == 2
    assert len(list(crossarc.find("crossing(X)", sentences[0]))) > 0
    with pytest.raises(ValueError, match="query:1:3"):
        crossarc.find("V[upso=VERB]", sentences)
