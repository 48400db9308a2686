"""aclDataBuffer: a pair of an address and a size (public)."""

from collections.abc import Callable
from ctypes import c_void_p

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.outcomes import assert_status, finding_of

USES: dict[str, Callable[[aclDataBuffer], object]] = {
    "aclDestroyDataBuffer": aclDestroyDataBuffer,
    "aclUpdateDataBuffer": lambda buffer: aclUpdateDataBuffer(buffer, None, 0),
    "aclGetDataBufferAddr": aclGetDataBufferAddr,
    "aclGetDataBufferSizeV2": aclGetDataBufferSizeV2,
    "aclGetDataBufferSize": aclGetDataBufferSize,
}
ANSWERS = (ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_PARAM_INVALID, None, 0, 0)


def address_and_sizes(buffer: aclDataBuffer) -> tuple[int | None, int, int]:
    return aclGetDataBufferAddr(buffer), aclGetDataBufferSizeV2(buffer), aclGetDataBufferSize(buffer)


def test_it_keeps_address_and_size(machine: Machine) -> None:
    """ "Plain (pointer, size) pair, no ownership": no address is looked at."""
    buffer = aclCreateDataBuffer(0x1234, 77)
    assert buffer
    assert address_and_sizes(buffer) == (0x1234, 77, 77)
    array = np.zeros(4)
    assert aclUpdateDataBuffer(buffer, array, array.nbytes) == ACL_SUCCESS
    assert address_and_sizes(buffer) == (array.ctypes.data, 32, 32)
    assert aclDestroyDataBuffer(buffer) == ACL_SUCCESS


def test_null_data_is_accepted(machine: Machine) -> None:
    """ "Null data accepted"."""
    buffer = aclCreateDataBuffer(None, 8)
    assert address_and_sizes(buffer) == (None, 8, 8)
    assert aclUpdateDataBuffer(buffer, c_void_p(), 0) == ACL_SUCCESS
    assert address_and_sizes(buffer) == (None, 0, 0)


def test_the_old_size_has_32_bits(machine: Machine) -> None:
    """`uint32_t aclGetDataBufferSize`, deprecated."""
    assert address_and_sizes(aclCreateDataBuffer(None, (5 << 32) + 6)) == (None, (5 << 32) + 6, 6)


@pytest.mark.parametrize("null", [None, aclDataBuffer()], ids=["None", "a null handle"])
def test_a_null_buffer_is_100000_and_reads_as_null(machine: Machine, null: aclDataBuffer | None) -> None:
    """ "Destroy/update of null -> 100000; getters of null -> null / 0"."""
    assert_status(aclDestroyDataBuffer(null), ACL_ERROR_INVALID_PARAM, "(EH0008)", "dataBuffer")
    assert_status(aclUpdateDataBuffer(null, None, 0), ACL_ERROR_INVALID_PARAM, "(EH0008)", "dataBuffer")
    assert (aclGetDataBufferAddr(null), aclGetDataBufferSizeV2(null), aclGetDataBufferSize(null)) == (None, 0, 0)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_destroyed_buffer_is_a_dead_handle(machine: Machine, use: Callable[[aclDataBuffer], object]) -> None:
    """A destroyed buffer is the finding `dead-handle` (ours)."""
    buffer = aclCreateDataBuffer(None, 8)
    assert aclDestroyDataBuffer(buffer) == ACL_SUCCESS
    id, text = finding_of(lambda: use(buffer))
    assert id == "dead-handle"
    assert "data buffer 1 is gone" in text
    assert "data buffer 1 was created at" in text
    assert "test_data_buffers.py" in text


@pytest.mark.parametrize(("use", "answer"), list(zip(USES.values(), ANSWERS, strict=True)), ids=USES)
def test_dead_buffer_in_a_machine_that_reports(use: Callable[[aclDataBuffer], object], answer: object) -> None:
    """It does nothing and returns 107000, null or 0 (ours)."""
    with Machine(on_undefined="report") as machine:
        buffer = aclCreateDataBuffer(None, 8)
        aclDestroyDataBuffer(buffer)
        assert use(buffer) == answer
        assert [finding.id for finding in machine.findings] == ["dead-handle"]
    check_documented(machine)


def test_a_handle_of_another_class_is_a_type_error(machine: Machine) -> None:
    """Another class is a TypeError, a plain c_void_p is accepted (ours)."""
    array = aclCreateIntArray([1], 1)
    with pytest.raises(TypeError, match="aclDataBuffer"):
        aclGetDataBufferAddr(array)  # type: ignore[arg-type]
    assert finding_of(lambda: aclGetDataBufferAddr(c_void_p(array.value)))[0] == "dead-handle"
    aclDestroyIntArray(array)
    buffer = aclCreateDataBuffer(None, 8)
    assert aclGetDataBufferSizeV2(c_void_p(buffer.value)) == 8


def test_a_buffer_left_behind_is_no_finding() -> None:
    """A data buffer owns no memory; the table of findings does not list it (ours)."""
    with Machine() as machine:
        assert aclInit(None) == ACL_SUCCESS
        aclCreateDataBuffer(None, 8)
    assert not machine.findings
