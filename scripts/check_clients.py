#!/usr/bin/env python3
"""Whether clients that were written for others get along with the server: on loopback.

    scripts/check_clients.py target/release/crossarc [--examples 100]

schemathesis sends requests made of the OpenAPI description, good and bad ones, and looks at status, type and
schema of every answer. udapi speaks UDPipe's protocol as it does to LINDAT's server. curl sends files and
forms. The formats of input and output are compared with those of ufal.udpipe. What is needed comes by pip into a virtual environment of its own; the exit code tells failures.

One check of schemathesis is left out: that every request that fits the schema is accepted. No schema can
say what is a tree in CoNLL-U.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import venv

UDAPI = '''
import sys
from udapi.core.document import Document
from udapi.tool.udpipeonline import UDPipeOnline

tool = UDPipeOnline("english", server=sys.argv[1])
assert tool.list_models() == ["english-ewt"]
assert tool.segment_text("Cats sleep.  Dogs bark.") == ["Cats sleep.", "Dogs bark."]

document = Document()
root = document.create_bundle().create_tree()
root.text = "Cats sleep. Dogs bark."
trees = tool.tokenize_tag_parse_tree(root, resegment=True)
assert [tree.text for tree in trees] == ["Cats sleep.", "Dogs bark."]
cats, sleep, stop = root.descendants
assert (cats.lemma, cats.upos, cats.deprel, cats.parent) == ("cat", "NOUN", "nsubj", sleep)
assert sleep.no_space_after and stop.parent is sleep

words = document.create_bundle().create_tree()
for form in "Dogs bark .".split():
    words.create_child(form=form)
tool.tag_parse_tree(words)
assert [node.deprel for node in words.descendants] == ["nsubj", "root", "punct"]

document = Document()
for text in ["Cats sleep.", "Dogs bark."]:
    document.create_bundle().create_tree().text = text
tool.process_document(document, ranges=True)
found = [node.misc["TokenRange"] for tree in document.trees for node in tree.descendants]
assert found == ["0:4", "5:10", "10:11", "12:16", "17:21", "21:22"], found
'''

UFAL = r'''
import json
import sys
import urllib.parse
import urllib.request
from ufal import udpipe

TREES = """# newdoc
# newpar
# sent_id = 1
# text = I can't  go.
1\tI\ti\tPRON\t_\tCase=Nom\t4\tnsubj\t_\t_
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\s\\s
2\tca\tcan\tAUX\t_\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\t_\t_\t4\tadvmod\t_\t_
4\tgo\tgo\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_

# sent_id = 2
# text = New York
1\tNew York\t_\tPROPN\t_\t_\t0\troot\t_\tSpacesAfter=\\n\\n

# newpar
# sent_id = 3
# text = Why?
1\tWhy\t_\tADV\t_\t_\t0\troot\t_\tSpaceAfter=No
2\t?\t_\tPUNCT\t_\t_\t1\tpunct\t_\tSpacesAfter=\\n

"""
LINES = "Cats sleep .\n\nDogs bark\na b\n"
COLUMN = "Cats\nsleep\n\nDogs\n\n\nbark\n"


def theirs(data, source, target):
    reader, writer = udpipe.InputFormat.newInputFormat(source), udpipe.OutputFormat.newOutputFormat(target)
    reader.setText(data)
    sentence, error, out = udpipe.Sentence(), udpipe.ProcessingError(), ""
    while reader.nextSentence(sentence, error):
        out += writer.writeSentence(sentence)
    assert not error.occurred(), error.message
    return out + writer.finishDocument()


def ours(data, source, target):
    form = urllib.parse.urlencode({"data": data, "input": source, "output": target}).encode()
    with urllib.request.urlopen(sys.argv[1] + "process", form) as answer:
        return json.load(answer)["result"]


TABLES = ["horizontal", "horizontal=paragraphs", "vertical", "vertical=paragraphs", "plaintext", "plaintext=normalized_spaces"]
for source, data in [("conllu", TREES), ("horizontal", LINES), ("vertical", COLUMN)]:
    for target in TABLES + ["conllu"] * (source == "conllu"):
        mine, other = ours(data, source, target), theirs(data, source, target)
        assert mine == other, (source, target, mine, other)
'''


def curl(*arguments):
    done = subprocess.run(["curl", "-sS", "--fail", *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["result"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--examples", type=int, default=100, metavar="N", help="most requests of a kind (100)")
    options = parser.parse_args()
    treebank = os.path.join(os.path.dirname(__file__), "..", "examples", "hearing.conllu")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        programs = os.path.join(folder, "bin")
        pip = [os.path.join(programs, "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "schemathesis==4.32.5", "udapi==0.5.2", "ufal.udpipe==1.4.0.1"], check=True)
        # The program's `view` has all that `serve` has, and a treebank.
        command = [options.program, "view", treebank, "--address", "127.0.0.1:0"]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            address = re.search(r"http://\S+", server.stderr.readline())[0]
            text = os.path.join(folder, "text.txt")
            with open(text, "w", encoding="utf-8") as file:
                file.write("Cats sleep.\n")
            steps = ["tokenizer", "tagger", "parser"]
            form = [one for step in steps for one in ("-F", f"{step}=")]
            plain = [one for step in steps for one in ("--data-urlencode", f"{step}=")]
            by_form = curl("-F", f"data=@{text}", *form, address + "process")
            by_body = curl("--data-urlencode", f"data@{text}", *plain, address + "process")
            by_query = curl("-G", "--data-urlencode", f"data@{text}", *plain, address + "process")
            assert by_form == by_body == by_query and "\tVERB\t" in by_form, (by_form, by_body, by_query)
            print("curl: -F, --data-urlencode and -G give the same trees", flush=True)
            python = os.path.join(programs, "python")
            subprocess.run([python, "-c", UDAPI, address.rstrip("/")], check=True)
            print("udapi: models, texts, sentences, words and documents are well", flush=True)
            subprocess.run([python, "-c", UFAL, address], check=True)
            print("ufal.udpipe: formats of input and output are the same", flush=True)
            command = [os.path.join(programs, "schemathesis"), "run", address + "v1/openapi.json", "--seed", "1"]
            command += ["--max-examples", str(options.examples), "--exclude-checks", "positive_data_acceptance"]
            return subprocess.run(command, cwd=folder, check=False).returncode
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    sys.exit(main())
