"""Rotary position embedding, and its gradient."""

from typing import Final

import numpy as np

from aclnn.op import (
    PLAN, TILING, Arguments, Array, Bad, Planning, Relation, Series, T, demand, done, in_parts, listed, planned,
    public_format, same_dtype, same_shape, total,
)  # fmt: skip


HALF, INTERLEAVE, QUARTER, INTERLEAVE_HALF = range(4)
PART: Final = 1 << 18
"""elements that `table_grads` adds at once"""
Pieces = list[tuple[slice, slice, int]]


def pieces(mode: int, size: int) -> Pieces:
    """The pieces of a rotated vector. A piece (target, source, sign) means r[target] = sign * x[source]."""
    if mode == INTERLEAVE:
        even, odd = slice(0, None, 2), slice(1, None, 2)
        return [(even, odd, -1), (odd, even, 1)]
    step = size // (4 if mode == QUARTER else 2)
    parts = [slice(i, i + step) for i in range(0, size, step)]
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    return [piece for first, second in pairs for piece in ((first, second, -1), (second, first, 1))]


def evens_first(x: Array, mode: int) -> Array:
    """x itself; in mode INTERLEAVE_HALF a copy of x, with the even elements before the odd ones."""
    return np.concatenate([x[..., ::2], x[..., 1::2]], -1) if mode == INTERLEAVE_HALF else x


@in_parts([-1])
def rotary(x: Array, cos: Array, sin: Array, *, mode: int) -> Array:
    x = evens_first(x, mode)
    out = x * cos
    for target, source, sign in pieces(mode, x.shape[-1]):
        out[..., target] += x[..., source] * (sin[..., target] * np.float32(sign))
    return out


@in_parts([-1])
def rotary_grad(dy: Array, cos: Array, sin: Array, *, mode: int) -> Array:
    out = dy * cos
    for target, source, sign in pieces(mode, dy.shape[-1]):
        out[..., source] += dy[..., target] * (sin[..., target] * np.float32(sign))
    if mode != INTERLEAVE_HALF:
        return out
    mixed = np.empty_like(out)
    mixed[..., ::2], mixed[..., 1::2] = np.split(out, 2, -1)
    return mixed


