"""The text of the facts of a name for `aclnn explain`, in full or in a few lines, by the kind of the name."""

import re
from collections.abc import Callable
from typing import Any, Final

from acl_runtime.objects.soc import Series
from aclnn.catalogue import reasons
from aclnn.catalogue.products import short_name
from aclnn.tools.command import ops
from aclnn.tools.command.explained_names import Facts, checks_of, facts_of, meant
from aclnn.tools.command.text import WIDTH, refilled, table, wrapped

PLACE: Final = re.compile(r"\{\w+\}")
"""a placeholder of a value in the sentence of an error text"""


def status_form(about: Facts) -> list[str]:
    lines = [f"{about['value']}  {', '.join(about['names'])}", *wrapped(about["family"], 2)]
    lines += ["", "Meaning", *wrapped(about["meaning"], 2)]
    lines += ["", "What to do", *wrapped(about["what_to_do"], 2)]
    if about["returned_by"]:
        lines += ["", "Returned by", *_returned(about["returned_by"])]
    elif about["value"]:
        lines += ["", "No function of this emulator returns it."]
    return lines


def _returned(records: list[dict[str, Any]]) -> list[str]:
    """The functions that return a status. Reasons of a single function come first, then reasons that several share."""
    names_by_reason: dict[str, list[str]] = {}
    for record in records:
        for reason in record["reasons"]:
            names_by_reason.setdefault(reason, []).append(record["function"])
    lines: list[str] = []
    checks = {record["function"]: checks_of(record["function"]) for record in records}
    for record in records:
        name = record["function"]
        own = [reason for reason in record["reasons"] if len(names_by_reason[reason]) == 1 or reason in checks[name]]
        if own:
            lines += [f"  {name}:"]
            lines += [line for reason in own for line in wrapped(f"- {reason}", 6, 2)]
    most_common = sorted(names_by_reason.items(), key=lambda item: len(item[1]), reverse=True)
    for reason, names in reversed(most_common):
        sharing = [name for name in names if reason not in checks[name]]
        if len(names) > 1 and sharing:
            lines += [*wrapped(f"{reason.removesuffix('.')}:", 2), *wrapped(", ".join(sharing), 6)]
    return lines


def _function(about: Facts) -> list[str]:
    prototype, _, rest = about["help"].partition("\n")
    return [f"#include <{about['header']}>", *_declared(prototype), *refilled(rest)]


def _declared(prototype: str) -> list[str]:
    """The lines of a prototype, broken between parameters, and before the first one only if the line is too long."""
    whole = prototype.replace(" ", "\u00a0").replace(",\u00a0", ", ")
    lines = wrapped(whole, 0, 4)
    if len(lines[0]) > WIDTH:
        lines = wrapped(whole.replace("(", "( ", 1), 0, 4)
    return [line.replace("\u00a0", " ") for line in lines]


def _operator(about: Facts) -> list[str]:
    level = (
        about["level"] if about["kernel"] else f"{about['level']}, no kernel: its launch fails unless you give it one"
    )
    why = (
        wrapped(f"why: {reasons.reason(about['name'])}", 2, 2)
        if about["level"] == "catalogued" and not about["kernel"]
        else []
    )
    products = wrapped(f"products: {ops.supports(about)}", 2, 4)
    lacking = [line for row in ops.not_computed(about) for line in wrapped(row, 2, 4)]
    lines = [about["name"], f"  level: {level}", *why, *lacking, *products, "", *ops.by_type(about)]
    for function in about["functions"]:
        lines += ["", *_function(function)]
    return lines


def _value(about: Facts) -> list[str]:
    lines = [f"{about['value']}  {about['name']}", f"  of {about['enum']}" if about["enum"] else "  a macro"]
    if dtype := about["data_type"]:
        size = f"{dtype['bits']} bits"
        lines += ["", *wrapped(f"{size}; in error texts {dtype['printed']}; in numpy {dtype['numpy'] or 'none'}", 2, 2)]
        if dtype["operators"]:
            lines += ["", f"{dtype['count']} operators support it, for these tensors"]
            lines += wrapped(f"aclnn ops --dtype {dtype['printed'].removeprefix('DT_')} lists them by category", 2, 2)
            lines += [
                line
                for name, tensors in dtype["operators"].items()
                for line in wrapped(f"{name}: {', '.join(tensors)}", 2, 4)
            ]
    return lines + _naming(about)


