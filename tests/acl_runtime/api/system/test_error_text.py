"""The text of aclGetRecentErrMsg: layout of CANN 9.1, clearing, threads, size (public)."""

import os
import re
from collections.abc import Callable
from ctypes import byref, c_void_p
from pathlib import Path

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.streams import host_thread
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import text

TIME = r"\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\.\d{3}"
HEAD = rf"\[PID: {os.getpid()}\] {TIME} "
TRACE = "TraceBack (most recent call last):"


def lines() -> list[str]:
    """Read the error text, and split it into lines; it ends in one newline."""
    found = text()
    assert found.endswith("\n")
    assert not found.endswith("\n\n")
    return found[:-1].split("\n")


def finalize_twice() -> None:
    """Record an inner error (EH9999)."""
    assert aclFinalize() == ACL_SUCCESS
    assert aclFinalize() != ACL_SUCCESS


def test_a_text_is_a_headline_with_indented_advice(machine: Machine) -> None:
    """The headline is `[PID: n] time Title(CODE): message`. The advice follows, indented by 8 spaces. There is no trace
    (public)."""
    aclrtMalloc(None, 0, 0)
    first, *rest = lines()
    assert re.fullmatch(
        HEAD + r"Invalid_Argument_Null_Pointer\(EH0008\): aclrtMalloc failed because devPtr cannot be a NULL pointer\.",
        first,
    )
    assert [line.partition(": ")[0] for line in rest] == ["        Solution"]


def test_cause_comes_before_solution() -> None:
    """Possible Cause, then Solution (public)."""
    with Machine(hbm_bytes=64):
        aclrtSetDevice(0)
        aclrtMalloc(byref(c_void_p()), 65, ACL_MEM_MALLOC_HUGE_FIRST)
        first, *rest = lines()
        assert re.match(HEAD + r"Memory_Allocation_Failure\(EL0004\): ", first)
        assert [line.partition(": ")[0] for line in rest] == ["        Possible Cause", "        Solution"]


@pytest.mark.fidelity("names of entry points in the closing line of a failing runtime call")
def test_closing_line_of_a_runtime_failure(machine: Machine) -> None:
    """A typical record of CANN 9.1 has the headline EE1003 with its Solution, and a trace of one line: the EE1001 line
    of rtMemcpy (public)."""
    aclrtMemcpy(bytearray(8), 4, bytes(8), 8, ACL_MEMCPY_DEFAULT)
    first, solution, trace, closing = lines()
    assert re.match(HEAD + r"Invalid_Argument\(EE1003\): Synchronous memory copy .*\bcnt\b", first)
    assert solution.startswith("        Solution: ")
    assert trace == TRACE
    assert closing == "        rtMemcpy execution failed."


CLOSING = {
    "context null: EE1001 with the reason": (
        lambda: in_thread(lambda: (aclrtSynchronizeStream(None), text())[1]),
        r"rtSynchronizeStream execution failed, reason=.*context.*",
    ),
    "invalid handle: EE1017, parameter handle": (
        lambda: (aclrtSynchronizeStream(0x40), text())[1], r"rtSynchronizeStream .*\bhandle\b.*",
    ),
    "anything else: an inner item with its place": (
        lambda: (aclrtSetDevice(99), text())[1],
        r"rtSetDevice execution failed, reason=.*\[FUNC:.*\]\[FILE:.*\]\[LINE:\d+\]",
    ),
}  # fmt: skip


@pytest.mark.fidelity("names of entry points in the closing line of a failing runtime call")
@pytest.mark.parametrize(("failure", "line"), CLOSING.values(), ids=CLOSING)
def test_the_internal_error_chooses_the_closing_line(machine: Machine, failure: Callable[[], str], line: str) -> None:
    """The internal error decides which item closes the text (public)."""
    *_, trace, closing = failure().rstrip("\n").split("\n")
    assert trace == TRACE
    assert re.fullmatch(" {8}" + line, closing)


def test_a_refused_allocation_has_no_closing_line(machine: Machine) -> None:
    """The functions of the aclrtMalloc family record only the EE1018 item. A check of the ACL layer has no closing line
    either (public)."""
    without_context = in_thread(lambda: (aclrtMalloc(byref(c_void_p()), 64, 0), text())[1])
    assert "(EE1018)" in without_context
    assert TRACE not in without_context
    aclrtFree(None)
    assert TRACE not in text()


