"""`aclnn explain`: what the numbers and names in a text mean, who returns a status, what to do.

One name is explained in full. Of several, each gets a few lines, those first that say most about a failure. Either
fits a screen; `--all` lifts that, and the facts for programs are always complete.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import acl_runtime.headers.statuses as statuses
from acl_runtime.headers.remedies import FAMILIES
from aclnn.engine.phrases import DEMAND
from aclnn.tools.command import ops
from aclnn.tools.command.codes import CODE, module
from aclnn.tools.command.names import Facts, Modules, facts_of, family, meant, number, subjects
from aclnn.tools.command.text import WIDTH, refilled, table, wrapped

SCREEN: Final = 22
"""lines: a terminal has 24, and the command and the next prompt stand there too"""
PLACE: Final = re.compile(r"\{\w+\}")
"""of a value, in the sentence of an error text"""
VAGUE: Final = frozenset(
    (
        statuses.ACLNN_ERR_RUNTIME_ERROR, statuses.ACLNN_ERR_INNER, statuses.ACLNN_ERR_INNER_NULLPTR,
        statuses.ACL_ERROR_INTERNAL_ERROR, statuses.ACL_ERROR_FAILURE, statuses.ACL_ERROR_RT_INTERNAL_ERROR,
        statuses.ACL_ERROR_RT_FAILURE, statuses.ACL_ERROR_RT_DRV_INTERNAL_ERROR,
    )
)  # fmt: skip
"""statuses that only say where something failed: another one in the same text says more"""
RANKS: Final = (
    "error finding", "status", "vague status", "error code", "inner error code", "warning finding", "status finding",
    "advice finding", "topic", "operator", "function", "variable", "chip", "series", "type", "value", "success",
)  # fmt: skip
"""what says most about a failure comes first"""


def facts(asked: str, modules: Modules = ()) -> Facts:
    """What was meant: the facts of each name, the most important first; names that have the question as a part; words
    that are not known, and names like them. `modules`: where functions of the user's are."""
    names, listed, unknown, similar = meant(asked, modules)
    own = _own(asked, modules)
    found = sorted(((name, facts_of(name, modules)) for name in names if name not in own), key=_rank)  # as in the text
    found = [(name, facts_of(name, modules)) for name in own] + found
    if len(found) > 1:
        found = [each for each in found if each[1].get("value") != 0 or each[1]["kind"] != "status"]
    return {
        "asked": asked, "explanations": [about for _, about in found], "names": [name for name, _ in found] or listed,
        "unknown": unknown, "similar": similar,
    }  # fmt: skip


def _own(asked: str, modules: Modules) -> list[str]:
    """The name that a text explains, if it is what this command prints of one name: it stays the most important."""
    first = asked.strip("\n").splitlines()[:2]
    words = [first[0], *re.findall(r"[\w-]+", " ".join(first))] if len(first) == 2 else []
    abouts = {word: facts_of(word, modules) for word in words}
    return [word for word, about in abouts.items() if about and TELL[about["kind"]](about)[:2] == first][:1]


def _rank(named: tuple[str, Facts]) -> int:
    about = named[1]
    match about["kind"]:
        case "status":
            kind = "success" if not about["value"] else "vague status" if about["value"] in VAGUE else "status"
        case "error code":
            kind = "inner error code" if about["name"].endswith(("9999", "8888")) else "error code"
        case "finding":
            kind = f"{about['level']} finding"
        case other:
            kind = other
    return RANKS.index(kind)


def found(told: Facts) -> bool:
    """Is there anything of that name?"""
    return bool(told["names"])


def text(told: Facts, *, whole: bool = False) -> str:
    """The same for people, on a screen or whole."""
    explanations = told["explanations"]
    if len(explanations) == 1:
        about = explanations[0]
        lines = TELL[about["kind"]](about)
        if about["kind"] == "status" and len(lines) > SCREEN and not whole:
            lines = _status_with_names(about)
        hint = f"aclnn explain --all {_title(about)}"
    elif explanations and whole:
        lines = [line for each in explanations for line in ("", *TELL[each["kind"]](each))][1:]
        hint = ""
    elif explanations:
        return "\n".join(_overview(told))
    else:
        lines, hint = _without_explanation(told), f"aclnn explain --all {told['asked'].strip()}"
    ends = _not_known(told) if explanations else []
    return "\n".join([*(lines if whole else _cut(lines, hint, SCREEN - len(ends))), *ends])


