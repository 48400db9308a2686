"""IndexFill and IndexFillTensor, which fill slices along a dimension with a value."""

from typing import Any

import numpy as np

from aclnn.op import (
    Arguments, Array, Bad, Operand, Planning, Relation, Series, T, apart_from, axis, demand, empty, in_memory, legal,
    listed, planned, ranks, real_type, row_slices, same_dtype, same_shape,
)  # fmt: skip
from aclnn.ops.indexing._family import Shape, copied, watch
from aclnn.ops.indexing.slices import length


def if_elements(name: str, *relations: Relation) -> tuple[Relation, ...]:
    """Relations that are checked only if a tensor has elements; without elements the call succeeds at once."""
    return (empty(name), *relations)


def fill_slices(p: Planning, index: Operand | None, positions: Shape, value: Any) -> None:
    x, axis = p.one_dimension(p.read("self")), p.axis("dim", "self")
    inputs = [x] if index is None else [x, index]
    if index is not None:
        watch(p, index, "index", x.shape[axis], negative=True)
    p.store(
        "out", p.step(slices_filled, inputs, x.shape, x.dtype, moves=True, axis=axis, positions=positions, value=value)
    )


@planned(
    "aclnnIndexFill", "aclnnInplaceIndexFill", listed("self"), same_dtype("out", "self"), listed("index"),
    *if_elements("self", same_shape("out", "self"), ranks("self", least=0, most=8), axis("dim", "self")),
    empty("index", plan=copied),
)  # fmt: skip
def index_fill(p: Planning) -> None:
    """out = self with value at the positions of index along dim"""
    fill_slices(p, p.read("index"), (), p.scalar("value", p.dtype("self")))


def known_positions(a: Arguments) -> Bad:
    size, values = length(a.shape("self"), a.axis("dim", "self")), a["index"].values
    fits = all(-size <= value < size for value in values)
    return None if fits else (list(values), f"[{-size}, {size - 1}]")


@planned(
    "aclnnIndexFillTensor", "aclnnInplaceIndexFillTensor", listed("self"), same_dtype("out", "self"),
    *if_elements("self", same_shape("out", "self"), ranks("self", least=0, most=8), axis("dim", "self"),
                 demand("each number of {0} is a position of self along dim", "index", "self", bad=known_positions),
                 real_type("value")),
)  # fmt: skip
def index_fill_tensor(p: Planning) -> None:
    """out = self with value at the positions of index, an array, along dim. Before Ascend 950 the value is read as
    float."""
    positions, dtype = p["index"].values, p.dtype("self")
    if not positions:
        p.store("out", p.read("self"))
        return
    if p.soc.series is Series.A950:
        fill_slices(p, None, positions, p.scalar("value", dtype))
        return
    single = p.constant("value", T.ACL_FLOAT)
    x, axis = p.one_dimension(p.read("self")), p.axis("dim", "self")
    inputs = [x, p.builder.cast(single, dtype)]
    p.store("out", p.step(slices_set, inputs, x.shape, dtype, moves=True, axis=axis, positions=positions))


@in_memory
def slices_filled(x: Array, *index: Array, out: Array, axis: int, positions: Shape, value: Any) -> None:
    places = apart_from([out], index[0]).reshape(-1) if index else np.array(positions)
    out[...] = x
    for part in row_slices(len(places)):
        good = legal(places[part], x.shape[axis], negative=True)
        out[(slice(None),) * axis + (places[part] if good is None else places[part][good],)] = value


@in_memory
def slices_set(x: Array, value: Array, *, out: Array, axis: int, positions: Shape) -> None:
    slices_filled(x, out=out, axis=axis, positions=positions, value=np.array(value)[()])
