"""`aclnn explain`: explains the numbers and names in a text: meaning, functions that return a status, what to do.

A single name is explained in full. Each of several names gets a few lines; names that say most about a failure come
first. The text is cut to one screen, except with `--all`. The facts for programs (`--json`) are always complete.
"""

import re
from typing import Final

import acl_runtime.headers.statuses as statuses
from acl_runtime.headers.meanings import MEANINGS
from acl_runtime.headers.remedies import FAMILIES
from aclnn.tools.command import explain_zh
from aclnn.tools.command.explained_forms import BRIEF, full, one_line, status_form
from aclnn.tools.command.explained_names import (
    Facts,
    Modules,
    facts_of,
    family,
    meant,
    number,
    reasons_of,
    subjects,
)  # fmt: skip
from aclnn.tools.command.subjects import plugin_codes, topics
from aclnn.tools.command.subjects.codes import inner
from aclnn.tools.command.text import WIDTH, wrapped

SCREEN: Final = 22
"""lines: a terminal has 24, of which the command and the next prompt take two"""
FIRST: Final = 6
"""maximum number of lines of a paragraph about the most important name"""
OTHER: Final = 3
"""maximum number of lines of a paragraph about another name"""
INTERNAL: Final = "an internal number: no public source says what it means"
VAGUE: Final = frozenset(
    (
        statuses.ACLNN_ERR_RUNTIME_ERROR, statuses.ACLNN_ERR_INNER, statuses.ACLNN_ERR_INNER_NULLPTR,
        statuses.ACL_ERROR_INTERNAL_ERROR, statuses.ACL_ERROR_FAILURE, statuses.ACL_ERROR_RT_INTERNAL_ERROR,
        statuses.ACL_ERROR_RT_FAILURE, statuses.ACL_ERROR_RT_DRV_INTERNAL_ERROR,
    )
)  # fmt: skip
"""statuses that say only where something failed: another status in the same text says more"""
RANKS: Final = (
    "error finding", "pyacl name", "cause", "status", "vague status", "error code", "topic", "inner error code",
    "warning finding", "status finding", "advice finding", "operator", "function", "variable", "chip", "series", "type",
    "value", "success",
)  # fmt: skip
"""the order of the explanations: those that say most about a failure come first"""


def facts(question: str, modules: Modules = (), most: int | None = None) -> Facts:
    """The facts of each name in a question, the most important first. Without such a name: names that contain the
    question. Beside them: unknown words that look like names, and names similar to these words. `modules`: modules of
    the user with further operators. `most`: as for `explained_names.status`."""
    names, known_names, unknown, similar = meant(question, modules)
    own_output = _own(question, modules)
    # sorted() is stable: names of the same rank stay in the order of the text
    ordered = sorted(((name, facts_of(name, modules, most)) for name in names if name not in own_output), key=_rank)
    explanations = [*((name, facts_of(name, modules, most)) for name in own_output), *ordered]
    if len(explanations) > 1:
        explanations = [
            explanation
            for explanation in explanations
            if explanation[1].get("value") != 0 or explanation[1]["kind"] != "status"
        ]
    return {
        "asked": question, "explanations": [about for _, about in explanations],
        "names": [name for name, _ in explanations] or known_names, "unknown": unknown, "similar": similar,
    }  # fmt: skip


def _own(question: str, modules: Modules) -> list[str]:
    """The name that a text explains, if the text is itself an output of this command; otherwise an empty list."""
    first = question.strip("\n").splitlines()[:2]
    words = [first[0], *re.findall(r"[\w-]+", " ".join(first))] if len(first) == 2 else []
    names = [topics.called(word) or word for word in words]
    abouts = {name: facts_of(name, modules, SCREEN) for name in names}
    return [word for word, about in abouts.items() if about and first in _beginnings(about)][:1]


def _beginnings(about: Facts) -> list[list[str]]:
    """The first two lines of an explanation, in each language."""
    return [full(about)[:2], [explain_zh.line(each) for each in full(explain_zh.facts(about))[:2]]]


