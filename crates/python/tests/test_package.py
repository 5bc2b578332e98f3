"""Examples of docstrings, types of the examples, and what stands in the stubs."""

import ast
import doctest
import inspect
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import HERE

import crossarc

ROOT = HERE.parents[2]


def documented():
    """Everything public that has a docstring, with its name."""
    yield "crossarc", crossarc.__doc__
    for name in crossarc.__all__:
        value = getattr(crossarc, name)
        yield name, inspect.getdoc(value)
        if inspect.isclass(value):
            for inner, attribute in vars(value).items():
                if not inner.startswith("_") or inner == "__call__":
                    yield f"{name}.{inner}", inspect.getdoc(attribute)


EXAMPLES = [(name, text) for name, text in documented() if text and ">>>" in text]


@pytest.mark.parametrize("name,text", EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_examples_in_docstrings_run(name, text, monkeypatch):
    monkeypatch.chdir(ROOT)
    test = doctest.DocTestParser().get_doctest(text, {"crossarc": crossarc}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    report = []
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)


def test_there_are_examples():
    assert len(EXAMPLES) > 15


def test_everything_public_is_documented():
    missing = [name for name, text in documented() if not text and name != "arrow"]
    assert not missing


def test_the_stubs_know_every_name():
    source = (Path(crossarc.__file__).parent / "_crossarc.pyi").read_text()
    classes = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)}
    for name in ("Word", "Token", "EmptyNode", "Sentence", "Document", "Pipeline", "Reader", "Features"):
        told = set()
        for node in classes[name].body:
            if isinstance(node, ast.FunctionDef):
                told.add(node.name)
            elif isinstance(node, ast.AnnAssign):
                told.add(node.target.id)
        real = {inner for inner in vars(getattr(crossarc, name)) if not inner.startswith("_")}
        assert real <= told, f"{name}: {real - told} should be in the stubs"
        public = {inner for inner in told if not inner.startswith("_")}
        assert public <= real, f"{name}: {public - real} is in the stubs only"


def test_types(tmp_path):
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path)]
    files = sorted(str(path) for path in (HERE.parent / "examples").glob("*.py"))
    package = ["-p", "crossarc"]
    for what in (files, package):
        done = subprocess.run(
            [*command, "--ignore-missing-imports", *what],
            capture_output=True,
            text=True,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", sorted((HERE.parent / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(path, tmp_path):
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, cwd=tmp_path, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("path", sorted((HERE.parent / "examples").glob("*.ipynb")), ids=lambda p: p.name)
def test_notebooks_run(path):
    """Cell by cell, each of which ends with an expression; some of them draw themselves."""
    names = {}
    drawn = 0
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        code = ast.parse("".join(cell["source"]), path.name)
        last = code.body.pop()
        exec(compile(code, path.name, "exec"), names)
        value = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
        drawn += "<svg" in getattr(value, "_repr_html_", str)()
    assert drawn >= 3


def test_import_needs_nothing_else():
    program = (
        "import sys, crossarc; print(sorted(set(sys.modules) & "
        "{'numpy', 'pandas', 'polars', 'pyarrow', 'spacy', 'tqdm', 'nltk', 'pyspark'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
