"""Functions of a list of tensors and a host scalar for each, of two lists, and powers."""

from typing import Any

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.ops.foreach._generated import foreach
from aclnn.ops.foreach.by_scalar import divided, larger, lessened, scaled, shifted, smaller


def power(x: Array, by: Any) -> Array:
    return np.power(x, by) if x.dtype.kind == "f" else whole_power(x, by)


def whole_power(x: Array, by: Any) -> Array:
    """Negative exponents give 0, as all magnitudes from 2 on do."""
    base, exponent = np.broadcast_arrays(x, np.asarray(by, np.int32))
    inverse = np.where(base == 1, 1, np.where(base == -1, np.where(exponent % 2, -1, 1), 0))
    return np.where(exponent < 0, inverse, np.power(base, np.maximum(exponent, 0))).astype(np.int32)


def raised(x: Array, *, by: Any) -> Array:
    return power(x, by)


def exponential(x: Array, *, by: Any) -> Array:
    return power(np.asarray(by, x.dtype), x)


add_scalar_list = foreach(
    __name__, "aclnnForeachAddScalarList", "x", by="scalars", formula=shifted, doc="out = x + scalar, of each tensor"
)
sub_scalar_list = foreach(
    __name__, "aclnnForeachSubScalarList", "x", by="scalars", formula=lessened, doc="out = x - scalar, of each tensor"
)
mul_scalar_list = foreach(
    __name__, "aclnnForeachMulScalarList", "x", by="scalars", formula=scaled, doc="out = x * scalar, of each tensor"
)
div_scalar_list = foreach(
    __name__, "aclnnForeachDivScalarList", "x", by="scalars", formula=divided, doc="out = x / scalar, of each tensor"
)
maximum_scalar_list = foreach(
    __name__,
    "aclnnForeachMaximumScalarList",
    "x",
    by="scalars",
    formula=larger,
    doc="out = the larger of x and scalar, of each tensor",
)
minimum_scalar_list = foreach(
    __name__,
    "aclnnForeachMinimumScalarList",
    "x",
    by="scalars",
    formula=smaller,
    doc="out = the smaller of x and scalar, of each tensor",
)
pow_scalar_list = foreach(
    __name__,
    "aclnnForeachPowScalarList",
    "x",
    by="scalars",
    formula=raised,
    doc="out = x to the power of scalar, of each tensor",
)
maximum_list = foreach(
    __name__,
    "aclnnForeachMaximumList",
    "x1",
    "x2",
    formula=np.maximum,
    doc="out = the larger of x1 and x2, of each tensor",
)
minimum_list = foreach(
    __name__,
    "aclnnForeachMinimumList",
    "x1",
    "x2",
    formula=np.minimum,
    doc="out = the smaller of x1 and x2, of each tensor",
)
pow_list = foreach(
    __name__, "aclnnForeachPowList", "x1", "x2", formula=power, doc="out = x1 to the power of x2, of each tensor"
)
pow_scalar_and_tensor = foreach(
    __name__, "aclnnForeachPowScalarAndTensor", "x", by="scalar", formula=exponential,
    doc="out = scalar to the power of x, of each tensor",
)  # fmt: skip
