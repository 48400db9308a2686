"""Checks of heads, shapes and data types, in the tiling of attention without a gradient (561002)."""

from typing import Final

from aclnn.op import TILING, Arguments, Relation, Shape, T, dtype_name, one_of, said
from aclnn.ops.attention._demands import Misfit, Wrong, checked
from aclnn.ops.attention._infer import (
    WHOLE_TYPES,
    heads,
    in_pages,
    incremental,
    layouts,
    members,
    option,
    paged,
    fifth,
    queries,
    short_floats,
    sizes_of,
    unpacked,
)
from aclnn.ops.attention._layouts import PACKED, RANKS, HeadSizes, shape_of

LAYOUTS: Final = ("BSH", "BSND", "BNSD", "BNSD_BSND")
BEHIND: Final = ("TND", "NTD_TND", "TND_NTD")
"""packed layouts, in which the batches lie one behind the other"""
OF_V5: Final = ("BSH_BNSD", "BSND_BNSD", "BNSD_NBSD", "BSND_NBSD", "BSH_NBSD", "NTD")
"""layouts that only the fifth version of FusedInferAttentionScore has"""


def tiled(sentence: str, *names: str, bad: Wrong) -> Relation:
    """A check of the tiling. `bad` returns the parameter, its value and the allowed values."""
    return checked(sentence, *names, bad=bad, status=TILING)


def wrong_rank(a: Arguments) -> Misfit | None:
    rank = RANKS[layouts(a)[0]]
    tensors = [("query", a["query"]), *(("key", each) for each in members(a, "key") if not paged(a)),
             *(("value", each) for each in members(a, "value") if not paged(a))]  # fmt: skip
    for name, tensor in tensors:
        if len(tensor.shape) != rank:
            return name, list(tensor.shape), f"{rank} dimensions, as the layout {a['inputLayout']} has"
    return None


