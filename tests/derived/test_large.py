"""Tensors of a million elements: tiles and the evaluator compute what the formula computes as it is written.
`ACLNN_EXHAUSTIVE=1` turns it on; `.ci/run` does."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import chain
from typing import cast

import numpy as np
import pytest

from tests.benchmarks import large_calls
from tests.benchmarks.elements import grown
from tests.derived.good import subject
from tests.derived.judging import Subject
from tests.derived.launching import ready, silent
from tests.derived.values import Call
from tests.oracle.routes import compared, route_of

pytestmark = pytest.mark.skipif(
    os.environ.get("ACLNN_EXHAUSTIVE") != "1", reason="takes a minute; ACLNN_EXHAUSTIVE=1 turns it on, as .ci/run does"
)

PLACES = 4
"""a float may differ by so many units in the last place of the largest element: sums have another order"""
UNIT = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-22, "complex64": 2.0**-22}
FIXED = {
    "aclnnApplyAdamWQuant", "aclnnCtcLoss", "aclnnGroupedMatmulSwigluQuant", "aclnnQuantMatmulWeightNz",
    "aclnnAddmmWeightNz", "aclnnFusedInferAttentionScoreV4", "aclnnGroupedMatmulWeightNz", "aclnnMatmulWeightNz",
    "aclnnWeightQuantBatchMatmulNz", "aclnnRingAttentionUpdate", "aclnnRingAttentionUpdateV2",
    "aclnnDynamicBlockMxQuant", "aclnnDynamicMxQuantWithDualAxis", "aclnnDynamicMxQuantWithDualAxisV2",
    "aclnnFlashAttentionScoreV3", "aclnnFlashAttentionScoreV4", "aclnnFlashAttentionScoreGradV3",
    "aclnnFlashAttentionScoreGradV4", "aclnnMaskedCausalConv1d", "aclnnMaskedCausalConv1dBackward",
    "aclnnGroupedDynamicBlockQuant", "aclnnGroupedDynamicBlockQuantV2", "aclnnFusedInferAttentionScoreV5",
    "aclnnFusedQuantMatmulWeightNz", "aclnnGroupedMatmulFinalizeRoutingWeightNzV2", "aclnnGroupedMatmulSwigluQuantV2",
    "aclnnGroupedMatmulSwigluQuantWeightNZ", "aclnnGroupedMatmulSwigluQuantWeightNzV2", "aclnnQuantMatmulDequant",
    "aclnnQuantGroupedMatmulInplaceAdd", "aclnnQuantGroupedMatmulDequantWeightNZ", "aclnnSignBitsPack",
    "aclnnQuantMatmulReduceSumWeightNz",
}  # fmt: skip
"""functions of which no larger call is found by making all sizes longer"""
WIDENED = {"aclnnAddRmsNormCast"}
"""functions with an output of FLOAT whose values were rounded to 16 bits"""


@pytest.mark.functions(list(compared()))
def test_a_large_result_is_that_of_the_formula_as_it_is_written(name: str) -> None:
    route, this = route_of(name), subject(name)
    this = replace(this, good=this.changed({**route.start}))
    call = grown(this)
    assert (call is None) == (name in FIXED)
    if call is None:
        return
    arrays = large_calls.drawn(this, route, call)
    for found, wanted in zip(*(outputs(this, call, arrays, fast=fast) for fast in (True, False)), strict=True):
        assert found.shape == wanted.shape
        assert_close(found, wanted, UNIT["float16"] if name in WIDENED else 0)


def outputs(this: Subject, call: Call, arrays: dict[str, list[np.ndarray]], *, fast: bool) -> list[np.ndarray]:
    """The outputs of a call, in the order of the prototype."""
    with silent(this, fast=fast):
        return list(chain.from_iterable(ready(this, call, arrays=arrays).outputs().values()))


def assert_close(found: np.ndarray, wanted: np.ndarray, least: float) -> None:
    if wanted.dtype.kind in "biu":
        np.testing.assert_array_equal(found, wanted)
        return
    unit = max(UNIT.get(cast("str", wanted.dtype.name), 2.0**-50), least)
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
    found, wanted = found.astype(wide), wanted.astype(wide)
    largest = np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=PLACES * unit * float(largest))
