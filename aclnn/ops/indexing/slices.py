"""IndexAdd and IndexCopy, which write slices along a dimension to the positions of a one-dimensional index."""

from math import prod
from typing import Any

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, QUICK, Arguments, Array, Bad, Planning, Relation, T, apart_from, axis, castable, demand,
    empty, in_memory, in_parts, is_float, legal, listed, may_be_in_place, out_of_place, overwrites, planned, ranks,
    reads, row_slices, same_dtype, same_format, same_shape, write,
)  # fmt: skip
from aclnn.ops.indexing._family import Shape, watch


def length(shape: Shape, axis: int) -> int:
    return shape[axis] if shape else 1


def alike_off_dim(reference: str) -> Relation:
    """Checks that source has the sizes of a tensor, except along dim. A 0-d tensor counts as one of shape (1)."""

    def bad(a: Arguments) -> Bad:
        target_shape, source_shape, axis = (
            a.shape(reference) or (1,),
            a.shape("source") or (1,),
            a.axis("dim", reference),
        )
        fits = (
            len(target_shape) == len(source_shape)
            and target_shape[:axis] + target_shape[axis + 1 :] == source_shape[:axis] + source_shape[axis + 1 :]
        )
        return None if fits else (list(source_shape), f"{list(target_shape)} outside of dimension {axis}")

    return demand("{0} has the sizes of {1} except along dim", "source", reference, bad=bad)


def ranks_of_source(reference: str, *, lone: bool) -> Relation:
    """Checks that source has as many dimensions as a tensor that is not 0-d. `lone`: a 0-d source is accepted too."""

    def bad(a: Arguments) -> Bad:
        rank, expected_rank = a.rank("source"), a.rank(reference)
        fits = rank == expected_rank or not expected_rank or (lone and not rank)
        return None if fits else (f"{rank} dimensions", f"{expected_rank}, as {a.name(reference)} has")

    return demand("{0} has as many dimensions as {1}", "source", reference, bad=bad)


def a_slice_each(a: Arguments, reference: str) -> Bad:
    count, expected_count = a["index"].numel, length(a.shape("source"), a.axis("dim", reference))
    return None if count == expected_count else (f"{count} positions", f"{expected_count}, the slices of source")


def numbered(reference: str, *, lone: bool = False) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if lone and not a.rank("source") else a_slice_each(a, reference)

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
    axis = p.axis("dim", "self")
    watch(p, index, "index", x.shape[axis])
    inputs = [p.builder.cast(x, dtype), index, p.builder.cast(source, dtype)]
    p.store("out", p.step(slices_added, inputs, x.shape, dtype, axis=axis, alpha=alpha))


@planned("aclnnIndexAdd", *adding(listed_only=()))
def index_add(p: Planning) -> None:
    """out = self with alpha times the slices of source added at the positions of index along dim. 16-bit floats are
    added up in float32."""
    dtype = p.dtype("self")
    add_slices(p, dtype, p.number("alpha", dtype))


def zero_dim(a: Arguments) -> Bad:
    return (a["dim"], "0, as self has no dimensions") if not a.rank("self") and a["dim"] else None


def wrong_mode_0(a: Arguments) -> Bad:
    """Checks that mode 0 supports the call."""
    types = (T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_INT32, T.ACL_INT16, T.ACL_BF16)
    fits = a["mode"] or (a.rank("self") == 2 and a.rank("index") == 1 and a["dim"] in (0, -2)
                         and a.dtype("self") in types)  # fmt: skip
    return None if fits else (a["mode"], "another mode for this call")


@planned(
    "aclnnIndexAddV2",
    *adding(listed_only=(), more=(castable("alpha", "self"),))[:-1],
    demand("{0} is 0 if self has no dimensions", "dim", "self", bad=zero_dim), empty("self", "source"),
    demand("{0} is 0 only for the first dimension of a matrix", "mode", "self", "index", bad=wrong_mode_0,
           status=ACLNN_ERR_INNER_NULLPTR, broken="{0} is 0, and dim is not the first dimension of a matrix"),
)  # fmt: skip
def index_add_v2(p: Planning) -> None:
    """out = self with alpha times the slices of source added at the positions of index along dim. Mode 0 ignores alpha.
    In other modes floats are computed in DOUBLE."""
    dtype = p.dtype("self")
    if not p["mode"]:
        add_slices(p, T.ACL_FLOAT if is_float(dtype) else T.ACL_INT32, 1)
    else:
        wide = T.ACL_DOUBLE if is_float(dtype) else dtype
        add_slices(p, wide, p.number("alpha", wide))


@in_parts("axis", whole=[1], times=QUICK)
def slices_added(x: Array, index: Array, source: Array, *, axis: int, alpha: Any) -> Array:
    return write(x, index, source * np.asarray(alpha, source.dtype), axis, adds=True)


# IndexCopy


def several_positions(a: Arguments) -> Bad:
    bad = not a.rank("source") and a["index"].numel != 1
    return (f"{a['index'].numel} positions", "1, as source has no dimensions") if bad else None


COPYING = (
    listed("selfRef"), listed("index"), same_dtype("source", "selfRef"),
    out_of_place(same_dtype("outRef", "selfRef")), ranks("selfRef", "source", least=0, most=8),
    ranks("index", least=0, most=1), out_of_place(same_shape("outRef", "selfRef")),
    demand("{0} has one position if source has no dimensions", "index", "source", bad=several_positions),
    ranks_of_source("selfRef", lone=True), axis("dim", "selfRef"), alike_off_dim("selfRef"),
    numbered("selfRef", lone=True),
)  # fmt: skip


def copy_slices(p: Planning, out: str) -> None:
    x, index, source = (p.one_dimension(p.read(name)) for name in ("selfRef", "index", "source"))
    axis = p.axis("dim", "selfRef")
    watch(p, index, "index", x.shape[axis])
    p.store(out, p.step(slices_copied, [x, index, source], x.shape, x.dtype, moves=True, axis=axis))


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
    """outRef = selfRef, with the slices of source at the positions of index along dim. selfRef is not changed."""
    copy_slices(p, "outRef")


@in_memory
def slices_copied(x: Array, index: Array, source: Array, *, out: Array, axis: int) -> None:
    index, source = apart_from([out], index), apart_from([out], source)
    out[...] = x
    rows, sources = np.moveaxis(out, axis, 0), np.moveaxis(source, axis, 0) if source.ndim == x.ndim else source
    for part in row_slices(len(index), prod(rows.shape[1:])):
        good = legal(index[part], len(rows))
        values = sources[part] if sources.ndim else sources
        rows[index[part] if good is None else index[part][good]] = values if good is None else values[good]
