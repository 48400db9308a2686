"""The files that `aclnn explain` reads instead of creating functions. `python -m aclnn.render` makes them.

generated_list.txt          each function: its statuses, and the types and values that its help mentions
generated_data_types.txt    the number of operators that support each data type
generated_GROUP.txt         the help of each function

`aclnn.tools.command.help_index` reads them. A line that many functions have is written once in a file, so
that a new wording changes one line.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from typing import Any, Final
from zlib import crc32

from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.enums import aclDataType
from acl_runtime.text import ITEM
from aclnn.catalogue.facts import facts
from aclnn.catalogue.index import single_phase
from aclnn.ops import FIRST
from aclnn.tools.command import declared, header_values, ops
from aclnn.tools.command.header_values import mentioned, tensors_of
from aclnn.tools.command.help_index import CHECK, GROUPS, MARKS, NAME, REPEATED, START, Described, group
from aclnn.tools.exports import all_functions, operators
from aclnn.tools.pages.markdown import Files

FOLDER: Final = "aclnn/tools/command/help_index"
MADE: Final = "for `aclnn explain`. Made by `python -m aclnn.render`; do not edit."
LIST: Final = f"Each function, its statuses without success, types and values in its help, {MADE}"
COUNTS: Final = f"The number of operators that support each data type, {MADE}"
HELP: Final = f"The help of each function, {MADE}"
OFTEN: Final = 10
"""a line that so many functions have is written once"""
SHORT: Final = 20
"""a line of at most so many characters is written everywhere"""


def files() -> Files:
    """For each file the function that returns its text, by its path in the project."""
    texts = {"list": listed, "data_types": counts, **{file: partial(helps, file) for file in GROUPS}}
    return {f"{FOLDER}/generated_{name}.txt": text for name, text in texts.items()}


def listed() -> str:
    """The list of all functions."""
    of_headers = header_values.subjects({}, tuple)
    rows = (
        (name, " ".join(map(str, sorted(each.statuses))), " ".join(mentioned(each.help, of_headers)))
        for name, each in all_functions().items()
    )
    return "\n".join([LIST, *map("\t".join, rows), ""])


def counts() -> str:
    """The number of operators that support each data type."""
    names = [dtype_name(member) for member in aclDataType]
    supported = Counter(name for types in _data_types() for name in names if tensors_of(name, types))
    return "\n".join([COUNTS, *(f"{name}\t{supported[name]}" for name in names), ""])


def _data_types() -> Iterator[Mapping[str, Mapping[str, list[str]]]]:
    """The data types of each documented function, by product and tensor."""
    yield from (declared.of(op)["data_types"] for op in operators().values())
    yield from (ops.documented_types(facts(name)) for name in single_phase())


def helps(file: str) -> str:
    """The help of the functions of a group."""
    functions = [declared.described(name) for name in all_functions() if group(name) == file]
    marked = {about.name: _lines(about) for about in functions}
    counts = Counter(_common(line, name) for name, lines in marked.items() for line in lines)
    repeated = {line: _key(line) for line, count in sorted(counts.items()) if count >= OFTEN and len(line) > SHORT}
    if len({*repeated.values()}) < len(repeated):
        raise ValueError(f"two repeated lines of {file} have the same key")
    parts = [HELP, *(f"{key} {line}" for line, key in repeated.items())]
    for about in functions:
        parts += ["", f"@{json.dumps(_facts(about))}"]
        parts += [repeated.get(_common(line, about.name), line) for line in marked[about.name]]
    return "\n".join([*parts, "", f"{START}}}", ""])


def _lines(about: Described) -> list[str]:
    """The lines of a help text, in which the conditions of the checks are marked."""
    lines = about.help.split("\n")
    if any(line.startswith(MARKS) for line in lines):
        raise ValueError(f"{about.name}: a line of the help begins with one of the marks {MARKS}")
    return [_marked(line, about.checks) for line in lines]


def _marked(line: str, checks: Collection[str]) -> str:
    reason = line.removeprefix(ITEM)
    return f"{CHECK}{reason}" if line.startswith(ITEM) and reason in checks else line


def _common(line: str, name: str) -> str:
    """A line with a mark in place of the name of the operator."""
    return line.replace(name.removesuffix(FIRST), NAME)


def _key(line: str) -> str:
    """The key of a repeated line. It depends on the line alone, so that a new line changes no other key."""
    return f"{REPEATED}{crc32(line.encode()):08x}"


def _facts(about: Described) -> dict[str, Any]:
    """The fields that are no part of the help, without those that have their default."""
    others = {"products", "pyacl", "lacking", "facts"}
    defaults = Described._field_defaults
    return {
        "name": about.name, "header": about.header,
        **{key: value for key, value in about._asdict().items() if key in others and value and value != defaults[key]},
    }  # fmt: skip
