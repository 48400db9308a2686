"""Peer access between devices (public)."""

from collections.abc import Callable
from ctypes import byref, c_int32

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_context
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status


def access(device: int, peer: int) -> int:
    status = c_int32(-1)
    assert aclrtDevicePeerAccessStatus(device, peer, byref(status)) == ACL_SUCCESS
    return status.value


def test_one_direction_per_call(two: Machine) -> None:
    """ "Enable works on the thread's current device. One direction per call." (public)."""
    aclrtSetDevice(0)
    assert (access(0, 1), access(1, 0)) == (0, 0)
    assert aclrtDeviceEnablePeerAccess(1, 0) == ACL_SUCCESS
    assert (access(0, 1), access(1, 0)) == (1, 0)
    create_context(1)
    assert aclrtDeviceEnablePeerAccess(0, 0) == ACL_SUCCESS
    assert (access(0, 1), access(1, 0)) == (1, 1)
    aclrtSetDevice(0)
    assert aclrtDeviceDisablePeerAccess(1) == ACL_SUCCESS
    assert (access(0, 1), access(1, 0)) == (0, 1)


@pytest.mark.fidelity("peer access")
def test_enabling_or_disabling_again_changes_nothing(two: Machine) -> None:
    """Enabling what is enabled, disabling what is not: no status is documented, so 0 (ours)."""
    aclrtSetDevice(0)
    assert aclrtDeviceDisablePeerAccess(1) == ACL_SUCCESS
    assert aclrtDeviceEnablePeerAccess(1, 0) == aclrtDeviceEnablePeerAccess(1, 0) == ACL_SUCCESS
    assert access(0, 1) == 1
    assert aclrtDeviceDisablePeerAccess(1) == ACL_SUCCESS
    assert access(0, 1) == 0


@pytest.mark.fidelity("peer access")
def test_every_pair_can(two: Machine) -> None:
    """All devices of one machine can (ours; on 200I/500 A2 none: test_product_support.py); no context is needed
    (public)."""
    for device, peer in ((0, 1), (1, 0)):
        can = c_int32(-1)
        assert aclrtDeviceCanAccessPeer(byref(can), device, peer) == ACL_SUCCESS
        assert can.value == 1


Refusals = tuple[Callable[[], int], int, tuple[str, ...]]
REFUSED: dict[str, Refusals] = {
    "can, null: 100000": (lambda: aclrtDeviceCanAccessPeer(None, 0, 0), ACL_ERROR_INVALID_PARAM, ("(EH0008)",)),
    "can, same device: 100000": (
        lambda: aclrtDeviceCanAccessPeer(byref(c_int32()), 7, 7), ACL_ERROR_INVALID_PARAM, ("(EH0007)", "peerDeviceId"),
    ),
    "can, bad device: 107001": (
        lambda: aclrtDeviceCanAccessPeer(byref(c_int32()), 2, 0), ACL_ERROR_RT_INVALID_DEVICEID, ("[0, 2)",),
    ),
    "can, bad peer: 107001": (
        lambda: aclrtDeviceCanAccessPeer(byref(c_int32()), 0, -1), ACL_ERROR_RT_INVALID_DEVICEID, ("[0, 2)",),
    ),
    "enable, flags: 200006": (
        lambda: aclrtDeviceEnablePeerAccess(9, 1), ACL_ERROR_FEATURE_UNSUPPORTED, ("(EH0006)", "flags = 1"),
    ),
    "enable, bad peer: 107001": (
        lambda: aclrtDeviceEnablePeerAccess(2, 0), ACL_ERROR_RT_INVALID_DEVICEID, ("[0, 2)",),
    ),
    "enable, same device: 100000": (
        lambda: aclrtDeviceEnablePeerAccess(0, 0), ACL_ERROR_INVALID_PARAM, ("(EH0007)", "a device other than 0"),
    ),
    "disable, bad peer: 107001": (lambda: aclrtDeviceDisablePeerAccess(2), ACL_ERROR_RT_INVALID_DEVICEID, ("[0, 2)",)),
    "disable, same device: 100000": (
        lambda: aclrtDeviceDisablePeerAccess(0), ACL_ERROR_INVALID_PARAM, ("(EH0007)", "a device other than 0"),
    ),
    "status, null: 100000": (lambda: aclrtDevicePeerAccessStatus(5, 6, None), ACL_ERROR_INVALID_PARAM, ("(EH0008)",)),
    "status, same device: 100000": (
        lambda: aclrtDevicePeerAccessStatus(1, 1, byref(c_int32())), ACL_ERROR_INVALID_PARAM, ("(EH0007)",),
    ),
    "status, bad device: 107001": (
        lambda: aclrtDevicePeerAccessStatus(5, 0, byref(c_int32())), ACL_ERROR_RT_INVALID_DEVICEID, ("[0, 2)",),
    ),
    "status, bad peer: 107001": (
        lambda: aclrtDevicePeerAccessStatus(0, 5, byref(c_int32())), ACL_ERROR_RT_INVALID_DEVICEID, ("[0, 2)",),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "status", "words"), REFUSED.values(), ids=REFUSED)
def test_peer_access_refuses_the_same_device_flags_and_bad_ids(
    two: Machine, call: Callable[[], int], status: int, words: tuple[str, ...]
) -> None:
    """ "Same device twice -> 100000. `flags` must be 0, otherwise 200006. Bad id -> 107001." (public)."""
    aclrtSetDevice(0)
    assert_status(call(), status, *words)


def test_flags_are_not_recorded_as_the_last_error(two: Machine) -> None:
    """ "Not recorded: everything rejected in the ACL layer" (error text rules, 6)."""
    aclrtSetDevice(0)
    assert aclrtDeviceEnablePeerAccess(1, 3) == ACL_ERROR_FEATURE_UNSUPPORTED
    assert two.thread().last_error == 0


def test_without_a_context_is_107002(two: Machine) -> None:
    """ "Enable works on the thread's current device (107002 if none)" (public); "range checks come before the context
    check" (1.1)."""

    def work() -> None:
        assert_status(aclrtDeviceEnablePeerAccess(1, 0), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")
        assert_status(aclrtDeviceDisablePeerAccess(1), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)")
        assert_status(aclrtDeviceEnablePeerAccess(2, 0), ACL_ERROR_RT_INVALID_DEVICEID)
        assert_status(aclrtDeviceEnablePeerAccess(2, 1), ACL_ERROR_FEATURE_UNSUPPORTED)

    in_thread(work)
