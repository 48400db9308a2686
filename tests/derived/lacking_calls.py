"""Calls that have no kernel: one for each form that a declaration names, as changes of the good call."""

from __future__ import annotations

from typing import Any, NamedTuple

from acl_runtime import *
from tests.aclnn.ops.case import A2, A950, INFERENCE, Meta
from tests.derived.values import Values

H, E4, I8, I32, U64 = ACL_FLOAT16, ACL_FLOAT8_E4M3FN, ACL_INT8, ACL_INT32, ACL_UINT64
E8 = ACL_FLOAT8_E8M0


class Lacking(NamedTuple):
    """A call of a form without a kernel."""

    name: str
    calls: str
    changes: dict[str, Any]
    soc: str = A2

    def __str__(self) -> str:
        return f"aclnn{self.name}: {self.calls}"


def scatter(calls: str, **changes: Any) -> Lacking:
    return Lacking("ScatterPaKvCache", calls, changes)


def fused(calls: str, **changes: Any) -> Lacking:
    plain = {"queryRopeOptional": None, "keyRopeOptional": None}
    return Lacking("FusedInferAttentionScoreV4", calls, plain | changes)


def flash(name: str, calls: str, changes: dict[str, Any]) -> Lacking:
    other = SHIFTS[0] if "Grad" in name else SHIFTS[1]
    soc = A950 if name.endswith("V4") else A2
    return Lacking(name, calls, {key: value for key, value in changes.items() if key != other}, soc)


def grouped(calls: str, soc: str = A2, /, **changes: Any) -> Lacking:
    return Lacking("GroupedMatmulV4", calls, changes, soc)


def quant(calls: str, **changes: Any) -> Lacking:
    none = dict.fromkeys(("x1Scale", "x2Offset", "yOffset", "bias"))
    return Lacking("QuantMatmulV5", calls, none | changes, A950)


