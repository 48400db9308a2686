"""A route: what a function computes, by another way than its formula. Arguments have the names of the prototype.

    route("aclnnMul", "aclnnInplaceMul", "loop", elements(lambda self, other: self * other))
    route("aclnnCumsum", "torch", by_torch("cumsum", "self", "dim"), bound=sums("self"), also=[{"dim": 1}])
    route("aclnnMm", "loop", product, torch=("torch.mm", by_torch("mm", "self", "mat2")), wrong={"no sum": outer})

With `torch` results are compared with both ways; where torch is not installed, with the first. `wrong` has formulas of
a careless author.

Tensors are arrays of float64, complex128, int64, uint64 or bool; scalars are Python numbers, arrays are lists. A tensor
that is changed in place has the name `self` too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from inspect import Parameter, signature
from typing import Any

import numpy as np

Expected = Callable[..., Any]
"""from the arguments that it names to the output, or a tuple of the outputs"""
Bound = Callable[[Mapping[str, Any], np.ndarray, str], Any]
"""from all arguments, the exact result and numpy's name of the data type to the largest error; see `compare`"""
Adjust = Callable[[np.ndarray], np.ndarray]
"""from random values of a tensor to those that the formula takes"""


@dataclass(frozen=True)
class Route:
    """One way to compute the results of some functions."""

    names: tuple[str, ...]
    how: str
    expected: Expected
    bound: Bound | str = "elementwise"
    values: Mapping[str, Adjust] = field(default_factory=dict)
    start: Mapping[str, Any] = field(default_factory=dict)
    """changes of the good call, for all cases"""
    also: Sequence[Mapping[str, Any]] = ()
    """changes of the good call: further cases"""
    newest: Sequence[Mapping[str, Any]] = ()
    """changes of the good call: further cases, on Ascend 950"""
    narrow: bool = False
    """May tensors have numbers of 4 bits? `tests.helpers.packed` has their arrays"""
    groups: Sequence[Sequence[str]] = ()
    """parameters that get each listed data type together, while the others keep theirs; none: all parameters do"""

    torch: tuple[str, Expected] | None = None
    """the way by torch and its name; `expected` is a second way, which runs without torch too"""
    wrong: Mapping[str, Expected] = field(default_factory=dict)
    """wrong formulas by what is wrong; the oracle has to notice each"""
    extremes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """tensors, and the names of the values in `extremes` that their floats take too"""
    positions: bool = False
    """Is the first output made of positions? If not, and it has integers, no extremes are tried: the conversion of NaN
    and of large floats to integers has tests of its own."""

    @property
    def needs_torch(self) -> bool:
        return self.how.startswith("torch")

    @property
    def named(self) -> str:
        """The names of its ways."""
        return f"{self.torch[0]}, {self.how}" if self.torch else self.how  # as `evidence` has them with torch

    def ways(self) -> list[Route]:
        """Its ways that can run here, each as a route of its own."""
        own = [replace(self, torch=None)]
        if self.torch is None or not has_torch():
            return own
        how, expected = self.torch
        return [replace(self, torch=None, how=how, expected=expected), *own]


def route(*words: Any, **options: Any) -> Route:
    """Names of functions, then how, then what is expected."""
    *names, how, expected = words
    return Route(tuple(names), how, expected, **options)


def called(function: Expected, arguments: Mapping[str, Any]) -> Any:
    """The result of a function that names some of the arguments. Those with a default may be missing."""
    words = signature(function).parameters
    if any(each.kind is Parameter.VAR_KEYWORD for each in words.values()):
        return function(**arguments)
    needed = [name for name, each in words.items() if each.default is Parameter.empty or name in arguments]
    return function(**{name: arguments[name.removesuffix("_")] for name in needed})


def but(formula: Expected, **changed: Any) -> Expected:
    """The formula of other arguments. A function is called with all of them."""

    def wrong(**arguments: Any) -> Any:
        other = {name: each(arguments) if callable(each) else each for name, each in changed.items()}
        return called(formula, {**arguments, **other})

    return wrong


def has_torch() -> bool:
    return find_spec("torch") is not None


def elements(function: Callable[..., Any], *tensors: str) -> Expected:
    """A loop over Python numbers. `function` gets one element of each tensor, and every other argument that it names;
    tensors are those among its parameters whose argument is an array."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    def expected(**arguments: Any) -> np.ndarray:
        given = {name: arguments[name] for name in names}
        arrays = {name: value for name, value in given.items() if isinstance(value, np.ndarray)}
        spread = np.broadcast_arrays(*arrays.values())
        flat = [
            function(**given | dict(zip(arrays, row, strict=True)))
            for row in zip(*(each.ravel().tolist() for each in spread), strict=True)
        ]
        return of_numbers(flat).reshape(spread[0].shape)

    return expected


def of_numbers(numbers: Sequence[Any]) -> np.ndarray:
    """Python numbers as an array; large integers keep their low 64 bits."""
    if all(isinstance(each, int) and not isinstance(each, bool) for each in numbers):
        return np.array([each % 2**64 for each in numbers], np.uint64)
    return np.array(numbers)


def by_torch(name: str, *arguments: str, **fixed: Any) -> Expected:
    """A function of torch, or of torch.nn.functional, with these arguments by position."""

    def expected(**given: Any) -> Any:
        import torch

        found = getattr(torch, name, None) or getattr(torch.nn.functional, name)
        result = found(*(as_tensor(given[each]) for each in arguments), **fixed)
        several = isinstance(result, tuple | list)
        return tuple(each.numpy() for each in result) if several else result.numpy()

    return expected


def as_tensor(value: Any) -> Any:
    """An array as a tensor of torch; anything else as it is."""
    import torch

    if isinstance(value, np.ndarray):
        signed = value.astype(np.int64) if value.dtype == np.uint64 else value  # torch computes little in uint64
        return torch.from_numpy(np.array(signed, order="C"))
    return value


def same_type(*values: Any) -> list[Any]:
    """Arrays and numbers as tensors of torch, of the data type that holds all of them."""
    arrays = [np.asarray(each) for each in values]
    signed = [each.astype(np.int64) if each.dtype == np.uint64 else each for each in arrays]
    return [as_tensor(each.astype(np.result_type(*signed))) for each in signed]


EPSILON = {"float64": 2.0**-52, "complex128": 2.0**-52}
"""the distance from 1 to the next number, where it is not that of float32"""


def unit(dtype: str) -> float:
    """The distance from 1 to the next number in the arithmetic of a data type. Floats of 16 bits are widened."""
    return EPSILON.get(dtype, 2.0**-23)


def nonzero(values: np.ndarray) -> np.ndarray:
    """1 in place of 0."""
    return np.where(values == 0, np.ones((), values.dtype), values)


def of_terms(magnitudes: Any, count: int, dtype: str) -> Any:
    """2^-24 * 4 * sqrt(n) * the sum of the terms' magnitudes."""
    return 2 * unit(dtype) * max(count, 1) ** 0.5 * magnitudes


def sums(*names: str) -> Bound:
    """The bound of sums, where one result adds up elements of these tensors: as many as there are more elements than
    results."""

    def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
        count = max(max(arguments[name].size for name in names) // max(exact.size, 1), 1)
        largest = max((float(np.abs(arguments[name]).max(initial=0.0)) for name in names), default=0.0)
        return of_terms(count * largest, count, dtype)

    return bound
