"""The fenced blocks of the documentation. Each has a kind, and the kind decides how it is tested.

A block without a kind fails `tests/project/test_docs.py`. `tests/docs/test_pages.py` runs blocks, by
`tests/helpers/doc_reader.py`, if the table names nobody else.

| kind | which blocks | what is done |
|---|---|---|
| file | the paragraph before ends with the file's name and a colon: "`host.py`, which ...:" | written to the folder |
| change | `diff` | applied to the file that has its lines |
| program | `python` that is no file | run; its functions `test_...` are called |
| commands | `sh` | run in the folder; what sets up an environment is held to the project's names and to `.ci/run` |
| compiled | `sh` that makes a toolkit or runs a C++ program, and all of docs/cpp.md | run by `tests/cpp/test_page.py` |
| kit | `sh` with a conformance kit | needs the libraries of C: done by `tests/cpp/conformance` |
| client | `sh` of docs/clients/ | run by the test of the client in `tests/clients/`, with its files and outputs |
| output | `text` after a program or commands | its lines were printed, in this order; others may be between them |
| tree | `text` that begins with a folder | each file and folder is there |
| port | `c` with a line of Python beside each of C | run, compared with the sample, compiled by `tests/cpp` |
| contents | `{toctree}` | nothing: it is for the site |
| release | `sh` of docs/releasing.md | it publishes, so it is not run: the files that it names must exist |
| rendered | made by `python -m aclnn.render` | its file is not stale; `test_docs.py` knows its parts |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from aclnn.tools import render
from aclnn.tools.pages.doc_site import OWN
from tests.helpers.places import ROOT


def written(docs: Path) -> list[Path]:
    """The pages of a folder, without those that exist only on the site."""
    return sorted(path for path in docs.rglob("*.md") if path.relative_to(docs).parts[0] not in OWN)


PAGES = [*sorted(ROOT.glob("README*.md")), *sorted(ROOT.glob("C*.md")), *written(ROOT / "docs")]
RELEASE = "docs/releasing.md"
CPP = "docs/cpp.md"
"""needs a compiler, so the step tests/cpp reads it"""
MISSING = "docs/my-operator-is-missing.md"
"""one of its programs needs a compiler"""
KERNELS = "docs/my-kernel.md"
"""builds a program"""
CLIENTS = "docs/clients/"
"""need programs of others"""
CHINESE = "docs/zh/"
"""its blocks are those of the English pages and are run there; a block has the kind that it has there"""
FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"`([\w./-]+\.\w+|Dockerfile)`[^`]*[:：]$")
FILES = ("python", "cpp", "cmake", "yaml", "toml", "json", "ini", "dockerfile")
MADE = "made by python -m aclnn.render -->"
MADE_PART_ENDS = "<!-- end of the "


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    page: str
    line: int
    language: str
    code: str
    section: str
    file: str
    """the name before a block that is a file"""
    kind: str
    """empty for a block of no kind"""

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"


@cache
def made_files() -> frozenset[str]:
    """Those that `python -m aclnn.render` writes. It asks all operators, which takes seconds."""
    return frozenset(render.files())


@cache
def blocks(page: Path) -> list[Block]:
    """All blocks of a page, from top to bottom."""
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    rendered = text.find(MADE) if name in made_files() else -1
    found: list[Block] = []
    for match in FENCE.finditer(text):
        before = text[: match.start()]
        language, code = match.groups()
        named = NAME.search(before.rstrip().rpartition("\n\n")[2]) if language in FILES else None
        sections = re.findall(r"^## (.*)$", FENCE.sub("", before), re.MULTILINE)
        is_rendered = 0 <= rendered < match.start() and text.find(MADE_PART_ENDS, rendered, match.start()) < 0
        kind = "rendered" if is_rendered else "file" if named else kind_of(name, language, code, found)
        section, file = sections[-1] if sections else "", named[1] if named else ""
        found.append(Block(name, before.count("\n") + 1, language, code, section, file, kind))
    return found


def english_page(page: str) -> str:
    """The English page of one in docs/zh/; any other page itself."""
    return page.replace(CHINESE, "docs/")


def kind_of(page: str, language: str, code: str, before: Sequence[Block]) -> str:
    """The kind of a block that is no file."""
    page = english_page(page)
    ran = bool(before) and before[-1].kind in ("program", "commands", "compiled", "kit", "client")
    if language == "sh" and page.startswith(CLIENTS):
        return "client"
    if language == "sh" and page == RELEASE:
        return "release"
    if language == "sh" and re.match(r"python -m tests\.conformance |python3 \S+\.pyz |aclnn conformance ", code):
        return "kit"
    if language == "sh":
        return "compiled" if page == CPP or re.match(r"aclnn toolkit |aclnn run \S+\.cpp", code) else "commands"
    if language == "text" and ran:
        return "output"
    if language == "text":
        return "tree" if re.match(r"\w+/ ", code) else ""
    if language == "c":
        return "port" if all("//" in line for line in code.splitlines() if line) else ""
    return {"python": "program", "diff": "change", "{toctree}": "contents"}.get(language, "")


def bare(block: Block) -> str:
    """The code of a block without comments of a shell and explanations of a report, which differ in a translation."""
    texts = {"sh": r" +# .*$", "text": r"^   = (note|help): .*\n"}.get(block.language)
    return re.sub(texts, "", block.code, flags=re.MULTILINE) if texts else block.code


def with_output(page: Sequence[Block]) -> Iterator[tuple[Block, str]]:
    """Each block with the output that the page shows after it."""
    for block, behind in zip(page, [*page[1:], None], strict=True):
        yield block, behind.code if behind and behind.kind == "output" else ""


class Counts(NamedTuple):
    """The numbers that the READMEs mention."""

    documents: int
    """documents with a sample"""
    samples: int
    """samples that are not from a document"""


def counts() -> Counts:
    """Count them in the sources."""
    samples = [path.stem for path in (ROOT / "samples").glob("*.py") if path.stem != "__main__"]
    documents = sum(name.startswith("aclnn_") for name in samples)
    return Counts(documents=documents, samples=len(samples) - documents)


def own_operator() -> str:
    """The operator with a class of its own in docs/adding-an-op.md, as a user's module has it."""
    (code,) = (block.code for block in blocks(ROOT / "docs/adding-an-op.md") if "class Ramp(Op)" in block.code)
    return code


def blocks_by_page() -> dict[str, list[Block]]:
    return {path.relative_to(ROOT).as_posix(): blocks(path) for path in PAGES}
