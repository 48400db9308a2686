"""IndexAdd, IndexCopy, IndexFill: slices along a dimension that go to the positions of a one-dimensional index."""

from typing import Any

import numpy as np

from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.statuses import ACLNN_ERR_INNER_NULLPTR
from aclnn.engine.declaration import Op
from aclnn.engine.numbers.promotion import is_complex, is_float
from aclnn.engine.plan_builder import Operand, PlanBuilder
from aclnn.engine.relation import Relation
from aclnn.engine.words.values import out_of_place
from aclnn.op import (
    Arguments,
    Array,
    Planning,
    Series,
    axis,
    castable,
    demand,
    empty,
    listed,
    planned,
    ranks,
    same_dtype,
    same_shape,
)  # fmt: skip
from aclnn.ops.indexing._family import Bad, Shape, legal, watch

T = aclDataType


def length(shape: Shape, at: int) -> int:
    return shape[at] if shape else 1


def alike_off_dim(of: str) -> Relation:
    """source has the sizes of a tensor, except along dim. A 0-d tensor has one of size 1."""

    def bad(a: Arguments) -> Bad:
        given, found, at = a.shape(of) or (1,), a.shape("source") or (1,), a.axis("dim", of)
        fits = len(given) == len(found) and given[:at] + given[at + 1 :] == found[:at] + found[at + 1 :]
        return None if fits else (list(found), f"{list(given)} outside of dimension {at}")

    return demand("{0} has the sizes of {1} outside of dim", "source", of, bad=bad)


def ranks_of_source(of: str, *, lone: bool) -> Relation:
    """source has as many dimensions as a tensor, unless that has none (`lone`: or unless source has none)."""

    def bad(a: Arguments) -> Bad:
        found, wanted = a.rank("source"), a.rank(of)
        fits = found == wanted or not wanted or (lone and not found)
        return None if fits else (f"{found} dimensions", f"{wanted}, as {a.name(of)} has")

    return demand("{0} has as many dimensions as {1}", "source", of, bad=bad)


def a_slice_each(a: Arguments, of: str) -> Bad:
    found, wanted = a["index"].numel, length(a.shape("source"), a.axis("dim", of))
    return None if found == wanted else (f"{found} positions", f"{wanted}, as source has slices")


def numbered(of: str, *, lone: bool = False) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if lone and not a.rank("source") else a_slice_each(a, of)

    return demand("{0} has a position for each slice of source", "index", "source", bad=bad)


# IndexAdd


def adding(*, listed_only: tuple[Relation, ...], more: tuple[Relation, ...] = ()) -> tuple[Relation, ...]:
    return (
        listed("self"), *listed_only, listed("index"), same_dtype("source", "self"), same_dtype("out", "self"), *more,
        ranks("self", "source", least=0, most=8), axis("dim", "self"), ranks_of_source("self", lone=False),
        alike_off_dim("self"), ranks("index", least=0, most=1), numbered("self"), same_shape("out", "self"),
        empty("self", "source"),
    )  # fmt: skip


def add_slices(p: Planning, dtype: int, alpha: Any) -> None:
    x, index, source = (p.one_dimension(p.read(name)) for name in ("self", "index", "source"))
    at = p.axis("dim", "self")
    watch(p, index, "index", x.shape[at])
    given = [p.builder.cast(x, dtype), index, p.builder.cast(source, dtype)]
    p.store("out", p.step(slices_added, given, x.shape, dtype, at=at, alpha=alpha))


@planned("aclnnIndexAdd", *adding(listed_only=()))
def index_add(p: Planning) -> None:
    """out = self with alpha times the slices of source added at the positions of index along dim. 16-bit floats are
    added up in float32."""
    dtype = p.dtype("self")
    add_slices(p, dtype, p.number("alpha", dtype))


def zero_dim(a: Arguments) -> Bad:
    return (a["dim"], "0, as self has no dimensions") if not a.rank("self") and a["dim"] else None


def quick(a: Arguments) -> Bad:
    """Mode 0 can only do these calls."""
    types = (T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_INT32, T.ACL_INT16, T.ACL_BF16)
    fits = a["mode"] or (a.rank("self") == 2 and a.rank("index") == 1 and a["dim"] in (0, -2)
                         and a.dtype("self") in types)  # fmt: skip
    return None if fits else (a["mode"], "another mode for this call")


@planned(
    "aclnnIndexAddV2",
    *adding(listed_only=(), more=(castable("alpha", "self"),))[:-1],
    demand("{0} is 0 if self has no dimensions", "dim", "self", bad=zero_dim), empty("self", "source"),
    demand("{0} is 0 only for the first dimension of a matrix", "mode", "self", "index", bad=quick,
           status=ACLNN_ERR_INNER_NULLPTR),
)  # fmt: skip
def index_add_v2(p: Planning) -> None:
    """out = self with alpha times the slices of source added at the positions of index along dim. In mode 0 alpha does
    not count. In other modes floats are computed in double."""
    dtype = p.dtype("self")
    if not p["mode"]:
        add_slices(p, T.ACL_FLOAT if is_float(dtype) else T.ACL_INT32, 1)
    else:
        wide = T.ACL_DOUBLE if is_float(dtype) else dtype
        add_slices(p, wide, p.number("alpha", wide))


def slices_added(x: Array, index: Array, source: Array, *, at: int, alpha: Any) -> Array:
    good = legal(index, x.shape[at])
    rows, terms = np.moveaxis(np.array(x), at, 0), np.moveaxis(source * np.asarray(alpha, source.dtype), at, 0)
    np.add.at(rows, *((index, terms) if good is None else (index[good], terms[good])))
    return np.moveaxis(rows, 0, at)


