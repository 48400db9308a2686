"""Callbacks inside aclInit and aclFinalize: order, number, errors, threads (public)."""

import threading
from collections.abc import Callable
from ctypes import CFUNCTYPE, byref, c_char_p, c_int32, c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.host_threads import Host, in_thread, wait
from tests.helpers.outcomes import assert_status, finding_of

BOTH = pytest.mark.parametrize(
    ("register", "unregister"),
    [
        (aclInitCallbackRegister, aclInitCallbackUnRegister),
        (aclFinalizeCallbackRegister, aclFinalizeCallbackUnRegister),
    ],
    ids=["init", "finalize"],
)
BEGIN = CFUNCTYPE(c_int32, c_char_p, c_size_t, c_void_p)
END = CFUNCTYPE(c_int32, c_void_p)
CALLED = (ACL_REG_TYPE_ACL_MODEL, ACL_REG_TYPE_ACL_OP_EXECUTOR, ACL_REG_TYPE_ACL_DVPP, ACL_REG_TYPE_OTHER)


def fine(*_: object) -> int:
    return ACL_SUCCESS


def failing(*_: object) -> int:
    return ACL_ERROR_FAILURE


def logging_to(seen: list[Any]) -> Callable[..., int]:
    """A callback that appends its user data to a list."""

    def callback(*arguments: object) -> int:
        seen.append(arguments[-1])
        return ACL_SUCCESS

    return callback


@BOTH
@pytest.mark.parametrize(
    ("type", "function", "words"),
    [
        (0, None, ("EH0008", "cbFunc")),
        (0, BEGIN(), ("EH0008", "cbFunc")),
        (8, fine, ("EH0007", "type", "65535")),
        (-1, None, ("EH0007", "type")),
    ],
    ids=["null-function-100000", "null-ctypes-function-100000", "unknown-type-100000", "type-before-function-100000"],
)
def test_a_null_callback_is_100000(
    machine: Machine, register: Any, unregister: Any, type: int, function: Any, words: tuple[str, ...]
) -> None:
    """Null function -> 100000 (public)."""
    assert_status(register(type, function, None), ACL_ERROR_INVALID_PARAM, *words)
    assert_status(unregister(type, function), ACL_ERROR_INVALID_PARAM, *words)


@BOTH
@pytest.mark.parametrize("type", [*range(8), 65535])
def test_how_many_callbacks_a_type_takes(machine: Machine, register: Any, unregister: Any, type: int) -> None:
    """ "Every type except OTHER (65535) takes one callback: a second registration -> 500000; OTHER takes any number,
    duplicates allowed" (public)."""
    assert register(type, fine, None) == ACL_SUCCESS
    if type == ACL_REG_TYPE_OTHER:
        assert register(type, fine, None) == register(type, failing, None) == ACL_SUCCESS
        assert unregister(type, fine) == ACL_SUCCESS
    else:
        assert_status(register(type, failing, None), ACL_ERROR_INTERNAL_ERROR, "EH9999", f"type {type}")
    assert unregister(type, fine) == ACL_SUCCESS
    assert register(type, fine, None) == ACL_SUCCESS


@BOTH
def test_unregistering_what_is_not_there(machine: Machine, register: Any, unregister: Any) -> None:
    """ "Unregistering a pair that is not there -> 500000" (public)."""
    assert_status(unregister(0, fine), ACL_ERROR_INTERNAL_ERROR, "EH9999", "type 0")
    assert register(0, fine, None) == ACL_SUCCESS
    assert unregister(1, fine) == unregister(0, failing) == ACL_ERROR_INTERNAL_ERROR
    assert unregister(0, fine) == ACL_SUCCESS
    assert unregister(0, fine) == ACL_ERROR_INTERNAL_ERROR


class Plugin:
    def __init__(self) -> None:
        self.calls = 0

    def start(self, *_: object) -> int:
        self.calls += 1
        return ACL_SUCCESS


