"""The expression graph of a formula. The formula gets `Lazy` arrays, whose operators add nodes and compute nothing.

    s = (y * g).sum(axis, dtype=np.float64, keepdims=True).astype(np.float32)
    return (g - s) * y

makes UfuncCall(multiply, UfuncCall(subtract, g, Cast(Sum(UfuncCall(multiply, y, g)))), y). An operation without a node
raises `NotInFastEngine`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from typing import Any, SupportsIndex, TypeAlias, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from acl_runtime.headers.dtypes import Array
from acl_runtime.streams.compute_threads import Workers

FLOAT = np.dtype(np.float32)
DOUBLE = np.dtype(np.float64)
BOOL = np.dtype(np.bool_)


EXTREMES: dict[Any, np.ufunc] = {np.max: np.maximum, np.amax: np.maximum, np.min: np.minimum, np.amin: np.minimum}
"""reductions of numpy, and the ufunc of each"""


class NotInFastEngine(Exception):
    """The fast engine does not support a formula, for the reason in the text. The formula then runs with numpy."""


class Cell:
    """A number of a formula that other runs of the same evaluation may replace by a number of the same data type."""

    __slots__ = ("value",)

    def __init__(self, value: np.generic) -> None:
        self.value = value

    @property
    def dtype(self) -> np.dtype[Any]:
        """Data type of the number, which does not adapt to other operands."""
        return cast("Any", self.value).dtype


class Axis:
    """An axis of an iteration space. Operands that broadcast against each other share their axes.

    Axes are merged while a formula is traced, as in a union-find. `root` represents all axes of a merged set."""

    __slots__ = ("_parent", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self._parent: Axis | None = None

    def root(self) -> "Axis":
        """The representative of all axes that this one was merged with."""
        axis = self
        while axis._parent is not None:
            axis = axis._parent
        return axis

    def merge(self, other: "Axis") -> None:
        """Merge two axes."""
        root, other_root = self.root(), other.root()
        if root is not other_root:
            root._parent = other_root


Axes: TypeAlias = "tuple[Axis | None, ...]"
"""one axis for each dimension; None for a dimension of one element"""


class ExpressionNode:
    """A node of the graph, with its shape, its axes, and the data type of its elements in arithmetic."""

    __slots__ = ("axes", "dtype", "shape", "sum_depth")

    def __init__(self, shape: tuple[int, ...], axes: Axes, dtype: np.dtype, *, sum_depth: int = 0) -> None:
        if dtype.kind not in "biuf":
            raise NotInFastEngine(f"arithmetic of {dtype}")
        self.shape, self.axes, self.dtype = shape, axes, dtype
        self.sum_depth = sum_depth
        """number of sums in the longest chain of operands"""

    @property
    def sources(self) -> tuple["ExpressionNode", ...]:
        """The operands of the node."""
        return ()

    def axis_set(self) -> set[Axis]:
        """The axes of the node, by their roots."""
        return {axis.root() for axis in self.axes if axis is not None}


class Leaf(ExpressionNode):
    """An array in memory. 16-bit floats are widened when a block is loaded."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        narrow = array.dtype.itemsize < 4 and array.dtype.kind in "fV"
        axes = tuple(Axis(size) if size > 1 else None for size in array.shape)
        super().__init__(array.shape, axes, FLOAT if narrow else array.dtype)
        self.array = array


class UfuncCall(ExpressionNode):
    """A ufunc applied to nodes and numbers, element by element."""

    __slots__ = ("arguments", "ufunc")

    def __init__(self, ufunc: np.ufunc, arguments: Sequence[Any]) -> None:
        shape, axes = _broadcast_axes(argument for argument in arguments if isinstance(argument, ExpressionNode))
        super().__init__(shape, axes, _result_dtype(ufunc, arguments), sum_depth=_max_sum_depth(arguments))
        self.ufunc, self.arguments = ufunc, tuple(arguments)

    @property
    def sources(self) -> tuple[ExpressionNode, ...]:
        return tuple(argument for argument in self.arguments if isinstance(argument, ExpressionNode))


