"""docs/command.md: its commands run, and they print what the page shows."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from aclnn.__main__ import main
from tests.test_docs import ROOT

PAGE = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"`([\w.]+)`[^`\n]*:\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
RUN = re.compile(r"^```sh\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TOLD = re.compile(r"aclnn (ops|explain|doctor)[\w -]*")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Of a shell that has the command, in a folder with the page's files."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = tmp_path / "bin" / "aclnn"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m aclnn "$@"\n', encoding="utf-8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    return {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


@pytest.mark.parametrize(("script", "shown"), RUN.findall(PAGE), ids=[f.split("\n")[0] for f, _ in RUN.findall(PAGE)])
def test_a_block_prints_what_it_shows(
    script: str, shown: str, tmp_path: Path, environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Line by line, in this order; between them may be others. What runs no program and needs no shell is run here."""
    if all(TOLD.fullmatch(line) for line in script.splitlines()):
        assert [main(line.split()[1:]) for line in script.splitlines()] == [0] * script.count("\n")
        output = capsys.readouterr().out
    else:
        done = subprocess.run(
            ["bash", "-euc", script], cwd=tmp_path, env=environment, text=True, check=False, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        output = done.stdout.replace(f"{tmp_path}/", "")
    lines = iter(output.splitlines())
    for line in shown.splitlines():
        assert line in lines, f"{line}\n{output}"


def test_every_block_is_run() -> None:
    assert PAGE.count("```sh\n") == PAGE.count("```text\n") == len(RUN.findall(PAGE))
    assert PAGE.count("```python\n") == len(FILES) == 1


def test_the_block_of_the_readme_runs(tmp_path: Path, environment: dict[str, str]) -> None:
    """It ends with 86, as something is found in this page's program."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```sh\n(aclnn explain .*?)^```$", readme, re.MULTILINE | re.DOTALL)
    done = subprocess.run(["bash", "-euc", script], cwd=tmp_path, env=environment, text=True, check=False,
                          capture_output=True)  # fmt: skip
    assert done.returncode == 86, done.stderr
    assert done.stdout.startswith("161002  ACLNN_ERR_PARAM_INVALID\n")
    assert done.stdout.endswith("\nAscend310P3 aclrtMalloc: 0\n")
