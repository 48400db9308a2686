"""Routes for `aclnn.ops.matmul`: torch, and outer products, added up in float64 one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from acl_runtime import ACL_BF16, ACL_FLOAT, ACL_FLOAT16
from tests.aclnn.ops.case import Meta
from tests.derived.values import Number
from tests.oracle.route import Expected, Route, as_tensor, but, by_torch, of_terms, route, unit


def product(self: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    steps = (self[..., :, k, None] * mat2[..., None, k, :] for k in range(self.shape[-1]))
    return sum(steps, np.zeros((), self.dtype))


def bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    one, other = np.abs(arguments["self"]), np.abs(arguments["mat2"])
    return of_terms(product(one, other), one.shape[-1], dtype)


def last_term_lost(self: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    return product(self[..., :-1], mat2[..., :-1, :]) + np.zeros((self.shape[-2], mat2.shape[-1]))


def transposed(self: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    """The elements of mat2 in column-major order."""
    return product(self, mat2.swapaxes(-1, -2).reshape(mat2.shape))


def rounded_on_the_way(self: np.ndarray, mat2: np.ndarray) -> np.ndarray:
    found = np.zeros((), np.float16)
    for k in range(self.shape[-1]):
        found = (found + (self[..., :, k, None] * mat2[..., None, k, :]).astype(np.float16)).astype(np.float16)
    return found


WRONG = {
    "the last term lost": last_term_lost,
    "mat2 read in column-major order": transposed,
    "partial sums rounded to FLOAT16": rounded_on_the_way,
}
EXTREMES = {"self": ("nan", "huge", "tiny", "0")}
"""not of both: products beyond the largest float32 could cancel. No weight of FLOAT is laid out in FRACTAL_NZ"""


def of_vector(self: np.ndarray, vec: np.ndarray) -> np.ndarray:
    return product(self, vec[:, None])[:, 0]


def vector_bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    return bound({"self": arguments["self"], "mat2": arguments["vec"][:, None]}, exact[:, None], dtype)[:, 0]


def added(beta: Any, self: np.ndarray, alpha: Any, terms: np.ndarray) -> np.ndarray:
    return beta * self + alpha * terms


def by_torch_added(name: str, one: str, other: str) -> Expected:
    def expected(**given: Any) -> Any:
        import torch

        tensors = [as_tensor(given[each]) for each in ("self", one, other)]
        return getattr(torch, name)(*tensors, beta=given["beta"], alpha=given["alpha"]).numpy()

    return expected


HALF_UNIT = {"float16": 2.0**-11, "bfloat16": 2.0**-8}
"""the relative error of the product, and of its sum over the batch, before self is added"""


def added_route(name: str, one: str, other: str, summed: bool = False) -> Route:
    """beta * self + alpha * a product, of aclnn`name` and its twin."""

    def terms(**given: Any) -> np.ndarray:
        found = product(given[one], given[other])
        return found.sum(0) if summed else found

    def expected(**given: Any) -> np.ndarray:
        return added(given["beta"], given["self"], given["alpha"], terms(**given))

    def largest(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
        sizes = {each: np.abs(arguments[each]) for each in ("self", one, other, "beta", "alpha")}
        count = arguments[one].shape[-1] * (arguments[one].shape[0] if summed else 1) + 2
        rounding = (1 + summed) * HALF_UNIT.get(dtype, 0) * sizes["alpha"] * terms(**sizes)
        return of_terms(expected(**sizes), count, dtype) + rounding

    wrong: dict[str, Expected] = {
        "alpha for beta": lambda **given: expected(**{**given, "beta": given["alpha"], "alpha": given["beta"]}),
        "self not scaled": lambda **given: expected(**{**given, "beta": 1}),
        "the last term lost": lambda **given: expected(
            **{**given, one: given[one][..., :-1], other: given[other][..., :-1, :]}
        ),
    }
    torch = name.removesuffix("WeightNz").lower()
    return route(f"aclnn{name}", f"aclnnInplace{name}", "outer products", expected, bound=largest, wrong=wrong,
                 torch=(f"torch.{torch}", by_torch_added(torch, one, other)),
                 start={"beta": Number(0.75, ACL_FLOAT), "alpha": Number(-1.5, ACL_FLOAT)},
                 extremes={} if "Nz" in name else {one: ("nan", "tiny", "0")})  # fmt: skip


def by_terms(self: np.ndarray, tensor: np.ndarray) -> np.ndarray:
    return np.array(sum((a * b for a, b in zip(self.tolist(), tensor.tolist(), strict=True)), 0))


def dot_bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    terms = np.abs(arguments["self"]) * np.abs(arguments["tensor"])
    return of_terms(terms.sum(), terms.size, dtype)


def dequantised(weight: np.ndarray, scale: np.ndarray, offset: np.ndarray, group: int) -> np.ndarray:
    rows = np.arange(len(weight)) // group
    return (weight + offset[rows]) * scale[rows]


def of_weight(
    x: np.ndarray, weight: np.ndarray, antiquantScale: np.ndarray, antiquantOffsetOptional: np.ndarray,
    antiquantGroupSize: int,
) -> np.ndarray:  # fmt: skip
    return product(x, dequantised(weight, antiquantScale, antiquantOffsetOptional, antiquantGroupSize))


def weight_bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    names = ("weight", "antiquantScale", "antiquantOffsetOptional")
    weight = dequantised(*(np.abs(arguments[name]) for name in names), arguments["antiquantGroupSize"])
    x = np.abs(arguments["x"])
    roundings = 2 * HALF_UNIT.get(dtype, 0) * np.sqrt(product(x * x, weight * weight))  # of each weight, at random
    return of_terms(product(x, weight), len(weight), dtype) + roundings


def offset_after_scale(
    x: np.ndarray, weight: np.ndarray, antiquantScale: np.ndarray, antiquantOffsetOptional: np.ndarray,
    antiquantGroupSize: int,
) -> np.ndarray:  # fmt: skip
    rows = np.arange(len(weight)) // antiquantGroupSize
    return product(x, weight * antiquantScale[rows] + antiquantOffsetOptional[rows])


def general(A: np.ndarray, B: np.ndarray, C: np.ndarray, alpha: Any, beta: Any, transA: int, transB: int) -> Any:
    return beta * C + alpha * product(A.T if transA else A, B.T if transB else B)


def general_bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    sizes = {name: np.abs(arguments[name]) for name in ("A", "B", "C", "alpha", "beta", "transA", "transB")}
    rounding = HALF_UNIT.get(dtype, 0) * general(**{**sizes, "beta": 0})
    return of_terms(general(**sizes), sum(arguments["A"].shape), dtype) + rounding


def of_outer(self: np.ndarray, vec2: np.ndarray) -> np.ndarray:
    return self[:, None] * vec2


def plus_outer(
    self: np.ndarray, vec1: np.ndarray, vec2: np.ndarray, betaOptional: Any, alphaOptional: Any
) -> np.ndarray:
    if self.dtype == vec1.dtype == vec2.dtype == np.bool_:
        return (self & bool(betaOptional)) | ((vec1 & bool(alphaOptional))[:, None] & vec2)
    return betaOptional * self + alphaOptional * of_outer(vec1, vec2)


def outer_bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    """Each step is rounded."""
    names = ("self", "vec1", "vec2", "betaOptional", "alphaOptional")
    largest = plus_outer(*(np.abs(arguments[name]) for name in names))
    return 4 * max(unit(dtype), 2 * HALF_UNIT.get(dtype, 0)) * largest


def plus_vector(self: np.ndarray, mat: np.ndarray, vec: np.ndarray, alpha: Any, beta: Any) -> np.ndarray:
    if np.result_type(self, mat, vec) == np.bool_:
        return self | (mat & vec).any(-1)
    return beta * self + alpha * of_vector(mat, vec)


def plus_vector_bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    largest = plus_vector(*(np.abs(arguments[name]) for name in ("self", "mat", "vec", "alpha", "beta")))
    return of_terms(largest, arguments["vec"].size, dtype) + 4 * HALF_UNIT.get(dtype, 0) * largest


def scaled_rows(x1: np.ndarray, x2: np.ndarray, scale: np.ndarray, pertokenScaleOptional: Any = None) -> np.ndarray:
    found = product(x1, x2).astype(float) * scale
    return found if pertokenScaleOptional is None else found * pertokenScaleOptional[:, None]


def scaled_columns(x1: np.ndarray, x2: np.ndarray, scale: np.ndarray) -> np.ndarray:
    return scaled_rows(x1, x2, scale)


def scaled_bound(arguments: Mapping[str, Any], exact: np.ndarray, dtype: str) -> Any:
    return 8 * unit(dtype) * np.abs(exact)


ROUTES: tuple[Route, ...] = (
    *(
        route(name, "outer products", product, bound=bound, wrong=WRONG, extremes={} if "Nz" in name else EXTREMES,
              torch=(f"torch.{torch}", by_torch(torch, "self", "mat2")))
        for name, torch in (("aclnnMatmul", "matmul"), ("aclnnMm", "mm"), ("aclnnBatchMatMul", "bmm"),
                            ("aclnnMatmulWeightNz", "mm"), ("aclnnBatchMatMulWeightNz", "bmm"))
    ),
    route("aclnnMv", "outer products", of_vector, bound=vector_bound, extremes=EXTREMES,
          torch=("torch.mv", by_torch("mv", "self", "vec")),
          wrong={"self transposed": lambda self, vec: of_vector(self.T.reshape(self.shape), vec)}),
    route("aclnnDot", "loop", by_terms, bound=dot_bound, torch=("torch.dot", by_torch("dot", "self", "tensor")),
          wrong={"the last term lost": lambda self, tensor: by_terms(self[:-1], tensor[:-1])}),
    route("aclnnWeightQuantBatchMatmulV2", "aclnnWeightQuantBatchMatmulV3", "outer products", of_weight,
          bound=weight_bound, groups=[("x", "antiquantScale", "antiquantOffsetOptional", "y")],
          start={"quantScaleOptional": None, "quantOffsetOptional": None, "biasOptional": None,
                 "y": Meta((2, 4), ACL_FLOAT16)},
          values={"x": np.abs, "weight": np.abs, "antiquantScale": np.abs},
          wrong={"the offset after the scale": offset_after_scale}),
    route("aclnnGemm", "outer products", general, bound=general_bound, also=[{"alpha": 0.75, "beta": -1.5}],
          wrong={"B in another order": but(general, B=lambda given: given["B"][::-1])}),
    route("aclnnGer", "numpy broadcasting", of_outer, torch=("torch.outer", by_torch("outer", "self", "vec2")),
          wrong={"not outer": lambda self, vec2: of_outer(self[::-1], vec2)}),
    route("aclnnAddr", "aclnnInplaceAddr", "numpy broadcasting", plus_outer, bound=outer_bound,
          wrong={"another beta": but(plus_outer, betaOptional=lambda given: given["betaOptional"] + 1)}),
    route("aclnnAddmv", "outer products", plus_vector, bound=plus_vector_bound,
          wrong={"another beta": but(plus_vector, beta=lambda given: given["beta"] + 1)}),
    route("aclnnQuantMatmulV4", "outer products", scaled_rows, bound=scaled_bound, groups=[("out",)],
          start={"offset": None, "bias": None, "scale": Meta((4,)), "pertokenScaleOptional": Meta((3,)),
                 "out": Meta((3, 4), ACL_FLOAT16)},
          wrong={"scales of rows lost": but(scaled_rows, pertokenScaleOptional=lambda given: None)}),
    route("aclnnQuantMatmulV3", "outer products", scaled_columns, bound=scaled_bound, groups=[("x1",)],
          start={"offset": None, "bias": None, "scale": Meta((4,)), "out": Meta((3, 4), ACL_BF16)},
          wrong={"one scale": but(scaled_columns, scale=lambda given: given["scale"][:1])}),
    added_route("Addmm", "mat1", "mat2"), added_route("Baddbmm", "batch1", "batch2"),
    added_route("AddmmWeightNz", "mat1", "mat2"), added_route("Addbmm", "batch1", "batch2", summed=True),
)  # fmt: skip
