"""The status of a task that failed, by product and by the unit that runs the kernel."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime.headers.dtypes import data_type_of
from acl_runtime.objects.soc import SOCS
from aclnn import *
from aclnn.engine.steps.units import status
from tests.aclnn.ops.case import A2, A3, A200I, A950, INFERENCE, TRAINING, board
from tests.helpers.builders import malloc, on_device, plan

VECTOR, AI_CORE, AI_CPU = (
    ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
    ACL_ERROR_RT_AICORE_EXCEPTION,
    ACL_ERROR_RT_AICPU_EXCEPTION,
)


@pytest.mark.fidelity("status of a task that failed")
@pytest.mark.parametrize("soc", [A2, A3, A950, TRAINING, INFERENCE, A200I])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_position_out_of_range(soc: str, dtype: type) -> None:
    """910: 507015 (public); 310P and 310B: 507015; A2, A3, 950: 507035 of vector cores, 507018 of AI CPUs (ours)."""
    newer = AI_CPU if dtype is np.float64 else VECTOR
    with board(soc, on_undefined="report"):
        table, rows = on_device(np.ones((4, 2), dtype)), on_device(np.array([1, 9]))
        out = on_device(np.zeros((2, 2), dtype))
        planned = plan(aclnnIndexSelectGetWorkspaceSize, table, 0, rows, out)
        workspace = malloc(planned.workspace_size or 1)
        assert aclnnIndexSelect(workspace, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
        assert aclrtSynchronizeStream(None) == (newer if soc in (A2, A3, A950) else AI_CORE)
        assert "index[1] is 9" in aclGetRecentErrMsg()
        assert aclrtSynchronizeStream(None) == ACL_SUCCESS


@pytest.mark.fidelity("status of a task that failed")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("aclnnGroupedMatmulV4", AI_CORE), ("aclnnConvolution", AI_CORE), ("aclnnIncreFlashAttentionV4", AI_CORE),
        ("aclnnMatmul", AI_CORE), ("aclnnEmbedding", VECTOR), ("aclnnGather", VECTOR), ("aclnnOfMyOwn", VECTOR),
    ],
)  # fmt: skip
def test_matrix_products_convolutions_and_attention_run_on_ai_cores(name: str, expected: int) -> None:
    """ "507035, but 507015 for matrix, convolution and attention kernels" (ours)."""
    assert status(name, SOCS[A2], [np.dtype(np.float16)]) == expected
    assert status(name, SOCS[TRAINING], [np.dtype(np.float16)]) == AI_CORE


@pytest.mark.fidelity("status of a task that failed")
@pytest.mark.parametrize("soc", [A2, A3, A950, TRAINING])
@pytest.mark.parametrize(("dtype", "on_ai_cpu"), [(np.int8, True), (np.int64, True), (np.float32, False)])
def test_a_data_type_of_one_operator_runs_on_the_ai_cpu(soc: str, dtype: type, on_ai_cpu: bool) -> None:
    """aclnnIndexAdd: "f64 s8 u8 s64 bool (A2) run on AI CPU" (public)."""
    expected = AI_CPU if on_ai_cpu and soc in (A2, A3) else AI_CORE if soc == TRAINING else VECTOR
    with board(soc, on_undefined="report"):
        table, rows = on_device(np.ones((4, 2), dtype)), on_device(np.array([1, 9]))
        out, alpha = (
            on_device(np.zeros((4, 2), dtype)),
            aclCreateScalar(np.ones(1, dtype), data_type_of(np.dtype(dtype))),
        )
        source = on_device(np.ones((2, 2), dtype))
        planned = plan(aclnnIndexAddGetWorkspaceSize, table, 0, rows, source, alpha, out)
        workspace = malloc(planned.workspace_size or 1)
        assert aclnnIndexAdd(workspace, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
        assert aclrtSynchronizeStream(None) == expected
