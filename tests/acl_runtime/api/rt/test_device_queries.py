"""Queries of devices, without and with a context (public)."""

from collections.abc import Callable
from ctypes import byref, c_char, c_int32, c_int64, c_uint32
from pathlib import Path

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.checks.report.at_exit import last_report
from tests.conftest import check_documented
from tests.helpers.creating import create_context
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status, finding_of, ok, text

INFO = aclrtUtilizationInfo()
NULLS: dict[str, Callable[[], int]] = {
    "aclrtGetDevice": lambda: aclrtGetDevice(None),
    "aclrtGetDeviceCount": lambda: aclrtGetDeviceCount(None),
    "aclrtGetRunMode": lambda: aclrtGetRunMode(None),
    "aclrtGetDeviceInfo": lambda: aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, None),
    "aclrtGetDeviceInfo, bad device": lambda: aclrtGetDeviceInfo(99, 12345, None),
    "aclGetDeviceCapability": lambda: aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, None),
    "aclrtGetDeviceCapability": lambda: aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, None),
    "aclrtGetDeviceCapability, bad device": lambda: aclrtGetDeviceCapability(
        99, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, None
    ),
    "aclrtQueryDeviceStatus": lambda: aclrtQueryDeviceStatus(0, None),
    "aclrtQueryDeviceStatus, bad device": lambda: aclrtQueryDeviceStatus(99, None),
    "aclrtDeviceGetUuid": lambda: aclrtDeviceGetUuid(0, None),
    "aclrtDeviceGetUuid, bad device": lambda: aclrtDeviceGetUuid(99, None),
    "aclrtGetDeviceUtilizationRate": lambda: aclrtGetDeviceUtilizationRate(0, None),
    "aclrtGetDeviceUtilizationRate, bad device": lambda: aclrtGetDeviceUtilizationRate(99, None),
}


@pytest.mark.parametrize("call", NULLS.values(), ids=[f"null, {name}: 100000" for name in NULLS])
def test_null_output_is_100000(two: Machine, call: Callable[[], int]) -> None:
    """ "Null -> 100000", before anything else: "the ACL layer checks first" (public)."""
    assert_status(call(), ACL_ERROR_INVALID_PARAM, "(EH0008)")


BAD_DEVICES: dict[str, tuple[Callable[[int], int], int]] = {
    "aclrtGetDeviceCapability": (
        lambda device: aclrtGetDeviceCapability(device, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, byref(c_int32())),
        ACL_ERROR_RT_INVALID_DEVICEID,
    ),
    "aclrtQueryDeviceStatus": (
        lambda device: aclrtQueryDeviceStatus(device, byref(c_int32())),
        ACL_ERROR_RT_INVALID_DEVICEID,
    ),
    "aclrtDeviceGetUuid": (
        lambda device: aclrtDeviceGetUuid(device, byref(aclrtUuid())),
        ACL_ERROR_RT_INVALID_DEVICEID,
    ),
    "aclrtGetDeviceUtilizationRate": (
        lambda device: aclrtGetDeviceUtilizationRate(device, byref(INFO)),
        ACL_ERROR_RT_INVALID_DEVICEID,
    ),
    "aclrtGetDeviceInfo": (
        lambda device: aclrtGetDeviceInfo(device, ACL_DEV_ATTR_AICORE_CORE_NUM, byref(c_int64())),
        ACL_ERROR_RT_PARAM_INVALID,
    ),
    "aclGetDeviceCapability": (
        lambda device: aclGetDeviceCapability(device, ACL_DEVICE_INFO_L2_SIZE, byref(c_int64())),
        ACL_ERROR_INVALID_PARAM,
    ),
}


@pytest.mark.parametrize("device", [-1, 2, 99])
@pytest.mark.parametrize(
    ("call", "status"), BAD_DEVICES.values(), ids=[f"{name}: {status}" for name, (_, status) in BAD_DEVICES.items()]
)
def test_a_bad_device_id_is_refused_by_every_query(
    two: Machine, call: Callable[[int], int], status: int, device: int
) -> None:
    """107001; "a bad device id gives 107000 here, not 107001" (aclrtGetDeviceInfo), "device id >= count -> 100000"
    (aclGetDeviceCapability) (public)."""
    assert_status(call(device), status, "deviceId", "[0, 2)")