def test_an_inner_error_alone_has_an_empty_title(machine: Machine) -> None:
    """The first line is `CODE: Inner Error!`. The item follows with its place in the sources. The title of the layer is
    empty (public)."""
    finalize_twice()
    first, second = lines()
    assert first == "EH9999: Inner Error!"
    assert re.fullmatch(
        rf"EH9999\[PID: {os.getpid()}\] {TIME} \(EH9999\):  aclFinalize .*\[FUNC:aclFinalize\]\[FILE:.*\]\[LINE:\d+\]",
        second,
    )


@pytest.mark.fidelity("order of the error text")
def test_oldest_user_error_is_the_headline(machine: Machine) -> None:
    """Items are in order of time. The headline is the oldest item that is no inner error (public)."""
    aclrtFree(None)
    aclrtMalloc(byref(c_void_p()), 0, 0)
    finalize_twice()
    first, _, trace, second, third = lines()
    assert "aclrtFree" in first
    assert trace == TRACE
    assert second.startswith("        aclrtMalloc failed: ")
    assert third.startswith("        aclFinalize ")


def test_headline_after_an_inner_error_is_printed_twice(machine: Machine) -> None:
    """The trace leaves the headline out only if that is the first item of all (public)."""
    finalize_twice()
    aclrtFree(None)
    first, _, trace, inner, again = lines()
    assert "(EH0008): " in first
    assert trace == TRACE
    assert "[FUNC:aclFinalize]" in inner
    assert again == "        " + first.partition("(EH0008): ")[2]


def test_reading_the_text_empties_it(machine: Machine) -> None:
    """The text is null if nothing is recorded. Reading it empties it. Neither a call that succeeds nor aclFinalize
    empties it (public)."""
    assert aclGetRecentErrMsg() is None
    aclrtFree(None)
    aclrtSetDevice(0)
    aclFinalize()
    assert "(EH0008)" in text()
    assert aclGetRecentErrMsg() is None


def test_identical_items_are_stored_once(machine: Machine) -> None:
    """Items are identical if they have the same code and the same text (public)."""
    for _ in range(3):
        aclrtFree(None)
    assert text().count("aclrtFree") == 1


def test_items_that_differ_only_in_the_function_are_both_stored(machine: Machine) -> None:
    """Their texts differ, so neither is dropped (public)."""
    aclrtFree(None)
    aclrtMalloc(None, 8, 0)
    found = text()
    assert "aclrtFree failed because devPtr" in found
    assert "aclrtMalloc failed because devPtr" in found


def test_each_thread_has_its_own_text(machine: Machine) -> None:
    """That is the default (public)."""
    aclrtFree(None)
    assert in_thread(aclGetRecentErrMsg) is None
    in_thread(lambda: aclrtMalloc(None, 8, 0))
    assert "aclrtMalloc" not in text()


def process_mode(tmp_path: Path) -> None:
    """Configure one record of errors for all threads."""
    (tmp_path / "acl.json").write_text('{"err_msg_mode": "1"}')
    assert aclInit(str(tmp_path / "acl.json")) == ACL_SUCCESS


def test_one_record_for_the_process(machine: Machine, tmp_path: Path) -> None:
    """With err_msg_mode "1" each thread reads, and empties, the errors of all threads (public)."""
    process_mode(tmp_path)
    in_thread(lambda: aclrtMalloc(None, 8, 0))
    assert "aclrtMalloc" in text()
    assert in_thread(aclGetRecentErrMsg) is None


def test_process_mode_names_the_threads(machine: Machine, tmp_path: Path) -> None:
    """In process mode the message of every item ends in [THREAD:<tid>] (public)."""
    process_mode(tmp_path)
    aclrtFree(None)
    finalize_twice()
    first, _, trace, inner = lines()
    assert trace == TRACE
    assert re.search(r"\[THREAD:\d+\]$", first)
    assert re.search(r"\[THREAD:\d+\]$", inner)


