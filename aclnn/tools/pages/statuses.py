"""A page for each status, the list of them, and the codes in the texts of aclGetRecentErrMsg."""

from collections import defaultdict
from functools import cache, partial
from typing import Any, Final

import acl_runtime.headers.statuses as statuses
from acl_runtime.headers.messages import TEMPLATES
from acl_runtime.headers.remedies import FAMILIES
from aclnn.catalogue.index import names
from aclnn.ops import EXACT, FIRST
from aclnn.tools.command.explained_names import checks_of, status
from aclnn.tools.pages.markdown import Files, plain, table
from aclnn.tools.pages.reference_links import STATUSES, linked, reasons_text

MANY: Final = 4
"""maximum number of checks that a page lists; for more, it links to the page of the function, which lists all checks"""
OPERATORS: Final = "one of the checks listed on the operator's page fails, in the first phase or at launch."
"""the reason of the operators that are made from facts: there are too many to name each"""
CHECKS: Final = "one of the checks on its page fails; the page lists them."


def files() -> Files:
    """Functions that return the text of each page, by its path."""
    pages: Files = {f"{STATUSES}/{value}.md": partial(page, value) for value in values()}
    return {**pages, f"{STATUSES}/index.md": index, "reference/error_codes.md": error_codes}


def values() -> list[int]:
    """Every status, as a number."""
    return sorted({getattr(statuses, name) for name in statuses.__all__})


def title(value: int) -> str:
    """The title of a page: `161002 ACLNN_ERR_PARAM_INVALID`."""
    return f"{value} {status(value)['names'][0]}"


def family_title(thousand: int) -> str:
    """The title of a family: `161xxx: an aclnn operator refused its arguments: ...`."""
    return f"{f'{thousand}xxx' if thousand else '0'}: {FAMILIES[thousand]}"


def anchor(thousand: int) -> str:
    """The anchor of a family in the list of all statuses."""
    return f"statuses-{thousand}"


def page(value: int) -> str:
    """The text of `aclnn explain` for a status, with links."""
    about = status(value)
    parts = [
        f"---\norphan: true\n---\n\n# {title(value)}",
        f"[All statuses](index.md) · {about['family']}",
        f"```{{index}} {value}\n```",  # the search of Sphinx ignores numbers, except those in its index
        "\n\n".join(f"```{{c:macro}} {name}\n```" for name in about["names"]),
    ]
    parts += ["## What it means", linked(about["meaning"]), "## What to do", linked(about["what_to_do"])]
    if about["returned_by"]:
        parts += ["## Returned by", table(("when", "function"), _returned(about["returned_by"]))]
    elif value:
        parts += ["No function of this emulator returns it."]
    return "\n\n".join(parts) + "\n"


def _returned(records: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """A row for each set of reasons, with the functions that share it. Operators come first, then the rows with the
    most functions."""
    sharing: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    catalogued = _from_facts()
    for record in records:
        if record["function"] in catalogued:
            sharing[OPERATORS,].append(record["function"])
            continue
        checks = checks_of(record["function"]).intersection(record["reasons"])
        others = [reason for reason in record["reasons"] if reason not in checks]
        sharing[tuple([*others, CHECKS] if len(checks) > MANY else record["reasons"])].append(record["function"])
    rows = sorted(sharing.items(), key=lambda row: (not row[1][0].startswith("aclnn"), -len(row[1])))
    return [(reasons_text(reasons), _named(reasons, names)) for reasons, names in rows]


def _named(reasons: tuple[str, ...], names: list[str]) -> str:
    if reasons == (OPERATORS,):
        return f"{len(names)} functions of [operators](../operators.md)"
    return linked(", ".join(sorted(names, key=str.casefold)))


@cache
def _from_facts() -> frozenset[str]:
    """The functions of operators that are made from facts."""
    return frozenset(f"{name}{phase}" for name in names() if name not in EXACT for phase in ("", FIRST))


def index() -> str:
    """The list of all statuses, by family."""
    parts = [
        "# Statuses",
        "The values that functions return, by family. Each status has a page: its meaning, the functions that return "
        "it and when, and what to do. In a shell `aclnn explain 161002` shows the same. After a failure "
        "aclGetRecentErrMsg, called in the same thread, gives details; [its codes](../error_codes.md) are a numbering "
        "of their own.",
    ]
    for thousand in FAMILIES:
        rows = [_row(value) for value in values() if value // 1000 == thousand]
        if rows:
            parts += [
                f"({anchor(thousand)})=\n## {plain(family_title(thousand))}",
                table(("status", "what it means", "here"), rows),
            ]
    return "\n\n".join(parts) + "\n"


def _row(value: int) -> tuple[str, str, str]:
    about = status(value)
    count = len(about["returned_by"])
    here = "every function" if not value else f"{count} function{'s' * (count > 1)}" if count else "never"
    names = ", ".join(plain(name) for name in about["names"])
    return f"[{value} {names}]({value}.md)", linked(about["meaning"]), here


def error_codes() -> str:
    """The codes that begin the texts of aclGetRecentErrMsg."""
    parts = [
        "# Codes of error texts",
        "The text of aclGetRecentErrMsg begins with one of these codes. Placeholders such as `{0}` are replaced by "
        "values. After this sentence the emulator adds the parameter, the value that was found, the allowed values, "
        "and the history of the object.",
    ]
    rows = [
        (
            f'<span id="{code}">**{code}**</span><br>{plain(template.title)}',
            "<br>".join(filter(None, (f"`{template.sentence}`", plain(template.cause), plain(template.solution)))),
        )
        for code, template in TEMPLATES.items()
    ]
    return "\n\n".join([*parts, table(("code", "text, cause, solution"), rows)]) + "\n"
