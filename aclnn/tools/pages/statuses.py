"""A page for each status, the list of them, and the codes in the texts of aclGetRecentErrMsg."""

from collections import defaultdict
from functools import partial
from typing import Any, Final

import acl_runtime.headers.statuses as statuses
from acl_runtime.headers.messages import TEMPLATES
from acl_runtime.headers.remedies import FAMILIES
from aclnn.engine.phrases import DEMAND
from aclnn.tools.command.names import all_functions, status
from aclnn.tools.pages.markdown import Files, plain, table
from aclnn.tools.pages.names import STATUSES, linked, reasons_told

MANY: Final = 4
"""more demands than these are left to the pages of the functions, which list them in their order"""
CHECKS: Final = "one of the checks on its page does not hold; the page lists them."


def files() -> Files:
    """Who makes each page."""
    made: Files = {f"{STATUSES}/{value}.md": partial(page, value) for value in values()}
    return {**made, f"{STATUSES}/index.md": index, "reference/error_codes.md": error_codes}


def values() -> list[int]:
    """Every status, as a number."""
    return sorted({getattr(statuses, name) for name in statuses.__all__})


def page(value: int) -> str:
    """What `aclnn explain` tells, with links."""
    told = status(value, all_functions())
    parts = [
        f"---\norphan: true\n---\n\n# {value} {told['names'][0]}",
        f"[All statuses](index.md) · {told['family']}",
        f"```{{index}} {value}\n```",  # the search of Sphinx passes numbers over, but not those of its index
        "\n\n".join(f"```{{c:macro}} {name}\n```" for name in told["names"]),
    ]
    parts += ["## What it means", linked(told["meaning"]), "## What to do", linked(told["what_to_do"])]
    if told["returned_by"]:
        parts += ["## Returned by", table(("when", "function"), _returned(told["returned_by"]))]
    elif value:
        parts += ["No function of this emulator returns it."]
    return "\n\n".join(parts) + "\n"


def _returned(by: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Functions with the same reasons share a row; operators come first, then what most have in common."""
    sharing: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for each in by:
        demands = [reason for reason in each["reasons"] if reason.startswith(DEMAND)]
        others = [reason for reason in each["reasons"] if reason not in demands]
        sharing[tuple([*others, CHECKS] if len(demands) > MANY else each["reasons"])].append(each["function"])
    rows = sorted(sharing.items(), key=lambda row: (not row[1][0].startswith("aclnn"), -len(row[1])))
    return [(reasons_told(reasons), linked(", ".join(sorted(names, key=str.casefold)))) for reasons, names in rows]


def index() -> str:
    """All of them, by family."""
    parts = [
        "# Statuses",
        "What the functions return, by family. A status has a page of its own: what it means, who returns it and "
        "when, what to do. In a shell `aclnn explain 161002` shows the same. The calling thread's aclGetRecentErrMsg "
        "tells more of a failure; [its codes](../error_codes.md) are another numbering.",
    ]
    for thousand, family in FAMILIES.items():
        rows = [_row(value) for value in values() if value // 1000 == thousand]
        if rows:
            title = f"{thousand}xxx" if thousand else "0"
            parts += [f"## {title}: {plain(family)}", table(("status", "what it means", "here"), rows)]
    return "\n\n".join(parts) + "\n"


def _row(value: int) -> tuple[str, str, str]:
    told = status(value, all_functions())
    by = len(told["returned_by"])
    here = "every function" if not value else f"{by} function{'s' * (by > 1)}" if by else "never"
    names = ", ".join(plain(name) for name in told["names"])
    return f"[{value} {names}]({value}.md)", linked(told["meaning"]), here


def error_codes() -> str:
    """The codes that begin the texts of aclGetRecentErrMsg."""
    parts = [
        "# Codes of error texts",
        "The text of aclGetRecentErrMsg begins with one of these. `{0}` and the like are what the text fills in; "
        "behind it this emulator tells which parameter, what was found, what is allowed, and what became of the "
        "object.",
    ]
    rows = [
        (
            f"**{code}**<br>{plain(each.title)}",
            "<br>".join(filter(None, (f"`{each.sentence}`", plain(each.cause), plain(each.solution)))),
        )
        for code, each in TEMPLATES.items()
    ]
    return "\n\n".join([*parts, table(("code", "text, cause, solution"), rows)]) + "\n"
