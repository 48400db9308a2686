"""From the nodes of an expression to the instructions of the evaluator."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.expressions import (
    BOOL,
    DOUBLE,
    FLOAT,
    Cast,
    Leaf,
    Node,
    Reshaped,
    Sum,
    UfuncCall,
    Unwritable,
    Updated,
    Where,
    walk,
)
from aclnn.engine.fast.native.as_they_are import NARROW, Readers
from aclnn.engine.fast.native.library import Extent, Instruction, Library
from aclnn.engine.fast.native.terms import Terms, terms_of
from aclnn.engine.fast.space import Space

REGISTERS: Final = 60
"""the most registers of a program"""
MEMORY: Final = {
    "float32": "F32", "float64": "F64", "int32": "I32", "int64": "I64", "bool": "MASK", "float16": "F16",
    "bfloat16": "BF16", "int8": "I8", "uint8": "U8", "int16": "I16", "uint16": "U16", "uint32": "U32",
}  # fmt: skip
"""the evaluator's name of each type in memory"""
REGISTER: Final = {"I8": "I32", "U8": "I32", "I16": "I32", "U16": "I32", "U32": "I64"}
"""the type of a register that holds a narrow integer"""
LOGICAL: Final = ("logical_and", "logical_or", "logical_xor", "logical_not")


class Unknown(Unwritable):
    """The evaluator does not know this; its text says what."""


class Goal(NamedTuple):
    """A node that is stored: in which memory of the sweep, of which type, and whether the layout of the memory lets the
    last operation write there itself."""

    node: Node
    memory: int
    dtype: np.dtype[Any]
    direct: bool

    def type(self) -> str:
        """The type of register that can be stored there."""
        mine, name = held(self.node.dtype), kind(self.dtype)
        if name in ("F16", "BF16", "F32", "F64"):
            return mine if mine[0] == "F" else "F64" if name == "F64" else "F32"
        return REGISTER.get(name, name)


class Emitted(NamedTuple):
    """An instruction before registers are assigned: `value` and `sources` are numbers of values."""

    fields: dict[str, Any]
    value: int
    sources: tuple[int, ...]


def kind(dtype: np.dtype[Any]) -> str:
    """The evaluator's type of elements in memory."""
    found = MEMORY.get(cast("str", dtype.name))
    if found is None:
        raise Unknown(f"elements of type {dtype.name}")
    return found


def held(dtype: np.dtype[Any]) -> str:
    """The type of the register that holds them."""
    name = kind(dtype)
    if name in ("F16", "BF16"):
        raise Unknown(f"arithmetic of {dtype.name}")
    return REGISTER.get(name, name)


class Part(NamedTuple):
    """The results of a program: sums, and nodes that are stored."""

    sums: Sequence[Sum]
    goals: Sequence[Goal]

    @property
    def roots(self) -> list[Node]:
        """The nodes that all others are there for."""
        return [*self.sums, *(goal.node for goal in self.goals)]