@BOTH
def test_callbacks_are_compared_by_method_or_address(machine: Machine, register: Any, unregister: Any) -> None:
    """Bound methods are equal if they have the same object, ctypes functions if they have the same address (ours)."""
    one, other = Plugin(), Plugin()
    assert register(0, one.start, None) == ACL_SUCCESS
    assert unregister(0, other.start) == ACL_ERROR_INTERNAL_ERROR
    assert unregister(0, one.start) == ACL_SUCCESS
    native = BEGIN(fine)
    same = BEGIN(c_void_p.from_buffer(native).value or 0)
    assert register(0, native, None) == ACL_SUCCESS
    assert unregister(0, BEGIN(fine)) == ACL_ERROR_INTERNAL_ERROR
    assert unregister(0, same) == ACL_SUCCESS


def test_callbacks_run_in_the_documented_order(machine: Machine, tmp_path: Path) -> None:
    """ "In the order model, operator executor (only if a configuration file was given), media, other" (public). The
    other types are not called by aclInit."""
    seen: list[int] = []
    callback = logging_to(seen)
    for type in (*range(7, -1, -1), ACL_REG_TYPE_OTHER, ACL_REG_TYPE_OTHER):
        assert aclInitCallbackRegister(type, callback, type) == ACL_SUCCESS
        assert aclFinalizeCallbackRegister(type, callback, type) == ACL_SUCCESS
    assert seen == []
    (tmp_path / "acl.json").write_text("")
    assert aclInit(str(tmp_path / "acl.json")) == ACL_SUCCESS
    assert seen == [*CALLED, ACL_REG_TYPE_OTHER]
    assert aclFinalize() == ACL_SUCCESS
    assert seen[5:] == [*CALLED, ACL_REG_TYPE_OTHER]
    seen.clear()
    assert aclInit(None) == ACL_SUCCESS
    assert seen == [type for type in seen if type != ACL_REG_TYPE_ACL_OP_EXECUTOR] != []


def test_only_the_first_init_calls(machine: Machine) -> None:
    """ "Registered init callbacks run during the first init" (public); the last finalise calls."""
    seen: list[str] = []
    aclInitCallbackRegister(0, logging_to(seen), "begin")
    aclFinalizeCallbackRegister(0, logging_to(seen), "end")
    assert [aclInit(None), aclInit(None)] == [ACL_SUCCESS, ACL_ERROR_REPEAT_INITIALIZE]
    assert seen == ["begin"]
    assert aclFinalizeReference(None) == ACL_SUCCESS
    assert seen == ["begin"]
    assert aclFinalizeReference(None) == ACL_SUCCESS
    assert seen == ["begin", "end"]
    assert aclFinalize() == ACL_ERROR_REPEAT_FINALIZE
    assert seen == ["begin", "end"]


@pytest.mark.fidelity("callbacks of aclInit and aclFinalize")
@pytest.mark.parametrize("content", [None, '{"a": "ä"}'], ids=["no file", "a file"])
def test_callbacks_get_the_configuration_and_the_user_data(
    machine: Machine, tmp_path: Path, content: str | None
) -> None:
    """`(const char* config, size_t len, void* user)`, `(void* user)`: text, its bytes, user data as given."""
    seen: list[tuple[object, ...]] = []
    mark = object()

    def callback(*arguments: object) -> int:
        seen.append(arguments)
        return ACL_SUCCESS

    native = BEGIN(callback)
    aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, callback, mark)
    aclInitCallbackRegister(ACL_REG_TYPE_OTHER, native, 77)
    aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, callback, mark)
    aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, END(callback), None)
    (tmp_path / "acl.json").write_text(content or "", encoding="utf-8")
    assert aclInit(str(tmp_path / "acl.json") if content else None) == ACL_SUCCESS
    text = content or ""
    raw = text.encode()
    assert seen == [(text, len(raw), mark), (raw, len(raw), 77)]
    assert aclFinalize() == ACL_SUCCESS
    assert seen[2:] == [(mark,), (None,)]


def test_an_error_of_a_callback_aborts_acl_init(machine: Machine) -> None:
    """ "An error from it aborts init with that code" (public): later ones are not called."""
    seen: list[int] = []
    aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, failing, None)
    aclInitCallbackRegister(ACL_REG_TYPE_OTHER, logging_to(seen), 1)
    assert_status(aclInit(None), ACL_ERROR_FAILURE, "EH9999", "failing", "500001")
    assert seen == []
    assert aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, failing) == ACL_SUCCESS
    assert aclInit(None) == ACL_SUCCESS
    assert seen == [1]


