"""QkvRmsNormRopeCache: heads of queries and keys are normalised and rotated; keys and values go into caches."""

from typing import Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Operand, Planning, Relation, Shape, T, check_range, demand, in_parts, lacks, length, listed,
    only_if, overwrites, planned, ranks, same_dtype, same_shape, shape, total,
)  # fmt: skip
from aclnn.ops.attention.caches import IN_BLOCKS, group, put_tokens
from aclnn.ops.quantisation._family import grid, with_scales

SIZE: Final = 128
"""elements of a head"""
KINDS: Final = ("q", "k", "v")
CACHED: Final = ("k", "v")
MODES: Final = (None, "", IN_BLOCKS)
OUTS: Final = tuple(f"{kind}OutBeforeQuant" for kind in KINDS)
FACTORS: Final = ("kScaleOptional", "vScaleOptional", "kOffsetOptional", "vOffsetOptional")
INPUTS: Final = ("qkv", "qGamma", "kGamma", "cos", "sin")


def heads(a: Arguments, kind: str) -> int:
    return a["headNums"].values[KINDS.index(kind)]


def part(a: Arguments, kind: str) -> Shape:
    """The shape of the queries, keys or values."""
    return a.shape("qkv")[0], heads(a, kind) * SIZE


def wrong_rows(a: Arguments) -> Bad:
    numbers, width = a["headNums"].values, a.shape("qkv")[1]
    fine = min(numbers) > 0 and width == sum(numbers) * SIZE and a.shape("qkv")[0]
    return None if fine else (list(a.shape("qkv")), f"rows of {SIZE} elements for each head")


def other_blocks(kind: str) -> Relation:
    """Checks that a cache has rows for the keys or values of a token."""
    cache = f"{kind}Cache"

    def bad(a: Arguments) -> Bad:
        sizes, size, width = a.shape(cache), part(a, kind)[1], group(a, cache)
        fine = sizes[3] == width and sizes[1] * width == size
        return None if fine else (list(sizes), f"[blocks, {size} / {width}, rows, {width}]")

    return demand(f"{{0}} has rows of the {'keys' if kind == 'k' else 'values'} of a token", cache, "headNums", bad=bad)


def other_type(kind: str) -> Relation:
    cache = f"{kind}Cache"

    def bad(a: Arguments) -> Bad:
        fine = a.dtype(cache) in (a.dtype("qkv"), T.ACL_INT8)
        return None if fine else (a.type_name(cache), f"{a.type_name('qkv')} or INT8")

    return demand("{0} has the data type of {1}, or INT8", cache, "qkv", bad=bad)


def without_scale(a: Arguments) -> bool:
    return any(a.dtype(f"{kind}Cache") == T.ACL_INT8 and not a.given(f"{kind}ScaleOptional") for kind in CACHED)


def other_factors(a: Arguments) -> bool:
    return any(
        a.given(name) and a.shape(name) not in ((heads(a, name[0]), SIZE), (1, heads(a, name[0]) * SIZE))
        for name in FACTORS
    )


def other_mode(a: Arguments) -> bool:
    return a["cacheModeOptional"] not in MODES


