"""Elementwise predicates and bit operations: comparisons, logic, shifts, tests for infinity.

Results are computed as BOOL, or in the data type that both operands promote to, and cast to the data type of out. So
out may have any data type that the function lists; in INT8 the values are 0 and 1.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "comparisons": (
        "aclnnEqTensor", "aclnnInplaceEqTensor", "aclnnEqScalar", "aclnnInplaceEqScalar", "aclnnNeTensor",
        "aclnnInplaceNeTensor", "aclnnNeScalar", "aclnnInplaceNeScalar", "aclnnGtTensor", "aclnnInplaceGtTensor",
        "aclnnGtScalar", "aclnnInplaceGtScalar", "aclnnGeTensor", "aclnnInplaceGeTensor", "aclnnGeScalar",
        "aclnnInplaceGeScalar", "aclnnLtTensor", "aclnnInplaceLtTensor", "aclnnLtScalar", "aclnnInplaceLtScalar",
        "aclnnLeTensor", "aclnnInplaceLeTensor", "aclnnLeScalar", "aclnnInplaceLeScalar",
    ),
    "equal": ("aclnnEqual",),
    "logic": (
        "aclnnLogicalAnd", "aclnnInplaceLogicalAnd", "aclnnLogicalOr", "aclnnInplaceLogicalOr", "aclnnLogicalXor",
        "aclnnLogicalNot", "aclnnInplaceLogicalNot",
    ),
    "bits": (
        "aclnnBitwiseAndTensor", "aclnnInplaceBitwiseAndTensor", "aclnnBitwiseAndTensorOut",
        "aclnnInplaceBitwiseAndTensorOut", "aclnnBitwiseAndScalar", "aclnnInplaceBitwiseAndScalar",
        "aclnnBitwiseOrTensor", "aclnnInplaceBitwiseOrTensor", "aclnnBitwiseOrScalar", "aclnnInplaceBitwiseOrScalar",
        "aclnnBitwiseXorTensor", "aclnnInplaceBitwiseXorTensor", "aclnnBitwiseXorScalar",
        "aclnnInplaceBitwiseXorScalar", "aclnnBitwiseNot", "aclnnLeftShift", "aclnnLeftShifts", "aclnnRightShift",
    ),
    "kinds": (
        "aclnnIsFinite", "aclnnIsInf", "aclnnIsPosInf", "aclnnIsNegInf", "aclnnSignbit", "aclnnIsInTensorScalar",
        "aclnnIsInScalarTensor",
    ),
}  # fmt: skip
"""by module, the functions that it makes"""