class Where(ExpressionNode):
    """`np.where` with a condition and two choices."""

    __slots__ = ("choices", "condition")

    def __init__(self, condition: ExpressionNode, choices: Sequence[Any]) -> None:
        if condition.dtype != BOOL or isinstance(condition, Leaf):  # bytes in memory may differ from 0 and 1
            raise NotInFastEngine("where needs a comparison")
        shape, axes = _broadcast_axes(
            [condition, *(choice for choice in choices if isinstance(choice, ExpressionNode))]
        )
        super().__init__(shape, axes, _result_dtype(np.add, choices), sum_depth=_max_sum_depth([condition, *choices]))
        self.condition, self.choices = condition, tuple(choices)

    @property
    def sources(self) -> tuple[ExpressionNode, ...]:
        return (self.condition, *(choice for choice in self.choices if isinstance(choice, ExpressionNode)))


class Cast(ExpressionNode):
    """A node rounded to a data type. A 16-bit type is widened again after the rounding."""

    __slots__ = ("to", "value")

    def __init__(self, value: ExpressionNode, to: np.dtype) -> None:
        narrow = to.itemsize < 4 and to.kind in "fV"
        super().__init__(value.shape, value.axes, FLOAT if narrow else to, sum_depth=value.sum_depth)
        self.value, self.to = value, to

    @property
    def sources(self) -> tuple[ExpressionNode, ...]:
        return (self.value,)


class Sum(ExpressionNode):
    """The sum over some axes, with float64 partials and a float64 result."""

    __slots__ = ("reduced_axes", "value")

    @property
    def ufunc(self) -> np.ufunc:
        """The ufunc of the reduction."""
        return np.add

    def __init__(self, value: ExpressionNode, dims: tuple[int, ...], *, keepdims: bool) -> None:
        if value.dtype != FLOAT:
            raise NotInFastEngine(f"the sum of {value.dtype}")
        self.value = value
        self.reduced_axes = tuple(axis for dim in dims if (axis := value.axes[dim]) is not None)
        result = [(1, None) if dim in dims else pair
                  for dim, pair in enumerate(zip(value.shape, value.axes, strict=True))
                  if keepdims or dim not in dims]  # fmt: skip
        shape, axes = tuple(size for size, _ in result), tuple(axis for _, axis in result)
        super().__init__(shape, axes, DOUBLE, sum_depth=value.sum_depth + 1)

    @property
    def sources(self) -> tuple[ExpressionNode, ...]:
        return (self.value,)


class Extreme(Sum):
    """The largest or smallest element over some axes, or NaN if one is NaN. The engine treats it like a sum."""

    __slots__ = ("_ufunc",)

    def __init__(self, value: ExpressionNode, dims: tuple[int, ...], ufunc: np.ufunc, *, keepdims: bool) -> None:
        super().__init__(value, dims, keepdims=keepdims)
        self.dtype, self._ufunc = value.dtype, ufunc

    @property
    def ufunc(self) -> np.ufunc:
        return self._ufunc


class Reshaped(ExpressionNode):
    """A reshape that only adds or removes dimensions of size 1."""

    __slots__ = ("value",)

    def __init__(self, value: ExpressionNode, shape: tuple[int, ...]) -> None:
        axes = iter([axis for axis in value.axes if axis is not None])
        if [size for size in shape if size > 1] != [size for size in value.shape if size > 1]:
            raise NotInFastEngine(f"reshape from {value.shape} to {shape}")
        own_axes = tuple(next(axes) if size > 1 else None for size in shape)
        super().__init__(shape, own_axes, value.dtype, sum_depth=value.sum_depth)
        self.value = value

    @property
    def sources(self) -> tuple[ExpressionNode, ...]:
        return (self.value,)