def _cut(lines: list[str], hint: str, room: int) -> list[str]:
    """As many lines as there is room for, and how to see the others."""
    if len(lines) <= room:
        return lines
    kept = lines[: room - 2]
    while not kept[-1] or not kept[-1].startswith(" "):  # no title without its text
        kept.pop()
    more = f"({len(lines) - len(kept)} more lines: {hint})"
    return [*kept, "", more if len(more) <= WIDTH else f"({len(lines) - len(kept)} more lines: --all shows them)"]


def _overview(told: Facts) -> list[str]:
    """A few lines for each, as far as they fit; of the others only the names."""
    about = told["explanations"]
    ends = _not_known(told)
    lines: list[str] = []
    shown = 0
    for each in about:
        brief = _brief(each, told["names"])
        rest = [_title(other) for other in about[shown + 1 :]]
        if len([*lines, *brief, *_also(rest), *ends]) > SCREEN:
            break
        lines += brief
        shown += 1
    return [*lines, *_also([_title(each) for each in about[shown:]]), *ends]


def _also(titles: list[str]) -> list[str]:
    """The names that there is no room for, in at most three lines."""
    lines = wrapped(f"also: {', '.join(titles)}", 0, 2) if titles else []
    return [*lines[:2], "  ..."] if len(lines) > 3 else lines


def _brief(about: Facts, names: list[str]) -> list[str]:
    """A name in a few lines: what it means, what to do; of a status also which function of the same text returns it."""
    head, *parts = BRIEF[about["kind"]](about)
    for each in about["returned_by"] if about["kind"] == "status" else ():
        if each["function"].removesuffix("GetWorkspaceSize") in names or each["function"] in names:
            reason = each["reasons"][0].removeprefix(DEMAND)
            unless = "returns it unless: " if each["reasons"][0].startswith(DEMAND) else "returns it: "
            parts.append(f"{each['function']} {unless}{reason}")
            break
    lines = wrapped(head, 0, 2)[:1]
    for part in filter(None, parts):
        of_part = wrapped(part, 2, 2)
        lines += of_part if len(of_part) <= 3 else [*of_part[:2], f"{of_part[2][: WIDTH - 4].rstrip()} ..."]
    return lines


def _title(about: Facts) -> str:
    """What to ask for to see all of it."""
    return str(about["value"]) if about["kind"] == "status" else about.get("name") or about["id"]


def _not_known(told: Facts) -> list[str]:
    if not told["unknown"]:
        return []
    similar = f" (similar: {', '.join(told['similar'])})" if told["similar"] else ""
    lines = wrapped(f"not known: {_unknown(told)}{similar}", 0, 2)
    return ["", *(lines if len(lines) <= 3 else [*lines[:2], "  ..."])]


def _unknown(told: Facts) -> str:
    """The words that are not known; of a code of error texts at least who writes it."""
    return ", ".join(f"{each} (a code of {module(each)})" if CODE.fullmatch(each) else each for each in told["unknown"])


