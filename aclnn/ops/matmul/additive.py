"""Addmm, Baddbmm and Addbmm: beta * self + alpha * a product."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from aclnn.op import (
    HALVES, SHORT_FLOAT, Arguments, Array, Bad, Planning, Relation, Series, Shape, aclDataType, broadcast_shape, demand,
    done, format_name, is_nz, listed, numpy_dtype, planned, promote, ranks, scaled, shape, total,
)  # fmt: skip
from aclnn.ops.matmul._family import (
    WITH_FLOAT,
    C,
    batches,
    cube_math_type,
    factor,
    inner,
    product,
    product_shape,
    product_types,
    swapped,
)

FLOAT: Final = aclDataType.ACL_FLOAT
EPSILON: Final = 2.0**-23
"""a scalar whose distance to 0 or 1 is smaller counts as 0 or 1"""
BATCHED: Final = "batch1", "batch2"


def near(scalar: Any, value: int) -> bool:
    """True if a scalar counts as this value."""
    return bool(abs(scalar - value) < EPSILON)


def unsupported_addition(a: Arguments) -> Bad:
    """Checks that the device supports USE_FP32_ADD."""
    value = a["cubeMathType"]
    old = value == C.USE_FP32_ADD and a.soc.series not in WITH_FLOAT
    return (f"USE_FP32_ADD ({value})", "0, 1, 2, 3") if old else None


FLOAT_ADD = demand("{0} is USE_FP32_ADD only where the product has it", "cubeMathType", bad=unsupported_addition,
                   broken="{0} is USE_FP32_ADD on a product that does not have it")  # fmt: skip


def stored_in_nz(a: Arguments) -> Bad:
    return (format_name(a["self"].storage_format), "another format") if is_nz(a["self"]) else None


def no_storage(a: Arguments) -> Bad:
    return None if a["self"].storage_shape else ("0 dimensions of storage", "1 or more")


NOT_NZ = demand("the storage of {0} is not FRACTAL_NZ", "self", bad=stored_in_nz)
STORED = demand("the storage of {0} has dimensions", "self", bad=no_storage)


def self_broadcasts(target_shape: Callable[[Arguments], Shape | None], description: str, *names: str) -> Relation:
    """Checks that self broadcasts: `target_shape` returns None if it does not. `description` completes the sentence."""

    def bad(a: Arguments) -> Bad:
        right = target_shape(a)
        return None if right is not None else (list(a.shape("self")), f"a shape that broadcasts {description}")

    return demand(f"{{0}} broadcasts {description}", "self", *names, bad=bad)


def into_product(a: Arguments, first: str, second: str) -> Shape | None:
    """The shape of the product, if self broadcasts to it."""
    right = a.shape(first)[-2], a.shape(second)[-1]
    return right if broadcast_shape(a.shape("self"), right) == right else None


def same_view_formats(*names: str) -> Relation:
    """Checks that the view formats of these tensors are equal."""

    def bad(a: Arguments) -> Bad:
        labels = [a[name].format for name in names]
        return None if len(set(labels)) == 1 else (", ".join(map(format_name, labels)), "one format")

    return demand("{0} has the view format of the other tensors", *names, bad=bad)


def sum_types(p: Planning, first: str, second: str) -> tuple[int, int]:
    """The two data types of `product_types`. On some devices a product of FLOAT16 or BFLOAT16 stays FLOAT until self is
    added."""
    in_type, through = product_types(p, first, second)
    math, newest = p["cubeMathType"], p.soc.series is Series.A950
    keeps_sum = math == C.USE_FP32_ADD and p.rank("self") == 2 if newest else math in (C.KEEP_DTYPE, C.USE_HF32)
    old = p.soc.series not in WITH_FLOAT
    return in_type, FLOAT if first == "mat1" and in_type in HALVES and keeps_sum and not old else through


def is_bias(p: Planning, plus: str) -> bool:
    """True if self is a row that is added to a product as its bias."""
    plain = near(p.number("alpha", FLOAT), 1) and near(p.number("beta", FLOAT), 1)
    return plain and p.rank("out") == 2 and (p.rank(plus) == 1 or p.shape(plus)[0] == 1)


def added(
    p: Planning, first: str, second: str, shape: Shape, *, plus: str = "self", transposed: Sequence[str] = ()
) -> None:
    """Plans out = beta * self + alpha * product. `plus`: the name of self. `transposed`: the factors to transpose."""
    alpha, beta, dtype = p.number("alpha", FLOAT), p.number("beta", FLOAT), p.dtype("out")
    in_type, through = sum_types(p, first, second)
    left, right = factor(p, first), factor(p, second, nz=True)
    left, right = (swapped(each) if name in transposed else each for name, each in ((first, left), (second, right)))
    alpha = 1 if near(alpha, 1) else alpha
    if near(beta, 0):
        result = product(p, left, right, shape, (in_type, through), dtype, alpha=alpha, summed=kept_as(through, dtype))
        p.store("out", result)
        return
    summed = promote(p.dtype(plus), through) or FLOAT
    if is_bias(p, plus):
        through, summed = FLOAT, through
    addend, beta = p.builder.view(p[plus]), 1 if near(beta, 1) else beta
    result = product(
        p, left, right, shape, (in_type, through), dtype, addend, alpha=alpha, beta=beta, summed=kept_as(summed, dtype)
    )
    p.store("out", result)


def kept_as(dtype: int, out_dtype: int) -> Any:
    """The numpy type to which a value is rounded before it is stored as `out_dtype`; None if the store rounds it."""
    return None if dtype in (FLOAT, out_dtype) else numpy_dtype(dtype)


def only_self(p: Planning, beta: Any, shape: Shape, plus: str = "self") -> None:
    """Plans out = beta * self, or 0 if beta is 0, even where self has NaN. `plus`: the name of self."""
    if beta == 0:
        p.fill("out", 0.0)
    else:
        p.store("out", p.step(stretched, [p.read(plus)], shape, p.dtype("out"), beta=beta, sizes=shape))


def stretched(self: Array, *, beta: Any, sizes: Shape) -> Array:
    return np.broadcast_to(scaled(self, beta), sizes)


@planned(
    "aclnnAddmm", "aclnnInplaceAddmm", listed("self", "mat1", "mat2", "out", among=SHORT_FLOAT),
    cube_math_type("mat1", "mat2", "self"), ranks("mat1", "mat2", least=2, most=2), inner("mat1", "mat2"), NOT_NZ,
    ranks("self", least=1, most=2), STORED,
    self_broadcasts(lambda a: into_product(a, "mat1", "mat2"), "to the shape of the product", "mat1", "mat2"),
    shape("out", "{0} has the rows of mat1 and the columns of mat2, or is empty as they are",
          lambda a: None if not (a["out"].numel or a.shape("mat1")[0] * a.shape("mat2")[1]) else
          product_shape(a, "mat1", "mat2")),
    FLOAT_ADD,
    done("self or the product has no elements", "self", "mat1", "mat2",
         when=lambda a: not (a["self"].numel and a.shape("mat1")[0] and a.shape("mat2")[1])),
)  # fmt: skip
def addmm(p: Planning) -> None:
    """out = beta * self + alpha * (mat1 @ mat2). alpha 0 leaves out the product, beta 0 leaves out self."""
    shape, beta = product_shape(p, "mat1", "mat2"), p.number("beta", FLOAT)
    if near(p.number("alpha", FLOAT), 0) or not p.shape("mat1")[1]:
        only_self(p, 0 if near(beta, 0) else beta, shape)
    else:
        added(p, "mat1", "mat2", shape)


def batched(a: Arguments) -> Shape | None:
    """The shape that self and the product broadcast to."""
    return broadcast_shape(a.shape("self"), product_shape(a, *BATCHED))


def empty_together(*, without_batch: bool) -> Relation:
    """Checks that self is empty exactly if the product, or a matrix of it, is empty."""

    def bad(a: Arguments) -> Bad:
        empty = 0 in product_shape(a, *BATCHED)[1 if without_batch else 0 :]
        return None if (not a["self"].numel) == empty else (list(a.shape("self")), "as empty as the product")

    broken = "one of {0} and the product is empty, the other is not"
    return demand("{0} is empty if the product is, and only then", "self", *BATCHED, bad=bad, broken=broken)


@planned(
    "aclnnBaddbmm", "aclnnInplaceBaddbmm", listed("self", "batch1", "batch2", "out", among=SHORT_FLOAT),
    cube_math_type("batch1", "batch2", "self"), ranks("batch1", "batch2", least=3, most=3), inner(*BATCHED),
    batches(*BATCHED), empty_together(without_batch=False), self_broadcasts(batched, "with the product", *BATCHED),
    shape("out", "{0} has the shape that self and the product broadcast to", batched),
    same_view_formats("out", *BATCHED), FLOAT_ADD,
    done("the product has no elements", *BATCHED, when=lambda a: 0 in product_shape(a, *BATCHED)),
)  # fmt: skip
def baddbmm(p: Planning) -> None:
    """out = beta * self + alpha * (batch1 @ batch2). beta 0 leaves out self."""
    added(p, *BATCHED, p.shape("out"))


@planned(
    "aclnnAddbmm", "aclnnInplaceAddbmm", listed("self", "batch1", "batch2", "out", among=SHORT_FLOAT),
    cube_math_type("batch1", "batch2", "self"), ranks("batch1", "batch2", least=3, most=3), inner(*BATCHED),
    batches(*BATCHED), empty_together(without_batch=True), ranks("self", least=0, most=2),
    self_broadcasts(lambda a: into_product(a, *BATCHED), "to a matrix of the product", *BATCHED),
    shape("out", "{0} has the shape of a matrix of the product", lambda a: product_shape(a, *BATCHED)[1:]),
    same_view_formats(*BATCHED),
    done("a matrix of the product has no elements", *BATCHED, when=lambda a: 0 in product_shape(a, *BATCHED)[1:]),
)  # fmt: skip
def addbmm(p: Planning) -> None:
    """out = beta * self + alpha * the sum of batch1 @ batch2 over the batch. alpha 0 leaves out the product, beta 0
    leaves out self."""
    alpha, beta = p.number("alpha", FLOAT), p.number("beta", FLOAT)
    shape, types = product_shape(p, *BATCHED), product_types(p, *BATCHED)
    if alpha == 0:
        only_self(p, beta, shape[1:])
        return
    through = types[1]
    products = product(p, factor(p, "batch1"), factor(p, "batch2"), shape, types, through)
    result = p.step(sum_of_batch, [products], shape[1:], through)
    inputs = [] if beta == 0 else [p.read("self")]
    summed = through if beta == 0 else promote(p.dtype("self"), through) or FLOAT
    combined = p.step(sum_of_both, [result, *inputs], shape[1:], summed, alpha=alpha, beta=beta)
    p.store("out", combined)


def sum_of_batch(products: Array) -> Array:
    return total(products, 0)


def sum_of_both(product: Array, *addend: Array, alpha: Any, beta: Any) -> Array:
    scaled_product = scaled(product, alpha)
    return scaled_product + scaled(addend[0], beta) if addend else scaled_product
