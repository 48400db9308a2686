"""Checks of shift, mask, lengths and rotary parts, in the tiling of attention without a gradient (561002)."""

from dataclasses import replace
from itertools import pairwise
from typing import Final

from aclnn.op import Arguments, Shape, T, dtype_name
from aclnn.ops.attention._demands import Misfit, Wrong
from aclnn.ops.attention._infer import (
    batches,
    columns,
    compressed,
    fifth,
    in_pages,
    incremental,
    key_rows,
    layouts,
    lengths,
    mask_sizes,
    members,
    number,
    of_keys,
    option,
    packed,
    paged,
    queries,
    shared,
    sizes_of,
)
from aclnn.ops.attention._layouts import HeadSizes, shape_of

ROTARY: Final = 64
"""the size of a rotary part"""
NOT_BESIDE_A_SINK: Final = (
    "pseShift", "queryPaddingSize", "kvPaddingSize", "keySharedPrefix", "keyAntiquantScale", "quantScale2",
)  # fmt: skip
COMPRESSED: Final = ((2048, 2048), (1, 2048, 2048), (1, 1, 2048, 2048))
"""the shapes of a mask in the sparse modes 2, 3 and 4"""


def wrong_shift(name: str) -> Wrong:
    def bad(a: Arguments) -> Misfit | None:
        query, shape, most = queries(a), a.shape(name), columns(a)
        good = len(shape) == 4 and shape[0] in (1, query.batches) and shape[1:3] == (query.heads, query.rows)
        if not good or shape[3] < most:
            return name, list(shape), f"{[query.batches, query.heads, query.rows, most]}, or one batch, or more columns"
        right = T.ACL_FLOAT16 if a.dtype("query") == T.ACL_INT8 else a.dtype("query")
        return None if a.dtype(name) == right else (name, a.type_name(name), dtype_name(right))

    return bad


def without_partner(name: str, partner: str) -> Wrong:
    """Checks that the partner of a parameter is given with it."""
    return lambda a: None if a[partner] is not None else (name, "given", f"null, as {partner} is")


def _row(sizes: HeadSizes) -> HeadSizes:
    return replace(sizes, batches=1, rows=1)


def wrong_prefix(name: str, source: str) -> Wrong:
    """Checks that a shared prefix has the layout, the heads and the size of the keys or values."""

    def bad(a: Arguments) -> Misfit | None:
        shape, like = a.shape(name), members(a, source)[0].shape
        if paged(a) or (
            len(shape) == len(like) and _row(shared(a, f"{source}SharedPrefix")) == _row(sizes_of(a, source)[0])
        ):
            return None
        return name, list(shape), f"the heads and the size of {source}, whose shape is {list(like)}"

    return bad


def wrong_mask(name: str) -> Wrong:
    def bad(a: Arguments) -> Misfit | None:
        query, shape = queries(a), a.shape(name)
        if compressed(a):
            return None if shape in COMPRESSED else (name, list(shape), "[2048, 2048], perhaps with ones in front")
        batches, rows, count = mask_sizes(a, shape) or (0, 0, 0)
        good = batches in (1, query.batches) and rows >= query.rows and count >= columns(a)
        return (
            None
            if good
            else (name, list(shape), f"{query.rows} rows of {columns(a)} columns, for {query.batches} batches")
        )

    return bad


def wrong_lengths(name: str) -> Wrong:
    def bad(a: Arguments) -> Misfit | None:
        query, values = queries(a), a[name].values
        if packed(a):
            return wrong_ends(a, name)
        of_the_keys = name.removesuffix("Optional") == of_keys(a)
        if not of_the_keys and incremental(a):
            return None
        most = key_rows(a) if of_the_keys else [query.rows] * query.batches
        if len(values) not in (0, 1) and len(values) < query.batches:
            return name, list(values), f"one length, or {query.batches}"
        good = all(0 <= length <= limit for length, limit in zip(lengths(a, name, most), most, strict=True))
        return None if good else (name, list(values), f"lengths up to {max(most, default=0)}")

    return bad


def wrong_ends(a: Arguments, name: str) -> Misfit | None:
    """Checks the lengths of packed batches. They are ascending ends of batches, but true lengths for keys in blocks."""
    count, values = batches(a), a[name].values
    of_the_keys = name.removesuffix("Optional") == of_keys(a)
    if len(values) != count or not 1 <= count <= 4096:
        return name, f"{len(values)} numbers", f"{max(min(count, 4096), 1)}, one for each batch"
    if of_the_keys and paged(a):
        good, most = all(0 <= value <= columns(a) for value in values), columns(a)
    else:
        most = sizes_of(a, "key")[0].rows if of_the_keys else queries(a).rows
        good = all(start <= end for start, end in pairwise((0, *values, most)))
    return None if good else (name, list(values), f"ascending ends up to {most}")


def without_ends(a: Arguments) -> Misfit | None:
    lengths = [option(a, name) for name in ("actualSeqLengths", "actualSeqLengthsKv")]
    if not packed(a) or all(length is not None for length in lengths):
        return None
    return "inputLayout", a["inputLayout"], "another layout without actualSeqLengths and actualSeqLengthsKv"


def rope_shape(a: Arguments, source: str) -> Shape:
    """The shape of the rotary part of query or key."""
    if source == "key" and paged(a):
        shape, sizes = members(a, "key")[0].shape, in_pages(a, "key")
        return (*shape[:2], sizes.heads * ROTARY) if len(shape) == 3 else (*shape[:3], ROTARY)
    sizes = queries(a) if source == "query" else sizes_of(a, "key")[0]
    return shape_of(replace(sizes, size=ROTARY), layouts(a)[0])


def wrong_rope(query: str, key: str) -> Wrong:
    """Checks that the rotary parts have the shapes of query and key, except for the size of a vector."""

    def bad(a: Arguments) -> Misfit | None:
        for name, source in ((query, "query"), (key, "key")):
            expected_shape = rope_shape(a, source)
            if a.shape(name) != expected_shape or a.dtype(name) != a.dtype("query"):
                return name, list(a.shape(name)), f"{list(expected_shape)}, with the data type of {source}"
        return None

    return bad


def wrong_sink(name: str) -> Wrong:
    """Checks a sink. The fifth version restricts what may be beside it."""

    def bad(a: Arguments) -> Misfit | None:
        query, limited = queries(a), fifth(a)
        if not a[name].numel:
            return None
        if a.shape(name) != (query.heads,) or a.dtype(name) != a.dtype("query"):
            return name, f"{a.type_name(name)} {list(a.shape(name))}", f"{a.type_name('query')} {[query.heads]}"
        beside = [other for other in NOT_BESIDE_A_SINK if option(a, other) is not None]
        if limited and (beside or number(a, "innerPrecise", 0)):
            return name, "given", f"null beside {beside[0] if beside else 'innerPrecise'}"
        if limited and query.size not in (64, 128, 192):
            return "query", f"{query.size} in the last dimension", "64, 128 or 192 beside a sink"
        return None

    return bad


def wrong_mode(a: Arguments) -> Misfit | None:
    mode, mask = a["sparseMode"], option(a, "attenMask")
    if incremental(a):
        return None
    if mode not in range(5):
        return "sparseMode", mode, "0, 1, 2, 3, 4"
    if mode in (2, 3, 4) and mask is None:
        return "sparseMode", mode, "0 or 1 without a mask"
    return None
