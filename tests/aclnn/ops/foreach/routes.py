"""Routes for `aclnn.ops.foreach`: torch, and a loop over the tensors. Each form of a function has the same formula."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import erf, erfc, inf
from typing import Any

import numpy as np

from acl_runtime import ACL_INT8
from aclnn.catalogue.facts import facts
from tests.derived.values import Number
from tests.oracle.route import Expected, Route, as_tensor, but, route

Formula = Callable[..., Any]
BY = ("scalar", "scalars", "alpha", "weight", "roundMode")
EXTREMES = {"x": ("nan", "inf", "0")}


def signed(x: np.ndarray) -> np.ndarray:
    return x.astype(np.int64) if x.dtype == np.uint64 else x


def parts(name: str) -> tuple[list[str], str]:
    """The lists that are read, and the parameter with the numbers."""
    params = facts(name).params
    read = [each.name for each in params if "TensorList" in each.type and each.name != "out"]
    return read, next((each.name for each in params if each.name in BY and each.name not in read), "")


def number(value: Any, at: int) -> Any:
    """The number for the tensors at a place."""
    if isinstance(value, np.ndarray):
        flat = signed(value.ravel()).tolist()
        return flat[at if len(flat) > 1 else 0]
    return value[at] if isinstance(value, list) else value


def each_of(name: str, formula: Formula) -> Expected:
    """A formula of one tensor of each list, and the number."""
    lists, by = parts(name)

    def expected(**given: Any) -> list[Any]:
        rows = zip(*(map(signed, given[each]) for each in lists), strict=True)
        with np.errstate(all="ignore"):
            return [np.asarray(formula(*row, *([number(given[by], at)] if by else []))) for at, row in enumerate(rows)]

    return expected


def by_torch(name: str, formula: Formula) -> Expected:
    """The same with tensors of torch, of which `formula` gets the module, too."""

    def of_tensors(*values: Any) -> Any:
        import torch

        return formula(torch, *map(as_tensor, values)).numpy()

    return each_of(name, of_tensors)


def terms(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    """A few roundings of values as large as the inputs and the number make them."""
    arrays = [each for value in arguments.values() if isinstance(value, list) for each in value]
    largest = max(float(np.abs(each).max(initial=1, where=np.isfinite(each))) for each in arrays)
    return 2.0**-21 * (np.abs(exact) + 10 * largest)


def foreach_route(stem: str, formula: Formula, other: Formula, torch: tuple[str, Formula] | None, **more: Any) -> Route:
    name = f"aclnnForeach{stem}"
    expected, by = each_of(name, formula), parts(name)[1]
    doubled = {"the number doubled": but(expected, **{by: lambda given: twice(given[by])})} if by else {}
    way = (torch[0], by_torch(name, torch[1])) if torch else None
    wrong = {"another formula": each_of(name, other), **more.pop("wrong", doubled)}
    return route(name, "loop", expected, torch=way, wrong=wrong, **more)


def twice(value: Any) -> Any:
    return [2 * each for each in value] if isinstance(value, list) else 2 * value


# of a tensor and a number, or of two tensors


def power(x: Any, y: Any) -> Any:
    """Integers wrap; to a negative power 1 and -1 stay units, and everything else is 0."""
    if np.asarray(x).dtype.kind == "f":
        return np.power(x, y)

    def one(base: int, exponent: int) -> int:
        if exponent < 0:
            return {1: 1, -1: -1 if exponent % 2 else 1}.get(base, 0)
        return (base**exponent + 2**63) % 2**64 - 2**63

    pairs = np.broadcast(x, y)
    return np.array([one(int(base), int(exponent)) for base, exponent in pairs]).reshape(pairs.shape)


WORDS: dict[str, tuple[Formula, str, Formula]] = {
    "Add": (lambda x, y: x + y, "torch.add", lambda torch, x, y: torch.add(x, y)),
    "Sub": (lambda x, y: x - y, "torch.sub", lambda torch, x, y: torch.sub(x, y)),
    "Mul": (lambda x, y: x * y, "torch.mul", lambda torch, x, y: torch.mul(x, y)),
    "Div": (lambda x, y: x / y, "torch.div", lambda torch, x, y: torch.div(x, y)),
    "Maximum": (np.maximum, "torch.maximum", lambda torch, x, y: torch.maximum(x, torch.as_tensor(y, dtype=x.dtype))),
    "Minimum": (np.minimum, "torch.minimum", lambda torch, x, y: torch.minimum(x, torch.as_tensor(y, dtype=x.dtype))),
}  # fmt: skip
OF_TWO = {"Add": ("ScalarV2", "Scalar", "ScalarList"), "Sub": ("ScalarV2", "Scalar", "ScalarInplace", "ScalarList"),
          "Mul": ("ScalarV2", "Scalar", "ScalarInplace", "ScalarList", "List", "ListInplace"),
          "Div": ("ScalarV2", "Scalar", "ScalarList", "List", "ListInplace"),
          "Maximum": ("ScalarV2", "Scalar", "ScalarList", "List"),
          "Minimum": ("ScalarV2", "Scalar", "ScalarList", "List"),
          "Pow": ("ScalarV2", "Scalar", "ScalarList", "List")}  # fmt: skip


def of_two() -> list[Route]:
    found: list[Route] = []
    for word, forms in OF_TWO.items():
        formula, name, torch = WORDS.get(word, (power, "", power))
        for form in forms:
            bound = "elementwise" if form.startswith("List") else terms
            found.append(foreach_route(
                f"{word}{form}", formula, lambda x, y, formula=formula: formula(x, y + 1),
                (name, torch) if name else None, bound="elementwise" if word == "Pow" else bound,
            ))  # fmt: skip
    return found


# with a sum, a product or a quotient


def combined() -> list[Route]:
    found: list[Route] = []
    for word, sign in (("Add", 1), ("Sub", -1)):
        for form in ("ListV2", "List", "ListInplace"):
            found.append(foreach_route(
                f"{word}{form}", lambda a, b, s, sign=sign: a + sign * s * b, lambda a, b, s: b - s * a,
                (f"torch.{word.lower()}",
                 lambda torch, a, b, s, word=word: getattr(torch, word.lower())(a, b, alpha=s)),
                bound=terms,
            ))  # fmt: skip
    for form in ("ScalarV2", "Scalar", "ScalarList", "List"):
        found.append(foreach_route(
            f"Addcmul{form}", lambda a, b, c, s: a + s * b * c, lambda a, b, c, s: a + s * b,
            ("torch.addcmul", lambda torch, a, b, c, s: torch.addcmul(a, b, c, value=s)), bound=terms))  # fmt: skip
        found.append(foreach_route(
            f"Addcdiv{form}", lambda a, b, c, s: a + s * b / c, lambda a, b, c, s: a + s * c / b,
            ("torch.addcdiv", lambda torch, a, b, c, s: torch.addcdiv(a, b, c, value=s)), bound=terms,
            values={"x3": lambda x: np.sign(x + 0.01) * (np.abs(x) + 0.5)}))  # fmt: skip
    return found


def between(a: Any, b: Any, w: Any) -> Any:
    return a + w * (b - a)


LERPS = [
    foreach_route(f"Lerp{form}", between, lambda a, b, w: b + w * (a - b) / 2,
                  ("torch.lerp", lambda torch, a, b, w: torch.lerp(a, b, w)), bound=terms)
    for form in ("Scalar", "List")
]  # fmt: skip


# of one tensor


def sign(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, 1, np.where(x < 0, -1, 0))


def apart(function: Callable[[float], float]) -> Formula:
    return lambda x: np.array([function(each) for each in x.ravel().tolist()]).reshape(x.shape)


ONE: dict[str, Formula] = {
    "Abs": np.abs, "Acos": np.arccos, "Asin": np.arcsin, "Atan": np.arctan, "Cos": np.cos, "Cosh": np.cosh,
    "Erf": apart(erf), "Erfc": apart(erfc), "Exp": np.exp, "Expm1": np.expm1, "Log": np.log, "Log10": np.log10,
    "Log1p": np.log1p, "Log2": np.log2, "Neg": lambda x: 0 - x, "Reciprocal": lambda x: 1 / x,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Sign": sign, "Sin": np.sin, "Sinh": np.sinh, "Sqrt": np.sqrt,
    "Tan": np.tan, "Tanh": np.tanh, "ACosInplace": np.arccos, "LogInplace": np.log,
}  # fmt: skip
DOMAINS = {**dict.fromkeys(("Acos", "Asin", "ACosInplace"), np.tanh),
           **dict.fromkeys(("Log", "Log10", "Log1p", "Log2", "Sqrt", "LogInplace"), np.abs)}  # fmt: skip
TORCH = {"ACosInplace": "acos", "LogInplace": "log"}
OTHERS: dict[str, Formula] = {"Exp": np.exp2, "Expm1": np.exp, "Sign": np.abs}


def of_one(stem: str, formula: Formula) -> Route:
    name = TORCH.get(stem, stem.lower())
    torch = None if stem == "Sign" else (f"torch.{name}", lambda torch, x: getattr(torch, name)(x))
    values = {"x": DOMAINS[stem]} if stem in DOMAINS else {}
    other = OTHERS.get(stem, lambda x: 1.01 * formula(x) + 1)
    return foreach_route(stem, formula, other, torch, values=values, extremes=EXTREMES)


# with rules of their own


def norm(x: np.ndarray, order: float) -> float:
    """On Ascend910B1, where an infinite order is one of the others."""
    sizes = [abs(each) for each in x.ravel().tolist()]
    return sum(sizes) if 1 <= order < 2 else sum(each * each for each in sizes) ** 0.5


def norm_route(by: Sequence[float]) -> Route:
    def expected(x: list[np.ndarray], scalar: float, out: list[np.ndarray]) -> list[np.ndarray]:
        return [np.full(target.shape, norm(each, scalar)) for each, target in zip(x, out, strict=True)]

    def largest(x: list[np.ndarray], scalar: float, out: list[np.ndarray]) -> list[np.ndarray]:
        return [np.full(target.shape, abs(each).max()) for each, target in zip(x, out, strict=True)]

    def torch_norm(x: list[np.ndarray], scalar: float, out: list[np.ndarray]) -> list[np.ndarray]:
        import torch

        found = torch._foreach_norm([as_tensor(each) for each in x], 1 if 1 <= scalar < 2 else 2)
        return [each.numpy().reshape(target.shape) for each, target in zip(found, out, strict=True)]

    return route("aclnnForeachNorm", "loop", expected, torch=("torch._foreach_norm", torch_norm), bound=terms_of_norm,
                 also=[{"scalar": Number(each)} for each in by],
                 wrong={"largest": largest, "no root": but(expected, scalar=1)})  # fmt: skip


def terms_of_norm(arguments: Any, exact: np.ndarray, dtype: str) -> Any:
    return 2.0**-20 * np.abs(exact)


def to_odd(x: float) -> float:
    low = np.floor(x)
    return low if low == x or low % 2 else low + 1


MODES: dict[int, Callable[[float], float]] = {
    1: round, 2: np.floor, 3: np.ceil, 4: lambda x: np.floor(abs(x) + 0.5) * np.sign(x), 5: np.trunc, 6: to_odd,
    7: lambda x: x - np.trunc(x),
}  # fmt: skip


def rounded(x: np.ndarray, mode: int) -> np.ndarray:
    return np.array([float(MODES.get(mode, round)(each)) for each in x.ravel().tolist()]).reshape(x.shape)


def halves(x: np.ndarray) -> np.ndarray:
    return np.round(2 * x) / 2


def unscaled(scaledGrads: list[np.ndarray], foundInf: np.ndarray, invScale: np.ndarray) -> list[np.ndarray]:
    finite = all(np.isfinite(each).all() for each in scaledGrads)
    return [*(each * invScale.item() for each in scaledGrads), foundInf if finite else np.ones_like(foundInf)]


SPECIAL = [
    norm_route((1.0, inf, 3.0, 1.5)),
    foreach_route("RoundOffNumber", rounded, lambda x, mode: np.floor(x), None, bound="exact", wrong={},
                  values={"x": halves, "roundMode": lambda x: np.full(x.shape, 4)}),
    foreach_route("RoundOffNumberV2", rounded, lambda x, mode: x, None, bound="exact", wrong={}, values={"x": halves},
                  also=[{"roundMode": Number(mode, ACL_INT8)} for mode in range(2, 9)]),
    foreach_route("Copy", lambda x: x, lambda x: -x, None, bound="exact", groups=[["x", "out"], ["out"]]),
    route("aclnnForeachZeroInplace", "loop", lambda x: [0 * each for each in x], bound="exact",
          wrong={"ones": lambda x: [0 * each + 1 for each in x]}),
    route("aclnnForeachNonFiniteCheckAndUnscale", "loop", unscaled, bound="elementwise",
          extremes={"scaledGrads": ("nan", "inf")}, groups=[["scaledGrads"]],
          wrong={"never found": lambda scaledGrads, foundInf, invScale: [
                     *unscaled(scaledGrads, foundInf, invScale)[:-1], foundInf],
                 "divided": lambda scaledGrads, foundInf, invScale: unscaled(scaledGrads, foundInf, 1 / invScale)}),
]  # fmt: skip


ROUTES: tuple[Route, ...] = (
    *of_two(), *combined(), *LERPS, *(of_one(stem, formula) for stem, formula in ONE.items()), *SPECIAL,
    foreach_route("PowScalarAndTensor", lambda x, s: power(np.full(x.shape, s, x.dtype), x),
                  lambda x, s: power(x, np.full(x.shape, s, x.dtype)), None),
)  # fmt: skip
