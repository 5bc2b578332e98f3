"""Every block of code in the documentation runs, and prints what stands below it.

Blocks of a page run one after the other in an empty folder. A word behind the language says what a block
needs besides the package and pyarrow; `file=NAME` makes it a file. What cannot run here is skipped visibly.
"""

import contextlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import HERE

ROOT = HERE.parents[2]
PAGES = ["README.md", "docs/book/src/python.md", "docs/book/src/clusters.md"]
BLOCK = re.compile(r"^```(\w+)[ ]?([^\n]*)\n(.*?)^```$", re.M | re.S)

# What a scheduler does with an array of jobs, one after the other.
SBATCH = """#!/bin/bash
set -e
range=$(sed -n 's/^#SBATCH --array=//p' "$1")
export SLURM_ARRAY_TASK_MIN=${range%-*}
export SLURM_ARRAY_TASK_COUNT=$((${range#*-} - SLURM_ARRAY_TASK_MIN + 1))
for SLURM_ARRAY_TASK_ID in $(seq ${range/-/ }); do export SLURM_ARRAY_TASK_ID; bash "$1" >/dev/null; done
"""


def blocks(page):
    """Language, needs, code and expected output of each block, and the line it begins in."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        language, needs, code = match.groups()
        if page == "README.md" and language != "python":
            continue  # The tests of the program run these.
        line = text.count("\n", 0, match.start()) + 1
        if language == "text":
            assert found and found[-1][3] is None, f"{page}:{line}: output of which block?"
            found[-1][3] = code
        else:
            found.append([language, needs, code, None, line])
    return found


def program():
    """The program `crossarc`, if it was built."""
    told = os.environ.get("CROSSARC_PROGRAM", str(ROOT / "target" / "debug" / "crossarc"))
    return told if Path(told).is_file() else None


def missing(language, needs):
    if needs == "spark":
        if importlib.util.find_spec("pyspark") is None or shutil.which("java") is None:
            return "Spark or Java"
    elif needs == "program":
        if program() is None:
            return "the program (CROSSARC_PROGRAM names it)"
    elif needs and not needs.startswith("file="):
        if importlib.util.find_spec(needs) is None:
            return needs
    return None


def shell(code, folder, path):
    environment = {**os.environ, "PATH": path}
    command = ["bash", "-euo", "pipefail", "-c", code]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def python(code, names, where):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, where, "exec"), names)
    return out.getvalue()


@pytest.mark.parametrize("page", PAGES)
def test_code_of_the_documentation_runs(page, tmp_path, monkeypatch):
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "sbatch").write_text(SBATCH)
    (tools / "sbatch").chmod(0o755)
    (tools / "python").symlink_to(sys.executable)
    if program():
        (tools / "crossarc").symlink_to(program())
    # The interpreter of a virtual environment is known by where it is called.
    path = os.pathsep.join([str(Path(sys.executable).parent), str(tools), os.environ["PATH"]])
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in [name for name in os.environ if name.startswith("SLURM_")]:
        monkeypatch.delenv(name)
    names = {}
    left_out = []
    ran = 0
    for language, needs, code, expected, line in blocks(page):
        where = f"{page}:{line}"
        if "pip install" in code:
            continue  # What this test runs in has been made that way.
        if lacks := missing(language, needs):
            left_out.append(f"{where} needs {lacks}")
            continue
        if needs.startswith("file="):
            (folder / needs[len("file=") :]).write_text(code)
            continue
        assert language in ("python", "sh"), where
        found = python(code, names, where) if language == "python" else shell(code, folder, path)
        ran += 1
        if expected is not None:
            assert found == expected, f"{where}: {found}"
    assert ran > (0 if page == "README.md" else 5)
    if left_out:
        pytest.skip(f"the rest is well; left out: {'; '.join(left_out)}")
