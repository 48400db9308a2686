"""The names that `aclnn explain` explains, with the facts of each, and the search for the names that a question means.

The names are those of statuses, functions, operators, findings, codes of error texts, types and values of the headers,
chips, environment variables and topics.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, partial
from types import ModuleType
from typing import Any, Final, NamedTuple

import acl_runtime.headers.statuses as statuses
import acl_runtime.objects.support as support
from acl_runtime.checks.catalogue import CATALOGUE, FindingKind
from acl_runtime.headers.meanings import MEANINGS
from acl_runtime.headers.remedies import FAMILIES, remedy
from acl_runtime.objects.soc import Series
from acl_runtime.text import reasons as separated
from aclnn.catalogue.index import names as documented
from aclnn.catalogue.index import single_phase
from aclnn.ops import FIRST
from aclnn.tools.command import header_values, ops, products, variables
from aclnn.tools.command.help_index import Described, described, listed
from aclnn.tools.command.scan import Vocabulary, scan
from aclnn.tools.command.subjects import codes, communication, pyacl_names, topics

MOST_SIMILAR: Final = 5
"""maximum number of similar names that are proposed"""
SIMILARITY: Final = 0.7
"""the similarity to the question that a proposed name needs, from 0 to 1"""
PARTS: Final = 4
"""a question of more words is a text, not the parts of one name"""
INNER_ERROR: Final = "inner error"
"""the topic that each code of an inner error or of torch_npu would mention"""
NUMBER: Final = re.compile(r"([+-]?)(0x[0-9a-f]{1,20}|\d{1,20})[ul]*", re.IGNORECASE | re.ASCII)
"""a number as C or a log writes it"""
REPORTED: Final = re.compile(r"(?:error|warning|advice|note)\[(.+)\]", re.IGNORECASE)
"""the form in which a report shows the id of a finding"""
CALLED: Final = re.compile(r"([\w.]+)\s*\([^()]*\)?[\s;,:.]*")
NAME: Final = re.compile(r"[A-Za-z][\w .:-]*", re.ASCII)
"""a text that may be a misspelt name"""
APART: Final = re.compile(r"[\W_]+")
"""characters that do not count when names are compared: `soft_max`, `acl.rt.malloc`, `ws freed early`"""
Facts = dict[str, Any]
Modules = tuple[ModuleType, ...]
"""modules of the user with further operators"""


class Meant(NamedTuple):
    """The names that a question means. The question is answered if `explained` or `listed` has any."""

    explained: list[str]
    """names in the text, in its order"""
    listed: list[str]
    """names that contain all words of the question, or the statuses of a family"""
    unknown: list[str]
    """words that look like a name or a status but are none"""
    similar: list[str]
    """names that are similar to the unknown words"""


@cache
def own_functions(modules: Modules) -> Mapping[str, Callable[[], Described]]:
    """A function for each function in modules of the user that returns its description."""
    if not modules:
        return {}
    from aclnn.tools.command.declared import functions  # late: it imports what makes operators

    return functions(modules)


@cache
def own_operators(modules: Modules) -> Mapping[str, Callable[[], Facts]]:
    """A function for each operator in modules of the user that returns the facts of `aclnn ops`."""
    if not modules:
        return {}
    from aclnn.tools.command.declared import operators  # late, as above

    return operators(modules)


def describe(name: str, modules: Modules = ()) -> Described:
    """The description of a function, also of one in modules of the user."""
    own = own_functions(modules)
    return own[name]() if name in own else described(name)


@cache
def subjects(modules: Modules = (), most: int | None = None) -> dict[str, Callable[[], Facts]]:
    """A function for each name that returns its facts. The name of a second phase leads to the facts of the operator,
    which contain those of both phases. `most`: see `header_values.subjects`."""
    by_name: dict[str, Callable[[], Facts]] = {}
    own, two_phase = own_functions(modules), [name for name in documented() if name not in single_phase()]
    by_name |= {name: lambda name=name: function(describe(name, modules)) for name in [*listed(), *own]}
    by_name |= {name: partial(operator, name, modules) for name in [*two_phase, *own_operators(modules)]}
    by_name |= {name: partial(status, getattr(statuses, name), modules) for name in statuses.__all__}
    by_name |= {check.id: partial(finding, check) for check in CATALOGUE}
    by_name |= codes.subjects() | communication.subjects() | products.subjects() | variables.subjects()
    by_name |= header_values.subjects(own, partial(ops.each_of, modules), None if modules else most)
    return by_name | topics.subjects()


def facts_of(name: str, modules: Modules = (), most: int | None = None) -> Facts:
    """The facts of a name. A code, or a name that pyACL lacks, is recognised by its form. `most`: see `status`."""
    if name in statuses.__all__:
        return status(getattr(statuses, name), modules, most)
    subject = subjects(modules, most).get(name)
    return subject() if subject else codes.by_form(name) or pyacl_names.facts(name)


@cache
def _by_number() -> dict[int, str]:
    """The first name of each status."""
    return {getattr(statuses, name): name for name in reversed(statuses.__all__)}


@cache
def _by_folded(modules: Modules) -> dict[str, list[str]]:
    names: defaultdict[str, list[str]] = defaultdict(list)
    for name in subjects(modules):
        names[_folded(name)].append(name)
    return dict(names)


@cache
def vocabulary(modules: Modules = ()) -> Vocabulary:
    """The names that `scan` looks for in a text."""
    return Vocabulary(
        names=frozenset(subjects(modules)),
        aliases=header_values.aliases(),
        statuses=_by_number(),
        values={name: getattr(statuses, name) for name in statuses.__all__},
        reasons={_words(name): name for name in reversed(statuses.__all__)},
        ids=frozenset(check.id for check in CATALOGUE),
        pyacl=partial(_of_pyacl, modules),
    )


def _words(status_name: str) -> str:
    return re.sub(r"^ACL_ERROR_(?:RT_)?", "", status_name).replace("_", " ").casefold()


def _of_pyacl(modules: Modules, name: str) -> str | None:
    names = _by_folded(modules).get(_folded(name))
    return names[0] if names else None


def number(text: str) -> int | None:
    """The question as a number, decimal or hexadecimal; None if it is not a number."""
    match = NUMBER.fullmatch(text.strip())
    return None if match is None else int(match[1] + match[2], 16 if match[2][1:2] in ("x", "X") else 10)


def family(value: int) -> int | None:
    """The family of a status: its thousands. A number below 1000 is itself taken for a family. None if there is no such
    family."""
    thousands = value // 1000 if value >= 1000 else value
    return thousands if thousands in FAMILIES and value else None


def meant(question: str, modules: Modules = ()) -> Meant:
    """The names that a question means. The question is read, in this order, as: a number; one name, however its parts
    are joined; a text with names or topics; parts of names; a misspelt finding; a few words about a general topic."""
    value = number(question)
    if value is not None:
        return _number(value)
    whole = _whole(question, modules)
    if whole:
        return Meant([whole], [], [], [])
    names, unknown = scan(question, vocabulary(modules))
    names += [topic for topic in topics.within(question, short=False) if _says_more(topic, names)]
    if names:
        return Meant(names, [], unknown, _similar(unknown, modules))
    parts = _with_parts(question, modules)
    if parts:
        return Meant(parts, [], [], []) if len(parts) == 1 else Meant([], parts, [], [])
    general = [] if _like_a_finding(question) else topics.within(question, short=True)
    return Meant(general, [], unknown, _similar(unknown or [_bare(question)], modules))


def _says_more(topic: str, names: Sequence[str]) -> bool:
    """False for a topic whose name the text has already, or that only leads to statuses and codes of the text."""
    about = facts_of(topic)
    numbers = {_by_number()[int(word)] for word in about["see"] if word.isdecimal()}
    codes_of_topic = {word for word in about["see"] if codes.CODE.fullmatch(word)}
    general = topic == INNER_ERROR and any(map(codes.by_form, names))
    leads_to_names = general or not (numbers | codes_of_topic).isdisjoint(names)
    return topic not in names and (about["cause"] or not leads_to_names)


def _number(value: int) -> Meant:
    by_number = _by_number()
    if value in by_number:
        return Meant([by_number[value]], [], [], [])
    if family(value) == value:
        return Meant([], [by_number[each] for each in sorted(by_number) if each // 1000 == value], [], [])
    near = get_close_matches(str(value), map(str, by_number), MOST_SIMILAR)
    return Meant([], [], [str(value)], [by_number[int(each)] for each in near])


def _whole(question: str, modules: Modules) -> str | None:
    """The name that is the whole question, however its parts are joined; None if there is none."""
    bare = _bare(question)
    if bare in subjects(modules):
        return bare
    others = {_folded(other): name for other, name in header_values.aliases().items()}
    folded = _folded(bare)
    by_folded = _by_folded(modules)
    candidates = by_folded.get(folded) or by_folded.get(f"aclnn{folded}") or [others.get(folded)]
    code = bare.upper() if codes.by_form(bare.upper()) else None
    return candidates[0] or products.named(bare) or code or topics.called(question)


def _with_parts(question: str, modules: Modules) -> list[str]:
    """The names that contain all words of a short question."""
    words = _bare(question).split()
    parts = [*filter(None, map(_folded, words))]
    if not parts or len(words) > PARTS or any(len(part) < 3 for part in parts):
        return []
    by_folded = _by_folded(modules).items()
    return [name for folded, names in by_folded if all(part in folded for part in parts) for name in names]


def _like_a_finding(question: str) -> bool:
    """True if the question is almost the id of a finding. Then its parts, such as "sync", do not name a topic."""
    return "-" in question and bool(
        get_close_matches(_bare(question), [check.id for check in CATALOGUE], 1, SIMILARITY)
    )


def _similar(unknown: list[str], modules: Modules) -> list[str]:
    near = [each for word in unknown if NAME.fullmatch(word) for each in _near(word, modules)]
    return list(dict.fromkeys(near))[:MOST_SIMILAR]


def _near(word: str, modules: Modules) -> list[str]:
    by_folded = _by_folded(modules)
    return [
        name
        for folded in get_close_matches(_folded(word), by_folded, MOST_SIMILAR, SIMILARITY)
        for name in by_folded[folded]
    ]


def _bare(question: str) -> str:
    """A question without the characters that are often copied with a name: `error[ID]`, `NAME()`, `NAME:`."""
    question = question.strip()
    reported = REPORTED.fullmatch(question.rstrip(":"))
    called = CALLED.fullmatch(question)
    return reported[1] if reported else called[1] if called else question.strip(" ,;:`'\"*")


def _folded(name: str) -> str:
    return APART.sub("", name).casefold()


def status(value: int, modules: Modules = (), most: int | None = None) -> Facts:
    """A status: its number, names and meaning, what to do, and the functions that return it with their reasons.

    `most`: the reasons are left out if more functions return the status; None: never.
    """
    names = _returning(modules).get(value, ())
    whole = most is None or len(names) <= most
    return {
        "kind": "status",
        "value": value,
        "names": [name for name in statuses.__all__ if getattr(statuses, name) == value],
        "family": FAMILIES[value // 1000],
        "meaning": MEANINGS[value],
        "what_to_do": remedy(value),
        "returned_by": [
            {"function": name, "reasons": reasons_of(name, value, modules) if whole else []} for name in names
        ],
    }


@cache
def _returning(modules: Modules) -> Mapping[int, list[str]]:
    """The functions that return each status. Success is left out, because every function returns it."""
    by_status: defaultdict[int, list[str]] = defaultdict(list)
    own = {
        name: tuple(dict.fromkeys(status for status, _ in make().reasons if status))
        for name, make in own_functions(modules).items()
    }
    returns = {name: each.statuses for name, each in listed().items()} | own
    for name, values in returns.items():
        for value in values:
            by_status[value].append(name)
    return dict(by_status)


def reasons_of(function: str, value: int, modules: Modules = ()) -> list[str]:
    """The reasons for which a function returns a status."""
    reasons = describe(function, modules).reasons
    return [reason for status, text in reasons if status == value for reason in separated(text)]


def checks_of(function: str) -> frozenset[str]:
    """The reasons of a first phase that come from the checks of its operator; empty for another function."""
    return described(function).checks if function in listed() else frozenset()


def function(about: Described) -> Facts:
    """The help text of a function, and its statuses in a form for programs."""
    return {
        "kind": "function",
        "name": about.name,
        "header": about.header,
        "help": about.help,
        "statuses": [
            {"value": value, "name": statuses.name_of(value), "reasons": separated(text)}
            for value, text in about.reasons
        ],
        "products": {series.name: support.answer(about.name, series).text for series in Series}
        if about.products
        else None,
    }


def operator(name: str, modules: Modules = ()) -> Facts:
    """An operator: its products and data types, and its two functions."""
    own = own_operators(modules)
    pair = [function(describe(each, modules)) for each in (f"{name}{FIRST}", name)]
    return {"kind": "operator", **(own[name]() if name in own else ops.of_documented(name)), "functions": pair}


def finding(check: FindingKind) -> Facts:
    """A finding: its row of the catalogue."""
    return {"kind": "finding", **check._asdict(), "page": f"docs/findings/{check.id}.md"}
