"""Shared by MX functions: relations, and the plan of blocks along a dimension."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod
from typing import Final

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, TILING, Arguments, Bad, Operand, Planning, Relation, Shape, T, demand, one_of, said,
    same_shape, shape,
)  # fmt: skip
from aclnn.ops.blocks._grids import GRIDS, Rule, by_blocks, scaled_back
from aclnn.ops.quantisation._family import FLOATS_OF_4_BITS, named_type

BLOCK: Final = 32
"""elements of a block, where the caller does not choose them"""
PAIR: Final = 2
"""blocks whose scales lie together"""
GROUP_SIZE: Final = 1 << 32 | 1 << 16 | BLOCK
"""groupSize of blocks of 32 elements in the inner dimension of a product"""
ALGORITHMS: Final[Mapping[int, tuple[int, ...]]] = {
    T.ACL_FLOAT8_E4M3FN: (0, 1), T.ACL_FLOAT8_E5M2: (0, 1), T.ACL_FLOAT4_E2M1: (0, 2), T.ACL_FLOAT4_E1M2: (0,),
}  # fmt: skip
"""scaleAlg by the data type of the result"""
MOST: Final = (6, 12)
"""the least and the greatest dstTypeMax, besides 0"""
Number = Callable[[Arguments], int]


def fixed(number: int) -> Number:
    return lambda a: number


def named(name: str) -> Number:
    return lambda a: a[name]


SHORT: Final = fixed(BLOCK)
OCP: Final = Rule()


def flattened(shape: Shape, axis: int) -> Shape:
    """The shape with three dimensions: those before `axis`, itself, and those behind it."""
    axis %= len(shape)
    return prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])


def pairs(length: int, size: int) -> int:
    return -(-length // (PAIR * size))


def scale_shape(whole: Shape, axis: int, size: int) -> Shape:
    """The shape of the scales: pairs of blocks in place of `axis`, and a last dimension of two."""
    axis %= len(whole)
    return (*whole[:axis], pairs(whole[axis], size), *whole[axis + 1 :], PAIR)


# relations


def scales(
    name: str, of: str, axis: Number, size: Number = SHORT, *, status: int = TILING
) -> Relation:  # fmt: skip
    """Checks the shape of the scales of blocks of `of`."""

    def whole(a: Arguments) -> Shape:
        return scale_shape(a.shape(of), axis(a), size(a))

    return shape(name, f"{{0}} has a pair of scales for each two blocks of {of}", whole, status=status)


def rounding(mode: str, y: str, *, status: int = TILING) -> tuple[Relation, ...]:
    """Checks the name of a rounding. Floats of 8 bits have rint only."""

    def bad(a: Arguments) -> Bad:
        allowed = a.dtype(y) in FLOATS_OF_4_BITS or a[mode] == "rint"
        return None if allowed else (repr(a[mode]), "'rint', as floats of 8 bits have")

    return (
        one_of(mode, "rint", "round", "floor", status=status),
        demand("{0} is a rounding that the data type of {1} has", mode, y, bad=bad, status=status),
    )  # fmt: skip


def algorithm(name: str, y: str, *, status: int = TILING) -> Relation:
    def bad(a: Arguments) -> Bad:
        allowed = ALGORITHMS.get(a.dtype(y), ())
        return None if a[name] in allowed else (a[name], " or ".join(map(str, allowed)))

    return demand("{0} is an algorithm that the data type of {1} has", name, y, bad=bad, status=status)


def greatest(name: str, *, status: int = TILING) -> Relation:
    def bad(a: Arguments) -> Bad:
        low, high = MOST
        return None if a[name] == 0 or low <= a[name] <= high else (a[name], f"0, or [{low}, {high}]")

    return demand(f"{{0}} is 0 or lies in [{MOST[0]}, {MOST[1]}]", name, bad=bad, status=status)


def whole_bytes(y: str, x: str, *, status: int = TILING) -> Relation:
    """Checks that the last dimension of floats of 4 bits is even."""

    def odd(a: Arguments) -> Bad:
        last = a.shape(x)[-1]
        bad = a.dtype(y) in FLOATS_OF_4_BITS and last % 2
        return (f"{last} elements", "an even number, as two elements share a byte") if bad else None

    return demand("{1} can hold the elements of {0} in its last dimension", x, y, bad=odd, status=status)


def result(y: str, x: str, *, dtype: str = "dstType", status: int = TILING) -> tuple[Relation, ...]:
    """Checks a quantised result of the shape of x."""
    return (named_type(dtype, y, status=status), whole_bytes(y, x, status=status), same_shape(y, x, status=status))


def text(name: str) -> Relation:
    """A text is not null."""
    return said(name, status=ACLNN_ERR_PARAM_INVALID)


# plans


def mode(p: Planning, name: str) -> str:
    """A rounding; null is rint."""
    return p[name] or "rint"


def unscaled(p: Planning, x: Operand, scales: Operand, axis: int) -> Operand:
    """A tensor of narrow floats times the scales of its blocks along a dimension, in FLOAT. The scales are powers of
    two, so that the products are exact."""
    flat = flattened(x.shape, axis)
    factors = p.builder.reshape(scales, (flat[0], pairs(flat[1], BLOCK), flat[2], PAIR))
    bits = x.dtype in FLOATS_OF_4_BITS
    numbers = p.builder.reshape(replace(x, dtype=T.ACL_INT4) if bits else x, flat)
    wide = p.step(scaled_back, [numbers, factors], flat, T.ACL_FLOAT, size=BLOCK,
                  grid=GRIDS[x.dtype] if bits else None)  # fmt: skip
    return p.builder.reshape(wide, x.shape)


def store_blocks(
    p: Planning, x: Operand, y: str, scale: str, *, axis: int, size: int = BLOCK, rounding: str = "rint",
    rule: Rule = OCP,
) -> None:  # fmt: skip
    """Plans the quantisation of x in blocks along a dimension, and stores the result and the scales."""
    flat = flattened(x.shape, axis)
    dtype, grid = p.dtype(y), GRIDS[p.dtype(y)]
    bits = dtype in FLOATS_OF_4_BITS
    numbers = p.builder.reshape(p.nibbles(y), flat) if bits else p.builder.alloc(flat, dtype)
    bytes = p.builder.alloc((flat[0], pairs(flat[1], size), flat[2], PAIR), T.ACL_FLOAT8_E8M0)
    p.builder.launch(by_blocks, [p.builder.reshape(x, flat)], [numbers, bytes], size=size, grid=grid,
                     rounding=rounding, rule=rule, bits=bits)  # fmt: skip
    if not bits:
        p.store(y, p.builder.reshape(numbers, x.shape))
    p.store(scale, p.builder.reshape(bytes, p.shape(scale)))