@pytest.mark.parametrize("character", ["x", "\u00e4"], ids=["ASCII", "two bytes each"])
def test_an_item_has_at_most_1024_bytes(machine: Machine, character: str) -> None:
    """The terminator counts. A long text is cut between two characters (public; ours)."""
    assert aclInit("/" + 600 * character + "/" + 600 * character) == ACL_ERROR_INVALID_FILE
    message = lines()[0].partition("(EH0003): ")[2]
    assert 1000 < len(message.encode()) <= 1023
    assert character * 400 in message


def test_full_record_drops_inner_errors_only(machine: Machine) -> None:
    """About 1000 items: later inner items are dropped, user items are still added (public)."""
    for kind in range(100, 1100):
        aclrtMemcpy(bytearray(1), 1, bytes(1), 1, kind)
    finalize_twice()
    aclrtFree(None)
    found = text()
    assert "aclFinalize" not in found
    assert "aclrtFree" in found


@pytest.mark.fidelity("a program that never reads its error texts")
def test_a_program_that_never_reads_its_errors_keeps_a_bounded_number(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest 10,000 items are kept (ours). The test lowers the number."""
    assert host_thread.MOST == 10_000
    monkeypatch.setattr(host_thread, "MOST", 20)
    for device in range(100, 200):
        assert aclrtSetDevice(device) == ACL_ERROR_RT_INVALID_DEVICEID
    kept = machine.errors().items
    assert len(kept) == 20
    first = lines()[0]
    assert "deviceId" in first
    assert "100" in first


def test_the_text_names_parameter_value_and_bounds(machine: Machine, tmp_path: Path) -> None:
    """The text has the template's sentence, the parameter, its value, the allowed values, and the product (ours)."""
    aclrtSetDevice(5)
    found = text()
    for word in ("deviceId", "value 5", "[0, 1)", "1 device of", "Ascend910B1"):
        assert word in found
    (tmp_path / "acl.json").write_text('{"simt_printf_fifo_size": -4}')
    assert aclInit(str(tmp_path / "acl.json")) == ACL_ERROR_FAILURE
    assert "value -4 of parameter simt_printf_fifo_size" in text()


PUBLISHED: dict[str, tuple[str, Callable[[], int], str]] = {
    "EH0008": ("Ascend910B1", lambda: aclrtFree(None), "aclrtFree failed because devPtr cannot be a NULL pointer."),
    "EE1003": (
        "Ascend910B1",
        lambda: aclrtSetDevice(7),
        "Setting the device of the current thread failed because value 7 for parameter deviceId is invalid. "
        "Expected value: [0, 1).",
    ),
    "EE1004": (
        "Ascend910A",
        lambda: aclrtSetStreamFailureMode(None, 1),
        "Setting the failure mode of the stream failed because stream cannot be a NULL pointer.",
    ),
    "EE1006": (
        "Ascend310P3",
        lambda: aclrtCreateStreamWithConfig(byref(aclrtStream()), 0, ACL_STREAM_HUGE),
        "Stream creation failed because ACL_STREAM_HUGE is not supported. Reason: ",
    ),
    "EE1010": (
        "Ascend910B1",
        lambda: of_another_context(),
        "Stream destruction failed because the stream does not belong to the current context. stream_id=1, stream_ctx=",
    ),
    "EE1016": (
        "Ascend910B1",
        lambda: back_to_continue(),
        "Setting the failure mode of the stream is not supported. Reason: stream 1 ",
    ),
}


def of_another_context() -> int:
    stream = create_stream()
    create_context()
    return aclrtDestroyStream(stream)


def back_to_continue() -> int:
    stream = create_stream()
    assert aclrtSetStreamFailureMode(stream, 1) == ACL_SUCCESS
    return aclrtSetStreamFailureMode(stream, 0)


@pytest.mark.parametrize("code", PUBLISHED)
def test_the_first_sentence_is_that_of_the_library(code: str) -> None:
    """The first sentence has the words of the library. "... failed because ... cannot be a NULL pointer" has the names
    of the function and of the parameter. "... does not belong to the current context" has the ids after it. EE1003,
    EE1006 and EE1016 have their values in the library's order (public)."""
    soc, call, sentence = PUBLISHED[code]
    with Machine(soc):
        aclrtSetDevice(0)
        assert call() != ACL_SUCCESS
        headline = text().partition("\n")[0]
    assert headline.partition(f"({code}): ")[2].startswith(sentence), headline
