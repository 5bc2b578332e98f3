"""Documents in other libraries, each the real one; what is not installed is skipped visibly."""

import builtins

import pytest
from conftest import HEARING

import crossarc

TEXT = "She doesn't like cats. They scratch."


def test_frames_have_the_columns_of_r_udpipe(nlp):
    columns = nlp(TEXT).to_dataframe("d", kind="dict")
    assert list(columns) == [
        "doc_id", "paragraph_id", "sentence_id", "sentence", "token_id", "token", "lemma", "upos",
        "xpos", "feats", "head_token_id", "dep_rel", "deps", "misc",
    ]  # fmt: skip
    assert len({len(column) for column in columns.values()}) == 1
    at = columns["token_id"].index("2-3")
    assert (columns["token"][at], columns["lemma"][at]) == ("doesn't", None)
    assert columns["sentence_id"][-1] == 2 and columns["paragraph_id"][-1] == 1
    with pytest.raises(ValueError, match="expected pandas, polars or dict"):
        nlp(TEXT).to_dataframe(kind="csv")


def test_pandas(nlp):
    pandas = pytest.importorskip("pandas")
    frame = nlp(TEXT).to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and frame["token"].iloc[0] == "She"


def test_polars(nlp):
    polars = pytest.importorskip("polars")
    frame = nlp(TEXT).to_dataframe(kind="polars")
    assert isinstance(frame, polars.DataFrame) and frame["token"][0] == "She"
    assert frame["deps"].dtype == polars.String
    table = polars.DataFrame(nlp(TEXT).to_arrow("d"))
    assert table["doc_id"].to_list() == ["d", "d"]


def test_without_any_library_a_frame_is_a_dict(nlp, monkeypatch):
    real = builtins.__import__

    def poor(name, *rest):
        if name in ("pandas", "polars"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", poor)
    assert isinstance(nlp(TEXT).to_dataframe(), dict)


def test_conllu_dicts():
    conllu = pytest.importorskip("conllu")
    text = HEARING.read_text() + (
        "0.1\tgone\tgo\tVERB\t_\tMood=Ind\t_\t_\t0:root\tA=b\n"
        "1-2\tI'm\t_\t_\t_\tTypo=Yes\t_\t_\t_\tNote=x\n1\tI\tI\tPRON\t_\tCase=Nom\t0\troot\t0:root\t_\n"
        "2\t'm\t_\tAUX\t_\t_\t1\tcop\t1:cop|2.1:x\tFoo=1\n"
        "2.1\there\t_\t_\t_\t_\t_\t_\t0.1:obl\t_\n\n"
    )
    document = crossarc.Document(crossarc.reads(text))
    for mine, theirs in zip(document.to_dicts(), conllu.parse(text)):
        assert mine == [dict(token) for token in theirs]


def test_displacy(nlp):
    found = nlp(TEXT).to_displacy()
    assert [word["text"] for word in found[1]["words"]] == ["They", "scratch", "."]
    displacy = pytest.importorskip("spacy.displacy")
    assert displacy.render(found, manual=True, jupyter=False).count("<svg") == 2


def test_nltk(nlp):
    pytest.importorskip("nltk")
    first, second = nlp(TEXT).to_nltk()
    assert second.root["word"] == "scratch"
    words = [word.text for word in nlp(TEXT).sentences[0].words]
    assert [first.nodes[at + 1]["word"] for at in range(len(words))] == words
    assert (("scratch", "VERB"), "nsubj", ("They", "PRON")) in list(second.triples())
    (hearing,) = crossarc.Document(crossarc.read(HEARING)).to_nltk()
    assert hearing.root["word"] == "scheduled"
    (other,) = crossarc.Document(crossarc.reads("1\tHi\t_\t_\t_\t_\t0\tROOT\t_\t_\n\n")).to_nltk()
    assert other.root["word"] == "Hi"


def test_spacy_documents(nlp):
    spacy = pytest.importorskip("spacy")
    document = nlp(TEXT)
    doc = document.to_spacy(spacy.blank("en").vocab)
    words = document.words
    assert [token.text for token in doc] == [word.text for word in words]
    assert [token.lemma_ for token in doc] == [word.lemma for word in words]
    assert [token.pos_ for token in doc] == [word.upos for word in words]
    assert [token.tag_ for token in doc] == [word.xpos for word in words]
    for token, word in zip(doc, words):
        parent = word.parent
        assert token.head.text == (parent.text if parent else word.text)
        assert token.dep_ == ("ROOT" if word.head == 0 else word.deprel)
        assert str(token.morph) == ("" if str(word.feats) == "_" else str(word.feats))
    assert len(list(doc.sents)) == 2
    assert doc.text == document.text.replace("doesn't", "doesn't")
    assert len(nlp("").to_spacy(spacy.blank("en").vocab)) == 0


def test_spacy_component(nlp):
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("crossarc")
    doc = pipeline("She sees  stars.\n They shine.")
    assert doc.text == "She sees  stars.\n They shine."
    assert [t.dep_ for t in doc if not t.is_space] == ["nsubj", "ROOT", "obj", "punct", "nsubj", "ROOT", "punct"]
    assert [sent.root.text for sent in doc.sents] == ["sees", "shine"]
    assert doc[0].lemma_ == "she" and doc[0].pos_ == "PRON" and doc[0].morph.get("Person") == ["3"]
    assert len(pipeline("")) == 0
    assert [len(doc) for doc in pipeline.pipe(["She sees.", "Why?"])] == [3, 2]


def test_spacy_component_with_a_model_of_ones_own(small_path):
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.add_pipe("crossarc", config={"model": str(small_path)})
    assert [sent.root.text for sent in pipeline("Birds sing. Birds sing.").sents] == ["sing", "sing"]
