"""Which context is current in which thread (public)."""

from pathlib import Path

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_context
from tests.helpers.host_threads import current_device, in_thread
from tests.helpers.planned_operators import softmax


def test_the_last_of_set_device_and_set_context_is_current(two: Machine) -> None:
    """SetDevice after SetCurrentContext makes the default context current again, and the other way round (public)."""
    context = create_context(1)
    assert current_device(two) == "device 1", "a new context is current, without any aclrtSetDevice"
    aclrtSetDevice(0)
    assert current_device(two) == "device 0"
    assert aclrtSetCurrentContext(context) == ACL_SUCCESS
    assert current_device(two) == "device 1"
    assert aclrtResetDevice(0) == ACL_SUCCESS, "slot 1 survives the reset"
    assert current_device(two) == "device 1"


def test_destroying_the_current_context_leaves_none(two: Machine) -> None:
    """Both slots are empty, even though a device is set; aclrtSetDevice helps (public)."""
    aclrtSetDevice(0)
    context = create_context(1)
    assert aclrtDestroyContext(context) == ACL_SUCCESS
    assert current_device(two) == "none"
    assert aclrtSetDevice(0) == ACL_SUCCESS
    assert current_device(two) == "device 0"


def test_destroying_another_context_leaves_the_current_one(two: Machine) -> None:
    """The current one stays; threads that had the dead one get 107002 (public)."""
    first, second = create_context(0), create_context(1)
    assert current_device(two) == "device 1"

    def other_thread() -> str:
        assert aclrtSetCurrentContext(first) == ACL_SUCCESS
        assert in_thread(lambda: aclrtDestroyContext(first)) == ACL_SUCCESS
        return current_device(two)

    assert in_thread(other_thread) == "none"
    assert current_device(two) == "device 1"
    assert aclrtDestroyContext(second) == ACL_SUCCESS


def test_other_threads_lose_the_default_context(machine: Machine) -> None:
    """After the final reset by another thread, calls get 107002 (public)."""
    assert in_thread(lambda: aclrtResetDevice(0)) == ACL_SUCCESS
    assert current_device(machine) == "none"


def test_last_reset_empties_the_slot_of_any_device(two: Machine) -> None:
    """SetDevice(0), SetDevice(1), ResetDevice(0) leaves no context (public)."""
    aclrtSetDevice(0)
    aclrtSetDevice(1)
    assert aclrtResetDevice(0) == ACL_SUCCESS
    assert current_device(two) == "none"


def test_a_new_thread_has_no_context(machine: Machine) -> None:
    """It never inherits one; aclrtSetDevice gives it the shared default context (public)."""

    def work() -> list[str]:
        before = current_device(machine)
        assert aclrtSetDevice(0) == ACL_SUCCESS
        return [before, current_device(machine)]

    assert in_thread(work) == ["none", "device 0"]


def configure_default_device(tmp_path: Path, device: int) -> None:
    file = tmp_path / "acl.json"
    file.write_text(f'{{"defaultDevice": {{"default_device": "{device}"}}}}')
    assert aclInit(str(file)) == ACL_SUCCESS


def test_a_configured_default_device_is_the_fallback(two: Machine, tmp_path: Path) -> None:
    """With defaultDevice, a thread without context falls back to that device (public)."""
    configure_default_device(tmp_path, 1)
    assert in_thread(lambda: current_device(two)) == "device 1"


def test_configured_default_device_serves_a_first_phase(two: Machine, tmp_path: Path) -> None:
    """The fallback is a current context like any other, also for an operator (public)."""
    configure_default_device(tmp_path, 1)
    assert in_thread(lambda: softmax()[3].status) == ACL_SUCCESS