def wrong_heads(a: Arguments) -> Misfit | None:
    own_heads, of_keys = heads(a)
    if not 1 <= own_heads <= 256:
        return "numHeads", own_heads, "1 to 256"
    good = of_keys > 0 and own_heads % of_keys == 0 and (own_heads // of_keys <= 64 or fifth(a))
    return None if good else ("numHeads", own_heads, f"a multiple of {of_keys} heads of keys, at most 64 times as many")


def wrong_query(a: Arguments) -> Misfit | None:
    shape, (count, _) = a.shape("query"), heads(a)
    if layouts(a)[0] in ("BSH", "SBH"):
        return None if shape[2] % count == 0 else ("query", list(shape), f"a multiple of {count} in the last dimension")
    query = queries(a)
    good = query.heads == count and query.size <= 512
    return None if good else ("query", list(shape), f"{count} heads, and at most 512 in the last dimension")


def wrong_count(a: Arguments) -> Misfit | None:
    for name in ("key", "value"):
        count, batches = len(members(a, name)), queries(a).batches
        if count != 1 and (count != batches or paged(a)):
            return name, f"{count} tensors", "one tensor, or one of each batch"
    return None if len(members(a, "key")) == len(members(a, "value")) else ("value", "another count", "as key")


def wrong_keys(a: Arguments) -> Misfit | None:
    query, (_, count) = queries(a), heads(a)
    if paged(a):
        return wrong_pages(a)
    several = len(members(a, "key")) > 1
    first_value = sizes_of(a, "value")[0]
    for key, value, tensor in zip(sizes_of(a, "key"), sizes_of(a, "value"), members(a, "key"), strict=True):
        expected_sizes = HeadSizes(1 if several else query.batches, count, key.rows, query.size)
        if key != expected_sizes or (layouts(a)[0] == "BSH" and unpacked(tensor)[2] != count * query.size):
            return "key", list(tensor.shape), f"{list(shape_of(expected_sizes, layouts(a)[0]))}, beside the query"
        if (value.batches, value.heads, value.rows) != (key.batches, key.heads, key.rows):
            return (
                "value",
                "another shape",
                f"{list(shape_of(expected_sizes, layouts(a)[0]))} but for the last dimension",
            )
        if value.size != first_value.size or not 0 < value.size <= 512:
            return "value", f"{value.size} in the last dimension", "1 to 512, as the first one"
    return None


def wrong_pages(a: Arguments) -> Misfit | None:
    block, (_, count), query = a["blockSize"], heads(a), queries(a)
    legal = range(1, 513) if incremental(a) else range(128, 513, 128)
    if block not in legal:
        return "blockSize", block, "1 to 512" if incremental(a) else "128, 256, 384 or 512"
    for name in ("key", "value"):
        shape = members(a, name)[0].shape
        rank = 4 if layouts(a)[0] in ("BNSD", *PACKED) and len(shape) == 4 else 3
        expected_shape = (shape[0], block, count * query.size) if rank == 3 else (shape[0], count, block, query.size)
        if name == "value":
            expected_shape = (members(a, "key")[0].shape[0], *expected_shape[1:-1], shape[-1])
        if shape != expected_shape:
            return name, list(shape), list(expected_shape)
    return None


def out_shape(a: Arguments) -> Shape:
    query, value = queries(a), (in_pages(a, "value") if paged(a) else sizes_of(a, "value")[0]).size
    return shape_of(HeadSizes(query.batches, query.heads, query.rows, value), layouts(a)[1])


def wrong_out(a: Arguments) -> Misfit | None:
    shape, expected_shape = a.shape("attentionOut"), out_shape(a)
    if layouts(a) == ("BNSD", "BSND") and incremental(a) and not fifth(a):
        return "inputLayout", a["inputLayout"], "BNSD_BSND with more than one row of queries"
    return None if shape == expected_shape else ("attentionOut", list(shape), list(expected_shape))


def wrong_types(a: Arguments) -> Misfit | None:
    query, out = a.dtype("query"), a.dtype("attentionOut")
    if short_floats(a):
        return None
    types = {tensor.dtype for name in ("key", "value") for tensor in members(a, name)}
    names = ", ".join(map(dtype_name, sorted(types)))
    if query == T.ACL_INT8:
        if types != {query} or any(option(a, each) is None for each in ("deqScale1", "quantScale1", "deqScale2")):
            return "key", names, "DT_INT8 as query, with deqScale1, quantScale1 and deqScale2"
        if out == T.ACL_BF16 or (out == T.ACL_INT8) != (option(a, "quantScale2") is not None):
            return "attentionOut", a.type_name("attentionOut"), "DT_INT8 with quantScale2, or DT_FLOAT16 without"
        return None
    scaled = option(a, "antiquantScale") is not None or option(a, "keyAntiquantScale") is not None
    if len(types) > 1 or not (types <= {query} or (types <= set(WHOLE_TYPES) and scaled)):
        return "key", names, f"{a.type_name('query')} as query, or integers with a scale"
    if out != query and not (out == T.ACL_INT8 and option(a, "quantScale2") is not None):
        return "attentionOut", a.type_name("attentionOut"), f"{a.type_name('query')} as query"
    return None


def shapes(*more: Relation, split: bool, blocks: bool, several: bool, behind: tuple[str, ...]) -> tuple[Relation, ...]:
    """Checks of layout, heads and shapes. True for a function: `split` if the output may have another layout than
    query; `blocks` if keys may lie in blocks; `several` if keys may be one tensor for each batch. `behind`: further
    layouts. `more`: checks that come before those of shapes."""
    legal, block = LAYOUTS if split else LAYOUTS[:-1], ("blockSize",) if blocks else ()
    legal = (*legal, *behind)
    return (
        said("inputLayout"), one_of("inputLayout", *legal, status=TILING), *more,
        tiled("{0}, key and value have the dimensions of inputLayout", "query", "key", "value", bad=wrong_rank),
        tiled("{0} is a multiple of the heads of keys", "numHeads", bad=wrong_heads),
        tiled("{0} has numHeads heads", "query", bad=wrong_query),
        *((tiled("{0} and value have one tensor, or one for each batch", "key", "value", bad=wrong_count),) if several
          else ()),
        tiled("{0} and value have the batches and sizes of query", "key", "value", *block, bad=wrong_keys),
        tiled("{0} has the shape of query with the sizes of value", "attentionOut", "inputLayout", bad=wrong_out),
        tiled("the data types of {0}, {1} and {2} fit that of query", "key", "value", "attentionOut", bad=wrong_types),
    )  # fmt: skip