class IndexedUpdate(ExpressionNode):
    """A matrix with single elements changed: `x[rows, columns] -= deltas`, with ascending rows."""

    __slots__ = ("columns", "deltas", "leaves", "rows", "ufunc", "value")

    def __init__(
        self, value: ExpressionNode, ufunc: np.ufunc, rows: Array, columns: "Array | Leaf", deltas: "Array | Leaf"
    ) -> None:  # fmt: skip
        self.leaves = tuple(operand for operand in (columns, deltas) if isinstance(operand, Leaf))
        """leaves that `columns` and `deltas` come from"""
        columns, deltas = (each.array if isinstance(each, Leaf) else each for each in (columns, deltas))
        if len(value.shape) != 2 or rows.ndim != 1 or not rows.shape == columns.shape == deltas.shape:
            raise NotInFastEngine("an unsupported assignment")
        in_range = (rows >= 0) & (rows < value.shape[0]) & (columns >= 0) & (columns < value.shape[1])
        if not in_range.all() or (np.diff(rows) < 0).any():
            raise NotInFastEngine("an unsupported index")
        super().__init__(value.shape, value.axes, value.dtype, sum_depth=value.sum_depth)
        self.value, self.ufunc, self.rows, self.columns, self.deltas = value, ufunc, rows, columns, deltas

    @property
    def sources(self) -> tuple[ExpressionNode, ...]:
        return (self.value,)


class ProcedureCall(ExpressionNode):
    """An array that a procedure of the evaluator writes as a whole, as it is not elementwise."""

    __slots__ = ("reads", "write")

    def __init__(
        self, shape: tuple[int, ...], reads: tuple[Array, ...], write: "Callable[[Array, Workers], None]"
    ) -> None:  # fmt: skip
        super().__init__(shape, tuple(Axis(size) if size > 1 else None for size in shape), FLOAT)
        self.reads, self.write = reads, write


