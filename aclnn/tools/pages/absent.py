"""The lists of functions that are not emulated. People write these lists; render removes the functions that exist."""

import re
import textwrap
from collections.abc import Collection, Iterator
from functools import partial
from typing import Final

from acl_runtime.pyacl.names import python_name, wrapped
from aclnn.tools.pages.markdown import ROOT, Files

PAGES: Final = ("docs/pyacl.md", "docs/zh/pyacl.md")
BEGIN: Final = "<!-- python -m aclnn.render removes from the next list what exists -->"
END: Final = "<!-- end of the list -->"
_NAME: Final = re.compile(r"`([\w.]+)`")


def files() -> Files:
    """The pages about pyACL, by their paths; empty where only the packages are installed."""
    return {path: partial(page, path) for path in PAGES if (ROOT / path).is_file()}


def page(path: str) -> str:
    """The page, whose list lacks the functions that the emulator's pyACL has."""
    return without((ROOT / path).read_text(encoding="utf-8"), {python_name(each.c) for each in wrapped()})


def without(text: str, names: Collection[str]) -> str:
    """A page whose list has none of these names."""
    before, _, rest = text.partition(BEGIN)
    listed, _, after = rest.partition(END)
    items = "\n".join(_rest(listed, names))
    return f"{before}{BEGIN}\n\n{items}\n\n{END}{after}"


def _rest(listed: str, names: Collection[str]) -> Iterator[str]:
    """The items of a list, or the rows of a table, without these names. Other items are not changed."""
    for item in re.split(r"\n(?=[-|])", listed.strip("\n")):
        item_names = _NAME.findall(item)
        absent = [f"`{name}`" for name in item_names if name not in names]
        if len(absent) == len(item_names):
            yield item
        elif absent:
            line = item[: item.index("`")] + ", ".join(absent) + item[item.rindex("`") + 1 :]
            row = line.startswith("|")
            yield line if row else textwrap.fill(line, 120, subsequent_indent="  ", break_on_hyphens=False)
