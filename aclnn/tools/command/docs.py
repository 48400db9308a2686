"""`aclnn docs`: the pages of the documentation. A wheel contains them, too."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from aclnn.tools.command.text import EMPTY, translator

HERE: Final = Path(__file__).resolve().parents[2]
INDEX: Final = "index.md"


def folder() -> Path:
    """The folder of the pages: beside the package in the project, inside the package where it is installed.
    FileNotFoundError if neither exists, as when only the package was copied."""
    for place in (HERE / "docs", HERE.parent / "docs"):
        if (place / INDEX).is_file() and (place / "findings.md").is_file():
            return place
    raise FileNotFoundError("the pages are not installed with this package")


def page(name: str, lang: str = "en") -> Path:
    """The file of a page, by its name or its path: `testing`, `findings/mem-leaked`, `docs/cpp.md#cmake`. The file is
    the translation to `lang` if there is one. FileNotFoundError for an unknown page."""
    stem = name.partition("#")[0].removeprefix("docs/").removesuffix(".md")
    pages = _pages()
    if stem not in pages:
        ends = [each for each in pages if each.rpartition("/")[2] == stem]
        near = ends or get_close_matches(stem, pages, 1)
        raise FileNotFoundError(
            f"there is no page {name!r}" + (f"; did you mean: aclnn docs {near[0]}" if near else "; see: aclnn docs")
        )
    return pages.get(f"{lang}/{stem}", pages[stem])


def contents(words: Mapping[str, str] = EMPTY) -> str:
    """The pages with their titles, except the pages of single operators, families and findings. `words`: translations
    of the texts; with them the translated pages come first."""
    few = {name: _title(path) for name, path in _pages().items() if not set(MANY) & set(name.split("/")[:-1])}
    if words:
        few = dict(sorted(few.items(), key=lambda page: not page[0].startswith("zh/")))
    width = max(map(len, few))
    return "\n".join([
        *(f"{name:<{width}}  {title}" for name, title in few.items()),
        "",
        f"{folder()}",
        translator(words)(ALSO).format(folders=", ".join(f"{each}/NAME" for each in MANY)),
    ])  # fmt: skip


ALSO: Final = "also {folders}; `aclnn docs PAGE` prints a page"
MANY: Final = ("families", "findings", "ops")
"""folders with a page for each operator family, finding or operator"""
RENDERED: Final = ("project", "reference", "sources")
"""folders that exist only while the site is made"""


def _pages() -> dict[str, Path]:
    """The path of each page by its name. English pages come first."""
    root = folder()
    paths = {path.relative_to(root).with_suffix("").as_posix(): path for path in root.rglob("*.md")}
    names = sorted(paths, key=lambda name: (name.startswith("zh/"), name))
    return {name: paths[name] for name in names if name.partition("/")[0] not in RENDERED}


def _title(path: Path) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((line.removeprefix("# ") for line in lines if line.startswith("# ")), "")