class Translation:
    """Programs whose blocks are the same, so that the registers of one are still there in the next; or one program.

    A part is the sums of one level, or the last sums of a sweep and what it stores."""

    def __init__(
        self, library: Library, space: Space, *, extent: Callable[[Node], Extent], memory: Callable[[Array], int],
        update: Callable[[Updated], int], done: dict[Sum, int], known: Callable[[Sum], int | None],
        centre: Callable[[Node], bool], short_rows: bool,
    ) -> None:  # fmt: skip
        """`memory` and `update` give a place in the sweep. `done` numbers the sums of earlier programs, `known` gives
        the memory of a sum that an earlier sweep made. `centre` says whether a node can be the `c` of
        a sum (see `Terms`)."""
        self._library, self._space = library, space
        self._extent, self._memory, self._update, self._centre = extent, memory, update, centre
        self._done, self._known, self._short_rows = dict(done), known, short_rows
        self._code: list[Emitted] = []
        self._values: dict[tuple[Node, str], int] = {}
        """the number of the value that holds a node in a type of register"""
        self._extents: list[Extent] = []
        """of the values"""
        self._spread: dict[int, int] = {}
        """by value that has a number for each row, the one that has it for all elements of the row"""
        self._uses: Counter[Node] = Counter()
        self._readers: Counter[Node] = Counter()
        self._aims: dict[Node, int] = {}
        self._narrow: dict[Node, str] = {}
        """leaves that nobody widens before, and results that are rounded by their operation, with the type in memory"""
        self._summed: set[Node] = set()
        """leaves that only sums read"""

    def translate(self, parts: Sequence[Part], views: dict[Leaf, Array]) -> tuple[list[list[Instruction]], int]:
        """The instructions of each part, and the number of registers. The sums are numbered on from those done."""
        self._readers = self._counted(parts, self._plain_sources)
        self._uses = self._counted(parts, self._sources)
        self._read_as_they_are(parts, views)
        for part in parts:
            for goal in part.goals:
                self._aim(goal)
        ends: list[int] = []
        for part in parts:
            self._part(part, views)
            ends.append(len(self._code))
            self._finish(part.sums)
        code, registers = self._assigned()
        return [code[start:end] for start, end in pairwise([0, *ends])], registers

    def _counted(self, parts: Sequence[Part], sources: Callable[[Node], tuple[Node, ...]]) -> Counter[Node]:
        """How often the nodes of all parts are read."""
        before, found = dict(self._done), Counter[Node]()
        for part in parts:
            found.update(part.roots)
            for node in walk(part.roots, sources):
                found.update(sources(node))
            self._finish(part.sums)
        self._done = before
        return found

    def _finish(self, sums: Sequence[Sum]) -> None:
        """From now on these sums are done."""
        self._done |= {node: len(self._done) + at for at, node in enumerate(sums)}

    def _part(self, part: Part, views: dict[Leaf, Array]) -> None:
        numbers = {node: len(self._done) + at for at, node in enumerate(part.sums)}
        for node in walk(part.roots, self._sources):
            if (node, self._held(node)) not in self._values:
                self._node(node, numbers, views)
        for goal in part.goals:
            if self._aims.get(self._base(goal.node)) != goal.memory:
                type_ = self._narrow.get(goal.node, goal.type())
                value = self._value(goal.node, type_)
                self._emit("store", type_, (value,), extent=Extent.MANY, x=goal.memory)

    def _held(self, node: Node) -> str:
        """The type of the register that a node is made in."""
        return self._narrow.get(node, held(node.dtype))

    # the graph

    def _finished(self, node: Node) -> bool:
        return isinstance(node, Sum) and (node in self._done or self._known(node) is not None)

    def _plain_sources(self, node: Node) -> tuple[Node, ...]:
        return () if self._finished(node) else node.sources

    def _sources(self, node: Node) -> tuple[Node, ...]:
        if isinstance(node, Sum) and not self._finished(node):
            return self._terms(node).sources
        if isinstance(node, Cast) and isinstance(node.value, Sum) and self._finished(node.value):
            return ()  # comes in the type that is wanted
        return self._plain_sources(node)

    def _terms(self, node: Sum) -> Terms:
        return terms_of(node, self._readers, self._vector, self._centre)

    def _vector(self, node: Node) -> bool:
        """Does a register of it have all elements of a block?"""
        return self._extent(node) is Extent.MANY

    def _base(self, node: Node) -> Node:
        """The node whose register this one shares."""
        while isinstance(node, Reshaped | Updated):
            node = node.value
        return node

    def _aim(self, goal: Goal) -> None:
        """Let the last operation of a goal write to the memory itself, and round what it writes."""
        node = goal.node
        while isinstance(node, Reshaped | Updated) and self._uses[node.value] == 1:
            node = node.value
        type_, mine = kind(goal.dtype), isinstance(node, UfuncCall | Where) and self._vector(node)
        if not mine or node in self._aims:
            return
        rounds = (
            type_ in NARROW and node is goal.node and self._uses[node] == 1 and self._for_narrow(node, type_)
            and all(self._narrow.get(each, type_) == type_ for each in node.sources)
        )  # fmt: skip
        if rounds:
            self._narrow[node] = type_
        alike = rounds or (goal.dtype == goal.node.dtype and held(node.dtype) == kind(node.dtype))
        if goal.direct and alike and all(self._space.part(node)):
            self._aims[node] = goal.memory

    def _for_narrow(self, node: Node, type_: str) -> bool:
        """Is there a loop for it that reads and writes floats of 16 bits as they are?"""
        if not isinstance(node, UfuncCall) or node.dtype != FLOAT or len(node.arguments) != 2:
            return False
        op = self._library.operations.get(cast("str", node.ufunc.__name__))
        known = op is not None and self._library.knows(op, self._library.types[type_])
        return known and any(isinstance(each, Node) and self._vector(each) for each in node.arguments)

    def _read_as_they_are(self, parts: Sequence[Part], views: dict[Leaf, Array]) -> None:
        """Find the tensors that no instruction copies to a register first."""
        nodes = dict.fromkeys(node for part in parts for node in walk(part.roots, self._sources))
        sums = {each: self._terms(each) for each in nodes if isinstance(each, Sum) and not self._finished(each)}
        others = {each: self._sources(each) for each in nodes if each not in sums}
        readers = Readers([*sums.values()], others, [goal.node for part in parts for goal in part.goals])
        types = {each: kind(views[each].dtype) for each in nodes if isinstance(each, Leaf) and self._vector(each)}
        self._summed = readers.only_summed(types)
        self._narrow = readers.narrow(types, self._uses, self._for_narrow)

    # instructions

    def _emit(
        self, op: str, type_: str, sources: tuple[int, ...] = (), *, extent: Extent, result: bool = False, **fields: Any
    ) -> int:  # fmt: skip
        value = -1
        if result:
            value = len(self._extents)
            self._extents.append(extent)
        types, ops = self._library.types, self._library.operations
        fields = {"op": ops[op], "type": types[type_], "extent": extent, "aim": -1, **fields}
        self._code.append(Emitted(fields, value, sources))
        return value

    def _value(self, given: Any, wanted: str) -> int:
        """The value of a node or a number, in a type of register."""
        if not isinstance(given, Node):
            return self._constant(given, wanted)
        known = self._values.get((given, wanted))
        if known is None:
            mine = held(given.dtype)
            if mine[0] == "F" and wanted[0] == "I":
                raise Unknown("floats as integers")
            x = self._library.types[wanted]
            source = self._values[given, mine]
            known = self._emit("convert", mine, (source,), extent=self._extents[source], result=True, x=x)
            self._values[given, wanted] = known
        return known

    def _operand(self, given: Any, wanted: str, extent: Extent) -> int:
        """The value for an operation with this extent. It would go row by row through numbers for rows; if these are
        short, the numbers are spread first."""
        value = self._value(given, wanted)
        if extent is not Extent.MANY or self._extents[value] is not Extent.ROWS or not self._short_rows:
            return value
        if value not in self._spread:
            self._spread[value] = self._emit("spread", wanted, (value,), extent=extent, result=True)
        return self._spread[value]

    def _constant(self, number: Any, wanted: str) -> int:
        if wanted[0] == "F":
            return self._emit("constant", wanted, extent=Extent.ONE, result=True, number=float(number))
        whole = bool(number) if wanted == "MASK" else int(number)
        return self._emit("constant", wanted, extent=Extent.ONE, result=True, whole=whole)

    def _node(self, node: Node, numbers: dict[Sum, int], views: dict[Leaf, Array]) -> None:
        mine = self._held(node)
        extent = self._extent(node)
        if isinstance(node, Leaf):
            place = self._memory(views[node])
            narrow, stays = node in self._narrow, node in self._summed
            value = self._emit("load", mine, extent=extent, result=True, x=place, narrow=narrow, stays=stays)
        elif isinstance(node, Sum):
            if self._finished(node):
                value = self._recall(node, mine, extent=extent)
            else:
                self._add(node, numbers[node])
                return
        elif isinstance(node, UfuncCall):
            value = self._call(node, mine, extent=extent)
        elif isinstance(node, Where):
            operands = (node.condition, "MASK"), *((each, mine) for each in node.choices)
            sources = tuple(self._operand(each, type_, extent) for each, type_ in operands)
            value = self._emit("select", mine, sources, extent=extent, result=True, aim=self._aims.get(node, -1))
        elif isinstance(node, Cast):
            value = self._cast(node, mine, extent=extent)
        elif isinstance(node, Reshaped):
            value = self._value(node.value, mine)
        elif isinstance(node, Updated):
            value = self._change(node)
        else:
            raise Unknown(f"a {type(node).__name__}")
        self._values[node, mine] = value

    def _recall(self, node: Sum, type_: str, *, extent: Extent) -> int:
        if node in self._done:
            return self._emit("known", type_, extent=extent, result=True, x=self._done[node])
        return self._emit("load", type_, extent=extent, result=True, x=self._known(node))

    def _add(self, node: Sum, number: int) -> None:
        op, vectors, c = self._terms(node)
        type_ = self._narrow.get(vectors[0], "F32")
        given = [self._value(each, type_) for each in vectors]
        if not all(self._extents[each] is Extent.MANY for each in given):
            raise Unknown("the sum of one value")
        a, b = [*given, -1][:2]
        centre = -1 if c is None else self._value(c, "F32")
        self._emit(op, type_, (a, b, centre), extent=Extent.MANY, x=number)

    def _call(self, node: UfuncCall, mine: str, *, extent: Extent) -> int:
        name = cast("str", node.ufunc.__name__)
        given: list[Any] = [
            each.dtype if isinstance(each, Node | np.generic) else type(each) for each in node.arguments
        ]
        loop = node.ufunc.resolve_dtypes((*given, None))
        types = ["MASK" if name in LOGICAL else held(each) for each in loop[:-1]]
        op = self._library.operations.get(name)
        if op is None or len(set(types)) > 1 or not self._library.knows(op, self._library.types[types[0]]):
            raise Unknown(f"{name} of {loop[0].name}")
        types = [
            self._narrow.get(each, type_) if isinstance(each, Node) else type_
            for each, type_ in zip(node.arguments, types, strict=True)
        ]
        numbers = [each if isinstance(each, Node) else np.asarray(each).astype(loop[0])[()] for each in node.arguments]
        sources = tuple(self._operand(each, type_, extent) for each, type_ in zip(numbers, types, strict=True))
        if wraps := kind(node.dtype) != held(node.dtype):
            value = self._emit(name, types[0], sources, extent=extent, result=True)
        else:
            rounds = node in self._narrow
            type_ = next((each for each in (*types, mine) if each in NARROW), types[0])
            value = self._emit(
                name, type_, sources, extent=extent, result=True, aim=self._aims.get(node, -1), narrow=rounds
            )
        return self._wrapped(value, node.dtype, mine, extent=extent) if wraps else value

    def _wrapped(self, value: int, dtype: np.dtype[Any], mine: str, *, extent: Extent) -> int:
        """With the width of a narrow integer."""
        x = self._library.types[kind(dtype)]
        return self._emit("convert", mine, (value,), extent=extent, result=True, x=x)

    def _cast(self, node: Cast, mine: str, *, extent: Extent) -> int:
        value, name = node.value, kind(node.to)
        if name in ("F16", "BF16"):
            if value.dtype != FLOAT:
                raise Unknown(f"{value.dtype.name} rounded to {node.to.name}")
            source = self._value(value, "F32")
            return self._emit("round", "F32", (source,), extent=extent, result=True, x=self._library.types[name])
        if isinstance(value, Sum) and self._finished(value) and node.to in (FLOAT, DOUBLE):
            return self._recall(value, mine, extent=extent)
        if node.to == BOOL and value.dtype != BOOL and value.dtype.kind not in "iuf":
            raise Unknown(f"{value.dtype.name} as bool")
        converted = self._value(value, mine)
        return self._wrapped(converted, node.to, mine, extent=extent) if name != mine else converted

    def _change(self, node: Updated) -> int:
        base = self._base(node.value)
        alone = all(self._uses[each] == 1 for each in _path(node.value))
        if not alone or node.dtype != FLOAT or not isinstance(base, UfuncCall | Where | Cast) or not self._vector(base):
            raise Unknown("single elements of such an array")
        value = self._value(node.value, "F32")
        self._emit("update", "F32", (value,), extent=Extent.MANY, x=self._update(node))
        return value

    # registers

    def _assigned(self) -> tuple[list[Instruction], int]:
        """The instructions with registers, which become free after their last use."""
        last = {value: place for place, each in enumerate(self._code) for value in (*each.sources, each.value)}
        free: list[int] = []
        homes: dict[int, int] = {-1: -1}
        made = 0
        found: list[Instruction] = []
        for place, (fields, value, sources) in enumerate(self._code):
            if value >= 0:
                if free:
                    homes[value] = free.pop()
                else:
                    homes[value], made = made, made + 1
            a, b, c = (homes[each] for each in (*sources, -1, -1, -1)[:3])
            found.append(Instruction(to=homes[value], a=a, b=b, c=c, **fields))
            free += {homes[each] for each in (*sources, value) if each >= 0 and last[each] == place}
        if made > REGISTERS:
            raise Unknown("so many values at a time")
        return found, made


def _path(node: Node) -> Iterable[Node]:
    yield node
    while isinstance(node, Reshaped | Updated):
        node = node.value
        yield node
