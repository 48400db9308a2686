"""ASCEND_RT_VISIBLE_DEVICES: which devices a process sees, and under which numbers (public)."""

from ctypes import byref, c_uint32

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.outcomes import assert_status
from tests.helpers.own_process import program

VARIABLE = "ASCEND_RT_VISIBLE_DEVICES"


def uuids() -> list[bytes]:
    """The devices of the current machine, in user numbering."""
    count, found = c_uint32(), list[bytes]()
    if aclrtGetDeviceCount(byref(count)) != ACL_SUCCESS:
        return found
    for device in range(count.value):
        uuid = aclrtUuid()
        assert aclrtDeviceGetUuid(device, byref(uuid)) == ACL_SUCCESS
        found.append(bytes(uuid))
    return found


@pytest.mark.fidelity("ASCEND_RT_VISIBLE_DEVICES")
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param(None, [0, 1, 2, 3], id="not set: all"),
        pytest.param("0", [0], id="one"),
        pytest.param("3,1", [3, 1], id="in the order given"),
        pytest.param(" 2 , 0", [2, 0], id="spaces"),
        pytest.param("0,1,2,3", [0, 1, 2, 3], id="all"),
        pytest.param("1,7,2", [1], id="ends at the first out of range"),
        pytest.param("1,x,2", [1], id="ends at the first that is no number"),
        pytest.param("1,-1,2", [1], id="ends at the first negative"),
        pytest.param("2,1,2,0", [2, 1], id="ends at the first duplicate"),
        pytest.param("1,,2", [1], id="ends at the first empty"),
        pytest.param("9" * 5000, [], id="huge number"),
        pytest.param("4", [], id="none"),
        pytest.param("", [], id="empty: none"),
    ],
)
def test_the_environment_says_which_devices_are_visible(
    monkeypatch: pytest.MonkeyPatch, value: str | None, shown: list[int]
) -> None:
    """ "Valid ids 0 ... count-1, in user numbering (`ASCEND_RT_VISIBLE_DEVICES` remaps)" (public)."""
    monkeypatch.delenv(VARIABLE, raising=False)
    with Machine(device_count=4):
        everybody = uuids()
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)
    with Machine(device_count=4):
        assert uuids() == [everybody[device] for device in shown]


@pytest.mark.fidelity("ASCEND_RT_VISIBLE_DEVICES")
def test_read_when_the_machine_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the library reads it when the process starts with it."""
    monkeypatch.setenv(VARIABLE, "1")
    machine = Machine(device_count=2)
    monkeypatch.setenv(VARIABLE, "0,1")
    with machine:
        assert len(uuids()) == 1


def test_calls_use_user_numbering(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids go from 0 to count-1, whoever they are; others are 107001 with a text that says why."""
    monkeypatch.setenv(VARIABLE, "5,2")
    with Machine(device_count=8) as machine:
        assert aclrtSetDevice(1) == ACL_SUCCESS
        memory = machine.memory_at(malloc(32))
        assert memory is machine.devices[1].memory
        assert machine.devices[1].memory.device == 1
        assert aclrtResetDevice(1) == ACL_SUCCESS
        assert_status(aclrtSetDevice(5), ACL_ERROR_RT_INVALID_DEVICEID, "(EE1003)", "[0, 2)", VARIABLE, "hides 6 of 8")


def test_no_visible_device_is_207004(monkeypatch: pytest.MonkeyPatch) -> None:
    """ "Counts visible devices; none -> 207004" (public)."""
    monkeypatch.setenv(VARIABLE, "-1")
    with Machine(device_count=2):
        status = aclrtGetDeviceCount(byref(c_uint32()))
        assert_status(status, ACL_ERROR_RT_NO_DEVICE, "(EL0001)", VARIABLE, "hides 2 of 2")


def test_the_default_machine_heeds_the_environment() -> None:
    """It counts where the program makes no machine, too."""
    code = "n = c_uint32(); print(aclrtGetDeviceCount(byref(n)), n.value, aclrtSetDevice(0), aclrtSetDevice(1))"
    run = program(code, ACL_EMULATOR_DEVICE_COUNT="4", ASCEND_RT_VISIBLE_DEVICES="3")
    assert run.stdout == "0 1 0 107001\n", run.stderr
