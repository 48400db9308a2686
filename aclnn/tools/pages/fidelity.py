"""Two lists of docs/fidelity.md: the functions that are accepted without effect, and the absent functions."""

from typing import Final

import acl_runtime
from aclnn.tools.pages import absent
from aclnn.tools.pages.markdown import ROOT, Files
from aclnn.tools.toolkit.exported_functions import declarations

PAGE: Final = "docs/fidelity.md"
BEGIN: Final = "<!-- the next list is made by python -m aclnn.render -->"
END: Final = "<!-- end of the list -->"


def files() -> Files:
    """The page, by its path; empty where only the packages are installed."""
    return {PAGE: page} if (ROOT / PAGE).is_file() else {}


def page() -> str:
    """The page with its lists."""
    before, _, rest = (ROOT / PAGE).read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return absent.without(f"{before}{BEGIN}\n\n{accepted()}\n\n{END}{after}", dir(acl_runtime))


def accepted() -> str:
    """The functions that are accepted without effect, by header."""
    by_header: dict[str, list[str]] = {}
    for function in declarations():
        if function.inert:
            by_header.setdefault(function.header, []).append(f"`{function.name}`")
    return "\n".join(f"- `{header}`: {', '.join(names)}" for header, names in by_header.items())
