"""Operations on the cache: tasks without effect, whose arguments are judged."""

from __future__ import annotations

from ctypes import byref, c_size_t

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.acl_runtime.api.product_families import barrier
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.machines import board
from tests.helpers.outcomes import assert_status, ok


@pytest.mark.parametrize("kind", range(4))
def test_an_operation_is_a_task(machine: Machine, kind: int) -> None:
    stream, memory = create_stream(), malloc(64)
    ok(aclrtCmoAsync(memory, 64, kind, stream))
    ok(aclrtSynchronizeStream(stream))
    assert [task.name for task in machine.tasks] == ["operation on the cache"]


def test_refusals(machine: Machine) -> None:
    stream, memory, size = create_stream(), malloc(128), c_size_t()
    ok(aclrtCmoGetDescSize(byref(size)))
    assert size.value == 64
    for status, expected in (
        (aclrtCmoAsync(None, 64, 0, stream), ACL_ERROR_INVALID_PARAM),
        (aclrtCmoAsync(memory, 0, 0, stream), ACL_ERROR_INVALID_PARAM),
        (aclrtCmoAsync(memory, 64, 4, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT),
        (aclrtCmoAsync(memory, 64, 0, 1), ACL_ERROR_RT_INVALID_HANDLE),
        (aclrtCmoGetDescSize(None), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCmoSetDesc(None, memory, 64), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCmoSetDesc(memory, None, 64), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCmoSetDesc(memory, memory, 0), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCmoSetDesc(0x10, memory, 64), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCmoAsyncWithDesc(None, 0, stream, None), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCmoAsyncWithDesc(memory, 0, stream, 1), ACL_ERROR_RT_PARAM_INVALID),
        (aclrtCmoAsyncWithDesc(memory, 9, stream, None), ACL_ERROR_RT_FEATURE_NOT_SUPPORT),
    ):
        assert_status(status, expected)
    ok(aclrtCmoSetDesc(memory, memory + 64, 64))
    ok(aclrtCmoAsyncWithDesc(memory, 2, stream, None))


def test_barriers_are_for_streams_of_models() -> None:
    """ "each entry must be an invalidate with id != 0, else 107000 - these checks come before the product's 207000"."""
    bad, many = barrier(), barrier()
    bad.cmoInfo[0].barrierId, many.barrierNum = 0, 7
    with board(soc="Ascend910B1"):
        assert_status(aclrtCmoWaitBarrier(byref(bad), None, 0), ACL_ERROR_RT_PARAM_INVALID)
        assert_status(aclrtCmoWaitBarrier(byref(many), None, 0), ACL_ERROR_INVALID_PARAM)
        assert_status(aclrtCmoWaitBarrier(None, None, 0), ACL_ERROR_INVALID_PARAM)
        assert_status(aclrtCmoWaitBarrier(byref(barrier()), None, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
    with board(soc="Ascend310B1"):
        memory = malloc(64)
        assert_status(aclrtCmoAsyncWithBarrier(None, 64, 0, 0, None), ACL_ERROR_INVALID_PARAM)
        for size, kind, id in ((0, 0, 0), (64, 2, 0), (64, 0, 1)):
            assert_status(aclrtCmoAsyncWithBarrier(memory, size, kind, id, None), ACL_ERROR_RT_PARAM_INVALID)
        assert_status(aclrtCmoAsyncWithBarrier(memory, 64, 2, 1, None), ACL_ERROR_RT_STREAM_MODEL)
        assert_status(aclrtCmoWaitBarrier(byref(barrier()), None, 0), ACL_ERROR_RT_STREAM_MODEL)