# IndexCopy


def one_position(a: Arguments) -> Bad:
    bad = not a.rank("source") and a["index"].numel != 1
    return (f"{a['index'].numel} positions", "1, as source has no dimensions") if bad else None


def one_storage(a: Arguments) -> Bad:
    found, wanted = a["outRef"].storage_format, a["selfRef"].storage_format
    return None if found == wanted else (found, wanted)


COPYING = (
    listed("selfRef"), listed("index"), same_dtype("source", "selfRef"),
    out_of_place(same_dtype("outRef", "selfRef")), ranks("selfRef", "source", least=0, most=8),
    ranks("index", least=0, most=1), out_of_place(same_shape("outRef", "selfRef")),
    demand("{0} has one position if source has no dimensions", "index", "source", bad=one_position),
    ranks_of_source("selfRef", lone=True), axis("dim", "selfRef"), alike_off_dim("selfRef"),
    numbered("selfRef", lone=True),
)  # fmt: skip


def copy_slices(p: Planning, to: str) -> None:
    x, index, source = (p.one_dimension(p.read(name)) for name in ("selfRef", "index", "source"))
    at = p.axis("dim", "selfRef")
    watch(p, index, "index", x.shape[at])
    p.store(to, p.step(slices_copied, [x, index, source], x.shape, x.dtype, moves=True, at=at))


@planned("aclnnInplaceIndexCopy", *COPYING, empty("selfRef", "index"))
def inplace_index_copy(p: Planning) -> None:
    """selfRef at the positions of index along dim = the slices of source"""
    copy_slices(p, "selfRef")


@planned(
    "aclnnIndexCopy", *COPYING,
    out_of_place(demand("{0} has the storage format of selfRef", "outRef", "selfRef", bad=one_storage)),
    empty("selfRef", "index"),
)  # fmt: skip
def index_copy(p: Planning) -> None:
    """outRef = selfRef, with the slices of source at the positions of index along dim. selfRef stays as it is."""
    copy_slices(p, "outRef")


def slices_copied(x: Array, index: Array, source: Array, *, at: int) -> Array:
    good = legal(index, x.shape[at])
    out = np.array(x)
    rows, given = np.moveaxis(out, at, 0), np.moveaxis(source, at, 0) if source.ndim == x.ndim else source
    rows[index if good is None else index[good]] = given if good is None else given[good]
    return out


# IndexFill


def whole_copy(call: Op, builder: PlanBuilder) -> None:
    p = Planning(call, builder)
    if p["self"].numel:
        p.store("out", p.read("self"))


def if_elements(name: str, *relations: Relation) -> tuple[Relation, ...]:
    """These checks, if self has elements; without elements there is nothing to do, and they are left out."""
    return (empty(name), *relations)


def fill_slices(p: Planning, index: Operand | None, positions: Shape, value: Any) -> None:
    x, at = p.one_dimension(p.read("self")), p.axis("dim", "self")
    inputs = [x] if index is None else [x, index]
    if index is not None:
        watch(p, index, "index", x.shape[at], negative=True)
    p.store("out", p.step(slices_filled, inputs, x.shape, x.dtype, moves=True, at=at, positions=positions, value=value))


@planned(
    "aclnnIndexFill", "aclnnInplaceIndexFill", listed("self"), same_dtype("out", "self"), listed("index"),
    *if_elements("self", same_shape("out", "self"), ranks("self", least=0, most=8), axis("dim", "self")),
    empty("index", plan=whole_copy),
)  # fmt: skip
def index_fill(p: Planning) -> None:
    """out = self with value at the positions of index along dim"""
    fill_slices(p, p.read("index"), (), p.scalar("value", p.dtype("self")))


def known_positions(a: Arguments) -> Bad:
    size, values = length(a.shape("self"), a.axis("dim", "self")), a["index"].values
    fits = all(-size <= each < size for each in values)
    return None if fits else (list(values), f"[{-size}, {size - 1}]")


def real_value(a: Arguments) -> Bad:
    return (a.type_name("value"), "a real data type") if is_complex(a.dtype("value")) else None


def copy_if_none(a: Arguments) -> bool:
    return not a["index"].values


@planned(
    "aclnnIndexFillTensor", "aclnnInplaceIndexFillTensor", listed("self"), same_dtype("out", "self"),
    *if_elements("self", same_shape("out", "self"), ranks("self", least=0, most=8), axis("dim", "self"),
                 demand("{0} are positions of self along dim", "index", "self", bad=known_positions),
                 demand("{0} is real", "value", bad=real_value)),
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
    x, at = p.one_dimension(p.read("self")), p.axis("dim", "self")
    inputs = [x, p.builder.cast(single, dtype)]
    p.store("out", p.step(slices_set, inputs, x.shape, dtype, moves=True, at=at, positions=positions))


def slices_filled(x: Array, *index: Array, at: int, positions: Shape, value: Any) -> Array:
    places = index[0].reshape(-1) if index else np.array(positions)
    good = legal(places, x.shape[at], negative=True)
    out = np.array(x)
    out[(slice(None),) * at + (places if good is None else places[good],)] = value
    return out


def slices_set(x: Array, value: Array, *, at: int, positions: Shape) -> Array:
    return slices_filled(x, at=at, positions=positions, value=value[()])