def _without_explanation(told: Facts) -> list[str]:
    """Names that have the question in them, or that nothing is known, and what is similar."""
    value = number(told["asked"])
    thousands = None if value is None else family(value)
    of_family = [] if thousands is None else wrapped(f"{thousands}...: {FAMILIES[thousands]}", 2, 2)
    if told["names"]:
        parts = " and ".join(map(repr, told["asked"].split()))
        lines = wrapped(f"{len(told['names'])} names have {parts} in them:")
        if of_family:
            lines = [f"{len(told['names'])} numbers begin with {value}", *of_family]
        return [*lines, "", *_listed(told["names"], numbered=value is not None)]
    if value is not None:
        lines = [f"there is no status {value}", *of_family]
    elif told["unknown"] and (told["unknown"] != [told["asked"]] or CODE.fullmatch(told["asked"])):
        lines = wrapped(f"not known: {_unknown(told)}", 0, 2)
    elif len(told["asked"]) > WIDTH or "\n" in told["asked"]:
        lines = ["the text has no status, error code, finding or name that is known here"]
    else:
        lines = wrapped(f"nothing is called {told['asked']!r}, and no name has it in it")
    if any(word.startswith("aclnn") for word in [told["asked"].strip(), *told["unknown"]]):
        lines += wrapped("`aclnn ops` lists the operators that are here; docs/adding-an-op.md shows how to add one")
    if told["similar"]:
        what = "names" if value is None else "numbers"
        lines += ["", f"similar {what}:", *_listed(told["similar"], numbered=value is not None)]
    return lines


def _listed(names: list[str], *, numbered: bool) -> list[str]:
    return [f"  {subjects()[name]()['value']}  {name}" if numbered else f"  {name}" for name in names]


def _status_with_names(about: Facts) -> list[str]:
    """A status with the names of the functions that return it, without their conditions."""
    names = ", ".join(each["function"] for each in about["returned_by"])
    lines = _status({**about, "returned_by": [], "value": 0})[1:]
    head = f"{about['value']}  {', '.join(about['names'])}"
    return [head, *lines, "", f"Returned by (the conditions: aclnn explain --all {about['value']})", *wrapped(names, 2)]


def _status(told: Facts) -> list[str]:
    lines = [f"{told['value']}  {', '.join(told['names'])}", *wrapped(told["family"], 2)]
    lines += ["", "Meaning", *wrapped(told["meaning"], 2)]
    lines += ["", "What to do", *wrapped(told["what_to_do"], 2)]
    if told["returned_by"]:
        lines += ["", "Returned by", *_returned(told["returned_by"])]
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
        return ["", "Functions that name it", *wrapped(", ".join(told["functions"]), 2)]
    return ["", "No function of this emulator takes it."]


def _finding(told: Facts) -> list[str]:
    status = told["level"] == "status"
    lines = [f"{told['id']}  ({told['level']})", *wrapped(told["what"], 2)]
    lines += ["", "The answer" if status else "On a device", *wrapped(told["why"], 2)]
    lines += ["", "What to do", *wrapped(told["fix"], 2)]
    lines += ["", "What to do in C and C++", *wrapped(told["fix_in_c"], 2)] if told["fix_in_c"] else []
    if not status:
        lines += ["", "To allow it", f'  machine.allow("{told["id"]}", reason="...")']
        lines += ["", "A wrong program, its report, and a right one", f"  {told['page']}"]
    return lines


def _error_code(told: Facts) -> list[str]:
    lines = [f"{told['name']}  {told['title']}".rstrip(), *wrapped(f"a code in error texts: {told['module']}", 2)]
    parts = {"It reads": _reads(told), "Meaning": told["meaning"], "Possible cause": told["cause"]}
    for title, part in (parts | {"What to do": told["solution"]}).items():
        lines += ["", title, *wrapped(part, 2)] if part else []
    return lines


def _reads(about: Facts) -> str:
    """The sentence of an error text, without the numbers of its values."""
    if not about["sentence"]:
        return ""
    reads = PLACE.sub("...", about["sentence"])
    return reads if reads.strip(".") else "The sentence of the check that failed: parameter, found, allowed."


def _chip(told: Facts) -> list[str]:
    cores = f"{told['ai_cores']} AI cores, {told['vector_cores']} vector cores"
    memory = f"{told['memory_bytes']} bytes of memory, {told['l2_bytes'] >> 20} MiB of L2"
    lines = [told["name"], *wrapped(f"a chip: {told['series_label']} ({told['series']})", 2), ""]
    lines += wrapped(f"{cores}; {memory}; {told['streams']} streams and {told['events']} events on a device", 2)
    lines += wrapped(f"BFLOAT16 in operators: {'yes' if told['bfloat16'] else 'no'}", 2)
    lines += ["", "To use it", f'  Machine(soc="{told["name"]}")', f"  aclnn run --soc {told['name']} FILE"]
    return [*lines, "", *_operators(told)]


