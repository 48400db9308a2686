"""Tensors and attributes that do not fit their type are refused with a status, whatever they are (ours)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.statuses import ACL_ERROR_GE_FAILURE
from tests.aclnn.by_name.case import F32, I32, X, case, ints, normal
from tests.helpers.named_operators import OnHost, call, sides
from tests.helpers.outcomes import ok

IMAGE, KERNEL = normal(1, 2, 4, 4), normal(3, 2, 1, 1)
MISFITS = [
    case("SliceD", [X], [X], offsets=[0, 0], size=[3]),
    case("SliceD", [X], [X], offsets=[0, 0, 0], size=[3, 4, 1]),
    case("Pad", [X, ints(0, 1, 2)], [X]),
    case("AsStrided", [X, ints(2, 2), ints(1), ints(0)], [normal(2, 2)]),
    case("Exp", [X], [X], base=0.0),
    case("Log", [X], [X], base=1.0),
    case("Log", [X], [X], base=0.0),
    case("ConfusionTransposeD", [X], [X], perm=[5, 1], shape=[3, 4], transpose_first=True),
    case("Conv2D", [IMAGE, KERNEL], [normal(1, 3, 4, 4)], strides=[1], pads=[0, 0, 0, 0], dilations=[1, 1, 1, 1]),
    case("SplitD", [np.float32(1)], [np.float32(1)], split_dim=0, num_split=1),
    case("Unpack", [np.float32(1)], [np.float32(1)], num=1, axis=0),
    case("PadD", [X], [X], paddings=[1, 1, 1, 1]),
]


@pytest.mark.parametrize("misfit", MISFITS, ids=lambda each: f"{each.type}-{each.attributes}")
def test_a_call_that_does_not_fit_is_refused(misfit: Any) -> None:
    with Machine(on_undefined="report"), sides(misfit.inputs, misfit.results) as (given, made):
        status = call(misfit.type, given, made, **misfit.attributes)
        assert status in (ACL_SUCCESS, ACL_ERROR_GE_FAILURE)
        if status != ACL_SUCCESS:
            assert misfit.type in (aclGetRecentErrMsg() or "")
        ok(aclrtSynchronizeDevice())


def test_a_buffer_on_the_host_may_have_more_bytes_than_its_value() -> None:
    axes = OnHost(np.array([1], I32))
    longer = np.frombuffer(axes.value.tobytes() + b"\7\7", np.uint8)
    with Machine(), sides([X, axes], [X.sum(1)]) as (given, made):
        ok(aclUpdateDataBuffer(given.buffers[1], longer, longer.nbytes))
        ok(call("ReduceSum", given, made))
        ok(aclrtSynchronizeStream(None))


def test_values_on_the_device_that_do_not_fit_let_the_task_fail() -> None:
    """The call succeeds, as the values are read when the task runs."""
    inputs = [X, np.array([0, 0], I32), np.array([3], I32)]
    with Machine(on_undefined="report"), sides(inputs, [X]) as (given, made):
        ok(call("Slice", given, made))
        assert aclrtSynchronizeStream(None) == ACL_ERROR_RT_AICORE_EXCEPTION


def test_a_plan_does_not_warn() -> None:
    whole = np.arange(4, dtype=I32)
    with warnings.catch_warnings(), Machine(on_undefined="report"), sides([whole], [whole]) as (given, made):
        warnings.simplefilter("error")
        assert call("Adds", given, made, value=float("inf")) in (ACL_SUCCESS, ACL_ERROR_GE_FAILURE)


def test_a_missing_output_at_the_end_gets_no_shape() -> None:
    with Machine(), sides([np.array([0, 3], F32)], [np.zeros((2, 1), np.int64)]) as (given, made):
        absent = aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, None, ACL_FORMAT_UNDEFINED)
        nothing = aclCreateDataBuffer(None, 0)
        attr = aclopCreateAttr()
        descs, buffers = [*made.descs, absent], [*made.buffers, nothing]
        status = aclopCompileAndExecuteV2(
            "NonZero", 1, given.descs, given.buffers, 2, descs, buffers, attr, 0, 0, None, None
        )
        assert status == ACL_SUCCESS, aclGetRecentErrMsg()
        assert aclGetTensorDescElementCount(made.descs[0]) == 1
        aclopDestroyAttr(attr)
        aclDestroyTensorDesc(absent)
        ok(aclDestroyDataBuffer(nothing))
