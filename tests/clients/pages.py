"""The pages of docs/clients/: the test of a client runs its page."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.helpers.doc_blocks import blocks, with_output
from tests.helpers.doc_reader import assert_printed
from tests.helpers.places import ROOT

PATIENCE = 1800


def read(page: str, folder: Path, environment: Mapping[str, str]) -> None:
    """Write the files of a page and run its commands, from top to bottom, in this folder. Lines of pip and tar are not
    run: the fixtures have done what they say, and `installed` compares the versions."""
    for block, shown in with_output(blocks(ROOT / "docs" / "clients" / page)):
        if block.kind == "file":
            file = folder / block.file
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.exists() or file.read_text(encoding="utf-8") != block.code:  # else cmake would start anew
                file.write_text(block.code, encoding="utf-8")
        if block.kind == "client":
            script = "\n".join(line for line in block.code.splitlines() if not line.startswith(("pip ", "tar ")))
            done = subprocess.run(
                ["bash", "-euc", script], cwd=folder, env=dict(environment), stdout=subprocess.PIPE, check=False,
                stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", timeout=PATIENCE,
            )  # fmt: skip
            assert done.returncode == 0, f"{block.where}: {done.stdout[-4000:]}"
            assert_printed(shown, done.stdout)


def installed(page: str) -> set[str]:
    """The requirements with a version, `NAME==VERSION`, that the pip commands of a page name."""
    code = "".join(block.code for block in blocks(ROOT / "docs" / "clients" / page) if block.kind == "client")
    return {word for line in code.splitlines() if line.startswith("pip ") for word in line.split() if "==" in word}


def pinned(requirements: Path) -> set[str]:
    """Those of the tests."""
    lines = requirements.read_text(encoding="utf-8").splitlines()
    return {line.split()[0].replace("_", "-") for line in lines}


def command(folder: Path, name: str, line: str) -> None:
    """Make a command in the folder `bin`."""
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec {line} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