def _type(about: Facts) -> list[str]:
    lines = [about["name"], f"  {about['is_a']}"]
    if about["values"]:
        rows = [(str(value), name) for name, value in about["values"].items()]
        lines += ["", "Its values", *table(("", ""), rows, 2)[1:]]
    if about["fields"]:
        lines += ["", "Its fields", *wrapped(", ".join(about["fields"]), 2)]
    return lines + _naming(about)


def _naming(about: Facts) -> list[str]:
    if about["functions"]:
        return ["", "Functions that mention it", *wrapped(", ".join(about["functions"]), 2)]
    return ["", "No function of this emulator takes it."]


def _finding(about: Facts) -> list[str]:
    status = about["level"] == "status"
    lines = [f"{about['id']}  ({about['level']})", *wrapped(about["what"], 2)]
    lines += ["", "The answer" if status else "On a device", *wrapped(about["why"], 2)]
    lines += ["", "What to do", *wrapped(about["fix"], 2)]
    lines += ["", "What to do in C and C++", *wrapped(about["fix_in_c"], 2)] if about["fix_in_c"] else []
    if not status:
        lines += ["", "To allow it", f'  machine.allow("{about["id"]}", reason="...")']
        lines += [f"  or, without a machine of its own: ACL_EMULATOR_ALLOW={about['id']}"]
        lines += [
            "",
            "A wrong program, its report, and a right one",
            f"  aclnn docs {about.get('page', 'findings/' + about['id'])}",
        ]
    return lines


def _error_code(about: Facts) -> list[str]:
    lines = [f"{about['name']}  {about['title']}".rstrip(), *wrapped(f"{about['is_a']}: {about['module']}", 2)]
    parts = {"It reads": _reads(about), "Meaning": about["meaning"], "Possible cause": about["cause"]}
    for title, part in (parts | {"What to do": about["solution"]}).items():
        lines += ["", title, *wrapped(part, 2)] if part else []
    return lines


def _pyacl_name(about: Facts) -> list[str]:
    lines = [about["name"], *wrapped(about.get("is_a", "a name of pyACL that Python did not find"), 2)]
    lines += ["", "Meaning", *wrapped(about["meaning"], 2)]
    return [*lines, "", "What to do", *wrapped(about["what_to_do"], 2)]


def _reads(about: Facts) -> str:
    """The sentence of an error text, with `...` for each value."""
    return PLACE.sub("...", about["sentence"])


def full(about: Facts) -> list[str]:
    """The whole explanation of a name."""
    return about.get("lines") or FULL[about["kind"]](about)


def _chip(about: Facts) -> list[str]:
    cores = f"{about['ai_cores']} AI cores, {about['vector_cores']} vector cores"
    memory = f"{about['memory_bytes']} bytes of memory, {about['l2_bytes'] >> 20} MiB of L2"
    lines = [about["name"], *wrapped(f"a chip: {about['series_label']} ({about['series']})", 2), ""]
    lines += wrapped(f"{cores}; {memory}; {about['streams']} streams and {about['events']} events on a device", 2)
    lines += wrapped(f"BFLOAT16 in operators: {'yes' if about['bfloat16'] else 'no'}", 2)
    lines += ["", "To use it", f'  Machine(soc="{about["name"]}")', f"  aclnn run --soc {about['name']} FILE"]
    return [*lines, "", *_operators(about)]


def _series(about: Facts) -> list[str]:
    lines = [about["name"], *wrapped(f"a product series: {about['label']}", 2)]
    lines += ["", "Its chips", *wrapped(", ".join(about["chips"]), 2)]
    lines += ["", "To use one", f'  Machine(soc="{about["chips"][0]}")', f"  aclnn run --soc {about['chips'][0]} FILE"]
    if about["families"]:
        lines += wrapped(f"{' and '.join(about['families'])} names several of these chips, and none alone", 2)
    return [*lines, "", *_operators(about)]


