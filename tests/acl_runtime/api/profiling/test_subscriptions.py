"""Subscriptions to profiling, which no model accepts; the dump of tensors after a failure, which is off."""

from __future__ import annotations

from ctypes import byref, c_int32, c_size_t, c_uint32, create_string_buffer

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.outcomes import assert_status, finding_of, ok


@pytest.mark.fidelity("subscriptions to the operators of a model")
def test_no_model_is_profiled(machine: Machine) -> None:
    """ "unknown model 100011; config null 100000"."""
    config = aclprofCreateSubscribeConfig(1, ACL_AICORE_PIPE_UTILIZATION, byref(c_int32(1)))
    assert config
    assert_status(aclprofModelSubscribe(1, config), ACL_ERROR_INVALID_MODEL_ID)
    assert_status(aclprofModelSubscribe(1, None), ACL_ERROR_INVALID_PARAM)
    assert_status(aclprofModelUnSubscribe(1), ACL_ERROR_INVALID_MODEL_ID)
    ok(aclprofDestroySubscribeConfig(config))
    assert_status(aclprofDestroySubscribeConfig(None), ACL_ERROR_INVALID_PARAM)
    assert finding_of(lambda: aclprofModelSubscribe(1, config))[0] == "dead-handle"


@pytest.mark.fidelity("subscriptions to the operators of a model")
def test_no_bytes_have_an_operator(machine: Machine) -> None:
    """ "null arguments 100000. Emulator: number of operators 0"."""
    raw, size, number, text = b"bytes", c_size_t(), c_uint32(9), create_string_buffer(8)
    ok(aclprofGetOpDescSize(byref(size)))
    ok(aclprofGetOpNum(raw, 5, byref(number)))
    assert (size.value > 0, number.value) == (True, 0)
    for query in (aclprofGetOpStart, aclprofGetOpEnd, aclprofGetOpDuration, aclprofGetModelId):
        assert query(raw, 5, 0) == 0
    for status in (
        aclprofGetOpDescSize(None),
        aclprofGetOpNum(None, 5, byref(number)),
        aclprofGetOpNum(raw, 5, None),
        aclprofGetOpTypeLen(raw, 5, 0, byref(size)),
        aclprofGetOpTypeLen(None, 5, 0, byref(size)),
        aclprofGetOpTypeLen(raw, 5, 0, None),
        aclprofGetOpNameLen(raw, 5, 0, byref(size)),
        aclprofGetOpType(raw, 5, 0, text, 8),
        aclprofGetOpName(raw, 5, 0, text, 8),
    ):
        assert_status(status, ACL_ERROR_INVALID_PARAM)


@pytest.mark.fidelity("subscriptions to the operators of a model")
def test_the_dump_of_failures_is_off(machine: Machine) -> None:
    tensor, path = create_string_buffer(512), create_string_buffer(64)
    assert_status(acldumpSaveExceptionInfo("file", "tag", tensor, 1), ACL_ERROR_FAILURE)
    assert_status(acldumpGetExceptionInfoPath(path, 64), ACL_ERROR_FAILURE)
    for status in (
        acldumpSaveExceptionInfo(None, "tag", tensor, 1),
        acldumpSaveExceptionInfo("", "tag", tensor, 1),
        acldumpSaveExceptionInfo("../file", "tag", tensor, 1),
        acldumpSaveExceptionInfo("file", "tag", None, 1),
        acldumpSaveExceptionInfo("file", "tag", tensor, 0),
        acldumpGetExceptionInfoPath(None, 64),
        acldumpGetExceptionInfoPath(path, 1),
    ):
        assert_status(status, ACL_ERROR_INVALID_PARAM)
