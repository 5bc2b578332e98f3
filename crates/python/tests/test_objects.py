"""Documents, sentences, words and tokens."""

import copy
import pickle
import subprocess
import sys

import pytest
from conftest import HEARING

import crossarc

TEXT = "She don’t like cats.  “They scratch”, she said.\n\nÄpfel 🍎 fell."

HAND = """\
# sent_id = a
# text = I'm here
1-2\tI'm\t_\t_\t_\tTypo=Yes\t_\t_\t_\tNote=x
1\tI\tI\tPRON\tPRP\tCase=Nom|Number=Sing\t3\tnsubj\t_\t_
2\t'm\tbe\tAUX\tVBP\t_\t3\tcop\t_\t_
3\there\there\tADV\tRB\t_\t0\troot\t3:root|2:x\tFoo=1|Bar
3.1\tgone\tgo\tVERB\t_\t_\t_\t_\t0:root\t_

"""


def test_words_have_all_that_the_file_says():
    (sentence,) = crossarc.reads(HAND)
    assert (sentence.id, sentence.text, sentence.line) == ("a", "I'm here", 1)
    assert sentence.comments == ["sent_id = a", "text = I'm here"]
    word = sentence.words[0]
    assert (word.id, word.text, word.lemma, word.upos, word.xpos) == (1, "I", "I", "PRON", "PRP")
    assert (word.head, word.deprel, word.deps) == (3, "nsubj", "_")
    assert dict(word.feats) == {"Case": "Nom", "Number": "Sing"}
    assert str(word.feats) == "Case=Nom|Number=Sing" == word.feats
    assert word["Lemma"] == "I" and word["ID"] == "1"
    assert sentence.words[2].misc.items() == [("Foo", "1"), ("Bar", "")]
    assert [token.text for token in sentence.tokens] == ["I'm", "here"]
    token = sentence.tokens[0]
    assert token.is_multiword and token.id == "1-2" and token.misc["Note"] == "x"
    assert token.feats == "Typo=Yes" and sentence.tokens[1].feats == "_"
    assert [word.text for word in token.words] == ["I", "'m"]
    (node,) = sentence.empty_nodes
    assert (node.id, node.text, node.deps) == ("3.1", "gone", "0:root")
    assert sentence.to_conllu() == HAND


def test_the_tree_can_be_walked():
    (sentence,) = crossarc.read(HEARING)
    hearing = sentence.words[1]
    assert [child.text for child in hearing.children] == ["A", "issue"]
    assert hearing.parent == sentence.root
    assert [word.text for word in hearing.subtree] == ["A", "hearing", "on", "the", "issue"]
    assert [word.text for word in sentence.words[5].ancestors] == ["issue", "hearing", "scheduled"]
    assert sentence.root.parent is None and sentence.root.ancestors == []
    assert [word.text for word in sentence if word.is_crossing]
    assert not sentence.is_projective
    for word in sentence:
        assert word.children == [other for other in sentence if other.head == word.id]


def test_sentences_can_be_changed():
    (sentence,) = crossarc.reads(HAND)
    word = sentence.words[0]
    word.lemma, word.head, word.deprel = "me", 2, "dep"
    word.feats = {"Number": "Sing", "Case": "Acc"}
    word.misc = None
    for wrong in ({"A": "x|B=y"}, {"A=": "x"}, {"": "x"}):
        with pytest.raises(ValueError, match="cannot be written as features"):
            word.feats = wrong
    sentence.set_comment("sent_id", "b")
    assert word.parent.text == "'m" and [w.id for w in sentence.words[1].children] == [1]
    line = sentence.to_conllu().splitlines()[3]
    assert line == "1\tI\tme\tPRON\tPRP\tCase=Acc|Number=Sing\t2\tdep\t_\t_"
    (again,) = crossarc.reads(sentence.to_conllu(), roots="any")
    assert again == sentence and again.id == "b"
    for wrong in (1, 9):
        with pytest.raises(ValueError, match="cannot have head"):
            word.head = wrong
    word.head = None
    with pytest.raises(crossarc.DataError):
        sentence.is_projective


def test_places_are_those_of_the_text(nlp):
    doc = nlp(TEXT)
    tokens = [token for sentence in doc for token in sentence.tokens]
    assert tokens
    for token in tokens:
        assert doc.text[token.start : token.end] == token.text
    told = crossarc.load(format="lines")("Birds sing.\nThey fly.")
    assert [told.text[s.words[0].start :][:1] for s in told] == ["B", "T"]


