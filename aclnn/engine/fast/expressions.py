"""A formula, written down instead of computed: it runs on `Lazy` arrays, whose operators make nodes.

    s = (y * g).sum(axis, dtype=np.float64, keepdims=True).astype(np.float32)
    return (g - s) * y

makes UfuncCall(multiply, UfuncCall(subtract, g, Cast(Sum(UfuncCall(multiply, y, g)))), y). An operation without a node
raises `Unwritable`.
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
"""functions of numpy, and the ufuncs that they reduce by"""


class Unwritable(Exception):
    """The formula does what no node stands for; it has to run as it is written."""


class Axis:
    """A direction that elements are counted in: arrays that meet in an operation have theirs in common."""

    __slots__ = ("_is", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self._is: Axis | None = None

    def found(self) -> "Axis":
        """The one that stands for all that it was joined with."""
        axis = self
        while axis._is is not None:
            axis = axis._is
        return axis

    def join(self, other: "Axis") -> None:
        """From now on the two are one."""
        mine, theirs = self.found(), other.found()
        if mine is not theirs:
            mine._is = theirs


Axes: TypeAlias = "tuple[Axis | None, ...]"
"""for each dimension; None where it has one element"""


class Node:
    """Something with elements: what it is made of, its shape, and its data type while it is computed with."""

    __slots__ = ("axes", "dtype", "shape", "sums")

    def __init__(self, shape: tuple[int, ...], axes: Axes, dtype: np.dtype, *, sums: int = 0) -> None:
        if dtype.kind not in "biuf":
            raise Unwritable(f"arithmetic of {dtype}")
        self.shape, self.axes, self.dtype = shape, axes, dtype
        self.sums = sums
        """how many sums one after the other it rests on"""

    @property
    def sources(self) -> tuple["Node", ...]:
        """The nodes that it is made of."""
        return ()

    def along(self) -> set[Axis]:
        """Its directions."""
        return {axis.found() for axis in self.axes if axis is not None}


class Leaf(Node):
    """An array in memory: 16-bit floats are widened when a tile is loaded."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        narrow = array.dtype.itemsize < 4 and array.dtype.kind in "fV"
        axes = tuple(Axis(size) if size > 1 else None for size in array.shape)
        super().__init__(array.shape, axes, FLOAT if narrow else array.dtype)
        self.array = array


class UfuncCall(Node):
    """A ufunc of nodes and numbers, element by element."""

    __slots__ = ("arguments", "ufunc")

    def __init__(self, ufunc: np.ufunc, arguments: Sequence[Any]) -> None:
        shape, axes = _common(argument for argument in arguments if isinstance(argument, Node))
        super().__init__(shape, axes, _resolved(ufunc, arguments), sums=_most(arguments))
        self.ufunc, self.arguments = ufunc, tuple(arguments)

    @property
    def sources(self) -> tuple[Node, ...]:
        return tuple(each for each in self.arguments if isinstance(each, Node))


class Where(Node):
    """`np.where` of a condition."""

    __slots__ = ("choices", "condition")

    def __init__(self, condition: Node, choices: Sequence[Any]) -> None:
        if condition.dtype != BOOL or isinstance(condition, Leaf):  # bytes in memory may be others than 0 and 1
            raise Unwritable("where needs a comparison")
        shape, axes = _common([condition, *(each for each in choices if isinstance(each, Node))])
        super().__init__(shape, axes, _resolved(np.add, choices), sums=_most([condition, *choices]))
        self.condition, self.choices = condition, tuple(choices)

    @property
    def sources(self) -> tuple[Node, ...]:
        return (self.condition, *(each for each in self.choices if isinstance(each, Node)))


class Cast(Node):
    """Rounded to a data type and, if that is a narrow one, widened again."""

    __slots__ = ("to", "value")

    def __init__(self, value: Node, to: np.dtype) -> None:
        narrow = to.itemsize < 4 and to.kind in "fV"
        super().__init__(value.shape, value.axes, FLOAT if narrow else to, sums=value.sums)
        self.value, self.to = value, to

    @property
    def sources(self) -> tuple[Node, ...]:
        return (self.value,)