class Lazy(NDArrayOperatorsMixin):
    """A placeholder for a large tensor in a formula. An operation on it returns another `Lazy` and computes nothing."""

    def __init__(self, node: ExpressionNode) -> None:
        self.node = node

    @property
    def shape(self) -> tuple[int, ...]:
        """Same as `ndarray.shape`."""
        return self.node.shape

    @property
    def ndim(self) -> int:
        """Same as `ndarray.ndim`."""
        return len(self.node.shape)

    @property
    def size(self) -> int:
        """Same as `ndarray.size`."""
        return prod(self.node.shape)

    @property
    def dtype(self) -> np.dtype:
        """Data type of the elements in arithmetic."""
        return self.node.dtype

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # numpy looks for optional methods
            raise AttributeError(name)
        raise NotInFastEngine(f".{name}")

    def __len__(self) -> int:
        return self.node.shape[0]

    def __bool__(self) -> bool:
        raise NotInFastEngine("a branch that depends on values")

    def __array__(self, *_: Any, **__: Any) -> Array:
        raise NotInFastEngine("a function without a node")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> "Lazy":
        if ufunc is np.add and method == "reduce" and options.keys() <= {"axis", "dtype", "keepdims"}:
            return self.sum(options.get("axis", 0), options.get("dtype"), keepdims=options.get("keepdims", False))
        if ufunc in EXTREMES.values() and method == "reduce" and options.keys() <= {"axis", "keepdims"}:
            return self._extreme(ufunc, options.get("axis", 0), keepdims=options.get("keepdims", False))
        if method != "__call__" or options or ufunc.nout != 1 or ufunc.signature is not None:
            raise NotInFastEngine(f"{ufunc.__name__}.{method}")
        return Lazy(UfuncCall(ufunc, [_operand(value) for value in inputs]))

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> "Lazy":
        if function is np.where and len(args) == 3 and not kwargs and isinstance(args[0], Lazy):
            return Lazy(_select(args[0].node, *map(_operand, args[1:])))
        if function in EXTREMES and len(args) <= 2 and kwargs.keys() <= {"axis", "keepdims"}:
            axis = args[1] if len(args) == 2 else kwargs.get("axis")
            return self._extreme(EXTREMES[function], axis, keepdims=kwargs.get("keepdims", False))
        raise NotInFastEngine(f"numpy.{function.__name__}")

    def sum(
        self, axis: SupportsIndex | tuple[int, ...] | None = None, dtype: Any = None, *, keepdims: bool = False
    ) -> "Lazy":
        """Same as `ndarray.sum`. The result is float64, or has the data type of the array."""
        total = Lazy(Sum(self.node, self._dims(axis), keepdims=keepdims))
        return total if dtype is not None and np.dtype(dtype) == DOUBLE else total.astype(dtype or self.dtype)

    def _extreme(
        self, ufunc: np.ufunc, axis: SupportsIndex | tuple[int, ...] | None, *, keepdims: bool
    ) -> "Lazy":  # fmt: skip
        return Lazy(Extreme(self.node, self._dims(axis), ufunc, keepdims=keepdims))

    def _dims(self, axis: SupportsIndex | tuple[int, ...] | None) -> tuple[int, ...]:
        dims: Iterable[int] = range(self.ndim)
        if axis is not None:
            dims = axis if isinstance(axis, tuple) else (int(axis),)
        return tuple(dim + self.ndim if dim < 0 else dim for dim in dims)

    def astype(self, dtype: Any) -> "Lazy":
        """Same as `ndarray.astype`, but not to 16-bit floats, in which numpy would also compute the next operations."""
        to = np.dtype(dtype)
        if to.itemsize < 4 and to.kind in "fV":
            raise NotInFastEngine(f"arithmetic of {to}")
        return self if to == self.dtype else Lazy(Cast(self.node, to))

    def reshape(self, *shape: Any) -> "Lazy":
        """Same as `ndarray.reshape`, for shapes that only add or remove dimensions of size 1."""
        sizes: list[int] = [*cast("Iterable[int]", shape[0])] if isinstance(shape[0], tuple) else [*shape]
        if -1 in sizes:
            sizes[sizes.index(-1)] = self.size // max(-prod(sizes), 1)
        return Lazy(Reshaped(self.node, tuple(sizes)))

    def __getitem__(self, index: Any) -> "IndexedElements | Lazy":
        match index:
            case int() if index == 0 and self.shape[:1] == (1,):
                return self.reshape(self.shape[1:])
            case (np.ndarray() as rows, np.ndarray() | Lazy() as columns):
                return IndexedElements(self, cast("Array", rows), cast("Array | Lazy", columns))
            case _:
                raise NotInFastEngine("an unsupported index")

    def __setitem__(self, index: Any, values: Any) -> None:
        elements = values.elements if isinstance(values, PendingUpdate) else None
        if elements is None or elements.matrix is not self:
            raise NotInFastEngine("an unsupported assignment")
        if elements.rows is not index[0] or elements.columns is not index[1]:
            raise NotInFastEngine("an unsupported assignment")
        if isinstance(self.node, Leaf):
            raise NotInFastEngine("an assignment to an input")
        self.node = values.node


class IndexedElements:
    """`x[rows, columns]`, which supports only `-=` and `+=`."""

    def __init__(self, matrix: Lazy, rows: Array, columns: Array | Lazy) -> None:
        self.matrix, self.rows, self.columns = matrix, rows, columns

    def __add__(self, deltas: Any) -> "PendingUpdate":
        return PendingUpdate(self, np.add, deltas)

    def __sub__(self, deltas: Any) -> "PendingUpdate":
        return PendingUpdate(self, np.subtract, deltas)


class PendingUpdate:
    """The value that `x[rows, columns] -= deltas` assigns."""

    def __init__(self, elements: IndexedElements, ufunc: np.ufunc, deltas: Any) -> None:
        self.elements = elements
        columns, changes = _array_or_leaf(elements.columns), _array_or_leaf(deltas)
        self.node = IndexedUpdate(elements.matrix.node, ufunc, elements.rows, columns, changes)


def _array_or_leaf(values: Any) -> Array | Leaf:
    operand = values.node if isinstance(values, Lazy) else values
    if not isinstance(operand, np.ndarray | Leaf):
        raise NotInFastEngine("an unsupported assignment")
    return cast("Array | Leaf", operand)


