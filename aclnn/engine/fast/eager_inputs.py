"""Eager inputs: small arrays that a formula computes from tensor values while it is traced.

An example is a factor for each row. A trace that depends on tensor values would have to be made in each run. So `eager`
marks the function that reads the values. The shapes of its results depend on the shapes of its arguments only, so the
rest of the trace depends on no value. A launch caches the trace, and each run calls only the marked functions again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.expressions import ExpressionNode, IndexedUpdate, Lazy, Leaf, NotInFastEngine, walk
from aclnn.engine.numbers.rounding import widen

F = TypeVar("F", bound=Callable[..., Any])


class EagerCall:
    """A call of a function with arrays in memory, and the arrays that hold its results."""

    def __init__(
        self, function: Callable[..., Any], arguments: Sequence[Any], attributes: Mapping[str, Any],
        results: Sequence[Array] | None = None,
    ) -> None:  # fmt: skip
        """`results`: results of an earlier call of the function."""
        self._function, self._arguments, self._attributes = function, arguments, attributes
        self.results = [np.array(result) for result in (self._call() if results is None else results)]

    def recompute(self) -> None:
        """Call the function again, and write its results to the same arrays."""
        for result, new in zip(self.results, self._call(), strict=True):
            if result.shape != new.shape:
                raise ValueError(f"a result of {self._function.__name__} has a shape that depends on tensor values")
            result[...] = new

    def _call(self) -> Sequence[Array]:
        returned = self._function(*self._arguments, **self._attributes)
        return cast("Sequence[Array]", returned if isinstance(returned, tuple) else (returned,))


class EagerResult(Leaf):
    """An array that an eager call computed."""

    __slots__ = ("call",)

    def __init__(self, array: Array, call: EagerCall) -> None:
        super().__init__(array)
        self.call = call


def eager(function: F) -> F:
    """Mark a function that computes small arrays from the values of tensors in memory. The shapes of its results must
    depend on the shapes of its arguments only."""

    @wraps(function)
    def wrapper(*arguments: Any, **attributes: Any) -> Any:
        if not any(isinstance(argument, Lazy) for argument in arguments):
            return function(*arguments, **attributes)
        call = EagerCall(_with_widened_arguments(function), [*map(_array_in_memory, arguments)], attributes)
        results = tuple([Lazy(EagerResult(result, call)) for result in call.results])
        return results if len(call.results) > 1 else results[0]

    return cast("F", wrapper)


def eager_calls(nodes: Iterable[ExpressionNode]) -> Iterator[EagerCall]:
    """The eager calls whose results the expressions use, each once."""
    seen: set[EagerCall] = set()
    for node in walk(nodes):
        for leaf in (node, *(node.leaves if isinstance(node, IndexedUpdate) else ())):
            if isinstance(leaf, EagerResult) and leaf.call not in seen:
                seen.add(leaf.call)
                yield leaf.call


def _with_widened_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def wrapper(*arguments: Any, **attributes: Any) -> Any:
        wide = [
            widen(cast("Array", argument)) if isinstance(argument, np.ndarray) else argument for argument in arguments
        ]
        return function(*wide, **attributes)

    return wrapper


def _array_in_memory(argument: Any) -> Any:
    if not isinstance(argument, Lazy):
        return argument
    if type(argument.node) is not Leaf:
        raise NotInFastEngine("an eager input that is not in memory")
    return argument.node.array
