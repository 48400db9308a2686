"""`aclnn explain`: explains the numbers and names in a text: their meaning, who returns a status, what to do.

A single name is explained in full. Of several names each gets a few lines, and those that say most about a failure
come first. The text is cut to one screen, except with `--all`. The facts for programs (`--json`) are always complete.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import acl_runtime.headers.statuses as statuses
from acl_runtime.headers.remedies import FAMILIES
from acl_runtime.objects.soc import Series
from aclnn.catalogue import reasons
from aclnn.catalogue.products import short_name
from aclnn.tools.command import explain_zh, ops
from aclnn.tools.command.codes import CODE, module
from aclnn.tools.command.explained_names import Facts, Modules, checks_of, facts_of, family, meant, number, subjects
from aclnn.tools.command.text import WIDTH, refilled, table, wrapped

SCREEN: Final = 22
"""lines: a terminal has 24, of which the command and the next prompt take two"""
PLACE: Final = re.compile(r"\{\w+\}")
"""a placeholder of a value in the sentence of an error text"""
VAGUE: Final = frozenset(
    (
        statuses.ACLNN_ERR_RUNTIME_ERROR, statuses.ACLNN_ERR_INNER, statuses.ACLNN_ERR_INNER_NULLPTR,
        statuses.ACL_ERROR_INTERNAL_ERROR, statuses.ACL_ERROR_FAILURE, statuses.ACL_ERROR_RT_INTERNAL_ERROR,
        statuses.ACL_ERROR_RT_FAILURE, statuses.ACL_ERROR_RT_DRV_INTERNAL_ERROR,
    )
)  # fmt: skip
"""statuses that say only where something failed: another status in the same text says more"""
RANKS: Final = (
    "error finding", "status", "vague status", "error code", "inner error code", "warning finding", "status finding",
    "advice finding", "topic", "operator", "function", "variable", "chip", "series", "type", "value", "success",
)  # fmt: skip
"""the order of the explanations: those that say most about a failure come first"""


def facts(question: str, modules: Modules = ()) -> Facts:
    """The facts of each name in a question, the most important first; names that contain the question; words that look
    like names and are unknown, and names similar to these. `modules` have further operators of the user."""
    names, known_names, unknown, similar = meant(question, modules)
    own_output = _own(question, modules)
    # sorted() is stable: names of the same rank stay in the order of the text
    explanations = sorted(((name, facts_of(name, modules)) for name in names if name not in own_output), key=_rank)
    explanations = [(name, facts_of(name, modules)) for name in own_output] + explanations
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
    """The name that a text explains, if the text is itself an output of this command. It stays the most important
    one."""
    first = question.strip("\n").splitlines()[:2]
    words = [first[0], *re.findall(r"[\w-]+", " ".join(first))] if len(first) == 2 else []
    abouts = {word: facts_of(word, modules) for word in words}
    return [word for word, about in abouts.items() if about and first in _beginnings(about)][:1]


def _beginnings(about: Facts) -> list[list[str]]:
    """The first two lines of an explanation, in each language."""
    return [_full(each)[:2] for each in (about, explain_zh.facts(about))]


def _rank(entry: tuple[str, Facts]) -> int:
    about = entry[1]
    match about["kind"]:
        case "status":
            kind = "success" if not about["value"] else "vague status" if about["value"] in VAGUE else "status"
        case "error code":
            kind = "inner error code" if about["name"].endswith(("9999", "8888")) else "error code"
        case "finding":
            kind = f"{about['level']} finding"
        case other_kind:
            kind = other_kind
    return RANKS.index(kind)


def is_answered(answer: Facts) -> bool:
    """True if the question named anything that is known."""
    return bool(answer["names"])


def text(answer: Facts, *, whole: bool = False, lang: str = "en") -> str:
    """The result of `facts` as text: at most a screen, or everything (`whole`). `lang`: en or zh."""
    if lang == "zh":
        explanations = list(map(explain_zh.facts, answer["explanations"]))
        in_chinese = {**answer, "explanations": explanations, "families": explain_zh.FAMILIES}
        return "\n".join(map(explain_zh.line, _lines(in_chinese, whole=whole)))
    return "\n".join(_lines(answer, whole=whole))


def _lines(answer: Facts, *, whole: bool) -> list[str]:
    explanations = answer["explanations"]
    if len(explanations) == 1:
        about = explanations[0]
        short = about["kind"] == "status" and not whole
        lines = [] if short and len(about["returned_by"]) > SCREEN else _full(about)
        if short and not 0 < len(lines) <= SCREEN:
            lines = _status_with_names(about)
        hint = f"aclnn explain --all {_title(about)}"
    elif explanations and whole:
        lines = [line for explanation in explanations for line in ("", *_full(explanation))][1:]
        hint = ""
    elif explanations:
        return _overview(answer)
    else:
        lines, hint = _without_explanation(answer), f"aclnn explain --all {answer['asked'].strip()}"
    ends = _not_known(answer) if explanations else []
    return [*(lines if whole else _cut(lines, hint, SCREEN - len(ends))), *ends]


def _cut(lines: list[str], hint: str, limit: int) -> list[str]:
    """The first lines, at most `limit`; where some are left out, the last one says how to see them."""
    if len(lines) <= limit:
        return lines
    head = lines[: limit - 2]
    while not head[-1] or not head[-1].startswith(" "):  # no title without its text
        head.pop()
    more = f"({len(lines) - len(head)} more lines: {hint})"
    return [*head, "", more if len(more) <= WIDTH else f"({len(lines) - len(head)} more lines: --all shows them)"]


def _overview(answer: Facts) -> list[str]:
    """A few lines for each name as long as they fit the screen; the others are only listed."""
    about = answer["explanations"]
    ends = _not_known(answer)
    lines: list[str] = []
    count = 0
    for explanation in about:
        brief = _brief(explanation, answer["names"])
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


def _brief(about: Facts, names: list[str]) -> list[str]:
    """A name in a few lines: its meaning, and what to do. For a status also which function of the same text returns it,
    and when."""
    head, *parts = BRIEF[about["kind"]](about)
    for function in about["returned_by"] if about["kind"] == "status" else ():
        if function["function"].removesuffix("GetWorkspaceSize") in names or function["function"] in names:
            parts.append(f"{function['function']} returns it: {function['reasons'][0]}")
            break
    lines = wrapped(head, 0, 2)[:1]
    for part in filter(None, parts):
        of_part = wrapped(part, 2, 2)
        lines += of_part if len(of_part) <= 3 else [*of_part[:2], f"{of_part[2][: WIDTH - 4].rstrip()} ..."]
    return lines


def _title(about: Facts) -> str:
    """The name or number to ask for, to see the whole explanation."""
    return str(about["value"]) if about["kind"] == "status" else about.get("name") or about["id"]


def _not_known(answer: Facts) -> list[str]:
    if not answer["unknown"]:
        return []
    similar = f" (similar: {', '.join(answer['similar'])})" if answer["similar"] else ""
    lines = wrapped(f"unknown: {_unknown(answer)}{similar}", 0, 2)
    return ["", *(lines if len(lines) <= 3 else [*lines[:2], "  ..."])]


def _unknown(answer: Facts) -> str:
    """The unknown words. For the code of an error text also the part of CANN that writes it."""
    return ", ".join(
        f"{each} (a code of {module(each)})" if CODE.fullmatch(each) else each for each in answer["unknown"]
    )


def _without_explanation(answer: Facts) -> list[str]:
    """The answer when no name is explained: names that contain the question, or that it is unknown, and similar
    names."""
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
    elif answer["unknown"] and (answer["unknown"] != [answer["asked"]] or CODE.fullmatch(answer["asked"])):
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


def _status_with_names(about: Facts) -> list[str]:
    """A status with the names of the functions that return it, but without the conditions."""
    names = ", ".join(each["function"] for each in about["returned_by"])
    lines = _status({**about, "returned_by": [], "value": 0})[1:]
    head = f"{about['value']}  {', '.join(about['names'])}"
    return [head, *lines, "", f"Returned by (the conditions: aclnn explain --all {about['value']})", *wrapped(names, 2)]


def _status(about: Facts) -> list[str]:
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
    times = Counter(reason for each in records for reason in each["reasons"])
    lines: list[str] = []
    checks = {each["function"]: checks_of(each["function"]) for each in records}
    for record in records:
        name = record["function"]
        if reasons := [reason for reason in record["reasons"] if times[reason] == 1 or reason in checks[name]]:
            lines += [f"  {name}:"]
            lines += [line for reason in reasons for line in wrapped(f"- {reason}", 6, 2)]
    for reason, many in reversed(times.most_common()):
        sharing = [name for name in (each["function"] for each in records if reason in each["reasons"])
                   if reason not in checks[name]]  # fmt: skip
        if many > 1 and sharing:
            lines += [*wrapped(f"{reason.removesuffix('.')}:", 2), *wrapped(", ".join(sharing), 6)]
    return lines


def _function(about: Facts) -> list[str]:
    prototype, _, rest = about["help"].partition("\n")
    return [f"#include <{about['header']}>", *_declared(prototype), *refilled(rest)]


def _declared(prototype: str) -> list[str]:
    """The lines of a prototype, broken between parameters. It is broken before the first one only if it must be."""
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
            lines += ["", f"{len(dtype['operators'])} operators support it, for these tensors"]
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
    lines = [f"{about['name']}  {about['title']}".rstrip(), *wrapped(f"a code in error texts: {about['module']}", 2)]
    parts = {"It reads": _reads(about), "Meaning": about["meaning"], "Possible cause": about["cause"]}
    for title, part in (parts | {"What to do": about["solution"]}).items():
        lines += ["", title, *wrapped(part, 2)] if part else []
    return lines


def _reads(about: Facts) -> str:
    """The sentence of an error text, with `...` for each value."""
    if not about["sentence"]:
        return ""
    reads = PLACE.sub("...", about["sentence"])
    return reads if reads.strip(".") else "The sentence of the check that failed: parameter, found, allowed."


def _full(about: Facts) -> list[str]:
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
    lines = [about["name"], *wrapped(about["about"], 2), "", "See"]
    for word in about["see"]:
        name = meant(word).explained[0]
        lines += wrapped(_one_line(about.get("in_words", _unchanged)(facts_of(name))), 2, 4)
    return lines


def _unchanged(about: Facts) -> Facts:
    return about


def _one_line(about: Facts) -> str:
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
    return [about["name"], about["about"], f"See: {', '.join(about['see'])}"]


FULL: Final[dict[str, Callable[[Facts], list[str]]]] = {
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
"""functions of the brief form: name and kind, then one or two sentences"""