def _series(told: Facts) -> list[str]:
    lines = [told["name"], *wrapped(f"a product series: {told['label']}", 2)]
    lines += ["", "Its chips", *wrapped(", ".join(told["chips"]), 2)]
    lines += ["", "To use one", f'  Machine(soc="{told["chips"][0]}")', f"  aclnn run --soc {told['chips'][0]} FILE"]
    if told["families"]:
        lines += wrapped(f"{' and '.join(told['families'])} is a word for several of them, and no name of a chip", 2)
    return [*lines, "", *_operators(told)]


def _operators(told: Facts) -> list[str]:
    return ["Operators that it has", *wrapped(", ".join(told["operators"]) or "none", 2)]


def _variable(told: Facts) -> list[str]:
    where = (
        "this emulator or its toolkit uses it" if told["used_here"] else "CANN has it; this emulator does not read it"
    )
    return [told["name"], f"  an environment variable; {where}", "", "Meaning", *wrapped(told["meaning"], 2)]


def _topic(told: Facts) -> list[str]:
    lines = [told["name"], *wrapped(told["about"], 2), "", "See"]
    for name in told["see"]:
        about = meant(name).explained[0]
        lines += wrapped(_one_line(facts_of(about)), 2, 4)
    return lines


def _one_line(about: Facts) -> str:
    """A name, and its first sentence."""
    head, *parts = BRIEF[about["kind"]](about)
    return f"{head}: {parts[0]}" if parts and parts[0] else head


def _first_sentence(help_text: str) -> str:
    """Of a help text, behind its prototype."""
    paragraph = " ".join(help_text.partition("\n")[2].strip().partition("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", paragraph)[0]


def _brief_status(about: Facts) -> list[str]:
    return [f"{about['value']}  {about['names'][0]}", about["meaning"], f"Do: {about['what_to_do']}"]


def _brief_function(about: Facts) -> list[str]:
    return [about["name"], _first_sentence(about["help"])]


def _brief_operator(about: Facts) -> list[str]:
    on = [name for name, there in about["products"].items() if there]
    return [about["name"], f"an operator: {' '.join(about['formula'])}", f"on {', '.join(on)}"]


def _brief_finding(about: Facts) -> list[str]:
    return [f"{about['id']}  ({about['level']})", about["what"], f"Do: {about['fix']}"]


def _brief_error_code(about: Facts) -> list[str]:
    do = f"Do: {about['solution']}" if about["solution"] else ""
    return [f"{about['name']}  {about['title']}".rstrip(), about["meaning"] or _reads(about), do]


def _brief_value(about: Facts) -> list[str]:
    return [f"{about['name']} = {about['value']}", f"of {about['enum']}" if about["enum"] else "a macro"]


def _brief_type(about: Facts) -> list[str]:
    return [about["name"], about["is_a"]]


def _brief_chip(about: Facts) -> list[str]:
    return [about["name"], f"a chip: {about['series_label']} ({about['series']})"]


def _brief_series(about: Facts) -> list[str]:
    return [about["name"], f"a product series: {about['label']}"]


def _brief_variable(about: Facts) -> list[str]:
    return [about["name"], about["meaning"]]


def _brief_topic(about: Facts) -> list[str]:
    return [about["name"], about["about"], f"See: {', '.join(about['see'])}"]


TELL: Final[dict[str, Callable[[Facts], list[str]]]] = {
    "status": _status,
    "function": _function,
    "operator": _operator,
    "finding": _finding,
    "error code": _error_code,
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
    "value": _brief_value,
    "type": _brief_type,
    "chip": _brief_chip,
    "series": _brief_series,
    "variable": _brief_variable,
    "topic": _brief_topic,
}
"""name and kind, then one or two sentences"""
