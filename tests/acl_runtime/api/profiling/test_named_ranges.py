"""Ranges with tensors, hashes, records in streams, message buffers: answers without a back end or a device program."""

from __future__ import annotations

from ctypes import byref, c_size_t, c_uint32, c_void_p

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import assert_status, ok


def test_ranges_and_hashes(machine: Machine) -> None:
    """ "-1 when the back end is not loaded"."""
    assert aclprofRangePushEx(b"x" * 64) == -1
    assert aclprofRangePop() == -1
    assert aclprofStr2Id("a") == aclprofStr2Id("a") != aclprofStr2Id("b")
    assert aclprofStr2Id(None) == 0


def test_a_record_is_a_task(machine: Machine) -> None:
    stream = create_stream()
    ok(aclrtProfTrace(b"sixteen bytes...", 16, stream))
    ok(aclrtSynchronizeStream(stream))
    assert len(machine.tasks) == 1
    assert_status(aclrtProfTrace(None, 16, stream), ACL_ERROR_INVALID_PARAM)
    for length in (0, -1, 33):
        assert_status(aclrtProfTrace(b"x" * 40, length, stream), ACL_ERROR_RT_PARAM_INVALID)


def test_message_buffers_are_for_programs_on_a_device(machine: Machine) -> None:
    none, out, number, size = aclrtMbuf(), byref(aclrtMbuf()), byref(c_uint32()), byref(c_size_t())
    assert_status(aclrtAllocBuf(None, 8), ACL_ERROR_INVALID_PARAM)
    assert_status(aclrtAllocBuf(out, 0), ACL_ERROR_INVALID_PARAM)
    for status in (
        aclrtAllocBuf(out, 8),
        aclrtFreeBuf(none),
        aclrtGetBufData(none, byref(c_void_p()), size),
        aclrtSetBufDataLen(none, 8),
        aclrtGetBufDataLen(none, size),
        aclrtCopyBufRef(none, out),
        aclrtAppendBufChain(none, none),
        aclrtGetBufChainNum(none, number),
        aclrtGetBufFromChain(none, 0, out),
        aclrtGetBufUserData(none, None, 8, 0),
        aclrtSetBufUserData(none, None, 8, 0),
    ):
        assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
