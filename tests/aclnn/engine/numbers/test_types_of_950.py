"""Data types that only Ascend 950 has: COMPLEX32 is computed in complex64, and types without numbers in Python are
planned, with a launch that returns 561003."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime.headers.dtypes import Array
from aclnn import *
from tests.helpers.builders import malloc, meta, plan
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import ok
from tests.helpers.weights import fetched, filled, launch_pair, tensor

A950 = "Ascend950PR_9599"
HALF = np.float16
CAST = (aclnnCastGetWorkspaceSize, aclnnCast)
ABS = (aclnnAbsGetWorkspaceSize, aclnnAbs)


def pairs(*shape: int) -> Array:
    """COMPLEX32 as pairs of float16 in the last dimension."""
    return np.random.default_rng(shape).uniform(-4, 4, (*shape, 2)).astype(HALF)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_real_part_of_complex32_is_cast(schedule: str) -> None:
    values = pairs(3, 4)
    with board(schedule, soc=A950):
        out = malloc(24)
        source = tensor(filled(values), (3, 4), ACL_COMPLEX32)
        launch_pair(CAST, source, ACL_FLOAT16, tensor(out, (3, 4), ACL_FLOAT16))
        assert np.array_equal(fetched(out, (3, 4), HALF), values[..., 0])


def test_complex32_is_read_and_written_through_strides() -> None:
    values = pairs(4, 3)
    with board(soc=A950):
        out = filled(np.zeros((3, 8, 2), HALF))
        source = tensor(filled(values), (3, 4), ACL_COMPLEX32, strides=(1, 3), storage=[12])
        target = tensor(out, (3, 4), ACL_COMPLEX32, strides=(8, 2), storage=[24])
        launch_pair(CAST, source, ACL_COMPLEX32, target)
        found = fetched(out, (3, 8, 2), HALF)
        assert np.array_equal(found[:, ::2], values.transpose(1, 0, 2))
        assert not found[:, 1::2].any()


def test_complex64_is_rounded_once_to_complex32() -> None:
    values = np.array([1 + 2**-12 + 3j, 65504 - 2j], np.complex64)
    with board(soc=A950):
        out = malloc(8)
        launch_pair(CAST, tensor(filled(values), (2,), ACL_COMPLEX64), ACL_COMPLEX32, tensor(out, (2,), ACL_COMPLEX32))
        assert np.array_equal(fetched(out, (2, 2), HALF), np.array([[1, 3], [65504, -2]], HALF))


def test_a_kernel_of_one_s_own_gets_complex32_as_complex64() -> None:
    seen: list[Any] = []

    def magnitude(self: Array) -> Array:
        seen.append(self.dtype)
        return np.abs(self).astype(HALF)

    values = np.array([[3, 4], [6, 8]], HALF)
    with board(soc=A950) as machine:
        machine.kernels["aclnnAbs"] = magnitude
        out = malloc(4)
        launch_pair(ABS, tensor(filled(values), (2,), ACL_COMPLEX32), tensor(out, (2,), ACL_FLOAT16))
        assert np.array_equal(fetched(out, (2,), HALF), [5, 10])
    assert seen == [np.complex64]


WITHOUT_NUMBERS = [ACL_HIFLOAT8, ACL_FLOAT4_E2M1, ACL_FLOAT4_E1M2]


@pytest.mark.fidelity("a data type that numpy and ml_dtypes do not have, such as HIFLOAT8")
@pytest.mark.parametrize("dtype", WITHOUT_NUMBERS)
def test_a_type_without_numbers_is_planned_and_its_launch_is_561003(dtype: int) -> None:
    with board(soc=A950) as machine:
        planned = plan(CAST[0], tensor(filled(np.ones(2, HALF)), (2,), ACL_FLOAT16), dtype,
                       tensor(malloc(2), (2,), dtype))  # fmt: skip
        ok(planned.status)
        workspace = malloc(max(planned.workspace_size, 1))
        status = CAST[1](workspace, planned.workspace_size, planned.executor, None)
        assert status == ACLNN_ERR_INNER_FIND_KERNEL_ERROR
        text = aclGetRecentErrMsg() or ""
        assert f"no kernel for aclnnCast in DT_{aclDataType(dtype).name.removeprefix('ACL_')}" in text
        assert machine.findings == []
        assert machine.kernels.missed == {"aclnnCast": 1}


def test_with_the_option_plan_the_first_phase_is_561003_for_such_a_type() -> None:
    with board(soc=A950, catalogued="plan"):
        source, target = meta([2], ACL_FLOAT16), meta([2], ACL_HIFLOAT8)
        assert plan(CAST[0], source, ACL_HIFLOAT8, target).status == ACLNN_ERR_INNER_FIND_KERNEL_ERROR
        assert plan(CAST[0], source, ACL_FLOAT16, meta([2], ACL_FLOAT16)).status == ACL_SUCCESS
