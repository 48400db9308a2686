"""Contracts of functions without a formula: the checks that the facts of the catalogue cannot express.

The first phase of such a function checks what its facts state (`aclnn.engine.words.stated`), and then the relations
here. Each module has a dictionary `CONTRACTS`, from the name of a function to its relations. `HOMES` maps each function
to its module, so that a look-up imports only that module. Most statuses here are those of public tests
(`tests/derived/public_calls.txt`).
"""

from functools import cache
from importlib import import_module
from typing import Final

from aclnn.op import HostFunction, Operator, Relation, catalogued


HOMES: Final = {
    "convolutions": ("aclnnDeformableConv2d", "aclnnDeformableConv2dBackward", "aclnnTransConvolutionWeight"),
    "matrices": (
        "aclnnBatchMatmulQuant", "aclnnFusedLinearOnlineMaxSum", "aclnnMatmulEmuSplitWeight", "aclnnQuantMatmulDequant",
        "aclnnSvd",
    ),
    "norms": ("aclnnAdaLayerNormQuant", "aclnnAdaLayerNormV2", "aclnnScaledMaskedSoftmax"),
    "packed": (
        "aclnnConvertWeightToINT4Pack", "aclnnFlatQuantV3", "aclnnGroupedDynamicMxQuant", "aclnnInplaceQuantScatterV2",
    ),
    "routing": ("aclnnMoeReRouting",),
    "sums": (
        "aclnnExpSegsum", "aclnnExpSegsumBackward", "aclnnGroupedBiasAddGradV2", "aclnnInplaceFillDiagonal",
        "aclnnScale", "aclnnSwigluGroupGrad",
    ),
    "transposed": (
        "aclnnTransposeBatchMatMul", "aclnnTransposeBatchMatMulWeightNZ", "aclnnTransposeBatchMatMulWeightNz",
        "aclnnTransposeQuantBatchMatMul",
    ),
}  # fmt: skip


def contract(name: str) -> tuple[Relation, ...]:
    """The relations of a function, besides those of its facts."""
    for module, listed in HOMES.items():
        if name in listed:
            return import_module(f"{__name__}.{module}").CONTRACTS[name]
    return ()


@cache
def without_formula(name: str) -> Operator | HostFunction:
    """The functions of a documented name that has no formula."""
    return catalogued(name, contract(name))
