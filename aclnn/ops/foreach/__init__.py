"""One operation on each tensor of a list.

The operators of this family that the library writes by hand refuse a wrong call with 161002.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "by_scalar": (
        "aclnnForeachAddListV2", "aclnnForeachAddScalarV2", "aclnnForeachAddcmulScalarV2", "aclnnForeachLerpScalar",
        "aclnnForeachMulScalarV2", "aclnnForeachSqrt",
    ),
}  # fmt: skip
"""by module, the functions that it makes"""
