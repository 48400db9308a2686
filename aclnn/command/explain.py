"""`aclnn explain`: what a number or a name means, who returns it, what to do."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from acl_runtime.remedies import FAMILIES
from aclnn.command import ops
from aclnn.command.names import Facts, family, matching, number, subjects
from aclnn.command.text import WIDTH, refilled, table, wrapped
from aclnn.engine.phrases import DEMAND

PLACE: Final = re.compile(r"\{\w+\}")
"""of a value, in the sentence of an error text"""


def facts(asked: str) -> Facts:
    """What was meant: one thing is told in full; of several only the names, and if there is nothing, similar ones."""
    names, similar = matching(asked)
    by_name = subjects()
    told = by_name[names[0]]() if len(names) == 1 else None
    return {"asked": asked, "explanation": told, "names": names, "similar": similar}


def found(told: Facts) -> bool:
    """Is there anything of that name?"""
    return bool(told["names"])


def text(told: Facts) -> str:
    """The same for people."""
    if told["explanation"] is not None:
        return "\n".join(TELL[told["explanation"]["kind"]](told["explanation"]))
    value = number(told["asked"])
    thousands = None if value is None else family(value)
    of_family = [] if thousands is None else wrapped(f"{thousands}...: {FAMILIES[thousands]}", 2, 2)
    if told["names"]:
        parts = " and ".join(map(repr, told["asked"].split()))
        lines = wrapped(f"{len(told['names'])} names have {parts} in them:")
        if of_family:
            lines = [f"{len(told['names'])} numbers begin with {value}", *of_family]
        return "\n".join([*lines, "", *_listed(told["names"], numbered=value is not None)])
    if value is not None:
        lines = [f"there is no status {value}", *of_family]
    else:
        lines = wrapped(f"nothing is called {told['asked']!r}, and no name has it in it")
        if told["asked"].strip().startswith("aclnn"):
            lines += wrapped("`aclnn ops` lists the operators that are here; docs/adding-an-op.md tells how to add one")
    if told["similar"]:
        what = "names" if value is None else "numbers"
        lines += ["", f"similar {what}:", *_listed(told["similar"], numbered=value is not None)]
    return "\n".join(lines)


def _listed(names: list[str], *, numbered: bool) -> list[str]:
    return [f"  {subjects()[name]()['value']}  {name}" if numbered else f"  {name}" for name in names]


def _status(told: Facts) -> list[str]:
    lines = [f"{told['value']}  {', '.join(told['names'])}", *wrapped(told["family"], 2)]
    if told["meaning"]:
        lines += ["", "Meaning", *wrapped(told["meaning"], 2)]
    if told["what_to_do"]:
        lines += ["", "What to do", *wrapped(told["what_to_do"], 2)]
    if told["returned_by"]:
        lines += ["", "Who returns it, and when", *_returned(told["returned_by"])]
    elif told["value"]:
        lines += ["", "No function of this emulator returns it."]
    return lines


def _returned(by: list[dict[str, Any]]) -> list[str]:
    """What is true of one function comes first, then what several have in common."""
    times = Counter(reason for each in by for reason in each["reasons"])
    lines: list[str] = []
    for each in by:
        own = [reason for reason in each["reasons"] if times[reason] == 1 or reason.startswith(DEMAND)]
        broken = [reason.removeprefix(DEMAND) for reason in own if reason.startswith(DEMAND)]
        others = [reason for reason in own if not reason.startswith(DEMAND)]
        for behind, listed in ((":", others), (", unless", broken)):
            if listed:
                lines += [f"  {each['function']}{behind}"]
                lines += [line for reason in listed for line in wrapped(f"- {reason}", 6, 2)]
    for reason, many in reversed(times.most_common()):
        if many > 1 and not reason.startswith(DEMAND):
            sharing = [each["function"] for each in by if reason in each["reasons"]]
            lines += [*wrapped(f"{reason.removesuffix('.')}:", 2), *wrapped(", ".join(sharing), 6)]
    return lines


def _function(told: Facts) -> list[str]:
    prototype, _, rest = told["help"].partition("\n")
    return [f"#include <{told['header']}>", *_declared(prototype), *refilled(rest)]


def _declared(prototype: str) -> list[str]:
    """Broken between parameters, not inside one; before the first only where it must be."""
    whole = prototype.replace(" ", "\u00a0").replace(",\u00a0", ", ")
    lines = wrapped(whole, 0, 4)
    if len(lines[0]) > WIDTH:
        lines = wrapped(whole.replace("(", "( ", 1), 0, 4)
    return [line.replace("\u00a0", " ") for line in lines]


def _operator(told: Facts) -> list[str]:
    lines = [told["name"], "", *ops.by_type(told)]
    for each in told["functions"]:
        lines += ["", *_function(each)]
    return lines


def _value(told: Facts) -> list[str]:
    lines = [f"{told['value']}  {told['name']}", f"  of {told['enum']}" if told["enum"] else "  a macro"]
    if of := told["data_type"]:
        size = f"{of['bits']} bits"
        lines += ["", *wrapped(f"{size}; in error texts {of['printed']}; in numpy {of['numpy'] or 'none'}", 2, 2)]
        if of["operators"]:
            rows = [(name, ", ".join(tensors)) for name, tensors in of["operators"].items()]
            lines += ["", "Operators that have it, and for which tensors", *table(("", ""), rows, 2)[1:]]
    return lines + _naming(told)


def _type(told: Facts) -> list[str]:
    lines = [told["name"], f"  {told['is_a']}"]
    if told["values"]:
        rows = [(str(value), name) for name, value in told["values"].items()]
        lines += ["", "Its values", *table(("", ""), rows, 2)[1:]]
    if told["fields"]:
        lines += ["", "Its fields", *wrapped(", ".join(told["fields"]), 2)]
    return lines + _naming(told)


def _naming(told: Facts) -> list[str]:
    if told["functions"]:
        return ["", "Functions that tell of it", *wrapped(", ".join(told["functions"]), 2)]
    return ["", "No function of this emulator takes it."]


def _finding(told: Facts) -> list[str]:
    status = told["level"] == "status"
    lines = [f"{told['id']}  ({told['level']})", *wrapped(told["what"], 2)]
    lines += ["", "The answer" if status else "On a device", *wrapped(told["why"], 2)]
    lines += ["", "What to do", *wrapped(told["fix"], 2)]
    if not status:
        lines += ["", "To allow it", f'  machine.allow("{told["id"]}", reason="...")']
        lines += ["", "A wrong program, its report, and a right one", f"  {told['page']}"]
    return lines


def _error_code(told: Facts) -> list[str]:
    lines = [f"{told['name']}  {told['title']}".rstrip(), "  a code in the texts of aclGetRecentErrMsg"]
    reads = PLACE.sub("...", told["sentence"])
    reads = reads if reads.strip(".") else "The sentence of the check that failed: parameter, found, allowed."
    parts = {"It reads": reads, "Possible cause": told["cause"], "What to do": told["solution"]}
    for title, part in parts.items():
        lines += ["", title, *wrapped(part, 2)] if part else []
    return lines


TELL: Final[dict[str, Callable[[Facts], list[str]]]] = {
    "status": _status,
    "function": _function,
    "operator": _operator,
    "finding": _finding,
    "error code": _error_code,
    "value": _value,
    "type": _type,
}
