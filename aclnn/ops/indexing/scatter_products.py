"""ScatterMul, ScatterDiv, ScatterMax and ScatterMin, which combine slices of a tensor with updates. Only Ascend 950 has
them. The order of the checks is ours."""

from math import prod

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, TILING, Arguments, Array, Kernel, Operator, Planning, Relation, apart_from, by, empty,
    in_memory, in_order, is_float, lacks, listed, ranks, row_slices, same_dtype, shape, widen,
)  # fmt: skip
from aclnn.ops.indexing._family import Shape, of_slices, watch


def slices(a: Arguments) -> Shape:
    return a.shape("indices") + a.shape("varRef")[1:]


@by(of_slices)
def one_by_one(x: Array, indices: Array, updates: Array, *, ufunc: np.ufunc) -> Array:
    """Results in the order of the indices, because each one is rounded."""
    rows, out = indices.reshape(-1), np.array(x)
    good = (rows >= 0) & (rows < len(x))
    ufunc.at(out, rows[good], updates.reshape(len(rows), *x.shape[1:])[good])
    return out


@in_memory
def extreme(x: Array, indices: Array, updates: Array, *, out: Array, ufunc: np.ufunc) -> None:
    """Updates are sorted by their row, so that all updates of a row are reduced at once."""
    rows, updates = apart_from([out], indices).reshape(-1), apart_from([out], updates)
    out[...] = x
    keys = rows.astype(np.min_scalar_type(len(x)))  # numpy sorts short integers in linear time
    rows_of_updates = updates.reshape(len(rows), *x.shape[1:])
    for _, places in in_order(keys):
        order = places[(rows[places] >= 0) & (rows[places] < len(x))]
        for part in row_slices(len(order), prod(x.shape[1:])):
            chosen = order[part]
            targets = rows[chosen]
            starts = np.flatnonzero(np.concatenate([[True], targets[1:] != targets[:-1]]))
            targets = targets[starts]
            result = ufunc(widen(out[targets]), ufunc.reduceat(widen(rows_of_updates[chosen]), starts, axis=0))
            out[targets] = result.astype(out.dtype)


def combining(
    stem: str, kernel: Kernel, doc: str, status: int, *besides: Relation, **attributes: np.ufunc
) -> Operator:  # fmt: skip
    """An operator of this module. `status`: the status for updates of a wrong shape."""

    def plan(p: Planning) -> None:
        x, indices, updates = (p.read(name) for name in ("varRef", "indices", "updates"))
        watch(p, indices, "indices", x.shape[0])
        p.store("varRef", p.step(kernel, [x, indices, updates], x.shape, x.dtype, moves=False, **attributes))

    relations = (
        *besides, listed("varRef", "indices", "updates"), same_dtype("updates", "varRef"),
        ranks("varRef", "indices", "updates", least=1, most=8),
        shape("updates", "{0} has a slice of varRef for each element of indices", slices, status=status),
        empty("varRef", "indices", "updates"),
    )  # fmt: skip
    return Operator((f"aclnn{stem}",), relations, plan, doc, __name__)


times = combining(
    "ScatterMul", one_by_one, "varRef at indices is multiplied by updates", TILING, ufunc=np.multiply
)  # fmt: skip
quotient = combining(
    "ScatterDiv", one_by_one, "varRef at indices is divided by updates", TILING,
    lacks("integers", lambda a: not is_float(a.dtype("varRef"))), ufunc=np.divide,
)  # fmt: skip
largest = combining(
    "ScatterMax", extreme, "varRef at indices = the larger of varRef and updates", TILING, ufunc=np.maximum
)  # fmt: skip
smallest = combining(
    "ScatterMin", extreme, "varRef at indices = the smaller of varRef and updates", ACLNN_ERR_PARAM_INVALID,
    ufunc=np.minimum,
)  # fmt: skip
