"""Pages of the site for parts of the project outside docs/: programs, folders, CHANGELOG.md."""

from functools import partial
from pathlib import Path
from typing import Final

from aclnn.tools.pages.links import DOCS, place, rebased
from aclnn.tools.pages.markdown import ROOT, Files

LANGUAGES: Final = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".c": "c", ".toml": "toml", ".json": "json"}


def files(paths: set[Path]) -> Files:
    """Functions that return the text of the page of each path, and of each file in a folder among them."""
    all_paths = paths | {each for folder in paths if folder.is_dir() for each in _in(folder)}
    return {place(path): partial(page, path) for path in all_paths}


def _in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in LANGUAGES and path.name != "__init__.py")


def page(path: Path) -> str:
    """A program as coloured code, a folder as the list of its programs, or a page from outside docs/."""
    if path.suffix == ".md":
        return rebased(path.read_text(encoding="utf-8"), path, DOCS / place(path))
    head = f"---\norphan: true\n---\n\n# {path.relative_to(ROOT).as_posix()}\n\n"
    if path.is_dir():
        return head + "\n".join(f"- [{each.name}]({each.name}.md)" for each in _in(path)) + "\n"
    return f"{head}````{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text(encoding='utf-8')}````\n"