def _rank(entry: tuple[str, Facts]) -> int:
    about = entry[1]
    match about["kind"]:
        case "status":
            kind = "success" if not about["value"] else "vague status" if about["value"] in VAGUE else "status"
        case "error code":
            wraps = inner(about["name"]) or plugin_codes.CODE.fullmatch(about["name"])
            kind = "inner error code" if wraps else "error code"
        case "finding":
            kind = f"{about['level']} finding"
        case "topic":
            kind = "cause" if about["cause"] else "topic"
        case other_kind:
            kind = other_kind
    return RANKS.index(kind)


def is_answered(answer: Facts) -> bool:
    """True if the question contains a known name."""
    return bool(answer["names"])


def text(answer: Facts, *, whole: bool = False, lang: str = "en") -> str:
    """The result of `facts` as text: at most a screen, or everything (`whole`). `lang`: en or zh."""
    if lang == "zh":
        explanations = list(map(explain_zh.facts, answer["explanations"]))
        texts = {"families": explain_zh.FAMILIES, "internal": explain_zh.INTERNAL}
        in_chinese = {**answer, "explanations": explanations, **texts}
        return "\n".join(map(explain_zh.line, _lines(in_chinese, whole=whole)))
    return "\n".join(_lines(answer, whole=whole))


def _lines(answer: Facts, *, whole: bool) -> list[str]:
    explanations = answer["explanations"]
    if len(explanations) == 1:
        about = explanations[0]
        short = about["kind"] == "status" and not whole
        lines = [] if short and len(about["returned_by"]) > SCREEN else full(about)
        if short and not _is_name(answer["asked"], about):
            lines = _status_of_line(about)
        elif short and not 0 < len(lines) <= SCREEN:
            lines = _status_with_names(about)
        hint = f"aclnn explain --all {_title(about)}"
    elif explanations and whole:
        lines = [line for explanation in explanations for line in ("", *full(explanation))][1:]
        hint = ""
    elif explanations:
        return _overview(answer)
    else:
        lines, hint = _without_explanation(answer), f"aclnn explain --all {answer['asked'].strip()}"
    ends = _not_known(answer) if explanations else []
    return [*(lines if whole else _cut(lines, hint, SCREEN - len(ends))), *ends]


def _cut(lines: list[str], hint: str, limit: int) -> list[str]:
    """The first lines, at most `limit`. If lines are left out, the last line has the command that shows all."""
    if len(lines) <= limit:
        return lines
    head = lines[: limit - 2]
    while not head[-1] or not head[-1].startswith(" "):  # no title without its text
        head.pop()
    more = f"(cut: everything by {hint})"
    return [*head, "", more if len(more) <= WIDTH else "(cut: --all shows everything)"]


def _overview(answer: Facts) -> list[str]:
    """A few lines for each name that fits the screen, and a list of the other names. For several lines of a log: a few
    lines for the first cause, then one line for each other name."""
    about = answer["explanations"]
    ends = _not_known(answer)
    is_log = "\n" in answer["asked"].strip()
    lines = _brief(about[0], answer["names"], FIRST)
    lines += ["", "Beside it, or because of it"] if is_log else []
    count = 1
    for explanation in about[1:]:
        brief = wrapped(one_line(explanation), 2, 2) if is_log else _brief(explanation, answer["names"], OTHER)
        rest = [_title(other) for other in about[count + 1 :]]
        if len([*lines, *brief, *_also(rest), *ends]) > SCREEN:
            break
        lines += brief
        count += 1
    return [*lines, *_also([_title(each) for each in about[count:]]), *ends]


def _also(titles: list[str]) -> list[str]:
    """A list of the names that do not fit the screen, in at most three lines."""
    lines = wrapped(f"also: {', '.join(titles)}", 0, 2) if titles else []
    return [*lines[:2], "  ..."] if len(lines) > 3 else lines


def _brief(about: Facts, names: list[str], most: int) -> list[str]:
    """A name in a few lines: its meaning and what to do, each in at most `most` lines. For a status also the first
    function in `names` that returns it, with the reason."""
    head, *parts = BRIEF[about["kind"]](about)
    for function in about["returned_by"] if about["kind"] == "status" else ():
        if function["function"].removesuffix("GetWorkspaceSize") in names or function["function"] in names:
            parts += _returns(function["function"], function["reasons"], about["value"])
            break
    lines = wrapped(head, 0, 2)[:1]
    for part in filter(None, parts):
        of_part = wrapped(part, 2, 2)
        if len(of_part) > most:
            of_part = [*of_part[: most - 1], f"{of_part[most - 1][: WIDTH - 4].rstrip()} ..."]
        lines += of_part
    return lines


