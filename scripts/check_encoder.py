#!/usr/bin/env python3
"""Compares our encoder with `transformers` (numbers of all layers) and `tokenizers` (pieces).

    python3 -m venv venv && venv/bin/pip install torch transformers tokenizers
    cargo build --release -p crossarc-encoder --example encode
    venv/bin/python scripts/check_encoder.py FOLDER [--program target/release/examples/encode]

FOLDER holds config.json, model.safetensors and tokenizer.json. The sentences are made here: words of the
vocabulary of the tokenizer, letters from all of Unicode, and cases that are known to be hard. The program
fails if a number differs by more than 1e-4 or a piece differs.
"""
import argparse
import json
import random
import subprocess
import sys
import unicodedata

SENTENCES = 200
TOLERANCE = 1e-4
# As in crates/encoder/src/tokenizer.rs.
MOST_PIECES_OF_WORD = 64

HARD = [
    "Čapek's R.U.R. wasn't naïve , é vs e\u0301 vs \u00c9 !",
    "\u4e2d\u56fd\u4eba lives in \u6771\u4eac\u30bf\u30ef\u30fc \ud55c\uad6d\uc5b4",
    "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1f0 #\ufe0f\u20e3",
    "\u05e9\u05dc\u05d5\u05dd \u0645\u064f\u062d\u064e\u0645\u064e\u0651\u062f \u0928\u092e\u0938\u094d\u0924\u0947 \u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35",
    "zero\u200bwidth soft\u00adhyphen \ufeffmark \u0000null tab\u0301 \ufffd x\ufffdy",
    "[CLS] [SEP] [MASK] [UNK] [PAD] ##ing ## [unused1]",
    "$100 50\u20ac 3.14 1\u2044\u20442 \u00bd \u2167 \u0661\u0662\u0663 x\u00b2",
    "\u0130stanbul \u0131\u015f\u0131k \u1e9e\u00df \u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2 \u01c5 \ufb01n \u212b",
    "a" * 99, "b" * 100, "c" * 101, "\u00e9" * 100, "-" * 70, "don't" * 20,
    "\u201cquoted\u201d \u00abguillemets\u00bb \u2014dash\u2014 \u2026 \u3002\uff01\uff1f",
    "\u00a0 \u2003wide \u3000blank\u3000 \u2028",
    "\ue000private \U000f0000 \U0010ffff \U000e0041 \u0600\u070f",
]


def sentences(vocabulary, rng):
    """Lists of words."""
    found = [line.split(" ") for line in HARD]
    words = [piece for piece in vocabulary if not piece.startswith("##")]
    while len(found) < SENTENCES:
        sentence = []
        for _ in range(rng.choice([1, 3, 8, 15, 25, 40, 120])):
            kind = rng.random()
            if kind < 0.7:
                word = rng.choice(words)
                word = rng.choice([word, word.capitalize(), word.upper(), word + rng.choice(words)])
            elif kind < 0.8:
                word = "".join(rng.choice("abcdefgh.-'12") for _ in range(rng.randrange(1, 12)))
            else:
                word = "".join(letter(rng) for _ in range(rng.randrange(1, 6)))
            word = "".join(c for c in word if c not in "\n\r \x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
            if word:
                sentence.append(word)
        found.append(sentence or ["empty"])
    return found


def letter(rng):
    """A letter of anywhere in Unicode, most often of its first plane."""
    while True:
        code = rng.randrange(0x110000) if rng.random() < 0.1 else rng.randrange(0x20, 0x3100)
        # The tables of `tokenizers` are those of an old Unicode: younger letters are no fair question.
        if not 0xD800 <= code <= 0xDFFF and unicodedata.ucd_3_2_0.category(chr(code)) != "Cn":
            return chr(code)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--program", default="target/release/examples/encode")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    import torch
    from tokenizers import Tokenizer
    from transformers import AutoModel

    rng = random.Random(arguments.seed)
    tokenizer = Tokenizer.from_file(f"{arguments.folder}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.no_truncation()
    # What looks like a special token in a text is text.
    tokenizer.encode_special_tokens = True
    with open(f"{arguments.folder}/tokenizer.json", encoding="utf-8") as file:
        unknown = tokenizer.token_to_id(json.load(file)["model"]["unk_token"])
    model = AutoModel.from_pretrained(arguments.folder, dtype=torch.float32).eval()
    torch.set_num_threads(1)

    cases = sentences(sorted(tokenizer.get_vocab()), rng)
    lines = "".join(" ".join(words) + "\n" for words in cases)
    done = subprocess.run([arguments.program, arguments.folder], input=lines.encode(),
                          stdout=subprocess.PIPE, check=True)
    answers = done.stdout.decode().splitlines()
    assert len(answers) == len(cases), "a line for each sentence"

    wrong_words, words_seen, empty, cut, pieces_seen, worst, read = 0, 0, 0, 0, 0, 0.0, 0
    for words, answer in zip(cases, answers):
        of_words, ids, layers = json.loads(answer)
        for word, ours in zip(words, of_words):
            words_seen += 1
            theirs = tokenizer.encode([word], is_pretokenized=True, add_special_tokens=False).ids
            if not theirs:
                # A word that is nothing to the tokenizer is the unknown piece to us.
                empty += 1
                theirs = [unknown]
            if len(theirs) > MOST_PIECES_OF_WORD:
                cut += 1
                theirs = theirs[:MOST_PIECES_OF_WORD]
            if theirs != ours:
                wrong_words += 1
                print(f"pieces of {word!r}: ours {ours}, theirs {theirs}")
        pieces_seen += len(ids)
        if not layers:
            continue
        with torch.no_grad():
            theirs = model(input_ids=torch.tensor([ids]), attention_mask=torch.ones(1, len(ids)),
                           output_hidden_states=True).hidden_states
        assert len(theirs) == len(layers), "all layers"
        read += 1
        for layer, ours in enumerate(layers):
            ours = torch.tensor(ours).view(len(ids), -1)
            difference = (ours - theirs[layer][0]).abs().max().item()
            worst = max(worst, difference)
            if not difference < TOLERANCE:
                print(f"layer {layer} of {words}: differs by {difference}")
    print(f"{len(cases)} sentences, {words_seen} words, {pieces_seen} pieces")
    print(f"words with other pieces: {wrong_words}; {empty} words are nothing to the reference, "
          f"{cut} are longer than {MOST_PIECES_OF_WORD} pieces")
    print(f"largest difference of a number in {read} sentences, all layers: {worst:.2e}")
    sys.exit(wrong_words > 0 or not worst < TOLERANCE)


if __name__ == "__main__":
    main()
