"""Plans attention without a gradient: at once if all batches are alike, else batch by batch."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from aclnn.op import Array, Operand, Planning, T, Tensor, check_range, same, take
from aclnn.ops.attention._infer import (
    compressed,
    full,
    heads,
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
    shared_length,
    sizes_of_pages,
)
from aclnn.ops.attention._layouts import by_heads, spread, statistics
from aclnn.ops.attention._quantised import eight_bits, restored, rounded
from aclnn.ops.attention._scores import Band, ScoreRules
from aclnn.ops.attention._steps import Attended, attend, clear

SCALES: Final = ("deqScale1", "quantScale1", "deqScale2")
"""of the scores, the probabilities and the output, if queries are INT8"""


def infer(p: Planning) -> None:
    of, (own, _), (layout, layout_out) = queries(p), heads(p), layouts(p)
    to = p.dtype("attentionOut")
    result = p.builder.alloc(p.shape("attentionOut"), T.ACL_FLOAT if to == T.ACL_INT8 else to)
    q, out = by_heads(p.read("query"), layout, own), by_heads(result, layout_out, own)
    q = with_rope(p, q, "queryRope", own)
    kept = p.builder.alloc((of.rows, of.heads, 1) if packed(p) else (of.batches, of.heads, of.rows, 1), T.ACL_FLOAT)
    more = {"lse": statistics(kept, packed(p))} if number(p, "softmaxLseFlag", 0) else {}
    scales = {each: p.read(full(p, each)) for each in SCALES if p.dtype("query") == T.ACL_INT8}
    written: list[tuple[slice, int]] = []
    for each in ends(p) if packed(p) else pieces(p):
        k, v = (x.part(slice(None), slice(None), slice(0, each.columns)) for x in (each.k, each.v))
        count = each.rows.stop - each.rows.start
        whole = Attended(
            q.part(each.batch, slice(None), each.rows), k, v, rules(p, count, each.columns),
            squares(p, each.batch, count, each.columns), scales,
        )  # fmt: skip
        attend(p, whole, out.part(each.batch, slice(None), each.rows),
               {key: x.part(each.batch, slice(None), each.rows) for key, x in more.items()})  # fmt: skip
        written.append((each.batch, each.rows.stop))
    for batch, end in written[-1:] if packed(p) else written:
        for x in (out, *more.values()):
            clear(p, x.part(batch, slice(None), slice(end, of.rows)))
    if to == T.ACL_INT8:
        quantised = p.builder.alloc(result.shape, to)
        rounded(p, out, by_heads(quantised, layout_out, own))
        result = quantised
    p.store("attentionOut", result)
    if more:
        p.store("softmaxLse", kept)


@dataclass(frozen=True)
class EqualRows:
    """Batches with as many rows, and their keys and values."""

    batch: slice
    rows: slice
    k: Operand
    v: Operand
    columns: int
    """as many keys count"""


def pieces(p: Planning) -> list[EqualRows]:
    """All batches together if they are alike, else one after the other."""
    of = queries(p)
    rows = [of.rows] * of.batches if incremental(p) else lengths(p, "actualSeqLengths", [of.rows] * of.batches)
    seen = lengths(p, of_keys(p), key_rows(p))
    alike = len(set(rows)) == 1 and len(set(seen)) == 1 and len(members(p, "key")) == 1
    if alike and not paged(p) and option(p, "keySharedPrefix") is None:
        k, v = keys(p)(0)
        whole = restored(p, "key", k, 0), restored(p, "value", v, 0)
        return [EqualRows(slice(0, of.batches), slice(0, rows[0]), *whole, seen[0])]
    before = 0 if option(p, "keySharedPrefix") is None else shared_length(p)
    return [
        EqualRows(slice(at, at + 1), slice(0, rows[at]), *keys_of(p, at, seen[at]), before + seen[at])
        for at in range(of.batches)
    ]


def ends(p: Planning) -> list[EqualRows]:
    """The batches of packed tensors."""
    own, others = option(p, "actualSeqLengths").values, option(p, "actualSeqLengthsKv").values
    found: list[EqualRows] = []
    for at, (start, end) in enumerate(pairwise((0, *own))):
        if paged(p):
            k, v, count = *keys_of(p, at, others[at]), others[at]
        else:
            first, last = (0, *others)[at : at + 2]
            k, v = (x.part(slice(0, 1), slice(None), slice(first, last)) for x in keys(p)(0))
            count = last - first
        found.append(EqualRows(slice(0, 1), slice(start, end), k, v, count))
    return found


def rules(p: Planning, rows: int, columns: int) -> ScoreRules:
    """How the scores of so many rows and columns are made."""
    mode, off = number(p, "sparseMode", 0), columns - rows
    low, high = off - number(p, "preTokens", 0), off + number(p, "nextTokens", 0)
    bands = {2: Band(high=0), 3: Band(high=off), 4: Band(low, high)}
    precise = number(p, "innerPrecise", 1)
    if compressed(p):
        return ScoreRules(p["scaleValue"], bands[mode], corrects=True)
    return ScoreRules(p["scaleValue"], corrects=bool(precise & 2))


def squares(p: Planning, batch: slice, rows: int, columns: int) -> dict[str, Operand]:
    """The shift and the mask of these batches, as far as the call has them."""
    of, found = queries(p), dict[str, Operand]()
    sizes = (of.batches, of.heads, of.rows, columns)
    if option(p, "pseShift") is not None:
        found["shift"] = spread(p.read(full(p, "pseShift")), sizes)
    if option(p, "attenMask") is not None and not compressed(p):
        mask = p.read(full(p, "attenMask"))
        batches, given, count = mask_sizes(p, mask.shape) or (1, 1, 1)
        found["mask"] = spread(p.builder.reshape(mask, (batches, 1, given, count)), sizes)
    return {name: each.part(batch, slice(None), slice(0, rows)) for name, each in found.items()}


def keys(p: Planning) -> Callable[[int], tuple[Operand, Operand]]:
    """By number of a member, keys and values as (B, N, S, D)."""
    layout, (_, count) = layouts(p)[0], heads(p)

    def of(at: int) -> tuple[Operand, Operand]:
        k, v = (by_heads(eight_bits(p, members(p, name)[at]), layout, count) for name in ("key", "value"))
        return with_rope(p, k, "keyRope", count), v

    return of


def with_rope(p: Planning, x: Operand, name: str, count: int) -> Operand:
    """Queries or keys with their rotary part, if the call has one."""
    if option(p, name) is None:
        return x
    return beside(p, x, by_heads(p.read(full(p, name)), layouts(p)[0], count))


def beside(p: Planning, x: Operand, rope: Operand) -> Operand:
    """Steps that put the rotary part behind the other sizes."""
    size = x.shape[3]
    result = p.builder.alloc((*x.shape[:3], size + rope.shape[3]), x.dtype)
    for source, place in ((x, slice(0, size)), (rope, slice(size, None))):
        p.builder.launch(same, [source], [result.part(slice(None), slice(None), slice(None), place)], moves=True)
    return result


def keys_of(p: Planning, at: int, length: int) -> tuple[Operand, Operand]:
    """Keys and values of a batch, from their blocks and behind their shared prefix."""
    if paged(p):
        k, v = (collected(p, members(p, name)[0], at, length) for name in ("key", "value"))
        rope = option(p, "keyRope")
        return k if rope is None else beside(p, k, collected(p, rope, at, length)), v
    several = len(members(p, "key")) > 1
    own = keys(p)(at if several else 0)
    k, v = own if several else (each.part(slice(at, at + 1)) for each in own)
    k, v = restored(p, "key", k, at), restored(p, "value", v, at)
    if option(p, "keySharedPrefix") is None:
        return k, v
    return joined(p, "keySharedPrefix", k, length), joined(p, "valueSharedPrefix", v, length)


def collected(p: Planning, tensor: Tensor, at: int, length: int) -> Operand:
    """A step that collects the rows of a batch from the blocks of a cache."""
    of = sizes_of_pages(tensor.shape, heads(p)[1])
    cache, table = p.builder.contiguous(tensor), p.read(full(p, "blockTable"))
    size = of.size if len(tensor.shape) == 4 else tensor.shape[2] // of.heads
    split = (of.batches, of.heads, of.rows, size)
    view = cache if len(tensor.shape) == 4 else by_heads(cache, "BSH", of.heads)
    view = replace(view, shape=split)
    blocks = -(-length // of.rows)
    row = table.part(slice(at, at + 1), slice(0, blocks))
    p.builder.launch(check_range, [row], [], name=full(p, "blockTable"), count=of.batches)
    result = p.builder.alloc((1, of.heads, length, size), cache.dtype)
    p.builder.launch(from_blocks, [view, row], [result], moves=True, length=length)
    return result


def from_blocks(cache: Array, table: Array, *, length: int) -> Array:
    """Blocks (blocks, heads, rows, sizes) one behind the other, as far as the length goes."""
    found = np.swapaxes(take(cache, table[0], 0), 0, 1)
    return found.reshape(1, found.shape[0], -1, found.shape[3])[:, :, :length]


def joined(p: Planning, name: str, own: Operand, length: int) -> Operand:
    """A step that puts the shared prefix in front of the rows of a batch."""
    of, before = shared(p, name), shared_length(p)
    prefix = by_heads(p.read(full(p, name)), layouts(p)[0], of.heads).part(slice(0, 1), slice(None), slice(0, before))
    own = own.part(slice(None), slice(None), slice(0, length))
    result = p.builder.alloc((1, of.heads, before + length, own.shape[3]), own.dtype)
    p.builder.launch(in_a_row, [prefix, own], [result], moves=True)
    return result


def in_a_row(prefix: Array, own: Array) -> Array:
    return np.concatenate([prefix, own], 2)
