"""Operators whose elements each follow from those at the same place, broadcast."""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "arithmetic": (
        "aclnnAdd", "aclnnInplaceAdd", "aclnnAdds", "aclnnInplaceAdds", "aclnnSub", "aclnnInplaceSub", "aclnnMul",
        "aclnnInplaceMul", "aclnnMuls", "aclnnInplaceMuls", "aclnnDiv", "aclnnInplaceDiv",
    ),
    "exponentials": (
        "aclnnExp", "aclnnInplaceExp", "aclnnExp2", "aclnnInplaceExp2", "aclnnExpm1", "aclnnInplaceExpm1", "aclnnLog",
        "aclnnInplaceLog", "aclnnLog2", "aclnnInplaceLog2", "aclnnLog10", "aclnnInplaceLog10", "aclnnLog1p",
        "aclnnInplaceLog1p", "aclnnSqrt", "aclnnInplaceSqrt", "aclnnRsqrt", "aclnnInplaceRsqrt", "aclnnReciprocal",
        "aclnnInplaceReciprocal",
    ),
    "trigonometry": (
        "aclnnSin", "aclnnInplaceSin", "aclnnCos", "aclnnInplaceCos", "aclnnTan", "aclnnInplaceTan", "aclnnAsin",
        "aclnnInplaceAsin", "aclnnAcos", "aclnnInplaceAcos", "aclnnAtan", "aclnnInplaceAtan", "aclnnSinh",
        "aclnnInplaceSinh", "aclnnCosh", "aclnnInplaceCosh", "aclnnTanh", "aclnnInplaceTanh", "aclnnAsinh",
        "aclnnInplaceAsinh", "aclnnAcosh", "aclnnInplaceAcosh", "aclnnAtanh", "aclnnInplaceAtanh", "aclnnAtan2",
        "aclnnInplaceAtan2",
    ),
    "rounding": (
        "aclnnNeg", "aclnnInplaceNeg", "aclnnAbs", "aclnnSign", "aclnnSquare", "aclnnFloor", "aclnnInplaceFloor",
        "aclnnCeil", "aclnnInplaceCeil", "aclnnRound", "aclnnInplaceRound", "aclnnRoundDecimals",
        "aclnnInplaceRoundDecimals", "aclnnTrunc", "aclnnInplaceTrunc", "aclnnFrac", "aclnnInplaceFrac",
    ),
    "conversion": ("aclnnCast", "aclnnInplaceCopy", "aclnnInplaceZero", "aclnnInplaceFillScalar"),
}  # fmt: skip
"""by module, the functions that it makes"""
