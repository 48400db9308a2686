"""An example for the page of a function: the shortest part of a sample or of a test that calls it."""

import ast
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from acl_runtime.abi.conversions import Output
from acl_runtime.abi.function import CFunction, in_python
from aclnn.tools.pages.markdown import ROOT

PLACES: Final = ("samples", "tests/acl_runtime/api", "tests/acl_runtime")
"""the folders with examples; the first that has one wins"""
LONGEST: Final = 24
"""maximum number of lines of an example"""
WIDTH: Final = 88
"""maximum number of columns of a call: a block of code of the site has as many in a window of 1366 pixels"""
FAILING: Final = ("ACL_ERROR", "ACLNN_ERR", "raises(", "def wrong", "refused")
"""texts that the source of an example should not have, as it should show a call that succeeds"""


class Example(NamedTuple):
    """A function that calls another one: its file below the root of the project, and its source."""

    path: str
    source: str


def example(function: CFunction) -> Example | None:
    """The best example of a call; None if no sample or test of the runtime calls the function by its name."""
    return next((examples[function.name] for examples in map(_in, PLACES) if function.name in examples), None)


def samples() -> set[Path]:
    """The samples that pages take examples from; the site has a page for each."""
    return {ROOT / each.path for each in _in("samples").values()}


@cache
def _in(place: str) -> dict[str, Example]:
    """The best example for each function that is called in the files of a folder."""
    best: dict[str, tuple[tuple[int, ...], Example]] = {}
    for path in sorted((ROOT / place).rglob("*.py")):
        for example, called in _functions(path):
            lines = example.source.count("\n")
            failing = sum(word in example.source for word in FAILING)
            for name in called:
                rank = (failing, "parametrize" in example.source, lines)
                if lines <= LONGEST and (name not in best or rank < best[name][0]):
                    best[name] = rank, example
    return {name: example for name, (_, example) in best.items()}


def _functions(path: Path) -> Iterator[tuple[Example, set[str]]]:
    """The functions of a file, with the names that each calls."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.FunctionDef):
            calls = (node.func for node in ast.walk(statement) if isinstance(node, ast.Call))
            first = min((statement.lineno, *(decorator.lineno for decorator in statement.decorator_list)))
            source = textwrap.dedent("".join(lines[first - 1 : statement.end_lineno]))
            yield (
                Example(path.relative_to(ROOT).as_posix(), source),
                {call.id for call in calls if isinstance(call, ast.Name)},
            )


def call(function: CFunction) -> str:
    """The call in Python: it creates the output parameters, and every argument has the name of its parameter."""
    parameters = [(in_python(name), ctype) for name, ctype in function.parameters]
    outputs = ((name, ctype.expected) for name, ctype in parameters if isinstance(ctype, Output))
    lines = [f"{name} = {expected.rpartition(' = ')[2]}\n" for name, expected in outputs]
    arguments = [f"byref({name})" if isinstance(ctype, Output) else name for name, ctype in parameters]
    return f"{''.join(lines)}{_in_lines(f'status = {function.name}', arguments)}\n"


def _in_lines(head: str, arguments: list[str]) -> str:
    """A call in one line; if that is too long, its arguments in one line, or in a line each. ruff does the same."""
    argument_list = ", ".join(arguments)
    if len(f"{head}({argument_list})") <= WIDTH:
        return f"{head}({argument_list})"
    if len(argument_list) + 4 <= WIDTH:
        return f"{head}(\n    {argument_list}\n)"
    return "\n".join([f"{head}(", *(f"    {argument}," for argument in arguments), ")"])