def table_grads(dy: Array, x: Array, *, mode: int, axes: tuple[int, ...]) -> tuple[Array, Array]:
    """The gradients of cos and sin, summed over the dimensions in which cos and sin have one element."""
    axis = int(np.argmax(dy.shape[:-1]))
    sizes = [1 if dim in axes else size for dim, size in enumerate(dy.shape)]
    sums = np.zeros((2, *sizes))
    leading, step = (slice(None),) * axis, max(1, PART * dy.shape[axis] // max(dy.size, 1))
    for low in range(0, dy.shape[axis], step):  # in parts, so that the temporary arrays stay small
        place = (*leading, slice(low, low + step))
        part, grad = evens_first(x[place], mode), dy[place]
        rotated = np.empty_like(part)
        for target, source, sign in pieces(mode, part.shape[-1]):
            rotated[..., target] = part[..., source] * np.float32(sign)
        for into, values in zip(sums, (part, rotated), strict=True):
            into[() if axis in axes else place] += total(grad * values, axes, keepdims=True, dtype=sums.dtype)
    cos_grad, sin_grad = sums.astype(np.float32)
    return cos_grad, sin_grad


def supported_modes(a: Arguments) -> tuple[int, ...]:
    return {Series.A950: (0, 1, 2, 3), Series.INFERENCE: (0,)}.get(a.soc.series, (0, 1))


def wrong_mode(a: Arguments) -> Bad:
    allowed = supported_modes(a)
    return None if a["mode"] in allowed else (a["mode"], ", ".join(map(str, allowed)))


def sizes(x: str, status: int) -> tuple[Relation, ...]:
    """Checks that x has three or four dimensions, with a last size that can be rotated, and that cos and sin broadcast
    to it."""

    def wrong_sizes(a: Arguments) -> Bad:
        shape, limit = a.shape(x), 896 if a.soc.series in (Series.A2, Series.A3) else 1025
        if len(shape) not in (3, 4):
            return list(shape), "3 or 4 dimensions"
        step = 4 if a["mode"] == QUARTER else 2
        good, allowed = shape[-1] % step == 0 and 0 < shape[-1] < limit, f"below {limit}, a multiple of {step}"
        if a.soc.series is Series.INFERENCE:
            good, allowed = shape[-1] % 32 == 0 and shape[-1] <= 128, "of at most 128, a multiple of 32"
        return None if good else (list(shape), f"a last dimension {allowed}")

    def wrong_table(a: Arguments) -> Bad:
        table, shape = a.shape("cos"), a.shape(x)
        broadcasts = len(table) == len(shape) and all(t in (1, size) for t, size in zip(table, shape, strict=True))
        long_dimensions = sum(size > 1 for size in table[:-1])
        supported = a["mode"] != INTERLEAVE or long_dimensions < 2 or a.soc.series is Series.A950
        good = broadcasts and table[-1] == shape[-1] and supported
        return None if good else (list(table), f"{list(shape)}, or 1 in dimensions before the last one")

    return (
        demand("{0} has 3 or 4 dimensions, and a size that can be rotated", x, "mode", bad=wrong_sizes, status=status),
        demand("{0} broadcasts to {1}", "cos", x, bad=wrong_table, status=status),
        same_shape("sin", "cos", status=status),
    )


def alike(*names: str, status: int) -> tuple[Relation, ...]:
    """Checks that all tensors have the data type of the first one."""
    return tuple(same_dtype(name, names[0], status=status) for name in names[1:])


def other_type(a: Arguments) -> Bad:
    allowed = (T.ACL_FLOAT, T.ACL_FLOAT16, *((T.ACL_BF16,) if a.soc.series is not Series.INFERENCE else ()))
    return None if a.dtype("x") in allowed else (a.type_name("x"), "FLOAT, FLOAT16, BFLOAT16 (A2 on)")


NO_WORK = done("out is empty", "out", when=lambda a: a["out"].numel == 0)
ROTATED: tuple[Relation, ...] = (
    demand("{0} is FLOAT, FLOAT16 or BFLOAT16", "x", bad=other_type, status=PLAN, provenance="public"),
    *alike("x", "cos", "sin", "out", status=PLAN),
    demand("{0} is a value that the product supports", "mode", bad=wrong_mode, status=PLAN, provenance="public"),
    *sizes("x", PLAN), same_shape("out", "x", status=PLAN),
    demand("{0} is dense", "out", bad=lambda a: None if a["out"].contiguous else ("gaps", "a dense tensor"),
           status=PLAN, provenance="public"),
)  # fmt: skip


@planned("aclnnRotaryPositionEmbedding", NO_WORK, *ROTATED)
def rotary_position_embedding(p: Planning) -> None:
    """out = x * cos + rotate(x) * sin. In mode 0, rotate turns the halves of the last dimension into (-x2, x1); in mode
    1, each pair of neighbours; in mode 2, the quarters into (-x2, x1, -x4, x3). Mode 3 is mode 0 after the even
    elements of x are moved before the odd ones."""
    x, cos, sin = (p.read(name) for name in ("x", "cos", "sin"))
    p.store("out", p.step(rotary, [x, cos, sin], x.shape, x.dtype, mode=p["mode"]))


TABLES: Final = ("dcosOut", "dsinOut")


@planned(
    "aclnnRotaryPositionEmbeddingGrad",
    listed("dy", "cos", "sin", "xOptional", "dxOut", *TABLES),
    public_format("dy", "cos", "sin", "xOptional", "dxOut", *TABLES),
    done("dxOut is empty", "dxOut", when=lambda a: a["dxOut"].numel == 0),
    *alike("dy", "cos", "sin", "xOptional", "dxOut", *TABLES, status=TILING),
    demand("{0} is a value that the product supports", "mode", bad=wrong_mode, status=TILING), *sizes("dy", TILING),
    same_shape("xOptional", "dy", status=TILING), same_shape("dxOut", "dy", status=TILING),
    *(same_shape(table, "cos", status=TILING) for table in TABLES),
)  # fmt: skip
def rotary_position_embedding_grad(p: Planning) -> None:
    """The gradients of aclnnRotaryPositionEmbedding: dx = dy * cos + the inverse rotation of dy * sin; dcos and dsin =
    the sums of dy * x and dy * rotate(x). dcos and dsin are not written if x is null."""
    dy, cos, sin = (p.read(name) for name in ("dy", "cos", "sin"))
    p.store("dxOut", p.step(rotary_grad, [dy, cos, sin], dy.shape, dy.dtype, mode=p["mode"]))
    if p.given("xOptional"):
        axes = tuple(axis for axis, size in enumerate(cos.shape) if size == 1 and axis < len(cos.shape) - 1)
        results = [(cos.shape, dy.dtype)] * 2
        outputs = p.steps(table_grads, [dy, p.read("xOptional")], results, mode=p["mode"], axes=axes)
        for name, result in zip(TABLES, outputs, strict=True):
            p.store(name, result)


def wrong_rope(a: Arguments) -> Bad:
    shape = a.shape("x")
    return None if len(shape) == 4 and shape[3] == 64 else (list(shape), "4 dimensions, the last one of 64")


def wrong_rope_table(a: Arguments) -> Bad:
    table, (batches, _, rows, size) = a.shape("cos"), a.shape("x")
    good = len(table) == 4 and table[1] == 1 and table[2] in (1, rows) and (table[0], table[3]) == (batches, size)
    return None if good else (list(table), f"{[batches, 1, rows, size]}, or one row")


@planned(
    "aclnnInterleaveRope", listed("x"), *alike("x", "cos", "sin", "out", status=TILING),
    demand("{0} has 4 dimensions, the last one of 64", "x", bad=wrong_rope, status=TILING),
    demand("{0} has one head, and one row or those of x", "cos", "x", bad=wrong_rope_table, status=TILING),
    same_shape("sin", "cos", status=TILING), same_shape("out", "x", status=TILING),
)  # fmt: skip
def interleave_rope(p: Planning) -> None:
    """out = x' * cos + rotate(x') * sin, where x' is x with the even elements of the last dimension before the odd
    ones; rotate turns the halves of x' into (-x2, x1)"""
    x, cos, sin = (p.read(name) for name in ("x", "cos", "sin"))
    p.store("out", p.step(rotary, [x, cos, sin], x.shape, x.dtype, mode=INTERLEAVE_HALF))