def test_the_current_device_is_that_of_the_current_context(two: Machine) -> None:
    """ "Returns the current context's device" (public)."""
    device = c_int32(-5)
    for number in (1, 0):
        aclrtSetDevice(number)
        assert aclrtGetDevice(byref(device)) == ACL_SUCCESS
        assert device.value == number
    context = create_context(1)
    aclrtSetDevice(0)
    aclrtSetCurrentContext(context)
    assert (aclrtGetDevice(byref(device)), device.value) == (ACL_SUCCESS, 1)


def test_current_device_without_a_context_is_107002_with_a_text_alone(machine: Machine) -> None:
    """ "No context -> 107002 without message or last-error" (public); the text is ours."""
    device = c_int32(-5)

    def work() -> tuple[int, int, int]:
        return aclrtGetDevice(byref(device)), device.value, machine.thread().last_error

    assert in_thread(lambda: (work(), "inherits no context" in text())) == ((ACL_ERROR_RT_CONTEXT_NULL, -5, 0), True)
    assert aclrtResetDevice(0) == ACL_SUCCESS
    assert work() == (ACL_ERROR_RT_CONTEXT_NULL, -5, 0)
    assert "EE1018" in text()


def test_the_text_of_a_question_gives_way_to_that_of_a_failure(machine: Machine) -> None:
    """Programs ask for the device to see whether there is one. That is no failure, and its text explains no later one.
    Nobody has to read it."""
    device = c_int32()
    ok(aclrtResetDevice(0))
    assert aclrtGetDevice(byref(device)) == ACL_ERROR_RT_CONTEXT_NULL
    assert last_report(machine) == "0 errors, 0 warnings, 0 advice"
    assert aclrtGetDevice(byref(device)) == ACL_ERROR_RT_CONTEXT_NULL
    assert aclrtMalloc(None, 0, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS
    assert "EE1018" not in text()
    assert aclrtMalloc(None, 0, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS
    assert aclrtGetDevice(byref(device)) == ACL_ERROR_RT_CONTEXT_NULL
    shown = text()
    assert "has no valid context" in shown
    assert "devPtr" in shown


def test_current_device_with_a_configured_default_device(tmp_path: Path) -> None:
    """ "With a configured default device, that device" (public)."""
    path = tmp_path / "acl.json"
    path.write_text('{"defaultDevice": {"default_device": "1"}}')
    with Machine(device_count=2) as machine:
        device = c_int32(-5)
        assert aclInit(str(path)) == aclrtGetDevice(byref(device)) == ACL_SUCCESS
        assert device.value == 1
    check_documented(machine)


@pytest.mark.parametrize("devices", [1, 2, 8, 64])
def test_the_count_needs_neither_device_nor_context(devices: int) -> None:
    """Counts the visible devices, "needs nothing" (public)."""
    with Machine(device_count=devices) as machine:
        count = c_uint32()
        assert aclrtGetDeviceCount(byref(count)) == ACL_SUCCESS
        assert count.value == devices
        assert aclrtSetDevice(devices - 1) == ACL_SUCCESS == aclrtResetDevice(devices - 1)
    check_documented(machine)


def test_no_device_is_207004() -> None:
    """ "None -> 207004"; nothing can be set then, and the chip has no name (public)."""
    with Machine(device_count=0) as machine:
        count = c_uint32(7)
        assert_status(aclrtGetDeviceCount(byref(count)), ACL_ERROR_RT_NO_DEVICE, "(EL0001)", "0 devices")
        assert (count.value, machine.thread().last_error) == (7, ACL_ERROR_RT_NO_DEVICE)
        assert_status(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID, "[0, 0)")
        assert aclrtGetSocName() is None
    check_documented(machine)


def test_the_run_mode_is_host(two: Machine) -> None:
    """ "`ACL_HOST` (1) on a host" (public)."""
    mode = c_int32(-1)
    assert aclrtGetRunMode(byref(mode)) == ACL_SUCCESS
    assert mode.value == ACL_HOST == 1


@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend310P3", "Ascend910_9391", "Ascend910A", "Ascend310B4"])
def test_the_soc_name_needs_neither_device_nor_context(soc: str) -> None:
    """The name, without device or context (public)."""
    with Machine(soc):
        assert aclrtGetSocName() == soc


@pytest.mark.parametrize(
    ("ts", "status"),
    [
        pytest.param(ACL_TS_ID_AICORE, ACL_SUCCESS, id="0"),
        pytest.param(ACL_TS_ID_AIVECTOR, ACL_SUCCESS, id="1"),
        pytest.param(ACL_TS_ID_RESERVED, ACL_ERROR_INVALID_PARAM, id="2: 100000"),
        pytest.param(-1, ACL_ERROR_INVALID_PARAM, id="-1: 100000"),
    ],
)
def test_only_task_schedulers_0_and_1_can_be_set(two: Machine, ts: int, status: int) -> None:
    """ "Only ids 0 and 1, else 100000 [...] without device or context" (public)."""
    assert_status(aclrtSetTsDevice(ts), status, *["(EH0007)", "tsId"] * bool(status))


ATTRIBUTES = {
    "Ascend910B1": {101: 24, 102: 24, 201: 48, 301: 64 << 30, 302: 192 << 20, 501: 0},
    "Ascend910A": {101: 32, 102: 32, 201: 0, 301: 32 << 30, 302: 32 << 20, 501: 0},
    "Ascend310P3": {101: 8, 102: 8, 201: 7, 301: 24 * 10**9, 302: 16 << 20, 501: 0},
}


@pytest.mark.fidelity("aclrtGetDeviceInfo")
@pytest.mark.parametrize("soc", ATTRIBUTES)
def test_a_device_has_the_attributes_of_its_chip(soc: str) -> None:
    """ "Core counts 101/102/201, L2 302, memory 301"; "needs no context" (public)."""
    assert [*ATTRIBUTES[soc]] == [
        ACL_DEV_ATTR_AICORE_CORE_NUM, ACL_DEV_ATTR_CUBE_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM,
        ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, ACL_DEV_ATTR_L2_CACHE_SIZE, ACL_DEV_ATTR_IS_VIRTUAL,
    ]  # fmt: skip
    with Machine(soc) as machine:
        value = c_int64(-1)
        for attribute, expected in ATTRIBUTES[soc].items():
            assert aclrtGetDeviceInfo(0, attribute, byref(value)) == ACL_SUCCESS
            assert value.value == expected
    check_documented(machine)


def test_memory_of_the_device_is_that_of_the_machine() -> None:
    """hbm_bytes is the memory of each device (ours)."""
    with Machine(hbm_bytes=12345):
        value = c_int64()
        assert aclrtGetDeviceInfo(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE, byref(value)) == ACL_SUCCESS
        assert value.value == 12345


@pytest.mark.fidelity("aclrtGetDeviceInfo")
@pytest.mark.parametrize(
    ("attribute", "status", "words"),
    [
        pytest.param(12345, ACL_ERROR_RT_PARAM_INVALID, ("(EE1003)", "attr"), id="unknown: 107000"),
        pytest.param(-1, ACL_ERROR_RT_PARAM_INVALID, ("(EE1003)", "attr"), id="negative: 107000"),
        pytest.param(
            ACL_DEV_ATTR_WARP_SIZE, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ("(EE1006)", "WARP_SIZE"), id="lacking: 207000"
        ),
        pytest.param(
            ACL_DEV_ATTR_AICPU_CORE_NUM, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, ("(EE1006)", "AICPU"), id="not ours: 207000"
        ),
    ],
)
def test_unknown_attributes_are_107000_or_207000(
    two: Machine, attribute: int, status: int, words: tuple[str, ...]
) -> None:
    """ "Unknown -> 107000 or 207000" (public)."""
    value = c_int64(-7)
    assert_status(aclrtGetDeviceInfo(1, attribute, byref(value)), status, *words)
    assert value.value == -7


@pytest.mark.parametrize(
    ("soc", "expected"), [("Ascend910B4", [20, 40, 96 << 20]), ("Ascend910ProB", [30, 0, 32 << 20])]
)
def test_the_capabilities_are_those_of_the_chip(soc: str, expected: list[int]) -> None:
    """ "0 AI core count, 1 vector core count (0 where the product has none), 2 L2 size" (public)."""
    with Machine(soc):
        found: list[int] = []
        for info in (ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEVICE_INFO_VECTOR_CORE_NUM, ACL_DEVICE_INFO_L2_SIZE):
            value = c_int64(-1)
            assert aclGetDeviceCapability(0, info, byref(value)) == ACL_SUCCESS
            found.append(value.value)
        assert found == expected
        for info in (ACL_DEVICE_INFO_UNDEFINED, 3):
            assert_status(
                aclGetDeviceCapability(0, info, byref(c_int64())), ACL_ERROR_INVALID_PARAM, "(EH0007)", "deviceInfo"
            )


def test_features_that_are_not_simulated_are_absent(two: Machine) -> None:
    """ "Feature 1 or 21 -> 1/0": 0, as neither is simulated (public)."""
    for feature in (ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV):
        value = c_int32(-1)
        assert aclrtGetDeviceCapability(1, feature, byref(value)) == ACL_SUCCESS
        assert value.value == ACL_DEV_FEATURE_NOT_SUPPORT == 0
    status = aclrtGetDeviceCapability(1, 2, byref(c_int32()))
    assert_status(status, ACL_ERROR_INVALID_PARAM, "(EH0007)", "devFeatureType")


def test_the_status_of_a_device_is_normal(two: Machine) -> None:
    """ "Status normal 0" (public)."""
    status = c_int32(-1)
    assert aclrtQueryDeviceStatus(1, byref(status)) == ACL_SUCCESS
    assert status.value == ACL_RT_DEVICE_STATUS_NORMAL == 0


def test_priorities_go_from_7_to_0(two: Machine) -> None:
    """ "Least 7, greatest 0 (fixed; either pointer may be null)" (public)."""
    least, greatest = c_int32(-1), c_int32(-1)
    assert aclrtDeviceGetStreamPriorityRange(byref(least), byref(greatest)) == ACL_SUCCESS
    assert (least.value, greatest.value) == (7, 0)
    again = c_int32(-1)
    assert aclrtDeviceGetStreamPriorityRange(None, byref(again)) == ACL_SUCCESS
    assert again.value == 0
    assert aclrtDeviceGetStreamPriorityRange(byref(again), None) == ACL_SUCCESS
    assert again.value == 7
    assert aclrtDeviceGetStreamPriorityRange(None, None) == ACL_SUCCESS


def uuid(device: int) -> bytes:
    found = aclrtUuid()
    assert aclrtDeviceGetUuid(device, byref(found)) == ACL_SUCCESS
    return bytes(found)


def test_uuid_is_16_bytes_of_its_own_for_each_device(two: Machine) -> None:
    """ "Uuid 16 bytes" (public), the same in every run (ours)."""
    found = [uuid(0), uuid(1)]
    assert [len(each) for each in found] == [16, 16]
    assert found[0] != found[1]
    assert found == [uuid(0), uuid(1)]
    with Machine():
        assert uuid(0) == found[0]


def test_uuid_into_too_little_room(machine: Machine) -> None:
    """A host object that is too small is host-overrun (ours)."""
    assert finding_of(lambda: aclrtDeviceGetUuid(0, 16))[0] == "host-overrun"
    room = (c_char * 15)()
    with pytest.raises(TypeError, match="aclrtUuid"):
        aclrtDeviceGetUuid(0, byref(room))


def test_uuid_to_a_wild_address_in_a_machine_that_reports() -> None:
    """A mistake that would crash the program does nothing and returns 107000 (ours)."""
    with Machine(on_undefined="report") as machine:
        assert aclrtDeviceGetUuid(0, 16) == ACL_ERROR_RT_PARAM_INVALID
        assert [finding.id for finding in machine.findings] == ["host-overrun"]
    check_documented(machine)


@pytest.mark.fidelity("utilisation")
def test_utilization_is_0_and_memory_unsupported(two: Machine) -> None:
    """Nothing runs between calls: 0 percent; "memory field is always the 'unsupported' marker" (public)."""
    info = aclrtUtilizationInfo(1, 2, 3, 4, None)
    assert aclrtGetDeviceUtilizationRate(1, byref(info)) == ACL_SUCCESS
    found = [info.cubeUtilization, info.vectorUtilization, info.aicpuUtilization, info.memoryUtilization]
    assert found == [0, 0, 0, -1]


def test_utilization_extend_must_be_null(two: Machine) -> None:
    """ "`utilizationExtend` must be null else 100000", before the device is looked at (public)."""
    info = aclrtUtilizationInfo(1, 2, 3, 4, 0x10)
    for device in (0, 99):
        status = aclrtGetDeviceUtilizationRate(device, byref(info))
        assert_status(status, ACL_ERROR_INVALID_PARAM, "(EH0007)", "utilizationExtend", "0x10")
    assert info.cubeUtilization == 1