def _operators(about: Facts) -> list[str]:
    product = about["series"] if about["kind"] == "chip" else about["name"]
    command = f"aclnn ops --product {short_name(Series[product])}"
    return ["Its operators", *wrapped(f"{len(about['operators'])} operators support it: {command}", 2)]


def _variable(about: Facts) -> list[str]:
    user = "this emulator or its toolkit uses it" if about["used_here"] else "CANN reads it; this emulator does not"
    return [about["name"], f"  an environment variable; {user}", "", "Meaning", *wrapped(about["meaning"], 2)]


def _topic(about: Facts) -> list[str]:
    lines = [about.get("heading", about["name"]), *wrapped(about["about"], 2), "", "See"]
    for word in about["see"]:
        name = meant(word).explained[0]
        lines += wrapped(one_line(about.get("in_words", _unchanged)(facts_of(name, most=0))), 2, 4)
    return lines


def _unchanged(about: Facts) -> Facts:
    return about


def one_line(about: Facts) -> str:
    """A name with its first sentence."""
    head, *parts = BRIEF[about["kind"]](about)
    return f"{head}: {parts[0]}" if parts and parts[0] else head


def _first_sentence(help_text: str) -> str:
    """The first sentence of a help text, after the prototype."""
    paragraph = " ".join(help_text.partition("\n")[2].strip().partition("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", paragraph)[0]


def _brief_status(about: Facts) -> list[str]:
    return [f"{about['value']}  {about['names'][0]}", about["meaning"], f"{_do(about)}{about['what_to_do']}"]


def _brief_function(about: Facts) -> list[str]:
    return [about["name"], _first_sentence(about["help"])]


def _brief_operator(about: Facts) -> list[str]:
    on = [name for name, there in about["products"].items() if there]
    return [about["name"], f"an operator: {' '.join(about['formula'])}", f"on {', '.join(on)}"]


def _brief_finding(about: Facts) -> list[str]:
    return [f"{about['id']}  ({about['level']})", about["what"], f"{_do(about)}{about['fix']}"]


def _do(about: Facts) -> str:
    return about.get("do", "Do: ")


def _brief_error_code(about: Facts) -> list[str]:
    do = f"{_do(about)}{about['solution']}" if about["solution"] else ""
    return [f"{about['name']}  {about['title']}".rstrip(), about["meaning"] or _reads(about), do]


def _brief_pyacl_name(about: Facts) -> list[str]:
    return [about["name"], about["meaning"], f"{_do(about)}{about['what_to_do']}"]


def _brief_value(about: Facts) -> list[str]:
    return [f"{about['name']} = {about['value']}", f"of {about['enum']}" if about["enum"] else "a macro"]


def _brief_type(about: Facts) -> list[str]:
    return [about["name"], about["is_a"]]


def _brief_chip(about: Facts) -> list[str]:
    return [about["name"], f"{about.get('is_a', 'a chip')}: {about['series_label']} ({about['series']})"]


def _brief_series(about: Facts) -> list[str]:
    return [about["name"], f"{about.get('is_a', 'a product series')}: {about['label']}"]


def _brief_variable(about: Facts) -> list[str]:
    return [about["name"], about["meaning"]]


def _brief_topic(about: Facts) -> list[str]:
    return [about.get("heading", about["name"]), about["about"], f"See: {', '.join(about['see'])}"]


FULL: Final[dict[str, Callable[[Facts], list[str]]]] = {
    "status": status_form,
    "function": _function,
    "operator": _operator,
    "finding": _finding,
    "error code": _error_code,
    "pyacl name": _pyacl_name,
    "value": _value,
    "type": _type,
    "chip": _chip,
    "series": _series,
    "variable": _variable,
    "topic": _topic,
}
BRIEF: Final[dict[str, Callable[[Facts], list[str]]]] = {
    "status": _brief_status,
    "function": _brief_function,
    "operator": _brief_operator,
    "finding": _brief_finding,
    "error code": _brief_error_code,
    "pyacl name": _brief_pyacl_name,
    "value": _brief_value,
    "type": _brief_type,
    "chip": _brief_chip,
    "series": _brief_series,
    "variable": _brief_variable,
    "topic": _brief_topic,
}
"""functions of the brief form: name and kind, then one or two sentences"""
