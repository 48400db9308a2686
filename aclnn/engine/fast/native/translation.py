"""Translation of the nodes of an expression to instructions of the evaluator."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Final, NamedTuple, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.expressions import (
    BOOL,
    DOUBLE,
    FLOAT,
    Cast,
    Cell,
    ExpressionNode,
    IndexedUpdate,
    Leaf,
    NotInFastEngine,
    Reshaped,
    Sum,
    UfuncCall,
    Where,
    loop_dtypes,
    walk,
)
from aclnn.engine.fast.native.direct_reads import NARROW_TYPES, ProgramReads
from aclnn.engine.fast.native.library import Extent, InPlace, Instruction, Library
from aclnn.engine.fast.native.terms import SumTerms, terms_of
from aclnn.engine.fast.space import Space

MAX_REGISTERS: Final = 60
"""the most registers of a program"""
MEMORY_TYPES: Final = {
    "float32": "F32", "float64": "F64", "int32": "I32", "int64": "I64", "bool": "MASK", "float16": "F16",
    "bfloat16": "BF16", "int8": "I8", "uint8": "U8", "int16": "I16", "uint16": "U16", "uint32": "U32",
}  # fmt: skip
"""the evaluator's name of each type in memory"""
REGISTER_TYPES: Final = {"I8": "I32", "U8": "I32", "I16": "I32", "U16": "I32", "U32": "I64"}
"""the register type of elements with a narrow integer type"""
LOGICAL: Final = ("logical_and", "logical_or", "logical_xor", "logical_not")


class NotInEvaluator(NotInFastEngine):
    """The evaluator lacks an operation, type or layout, which the text describes. numpy then computes."""


class MemoryTarget(NamedTuple):
    """A node that is stored."""

    node: ExpressionNode
    memory: int
    """number of the memory in the sweep"""
    dtype: np.dtype[Any]
    """data type of the memory"""
    direct: bool
    """true if the last operation can write to memory of this layout"""

    def type(self) -> str:
        """The type of a register that can be stored to the memory."""
        own, name = register_type(self.node.dtype), memory_type(self.dtype)
        if name in ("F16", "BF16", "F32", "F64"):
            return own if own[0] == "F" else "F64" if name == "F64" else "F32"
        return REGISTER_TYPES.get(name, name)


class VirtualInstruction(NamedTuple):
    """An instruction before registers are assigned. `value` and `sources` are numbers of values."""

    fields: dict[str, Any]
    value: int
    sources: tuple[int, ...]


@cache
def memory_type(dtype: np.dtype[Any]) -> str:
    """The evaluator's name of a data type in memory."""
    name = MEMORY_TYPES.get(cast("str", dtype.name))
    if name is None:
        raise NotInEvaluator(f"elements of type {dtype.name}")
    return name


def register_type(dtype: np.dtype[Any]) -> str:
    """The register type of elements of a data type."""
    name = memory_type(dtype)
    if name in ("F16", "BF16"):
        raise NotInEvaluator(f"arithmetic of {dtype.name}")
    return REGISTER_TYPES.get(name, name)


class ProgramResults(NamedTuple):
    """The results of a program: the sums of one level, or the last sums of a sweep and its stored nodes."""

    sums: Sequence[Sum]
    targets: Sequence[MemoryTarget]

    @property
    def roots(self) -> list[ExpressionNode]:
        """The nodes of the results."""
        return [*self.sums, *(target.node for target in self.targets)]


class Code(NamedTuple):
    """The instructions of a program."""

    instructions: list[Instruction]
    cells: list[tuple[int, Cell, str]]
    """number of each instruction with a cell as constant, the cell, and the type of the register"""


def constant(number: Any, type_: str) -> dict[str, Any]:
    """The field of an instruction for a constant in a register of this type, and its value."""
    if type_[0] == "F":
        return {"number": float(number)}
    return {"integer": bool(number) if type_ == "MASK" else int(number)}