def test_equality_and_hashes(nlp):
    one, other = nlp("She sees stars."), nlp("She sees stars.")
    assert one == other and hash(one) == hash(other)
    assert one.sentences[0] == other.sentences[0]
    assert len({one.sentences[0], other.sentences[0]}) == 1
    assert one.words[0] == other.words[0] and one.words[0] != one.words[1]
    word = other.words[0]
    before = hash(word), hash(word.sentence)
    word.lemma = "x"
    assert one != other and one.words[0] != word
    assert (hash(word), hash(word.sentence)) == before
    assert one != "text" and one.words[0] != "She"


def test_pickles_and_copies(nlp):
    doc = nlp(TEXT)
    again = pickle.loads(pickle.dumps(doc))
    assert again == doc and again.text == TEXT
    assert [w.start for w in again.words] == [w.start for w in doc.words]
    (sentence,) = crossarc.reads(HAND)
    for twin in (pickle.loads(pickle.dumps(sentence)), copy.deepcopy(sentence)):
        assert twin == sentence and twin.to_conllu() == HAND
        twin.words[0].lemma = "x"
        assert twin != sentence
    assert pickle.loads(pickle.dumps(sentence.words[1])) == sentence.words[1]
    feats = sentence.words[0].feats
    assert pickle.loads(pickle.dumps(feats)) == feats
    plus = "# global.columns = ID FORM X\n1\ta\tb\n\n1\tc\td\n\n"
    for sentence in crossarc.reads(plus):
        again = pickle.loads(pickle.dumps(sentence))
        assert again == sentence and again.words[0]["X"] == sentence.words[0]["X"]


def test_pipelines_pickle_as_path_and_hash(nlp, small, small_path, tmp_path):
    for pipeline in (nlp, small):
        data = pickle.dumps(pipeline)
        assert len(data) < 1000
        assert pickle.loads(data) == pipeline
    assert small != nlp and hash(small) != hash(nlp)
    moved = tmp_path / "moved.crossarc"
    moved.write_bytes(small_path.read_bytes())
    data = pickle.dumps(crossarc.load(moved))
    nlp_bytes = nlp.to_bytes()
    moved.write_bytes(nlp_bytes)
    with pytest.raises(crossarc.ModelError, match="not the model that was pickled"):
        pickle.loads(data)
    with pytest.raises(crossarc.ModelError, match="save it first"):
        pickle.dumps(crossarc.load(small.to_bytes()))


def test_pickles_travel_to_other_processes(small, tmp_path):
    path = tmp_path / "pipeline.pickle"
    path.write_bytes(pickle.dumps(small))
    program = f"import pickle; print(pickle.load(open({str(path)!r}, 'rb'))('Birds sing.').words[0].deprel)"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout == "nsubj\n"


def test_drawings(nlp):
    (sentence,) = crossarc.read(HEARING)
    assert "issue" in sentence.draw()
    html = sentence._repr_html_()
    assert html.startswith("<svg") and "crossing" in html
    doc = nlp("One is here. Two is there.")
    assert doc._repr_html_().count("<svg") == 2
    assert crossarc.draw(doc, to="html").count("<section") == 2
    assert "\\begin{dependency}" in doc.draw("tikz")
    with pytest.raises(ValueError, match="expected one of text, svg"):
        sentence.draw("png")


def test_mappings():
    feats = crossarc.Features("A=1|B")
    from collections.abc import Mapping

    assert isinstance(feats, Mapping)
    assert feats == {"A": "1", "B": ""} and feats != {"A": "1"} and "A" in feats and 3 not in feats
    assert feats.get("C") is None and feats.get("C", 5) == 5
    with pytest.raises(KeyError):
        feats["C"]
    assert {feats: 1}["A=1|B"] == 1
    assert not crossarc.Features() and list(feats) == ["A", "B"]


def test_indices(nlp):
    doc = nlp("She sees stars.")
    assert doc[-1] == doc[0] and doc[0][-1].text == "." and len(doc[0]) == 4
    with pytest.raises(IndexError):
        doc[1]
    with pytest.raises(IndexError):
        doc[0][4]
