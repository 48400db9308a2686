"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from dataclasses import replace

from acl_runtime import ACL_FLOAT16
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.derived.values import Number, Values

ROWS, VECTOR, COLUMN = Meta((5, 3)), Meta((3,)), Meta((5, 1))
HALVES = Meta((5, 3), ACL_FLOAT16)
CHANNELS, IMAGE = Meta((3,)), Meta((4, 3, 2))
INSTANCES = Meta((2, 16, 4, 4))
GROUPS, PAIRS, FOUR = Meta((2, 4, 3)), Meta((2, 2)), Meta((4,))
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
    "aclnnGemmaRmsNorm": {"x": ROWS, "gamma": VECTOR, "epsilon": 1e-6, "yOut": ROWS, "rstdOut": COLUMN},
    "aclnnAddRmsNormCast": {
        "x1": HALVES, "x2": HALVES, "gamma": Meta((3,), ACL_FLOAT16), "epsilon": 1e-6, "y1Out": ROWS, "y2Out": HALVES,
        "rstdOut": COLUMN, "xOut": HALVES,
    },
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
    "aclnnFastBatchNormBackward": {
        "gradOut": IMAGE, "input": IMAGE, "weight": CHANNELS, "runningMean": CHANNELS, "runningVar": CHANNELS,
        "saveMean": CHANNELS, "saveInvstd": CHANNELS, "training": True, "eps": 1e-5, "outputMask": ALL, "version": 0,
        "gradInput": IMAGE, "gradWeight": CHANNELS, "gradBias": CHANNELS,
    },
    "aclnnGroupNormBackward": {
        "gradOut": GROUPS, "input": GROUPS, "mean": PAIRS, "rstd": PAIRS, "gamma": FOUR, "N": 2, "C": 4, "HxW": 3,
        "group": 2, "outputMask": ALL, "gradInput": GROUPS, "gradGammaOut": FOUR, "gradBetaOut": FOUR,
    },
    "aclnnGroupNormSilu": {
        "self": GROUPS, "gamma": FOUR, "beta": FOUR, "group": 2, "eps": 1e-5, "out": GROUPS, "meanOut": PAIRS,
        "rstdOut": PAIRS,
    },
    "aclnnGroupNormSiluV2": {
        "self": GROUPS, "gamma": FOUR, "beta": FOUR, "group": 2, "eps": 1e-5, "activateSilu": True, "out": GROUPS,
        "meanOut": PAIRS, "rstdOut": PAIRS,
    },
    "aclnnGroupNormSwish": {
        "x": GROUPS, "gamma": FOUR, "beta": FOUR, "numGroups": 2, "dataFormatOptional": "NCHW", "eps": 1e-5,
        "activateSwish": True, "swishScale": 0.5, "yOut": GROUPS, "meanOut": PAIRS, "rstdOut": PAIRS,
    },
    "aclnnGroupNormSwishGrad": {
        "dy": GROUPS, "mean": PAIRS, "rstd": PAIRS, "x": GROUPS, "gamma": FOUR, "beta": FOUR, "numGroups": 2,
        "dataFormatOptional": "NCHW", "swishScale": 0.5, "dgammaIsRequire": True, "dbetaIsRequire": True,
        "dxOut": GROUPS, "dgammaOut": FOUR, "dbetaOut": FOUR,
    },
    **{name: {"input": ROWS, "normalizedShape": Values((3,)), "weightOptional": VECTOR, "biasOptional": VECTOR,
              "eps": 1e-5, "out": ROWS, "meanOutOptional": COLUMN, "rstdOutOptional": COLUMN, **more}
       for name, more in (("aclnnFastLayerNorm", {}), ("aclnnLayerNormWithImplMode", {"implMode": 1}))},
    "aclnnAddLayerNorm": {
        "x1": ROWS, "x2": ROWS, "gamma": VECTOR, "beta": VECTOR, "biasOptional": VECTOR, "epsilon": 1e-5,
        "additionalOutput": True, "yOut": ROWS, "meanOut": COLUMN, "rstdOut": COLUMN, "xOut": ROWS,
    },
    "aclnnAddLayerNormGrad": {
        "dy": ROWS, "x1": ROWS, "x2": ROWS, "rstd": COLUMN, "mean": COLUMN, "gamma": VECTOR, "dsumOptional": ROWS,
        "dxOut": ROWS, "dgammaOut": VECTOR, "dbetaOut": VECTOR,
    },
    "aclnnDeepNorm": {
        "x": ROWS, "gx": ROWS, "beta": VECTOR, "gamma": VECTOR, "alpha": 0.5, "epsilon": 1e-5, "meanOut": COLUMN,
        "rstdOut": COLUMN, "yOut": ROWS,
    },
    "aclnnDeepNormGrad": {
        "dy": ROWS, "x": ROWS, "gx": ROWS, "gamma": VECTOR, "mean": COLUMN, "rstd": COLUMN, "alpha": 0.5,
        "dxOut": ROWS, "dgxOut": ROWS, "dbetaOut": VECTOR, "dgammaOut": VECTOR,
    },
    "aclnnInstanceNorm": {
        "x": INSTANCES, "gamma": Meta((16,)), "beta": Meta((16,)), "dataFormat": "NCHW", "eps": 1e-5, "y": INSTANCES,
        "mean": Meta((2, 16, 1, 1)), "variance": Meta((2, 16, 1, 1)),
    },
    "aclnnRenorm": {"self": IMAGE, "p": Number(3.0), "dim": 1, "maxNorm": Number(1.0), "out": IMAGE},
    "aclnnBatchNormGatherStatsWithCounts": {
        "input": IMAGE, "mean": Meta((2, 3)), "invstd": Meta((2, 3)), "runningMean": CHANNELS, "runningVar": CHANNELS,
        "momentum": 0.25, "eps": 1e-5, "counts": Meta((2,)), "meanAll": CHANNELS, "invstdAll": CHANNELS,
    },
    "aclnnSyncBatchNormGatherStats": {
        "totalSum": Meta((2, 3)), "totalSquareSum": Meta((2, 3)), "sampleCount": Meta((2,)), "mean": CHANNELS,
        "variance": CHANNELS, "momentum": 0.25, "eps": 1e-5, "batchMean": CHANNELS, "batchInvstd": CHANNELS,
    },
    "aclnnInplaceAddRmsNorm": {
        "x1Ref": ROWS, "x2Ref": ROWS, "gamma": VECTOR, "epsilon": 1e-6, "rstdOut": COLUMN,
    },
    "aclnnRmsNormGrad": {
        "dy": ROWS, "x": ROWS, "rstd": COLUMN, "gamma": VECTOR, "dxOut": ROWS, "dgammaOut": VECTOR,
    },
}  # fmt: skip
ON_950 = f" (only on {Series.A950.value})"
BACKWARD_ON_950 = (
    *(f"{name} has the data type FLOAT or that of gradOut"
      for name in ("weight", "runningMean", "runningVar", "saveMean", "saveInvstd")),
    "runningVar has the data type of runningMean", "saveInvstd has the data type of saveMean",
    "gradInput has the data type of gradOut (if outputMask[0])", "input of five dimensions is NCDHW or NDHWC",
    "saveMean has one element for each channel", "saveInvstd has one element for each channel",
)  # fmt: skip
GRADIENTS_ON_950 = (
    "gradWeight has one element for each channel (if outputMask[1])",
    "gradBias has one element for each channel (if outputMask[2])",
)  # fmt: skip
"""of the slow version only"""
EMPTY = "if {} is empty the checks end here (the output is filled with zeros)"
BY_PRODUCT = {
    ("aclnnLayerNorm", Series.A200I_500_A2): {
        name: replace(value, dtype=ACL_FLOAT16)
        for name, value in GOOD["aclnnLayerNorm"].items() if isinstance(value, Meta)
    },
}  # fmt: skip
UNREACHED = {
    ("aclnnBatchNormReduceBackward", "the format of input is not a private one"):
        "gradOut comes first and has the same format: derived/documents/test_contract.py::test_breaker_is_refused",
    ("aclnnLayerNorm", f"input is FLOAT16 (only on {Series.A200I_500_A2.value})"):
        "tests/aclnn/ops/norm/test_norms.py::test_layer_norm_on_310b_is_float16",
    **{("aclnnBatchNormBackward", each + ON_950): "test_checks_on_950_only"
       for each in (*BACKWARD_ON_950, *GRADIENTS_ON_950)},
    **{("aclnnFastBatchNormBackward", each + ON_950): "the function does not exist there" for each in BACKWARD_ON_950},
    **{("aclnnLayerNorm", f"{name} has the leading dimensions of input, then ones{ON_950}"): "test_checks_on_950_only"
       for name in ("meanOutOptional", "rstdOutOptional")},
    ("aclnnLayerNorm", EMPTY.format("input")): "test_statistics_of_no_elements",
    ("aclnnGroupNorm", EMPTY.format("self")): "test_statistics_of_no_elements",
    ("aclnnLayerNormBackward", EMPTY.format("input")): "test_no_rows_give_zero_gradients",
    ("aclnnLayerNormBackward", "if normalizedShape is empty, the checks end here (workspace 0, nothing is written)"): (
        "test_no_columns_write_nothing"
    ),
    ("aclnnAddRmsNorm", "x1 has 16 bits if rstdOut is null"): "test_add_rms_norm_without_rstd_out",
    ("aclnnAddRmsNorm", "gamma has at most 2 dimensions if rstdOut is null"): "test_add_rms_norm_without_rstd_out",
    **{("aclnnLayerNormWithImplMode", f"{name} has the leading dimensions of input, then ones{ON_950}"):
       "test_statistics_are_checked_on_950_only" for name in ("meanOutOptional", "rstdOutOptional")},
    **{(name, f"if {case}, the checks end here (workspace 0, nothing is written)"):
       "test_without_elements_there_is_nothing_to_do" for name, case in (
           ("aclnnGroupNormSilu", "self has no rows"), ("aclnnGroupNormSiluV2", "self has no rows"),
           ("aclnnGroupNormSwish", "all outputs are empty"), ("aclnnGroupNormSwishGrad", "all outputs are empty"),
           ("aclnnRmsNormGrad", "dxOut and dgammaOut are empty"), ("aclnnAddLayerNorm", "all outputs are empty"),
           ("aclnnAddLayerNormGrad", "all outputs are empty"), ("aclnnDeepNorm", "all outputs are empty"),
           ("aclnnDeepNormGrad", "all outputs are empty"), ("aclnnSyncBatchNormGatherStats", "there are no channels"),
       )},
    **dict.fromkeys((
        *((name, sentence) for name in ("aclnnGroupNormSilu", "aclnnGroupNormSiluV2")
          for sentence in ("self has a multiple of group channels",
                           "self has elements in its first two dimensions (not on Ascend 950)")),
        ("aclnnAddLayerNorm", "the data types of x1 and x2 are a pair that the operator supports"),
        ("aclnnAddLayerNorm", "x1 has elements"), ("aclnnAddLayerNormGrad", "dy has elements"),
        ("aclnnDeepNorm", "x has elements"), ("aclnnDeepNormGrad", "x has elements"),
    ), "test_refusals_of_two_changes"),
    ("aclnnLayerNormWithImplMode", EMPTY.format("input")): "test_statistics_of_no_columns",
    ("aclnnGroupNormBackward", EMPTY.format("gradOut or input")): "test_group_norm_backward_without_elements",
}  # fmt: skip
UNTYPED = {("aclnnLayerNorm", "input", "ACL_FLOAT"): "Atlas 200I/500 A2 has no kernel for it: test_norms.py"}
