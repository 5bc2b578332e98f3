#!/usr/bin/env python3
"""Hostile words through every output, each read by a parser of its format that is not ours.

    scripts/check_injection.py target/release/crossarc

Treebanks whose forms, labels, comments and file names are pieces of HTML, SVG, TeX, DOT, JSON, spreadsheet formulas
and codes of terminals are drawn, converted, parsed, searched and checked. The outputs must be well formed, must hold
the words as they are, and must have the same structure (elements, attributes, commands, cells) as the outputs of the
same trees with harmless words. What goes to a terminal holds no control character of the data. Needs only Python's own
library; Parquet is read where pyarrow is there. Prints a line for each check; the exit code is the number of those that failed.
"""
import csv
import html.parser
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree

HOSTILE = [
    "<script>alert(1)</script>", "</text><script>x</script>", "\"onload=\"alert(1)", "'><img/src=x/onerror=alert(1)>",
    "]]>", "<!--", "-->", "&lt;", "&#0;", "&unknown;", "\\input{/etc/passwd}", "\\end{dependency}", "$x$", "%", "{", "}",
    "\\", "^^5c", "#1", "~", "a&b", "\"]; x [label=\"", "\\\"", "//", "/*", "};{", "=1+1", "=cmd|'/C'!A0", "@SUM(A1)",
    "+1", "-1+2", "a,b", "\"q\"", "\",\"x\":\"", "\\u0000", "${jndi:x}", "{{7*7}}", "\u2028", "\u202ertl", "\u2066x",
    "\ufeff", "\u0085", "\u009b31m", "\u200b", "\U0001f600", "\u05e9\u05dc\u05d5\u05dd", "e\u0301" * 30, "x" * 300,
]
failures = 0


def told(good, what):
    global failures
    failures += not good
    print(("good: " if good else "BAD:  ") + what)
    return good


def treebank(words):
    """Sentences of four words with one crossing arc: a word is the form once and the label of another."""
    lines = []
    for at in range(0, len(words), 2):
        one, other = words[at], words[(at + 1) % len(words)]
        lines.append(f"# sent_id = s{one}\n# text = {one} {other} b c\n# note = {other}")
        lines.append(f"1\t{one}\t{one}\tX\t_\t_\t3\t{other.split(':')[0] or 'x'}\t_\t_")
        lines.append(f"2\t{other}\t_\t{'X'}\t{one}\t_\t4\tdep\t_\tNote={one}")
        lines.append("3\tb\tb\tX\t_\t_\t0\troot\t_\t_\n4\tc\tc\tX\t_\t_\t3\tdep\t_\t_\n")
    return "\n".join(lines) + "\n"


class Elements(html.parser.HTMLParser):
    """The elements of a page with the names of their attributes, and its text."""

    def __init__(self):
        super().__init__()
        self.found, self.text = [], []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, tuple(name for name, _ in attributes)))

    def handle_endtag(self, tag):
        self.found.append(("/" + tag,))

    def handle_comment(self, data):
        self.found.append(("comment",))

    def handle_data(self, data):
        self.text.append(data)


def page(text):
    reader = Elements()
    reader.feed(text)
    reader.close()
    return reader


def elements(text):
    """The elements of a document in XML with the names of their attributes; ids and numbers do not matter."""
    root = xml.etree.ElementTree.fromstring(text)
    return [(element.tag, tuple(sorted(element.attrib))) for element in root.iter()]


def tex(text):
    """Commands, and whether braces are balanced, as TeX's own rules for characters have it."""
    depth, commands, at = 0, [], 0
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            command = re.match(r"\\([A-Za-z@]+|.)", text[at:], re.S).group(0)
            at += len(command)
            # Those that only write a character do not matter.
            if not re.fullmatch(r"\\(text[a-z]+|[^A-Za-z]|char|ensuremath|symbol)", command):
                commands.append(command)
            continue
        if letter == "%":
            at = text.find("\n", at)
            at = len(text) if at < 0 else at
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0, "a brace too many"
        assert text[at:at + 2] != "^^", "a character by its code"
        at += 1
    assert depth == 0, "braces are not balanced"
    return commands


