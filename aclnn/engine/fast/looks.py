"""Looks at elements: small arrays that a formula computes from elements at once, such as a factor for each row.

A formula that reads elements has to be traced in each run, as its trace may follow from them. `from_elements` marks the
function that does the reading. The shapes of its results follow from the shapes that it gets, so the rest of the trace
does not follow from elements: a launch keeps the trace, and each run only computes these arrays again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.expressions import Lazy, Leaf, Node, Unwritable, Updated, walk
from aclnn.engine.numbers.rounding import widen

K = TypeVar("K", bound=Callable[..., Any])


class Look:
    """A function of arrays in memory, and the arrays that have its results."""

    def __init__(
        self, function: Callable[..., Any], given: Sequence[Any], attributes: Mapping[str, Any],
        results: Sequence[Array] | None = None,
    ) -> None:  # fmt: skip
        """`results`, if they are known already."""
        self._function, self._given, self._attributes = function, given, attributes
        self.results = [np.array(each) for each in (self._computed() if results is None else results)]

    def again(self) -> None:
        """Let the results be those of the elements of now."""
        for mine, new in zip(self.results, self._computed(), strict=True):
            if mine.shape != new.shape:
                raise ValueError(f"a result of {self._function.__name__} has a shape that follows from elements")
            mine[...] = new

    def _computed(self) -> Sequence[Array]:
        returned = self._function(*self._given, **self._attributes)
        return cast("Sequence[Array]", returned if isinstance(returned, tuple) else (returned,))


class Seen(Leaf):
    """An array that a look has computed."""

    __slots__ = ("look",)

    def __init__(self, array: Array, look: Look) -> None:
        super().__init__(array)
        self.look = look


def from_elements(function: K) -> K:
    """Mark a function that computes small arrays from elements of tensors in memory. Their shapes have to follow from
    those of its arguments."""

    @wraps(function)
    def call(*given: Any, **attributes: Any) -> Any:
        if not any(isinstance(each, Lazy) for each in given):
            return function(*given, **attributes)
        look = Look(_of_widened(function), [_in_memory(each) for each in given], attributes)
        found = tuple([Lazy(Seen(each, look)) for each in look.results])
        return found if len(look.results) > 1 else found[0]

    return cast("K", call)


def looks_of(nodes: Iterable[Node]) -> Iterator[Look]:
    """The looks that expressions rest on, each once."""
    seen: set[Look] = set()
    for node in walk(nodes):
        for each in (node, *(node.places if isinstance(node, Updated) else ())):
            if isinstance(each, Seen) and each.look not in seen:
                seen.add(each.look)
                yield each.look


def _of_widened(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*given: Any, **attributes: Any) -> Any:
        wide = [widen(cast("Array", each)) if isinstance(each, np.ndarray) else each for each in given]
        return function(*wide, **attributes)

    return call


def _in_memory(given: Any) -> Any:
    if not isinstance(given, Lazy):
        return given
    if type(given.node) is not Leaf:
        raise Unwritable("a look at what is not in memory")
    return given.node.array
