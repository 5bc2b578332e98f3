#!/usr/bin/env python3
"""Whether clients that were written for others get along with the server: on loopback.

    scripts/check_clients.py target/release/crossarc [--examples 100]

schemathesis sends requests made of the OpenAPI description, good and bad ones, and looks at status, type and
schema of every answer. udapi speaks UDPipe's protocol as it does to LINDAT's server. curl sends files and
forms. What is needed comes by pip into a virtual environment of its own; the exit code tells failures.

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
        subprocess.run([*pip, "schemathesis==4.32.5", "udapi==0.5.2"], check=True)
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
            command = [os.path.join(programs, "schemathesis"), "run", address + "v1/openapi.json", "--seed", "1"]
            command += ["--max-examples", str(options.examples), "--exclude-checks", "positive_data_acceptance"]
            return subprocess.run(command, cwd=folder, check=False).returncode
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    sys.exit(main())