class Sum(Node):
    """The sum over some directions, with float64 partials; float64 itself."""

    __slots__ = ("over", "value")

    @property
    def ufunc(self) -> np.ufunc:
        """The function that reduces."""
        return np.add

    def __init__(self, value: Node, dims: tuple[int, ...], *, keepdims: bool) -> None:
        if value.dtype != FLOAT:
            raise Unwritable(f"the sum of {value.dtype}")
        self.value = value
        self.over = tuple(axis for dim in dims if (axis := value.axes[dim]) is not None)
        kept = [(1, None) if dim in dims else pair for dim, pair in enumerate(zip(value.shape, value.axes, strict=True))
                if keepdims or dim not in dims]  # fmt: skip
        super().__init__(tuple(size for size, _ in kept), tuple(axis for _, axis in kept), DOUBLE, sums=value.sums + 1)

    @property
    def sources(self) -> tuple[Node, ...]:
        return (self.value,)


class Extreme(Sum):
    """The largest or the smallest element over some directions, NaN if one is NaN. All that is true of sums is true of
    it: when it is computed, and where its result is used."""

    __slots__ = ("_ufunc",)

    def __init__(self, value: Node, dims: tuple[int, ...], ufunc: np.ufunc, *, keepdims: bool) -> None:
        super().__init__(value, dims, keepdims=keepdims)
        self.dtype, self._ufunc = value.dtype, ufunc

    @property
    def ufunc(self) -> np.ufunc:
        return self._ufunc


class Reshaped(Node):
    """The same elements with dimensions of one element more or fewer."""

    __slots__ = ("value",)

    def __init__(self, value: Node, shape: tuple[int, ...]) -> None:
        axes = iter([axis for axis in value.axes if axis is not None])
        if [size for size in shape if size > 1] != [size for size in value.shape if size > 1]:
            raise Unwritable(f"reshape from {value.shape} to {shape}")
        super().__init__(shape, tuple(next(axes) if size > 1 else None for size in shape), value.dtype, sums=value.sums)
        self.value = value

    @property
    def sources(self) -> tuple[Node, ...]:
        return (self.value,)


class Updated(Node):
    """A matrix of which single elements are changed: `x[rows, columns] -= by`, with ascending rows."""

    __slots__ = ("by", "columns", "places", "rows", "ufunc", "value")

    def __init__(
        self, value: Node, ufunc: np.ufunc, rows: Array, columns: "Array | Leaf", by: "Array | Leaf"
    ) -> None:  # fmt: skip
        self.places = tuple(each for each in (columns, by) if isinstance(each, Leaf))
        columns, by = (each.array if isinstance(each, Leaf) else each for each in (columns, by))
        if len(value.shape) != 2 or rows.ndim != 1 or not rows.shape == columns.shape == by.shape:
            raise Unwritable("such an assignment")
        legal = (rows >= 0) & (rows < value.shape[0]) & (columns >= 0) & (columns < value.shape[1])
        if not legal.all() or (np.diff(rows) < 0).any():
            raise Unwritable("such an index")
        super().__init__(value.shape, value.axes, value.dtype, sums=value.sums)
        self.value, self.ufunc, self.rows, self.columns, self.by = value, ufunc, rows, columns, by

    @property
    def sources(self) -> tuple[Node, ...]:
        return (self.value,)


class Made(Node):
    """An array that no expression describes: a procedure writes all of it."""

    __slots__ = ("reads", "write")

    def __init__(
        self, shape: tuple[int, ...], reads: tuple[Array, ...], write: "Callable[[Array, Workers], None]"
    ) -> None:  # fmt: skip
        super().__init__(shape, tuple(Axis(size) if size > 1 else None for size in shape), FLOAT)
        self.reads, self.write = reads, write


