"""IndexAdd, IndexCopy: slices along a dimension that go to the positions of a one-dimensional index."""

from math import prod
from typing import Any

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, QUICK, Arguments, Array, Bad, Planning, Relation, T, apart_from, axis, castable, demand,
    empty, in_memory, in_parts, is_float, legal, listed, may_be_in_place, out_of_place, overwrites, planned, ranks,
    reads, row_slices, same_dtype, same_format, same_shape, write,
)  # fmt: skip
from aclnn.ops.indexing._family import Shape, watch


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
        empty("self", "source"), may_be_in_place(),
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
           status=ACLNN_ERR_INNER_NULLPTR, broken="{0} is 0, and dim is not the first dimension of a matrix"),
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


@in_parts("at", whole=[1], times=QUICK)
def slices_added(x: Array, index: Array, source: Array, *, at: int, alpha: Any) -> Array:
    return write(x, index, source * np.asarray(alpha, source.dtype), at, adds=True)


# IndexCopy


def one_position(a: Arguments) -> Bad:
    bad = not a.rank("source") and a["index"].numel != 1
    return (f"{a['index'].numel} positions", "1, as source has no dimensions") if bad else None


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
    "aclnnIndexCopy", reads("selfRef"), overwrites("outRef"), *COPYING,
    out_of_place(same_format("outRef", "selfRef", provenance="document")),
    empty("selfRef", "index"),
)  # fmt: skip
def index_copy(p: Planning) -> None:
    """outRef = selfRef, with the slices of source at the positions of index along dim. selfRef stays as it is."""
    copy_slices(p, "outRef")


@in_memory
def slices_copied(x: Array, index: Array, source: Array, *, out: Array, at: int) -> None:
    index, source = apart_from([out], index), apart_from([out], source)
    out[...] = x
    rows, given = np.moveaxis(out, at, 0), np.moveaxis(source, at, 0) if source.ndim == x.ndim else source
    for part in row_slices(len(index), prod(rows.shape[1:])):
        good = legal(index[part], len(rows))
        own = given[part] if given.ndim else given
        rows[index[part] if good is None else index[part][good]] = own if good is None else own[good]
