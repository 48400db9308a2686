"""Sizes, checks, masks and dropout of attention with a gradient, forward and backward.

These functions return 161001 for a failure in the library's own graph, and for a failed check of the tiling.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any, Final

from aclnn.op import ACLNN_ERR_PARAM_NULLPTR, Arguments, Relation, Series, Shape, except_on, positive, public_format
from aclnn.ops.attention._demands import Misfit, Wrong, checked
from aclnn.ops.attention._layouts import PADDED, HeadSizes, sizes

BUILT: Final = ACLNN_ERR_PARAM_NULLPTR
"""the status of a rule that the graph or the tiling checks"""
COMPRESSED: Final = {**dict.fromkeys((2, 3, 4, 7, 8), (2048, 2048)), 6: (3072, 2048)}
"""the shape of the mask in each sparse mode that does not read its content"""
EIGHT: Final = 8
"""the number of copies of each statistic of a row"""
LENGTHS: Final = ("actualSeqQLenOptional", "actualSeqKvLenOptional")
POSITIVE: Final = positive("headNum")


@dataclass(frozen=True)
class Version:
    """The parameters of a version, besides those of the first version."""

    layouts: tuple[str, ...] = PADDED
    slopes: bool = False
    """True if the version has pseType"""
    sink: str = ""
    rope: tuple[str, ...] = ()
    """the rotary parts of query and key"""
    order: str = ""
    """the order of statistics of packed batches"""

    @property
    def packed(self) -> bool:
        """True if each call is packed."""
        return self.layouts == ("TND",)

    @property
    def mixed(self) -> bool:
        """True if a call may be packed or padded."""
        return len(self.layouts) > len(PADDED)


def sloped(a: Arguments) -> bool:
    """True if the kernel makes the shift from a slope for each head."""
    return a.has("pseType") and a["pseType"] in (2, 3)


def own_lengths(a: Arguments) -> dict[str, list[int]]:
    """The largest lengths of a packed call, for its largest workspace: none, as its own ends fill the tensors."""
    return {}


def named(a: Arguments, *names: str) -> str:
    """The first of `names` that is a parameter of the function; empty if the function has none of them."""
    return next(filter(a.has, names), "")


def optional(a: Arguments, *names: str) -> Any:
    """The argument with one of `names`; None if it is null, or if the function has no such parameter."""
    name = named(a, *names)
    return a[name] if name else None


def layout(a: Arguments) -> str:
    return a["inputLayout"].upper()


def queries(a: Arguments) -> HeadSizes:
    return sizes(a.shape("query"), layout(a), a["headNum"])


def keys(a: Arguments) -> HeadSizes:
    """The sizes of the keys. In a layout without a dimension for heads, a key has the size of a query."""
    shape, size = a.shape(named(a, "key", "keyIn")), queries(a).size
    return sizes(shape, layout(a), shape[-1] // max(size, 1))


def values(a: Arguments) -> HeadSizes:
    return sizes(a.shape("value"), layout(a), keys(a).heads)


def mode(a: Arguments) -> int:
    """The sparse mode; 0 without a mask."""
    return 0 if a["attenMaskOptional"] is None else a["sparseMode"]


@dataclass(frozen=True)
class PackedBatch:
    """A batch of a packed call: first query, number of queries, first key, number of keys, dropout bits before it."""

    query: int
    rows: int
    key: int
    columns: int
    bits: int


def packed_batches(a: Arguments) -> list[PackedBatch] | None:
    """The batches of a packed call; None if the call is not packed."""
    if layout(a) != "TND":
        return None
    result: list[PackedBatch] = []
    ends = [(0, 0), *zip(a["actualSeqQLenOptional"].values, a["actualSeqKvLenOptional"].values, strict=True)]
    bits = 0
    for (query, key), (query_end, key_end) in pairwise(ends):
        result.append(PackedBatch(query, query_end - query, key, key_end - key, bits))
        bits += a["headNum"] * result[-1].rows * result[-1].columns
    return result


def built(sentence: str, *names: str, bad: Wrong) -> Relation:
    """A check of the graph or the tiling. `bad` returns the parameter, its value and the allowed values."""
    return checked(sentence, *names, bad=bad, status=BUILT, provenance="public")


def no_private_format(*names: str) -> tuple[Relation, ...]:
    return (except_on(Series.A950, public_format(*names)),)


def wrong_shapes(key: str) -> Wrong:
    """Checks the batches, heads and rows of query, key and value."""

    def bad(a: Arguments) -> Misfit | None:
        shape, count, form = a.shape("query"), a["headNum"], layout(a)
        if form in ("BSH", "SBH") and (shape[-1] % count or not shape[-1]):
            return "query", list(shape), f"a multiple of {count} in the last dimension"
        q, k, v = queries(a), keys(a), values(a)
        if q.heads != count or not 1 <= count <= 256:
            return "headNum", count, "the heads of query, at most 256"
        good = (k.heads > 0 and count % k.heads == 0 and k.batches == q.batches and k.size == q.size
                and (form not in ("BSH", "SBH") or a.shape(key)[-1] == k.heads * q.size))  # fmt: skip
        if not good:
            return key, list(a.shape(key)), "the batches and sizes of query, and heads that divide its heads"
        good = (v.batches, v.heads, v.rows) == (k.batches, k.heads, k.rows) and 0 < v.size <= k.size
        good = good and (form not in ("BSH", "SBH") or a.shape("value")[-1] == v.heads * v.size)
        return None if good else ("value", list(a.shape("value")), f"the shape of {key} but for smaller sizes")

    return bad


def wrong_shift(name: str) -> Wrong:
    def bad(a: Arguments) -> Misfit | None:
        if layout(a) == "TND" or sloped(a):
            return None
        q, columns, shape = queries(a), keys(a).rows, a.shape(name)
        rows = (1, q.rows, 1024) if q.rows > 1024 and q.rows == columns else (1, q.rows)
        good = len(shape) == 4 and shape[0] in (1, q.batches) and shape[1] == q.heads and shape[2] in rows
        good = good and shape[3] == columns
        return None if good else (name, list(shape), f"{[q.batches, q.heads, q.rows, columns]}, or one batch or row")

    return bad


def rows_shape(a: Arguments) -> Shape:
    """The shape of the statistics of rows."""
    query = queries(a)
    if layout(a) == "TND":
        return query.rows, query.heads, EIGHT
    return query.batches, query.heads, query.rows, EIGHT


def largest_batch(a: Arguments) -> tuple[int, int]:
    """The largest numbers of rows and of columns in a batch."""
    packed = packed_batches(a)
    if packed is None:
        return queries(a).rows, keys(a).rows
    return max((batch.rows for batch in packed), default=0), max((batch.columns for batch in packed), default=0)


def wrong_mask(a: Arguments) -> Misfit | None:
    name, mode, shape = "attenMaskOptional", a["sparseMode"], a.shape("attenMaskOptional")
    if mode in COMPRESSED:
        return None if shape == COMPRESSED[mode] else (name, list(shape), list(COMPRESSED[mode]))
    q, (rows, columns) = queries(a), largest_batch(a)
    lead = shape[:-2]
    good = shape[-2:] == (rows, columns) and lead in ((), (1, 1), (q.batches, 1), (q.batches, q.heads))
    return None if good else (name, list(shape), f"{[q.batches, q.heads, rows, columns]}, or one batch or head")


def wrong_mode(a: Arguments) -> Misfit | None:
    packed = layout(a) == "TND"
    if a["sparseMode"] not in range(9 if packed else 7):
        return "sparseMode", a["sparseMode"], "0 to 8" if packed else "0 to 6"
    return None


def wrong_prefix(a: Arguments) -> Misfit | None:
    if mode(a) not in (5, 6):
        return None
    prefix, packed = a["prefixOptional"].values, packed_batches(a)
    sizes = [(queries(a).rows, keys(a).rows)] * queries(a).batches
    if packed is not None:
        sizes = [(batch.rows, batch.columns) for batch in packed]
    good = len(prefix) == len(sizes) and all(
        max(columns - rows, 0) <= count <= columns for count, (rows, columns) in zip(prefix, sizes, strict=True)
    )
    return None if good else ("prefixOptional", list(prefix), "a number of keys for each batch")


def dropout_bits(a: Arguments) -> int:
    """The number of scores, each of which has a bit of the dropout mask."""
    packed = packed_batches(a)
    if packed is not None:
        return sum(a["headNum"] * batch.rows * batch.columns for batch in packed)
    return prod((queries(a).batches, a["headNum"], *largest_batch(a)))


def wrong_drop(a: Arguments) -> Misfit | None:
    count, bytes_ = a["dropMaskOptional"].numel, -(-dropout_bits(a) // 8)
    return None if count >= bytes_ else ("dropMaskOptional", count, f"{bytes_} bytes or more")


def wrong_keep(a: Arguments) -> Misfit | None:
    return None if 0 < a["keepProb"] <= 1 else ("keepProb", a["keepProb"], "more than 0, at most 1")


def wrong_lengths(a: Arguments) -> Misfit | None:
    if layout(a) != "TND":
        return None
    first, second = (a[name].values for name in LENGTHS)
    if not first or len(first) != len(second):
        return LENGTHS[1], f"{len(second)} ends", f"{len(first)} ends, as {LENGTHS[0]}, at least one"
    for name, ends, rows in zip(LENGTHS, (first, second), (queries(a).rows, keys(a).rows), strict=True):
        if any(start > end for start, end in pairwise((0, *ends, rows))):
            return name, list(ends), f"ascending ends up to {rows}"
    return None


def scoring(key: str, shift: str, version: Version, *more: Relation) -> tuple[Relation, ...]:
    """The relations that forward and backward share. `more`: relations behind that of the sizes."""
    lengths = LENGTHS if "TND" in version.layouts else ()
    return (
        built("query, {1} and {2} fit {0}", "headNum", key, "value", "query", bad=wrong_shapes(key)), *more,
        *((built("{0} and {1} are the ends of the batches", *lengths, bad=wrong_lengths),) if lengths else ()),
        *(() if version.packed else (built("{0} has an element for each score", shift, bad=wrong_shift(shift)),)),
        built("{0} has a bit for each score", "dropMaskOptional", bad=wrong_drop),
        built("{0} is a probability", "keepProb", bad=wrong_keep),
        built("{0} is a value that the operator supports", "sparseMode", "attenMaskOptional", bad=wrong_mode),
        built("{0} has an element for each score, or is compressed", "attenMaskOptional", bad=wrong_mask),
        built("{0} has the keys that all rows of a batch see", "prefixOptional", "attenMaskOptional", bad=wrong_prefix),
    )  # fmt: skip
