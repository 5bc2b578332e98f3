"""Parse a text, walk its trees, read and write a treebank."""

from typing import List

import crossarc

nlp = crossarc.load()
doc = nlp("A hearing is scheduled on the issue today. Birds sing.")
for sentence in doc.sentences:
    for word in sentence.words:
        children: List[str] = [child.text for child in word.children]
        print(word.id, word.text, word.lemma, word.upos, word.feats, word.head, word.deprel, children)

texts = ["She sees stars.", "They shine."]
for parsed in nlp.pipe(texts, threads=2):
    root = parsed.sentences[0].root
    print(root.text if root is not None else "no root")

crossarc.write("parsed.conllu", doc)
for sentence in crossarc.read("parsed.conllu"):
    print(sentence.draw())
print(crossarc.evaluate("parsed.conllu", doc)["LAS"])