@planned(
    "aclnnQkvRmsNormRopeCache",
    lacks("a cacheMode other than PA_NZ", other_mode), lacks("a cache of INT8 without its scale", without_scale),
    lacks("a scale or offset that has not one number for each element of its heads", other_factors),
    overwrites("qOut"), listed(*INPUTS, "index", "kCache", "vCache", *FACTORS),
    *(same_dtype(name, "qkv") for name in (*INPUTS[1:], "qOut", *OUTS)), *map(other_type, CACHED),
    ranks("qkv", "cos", "sin", "qOut", *FACTORS, *OUTS, least=2, most=2),
    ranks("qGamma", "kGamma", "index", least=1, most=1), ranks("kCache", "vCache", least=4, most=4),
    length("headNums", 3), demand("{0} has rows for all heads", "qkv", "headNums", bad=wrong_rows),
    *(shape(name, f"{{0}} has {SIZE} elements", lambda a: (SIZE,)) for name in ("qGamma", "kGamma")),
    shape("cos", f"{{0}} has {SIZE} elements for each row of qkv", lambda a: (a.shape("qkv")[0], SIZE)),
    same_shape("sin", as_="cos"), shape("index", "{0} has a slot for each row of qkv", lambda a: a.shape("qkv")[:1]),
    *(shape(name, "{0} has the heads of its part of qkv", lambda a, kind=name[0]: part(a, kind))
      for name in ("qOut", *OUTS)),
    only_if("the mode is PA_NZ", lambda a: not other_mode(a), *map(other_blocks, CACHED)),
)  # fmt: skip
def qkv_rms_norm_rope_cache(p: Planning) -> None:
    """A row of qkv has heads of queries, keys and values, as many as headNums says. Each head of queries and keys is
    divided by the square root of (its mean square + epsilon), multiplied by qGamma or kGamma, and rotated: x * cos +
    (-second half, first half) * sin. Queries go to qOut; keys and values go to the rows of their caches that index
    selects, in groups of 32 bytes. -1 skips a row. A cache of INT8 gets x / scale + offset, rounded and saturated. The
    outputs whose names end in BeforeQuant get the parts as they are before that."""
    index, queries = p.read("index"), normed(p, "q")
    p.store("qOut", queries)
    for kind, rows in (("q", queries), ("k", normed(p, "k")), ("v", values(p))):
        p.store(f"{kind}OutBeforeQuant", rows)
        if kind in CACHED:
            cache = f"{kind}Cache"
            blocks, _, count, _ = p.shape(cache)
            p.builder.launch(check_range, [index], [], name="index", count=blocks * count, besides=-1)
            p.builder.launch(put_tokens, [stored(p, kind, rows), index], [p.builder.written(p[cache])], blocks=True)


def normed(p: Planning, kind: str) -> Operand:
    operands = [p.read(name) for name in ("qkv", f"{kind}Gamma", "cos", "sin")]
    first = 0 if kind == "q" else part(p, "q")[1]
    return p.step(turned, operands, part(p, kind), T.ACL_FLOAT, first=first, epsilon=p["epsilon"], count=heads(p, kind))


def values(p: Planning) -> Operand:
    rows = part(p, "v")
    return p.step(last, [p.read("qkv")], rows, p.dtype("qkv"), count=rows[1])


def stored(p: Planning, kind: str, rows: Operand) -> Operand:
    """The rows in the data type of the cache."""
    if p.dtype(f"{kind}Cache") != T.ACL_INT8:
        return p.builder.cast(rows, p.dtype("qkv"))
    names = (f"{kind}ScaleOptional", f"{kind}OffsetOptional")
    factors = [p.builder.reshape(p.read(name), (rows.shape[1],)) for name in names if p.given(name)]
    return p.step(with_scales, [rows, *factors], rows.shape, T.ACL_INT8, divides=True, **grid(T.ACL_INT8))


@in_parts((-1,), whole=[1])
def turned(qkv: Array, gamma: Array, cos: Array, sin: Array, *, first: int, count: int, epsilon: float) -> Array:
    x = qkv[:, first : first + count * SIZE].reshape(len(qkv), count, SIZE)
    x = x / np.sqrt(total(x * x, -1, keepdims=True) / np.float32(SIZE) + np.float32(epsilon)) * gamma
    swapped = np.concatenate([-x[..., SIZE // 2 :], x[..., : SIZE // 2]], -1)
    return (x * cos[:, None] + swapped * sin[:, None]).reshape(len(qkv), -1)


@in_parts((-1,))
def last(qkv: Array, *, count: int) -> Array:
    return qkv[:, qkv.shape[1] - count :]
