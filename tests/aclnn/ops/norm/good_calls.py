"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

ROWS, VECTOR, COLUMN = Meta((5, 3)), Meta((3,)), Meta((5, 1))
CHANNELS, IMAGE = Meta((3,)), Meta((4, 3, 2))
ALL = Values((True, True, True))
GOOD = {
    "aclnnLayerNorm": {
        "input": ROWS, "normalizedShape": Values((3,)), "weightOptional": VECTOR, "biasOptional": VECTOR, "eps": 1e-5,
        "out": ROWS, "meanOutOptional": COLUMN, "rstdOutOptional": COLUMN,
    },
    "aclnnLayerNormBackward": {
        "gradOut": ROWS, "input": ROWS, "normalizedShape": Values((3,)), "mean": COLUMN, "rstd": COLUMN,
        "weightOptional": VECTOR, "biasOptional": VECTOR, "outputMask": ALL, "gradInputOut": ROWS,
        "gradWeightOut": VECTOR, "gradBiasOut": VECTOR,
    },
    "aclnnRmsNorm": {"x": ROWS, "gamma": VECTOR, "epsilon": 1e-6, "yOut": ROWS, "rstdOut": COLUMN},
    "aclnnAddRmsNorm": {
        "x1": ROWS, "x2": ROWS, "gamma": VECTOR, "epsilon": 1e-6, "yOut": ROWS, "rstdOut": COLUMN, "xOut": ROWS,
    },
    "aclnnGroupNorm": {
        "self": Meta((2, 4, 3)), "gamma": Meta((4,)), "beta": Meta((4,)), "N": 2, "C": 4, "HxW": 3, "group": 2,
        "eps": 1e-5, "out": Meta((2, 4, 3)), "meanOut": Meta((2, 2)), "rstdOut": Meta((2, 2)),
    },
    "aclnnBatchNorm": {
        "input": IMAGE, "weight": CHANNELS, "bias": CHANNELS, "runningMean": CHANNELS, "runningVar": CHANNELS,
        "training": True, "momentum": 0.25, "eps": 1e-5, "output": IMAGE, "saveMean": CHANNELS, "saveInvstd": CHANNELS,
    },
    "aclnnBatchNormBackward": {
        "gradOut": IMAGE, "input": IMAGE, "weight": CHANNELS, "runningMean": CHANNELS, "runningVar": CHANNELS,
        "saveMean": CHANNELS, "saveInvstd": CHANNELS, "training": True, "eps": 1e-5, "outputMask": ALL,
        "gradInput": IMAGE, "gradWeight": CHANNELS, "gradBias": CHANNELS,
    },
}  # fmt: skip