def test_refused_init_does_not_fix_the_configuration(machine: Machine, tmp_path: Path) -> None:
    """Later calls must have the content of the first successful aclInit (public)."""
    (tmp_path / "acl.json").write_text('{"err_msg_mode": "1"}')
    aclInitCallbackRegister(0, failing, None)
    assert aclInit(str(tmp_path / "acl.json")) == ACL_ERROR_FAILURE
    assert not machine.initialisation.errors_per_process
    aclInitCallbackUnRegister(0, failing)
    assert aclInit(None) == ACL_SUCCESS


def test_error_of_a_finalise_callback(machine: Machine) -> None:
    """All callbacks run, the process is finalised, and the first error is returned (ours)."""
    seen: list[int] = []
    assert aclInit(None) == ACL_SUCCESS
    aclFinalizeCallbackRegister(0, failing, None)
    aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, logging_to(seen), 1)
    assert_status(aclFinalize(), ACL_ERROR_FAILURE, "EH9999", "failing")
    assert seen == [1]
    assert aclFinalize() == ACL_ERROR_REPEAT_FINALIZE
    assert aclInit(None) == ACL_SUCCESS
    count = c_uint64(99)
    assert (aclFinalizeReference(byref(count)), count.value) == (ACL_ERROR_FAILURE, 0)


def test_codes_of_callbacks_are_no_runtime_failures(machine: Machine) -> None:
    """The last error holds failures of the runtime layer only (public)."""
    aclFinalizeCallbackRegister(0, lambda _: ACL_ERROR_FAILURE, None)
    assert aclFinalize() == ACL_ERROR_FAILURE
    assert aclrtGetLastError(0) == ACL_SUCCESS


@pytest.mark.parametrize("type", [ACL_REG_TYPE_ACL_OP_EXECUTOR, ACL_REG_TYPE_ACL_RETR, ACL_REG_TYPE_OTHER])
def test_registering_while_initialised_calls_at_once(machine: Machine, type: int) -> None:
    """ "Called immediately, its result ignored" (public), and kept."""
    seen: list[object] = []

    def callback(config: str, length: int, user: str) -> int:
        seen.append((config, length, user))
        return ACL_ERROR_FAILURE

    assert aclInit(None) == ACL_SUCCESS
    assert aclInitCallbackRegister(type, callback, "user") == ACL_SUCCESS
    assert seen == [("", 0, "user")]
    assert aclInitCallbackUnRegister(type, callback) == ACL_SUCCESS


def test_registered_after_the_end_is_not_called(machine: Machine) -> None:
    """Only while initialised (public)."""
    assert aclInit(None) == aclFinalize() == ACL_SUCCESS
    assert aclInitCallbackRegister(0, failing, None) == ACL_SUCCESS
    assert aclInit(None) == ACL_ERROR_FAILURE


def test_callbacks_may_register_and_unregister(machine: Machine) -> None:
    """ "Calling back into register/unregister from a callback is allowed (recursive lock)" (public). A callback that is
    unregistered before its turn is not called. A new one is called once, at once."""
    seen: list[str] = []
    gone, new = logging_to(seen), logging_to(seen)

    def first(*_: object) -> int:
        seen.append("first")
        assert aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, gone) == ACL_SUCCESS
        assert aclInitCallbackRegister(ACL_REG_TYPE_OTHER, new, "new") == ACL_SUCCESS
        assert aclInitCallbackUnRegister(0, first) == ACL_SUCCESS
        return ACL_SUCCESS

    aclInitCallbackRegister(0, first, None)
    aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, gone, "gone")
    assert aclInit(None) == ACL_SUCCESS
    assert seen == ["first", "new"]
    assert aclFinalize() == aclInit(None) == ACL_SUCCESS
    assert seen == ["first", "new", "new"]


