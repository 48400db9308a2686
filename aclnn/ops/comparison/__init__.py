"""Operators that answer yes or no for each element, and those on bits: comparisons, logic, bits and shifts, infinity.

Results are computed as BOOL, or in the data type that both operands promote to, and cast to that of out: so out may be
of any data type that the function lists, and INT8 holds 0 and 1.
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
