"""MaskedSelect and InplaceMaskedScatter, with a mask, and InplacePut, with row-major positions."""

import numpy as np

from aclnn.op import Wording
from aclnn.op import (
    Arguments, Array, Bad, Planning, T, apart_from, broadcast, broadcast_into, broadcast_shape, demand, empty,
    in_memory, listed, out_of_range, part_of, planned, ranks, row_slices, same_dtype, write_into,
)  # fmt: skip
from aclnn.ops.indexing._family import Shape, of_type, summed, watch


def joint_shape(a: Arguments) -> Shape:
    return broadcast_shape(a.shape("self"), a.shape("mask")) or ()


def other_count(a: Arguments) -> Bad:
    count, expected_count = a["out"].numel, int(np.prod(joint_shape(a), dtype=object))
    return (
        None if count == expected_count else (f"{count} elements", f"{expected_count}, as self and mask have together")
    )


@planned(
    "aclnnMaskedSelect", listed("self", "mask", "out"), ranks("self", "mask", least=0, most=8),
    broadcast("self", "mask"), ranks("out", least=1, most=1),
    demand("{0} has as many elements as self and mask together", "out", "self", "mask", bad=other_count),
    empty("self", "mask", "out"),
)  # fmt: skip
def masked_select(p: Planning) -> None:
    """out = the elements of self where mask is true, in row-major order. The view shape of out becomes (count,) when
    the operator has run."""
    x, mask = p.read("self", p.dtype("out")), p.read("mask")
    p.size(selected, [x, mask], "out", (p["out"].numel,))


def selected(x: Array, mask: Array) -> Array:
    values, chosen = np.broadcast_arrays(x, mask)
    return values[chosen != 0]


@planned(
    "aclnnInplaceMaskedScatter", listed("selfRef", "mask"), same_dtype("source", "selfRef"),
    ranks("selfRef", "mask", "source", least=0, most=8), broadcast_into("mask", "selfRef"), empty("selfRef", "mask"),
)  # fmt: skip
def masked_scatter(p: Planning) -> None:
    """selfRef where mask is true = the first elements of source, in row-major order"""
    x = p.read("selfRef")
    inputs = [x, p.read("mask"), p.read("source")]
    p.store("selfRef", p.step(filled_in, inputs, x.shape, x.dtype, moves=True))


@in_memory
def filled_in(x: Array, mask: Array, source: Array, *, out: Array) -> None:
    mask, source = apart_from([out], mask), apart_from([out], source)
    count = int(np.count_nonzero(mask)) * (x.size // mask.size)
    if count > source.size:
        text = Wording("mask is true for {count} elements, source has {size}.", count=count, size=source.size)
        raise out_of_range("source", text)
    out[...] = x
    chosen, flat, values, start = np.broadcast_to(mask, x.shape), out.reshape(-1), source.reshape(-1), 0
    for part in row_slices(x.size):
        places = np.flatnonzero(part_of(chosen, part))
        flat[part][places] = values[start : start + len(places)]
        start += len(places)


def other_source_count(a: Arguments) -> Bad:
    count, expected_count = a["source"].numel, a["index"].numel
    return None if count == expected_count else (f"{count} elements", f"{expected_count}, as index has")


def empty_target(a: Arguments) -> Bad:
    bad = a["index"].numel and not a["selfRef"].numel
    return (list(a.shape("selfRef")), "elements, as index has") if bad else None


def bfloat16_sum(a: Arguments) -> Bad:
    bad = a.dtype("selfRef") == T.ACL_BF16 and a["accumulate"]
    return (a.type_name("selfRef"), "another data type, as accumulate is true") if bad else None


@planned(
    "aclnnInplacePut", listed("selfRef"),
    demand("the data type of {0} is not BFLOAT16 if accumulate is true", "selfRef", "accumulate", bad=bfloat16_sum),
    listed("index"), same_dtype("source", "selfRef"), ranks("selfRef", "index", least=0, most=8),
    demand("{0} has an element for each position", "source", "index", bad=other_source_count),
    demand("{0} has elements if index has elements", "selfRef", "index", bad=empty_target), empty("index"),
)  # fmt: skip
def put(p: Planning) -> None:
    """selfRef at the positions of index = source; or source is added, if accumulate is true. Positions are counted in
    row-major order"""
    x, index, adds = p.read("selfRef"), p.read("index"), p["accumulate"]
    x = summed(p, x) if adds else x
    watch(p, index, "index", p["selfRef"].numel)
    p.store("selfRef", p.step(put_at, [x, index, p.read("source")], x.shape, x.dtype, moves=not adds, adds=adds))


@in_memory
def put_at(x: Array, index: Array, source: Array, *, out: Array, adds: bool) -> None:
    index, source = apart_from([out], index).reshape(-1), apart_from([out], source).reshape(-1)
    out[...] = x
    for part in row_slices(index.size):
        write_into(out.reshape(-1), index[part], of_type(source[part], out), adds=adds)