def _returns(function: str, reasons: list[str], value: int) -> list[str]:
    """The sentence about the reasons for which a function returns a status; none if it only repeats the meaning."""
    reasons = reasons or reasons_of(function, value)
    if [reason.rstrip(".") for reason in reasons] == [MEANINGS[value]]:
        return []
    more = f" for {len(reasons)} reasons, such as" if len(reasons) > 1 else ""
    return [f"{function} returns it{more}: {reasons[0]}"]


def _title(about: Facts) -> str:
    """The argument of `aclnn explain` that shows the whole explanation."""
    return str(about["value"]) if about["kind"] == "status" else about.get("name") or about["id"]


def _not_known(answer: Facts) -> list[str]:
    if not answer["unknown"]:
        return []
    similar = f" (similar: {', '.join(answer['similar'])})" if answer["similar"] else ""
    lines = wrapped(f"unknown: {_unknown(answer)}{similar}", 0, 2)
    return ["", *(lines if len(lines) <= 3 else [*lines[:2], "  ..."])]


def _unknown(answer: Facts) -> str:
    """The unknown words, separated by commas. A hexadecimal number is marked as internal."""
    internal = answer.get("internal", INTERNAL)
    return ", ".join(f"{each} ({internal})" if each[:2] in ("0x", "0X") else each for each in answer["unknown"])


def _without_explanation(answer: Facts) -> list[str]:
    """The answer when no name is explained: the names that contain the question; otherwise a sentence that the question
    is unknown, and similar names."""
    value = number(answer["asked"])
    thousands = None if value is None else family(value)
    families = answer.get("families", FAMILIES)
    of_family = [] if thousands is None else wrapped(f"{thousands}...: {families[thousands]}", 2, 2)
    if answer["names"]:
        parts = " and ".join(map(repr, answer["asked"].split()))
        lines = wrapped(f"{len(answer['names'])} names contain {parts}:")
        if of_family:
            lines = [f"{len(answer['names'])} numbers begin with {value}", *of_family]
        return [*lines, "", *_listed(answer["names"], numbered=value is not None)]
    if value is not None:
        lines = [f"there is no status {value}", *of_family]
    elif answer["unknown"] and answer["unknown"] != [answer["asked"]]:
        lines = wrapped(f"unknown: {_unknown(answer)}", 0, 2)
    elif len(answer["asked"]) > WIDTH or "\n" in answer["asked"]:
        lines = ["the text contains no status, error code, finding or name that is known here"]
    else:
        lines = wrapped(f"nothing is called {answer['asked']!r}, and no name contains it")
    if any(word.startswith("aclnn") for word in [answer["asked"].strip(), *answer["unknown"]]):
        lines += wrapped("`aclnn ops` lists the operators; `aclnn docs adding-an-op` shows how to add one")
    if answer["similar"]:
        noun = "names" if value is None else "numbers"
        lines += ["", f"similar {noun}:", *_listed(answer["similar"], numbered=value is not None)]
    return lines


def _listed(names: list[str], *, numbered: bool) -> list[str]:
    return [f"  {subjects()[name]()['value']}  {name}" if numbered else f"  {name}" for name in names]


def _is_name(question: str, about: Facts) -> bool:
    """True if the question is just the number or a name of this status, not a line of a log that contains it."""
    return number(question) is not None or question.strip().upper() in about["names"]


def _status_of_line(about: Facts) -> list[str]:
    """A status in a line of a log. The functions that return it are only counted, as the line names none of them."""
    lines = status_form({**about, "returned_by": [], "value": 0})[1:]
    head = f"{about['value']}  {', '.join(about['names'])}"
    count = len(about["returned_by"])
    return [
        head,
        *lines,
        *(["", f"({count} functions return it: aclnn explain --all {about['value']})"] if count else []),
    ]


def _status_with_names(about: Facts) -> list[str]:
    """A status with the names of the functions that return it, but without the conditions."""
    names = ", ".join(each["function"] for each in about["returned_by"])
    lines = status_form({**about, "returned_by": [], "value": 0})[1:]
    head = f"{about['value']}  {', '.join(about['names'])}"
    return [head, *lines, "", f"Returned by (the conditions: aclnn explain --all {about['value']})", *wrapped(names, 2)]