def dot(text):
    """Statements by the grammar of DOT: what stands between quotes is one token."""
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|[A-Za-z_0-9.]+|->|[{}\[\];=,]|\s+|.', text, re.S)
    shape = []
    for token in tokens:
        assert not re.fullmatch(r'["\\]', token), f"a quote that is not closed: {token}"
        if not token.isspace():
            shape.append('"' if token.startswith('"') else re.sub(r"\d+", "0", token))
    return shape


def controls(text):
    """Control characters and those that turn the direction of writing, but for line ends and colours."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    isolates = plain.count("\u2066") + plain.count("\u2067") + plain.count("\u2068")
    if isolates == plain.count("\u2069"):
        plain = re.sub("[\u2066\u2067\u2068\u2069]", "", plain)
    return sorted({hex(ord(one)) for one in plain
                   if one not in "\n\t" and (unicodedata.category(one) == "Cc" or one in "\u202a\u202b\u202c\u202d\u202e")})


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as place:
        def run(*arguments, **more):
            return subprocess.run([program, *arguments], cwd=place, capture_output=True, timeout=600, **more)

        def output(*arguments):
            done = run(*arguments)
            if done.returncode > 1 or b"panicked" in done.stderr:
                told(False, f"{' '.join(arguments)}: {done.stderr.decode(errors='replace')[-300:]}")
            return done.stdout.decode()

        harmless = [("w" + "abcdefghijklmnop"[at % 16]) * 2 for at in range(len(HOSTILE))]
        for name, words in [("hostile", HOSTILE), ("harmless", harmless)]:
            with open(os.path.join(place, name + ".conllu"), "w", encoding="utf-8") as file:
                file.write(treebank(words))
        read = run("convert", "hostile.conllu")
        told(read.stdout.decode() == treebank(HOSTILE), f"CoNLL-U comes out as it went in {read.stderr.decode()[:300]}")

        def both(*arguments):
            return [output(*arguments, name + ".conllu") for name in ("hostile", "harmless")]

        def same(what, shape, texts):
            try:
                hostile, plain = map(shape, texts)
            except Exception as error:  # whatever the parser of the format says
                return told(False, f"{what}: {type(error).__name__}: {error}")
            return told(hostile == plain and len(plain) > 0, f"{what}: {len(plain)} parts, as of harmless words")

        sentences = range(1, len(HOSTILE) // 2 + 1)
        for layout in ("across", "down"):
            for number in sentences:
                drawn = both("draw", "--to", "svg", "--layout", layout, "--sentence", str(number))
                try:
                    found = [[e.tag for e in xml.etree.ElementTree.fromstring(one).iter() if "script" in e.tag
                              or any(key.lower().startswith("on") for key in e.attrib)] for one in drawn]
                    good = found == [[], []]
                except xml.etree.ElementTree.ParseError as error:
                    good = told(False, f"SVG {layout} {number}: {error}")
                if not good:
                    told(False, f"SVG {layout}, sentence {number} ({HOSTILE[2 * number - 2]!r})")
            told(True, f"SVG {layout}: {len(sentences)} pictures read as XML, no script, no handler")
        drawn = both("draw", "--to", "html")
        hostile, plain = (page(one) for one in drawn)
        scripts = [[e for e in one.found if e[0] in ("script", "img", "iframe", "comment")
                    or any(str(a).lower().startswith("on") for a in (e[1] if len(e) > 1 else ()))] for one in (hostile, plain)]
        told(scripts[0] == scripts[1], f"HTML: {len(hostile.found)} elements, none from the data")
        same("TeX", tex, both("draw", "--to", "tikz"))
        same("DOT", dot, both("draw", "--to", "dot"))
        for command in (["draw", "--to", "displacy"], ["stats", "--json"], ["check", "--json"], ["convert", "--to", "json"]):
            try:
                json.loads(output(*command, "hostile.conllu"))
                told(True, "JSON: " + " ".join(command))
            except ValueError as error:
                told(False, f"JSON: {' '.join(command)}: {error}")
        lines = [json.loads(line) for line in output("convert", "--to", "jsonl", "hostile.conllu").split("\n") if line]
        forms = [token["form"] for one in lines for sentence in one["sentences"] for token in sentence["tokens"]]
        told(set(HOSTILE) <= set(forms), "JSON Lines hold the words as they are")

        def rows(text):
            return [len(row) for row in csv.reader(io.StringIO(text), strict=True)]
        texts = both("convert", "--to", "csv")
        same("CSV", rows, texts)
        cells = [cell for row in csv.reader(io.StringIO(texts[0])) for cell in row]
        running = [cell for cell in cells if re.match(r"[=+@\t\r]|-.*[^0-9.]", cell) and len(cell) > 1
                   and not re.fullmatch(r"[-+]?[0-9.]+", cell)]
        told(not running, f"CSV: no cell that a spreadsheet would calculate {running[:3]}")
        told(sum(cell.lstrip("'") in HOSTILE for cell in cells) > len(HOSTILE), "CSV holds the words as they are")
        same("TSV", lambda text: [line.count("\t") for line in text.rstrip("\n").split("\n")], both("convert", "--to", "tsv"))
        run("convert", "hostile.conllu", "-o", "hostile.parquet")
        try:
            import pyarrow.parquet
            table = pyarrow.parquet.read_table(os.path.join(place, "hostile.parquet")).to_pydict()
            cells = list(csv.reader(io.StringIO(texts[0])))
            plain = [[None if one is None else str(one) for one in row] for row in zip(*table.values())]
            expected = [[re.sub("^'", "", one) or None for one in row] for row in cells[1:]]
            shown = [[one and re.sub("^'", "", one) or None for one in row] for row in plain]
            told(list(table) == cells[0] and shown == expected, f"Parquet: {len(plain)} rows as in CSV, read by pyarrow")
        except ImportError:
            print("SKIPPED: Parquet: pyarrow is not there")
        for command in (["draw"], ["draw", "--layout", "down"], ["stats"], ["check"], ["find", "X"], ["find", "--to", "draw", "X"],
                        ["find", "--by", "X.form", "X"]):
            said = run(*command, "hostile.conllu")
            found = controls(said.stdout.decode() + said.stderr.decode())
            told(not found and said.returncode < 2 and said.stdout, f"terminal: {' '.join(command)} {found}")

        # Input that is wrong, in a file whose name is wrong: messages are for terminals.
        name = "a\x1b]0;title\x07\n\u009b31m.conllu"
        with open(os.path.join(place, name), "w", encoding="utf-8") as file:
            file.write("1\t\x1b[31mred\x07\t_\t_\n\n# x\n1\ta\t_\tX\t_\t_\t\x1b[2J\troot\t_\t_\n\n")
        for command in (["convert"], ["check"], ["parse", "--from", "conllu"], ["stats"], ["eval", "hostile.conllu"],
                        ["info", "-m"], ["train", "-m", "x", "--train"], ["find", "X"]):
            said = run(*command, name)
            found = controls(said.stderr.decode(errors="replace") + ("" if command[0] in ("convert", "parse") else said.stdout.decode(errors="replace")))
            told(not found and b"panicked" not in said.stderr, f"messages: {command[0]} {found} {said.stderr[:100] if found else ''}")
        for query in ("X[form=\x1b[31m", "\x1b[31m", "X[form=/\x1b(/]"):
            said = run("find", query, "hostile.conllu")
            told(not controls(said.stderr.decode()), f"messages: a query {controls(said.stderr.decode())}")
        said = run("parse", "--draw", "--text", "\x1b[31mred\x07 \u009b2J \u202eabc")
        told(not controls(said.stdout.decode()), f"terminal: parse --draw {controls(said.stdout.decode())}")
    sys.exit(min(failures, 100))


main()
