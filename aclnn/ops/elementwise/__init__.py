"""Elementwise operators, with broadcasting.

An operator on two tensors computes in the data type that they promote to, and casts the result to the data type of out.
For a scalar there are several promotion rules (`aclnn.engine.numbers.promotion`). 16-bit floats are computed in FLOAT
and rounded once for each step of the library. Integers wrap in their own width.
"""

from collections.abc import Mapping
from typing import Final

OPERATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "arithmetic": (
        "aclnnAdd", "aclnnInplaceAdd", "aclnnAdds", "aclnnInplaceAdds", "aclnnSub", "aclnnInplaceSub", "aclnnSubs",
        "aclnnInplaceSubs", "aclnnRsub", "aclnnRsubs", "aclnnAddV3", "aclnnInplaceAddV3", "aclnnMul", "aclnnInplaceMul",
        "aclnnMuls", "aclnnInplaceMuls",
    ),
    "division": (
        "aclnnDiv", "aclnnInplaceDiv", "aclnnDivs", "aclnnInplaceDivs", "aclnnDivMod", "aclnnInplaceDivMod",
        "aclnnDivMods", "aclnnInplaceDivMods", "aclnnFloorDivide", "aclnnInplaceFloorDivide", "aclnnFloorDivides",
        "aclnnInplaceFloorDivides",
    ),
    "remainder": (
        "aclnnRemainderTensorTensor", "aclnnInplaceRemainderTensorTensor", "aclnnRemainderTensorScalar",
        "aclnnInplaceRemainderTensorScalar", "aclnnRemainderScalarTensor", "aclnnFmodTensor", "aclnnInplaceFmodTensor",
        "aclnnFmodScalar", "aclnnInplaceFmodScalar",
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
    "powers": (
        "aclnnPowTensorTensor", "aclnnInplacePowTensorTensor", "aclnnPowTensorScalar", "aclnnInplacePowTensorScalar",
        "aclnnPowScalarTensor",
    ),
    "bounds": (
        "aclnnMaximum", "aclnnMinimum", "aclnnClamp", "aclnnClampMin", "aclnnClampMax", "aclnnInplaceClampMax",
        "aclnnClampTensor", "aclnnClampMinTensor", "aclnnInplaceClampMinTensor", "aclnnClampMaxTensor",
        "aclnnInplaceClampMaxTensor",
    ),
    "special": (
        "aclnnErf", "aclnnInplaceErf", "aclnnErfc", "aclnnInplaceErfc", "aclnnErfinv", "aclnnInplaceErfinv",
        "aclnnSigmoid", "aclnnInplaceSigmoid", "aclnnLogit", "aclnnSinc", "aclnnInplaceSinc", "aclnnLgamma",
        "aclnnDigamma",
    ),
    "of_lists": ("aclnnAddN", "aclnnSum", "aclnnMaxN", "aclnnMinN"),
    "complex_parts": ("aclnnComplex", "aclnnPolar", "aclnnReal"),
    "pairs": ("aclnnGcd", "aclnnHeaviside", "aclnnXlog1py"),
    "combinations": (
        "aclnnLerp", "aclnnInplaceLerp", "aclnnLerps", "aclnnInplaceLerps", "aclnnAddcmul", "aclnnInplaceAddcmul",
        "aclnnAddcdiv", "aclnnInplaceAddcdiv", "aclnnSWhere",
    ),
    "filling": (
        "aclnnInplaceMaskedFillScalar", "aclnnInplaceMaskedFillTensor", "aclnnInplaceFillTensor", "aclnnInplaceOne",
        "aclnnNanToNum", "aclnnInplaceNanToNum",
    ),
    "logarithms": (
        "aclnnXLogYTensor", "aclnnInplaceXLogYTensor", "aclnnXLogYScalarOther", "aclnnInplaceXLogYScalarOther",
        "aclnnXLogYScalarSelf", "aclnnLogAddExp", "aclnnLogAddExp2", "aclnnIsClose",
    ),
    "conversion": ("aclnnCast", "aclnnInplaceCopy", "aclnnInplaceZero", "aclnnInplaceFillScalar"),
}  # fmt: skip
"""by module, the functions that it makes"""
