"""The links of the pages, and where each leads on the site. The site also has pages for files outside docs/."""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from aclnn.tools.pages.markdown import ROOT

DOCS: Final = ROOT / "docs"
INSTEAD: Final = {
    DOCS / "ops": DOCS / "reference/operators.md",
    DOCS / "findings": DOCS / "findings.md",
    ROOT / "README.md": DOCS / "index.md",
    ROOT / "README.zh.md": DOCS / "zh/index.md",
}
"""the pages that replace folders of docs/ and the READMEs"""
LINK: Final = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)((?:#[^)\s]*)?)\)")
NAMED: Final = re.compile(r"\[[\w./-]+(?:\.md|/)\](?=\([\w./-]+\.md(?:#[\w-]*)?\))")
"""a link whose text is only the name of a file or folder"""


def targets(page: Path) -> Iterator[Path]:
    """The files and folders that the links of a page lead to."""
    for link, _ in LINK.findall(page.read_text(encoding="utf-8")):
        yield target_of(link, page)


def target_of(link: str, page: Path) -> Path:
    """The file or folder that a link of a page leads to, or the page that replaces it."""
    target = Path(posixpath.normpath((page.parent / link).as_posix()))
    return INSTEAD.get(target, target)


def place(path: Path) -> str:
    """The path below docs/ of the page that shows a file or folder of the project."""
    inside = path.relative_to(ROOT)
    if path.is_dir():
        return f"sources/{inside.as_posix()}/index.md"
    return f"project/{path.stem.lower()}.md" if path.suffix == ".md" else f"sources/{inside.as_posix()}.md"


def titled(text: str) -> str:
    """A page without the link texts that are only names of files. MyST puts the titles of pages and sections there."""
    return NAMED.sub("[]", text)


def rebased(text: str, written: Path, page: Path) -> str:
    """A text that was written for one path and is shown at another, with its links changed to pages of the site."""

    def link(match: re.Match[str]) -> str:
        target = target_of(match[1], written)
        if target.exists() and not target.is_relative_to(DOCS):
            target = DOCS / place(target)
        return f"]({posixpath.relpath(target.as_posix(), page.parent.as_posix())}{match[2]})"

    return LINK.sub(link, text)
