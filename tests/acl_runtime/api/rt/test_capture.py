"""Capture of streams into models is refused, after the checks of each function (public)."""

from __future__ import annotations

from ctypes import byref, c_void_p

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_context, create_stream
from tests.helpers.outcomes import assert_status, ok

pytestmark = pytest.mark.finds("order-teardown")
GLOBAL = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL


@pytest.mark.fidelity("graph capture")
def test_a_capture_is_not_supported(machine: Machine) -> None:
    """The text says so, and the stream goes on as before."""
    stream = create_stream()
    status = aclmdlRICaptureBegin(stream, GLOBAL)
    assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "Capture of a stream is not supported")
    ok(aclrtSynchronizeStream(stream))


@pytest.mark.parametrize("mode", [-1, 3])
def test_a_mode_beyond_the_enumeration_is_refused(mode: int, machine: Machine) -> None:
    assert_status(aclmdlRICaptureBegin(create_stream(), mode), ACL_ERROR_RT_PARAM_INVALID)


def test_the_null_stream_is_refused(machine: Machine) -> None:
    assert_status(aclmdlRICaptureBegin(None, GLOBAL), ACL_ERROR_INVALID_PARAM)
    assert_status(aclmdlRICaptureEnd(None, byref(aclmdlRI())), ACL_ERROR_INVALID_PARAM)


def test_a_stream_of_another_context_is_refused(machine: Machine) -> None:
    stream = create_stream()
    create_context()
    assert_status(aclmdlRICaptureBegin(stream, GLOBAL), ACL_ERROR_RT_STREAM_CONTEXT)
    assert_status(aclmdlRICaptureEnd(stream, byref(aclmdlRI())), ACL_ERROR_RT_STREAM_CONTEXT)


def test_a_dead_stream_is_refused_before_its_mode(machine: Machine) -> None:
    stream = create_stream()
    ok(aclrtDestroyStream(stream))
    assert_status(aclmdlRICaptureBegin(stream, 3), ACL_ERROR_RT_INVALID_HANDLE)
    assert_status(aclmdlRICaptureEnd(stream, byref(aclmdlRI())), ACL_ERROR_RT_INVALID_HANDLE)


def test_no_stream_is_in_capture(machine: Machine) -> None:
    model = aclmdlRI()
    assert_status(aclmdlRICaptureEnd(create_stream(), byref(model)), ACL_ERROR_RT_STREAM_NOT_CAPTURED)
    assert not model


def test_there_is_no_model(machine: Machine) -> None:
    stream = create_stream()
    for model, status in ((None, ACL_ERROR_INVALID_PARAM), (c_void_p(stream.value), ACL_ERROR_RT_INVALID_HANDLE)):
        assert_status(aclmdlRIExecuteAsync(model, stream), status)
        assert_status(aclmdlRIDestroy(model), status)


@pytest.mark.parametrize("soc", ["Ascend910A", "Ascend310B1"])
def test_other_products_refuse_it_before_they_look_at_the_stream(soc: str) -> None:
    with Machine(soc=soc):
        ok(aclrtSetDevice(0))
        for status in (aclmdlRICaptureBegin(c_void_p(1), GLOBAL), aclmdlRICaptureEnd(c_void_p(1), None)):
            assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
        ok(aclrtResetDevice(0))
