"""Large calls of functions whose good call cannot simply be made longer. Only what differs from the good call stands
here: the shapes of tensors, by parameter, and other arguments; and the elements of tensors, where those of the route
are legal in a small call only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tests.derived.judging import Subject
from tests.derived.values import Call
from tests.helpers.sized import Changes, sized
from tests.oracle.cases import draw
from tests.oracle.route import Route

LENGTH, HEADS, LONG = 256, 8, 2048
"""of attention: queries, heads, keys of a call with one query"""
STEPS, BATCH, WIDTH = 64, 64, 256
"""of recurrent networks: 1,048,576 elements of input"""
BNSD = (8, HEADS, LENGTH, 64)
MASK = (BNSD[0] * HEADS * LENGTH * LENGTH // 8,)
STATE = (STEPS, BATCH, WIDTH)
FIRST = (1, BATCH, WIDTH)

FLASH: Changes = {
    "query": BNSD, "realShiftOptional": (1, HEADS, LENGTH, LENGTH), "dropMaskOptional": MASK,
    "attenMaskOptional": (BNSD[0], 1, LENGTH, LENGTH), "prefixOptional": (LENGTH,) * BNSD[0], "headNum": HEADS,
    "key": BNSD, "value": BNSD, "softmaxMaxOut": (*BNSD[:3], 8), "softmaxSumOut": (*BNSD[:3], 8),
    "attentionOutOut": BNSD,
}  # fmt: skip
FLASH_GRADIENT: Changes = {
    **{name: value for name, value in FLASH.items() if name != "realShiftOptional"}, "keyIn": BNSD, "dy": BNSD,
    "pseShiftOptional": (1, HEADS, LENGTH, LENGTH), "softmaxMaxOptional": (*BNSD[:3], 8),
    "softmaxSumOptional": (*BNSD[:3], 8), "attentionInOptional": BNSD, "dqOut": BNSD, "dkOut": BNSD, "dvOut": BNSD,
}  # fmt: skip
BSND = (8, LENGTH, HEADS, 64)
PROMPT: Changes = {
    "query": BSND, "key": BSND, "value": BSND, "pseShift": (8, HEADS, LENGTH, LENGTH),
    "attenMask": (8, 1, LENGTH, LENGTH),
    "actualSeqLengths": (LENGTH,) * 8, "actualSeqLengthsKv": (LENGTH,) * 8, "numHeads": HEADS,
    "numKeyValueHeads": HEADS, "attentionOut": BSND, "softmaxLse": (8, HEADS, LENGTH, 1),
}  # fmt: skip
PROMPT_V3: Changes = {
    **{f"{name}Optional": PROMPT[name] for name in ("pseShift", "attenMask", "actualSeqLengths", "actualSeqLengthsKv")},
    **PROMPT, "queryRopeOptional": BSND, "keyRopeOptional": BSND,
}  # fmt: skip
LISTED: Changes = {"key": (BSND,), "value": (BSND,)}
KEYS = (2, LONG, 4, 64)
ONE_QUERY: Changes = {
    "query": (2, 1, 4, 64), "key": (KEYS,), "value": (KEYS,), "pseShift": (2, 4, 1, LONG), "attenMask": (2, LONG),
    "actualSeqLengths": (LONG, LONG), "numKeyValueHeads": 4, "attentionOut": (2, 1, 4, 64),
}  # fmt: skip


def parameters(gates: int) -> tuple[tuple[int, ...], ...]:
    """Weights and biases of a layer."""
    return (gates * WIDTH, WIDTH), (gates * WIDTH, WIDTH), (gates * WIDTH,), (gates * WIDTH,)


def states(*names: str) -> Changes:
    """One tensor in each list."""
    return dict.fromkeys(names, (STATE,))


GRU: Changes = {
    "input": STATE, "params": parameters(3), "hx": FIRST, "output": STATE, "hy": FIRST,
    **states("rOut", "zOut", "nOut", "hnOut", "hOut"),
}  # fmt: skip
GRU_GRADIENT: Changes = {
    "input": STATE, "params": parameters(3), "hx": FIRST, "dy": STATE, "dh": FIRST, **states("r", "z", "n", "hn", "h"),
    "dxOut": STATE, "dhPrevOut": FIRST, "dparamsOut": parameters(3),
}  # fmt: skip
LSTM: Changes = {
    "input": STATE, "params": parameters(4), "hx": (FIRST, FIRST), "output": STATE, "hy": FIRST, "cy": FIRST,
    **states("iOut", "jOut", "fOut", "oOut", "hOut", "cOut", "tanhCOut"),
}  # fmt: skip
LSTM_GRADIENT: Changes = {
    "input": STATE, "params": parameters(4), "hx": (FIRST, FIRST), "dy": STATE, "dh": FIRST, "dc": FIRST,
    **states("i", "g", "f", "o", "h", "c", "tanhc"), "dxOut": STATE, "dhPrevOut": FIRST, "dcPrevOut": FIRST,
    "dparamsOut": parameters(4),
}  # fmt: skip
BOTH_WAYS: Changes = {
    "x": STATE, "batchSizeOptional": (STEPS,),
    "initH": (2, BATCH, WIDTH), "initC": (2, BATCH, WIDTH), "yOut": (STEPS, BATCH, 2 * WIDTH),
    "outputHOut": (2, BATCH, WIDTH), "outputCOut": (2, BATCH, WIDTH),
    **{f"{name}{way}": (4 * WIDTH, WIDTH) for way in ("", "ReverseOptional") for name in ("wIh", "wHh")},
    **{f"{name}{way}Optional": (4 * WIDTH,) for way in ("", "Reverse") for name in ("bIh", "bHh")},
}  # fmt: skip
IMAGES, OF_CHANNELS, OF_GROUPS = (16, 64, 1024), (64,), (16, 2)
GROUPS: Changes = {
    **dict.fromkeys(("self", "x", "input", "dy", "gradOut", "out", "yOut", "dxOut", "gradInput"), IMAGES),
    **dict.fromkeys(("gamma", "beta", "dgammaOut", "dbetaOut", "gradGammaOut", "gradBetaOut"), OF_CHANNELS),
    **dict.fromkeys(("mean", "rstd", "meanOut", "rstdOut"), OF_GROUPS), "N": 16, "C": 64, "HxW": 1024,
}  # fmt: skip
PIXELS, PIXELS_OUT = (8, 32, 64, 64), (8, 48, 32, 62)
CONVOLVED: Changes = {
    **dict.fromkeys(("input", "self", "gradInput"), PIXELS),
    **dict.fromkeys(("gradOutput", "output", "out"), PIXELS_OUT),
    **dict.fromkeys(("weight", "gradWeight"), (48, 16, 3, 2)), **dict.fromkeys(("bias", "gradBias"), (48,)),
    "biasSizes": (48,),
}  # fmt: skip
TBC, TBC_OUT, TAPS = (512, 32, 64), (513, 32, 64), (2, 64, 64)
PRODUCTS: Changes = {
    "x": ((1024, 1024),), "weight": ((2, 1024, 1024),), "biasOptional": ((2, 1024),), "y": ((1024, 1024),),
    "out": ((1024, 1024),), "scaleOptional": ((2, 1024),), "antiquantScaleOptional": ((2, 1024),),
    "antiquantOffsetOptional": ((2, 1024),), "perTokenScaleOptional": ((1024,),),
}  # fmt: skip
MATRIX, BITS = (1000, 1000), (125_008,)
ROW = (1_000_000,)
SCREEN, REGIONS = (1024, 1024), (2, 64, 32, 256)
SEQUENCES, TOKENS, BLOCK = 8, 128, 16
CACHE, GATHERED = (SEQUENCES * TOKENS // BLOCK, BLOCK, 32, 32), (SEQUENCES * TOKENS, 32, 32)
"""of sequences in blocks: a cache, and the tokens of all sequences"""

LARGE: dict[str, Changes] = {
    **dict.fromkeys(("aclnnFlashAttentionScore", "aclnnFlashAttentionScoreV2"), FLASH),
    **dict.fromkeys(("aclnnFlashAttentionScoreGrad", "aclnnFlashAttentionScoreGradV2"), FLASH_GRADIENT),
    **{f"aclnnPromptFlashAttention{version}": PROMPT for version in ("", "V2", "V3")},
    "aclnnFusedInferAttentionScore": PROMPT | LISTED, "aclnnFusedInferAttentionScoreV2": PROMPT_V3 | LISTED,
    "aclnnFusedInferAttentionScoreV3": PROMPT_V3 | LISTED,
    **{f"aclnnIncreFlashAttention{version}": ONE_QUERY for version in ("", "V2", "V3", "V4")},
    **dict.fromkeys(("aclnnBidirectionLSTM", "aclnnBidirectionLSTMV2"), BOTH_WAYS),
    "aclnnGRU": GRU, "aclnnGRUBackward": GRU_GRADIENT, "aclnnLSTM": LSTM, "aclnnLstmBackward": LSTM_GRADIENT,
    **{name: {"shape": MATRIX, "out": BITS} for name in
       ("aclnnDropoutGenMask", "aclnnDropoutGenMaskV2", "aclnnDropoutGenMaskV2Tensor")},
    **{name: {"input": MATRIX, "out": MATRIX, "maskOut": BITS} for name in ("aclnnDropout", "aclnnDropoutV3")},
    "aclnnDropoutBackward": {"gradOutput": MATRIX, "mask": BITS, "out": MATRIX},
    "aclnnDropoutV3Grad": {"gradY": MATRIX, "mask": BITS, "gradX": MATRIX},
    **dict.fromkeys(("aclnnConvolution", "aclnnConvolutionBackward"), CONVOLVED),
    "aclnnConvDepthwise2d": {**CONVOLVED, "weight": (64, 1, 3, 2), "bias": (64,), "out": (8, 64, 32, 62)},
    "aclnnConvTbc": {"self": TBC, "weight": TAPS, "bias": (64,), "output": TBC_OUT},
    "aclnnConvTbcBackward": {"self": TBC_OUT, "input": TBC, "weight": TAPS, "bias": (64,), "gradInput": TBC,
                             "gradWeight": TAPS, "gradBias": (64,)},
    **{f"aclnnGroupedMatmul{version}": PRODUCTS for version in ("V3", "V4", "V5")},
    **{f"aclnnGroupNorm{form}": GROUPS for form in
       ("", "Backward", "Silu", "SiluV2", "Swish", "SwishGrad")},
    "aclnnConstantPadNd": {"self": (1000, 999), "out": (1001, 1000)},
    "aclnnDiagFlat": {"self": (30, 33), "out": (991, 991)},
    "aclnnGatherPaKvCache": {
        "keyCache": CACHE, "valueCache": CACHE, "blockTables": (SEQUENCES, TOKENS // BLOCK), "seqLens": (SEQUENCES,),
        "keyRef": GATHERED, "valueRef": GATHERED, "seqOffsetOptional": (SEQUENCES,),
    },
    "aclnnGeluMul": {"input": (2000, 1000), "out": (2000, 500)},
    "aclnnMaskedSelect": {"self": MATRIX, "mask": (1000,), "out": ROW},
    "aclnnRasterizer": {"width": 1024, "height": 1024, "findicesOut": SCREEN, "barycentricOut": (*SCREEN, 3)},
    "aclnnRepeat": {"self": (500, 333), "out": (3, 500, 666)},
    "aclnnRepeatInterleave": {"self": MATRIX, "repeats": ROW, "outputSize": 1_000_000, "out": ROW},
    "aclnnRepeatInterleaveTensor": {"repeats": ROW, "outputSize": 1_000_000, "out": ROW},
    "aclnnRepeatInterleaveWithDim": {"self": MATRIX, "repeats": (1000,), "outputSize": 1000, "out": MATRIX},
    "aclnnRoiAlignV2Backward": {
        "gradOutput": (64, 64, 16, 16), "boxes": (64, 5), "inputShape": REGIONS, "pooledHeight": 16,
        "pooledWidth": 16, "gradInput": REGIONS,
    },
    "aclnnStack": {"tensors": ((1000, 500), (1000, 500)), "out": (2, 1000, 500)},
    "aclnnUnique": {"self": MATRIX, "valueOut": ROW, "inverseOut": MATRIX},
    "aclnnUnfoldGrad": {"gradOut": (1000, 333, 3), "inputSizes": (1000, 667), "gradIn": (1000, 667)},
}  # fmt: skip

Elements = dict[str, Callable[[np.ndarray], np.ndarray]]
"""by parameter, from elements of any value"""


def none_or_two(x: np.ndarray) -> np.ndarray:
    """Every other element twice."""
    return np.resize([0, 2], x.shape)


ELEMENTS: dict[str, Elements] = {
    "aclnnGatherPaKvCache": {
        "blockTables": lambda x: np.arange(x.size).reshape(x.shape)[::-1], "seqOffsetOptional": np.zeros_like,
        "seqLens": lambda x: np.full_like(x, TOKENS),
    },
    "aclnnInplaceScatterUpdate": {"indices": np.zeros_like},
    "aclnnMaskedSelect": {"mask": np.ones_like},  # all, as out gets the shape of what was selected
    **{f"aclnnRepeatInterleave{form}": {"repeats": none_or_two} for form in ("", "Tensor", "WithDim")},
    "aclnnUnique": {"self": lambda x: np.arange(x.size)[::-1].reshape(x.shape)},
}  # fmt: skip


def of(this: Subject) -> Iterator[Call]:
    """The large call of a function, if it has one here."""
    changes = LARGE.get(this.name)
    if changes is not None:
        yield sized(this, changes)


def drawn(this: Subject, route: Route, call: Call) -> dict[str, list[np.ndarray]]:
    """The elements of the tensors of a large call."""
    values = {**route.values, **ELEMENTS.get(this.name, {})}
    return draw(this, replace(route, values=values), call, np.random.default_rng(1))
