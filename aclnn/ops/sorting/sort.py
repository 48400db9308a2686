"""Sort: values in order along a dimension, and where they were."""

import numpy as np

from acl_runtime.headers.dtypes import Array, dtype_name
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_NULLPTR
from acl_runtime.objects.soc import Series
from aclnn.engine.arguments import Arguments
from aclnn.engine.operator import planned
from aclnn.engine.parameters import DataTypes
from aclnn.engine.planning import Planning
from aclnn.engine.words.shapes import axis, same_shape
from aclnn.engine.words.types import listed
from aclnn.engine.words.values import demand, empty

T = aclDataType
TYPES = (
    T.ACL_FLOAT16, T.ACL_FLOAT, T.ACL_BF16, T.ACL_UINT8, T.ACL_INT8, T.ACL_INT16, T.ACL_INT32, T.ACL_INT64, T.ACL_BOOL,
)  # fmt: skip
ON_950 = {Series.A950: (*TYPES, T.ACL_UINT16, T.ACL_UINT32, T.ACL_UINT64)}
GIVEN = DataTypes(TYPES, on=ON_950)
SORTED = DataTypes((*TYPES, T.ACL_DOUBLE), on=ON_950)


def length(a: Arguments) -> int | None:
    """Of the dimension that is sorted; None for a 0-d tensor."""
    return a.shape("self")[a.axis("dim", "self")] if a.rank("self") else None


def copied(a: Arguments) -> tuple[object, object] | None:
    """ "Axis length 1: values copied (type must match)"."""
    if length(a) != 1 or a.dtype("self") == a.dtype("valuesOut"):
        return None
    return a.type_name("valuesOut"), f"{a.type_name('self')}, as self, where dim has the size 1"


@planned(
    "aclnnSort", listed("self", among=GIVEN), listed("valuesOut", among=SORTED),
    listed("indicesOut", among=(T.ACL_INT64,)), axis("dim", "self"), same_shape("valuesOut", "self"),
    same_shape("indicesOut", "self"), empty("self"),
    demand(
        "{0} has the data type of self if dim has the size 1", "valuesOut", "self", bad=copied,
        status=ACLNN_ERR_PARAM_NULLPTR, provenance="public",
    ),
)  # fmt: skip
def sort(p: Planning) -> None:
    """valuesOut = self sorted along dim, indicesOut = the positions that the values had. NaN counts as the largest
    value. Equal values stay in their order, also if `stable` is false and if `descending` is true."""
    given, dtype = p.read("self"), p.dtype("self")
    if dtype == T.ACL_BF16 and not p.soc.bfloat16:
        raise p.builder.failed(f"Sort has no kernel for {dtype_name(dtype)}.")
    if dtype == T.ACL_FLOAT and p.soc.series is Series.TRAINING and (length(p) or 1) > 1:
        given = p.builder.cast(given, T.ACL_FLOAT16)  # "910: aclnnSort computes f32 in f16"
    results = [(given.shape, given.dtype), (given.shape, T.ACL_INT64)]
    at = p.axis("dim", "self")
    values, indices = p.steps(ordered, [given], results, moves=True, axis=at, descending=p["descending"])
    p.store("valuesOut", values)
    p.store("indicesOut", indices)


def ordered(self: Array, *, axis: int, descending: bool) -> tuple[Array, Array]:
    """Values and positions. Values are copied bit for bit."""
    if not self.ndim:
        return self, np.zeros((), np.int64)
    keys = self.astype(np.float32) if self.dtype.kind == "V" else self
    if descending:  # sorted backwards: so equal values keep their order
        backwards = np.argsort(np.flip(keys, axis), axis, kind="stable")
        places = np.flip(self.shape[axis] - 1 - backwards, axis)
    else:
        places = np.argsort(keys, axis, kind="stable")
    return np.take_along_axis(self, places, axis), places
