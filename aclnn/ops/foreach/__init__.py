"""One operation on each tensor of a list.

`_family.foreach` makes most operators, from a formula of one tensor of each list and a number. `_numbers` has the four
ways to pass the number. Two groups of functions differ in their statuses: for lists and shapes that do not match, the
handwritten functions of the library return 161002, the generated ones 561002.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "by_numbers": (
        "aclnnForeachAddScalarList", "aclnnForeachAddcdivList", "aclnnForeachAddcdivScalarList",
        "aclnnForeachAddcmulList", "aclnnForeachAddcmulScalarList", "aclnnForeachDivScalarList",
        "aclnnForeachMaximumScalarList", "aclnnForeachMinimumScalarList", "aclnnForeachMulScalarList",
        "aclnnForeachPowScalarList", "aclnnForeachSubScalarList",
    ),
    "by_scalar": (
        "aclnnForeachAddList", "aclnnForeachAddListInplace", "aclnnForeachAddListV2", "aclnnForeachAddScalar",
        "aclnnForeachAddScalarV2", "aclnnForeachAddcdivScalar", "aclnnForeachAddcdivScalarV2",
        "aclnnForeachAddcmulScalar", "aclnnForeachAddcmulScalarV2", "aclnnForeachDivScalar",
        "aclnnForeachDivScalarV2", "aclnnForeachLerpScalar", "aclnnForeachMaximumScalar",
        "aclnnForeachMaximumScalarV2", "aclnnForeachMinimumScalar", "aclnnForeachMinimumScalarV2",
        "aclnnForeachMulScalar", "aclnnForeachMulScalarInplace", "aclnnForeachMulScalarV2", "aclnnForeachPowScalar",
        "aclnnForeachPowScalarAndTensor", "aclnnForeachPowScalarV2", "aclnnForeachSubList",
        "aclnnForeachSubListInplace", "aclnnForeachSubListV2", "aclnnForeachSubScalar",
        "aclnnForeachSubScalarInplace", "aclnnForeachSubScalarV2",
    ),
    "lists": (
        "aclnnForeachDivList", "aclnnForeachDivListInplace", "aclnnForeachLerpList", "aclnnForeachMaximumList",
        "aclnnForeachMinimumList", "aclnnForeachMulList", "aclnnForeachMulListInplace", "aclnnForeachPowList",
    ),
    "special": (
        "aclnnForeachCopy", "aclnnForeachNonFiniteCheckAndUnscale", "aclnnForeachNorm", "aclnnForeachRoundOffNumber",
        "aclnnForeachRoundOffNumberV2", "aclnnForeachZeroInplace",
    ),
    "unary": (
        "aclnnForeachACosInplace", "aclnnForeachAbs", "aclnnForeachAcos", "aclnnForeachAsin", "aclnnForeachAtan",
        "aclnnForeachCos", "aclnnForeachCosh", "aclnnForeachErf", "aclnnForeachErfc", "aclnnForeachExp",
        "aclnnForeachExpm1", "aclnnForeachLog", "aclnnForeachLog10", "aclnnForeachLog1p", "aclnnForeachLog2",
        "aclnnForeachLogInplace", "aclnnForeachNeg", "aclnnForeachReciprocal", "aclnnForeachSigmoid",
        "aclnnForeachSign", "aclnnForeachSin", "aclnnForeachSinh", "aclnnForeachSqrt", "aclnnForeachTan",
        "aclnnForeachTanh",
    ),
}  # fmt: skip
"""by module, the functions that it makes"""
