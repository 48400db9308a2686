"""One operation on each tensor of a list.

The operators of this family that the library writes by hand (`by_scalar`) refuse a wrong call with 161002, those that
it generates (all others) most wrong calls with 561002.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "by_scalar": (
        "aclnnForeachAddListV2", "aclnnForeachAddScalarV2", "aclnnForeachAddcdivScalarV2",
        "aclnnForeachAddcmulScalarV2", "aclnnForeachCopy", "aclnnForeachDivList",
        "aclnnForeachDivScalarV2", "aclnnForeachLerpList",
        "aclnnForeachLerpScalar", "aclnnForeachMaximumScalarV2", "aclnnForeachMinimumScalarV2", "aclnnForeachMulList",
        "aclnnForeachMulScalarV2", "aclnnForeachSqrt", "aclnnForeachSubListV2", "aclnnForeachSubScalarV2",
    ),
    "functions": (
        "aclnnForeachAbs", "aclnnForeachAcos", "aclnnForeachAsin", "aclnnForeachAtan", "aclnnForeachCos",
        "aclnnForeachCosh", "aclnnForeachErf", "aclnnForeachErfc", "aclnnForeachExp", "aclnnForeachExpm1",
        "aclnnForeachLog", "aclnnForeachLog10", "aclnnForeachLog1p", "aclnnForeachLog2", "aclnnForeachNeg",
        "aclnnForeachReciprocal", "aclnnForeachSigmoid", "aclnnForeachSign", "aclnnForeachSin", "aclnnForeachSinh",
        "aclnnForeachTan", "aclnnForeachTanh",
    ),
    "by_scalars": (
        "aclnnForeachAddScalarList", "aclnnForeachDivScalarList", "aclnnForeachMaximumList",
        "aclnnForeachMaximumScalarList", "aclnnForeachMinimumList", "aclnnForeachMinimumScalarList",
        "aclnnForeachMulScalarList", "aclnnForeachPowList", "aclnnForeachPowScalarAndTensor",
        "aclnnForeachPowScalarList", "aclnnForeachSubScalarList",
    ),
    "norms": (
        "aclnnForeachNonFiniteCheckAndUnscale", "aclnnForeachNorm",
    ),
}  # fmt: skip
"""by module, the functions that it makes"""
