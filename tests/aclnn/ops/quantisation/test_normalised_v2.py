"""AddRmsNormQuantV2 and AddRmsNormDynamicQuantV2: figures by hand, and the two ways of the library (public)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, INFERENCE, Meta
from tests.aclnn.ops.quantisation.good_calls import GOOD, whole
from tests.helpers.builders import plan
from tests.helpers.refusals import Mistake, answer, assert_refused

F16, F32, I8 = np.float16, np.float32, np.int8
NULL, INVALID, KERNEL = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_NULLPTR
STATIC, DYNAMIC = (GOOD[f"aclnnAddRmsNorm{kind}V2"] for kind in ("Quant", "DynamicQuant"))
ONE, HALF = Meta((1,)), Meta((2, 8), ACL_FLOAT16)
FAST: dict[str, Any] = {
    "scales1": ONE, "scales2Optional": None, "zeroPoints1Optional": whole(1, dtype=ACL_INT32),
    "zeroPoints2Optional": None,
}  # fmt: skip
BEHIND: dict[str, Any] = {**FAST, "betaOptional": None, "xOut": None, "rmsNormOut": HALF}
X1, X2 = np.array([[1, 2, 3, 4]], F16), np.full((1, 4), 0.5, F16)
GAMMA, BETA = np.array([1, 1, 2, 2], F16), np.array([0, 0.25, 0, -0.25], F16)
ROW, ZEROS = np.full(4, 0.02, F32), np.full(4, 3, np.int32)


def empty(*shape: int, dtype: Any = I8) -> np.ndarray:
    return np.full(shape, 7, dtype)


def test_a_scale_of_each_column() -> None:
    """The second result stays as it is without its scales."""
    with Machine():
        y1, y2, x, norm = run(aclnnAddRmsNormQuantV2, X1, X2, GAMMA, ROW, None, ZEROS, None, BETA, -1, 1e-6, True,
                              empty(1, 4), empty(1, 4), X1.copy(), None)  # fmt: skip
    assert (y1.tolist(), y2.tolist(), norm) == ([[26, 55, 112, 127]], [[-1] * 4], None)
    assert x.tolist() == [[1.5, 2.5, 3.5, 4.5]]


def test_one_scale_and_the_norm_instead_of_the_sum() -> None:
    with Machine():
        y1, _, x, norm = run(aclnnAddRmsNormQuantV2, X1, X2, GAMMA, ROW[:1], None, ZEROS[:1], None, None, -1, 1e-6,
                             True, empty(1, 4), empty(1, 4), None, X1.copy())  # fmt: skip
    assert (y1.tolist(), x) == ([[26, 42, 112, 127]], None)
    assert np.allclose(norm, [[0.4685, 0.781, 2.186, 2.81]], atol=1e-3)


@pytest.mark.parametrize("changes", [FAST, BEHIND, {}, {"zeroPoints1Optional": None}], ids=range(4))
def test_calls_of_both_ways(changes: dict[str, Any]) -> None:
    assert answer(aclnnAddRmsNormQuantV2GetWorkspaceSize, STATIC, changes).status == ACL_SUCCESS


@pytest.mark.parametrize("mistake", [
    Mistake("the general way needs the sum", NULL, "x1", xOut=None),
    Mistake("the general way has no norm", NULL, "rmsNormOut", rmsNormOut=HALF),
    Mistake("one scale beside another one is general", INVALID, "scales1", scales1=ONE),
    Mistake("two types of results", INVALID, "y2Out", y2Out=Meta((2, 8), ACL_HIFLOAT8)),
], ids=str)  # fmt: skip
def test_refusals(mistake: Mistake) -> None:
    assert_refused(aclnnAddRmsNormQuantV2GetWorkspaceSize, STATIC, mistake)


@pytest.mark.parametrize("mistake", [
    Mistake("the norm has the type of x1", INVALID, "rmsNormOut", rmsNormOut=Meta((2, 8), ACL_BF16)),
    Mistake("the norm has the shape of x1", INVALID, "rmsNormOut", rmsNormOut=Meta((8, 2), ACL_FLOAT16)),
    Mistake("the norm has dimensions", INVALID, "rmsNormOut", rmsNormOut=Meta((), ACL_FLOAT16)),
], ids=str)  # fmt: skip
def test_refusals_of_the_fast_way(mistake: Mistake) -> None:
    assert_refused(aclnnAddRmsNormQuantV2GetWorkspaceSize, {**STATIC, **BEHIND}, mistake)


@pytest.mark.parametrize("name", [
    "scales1", "scales2Optional", "zeroPoints1Optional", "zeroPoints2Optional", "betaOptional",
])  # fmt: skip
def test_numbers_on_ascend_950(name: str) -> None:
    wrong = Meta((3,), STATIC[name].dtype)
    assert_refused(aclnnAddRmsNormQuantV2GetWorkspaceSize, STATIC, Mistake("", KERNEL, name, **{name: wrong}), A950)


def test_gamma_is_not_too_short_on_310p() -> None:
    assert_refused(aclnnAddRmsNormQuantV2GetWorkspaceSize, STATIC, Mistake("", INVALID, "gamma"), INFERENCE)


def test_a_result_that_is_not_asked_for_may_have_no_dimensions() -> None:
    """As torch_npu passes it."""
    x, scale = np.array([[1, -2, 4]], F16), empty(1, dtype=F32)
    with Machine():
        y1, _, sum_, found, _ = run(aclnnAddRmsNormDynamicQuantV2, x, 0 * x, np.ones(3, F16), None, None, None, 1e-6,
                                    None, empty(1, 3), empty(), x.copy(), scale, empty(dtype=F32))  # fmt: skip
    assert (y1.tolist(), sum_.tolist()) == ([[32, -63, 127]], x.tolist())
    assert np.allclose(found * 127, 4 / np.sqrt(7))


def test_a_row_of_zeros_has_the_scale_0() -> None:
    x, scale = np.zeros((1, 4), F16), empty(1, dtype=F32)
    with Machine():
        y1, _, _, found, _ = run(aclnnAddRmsNormDynamicQuantV2, x, x, np.ones(4, F16), None, None, None, 1e-6, None,
                                 empty(1, 4), empty(), x.copy(), scale, empty(dtype=F32))  # fmt: skip
    assert (y1.tolist(), found.tolist()) == ([[0] * 4], [0])


def test_packed_results_of_int4() -> None:
    x, packed, scale = np.array([[7, -7, 1, 2, 3, 4, 5, 6]], F16), empty(1, 1, dtype=np.int32), empty(1, dtype=F32)
    with Machine():
        y1, *_ = run(aclnnAddRmsNormDynamicQuantV2, x, 0 * x, np.ones(8, F16), None, None, None, 1e-6, None, packed,
                     empty(), x.copy(), scale, empty(dtype=F32))  # fmt: skip
    assert f"{int(y1[0, 0]) & 0xFFFFFFFF:08x}" == "65432197"


@pytest.mark.parametrize("mistake", [
    Mistake("the second smooth scale is not alone", INVALID, "smoothScale2Optional", smoothScale1Optional=None),
    Mistake("both results have one type", INVALID, "y2Out", y2Out=Meta((2, 8), ACL_INT4)),
    Mistake("an eighth", INVALID, "y1Out", y1Out=Meta((2, 8), ACL_INT32), y2Out=Meta((2, 8), ACL_INT32)),
    Mistake("an eighth of the second", INVALID, "y2Out", y1Out=Meta((2, 1), ACL_INT32), y2Out=Meta((2, 8), ACL_INT32)),
    Mistake("the shape of x1", ACLNN_ERR_INNER_TILING_ERROR, "y1Out", y1Out=whole(2, 4)),
    Mistake("a type of the kernel", KERNEL, "y1Out", y1Out=Meta((2, 8)), y2Out=Meta((2, 8))),
    Mistake("a scale for each row", KERNEL, "scale1Out", scale1Out=Meta((3,))),
], ids=str)  # fmt: skip
def test_dynamic_refusals(mistake: Mistake) -> None:
    assert_refused(aclnnAddRmsNormDynamicQuantV2GetWorkspaceSize, DYNAMIC, mistake)


@pytest.mark.parametrize(("flags", "status"), [
    ((True, True), ACL_SUCCESS), ((True, False), INVALID), ((False, True), INVALID), ((False, False), INVALID),
    ((True,), INVALID),
])  # fmt: skip
def test_the_mask_fits_the_smooth_scales(flags: tuple[bool, ...], status: int) -> None:
    with Machine(A2):
        aclrtSetDevice(0)
        mask = aclCreateBoolArray(list(flags), len(flags))
        given = [each.make() if isinstance(each, Meta) else each for each in {**DYNAMIC, "outputMask": mask}.values()]
        assert plan(aclnnAddRmsNormDynamicQuantV2GetWorkspaceSize, *given).status == status