class Lazy(NDArrayOperatorsMixin):
    """Stands in for a large tensor in a formula; operations on it return another one and compute nothing."""

    def __init__(self, node: Node) -> None:
        self.node = node

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an ndarray."""
        return self.node.shape

    @property
    def ndim(self) -> int:
        """As of an ndarray."""
        return len(self.node.shape)

    @property
    def size(self) -> int:
        """As of an ndarray."""
        return prod(self.node.shape)

    @property
    def dtype(self) -> np.dtype:
        """As of an ndarray."""
        return self.node.dtype

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # numpy asks for what it might use
            raise AttributeError(name)
        raise Unwritable(f".{name}")

    def __len__(self) -> int:
        return self.node.shape[0]

    def __bool__(self) -> bool:
        raise Unwritable("a decision by the values")

    def __array__(self, *_: Any, **__: Any) -> Array:
        raise Unwritable("a function without a node")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> "Lazy":
        if ufunc is np.add and method == "reduce" and options.keys() <= {"axis", "dtype", "keepdims"}:
            return self.sum(options.get("axis", 0), options.get("dtype"), keepdims=options.get("keepdims", False))
        if ufunc in EXTREMES.values() and method == "reduce" and options.keys() <= {"axis", "keepdims"}:
            return self._extreme(ufunc, options.get("axis", 0), keepdims=options.get("keepdims", False))
        if method != "__call__" or options or ufunc.nout != 1 or ufunc.signature is not None:
            raise Unwritable(f"{ufunc.__name__}.{method}")
        return Lazy(UfuncCall(ufunc, [_argument(each) for each in inputs]))

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> "Lazy":
        if function is np.where and len(args) == 3 and not kwargs and isinstance(args[0], Lazy):
            return Lazy(_choice(args[0].node, *map(_argument, args[1:])))
        if function in EXTREMES and len(args) <= 2 and kwargs.keys() <= {"axis", "keepdims"}:
            axis = args[1] if len(args) == 2 else kwargs.get("axis")
            return self._extreme(EXTREMES[function], axis, keepdims=kwargs.get("keepdims", False))
        raise Unwritable(f"numpy.{function.__name__}")

    def sum(
        self, axis: SupportsIndex | tuple[int, ...] | None = None, dtype: Any = None, *, keepdims: bool = False
    ) -> "Lazy":
        """As of an ndarray; float64 or the own data type."""
        whole = Lazy(Sum(self.node, self._dims(axis), keepdims=keepdims))
        return whole if dtype is not None and np.dtype(dtype) == DOUBLE else whole.astype(dtype or self.dtype)

    def _extreme(
        self, ufunc: np.ufunc, axis: SupportsIndex | tuple[int, ...] | None, *, keepdims: bool
    ) -> "Lazy":  # fmt: skip
        return Lazy(Extreme(self.node, self._dims(axis), ufunc, keepdims=keepdims))

    def _dims(self, axis: SupportsIndex | tuple[int, ...] | None) -> tuple[int, ...]:
        given: Iterable[int] = range(self.ndim)
        if axis is not None:
            given = axis if isinstance(axis, tuple) else (int(axis),)
        return tuple(dim + self.ndim if dim < 0 else dim for dim in given)

    def astype(self, dtype: Any) -> "Lazy":
        """As of an ndarray, but for 16-bit floats, in which numpy would go on to compute."""
        to = np.dtype(dtype)
        if to.itemsize < 4 and to.kind in "fV":
            raise Unwritable(f"arithmetic of {to}")
        return self if to == self.dtype else Lazy(Cast(self.node, to))

    def reshape(self, *shape: Any) -> "Lazy":
        """As of an ndarray, as long as only dimensions of one element come and go."""
        sizes: list[int] = [*cast("Iterable[int]", shape[0])] if isinstance(shape[0], tuple) else [*shape]
        if -1 in sizes:
            sizes[sizes.index(-1)] = self.size // max(-prod(sizes), 1)
        return Lazy(Reshaped(self.node, tuple(sizes)))

    def __getitem__(self, where: Any) -> "Chosen | Lazy":
        match where:
            case int() if where == 0 and self.shape[:1] == (1,):
                return self.reshape(self.shape[1:])
            case (np.ndarray() as rows, np.ndarray() | Lazy() as columns):
                return Chosen(self, cast("Array", rows), cast("Array | Lazy", columns))
            case _:
                raise Unwritable("such an index")

    def __setitem__(self, where: Any, values: Any) -> None:
        chosen = values.chosen if isinstance(values, Changed) else None
        if chosen is None or chosen.of is not self or not (chosen.rows is where[0] and chosen.columns is where[1]):
            raise Unwritable("such an assignment")
        if isinstance(self.node, Leaf):
            raise Unwritable("an input that is changed")
        self.node = values.node


class Chosen:
    """`x[rows, columns]`, of which only `-=` and `+=` are known."""

    def __init__(self, of: Lazy, rows: Array, columns: Array | Lazy) -> None:
        self.of, self.rows, self.columns = of, rows, columns

    def __add__(self, by: Any) -> "Changed":
        return Changed(self, np.add, by)

    def __sub__(self, by: Any) -> "Changed":
        return Changed(self, np.subtract, by)


class Changed:
    """The value that `x[rows, columns] -= by` assigns."""

    def __init__(self, chosen: Chosen, ufunc: np.ufunc, by: Any) -> None:
        self.chosen = chosen
        self.node = Updated(chosen.of.node, ufunc, chosen.rows, _in_memory(chosen.columns), _in_memory(by))


def _in_memory(values: Any) -> Array | Leaf:
    """An array, or a leaf."""
    found = values.node if isinstance(values, Lazy) else values
    if not isinstance(found, np.ndarray | Leaf):
        raise Unwritable("such an assignment")
    return cast("Array | Leaf", found)


def sources_of(node: Node) -> tuple[Node, ...]:
    """The nodes that it is made of."""
    return node.sources


def above_sums(node: Node) -> tuple[Node, ...]:
    """The same, but of a sum none."""
    return () if isinstance(node, Sum) else node.sources


def walk(roots: Iterable[Node], sources: "Callable[[Node], tuple[Node, ...]]" = sources_of) -> Iterator[Node]:
    """All nodes below these, each once, sources before what is made of them."""
    seen: set[Node] = set()
    pending = [(root, False) for root in reversed(list(roots))]
    while pending:
        node, ready = pending.pop()
        if ready:
            yield node
        elif node not in seen:
            seen.add(node)
            pending.append((node, True))
            pending += [(source, False) for source in reversed(sources(node)) if source not in seen]


def _choice(condition: Node, a: Any, b: Any) -> Node:
    """`np.where`. If b is a * k it is a * where(condition, 1, k): the same bits, and k is often small."""
    if isinstance(b, UfuncCall) and b.ufunc is np.multiply and isinstance(a, Node) and a.dtype == b.dtype == FLOAT:
        factors = [each for each in b.arguments if each is not a]
        if len(factors) == 1 and getattr(factors[0], "dtype", None) == FLOAT:
            return UfuncCall(np.multiply, [a, Where(condition, [np.float32(1), factors[0]])])
    return Where(condition, [a, b])


def _argument(value: Any) -> Any:
    """A node, or a number."""
    if isinstance(value, Lazy):
        return value.node
    if isinstance(value, np.ndarray):
        array = cast("Array", value)
        return Leaf(array) if array.ndim else array[()]
    if isinstance(value, int | float | np.generic):
        return cast("Any", value)
    raise Unwritable(f"a {type(value).__name__}")


def _most(arguments: Sequence[Any]) -> int:
    return max((each.sums for each in arguments if isinstance(each, Node)), default=0)


def _resolved(ufunc: np.ufunc, arguments: Sequence[Any]) -> np.dtype:
    """The data type of the result, by numpy's rules: Python's own numbers adapt."""
    kinds: list[Any] = [each.dtype if isinstance(each, Node | np.generic) else type(each) for each in arguments]
    try:
        return ufunc.resolve_dtypes((*kinds, None))[-1]
    except TypeError as error:
        raise Unwritable(str(error)) from None


def _common(nodes: Iterable[Node]) -> tuple[tuple[int, ...], Axes]:
    """The shape that nodes broadcast to; what meets in a dimension counts along one axis."""
    shape: list[int] = []
    axes: list[Axis | None] = []
    for node in nodes:
        missing = len(node.shape) - len(shape)
        shape[:0], axes[:0] = [1] * missing, [None] * missing
        for dim, (size, axis) in enumerate(zip(node.shape, node.axes, strict=True), len(shape) - len(node.shape)):
            if axis is None:
                continue
            if shape[dim] not in (1, size):
                raise Unwritable(f"{shape} and {node.shape} do not fit")
            known = axes[dim]
            if known is not None:
                known.join(axis)
            shape[dim], axes[dim] = size, axis
    return tuple(shape), tuple(axes)
