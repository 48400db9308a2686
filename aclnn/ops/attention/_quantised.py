"""Quantised attention: INT8 queries, integer keys and values with scales, an INT8 output."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any, Final

import numpy as np

from aclnn.op import (
    Arguments, Array, Operand, Planning, Relation, Shape, T, Tensor, lacks, row_major, same, unpack_int4,
)  # fmt: skip
from aclnn.ops.attention._demands import Misfit
from aclnn.ops.attention._infer import (
    compressed,
    full_name,
    members,
    number,
    option,
    packed,
    paged,
    queries,
    short_floats,
    sizes_of,
    unpacked,
)
from aclnn.ops.attention._layouts import HeadSizes, same_place

SPREAD = {0: "an element, or one for each size of each head", 1: "one for each row", 2: "one for each head",
          3: "one for each head and row"}  # fmt: skip


def integers(a: Arguments) -> bool:
    """True if keys are integers and queries are floats."""
    return a.dtype("query") != members(a, "key")[0].dtype


def scale_of(a: Arguments, which: str, kind: str) -> tuple[Any, int, int, str]:
    """The scales or offsets of keys or values: the tensor, the index of its part for keys or values (-1: all of it),
    the mode, and the name of the parameter. `which` is key or value, `kind` is Scale or Offset."""
    if option(a, "keyAntiquantScale") is not None and option(a, "valueAntiquantScale") is not None:
        name = f"{which}Antiquant{kind}"
        return option(a, name), -1, number(a, f"{which}AntiquantMode", 0), full_name(a, name)
    name = f"antiquant{kind}"
    return option(a, name), 0 if which == "key" else 1, number(a, "antiquantMode", 0), full_name(a, name)


def scale_sizes(sizes: HeadSizes, shape: Shape, mode: int) -> Shape | None:
    """The shape in which scales broadcast to (B, N, S, D); None if their shape does not fit the mode."""
    count = prod(shape)
    shapes = {
        0: (1, 1, 1, 1) if count == 1 else (1, sizes.heads, 1, sizes.size), 1: (sizes.batches, 1, sizes.rows, 1),
        2: (1, sizes.heads, 1, 1), 3: (sizes.batches, sizes.heads, sizes.rows, 1),
    }.get(mode)  # fmt: skip
    return shapes if shapes is not None and prod(shapes) == count else None


def wrong_scales(a: Arguments) -> Misfit | None:
    """Checks the scales of integer keys and values with float queries."""
    if not integers(a) or short_floats(a):
        return None
    for which in ("key", "value"):
        for kind in ("Scale", "Offset"):
            tensor, number, mode, name = scale_of(a, which, kind)
            if tensor is None and kind == "Scale":
                return "key", "integers", "floats, or scales of keys and of values"
            if tensor is None:
                continue
            shape = tensor.shape if number < 0 else tensor.shape[1:]
            fits = mode in (4, 5, 6) or paged(a) or scale_sizes(whole(a, which), shape, mode) is not None
            if not fits or (number >= 0 and tensor.shape[:1] != (2,)):
                return name, list(tensor.shape), f"scales of mode {mode}: {SPREAD.get(mode, 'none')}"
    return None


def whole(a: Arguments, which: str) -> HeadSizes:
    """The sizes of the keys or values of all batches."""
    return replace(sizes_of(a, which)[0], batches=queries(a).batches)


def squares_of_packed(a: Arguments) -> bool:
    mask = option(a, "attenMask") is not None and not compressed(a)
    return packed(a) and (option(a, "pseShift") is not None or mask)


def quantised_and_packed(a: Arguments) -> bool:
    return packed(a) and (integers(a) or option(a, "keySharedPrefix") is not None)


def rotary_in_parts(a: Arguments) -> bool:
    return option(a, "queryRope") is not None and (len(members(a, "key")) > 1 or integers(a))


def quantised_in_parts(a: Arguments) -> bool:
    return integers(a) and (paged(a) or scale_of(a, "key", "Scale")[2] in (4, 5, 6))


def left_out(options: Collection[str], *, behind: bool, newest: bool) -> Iterator[Relation]:
    """Refusals of valid calls that no formula computes. `options`: the optional parameters of the function; `behind`:
    True if it has packed layouts; `newest`: True if it has floats of 8 bits."""
    if behind:
        yield lacks("a shift, or a mask for each score, of packed batches", squares_of_packed)
        yield lacks("quantised keys, or a shared prefix, of packed batches", quantised_and_packed)
    if "queryRope" in options:
        yield lacks("a rotary part of keys in several tensors, or quantised", rotary_in_parts)
    if "antiquantScale" in options:
        yield lacks("quantised keys in blocks or groups", quantised_in_parts)
    if newest:
        yield lacks("floats of 8 bits or less", short_floats)
    for name, words in REFUSED_OPTIONS.items():
        if name in options:
            yield lacks(words, partial(is_given, name))


REFUSED_OPTIONS: Final = {
    "dequantScaleQuery": "a scale of quantised queries",
    "queryPaddingSize": "padding of queries on the left", "kvPaddingSize": "padding of keys on the left",
}  # fmt: skip
"""features that no formula computes, by the optional parameter"""


def is_given(name: str, a: Arguments) -> bool:
    return option(a, name) is not None


def eight_bits(p: Planning, tensor: Tensor) -> Operand:
    """A dense tensor of keys or values; INT4 as INT8."""
    x = p.builder.contiguous(tensor)
    if tensor.dtype not in (T.ACL_INT4, T.ACL_INT32):
        return x
    kernel = same if tensor.dtype == T.ACL_INT4 else nibbles
    return p.step(kernel, [x], unpacked(tensor), T.ACL_INT8, moves=True)


def nibbles(x: Array) -> Array:
    return unpack_int4(x, 8 * x.size).reshape(*x.shape[:-1], 8 * x.shape[-1])


def now_int4(a: Arguments) -> None:
    """The first phase changes the description of an INT32 tensor to INT4, eight elements in each INT32."""
    for name in ("key", "value"):
        for tensor in members(a, name):
            if tensor.dtype == T.ACL_INT32:
                shape, storage = unpacked(tensor), (*tensor.storage_shape[:-1], 8 * tensor.storage_shape[-1])
                tensor.describe(shape, T.ACL_INT4, row_major(shape), 8 * tensor.offset, tensor.format, storage)


def restored(p: Planning, which: str, x: Operand, number: int) -> Operand:
    """Keys or values from batch `number` on, as floats: a step computes (x + offset) * scale from integers."""
    if not integers(p):
        return x
    factors = [scaled(p, which, what, number, x.shape[0]) for what in ("Scale", "Offset")]
    result = p.builder.alloc(x.shape, T.ACL_FLOAT)
    p.builder.launch(floats, [x, *(factor for factor in factors if factor is not None)], [result])
    return result


def scaled(p: Planning, which: str, kind: str, number: int, batches: int) -> Operand | None:
    tensor, place, mode, _ = scale_of(p, which, kind)
    if tensor is None:
        return None
    x, sizes_of_whole = p.builder.contiguous(tensor), whole(p, which)
    shape = tensor.shape if place < 0 else tensor.shape[1:]
    sizes = scale_sizes(sizes_of_whole, shape, mode) or (1, 1, 1, 1)
    x = replace(same_place(x, sizes), offset=x.offset + max(place, 0) * prod(shape))
    if sizes[0] == 1:
        return x
    return replace(x, shape=(batches, *sizes[1:]), offset=x.offset + number * x.strides[0])


def floats(x: Array, scale: Array, offset: Array | None = None) -> Array:
    values = x.astype(np.float32)
    return (values if offset is None else values + offset) * scale


def rounded(p: Planning, result: Operand, target: Operand) -> None:
    """Queue the step that quantises the output (B, N, S, D): round(x * quantScale2 + quantOffset2) as INT8."""
    factors: list[Operand] = []
    for name in ("quantScale2", "quantOffset2"):
        tensor = option(p, name)
        if tensor is not None:
            single = tensor.numel == 1
            sizes = (1, 1, 1, 1) if single else (1, result.shape[1], 1, result.shape[3])
            factors.append(same_place(p.read(full_name(p, name), T.ACL_FLOAT), sizes))
    p.builder.launch(whole_numbers, [result, *factors], [target])


def whole_numbers(x: Array, scale: Array, offset: Array | None = None) -> Array:
    values = x * scale if offset is None else x * scale + offset
    return np.clip(np.rint(values), -128, 127).astype(np.int8)