class Translation:
    """The translation of one program, or of several programs that run on one block and share registers."""

    def __init__(
        self, library: Library, space: Space, *, extent: Callable[[ExpressionNode], Extent],
        memory: Callable[[Array], int], update: Callable[[IndexedUpdate], int], earlier_sums: dict[Sum, int],
        known_memory: Callable[[Sum], int | None], is_centre: Callable[[ExpressionNode], bool], short_rows: bool,
    ) -> None:  # fmt: skip
        """`memory` and `update` return the numbers of arrays and updates in the sweep. `earlier_sums` has the numbers
        of the sums of earlier programs; `known_memory` returns the memory number of a sum of an earlier sweep.
        `is_centre` is true for a node that can be the `c` of a sum, see `SumTerms`."""
        self._library, self._space = library, space
        self._extent, self._memory, self._update, self._is_centre = extent, memory, update, is_centre
        self._earlier_sums, self._known_memory, self._short_rows = dict(earlier_sums), known_memory, short_rows
        self._code: list[VirtualInstruction] = []
        self._values: dict[tuple[ExpressionNode, str], int] = {}
        """number of the value of a node in a type of register"""
        self._extents: list[Extent] = []
        """extent of each value"""
        self._spread: dict[int, int] = {}
        """a value with one number for each row, and the value that repeats the number for each element of the row"""
        self._uses: Counter[ExpressionNode] = Counter()
        """number of instructions that read a node"""
        self._reads: Counter[ExpressionNode] = Counter()
        """number of nodes that read a node"""
        self._direct_memory: dict[ExpressionNode, int] = {}
        """memory number of each node whose operation writes directly to memory"""
        self._narrow: dict[ExpressionNode, str] = {}
        """nodes that stay in 16 bits in a register, with that type"""
        self._cells: list[tuple[int, Cell, str]] = []
        """number of the instruction of each cell, the cell, and the type of the register"""
        self._in_place: dict[ExpressionNode, InPlace] = {}
        """leaves that only sums read, or only operations"""

    def translate(self, programs: Sequence[ProgramResults], views: dict[Leaf, Array]) -> tuple[list[Code], int]:
        """The code of each program, and the number of registers."""
        self._reads = self._count_reads(programs, self._unfused_sources)
        self._uses = self._count_reads(programs, self._sources)
        self._find_direct_reads(programs, views)
        for program in programs:
            for target in program.targets:
                self._find_direct_write(target)
        ends: list[int] = []
        for program in programs:
            self._emit_program(program, views)
            ends.append(len(self._code))
            self._add_earlier_sums(program.sums)
        code, registers = self._assign_registers()
        return [
            Code(
                code[start:end],
                [(number - start, cell, type_) for number, cell, type_ in self._cells if start <= number < end],
            )
            for start, end in pairwise([0, *ends])
        ], registers

    def _count_reads(
        self, programs: Sequence[ProgramResults], sources: Callable[[ExpressionNode], tuple[ExpressionNode, ...]]
    ) -> Counter[ExpressionNode]:
        """The number of reads of each node in all programs."""
        earlier_sums, counts = dict(self._earlier_sums), Counter[ExpressionNode]()
        for program in programs:
            counts.update(program.roots)
            for node in walk(program.roots, sources):
                counts.update(sources(node))
            self._add_earlier_sums(program.sums)
        self._earlier_sums = earlier_sums
        return counts

    def _add_earlier_sums(self, sums: Sequence[Sum]) -> None:
        self._earlier_sums |= {node: number for number, node in enumerate(sums, len(self._earlier_sums))}

    def _emit_program(self, program: ProgramResults, views: dict[Leaf, Array]) -> None:
        numbers = {node: number for number, node in enumerate(program.sums, len(self._earlier_sums))}
        for node in walk(program.roots, self._sources):
            if (node, self._type_of(node)) not in self._values:
                self._emit_node(node, numbers, views)
        for target in program.targets:
            if self._direct_memory.get(self._base(target.node)) != target.memory:
                type_ = self._narrow.get(target.node, target.type())
                value = self._value(target.node, type_)
                self._emit("store", type_, (value,), extent=self._extent(target.node), immediate=target.memory)

    def _type_of(self, node: ExpressionNode) -> str:
        """The type of the register in which a node is computed."""
        return self._narrow.get(node, register_type(node.dtype))

    # the graph

    def _is_computed(self, node: ExpressionNode) -> bool:
        """True for a sum of an earlier program or sweep."""
        return isinstance(node, Sum) and (node in self._earlier_sums or self._known_memory(node) is not None)

    def _unfused_sources(self, node: ExpressionNode) -> tuple[ExpressionNode, ...]:
        return () if self._is_computed(node) else node.sources

    def _sources(self, node: ExpressionNode) -> tuple[ExpressionNode, ...]:
        if isinstance(node, Sum) and not self._is_computed(node):
            return self._terms(node).sources
        if isinstance(node, Cast) and isinstance(node.value, Sum) and self._is_computed(node.value):
            return ()  # the sum is loaded in the type of the cast
        if (pair := self._logistic(node)) is not None:
            return tuple(operand for operand in pair if isinstance(operand, ExpressionNode))
        return self._unfused_sources(node)

    def _logistic(self, node: ExpressionNode) -> tuple[Any, ExpressionNode] | None:
        """The operands a and b of a / (1 + exp(b)), which is one instruction; None for another node, or if something
        else reads a part of the divisor."""
        quotient = _call_of(node, np.divide)
        divisor = None if quotient is None else _call_of(quotient.arguments[1], np.add)
        if quotient is None or divisor is None or self._reads[divisor] > 1:
            return None
        for one, other in (divisor.arguments, divisor.arguments[::-1]):
            power = _call_of(other, np.exp)
            is_one = not isinstance(one, ExpressionNode | Cell) and one == 1
            if power is not None and is_one and self._reads[power] == 1 and self._extent(power) is self._extent(node):
                return quotient.arguments[0], power.arguments[0]
        return None

    def _terms(self, node: Sum) -> SumTerms:
        return terms_of(node, self._reads, self._is_vector, self._is_centre)

    def _is_vector(self, node: ExpressionNode) -> bool:
        """True if a register has all elements of the node in a block."""
        return self._extent(node) is Extent.MANY

    def _base(self, node: ExpressionNode) -> ExpressionNode:
        """The node whose register this node shares."""
        while isinstance(node, Reshaped | IndexedUpdate):
            node = node.value
        return node

    def _find_direct_write(self, target: MemoryTarget) -> None:
        """Let the last operation of a target round its result and write it directly to memory, if it can."""
        node = target.node
        while isinstance(node, Reshaped | IndexedUpdate) and self._uses[node.value] == 1:
            node = node.value
        if not isinstance(node, UfuncCall | Where) or not self._is_vector(node) or node in self._direct_memory:
            return
        type_ = memory_type(target.dtype)
        rounds = (
            type_ in NARROW_TYPES and node is target.node and self._uses[node] == 1
            and self._supports_narrow(node, type_)
            and all(self._narrow.get(source, type_) == type_ for source in node.sources)
        )  # fmt: skip
        if rounds:
            self._narrow[node] = type_
        same_type = target.dtype == target.node.dtype and register_type(node.dtype) == memory_type(node.dtype)
        if target.direct and (rounds or same_type) and all(self._space.presence(node)):
            self._direct_memory[node] = target.memory

    def _supports_narrow(self, node: ExpressionNode, type_: str) -> bool:
        """True if the operation of the node has a loop that reads and writes floats of 16 bits."""
        if not isinstance(node, UfuncCall) or node.dtype != FLOAT or len(node.arguments) != 2 or self._logistic(node):
            return False
        op = self._library.operations.get(cast("str", node.ufunc.__name__))
        known = op is not None and self._library.knows(op, self._library.types[type_])
        return known and any(
            isinstance(argument, ExpressionNode) and self._is_vector(argument) for argument in node.arguments
        )

    def _find_direct_reads(self, programs: Sequence[ProgramResults], views: dict[Leaf, Array]) -> None:
        """Find the leaves that instructions read from memory, without a copy in a register."""
        nodes = dict.fromkeys(node for program in programs for node in walk(program.roots, self._sources))
        sums = {node: self._terms(node) for node in nodes if isinstance(node, Sum) and not self._is_computed(node)}
        sources = {node: self._sources(node) for node in nodes if node not in sums}
        stored = [target.node for program in programs for target in program.targets]
        reads = ProgramReads([*sums.values()], sources, stored)
        types = {
            node: memory_type(views[node].dtype) for node in nodes if isinstance(node, Leaf) and self._is_vector(node)
        }
        if not self._short_rows:  # operations read rows one by one
            self._in_place |= dict.fromkeys(reads.only_in_operations(types), InPlace.OPERATIONS)
        self._in_place |= dict.fromkeys(reads.only_in_sums(types), InPlace.SUMS)
        self._narrow = reads.narrow_leaves(types, self._uses, self._supports_narrow)

    # instructions

    def _emit(
        self, op: str, type_: str, sources: tuple[int, ...] = (), *, extent: Extent, result: bool = False, **fields: Any
    ) -> int:  # fmt: skip
        value = -1
        if result:
            value = len(self._extents)
            self._extents.append(extent)
        types, ops = self._library.types, self._library.operations
        fields = {"op": ops[op], "type": types[type_], "extent": extent, "direct": -1, **fields}
        self._code.append(VirtualInstruction(fields, value, sources))
        return value

    def _value(self, operand: Any, type_: str) -> int:
        """The number of the value of a node or a constant, in a type of register."""
        if not isinstance(operand, ExpressionNode):
            return self._emit_constant(operand, type_)
        value = self._values.get((operand, type_))
        if value is None:
            own = register_type(operand.dtype)
            if own[0] == "F" and type_[0] == "I":
                raise NotInEvaluator("floats as integers")
            source, number = self._values[operand, own], self._library.types[type_]
            value = self._emit("convert", own, (source,), extent=self._extents[source], result=True, immediate=number)
            self._values[operand, type_] = value
        return value

    def _operand(self, operand: Any, type_: str, extent: Extent) -> int:
        """The value for an operation with this extent.

        With an operand of one number for each row, an operation is called row by row. If rows are short, the number is
        first copied to all elements of its row."""
        value = self._value(operand, type_)
        if extent is not Extent.MANY or self._extents[value] is not Extent.ROWS or not self._short_rows:
            return value
        if value not in self._spread:
            self._spread[value] = self._emit("spread", type_, (value,), extent=extent, result=True)
        return self._spread[value]

    def _emit_constant(self, number: Any, type_: str) -> int:
        if isinstance(number, Cell):
            self._cells.append((len(self._code), number, type_))
            number = number.value
        return self._emit("constant", type_, extent=Extent.ONE, result=True, **constant(number, type_))

    def _emit_node(self, node: ExpressionNode, numbers: dict[Sum, int], views: dict[Leaf, Array]) -> None:
        type_ = self._type_of(node)
        extent = self._extent(node)
        if isinstance(node, Leaf):
            memory = self._memory(views[node])
            narrow, in_place = node in self._narrow, self._in_place.get(node, InPlace.NOTHING)
            value = self._emit(
                "load", type_, extent=extent, result=True, immediate=memory, narrow=narrow, in_place=in_place
            )
        elif isinstance(node, Sum):
            if self._is_computed(node):
                value = self._emit_recall(node, type_, extent=extent)
            else:
                self._emit_sum(node, numbers[node])
                return
        elif isinstance(node, UfuncCall):
            value = self._emit_call(node, type_, extent=extent)
        elif isinstance(node, Where):
            operands = (node.condition, "MASK"), *((choice, type_) for choice in node.choices)
            sources = tuple(self._operand(operand, own_type, extent) for operand, own_type in operands)
            direct = self._direct_memory.get(node, -1)
            value = self._emit("select", type_, sources, extent=extent, result=True, direct=direct)
        elif isinstance(node, Cast):
            value = self._emit_cast(node, type_, extent=extent)
        elif isinstance(node, Reshaped):
            value = self._value(node.value, type_)
        elif isinstance(node, IndexedUpdate):
            value = self._emit_update(node)
        else:
            raise NotInEvaluator(f"a {type(node).__name__}")
        self._values[node, type_] = value

    def _emit_recall(self, node: Sum, type_: str, *, extent: Extent) -> int:
        if node in self._earlier_sums:
            return self._emit("recall", type_, extent=extent, result=True, immediate=self._earlier_sums[node])
        return self._emit("load", type_, extent=extent, result=True, immediate=self._known_memory(node))

    def _emit_sum(self, node: Sum, number: int) -> None:
        op, vectors, c = self._terms(node)
        type_ = self._narrow.get(vectors[0], "F32")
        values = [self._value(vector, type_) for vector in vectors]
        if not all(self._extents[value] is Extent.MANY for value in values):
            raise NotInEvaluator("the sum of one value")
        a, b = [*values, -1][:2]
        centre = -1 if c is None else self._value(c, "F32")
        self._emit(op, type_, (a, b, centre), extent=Extent.MANY, immediate=number)

    def _emit_call(self, node: UfuncCall, result_type: str, *, extent: Extent) -> int:
        pair = self._logistic(node)
        name, arguments = ("logistic", pair) if pair else (cast("str", node.ufunc.__name__), node.arguments)
        loop = loop_dtypes(node.ufunc, node.arguments)
        types = ["MASK" if name in LOGICAL else register_type(dtype) for dtype in loop[:-1]]
        op = self._library.operations.get(name)
        if op is None or len(set(types)) > 1 or not self._library.knows(op, self._library.types[types[0]]):
            raise NotInEvaluator(f"{name} of {loop[0].name}")
        types = [
            self._narrow.get(argument, type_) if isinstance(argument, ExpressionNode) else type_
            for argument, type_ in zip(arguments, types, strict=True)
        ]
        numbers = [
            argument if isinstance(argument, ExpressionNode | Cell) else np.asarray(argument).astype(loop[0])[()]
            for argument in arguments
        ]
        sources = tuple(self._operand(number, type_, extent) for number, type_ in zip(numbers, types, strict=True))
        if wraps := memory_type(node.dtype) != register_type(node.dtype):
            value = self._emit(name, types[0], sources, extent=extent, result=True)
        else:
            type_ = next((each for each in (*types, result_type) if each in NARROW_TYPES), types[0])
            direct, narrow = self._direct_memory.get(node, -1), node in self._narrow
            value = self._emit(name, type_, sources, extent=extent, result=True, direct=direct, narrow=narrow)
        return self._emit_wrap(value, node.dtype, result_type, extent=extent) if wraps else value

    def _emit_wrap(self, value: int, dtype: np.dtype[Any], type_: str, *, extent: Extent) -> int:
        """Wrap a value to the width of a narrow integer."""
        number = self._library.types[memory_type(dtype)]
        return self._emit("convert", type_, (value,), extent=extent, result=True, immediate=number)

    def _emit_cast(self, node: Cast, type_: str, *, extent: Extent) -> int:
        operand, name = node.value, memory_type(node.to)
        if name in ("F16", "BF16"):
            if operand.dtype != FLOAT:
                raise NotInEvaluator(f"{operand.dtype.name} rounded to {node.to.name}")
            source, number = self._value(operand, "F32"), self._library.types[name]
            return self._emit("round", "F32", (source,), extent=extent, result=True, immediate=number)
        if isinstance(operand, Sum) and self._is_computed(operand) and node.to in (FLOAT, DOUBLE):
            return self._emit_recall(operand, type_, extent=extent)
        if node.to == BOOL and operand.dtype != BOOL and operand.dtype.kind not in "iuf":
            raise NotInEvaluator(f"{operand.dtype.name} as bool")
        converted = self._value(operand, type_)
        return self._emit_wrap(converted, node.to, type_, extent=extent) if name != type_ else converted

    def _emit_update(self, node: IndexedUpdate) -> int:
        base = self._base(node.value)
        computed = isinstance(base, UfuncCall | Where | Cast) and self._is_vector(base)
        only_use = all(self._uses[each] == 1 for each in _path_to_base(node.value))
        if not only_use or not computed or node.dtype != FLOAT:
            raise NotInEvaluator("updates of single elements of an unsupported array")
        value = self._value(node.value, "F32")
        self._emit("update", "F32", (value,), extent=Extent.MANY, immediate=self._update(node))
        return value

    # registers

    def _assign_registers(self) -> tuple[list[Instruction], int]:
        """The instructions with registers, and the number of registers. A register becomes free after its last use."""
        last_use = {value: number for number, each in enumerate(self._code) for value in (*each.sources, each.value)}
        free: list[int] = []
        registers: dict[int, int] = {-1: -1}
        count = 0
        instructions: list[Instruction] = []
        for number, (fields, value, sources) in enumerate(self._code):
            if value >= 0:
                if free:
                    registers[value] = free.pop()
                else:
                    registers[value], count = count, count + 1
            a, b, c = (registers[source] for source in (*sources, -1, -1, -1)[:3])
            instructions.append(Instruction(to=registers[value], a=a, b=b, c=c, **fields))
            free += {registers[each] for each in (*sources, value) if each >= 0 and last_use[each] == number}
        if count > MAX_REGISTERS:
            raise NotInEvaluator("too many values at a time")
        return instructions, count


def _call_of(node: Any, ufunc: np.ufunc) -> UfuncCall | None:
    """The node, if it is a call of this ufunc in float32."""
    return node if isinstance(node, UfuncCall) and node.ufunc is ufunc and node.dtype == FLOAT else None


def _path_to_base(node: ExpressionNode) -> Iterable[ExpressionNode]:
    yield node
    while isinstance(node, Reshaped | IndexedUpdate):
        node = node.value
        yield node
