"""Numbers of devices, links between them, limits, architecture and capabilities."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_int32, c_size_t, c_uint32, c_uint64, c_void_p, create_string_buffer
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.machines import board
from tests.helpers.outcomes import assert_status, finding_of, ok, text

MAPS: dict[Callable[..., int], list[int]] = {
    aclrtGetLogicDevIdByUserDevId: [2, 1, -1, -1],
    aclrtGetUserDevIdByLogicDevId: [-1, 1, 0, -1],
    aclrtGetLogicDevIdByPhyDevId: [0, 1, 2, 3],
    aclrtGetPhyDevIdByLogicDevId: [0, 1, 2, 3],
    aclrtGetUserDevIdByPhyDevId: [0, 1, 2, 3],
    aclrtGetPhyDevIdByUserDevId: [0, 1, 2, 3],
}
"""the answer for each number with ASCEND_RT_VISIBLE_DEVICES=2,1 and four devices; -1: 107001"""


@pytest.mark.fidelity("numbers, links and capabilities of devices")
def test_numbers_with_hidden_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCEND_RT_VISIBLE_DEVICES", "2,1")
    with Machine(device_count=4):
        for function, answers in MAPS.items():
            for number, answer in enumerate(answers):
                out = c_int32(-1)
                status = function(number, byref(out))
                assert (status, out.value) == (0 if answer >= 0 else ACL_ERROR_RT_INVALID_DEVICEID, answer), text()
            assert_status(function(-1, byref(c_int32())), ACL_ERROR_RT_INVALID_DEVICEID)
            assert_status(function(4, byref(c_int32())), ACL_ERROR_RT_INVALID_DEVICEID)
            assert_status(function(0, None), ACL_ERROR_INVALID_PARAM)


def test_without_hidden_devices_all_numbers_are_the_same(machine: Machine) -> None:
    for function in MAPS:
        out = c_int32(-1)
        ok(function(0, byref(out)))
        assert out.value == 0


@pytest.mark.fidelity("numbers, links and capabilities of devices")
def test_the_place_on_the_bus_leads_back() -> None:
    with board(device_count=2):
        place, number = create_string_buffer(13), c_int32()
        ok(aclrtDeviceGetPCIBusId(1, place, 13))
        assert place.value == b"0000:01:00.0"
        ok(aclrtDeviceGetByPCIBusId(place.value, byref(number)))
        assert number.value == 1
        for status, expected in (
            (aclrtDeviceGetPCIBusId(0, None, 13), ACL_ERROR_INVALID_PARAM),
            (aclrtDeviceGetPCIBusId(-1, place, 13), ACL_ERROR_RT_PARAM_INVALID),
            (aclrtDeviceGetPCIBusId(0, place, 12), ACL_ERROR_RT_PARAM_INVALID),
            (aclrtDeviceGetPCIBusId(9, place, 13), ACL_ERROR_RT_INVALID_DEVICEID),
            (aclrtDeviceGetByPCIBusId(None, byref(number)), ACL_ERROR_INVALID_PARAM),
            (aclrtDeviceGetByPCIBusId("0000:00:00.0", None), ACL_ERROR_INVALID_PARAM),
            (aclrtDeviceGetByPCIBusId("0000:77:00.0", byref(number)), ACL_ERROR_RT_PARAM_INVALID),
        ):
            assert_status(status, expected)
        assert finding_of(lambda: aclrtDeviceGetPCIBusId(0, create_string_buffer(8), 13))[0] == "host-overrun"


@pytest.mark.fidelity("numbers, links and capabilities of devices")
@pytest.mark.parametrize(
    ("soc", "link", "maps"),
    [("Ascend910B1", ACL_RT_DEVS_TOPOLOGY_HCCS, 1), ("Ascend310P3", ACL_RT_DEVS_TOPOLOGY_PHB, 0)],
)
def test_links_and_access_to_host_memory(soc: str, link: int, maps: int) -> None:
    with board(soc=soc, device_count=2):
        value, capability = c_uint64(), c_int32()
        ok(aclrtGetDevicesTopo(0, 1, byref(value)))
        assert value.value == link
        assert_status(aclrtGetDevicesTopo(0, 1, None), ACL_ERROR_INVALID_PARAM)
        assert_status(aclrtGetDevicesTopo(0, 2, byref(value)), ACL_ERROR_RT_INVALID_DEVICEID)
        ok(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_SDMA, byref(capability)))
        assert capability.value == maps
        assert_status(aclrtHostMemMapCapabilities(0, 0, None), ACL_ERROR_INVALID_PARAM)
        assert_status(aclrtHostMemMapCapabilities(7, 0, byref(capability)), ACL_ERROR_RT_INVALID_DEVICEID)
        assert_status(aclrtHostMemMapCapabilities(0, 99, byref(capability)), ACL_ERROR_RT_PARAM_INVALID)
    with Machine(soc=soc):
        assert_status(aclrtHostMemMapCapabilities(0, 0, byref(c_int32())), ACL_ERROR_RT_CONTEXT_NULL)


@pytest.mark.parametrize(
    ("chip", "answer"), [("Ascend910B4", 1), ("Ascend910_9391", 1), ("Ascend310P3", 0), ("Ascend950PR_9599", 0)]
)
def test_kernels_run_on_chips_of_one_architecture(machine: Machine, chip: str, answer: int) -> None:
    """ "1 when both names have the same core architecture number": A2 and A3 are 2201. The machine is an A2."""
    same = c_int32(-1)
    ok(aclrtCheckArchCompatibility(chip, byref(same)))
    assert same.value == answer


def test_a_name_of_no_chip_is_107000(machine: Machine) -> None:
    for name, out in (
        (None, byref(c_int32())),
        ("", byref(c_int32())),
        ("chip", byref(c_int32())),
        ("Ascend910B1", None),
    ):
        assert_status(aclrtCheckArchCompatibility(name, out), ACL_ERROR_RT_PARAM_INVALID)


@pytest.mark.fidelity("numbers, links and capabilities of devices")
@pytest.mark.parametrize(("soc", "threads"), [("Ascend910B1", False), ("Ascend950PR_9599", True)])
def test_limits_are_kept(soc: str, threads: bool) -> None:
    """ "limits 0, 1, 4 (SIMT) 207000 except on 950"; no context is needed."""
    with Machine(soc=soc):
        for limit in range(5):
            value = c_size_t()
            if limit in (2, 3) or threads:
                ok(aclrtDeviceGetLimit(limit, byref(value)))
                ok(aclrtDeviceSetLimit(limit, value.value * 2))
                before = value.value
                ok(aclrtDeviceGetLimit(limit, byref(value)))
                assert value.value == 2 * before > 0
            else:
                assert_status(aclrtDeviceSetLimit(limit, 1), ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
                assert_status(aclrtDeviceGetLimit(limit, byref(value)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
        for status in (
            aclrtDeviceSetLimit(5, 1),
            aclrtDeviceSetLimit(2, 1 << 32),
            aclrtDeviceGetLimit(2, None),
            aclrtDeviceGetLimit(5, byref(c_size_t())),
        ):
            assert_status(status, ACL_ERROR_INVALID_PARAM)


@pytest.mark.fidelity("numbers, links and capabilities of devices")
@pytest.mark.parametrize(
    ("query", "devices"),
    [(aclrtDeviceGetHostAtomicCapabilities, (0,)), (aclrtDeviceGetP2PAtomicCapabilities, (0, 0))],
    ids=["host", "peer"],
)
def test_no_atomic_operations(machine: Machine, query: Any, devices: tuple[int, ...]) -> None:
    """ "nulls and count 0 107000; one bit mask per operation"."""
    masks, operations = (c_uint32 * 2)(7, 7), (c_uint32 * 2)(0, 9)
    ok(query(masks, operations, 2, *devices))
    assert list(masks) == [0, 0]
    for arguments in ((None, operations, 2), (masks, None, 2), (masks, operations, 0)):
        assert_status(query(*arguments, *devices), ACL_ERROR_RT_PARAM_INVALID)
    assert_status(query(masks, operations, 2, *devices[1:], 9), ACL_ERROR_RT_INVALID_DEVICEID)
    assert finding_of(lambda: query(masks, operations, 3, *devices))[0] == "host-overrun"


def test_the_memory_by_which_cores_synchronise(machine: Machine) -> None:
    address, other = c_void_p(), c_uint64()
    ok(aclrtGetHardwareSyncAddr(byref(address)))
    ok(rtGetC2cCtrlAddr(byref(other), byref(c_uint32())))
    assert address.value == other.value
    assert_status(aclrtGetHardwareSyncAddr(None), ACL_ERROR_RT_PARAM_INVALID)


def test_a_healthy_device_has_nothing_to_repair(machine: Machine) -> None:
    found, pieces = c_size_t(9), (aclrtMemUceInfo * 2)()
    ok(aclrtGetMemUceInfo(0, pieces, 2, byref(found)))
    assert found.value == 0
    ok(aclrtMemUceRepair(0, pieces, 2))
    ok(aclrtRepairError(0, byref(aclrtErrorInfo())))
    ok(aclrtDeviceL2CacheFlush(None))
    for status in (
        aclrtGetMemUceInfo(0, None, 2, byref(found)),
        aclrtGetMemUceInfo(0, pieces, 2, None),
        aclrtMemUceRepair(0, None, 2),
        aclrtRepairError(0, None),
        aclrtDeviceL2CacheFlush(1),
    ):
        assert_status(status, ACL_ERROR_INVALID_PARAM)
    assert_status(aclrtMemUceRepair(3, pieces, 2), ACL_ERROR_RT_INVALID_DEVICEID)


def test_a_device_without_groups() -> None:
    with board(soc="Ascend310P3"):
        count = c_uint32(9)
        ok(aclrtGetGroupCount(byref(count)))
        assert count.value == 0
        assert not aclrtCreateGroupInfo()
        for status in (aclrtGetGroupCount(None), aclrtDestroyGroupInfo(None), aclrtGetAllGroupInfo(None)):
            assert_status(status, ACL_ERROR_INVALID_PARAM)
