"""Arguments that PyTorch's plugin and public examples pass to functions whose documents say otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from acl_runtime import *
from aclnn.catalogue.index import names
from aclnn.tools.exports import has_kernel
from tests.aclnn.ops.case import A2, A950, INFERENCE, Meta
from tests.derived.first_phases import first_phase
from tests.derived.values import Values

H, I8 = ACL_FLOAT16, ACL_INT8
E4, E8 = ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0


def nz(*shape: int) -> Meta:
    """A weight of INT8 whose view has no blocks."""
    rows, columns = shape[-2:]
    return Meta(shape, I8, ACL_FORMAT_FRACTAL_NZ, storage=(*shape[:-2], columns // 32, rows // 16, 16, 32))


ACCEPTED: list[tuple[str, str, dict[str, Any]]] = [
    ("AdvanceStep", A2, {"inputPositions": Meta((4,), ACL_INT64)}),
    ("GroupedMatmulSwigluQuantWeightNZ", A2, {"weight": nz(2, 32, 64), "weightScale": Meta((2, 64))}),
    ("GroupedMatmulSwigluQuantWeightNzV2", A2, {"weight": (nz(2, 32, 64),)}),
    ("MlaPrologV2WeightNz", A2, {"dequantScaleQNopeOutOptional": Meta((1,))}),
    ("QkvRmsNormRopeCache", A2, dict.fromkeys(("qOutBeforeQuant", "kOutBeforeQuant", "vOutBeforeQuant"))),
    ("TopKTopPSampleV2", A2, {"q": None, "minPs": None, "logitsSelectIdx": Meta((3, 1), ACL_INT64)}),
    ("MoeTokenUnpermuteWithRoutingMap", A2, {"permuteProbs": None}),
    ("DequantRopeQuantKvcache", A2, {"x": Meta((1, 1, 384), ACL_INT32), "kCacheRef": Meta((1, 4, 1, 128), I8)}),
    ("DequantRopeQuantKvcache", A2, {"scaleV": Meta((128,)), "offsetVOptional": Meta((128,))}),
    ("MatmulCompressDequant", INFERENCE, {"deqScale": Meta((1, 16), ACL_INT64)}),
    ("MoeInitRoutingV3", A2, {"scaleOptional": None, "activeExpertRangeOptional": Values(())}),
    ("MoeGatingTopKSoftmaxV2", A2, {"outputSoftmaxResultFlag": False, "softmaxResultOutOptional": Meta((0,))}),
    ("FusedInferAttentionScoreV5", A950, {
        "query": Meta((2, 3, 4, 16), E4), "dequantScaleQueryOptional": Meta((2, 3, 4, 1), E8), "queryQuantMode": 6,
        **dict.fromkeys(("pseShiftOptional", "queryRopeOptional", "keyRopeOptional"))}),
    ("QuantGroupedMatmulDequant", INFERENCE, {"xQuantMode": None}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "soc", "changes"), ACCEPTED)
def test_the_arguments_are_accepted(name: str, soc: str, changes: dict[str, Any]) -> None:
    answer = first_phase(name, soc, changes)
    assert answer.status == ACL_SUCCESS, answer.text


def test_the_default_of_a_cache_mode_is_norm() -> None:
    """A null text, an empty one, and "Norm" ask for the same shape of the caches."""
    for mode in (None, "", "Norm"):
        assert first_phase("ScatterPaKvCache", A2, {"cacheModeOptional": mode}).status == ACL_SUCCESS


NEWER = {
    "aclnnLightningIndexerV2": "the plugin does not know it",
    **dict.fromkeys(("aclnnMlaPrologV2", "aclnnMlaPrologV3"), "the plugin takes the forms with NZ weights"),
    "aclnnKvRmsNormRopeCacheV2": "only if the user gives v",
    "aclnnAdvanceStepV2": "only if the user gives speculated tokens",
    "aclnnMoeTokenPermuteV2": "only if the user asks for quantised tokens",
}  # fmt: skip
"""newer versions without a formula whose older version has one: why the plugin does not take them in its place"""


def test_no_newer_version_stands_before_an_older_one_that_computes() -> None:
    """The plugin takes some newer versions wherever their names exist. These here are none of them: without their
    names it answers the same calls as with them."""
    found: set[str] = set()
    for name in names():
        stem, _, number = name.rpartition("V")
        if number.isdigit() and not has_kernel(name):
            older = (stem if version == 1 else f"{stem}V{version}" for version in range(1, int(number)))
            found |= {name} if any(map(has_kernel, older)) else set()
    assert found == set(NEWER)
