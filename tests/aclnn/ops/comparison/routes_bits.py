"""Routes for `aclnn.ops.comparison`: logic, bits and kinds: torch, and loops over Python's numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle.extremes import ALL
from tests.oracle.route import Route, as_tensor, elements, route, same_type


def torch_of(name: str, *tensors: str) -> tuple[str, Any]:
    def expected(**given: Any) -> np.ndarray:
        import torch

        return getattr(torch, name)(*same_type(*(given[each] for each in tensors))).numpy()

    return f"torch.{name}", expected


def two(function: Callable[[Any, Any], Any]) -> Any:
    return elements(lambda self, other: function(self, other))


def logic(stem: str, function: Callable[[bool, bool], bool], wrong: Callable[[bool, bool], bool]) -> Route:
    def truth(given: Callable[[bool, bool], bool]) -> Any:
        return two(lambda x, y: given(x != 0, y != 0))

    names = (f"aclnnLogical{stem}", f"aclnnInplaceLogical{stem}")[: 1 if stem == "Xor" else 2]
    careless = two(lambda x, y: whole_truth(function, x, y))
    return route(*names, "loop", truth(function), bound="exact", values={"self": some_zeros, "other": some_zeros},
                 torch=torch_of(f"logical_{stem.lower()}", "self", "other"), extremes={"self": ALL, "other": ALL},
                 wrong={"another function": truth(wrong), "fractions are 0": careless})  # fmt: skip


def whole_truth(function: Callable[[bool, bool], bool], x: Any, y: Any) -> bool:
    """A careless cast to integers first."""
    found = [abs(each) >= 1 if not isinstance(each, bool) else each for each in (x, y)]
    return function(*found)


def some_zeros(values: np.ndarray) -> np.ndarray:
    """Zeros, fractions below 1, and larger numbers."""
    return (
        np.where(np.abs(values) < 0.7, np.zeros((), values.dtype), values / 2)
        if values.dtype.kind in "fc"
        else values % 3
    )


def bits(stem: str, function: Callable[[Any, Any], Any], wrong: Callable[[Any, Any], Any], *more: str) -> Route:
    names = [f"aclnn{kind}Bitwise{stem}{form}" for kind in ("", "Inplace") for form in ("Tensor", "Scalar", *more)]
    return route(*names, "loop", two(function), bound="exact",
                 torch=torch_of(f"bitwise_{stem.lower()}", "self", "other"),
                 wrong={"another function": two(wrong), "self": two(lambda x, y: x)})  # fmt: skip


def shift_left(self: Any, shiftBits: Any) -> Any:
    return self << shiftBits if 0 <= shiftBits < 64 else 0


def shift_right(input: Any, shiftBits: Any) -> Any:
    return input >> shiftBits


def to_the_left(input: Any, shiftBits: Any) -> Any:
    return input << shiftBits


def once(input: Any) -> Any:
    return input >> 1


def inverted(self: Any) -> Any:
    return not self if isinstance(self, bool) else ~self


def every_one(element: Any, testElements: np.ndarray, invert: bool) -> np.ndarray:
    return np.array(bool((element == testElements).all()) != invert)


def counts(values: np.ndarray) -> np.ndarray:
    return np.abs(values.astype(np.int64)) % 5


def negative(self: Any) -> bool:
    return self < 0


def torch_negative(self: np.ndarray) -> np.ndarray:
    """Of numbers that torch compares."""
    return (as_tensor(self) < 0).numpy()


def sought(element: np.ndarray, testElement: Any, invert: bool) -> np.ndarray:
    return np.array([(each == testElement) != invert for each in element.ravel().tolist()]).reshape(element.shape)


def sought_in_tensor(element: Any, testElements: np.ndarray, invert: bool) -> np.ndarray:
    return np.array((element in testElements.ravel().tolist()) != invert)


def torch_isin(element: np.ndarray, testElement: Any, invert: bool) -> np.ndarray:
    import torch

    return torch.isin(*same_type(element, testElement), invert=invert).numpy()


def torch_isin_tensor(element: Any, testElements: np.ndarray, invert: bool) -> np.ndarray:
    import torch

    return torch.isin(*same_type(element, testElements), invert=invert).numpy()


def few(values: np.ndarray) -> np.ndarray:
    return np.rint(values) % 3 if values.dtype.kind == "f" else values % 3


def no(self: np.ndarray) -> np.ndarray:
    return np.zeros(self.shape, bool)


def yes(self: np.ndarray) -> np.ndarray:
    return np.ones(self.shape, bool)


def kind(stem: str, torch: str, function: Callable[[Any], bool], name: str = "self") -> Route:
    def expected(**given: Any) -> np.ndarray:
        x = given[name]
        return np.array([function(each) for each in x.ravel().tolist()]).reshape(x.shape)

    def torch_way(**given: Any) -> np.ndarray:
        import torch as library

        return getattr(library, torch)(as_tensor(given[name])).numpy()

    return route(f"aclnn{stem}", "loop", expected, torch=(f"torch.{torch}", torch_way), bound="exact",
                 extremes={name: ALL}, wrong={"NaN too": lambda **given: np.isnan(given[name]) | expected(**given),
                                              "the opposite": lambda **given: ~expected(**given)})  # fmt: skip


TOGETHER = [["element", "testElement", "testElements"]]
ROUTES: tuple[Route, ...] = (
    logic("And", operator.and_, operator.or_),
    logic("Or", operator.or_, operator.xor),
    logic("Xor", operator.xor, operator.or_),
    route("aclnnLogicalNot", "aclnnInplaceLogicalNot", "loop", elements(lambda self: self == 0), bound="exact",
          values={"self": some_zeros}, torch=torch_of("logical_not", "self"), extremes={"self": ALL},
          wrong={"fractions are 0": elements(lambda self: abs(self) < 1), "nothing": elements(lambda self: self != 0)}),
    bits("And", operator.and_, operator.or_, "TensorOut"),
    bits("Or", operator.or_, operator.xor),
    bits("Xor", operator.xor, operator.or_),
    route("aclnnBitwiseNot", "loop", elements(inverted), bound="exact", torch=torch_of("bitwise_not", "self"),
          wrong={"negated": elements(lambda self: not self if isinstance(self, bool) else -self),
                 "nothing": lambda self: self}),
    route("aclnnLeftShift", "aclnnLeftShifts", "loop", elements(shift_left), bound="exact",
          values={"shiftBits": counts}, torch=torch_of("bitwise_left_shift", "self", "shiftBits"),
          wrong={"right": elements(lambda self, shiftBits: self >> (shiftBits % 64)),
                 "once": elements(lambda self, shiftBits: self << 1)}),
    route("aclnnRightShift", "loop", elements(shift_right), bound="exact", values={"shiftBits": counts},
          torch=torch_of("bitwise_right_shift", "input", "shiftBits"),
          wrong={"left": elements(to_the_left), "once": elements(once)}),
    kind("IsFinite", "isfinite", math.isfinite),
    kind("IsInf", "isinf", math.isinf, "x"),
    kind("IsPosInf", "isposinf", lambda x: x == math.inf),
    kind("IsNegInf", "isneginf", lambda x: x == -math.inf),
    route("aclnnSignbit", "loop", elements(negative), torch=("torch.lt", torch_negative), bound="exact",
          extremes={"self": ALL},
          wrong={"0 too": elements(lambda self: self <= 0), "never": no}),
    route("aclnnIsInTensorScalar", "loop", sought, torch=("torch.isin", torch_isin), bound="exact", groups=TOGETHER,
          values={"element": few}, also=[{"invert": True}],
          wrong={"invert ignored": lambda element, testElement: sought(element, testElement, False),
                 "larger": lambda element, testElement, invert: (element > testElement) != invert}),
    route("aclnnIsInScalarTensor", "loop", sought_in_tensor, torch=("torch.isin", torch_isin_tensor), bound="exact",
          groups=TOGETHER, values={"testElements": few}, also=[{"invert": True}],
          wrong={"invert ignored": lambda element, testElements: sought_in_tensor(element, testElements, False),
                 "all": every_one}),
)  # fmt: skip
