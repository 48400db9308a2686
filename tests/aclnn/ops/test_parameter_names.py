"""The parameters that the body of an operator names exist.

`p["slef"]` in a plan, or `a["slef"]` in a demand, fails only in a call that gets there. So the sources are read: the
plan of each operator, the functions that its relations hold, and the functions that these hand the arguments to. The
test sees a name that is written as a constant, or comes from one by a variable, a closure, a loop or an argument.
`p.has("dim")` asks for a name that some versions of an operator lack, so any name is right there.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from inspect import Parameter, getclosurevars, signature
from pathlib import Path
from types import FunctionType
from typing import Any, Final, cast

import pytest

from aclnn.catalogue.facts import facts
from aclnn.engine.arguments import Arguments
from aclnn.engine.operator import Operator, planned
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Bad, Relation, Traits
from aclnn.engine.words.values import demand
from tests.derived.judging import operators

Source = ast.FunctionDef | ast.Lambda
Names = Mapping[str, frozenset[str]]
"""the strings that a variable may be"""
NAMING: Final = ("name", "names", "of", "noop")
"""what the methods of Planning call the parameters that take names"""
NONE: Final[frozenset[str]] = frozenset()


@cache
def sources(path: str) -> dict[int, list[Source]]:
    """The functions of a file, by their first line: that of a decorator, where there is one."""
    found: dict[int, list[Source]] = {}
    for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            decorated = node.decorator_list if isinstance(node, ast.FunctionDef) else []
            found.setdefault(min([node.lineno, *(each.lineno for each in decorated)]), []).append(node)
    return found


@cache
def naming(method: str) -> dict[str | int, bool]:
    """The places and names of a method's parameters that take names of parameters, each with: does it take several?"""
    if not hasattr(Planning, method):
        return {}
    listed = list(signature(getattr(Planning, method)).parameters.values())[1:]
    wanted = [(at, each) for at, each in enumerate(listed) if each.name in NAMING]
    places: dict[str | int, bool] = {at: each.kind is Parameter.VAR_POSITIONAL for at, each in wanted}
    return places | {each.name: False for _, each in wanted}


def strings(node: ast.expr, known: Names) -> frozenset[str]:
    """The strings that an expression may be; none if that is not to be seen."""
    match node:
        case ast.Constant(value=str(text)):
            return frozenset((text,))
        case ast.Name(id=name):
            return known.get(name, NONE)
        case ast.IfExp(body=body, orelse=orelse):
            return strings(body, known) | strings(orelse, known)
        case ast.Starred(value=ast.Tuple(elts=several)) | ast.Tuple(elts=several):
            return NONE.union(*(strings(each, known) for each in several))
        case ast.Starred(value=ast.Name(id=name)):
            return known.get(name, NONE)
        case _:
            return NONE


def constants(values: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """The variables that are a string, or a tuple of strings."""
    found: dict[str, frozenset[str]] = {}
    for name, value in values.items():
        several: tuple[Any, ...] = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)
        if several and all(isinstance(each, str) for each in several):
            found[name] = frozenset(several)
    return found


class Reader:
    """The names that the functions of one operator use."""

    def __init__(self) -> None:
        self.used: set[tuple[str, str]] = set()
        """each name with each place where it is used"""
        self.asked: set[str] = set()
        """names of `p.has(...)`"""
        self._seen: set[tuple[Any, ...]] = set()

    def function(self, function: Any, arguments: Names | None = None, place: int = 0) -> None:
        """Read a function whose parameter at this place is a Planning, or Arguments. Other arguments may be strings."""
        while hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        given = arguments or {}
        key = (function, place, *sorted(given.items()))
        if not isinstance(function, FunctionType) or key in self._seen:
            return
        self._seen.add(key)
        code = function.__code__
        around = getclosurevars(function)
        scope = {**around.builtins, **around.globals, **around.nonlocals}
        for node in sources(code.co_filename).get(code.co_firstlineno, []):
            words = [*node.args.posonlyargs, *node.args.args]
            if code.co_name == getattr(node, "name", "<lambda>") and place < len(words):
                known = {**constants(scope), **given}
                self._body(node, words[place].arg, known, {**vars(builtins), **function.__globals__, **scope})

    def _body(self, node: Source, name: str, known: Names, scope: Mapping[str, Any]) -> None:
        nodes = list(ast.walk(node))
        looped: dict[str, frozenset[str]] = {}
        for each in nodes:
            if isinstance(each, ast.comprehension | ast.For) and isinstance(each.target, ast.Name):
                looped[each.target.id] = looped.get(each.target.id, NONE) | strings(each.iter, known)
        here = {**known, **looped}
        where = f"{scope.get('__name__')}:{node.lineno}"
        for each in nodes:
            match each:
                case ast.Subscript(value=ast.Name(id=used), slice=index) if used == name:
                    self._use(strings(index, here), where)
                case ast.Call(func=ast.Attribute(value=ast.Name(id=used), attr=method)) if used == name:
                    self._method(each, method, here, where)
                case ast.Call(func=ast.Name(id=called)):
                    self._handed_on(each, scope.get(called), name, here)
                case _:
                    pass

    def _method(self, call: ast.Call, method: str, known: Names, where: str) -> None:
        given = [(at, each) for at, each in enumerate(call.args)]
        places = naming(method)
        several = next((at for at, more in places.items() if more and isinstance(at, int)), len(given))
        named = [each for at, each in given if at in places or at >= several]
        named += [each.value for each in call.keywords if each.arg in places]
        found = NONE.union(*(strings(each, known) for each in named))
        if method == "has":
            self.asked |= found
        else:
            self._use(found, where)

    def _handed_on(self, call: ast.Call, function: Any, name: str, known: Names) -> None:
        """Read a function that is called with the arguments."""
        places = [at for at, each in enumerate(call.args) if isinstance(each, ast.Name) and each.id == name]
        if not places or not isinstance(function, FunctionType):
            return
        words = list(signature(function).parameters)
        given = dict(zip(words, call.args, strict=False)) | {each.arg: each.value for each in call.keywords if each.arg}
        texts = {word: strings(node, known) for word, node in given.items()}
        self.function(function, {word: each for word, each in texts.items() if each}, places[0])

    def _use(self, names: Iterable[str], where: str) -> None:
        self.used |= {(each, where) for each in names if each}  # "" is none