@pytest.mark.fidelity("callbacks of aclInit and aclFinalize")
def test_callbacks_may_call_init_and_finalize(machine: Machine) -> None:
    """Inside aclInit the process counts as initialised, inside aclFinalize as finalised (ours)."""
    answers: list[int] = []

    def again(*_: object) -> int:
        answers.append(aclInit(None))
        return ACL_SUCCESS

    def end_again(_: object) -> int:
        answers.append(aclFinalize())
        return ACL_SUCCESS

    aclInitCallbackRegister(0, again, None)
    aclFinalizeCallbackRegister(0, end_again, None)
    assert aclInit(None) == aclFinalize() == ACL_SUCCESS
    assert answers == [ACL_ERROR_REPEAT_INITIALIZE, ACL_ERROR_REPEAT_FINALIZE]


@pytest.mark.fidelity("callbacks of aclInit and aclFinalize")
def test_a_callback_that_returns_nothing_succeeds(machine: Machine) -> None:
    """None counts as success (ours)."""
    seen: list[object] = []
    aclInitCallbackRegister(0, lambda *given: seen.append(given[0]), None)
    assert aclInit(None) == ACL_SUCCESS
    assert seen == [""]


def test_callback_that_returns_something_else(machine: Machine) -> None:
    """A result that is no aclError raises a TypeError, and nothing is initialised (ours)."""

    def wrong(*_: object) -> str:
        return "done"

    aclInitCallbackRegister(0, wrong, None)
    with pytest.raises(TypeError, match="the callback wrong must return an aclError, not 'done'"):
        aclInit(None)
    aclInitCallbackUnRegister(0, wrong)
    assert aclInit(None) == ACL_SUCCESS


@pytest.mark.fidelity("callbacks of aclInit and aclFinalize")
def test_exception_leaves_the_host_call(machine: Machine) -> None:
    """ "An exception in one leaves the host call that ran it" (ours): not initialised, but finalised."""

    def broken(*_: object) -> int:
        raise KeyError("mine")

    aclInitCallbackRegister(0, broken, None)
    with pytest.raises(KeyError, match="mine"):
        aclInit(None)
    aclInitCallbackUnRegister(0, broken)
    assert in_thread(lambda: aclInit(None)) == ACL_SUCCESS
    with pytest.raises(KeyError, match="mine"):
        aclInitCallbackRegister(0, broken, None)
    aclFinalizeCallbackRegister(0, broken, None)
    with pytest.raises(KeyError, match="mine"):
        aclFinalize()
    assert in_thread(aclFinalize) == ACL_ERROR_REPEAT_FINALIZE


def test_callbacks_may_wait_for_other_threads(machine: Machine) -> None:
    """The machine is not locked while a callback runs (ours)."""
    assert aclInitCallbackRegister(0, lambda *_: in_thread(lambda: aclrtSetDevice(0)), None) == ACL_SUCCESS
    assert aclInit(None) == ACL_SUCCESS


@pytest.mark.fidelity("a second thread calls aclInit while callbacks of the first run")
def test_init_of_another_thread_waits(machine: Machine) -> None:
    """ "Serialised by a recursive lock" (public)."""
    order: list[str] = []
    asked = threading.Event()
    answers: list[int] = []

    def slow(*_: object) -> int:
        asked.set()
        for _ in range(1_000_000):
            if machine.scheduler.awaited:
                break
        order.append("first is done")
        return ACL_SUCCESS

    def second() -> None:
        wait(asked)
        answers.append(aclInit(None))
        order.append("second")

    aclInitCallbackRegister(0, slow, None)
    host = Host(second)
    assert aclInit(None) == ACL_SUCCESS
    host.end()
    assert order == ["first is done", "second"]
    assert answers == [ACL_ERROR_REPEAT_INITIALIZE]


def test_callback_that_waits_for_an_init_of_another_thread() -> None:
    """It would hang: the finding `deadlock`, after `patience` (ours)."""
    with Machine(patience=0.01) as machine:
        aclInitCallbackRegister(0, lambda *_: in_thread(lambda: aclInit(None)), None)
        id, text = finding_of(lambda: aclInit(None))
        assert id == "deadlock"
        assert "waits in aclInit for the initialisation or finalisation that another thread is at" in text
    check_documented(machine)