NARROW_GROUPS: dict[str, Any] = {
    "x": (Meta((3, 64), E4),), "biasOptional": None, "actType": 0, "out": (Meta((3, 16), H),),
}  # fmt: skip
SHIFTS = ("realShiftOptional", "pseShiftOptional")
PACKED = {
    "query": Meta((5, 4, 16), H), "key": (Meta((7, 2, 16), H),), "value": (Meta((7, 2, 16), H),), "inputLayout": "TND",
    "attentionOut": Meta((5, 4, 16), H), "softmaxLse": Meta((5, 4, 1)), "actualSeqLengthsOptional": Values((2, 5)),
    "actualSeqLengthsKvOptional": Values((3, 7)), "pseShiftOptional": None, "attenMaskOptional": None,
}  # fmt: skip
FLASH = [
    ("a shift that is made of slopes", {"pseType": 2, **dict.fromkeys(SHIFTS, Meta((4,)))}),
    ("a prefix mask without prefixes", {"sparseMode": 5, "prefixOptional": None}),
]
BYTES = Meta((2, 4, 4, 32), I8)
"""a cache of INT8 for 128 elements"""
DEQUANTS = ("QuantMatmulDequant", "QuantGroupedMatmulDequant", "QuantGroupedMatmulDequantWeightNZ")
OTHER_SCALES = "an INT64 weightScale and another xScale than one FLOAT16, or this xScale and a FLOAT weightScale"
FINALIZE, NZ = "GroupedMatmulFinalizeRoutingWeightNzV2", ACL_FORMAT_FRACTAL_NZ
CALLS = (
    *(Lacking("RotateQuant", calls, changes) for calls, changes in (
        ("trans", {"trans": True}), ("several rotations", {"rotation": Meta((2, 4, 4), H)}),
        ("an axis that is not the last one", {"axis": 0}),
    )),
    *(Lacking("QkvRmsNormRopeCache", calls, changes) for calls, changes in (
        ("a cacheMode other than PA_NZ", {"cacheModeOptional": "PA_BSND", "kCache": Meta((2, 4, 1, 128), H)}),
        ("a cache of INT8 without its scale", {"kCache": BYTES, "kScaleOptional": None}),
        ("a scale or offset that has not one number for each element of its heads", {"kScaleOptional": Meta((128, 1))}),
    )),
    *(scatter(f"scatterMode {mode}", scatterModeOptional=mode) for mode in ("Alibi", "Rope", "Omni", "Nct")),
    scatter("a key of 4 dimensions, whose tokens are compressed", key=Meta((4, 2, 2, 16), H)),
    Lacking("ScatterPaCache", "a mean of integers", {
        "key": Meta((2, 3, 2, 16), I8), "keyCacheRef": Meta((3, 2, 1, 16), I8), "slotMapping": Meta((2, 2), I32),
        "compressLensOptional": Meta((2, 2), I32), "compressSeqOffsetOptional": Meta((4,), I32),
        "seqLensOptional": Meta((2,), I32)}, A950),
    Lacking("MoeInitRoutingQuantV2", "a result of INT4", {"expandedXOut": Meta((5, 2, 4), ACL_INT4)}),
    *(Lacking("SparseFlashMla", name, {name: Meta(sizes, I32)}) for name, sizes in (
        ("oriSparseIndicesOptional", (2, 3, 1, 2)), ("cmpResidualKvOptional", (2,)),
        ("oriTopkLengthOptional", (2, 3, 1)), ("cmpTopkLengthOptional", (2, 3, 1)),
    )),
    Lacking("SparseFlashMla", "compressed keys without oriKv", {"oriKvOptional": None}),
    Lacking("SparseFlashMla", "compressed keys with another cmpMaskMode than 3", {"cmpMaskMode": 0}, A950),
    Lacking("SparseFlashMla", "oriMaskMode 3 with an oriWinRight", {"oriMaskMode": 3, "oriWinRight": 1}, A950),
    Lacking("MoeInitRoutingV3", "a quantMode above 1", {"quantMode": 3}, A950),
    Lacking("MoeInitRoutingV3", "a scale of FLOAT8_E8M0", {
        "quantMode": -1, "scaleOptional": Meta((3, 2), ACL_FLOAT8_E8M0), "expandedXOut": Meta((6, 4)),
        "expandedScaleOut": Meta((6, 2), ACL_FLOAT8_E8M0)}, A950),
    Lacking("FusedInferAttentionScoreV5", "floats of 8 bits or less", {
        **dict.fromkeys(("key", "value"), (Meta((2, 4, 2, 16), E4),)),
        **dict.fromkeys(("queryRopeOptional", "keyRopeOptional"))}, A950),
    fused("a scale of quantised queries", dequantScaleQueryOptional=Meta((2, 3, 4))),
    fused("padding of queries on the left", queryPaddingSizeOptional=Meta((1,), ACL_INT64)),
    fused("padding of keys on the left", kvPaddingSizeOptional=Meta((1,), ACL_INT64)),
    fused("a shift, or a mask for each score, of packed batches", **{
        **PACKED, "attenMaskOptional": Meta((5, 7), ACL_BOOL)}),
    Lacking("FlashAttentionScoreV4", "scales of floats of 8 bits", {"dScaleQOptional": Meta((1,))}, A950),
    Lacking("FlashAttentionScoreGradV4", "scales of floats of 8 bits", {"dScaleQOptional": Meta((1,))}, A950),
    *(flash(f"FlashAttention{version}", calls, changes)
      for version in ("ScoreV2", "ScoreV3", "ScoreV4", "ScoreGradV2", "ScoreGradV3", "ScoreGradV4")
      for calls, changes in FLASH),
    Lacking("InplaceAtan2", "a selfRef that cannot hold the result",
            {"selfRef": Meta((2,)), "other": Meta((4, 2))}),
    Lacking("AdaptiveMaxPool2dBackward", "other channels in gradOutput than in self", {
        "gradOutput": Meta((2, 1, 1, 1)), "self": Meta((2, 2, 2, 2)), "indices": Meta((2, 1, 1, 1), I32),
        "gradInput": Meta((2, 2, 2, 2))}),
    Lacking("DequantSwigluQuantV2", "pairs in groupIndexOptional", {"groupIndexOptional": Meta((2, 2), ACL_INT64)}),
    Lacking("GroupedMatmulSwigluQuant", "a weight of INT4 as it is stored, in 5 dimensions", {
        "weight": Meta((2, 1, 2, 16, 64), ACL_INT4, NZ), "weightScale": Meta((2, 64), U64), "bias": Meta((2, 64))}),
    fused("quantised keys, or a shared prefix, of packed batches", **{
        **PACKED, "key": (Meta((7, 2, 16), I8),), "value": (Meta((7, 2, 16), I8),),
        "antiquantScaleOptional": Meta((2, 2, 1, 16), H)}),
    fused("a rotary part of keys in several tensors, or quantised", **{
        **dict.fromkeys(("key", "value"), (Meta((1, 4, 2, 16), H),) * 2), "keyRopeOptional": Meta((1, 4, 2, 64), H),
        "queryRopeOptional": Meta((2, 3, 4, 64), H)}),
    fused("quantised keys in blocks or groups", **{
        **dict.fromkeys(("key", "value"), (Meta((2, 4, 2, 16), I8),)), "antiquantMode": 4,
        "antiquantScaleOptional": Meta((2, 1, 2, 1, 16), H)}),
    Lacking("FlashAttentionVarLenScore", "a compressed shift", {"realShiftOptional": Meta((1, 4, 3, 4), H)}),
    Lacking("FlashAttentionUnpaddingScoreGrad", "a compressed shift", {"pseShiftOptional": Meta((1, 4, 3, 4), H)}),
    *(Lacking(name, "sparse mode 7 or 8", {"sparseMode": 7, "attenMaskOptional": Meta((2048, 2048), ACL_BOOL)})
      for name in ("FlashAttentionVarLenScoreV2", "FlashAttentionUnpaddingScoreGradV2")),
    grouped("INT4 or floats of 8 bits or less in several tensors of x or results, or in another groupType than 0",
            x=(Meta((3, 4), ACL_INT4),) * 2, weight=(Meta((4, 16), ACL_INT4),) * 2, biasOptional=None,
            scaleOptional=(Meta((16,), U64),) * 2, perTokenScaleOptional=None, groupListOptional=None, splitItem=0,
            groupType=-1, actType=0, out=(Meta((3, 16), H),) * 2),
    Lacking("GroupedMatmulWeightNz", "floats beside a weight with eight INT4 in an INT32", {
        "weight": (Meta((2, 16, 8), I32, NZ, storage=(2, 1, 1, 16, 8)),), "biasOptional": None,
        **dict.fromkeys(("antiquantScaleOptional", "antiquantOffsetOptional"), (Meta((2, 64), H),)),
        "out": (Meta((3, 64), H),)}),
    grouped("INT4 and an offset", weight=(Meta((2, 4, 16), ACL_INT4),), biasOptional=(Meta((2, 16)),),
            scaleOptional=(Meta((2, 1, 16), U64),), offsetOptional=(Meta((2, 1, 16)),), actType=0,
            out=(Meta((3, 16), H),)),
    grouped("floats of 8 bits or less and floats with another number of bits", A950, **NARROW_GROUPS,
            weight=(Meta((2, 64, 16), ACL_FLOAT4_E2M1),), scaleOptional=(Meta((2, 1, 16, 2), E8),),
            perTokenScaleOptional=(Meta((3, 1, 2), E8),)),
    grouped("floats of 8 bits or less whose scales are not those of columns, or of blocks of 32 elements", A950,
            **NARROW_GROUPS, weight=(Meta((2, 64, 16), E4),), scaleOptional=(Meta((2, 1, 1)),),
            perTokenScaleOptional=(Meta((3, 1)),)),
    grouped("an activation of an INT32 result", scaleOptional=None, perTokenScaleOptional=None,
            out=(Meta((3, 16), I32),)),
    quant("groups of floats of 4 bits whose scales have 16 bits", x1=Meta((3, 64), E4),
          x2=Meta((16, 64), ACL_FLOAT4_E2M1), x2Scale=Meta((16, 2), ACL_BF16), yScale=Meta((1, 16), U64),
          transposeX2=True, groupSize=32, out=Meta((3, 16), H)),
    quant("factors of floats and a result of integers", x1=Meta((3, 64), E4), x2=Meta((64, 4), E4),
          x2Scale=Meta((4,), U64), out=Meta((3, 4), I8)),
    Lacking("QuantMatmulWeightNz", "a weight of FLOAT, each with eight floats of 4 bits", {
        "x1": Meta((3, 64), E4), "x2": Meta((64, 8), ACL_FLOAT, NZ, storage=(1, 4, 16, 8)),
        "x1Scale": Meta((3, 1, 2), ACL_FLOAT8_E8M0), "x2Scale": Meta((1, 64, 2), ACL_FLOAT8_E8M0), "x2Offset": None,
        "bias": None, "out": Meta((3, 64), H)}, A950),
    Lacking("WeightQuantBatchMatmulNz", "a weight of floats", {
        "weight": Meta((32, 32), ACL_HIFLOAT8, ACL_FORMAT_FRACTAL_NZ, storage=(1, 2, 16, 32)),
        "antiquantOffsetOptional": None}, A950),
    Lacking("TransposeBatchMatMulWeightNz", "x2 as it is stored, in 5 dimensions", {
        "x2": Meta((2, 1, 2, 16, 16), H, ACL_FORMAT_FRACTAL_NZ, storage=(2, 1, 2, 16, 16))}),
    Lacking("InplaceQuantScatter", "another axis than -2, another quantAxis than -1 or another reduction than 1", {
        "axis": 0}),
    Lacking("InplaceQuantScatterV2",
            "another axis than -2, another quantAxis than -1 or another reduction than 1", {"axis": 0}, A950),
    Lacking("InplaceQuantScatterV2", "other dimensions than 3, pairs of indices, or another roundMode than rint", {
        "roundMode": "round"}, A950),
    Lacking("SwigluMxQuant", "groups of rows", {"groupIndexOptional": Meta((2,), ACL_INT64)}, A950),
    Lacking("QuantMax", "another roundMode than rint", {"roundMode": "floor"}, A950),
    Lacking("MoeTokenPermuteWithRoutingMap", "a capacity above the number of tokens", {
        "dropAndPad": True, "numOutTokens": 24, "permuteTokensOut": Meta((24, 4)),
        "permuteProbsOutOptional": Meta((24,)), "sortedIndicesOut": Meta((24,), I32)}),
    Lacking("MoeTokenPermuteWithRoutingMapGrad", "a gradient of probs without a routingMap", {
        "routingMapOptional": None}),
    Lacking("MoeTokenUnpermuteWithRoutingMap", "probs without a routingMap", {"routingMapOptional": None}),
    Lacking("MoeTokenUnpermuteWithRoutingMapGrad", "probs without a routingMap or permutedTokens", {
        "permutedTokensOptional": None}),
    Lacking("MoeGatingTopKBackward", "another normType than 1", {"normType": 0}),
    Lacking("ClippedSwigluV2", "clampMode 1", {"clampMode": 1}),
    Lacking("MoeReRouting", "idxType 1", {"idxType": 1}, A950),
    Lacking("AscendAntiQuant", "a scale of another dimension than the last one", {
        "scale": Meta((2,)), "offset": Meta((2,))}, A950),
    *(Lacking(name, "factors of floats of 8 bits or less", {
        "x1": Meta((4, 256), E4), "x2": Meta((256, 3), E4), "bias": None, **outputs}, A950)
      for name, outputs in (("AllGatherMatmulV2", {"gatherOut": Meta((0,), E4)}), ("MatmulReduceScatterV2", {}))),
    Lacking("QuantMatmulAllReduceV4", "factors of floats", {
        "x1": Meta((4, 256), E4), "x2": Meta((256, 3), E4), "biasOptional": None}, A950),
    *(Lacking(name, "a mask in sparse mode 0", {"attenMaskOptional": Meta((64, 64), ACL_BOOL)})
      for name in ("NsaSelectedAttention", "NsaSelectedAttentionGrad")),
    Lacking("BlockSparseAttentionV2", "tensors of 8 bits", {
        "query": Meta((2, 4, 5, 64), E4), **dict.fromkeys(("key", "value"), Meta((2, 2, 200, 64), E4)),
        **dict.fromkeys(("qDequantScaleOptional", "kDequantScaleOptional", "vDequantScaleOptional"),
                        Meta((2, 2, 2, 1)))}, A950),
    *(Lacking(name, calls, changes, A950) for name in ("FusedCausalConv1d", "InplaceFusedCausalConv1d")
      for calls, changes in (("blocks of prefixes", {"cacheIndices": Meta((2, 2), I32)}),
                             ("initialStateMode", {"initialStateMode": Meta((2,), I32)}))),
    *(Lacking(name, "a quantised query", {"queryOut": Meta((3, 2, 512), I8)})
      for name in ("MlaProlog", "MlaPrologV2WeightNz")),
    Lacking("MlaPrologV3WeightNz", "a quantised query without kvCacheQuantMode 1", {
        "queryQuantMode": 1, "queryOut": Meta((3, 2, 512), I8), "queryNormOutOptional": None}),
    Lacking("MlaPrologV3WeightNz", "kvCacheQuantMode 3", {"weightQuantMode": 1, "kvCacheQuantMode": 3,
            "queryNormOutOptional": None}),
    Lacking("MlaPrologV3WeightNz", "a weightQuantMode above 2", {"weightQuantMode": 3, "kvCacheQuantMode": 0,
            "queryNormOutOptional": None}, A950),
    Lacking("MlaPrologV3WeightNz", "a cacheMode of whole blocks, with packed tokens or with actualSeqLenOptional", {
        "cacheModeOptional": "PA_BLK_NZ"}),
    Lacking("MlaPrologV3WeightNz", "kNopeClipAlphaOptional", {"kNopeClipAlphaOptional": Meta((1,))}),
    Lacking("MoeDistributeDispatchV2", "a quantMode other than 0 and 2", {
        "quantMode": 3, "expandXOut": Meta((4, 32), E4)}, A950),
    *(Lacking(name, "one scale of x that is not given", {"xQuantMode": "pertensor", "xScaleOptional": None}, INFERENCE)
      for name in DEQUANTS),
    *(Lacking(name, OTHER_SCALES, {"xScaleOptional": Meta((3,), H)}, INFERENCE) for name in DEQUANTS),
    Lacking("GroupedMatmulSwigluQuantV2",
            "factors other than INT8, INT4, or floats whose blocks of 32 elements share scales", {
        "x": Meta((3, 32), E4), "weight": (Meta((2, 32, 64), E4),), "output": Meta((3, 32), E4)}, A950),
    *(Lacking(f"GroupedMatmulSwigluQuant{version}", "a weight as it is stored, in 4 or 5 dimensions", {
        "weight": (Meta((2, 2, 2, 16, 32), I8, NZ),)}) for version in ("V2", "WeightNzV2")),
    *(Lacking(name, "x that is not transposed, a transposed weight, or another groupType than 2", {"groupType": 0})
      for name in ("GroupedMatmulAdd", "GroupedMatmulAddV2")),
    Lacking("QuantGroupedMatmulInplaceAdd", "scales that are not those of blocks of 32 rows", {
        "scale1Optional": Meta((2,)), "scale2": Meta((2, 5))}, A950),
    *(Lacking(FINALIZE, calls, changes) for calls, changes in (
        ("factors other than INT8", {"x2": Meta((2, 32, 64), ACL_INT4, NZ, storage=(2, 1, 2, 16, 64))}),
        ("no rowIndex", {"rowIndex": None}), ("an INT64 scale beside INT8", {"scale": Meta((2, 64), ACL_INT64)}),
        ("a bias, or other tensors of a weight of INT4", {"bias": Meta((2, 64))}))),
    *(Lacking(name, "factors of INT4", {"x1": Meta((3, 32), ACL_INT4)})
      for name in ("FusedQuantMatmul", "FusedQuantMatmulWeightNz")),
    Lacking("QuantBatchMatmulInplaceAdd", "scales that are not those of blocks of 32 elements", {
        "x1ScaleOptional": Meta((1,)), "x2Scale": Meta((1,))}, A950),
    Lacking("TransposeQuantBatchMatMul", "packed scales, or scales of different types", {"x1Scale": None}, A950),
    Lacking("TransposeQuantBatchMatMulWeightNz", "x2 as it is stored, in 5 dimensions", {
        "x2": Meta((2, 1, 4, 16, 32), E4, NZ)}, A950),
    Lacking("MhcPost", "no hRes on A2 and A3", {"hRes": None}),
    Lacking("ScatterDiv", "integers", {"varRef": Meta((2, 3), I32), "updates": Meta((2, 3, 3), I32),
                                       "indices": Meta((2, 3), I32)}, A950),
)  # fmt: skip
