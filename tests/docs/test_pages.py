"""The pages of the documentation do what they say: each block of code runs, and prints what is shown.

`tests/helpers/doc_blocks.py` lists the kinds of blocks; `tests/cpp/test_page.py` runs those that need a compiler.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest

from tests.helpers.doc_blocks import CLIENTS, CPP, blocks_by_page, with_output
from tests.helpers.doc_reader import Reader
from tests.helpers.places import ROOT

BLOCKS = blocks_by_page()
READ = [
    page
    for page, found in BLOCKS.items()
    if page != CPP
    and not page.startswith(CLIENTS)
    and "zh" not in re.split(r"\W", page)
    and {block.kind for block in found} - {"rendered"}
]
"""the pages with something to run; those in Chinese have the blocks of the English ones (test_chinese.py)"""


def host_program() -> str:
    """The host program on the page of the command."""
    (block,) = [block for block in BLOCKS["docs/command.md"] if block.file == "host.py"]
    return block.code


GIVEN: dict[str, Callable[[], str]] = {
    "host.py": host_program,
    "program.py": (ROOT / "samples" / "pyacl_softmax_backward.py").read_text,
}
"""files that pages expect their reader to have"""


@pytest.fixture
def reader(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """In a fresh folder; pytest runs in this process."""
    for name in ("WINDOW", "PATIENCE"):  # they would be part of the command that repeats a test
        monkeypatch.delenv(f"ACL_EMULATOR_{name}", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # a file that changes twice in a second has to be compiled

    def here(arguments: list[str]) -> tuple[int, str]:
        quiet = "ignore::pytest.PytestAssertRewriteWarning"  # the packages are imported before this pytest starts
        result = pytester.runpytest_inprocess("-p", "acl_runtime.pytest_plugin", "-W", quiet, *arguments)
        return int(result.ret), result.stdout.str()

    return Reader(pytester.path, here)


@pytest.mark.parametrize("page", READ)
def test_a_page_does_what_it_says(page: str, reader: Reader) -> None:
    """From top to bottom: files are written and changed, programs and commands run and print the text that is shown."""
    commands = "".join(block.code for block in BLOCKS[page] if block.kind == "commands")
    for name, text in GIVEN.items():
        if f" {name}" in commands:
            reader.write(name, text())
    before = ""
    for block, shown in with_output(BLOCKS[page]):
        before, in_cpp = block.kind, before in ("compiled", "kit") and block.kind == "output"
        if in_cpp:  # tests/cpp runs it
            continue
        try:
            reader.read(block, shown)
        except BaseException as error:  # of a program, of a failed comparison, or of pytest
            raise AssertionError(f"{block.where}: {error}") from error