def sources_of(node: ExpressionNode) -> tuple[ExpressionNode, ...]:
    """The operands of a node."""
    return node.sources


def sources_above_sums(node: ExpressionNode) -> tuple[ExpressionNode, ...]:
    """The operands of a node, and none for a sum. `walk` then stops at sums."""
    return () if isinstance(node, Sum) else node.sources


def walk(
    roots: Iterable[ExpressionNode], sources: "Callable[[ExpressionNode], tuple[ExpressionNode, ...]]" = sources_of
) -> Iterator[ExpressionNode]:
    """The roots and all nodes below them, each once. Sources come before the nodes that use them."""
    seen: set[ExpressionNode] = set()
    pending = [(root, False) for root in reversed(list(roots))]
    while pending:
        node, ready = pending.pop()
        if ready:
            yield node
        elif node not in seen:
            seen.add(node)
            pending.append((node, True))
            pending += [(source, False) for source in reversed(sources(node)) if source not in seen]


def _select(condition: ExpressionNode, a: Any, b: Any) -> ExpressionNode:
    """`np.where`. If b = a * k, the result is a * where(condition, 1, k), which has the same bits. k is often a small
    array."""
    if (
        isinstance(b, UfuncCall)
        and b.ufunc is np.multiply
        and isinstance(a, ExpressionNode)
        and a.dtype == b.dtype == FLOAT
    ):
        factors = [factor for factor in b.arguments if factor is not a]
        if len(factors) == 1 and getattr(factors[0], "dtype", None) == FLOAT:
            return UfuncCall(np.multiply, [a, Where(condition, [np.float32(1), factors[0]])])
    return Where(condition, [a, b])


def _operand(value: Any) -> Any:
    """The operand as a node or a number."""
    if isinstance(value, Lazy):
        return value.node
    if isinstance(value, np.ndarray):
        array = cast("Array", value)
        return Leaf(array) if array.ndim else array[()]
    if isinstance(value, int | float | np.generic):
        return cast("Any", value)
    raise NotInFastEngine(f"a {type(value).__name__}")


def _max_sum_depth(operands: Sequence[Any]) -> int:
    return max((operand.sum_depth for operand in operands if isinstance(operand, ExpressionNode)), default=0)


def _result_dtype(ufunc: np.ufunc, operands: Sequence[Any]) -> np.dtype:
    """The data type of the result by numpy's rules."""
    try:
        return loop_dtypes(ufunc, operands)[-1]
    except TypeError as error:
        raise NotInFastEngine(str(error)) from None


def loop_dtypes(ufunc: np.ufunc, operands: Sequence[Any]) -> tuple[np.dtype, ...]:
    """The data types in which numpy computes: one for each operand, and that of the result. Python's own numbers adapt
    to the other operands."""
    dtypes: list[Any] = [
        operand.dtype if isinstance(operand, ExpressionNode | Cell | np.generic) else type(operand)
        for operand in operands
    ]
    return ufunc.resolve_dtypes((*dtypes, None))


def _broadcast_axes(nodes: Iterable[ExpressionNode]) -> tuple[tuple[int, ...], Axes]:
    """The shape that nodes broadcast to, and its axes. The axes of one dimension are merged."""
    shape: list[int] = []
    axes: list[Axis | None] = []
    for node in nodes:
        missing = len(node.shape) - len(shape)
        shape[:0], axes[:0] = [1] * missing, [None] * missing
        for dim, (size, axis) in enumerate(zip(node.shape, node.axes, strict=True), len(shape) - len(node.shape)):
            if axis is None:
                continue
            if shape[dim] not in (1, size):
                raise NotInFastEngine(f"{shape} and {node.shape} do not fit")
            earlier = axes[dim]
            if earlier is not None:
                earlier.merge(axis)
            shape[dim], axes[dim] = size, axis
    return tuple(shape), tuple(axes)