def functions_in(value: Any, seen: set[FunctionType]) -> Iterator[FunctionType]:
    """The functions of Arguments that a relation holds: in its closures, their tuples and further relations."""
    if isinstance(value, Relation | Traits):
        value = tuple(vars(value).values())
    if isinstance(value, tuple | list):
        for each in cast("Sequence[Any]", value):
            yield from functions_in(each, seen)
    elif isinstance(value, FunctionType) and value not in seen:
        seen.add(value)
        first = next(iter(signature(value).parameters), "")
        if value.__annotations__.get(first) in (Arguments, "Arguments") or value.__name__ == "<lambda>":
            yield value
        for cell in value.__closure__ or ():
            yield from functions_in(cell.cell_contents, seen)


@dataclass
class Uses:
    """The uses of names, each by name and place, in the bodies of operators."""

    known: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """those that a function of an operator has as a parameter"""
    unknown: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict[tuple[str, str], tuple[str, ...]])
    """the others, with the functions"""

    def add(self, operator: Operator) -> None:
        reader, seen = Reader(), set[FunctionType]()
        reader.function(operator.plan)
        for relation in operator.relations:
            for function in functions_in(relation, seen):
                reader.function(function)
        have = {param.name for name in operator.names for param in facts(name).params}
        have |= {each.removesuffix("Ref") for each in have} | reader.asked
        if all(name.startswith("aclnnInplace") for name in operator.names):
            have |= {"self", "out"}
        for use in reader.used:
            if use[0] in have:
                self.known.add(use)
            else:
                self.unknown[use] = operator.names

    def wrong(self) -> list[str]:
        """A function that several operators share may name a parameter that only some of them have."""
        return [f"{' '.join(functions)}: {name!r} in {where}" for (name, where), functions in self.unknown.items()
                if (name, where) not in self.known]  # fmt: skip


def test_every_name_is_a_parameter() -> None:
    uses = Uses()
    for operator in dict.fromkeys(operators().values()):
        uses.add(operator)
    assert not uses.wrong(), "\n".join(uses.wrong())
    assert len(uses.known) > 1500, "the test sees few of the names"


def deepest(p: Planning, name: str) -> None:
    p.read(name)


def shared(p: Planning, given: str) -> None:
    deepest(p, name=given)


def in_a_loop(p: Planning) -> None:
    for name in ("self", "wrong"):
        p.read(name)


def closed_over(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return ("", "") if a[name] else None

    return demand("{0} is right", "self", bad=bad)


MISSPELT: dict[str, tuple[Callable[[Planning], None], Sequence[Relation]]] = {
    "a subscript": (lambda p: p["wrong"], ()),
    "a method": (lambda p: p.store("out", p.read("wrong")), ()),
    "a keyword": (lambda p: p.fill("out", p.axis("dim", of="wrong")), ()),
    "a function that gets the name": (lambda p: shared(p, "wrong"), ()),
    "a loop": (in_a_loop, ()),
    "a test of the arguments": (lambda p: p.store("out", p.read("self")), (closed_over("wrong"),)),
}


@pytest.mark.parametrize(("plan", "relations"), MISSPELT.values(), ids=MISSPELT)
def test_a_misspelt_name_is_found(plan: Callable[[Planning], None], relations: Sequence[Relation]) -> None:
    uses = Uses()
    uses.add(planned("aclnnSoftmax", *relations)(plan))
    (found,) = uses.wrong()
    assert found.startswith(f"aclnnSoftmax: 'wrong' in {__name__}:")


def test_right_names_are_none() -> None:
    uses = Uses()
    uses.add(planned("aclnnSoftmax", closed_over("self"))(lambda p: shared(p, "self") or p["dim"]))
    assert not uses.wrong()
    assert {name for name, _ in uses.known} == {"self", "dim"}
