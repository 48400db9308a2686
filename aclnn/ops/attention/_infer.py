"""Sizes, lengths and masks in the arguments of attention without a gradient.

The names of optional parameters end in `Optional`, except in the first versions. This module names a parameter without
that ending.
"""

from collections.abc import Sequence
from typing import Any, Final

from aclnn.op import Arguments, Shape, T, Tensor, bits, is_float
from aclnn.ops.attention._layouts import PACKED, HeadSizes, sizes

WHOLE_TYPES: Final = (T.ACL_INT8, T.ACL_INT4, T.ACL_INT32)
"""data types of quantised keys and values; an INT32 has eight values of INT4"""


def full_name(a: Arguments, name: str) -> str:
    """The name of an optional parameter in the prototype."""
    return next((each for each in (f"{name}Optional", name, name.lower()) if a.has(each)), name)


def option(a: Arguments, name: str) -> Any:
    """An optional argument; None if it is null, or if the function has no such parameter."""
    whole_name = full_name(a, name)
    return a[whole_name] if a.has(whole_name) else None


def number(a: Arguments, name: str, default: int) -> int:
    """A number or flag; the default if the function has no such parameter."""
    return a[name] if a.has(name) else default


def fifth(a: Arguments) -> bool:
    """True for the fifth version of FusedInferAttentionScore, which lifts some limits."""
    return a.has("pseType")


def short_floats(a: Arguments) -> bool:
    """True if queries, keys or values are floats of 8 bits or less."""
    tensors = (a["query"], *members(a, "key"), *members(a, "value"))
    return any(bits(tensor.dtype) <= 8 and is_float(tensor.dtype) for tensor in tensors)


def layouts(a: Arguments) -> tuple[str, str]:
    """The layouts of query and of attentionOut."""
    both: str = a["inputLayout"]
    first, _, second = both.partition("_")
    return first, second or first


def heads(a: Arguments) -> tuple[int, int]:
    """The heads of queries, and of keys."""
    return a["numHeads"], number(a, "numKeyValueHeads", 0) or a["numHeads"]


def queries(a: Arguments) -> HeadSizes:
    return sizes(a.shape("query"), layouts(a)[0], heads(a)[0])


def incremental(a: Arguments) -> bool:
    """True for attention of a single new row. For FusedInferAttentionScore it is true if queries have one row."""
    name = a.op.c_name()
    return "Incre" in name or ("Prompt" not in name and queries(a).rows == 1 and not packed(a))


def of_keys(a: Arguments) -> str:
    """The parameter that has the lengths of the keys."""
    return "actualSeqLengths" if "Incre" in a.op.c_name() else "actualSeqLengthsKv"


def packed(a: Arguments) -> bool:
    """True if the batches are packed one behind the other. The lengths are then the ends of the batches."""
    return layouts(a)[0] in PACKED


def batches(a: Arguments) -> int:
    """The number of batches."""
    return len(option(a, "actualSeqLengths").values) if packed(a) else queries(a).batches


def members(a: Arguments, name: str) -> tuple[Tensor, ...]:
    """The tensors of keys or values, which some functions have as a list."""
    return a[name] if isinstance(a[name], tuple) else (a[name],)


def sizes_of(a: Arguments, name: str) -> list[HeadSizes]:
    """The sizes of each tensor of keys or values."""
    return [sizes(unpacked(tensor), layouts(a)[0], heads(a)[1]) for tensor in members(a, name)]


def unpacked(tensor: Tensor) -> Shape:
    """The shape of a tensor; an element of INT32 counts as eight of INT4."""
    shape = tensor.shape
    return (*shape[:-1], 8 * shape[-1]) if tensor.dtype == T.ACL_INT32 and shape else shape


def paged(a: Arguments) -> bool:
    """True if keys and values lie in blocks."""
    return option(a, "blockTable") is not None


def in_pages(a: Arguments, name: str) -> HeadSizes:
    """The sizes of the cache of keys or values."""
    return sizes_of_pages(members(a, name)[0].shape, heads(a)[1])


def sizes_of_pages(shape: Shape, count: int) -> HeadSizes:
    """The sizes of a cache: (blocks, heads, rows of a block, sizes). `count`: the heads, if the cache has no dimension
    for them."""
    if len(shape) == 3:
        return HeadSizes(shape[0], count, shape[1], shape[2] // count)
    return HeadSizes(*shape)


def columns(a: Arguments) -> int:
    """The largest number of keys of a batch."""
    if paged(a):
        return option(a, "blockTable").shape[1] * in_pages(a, "key").rows
    prefix = option(a, "keySharedPrefix")
    prefix_rows = 0 if prefix is None else shared_length(a)
    return prefix_rows + max(each.rows for each in sizes_of(a, "key"))


def shared_length(a: Arguments) -> int:
    """The used rows of the shared prefix."""
    length = option(a, "actualSharedPrefixLen")
    return length.values[0] if length is not None and length.values else shared(a, "keySharedPrefix").rows


def shared(a: Arguments, name: str) -> HeadSizes:
    return sizes(option(a, name).shape, layouts(a)[0], heads(a)[1])


def lengths(a: Arguments, name: str, otherwise: Sequence[int]) -> list[int]:
    """The length of each batch, from an array; a single number applies to all batches. `otherwise`: the lengths if the
    array is null or empty."""
    array = option(a, name)
    if array is None or not array.values:
        return list(otherwise)
    return list(array.values if len(array.values) > 1 else array.values * len(otherwise))[: len(otherwise)]


def key_rows(a: Arguments) -> list[int]:
    """The number of keys of each batch, without a shared prefix."""
    if paged(a):
        return [columns(a)] * batches(a)
    rows = [each.rows for each in sizes_of(a, "key")]
    return rows if len(rows) > 1 else rows * queries(a).batches


def compressed(a: Arguments) -> bool:
    """True if the sparse mode hides positions, and the mask is not read. A call of one row ignores the sparse mode."""
    return not incremental(a) and number(a, "sparseMode", 0) in (2, 3, 4)


def mask_sizes(a: Arguments, shape: Shape) -> tuple[int, int, int] | None:
    """Batches, rows and columns of a mask for each score; None for another shape."""
    if not shape:
        return None
    lead, count = shape[:-1], shape[-1]
    if len(lead) == 3 and lead[1] == 1:
        lead = (lead[0], lead[2])
    if len(lead) == 1:
        lead = (lead[0], 1) if incremental(a) else (1, lead[0])
    return (lead[0], lead[1], count) if len(lead) == 2 else None
