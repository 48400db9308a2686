"""aclrtMemcpyAsync: the table of sources, targets and kinds under every schedule, and the order of its checks
(public)."""

from collections.abc import Callable
from ctypes import byref, c_void_p
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.memory.kinds_of_memory import place
from tests.helpers.outcomes import assert_status, errors, ok
from tests.helpers.stream_gate import Gate

pytestmark = pytest.mark.finds("memcpy-kind")

Copy = Callable[[Any, int, Any, int, int, Any], int]
EITHER: dict[str, Copy] = {
    "aclrtMemcpyAsync": aclrtMemcpyAsync,
    "aclrtMemcpyAsyncWithCondition": aclrtMemcpyAsyncWithCondition,
}
each_call = pytest.mark.parametrize("call", EITHER.values(), ids=EITHER)
H2H, H2D, D2H, D2D, DEFAULT, BUFFERED = range(6)
QUEUED, BLOCKS, REFUSED, UNSUPPORTED, KEPT = "queued", "blocks", "107000", "207000", "queued, source buffered"
# a letter for each kind 0-5; what is undefined on a device: plain and kind 3, host to host and kinds 1 to 3
TABLE = {
    ("pinned", "device"): "q q q q q k",
    ("device", "pinned"): "q q q q q x",
    ("device", "device"): "q q q q q x",
    ("pinned", "pinned"): "n n n n n x",
    ("plain", "device"): "x b x q b k",
    ("device", "plain"): "x x b q b x",
    ("pinned", "plain"): "n b x x n x",
    ("plain", "pinned"): "n x b x n x",
    ("plain", "plain"): "n b b b n x",
    # "pinned" = from aclrtMallocHost or registered
    ("registered", "device"): "q q q q q k",
    ("device", "registered"): "q q q q q x",
    ("registered", "pinned"): "n n n n n x",
    ("registered", "plain"): "n b x x n x",
}
LETTERS = {"q": QUEUED, "b": BLOCKS, "x": REFUSED, "n": UNSUPPORTED, "k": KEPT}
each_pair = pytest.mark.parametrize(
    ("source", "target", "outcomes"),
    [
        pytest.param(*pair, [LETTERS[letter] for letter in row.split()], id=f"{pair[0]} to {pair[1]}")
        for pair, row in TABLE.items()
    ],
)
OLD, NEW, BEFORE = [1] * 8, [2] * 8, [9] * 8


@pytest.mark.fidelity(
    "an asynchronous copy between two pieces of host memory", "asynchronous copies where the table says undefined"
)
@each_pair
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_kind_and_both_sides_decide_how_a_copy_is_done(
    schedule: str, source: str, target: str, outcomes: list[str]
) -> None:
    """The pair of sides is found from the addresses, and decides with the kind (public). A queued copy reads the source
    when it runs; kind 5 reads it at the call."""
    for kind, outcome in enumerate(outcomes):
        with board(schedule) as machine:
            _assert_outcome(machine, source, target, kind, outcome)


def _assert_outcome(machine: Machine, source: str, target: str, kind: int, outcome: str) -> None:
    stream, src, dst = create_stream(), place(machine, source, OLD), place(machine, target, BEFORE)
    arguments = (dst.pointer, 8, src.pointer, 8, kind, stream)
    if outcome == BLOCKS:
        _assert_blocks(stream, arguments)
        assert dst.get() == OLD
        return
    gate = Gate(stream)
    if outcome in (REFUSED, UNSUPPORTED):
        _assert_refused(aclrtMemcpyAsync(*arguments), outcome)
    else:
        ok(aclrtMemcpyAsync(*arguments))
    src.set(NEW)
    assert dst.get() == BEFORE, f"kind {kind}: it did not run before what stands before it in the stream"
    gate.open()
    ok(aclrtSynchronizeStream(stream))
    assert dst.get() == {QUEUED: NEW, KEPT: OLD}.get(outcome, BEFORE), f"kind {kind}"
    assert not errors(machine)


def _assert_blocks(stream: aclrtStream, arguments: tuple[Any, ...]) -> None:
    """Check that the call waits for the stream: tasks queued before have run when it returns."""
    ran: list[int] = []
    ok(aclrtLaunchHostFunc(stream, ran.append, 1))
    ok(aclrtMemcpyAsync(*arguments))
    assert ran == [1]


def _assert_refused(status: int, outcome: str) -> None:
    if outcome == REFUSED:
        assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EE1011)", "kind", "src is", "dst is")
        assert aclrtPeekAtLastError(0) == ACL_ERROR_RT_PARAM_INVALID
        return
    assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1016)", "aclrtMemcpy", "ACL_MEMCPY_HOST_TO_HOST")
    assert aclrtPeekAtLastError(0) == 0, "the 207000 answers leave no last error"


@each_pair
def test_with_condition_unpinned_memory_is_refused(source: str, target: str, outcomes: list[str]) -> None:
    """ "Rejects unpinned host memory instead of blocking" (public); kind 5 buffers it."""
    for kind, outcome in enumerate(outcomes):
        with board("late") as machine:
            stream, src, dst = create_stream(), place(machine, source, OLD), place(machine, target, BEFORE)
            status = aclrtMemcpyAsyncWithCondition(dst.pointer, 8, src.pointer, 8, kind, stream)
            if outcome == UNSUPPORTED:
                _assert_refused(status, UNSUPPORTED)
            elif outcome in (QUEUED, BLOCKS, REFUSED) and ("plain" in (source, target) or outcome == REFUSED):
                _assert_refused(status, REFUSED)
            else:
                ok(status)
                with machine.allow("read-before-sync", reason="that nothing is there yet is what is asked"):
                    assert dst.get() == BEFORE, f"kind {kind}"
                    ok(aclrtSynchronizeStream(stream))
                assert dst.get() == OLD, f"kind {kind}"
            assert len(machine.tasks) == (dst.get() == OLD), f"kind {kind}"
            assert {finding.id for finding in machine.findings.worth_telling} <= {"memcpy-kind"}, f"kind {kind}"


HOST = np.zeros(8, np.uint8)
DEAD = "a destroyed stream"
OTHERS = "a stream of another context"
# (dst, destMax, src, count, kind, stream) in a thread without context; each row breaks one rule and every later one
ORDER: dict[str, tuple[tuple[Any, int, Any, int, int, Any], int, tuple[str, ...]]] = {
    "count 0 -> success": ((None, 0, None, 0, 99, DEAD), ACL_SUCCESS, ()),
    "dst null -> 100000": ((None, 0, None, 8, 99, DEAD), ACL_ERROR_INVALID_PARAM, ("(EH0008)", "dst cannot be")),
    "src null -> 100000": ((HOST, 0, None, 8, 99, DEAD), ACL_ERROR_INVALID_PARAM, ("(EH0008)", "src cannot be")),
    "kind 6 -> 100000": ((HOST, 0, HOST, 8, 6, DEAD), ACL_ERROR_INVALID_PARAM, ("(EH0007)", "kind")),
    "kind 7 -> 100000": ((HOST, 0, HOST, 8, 7, DEAD), ACL_ERROR_INVALID_PARAM, ("(EH0007)", "kind")),
    "kind -1 -> 100000": ((HOST, 0, HOST, 8, -1, DEAD), ACL_ERROR_INVALID_PARAM, ("(EH0007)", "kind")),
    "dead stream -> 107017": ((HOST, 0, HOST, 8, 0, DEAD), ACL_ERROR_RT_INVALID_HANDLE, ("(EE1017)", "destroyed at")),
    "destMax 0 -> 107000": ((HOST, 0, HOST, 8, 0, OTHERS), ACL_ERROR_RT_PARAM_INVALID, ("(EE1003)", "destMax = 0")),
    "destMax less -> 107000": ((HOST, 7, HOST, 8, 0, OTHERS), ACL_ERROR_RT_PARAM_INVALID, ("(EE1003)", "cnt", "7")),
    "no context -> 107002": ((HOST, 8, HOST, 8, 0, OTHERS), ACL_ERROR_RT_CONTEXT_NULL, ("(EE1018)", "no valid")),
    "no context, null stream -> 107002": ((HOST, 8, HOST, 8, 0, None), ACL_ERROR_RT_CONTEXT_NULL, ("(EE1018)",)),
}  # fmt: skip


@each_call
@pytest.mark.parametrize(("arguments", "status", "words"), ORDER.values(), ids=ORDER)
def test_of_several_mistakes_the_first_check_answers(
    machine: Machine, call: Copy, arguments: tuple[Any, ...], status: int, words: tuple[str, ...]
) -> None:
    """The checks of the contract, in a thread without context; 1000xx leaves no last error (public)."""
    streams = {DEAD: create_stream(), OTHERS: create_stream()}
    ok(aclrtDestroyStream(streams[DEAD]))
    stream = streams.get(arguments[5])

    def work() -> None:
        assert_status(call(*arguments[:5], stream), status, *words)
        assert aclrtPeekAtLastError(0) == (status if status // 1000 == 107 else 0)

    in_thread(work)
    assert not machine.findings.worth_telling


@each_call
def test_behind_the_context_the_first_check_answers(machine: Machine, call: Copy) -> None:
    """The table, host-to-host 207000, dst == src success without a task, "and last, for queued copies only, stream of
    another context 107003" (public)."""
    stream, device, pinned = create_stream(), malloc(8), place(machine, "pinned", OLD)
    create_context()
    _assert_refused(call(pinned.address, 8, pinned.address, 8, DEFAULT, stream), UNSUPPORTED)
    _assert_refused(call(device, 8, HOST, 8, H2H, stream), REFUSED)
    ok(call(device, 8, device, 8, H2D, stream))
    for kind in (H2D, DEFAULT, BUFFERED):
        status = call(device, 8, pinned.address, 8, kind, stream)
        assert_status(status, ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)", "stream_id=1", "cur_ctx=context")
        assert aclrtPeekAtLastError(0) == ACL_ERROR_RT_STREAM_CONTEXT
    ok(aclrtSynchronizeStream(stream))
    assert not machine.tasks


@pytest.mark.fidelity("an asynchronous copy between two pieces of host memory")
def test_a_copy_onto_itself_succeeds_without_a_task(machine: Machine) -> None:
    """ "`dst == src` success without a task" comes after the table: pinned memory is 207000 (public)."""
    device, pinned = malloc(8), place(machine, "pinned", OLD)
    for kind in (H2H, H2D, D2H, D2D, DEFAULT):
        ok(aclrtMemcpyAsync(device, 8, device, 8, kind, None))
        _assert_refused(aclrtMemcpyAsync(pinned.address, 8, pinned.address, 8, kind, None), UNSUPPORTED)
    ok(aclrtMemcpyAsync(HOST, 8, HOST, 8, H2D, None))
    _assert_refused(aclrtMemcpyAsync(device, 8, device, 8, BUFFERED, None), REFUSED)
    ok(aclrtSynchronizeStream(None))
    assert not machine.tasks


@each_call
def test_a_handle_of_another_kind_is_107017(machine: Machine, call: Copy) -> None:
    """107017, as for a destroyed one (public)."""
    context, device, pinned = create_context(), malloc(8), place(machine, "pinned", OLD)
    for bad in (context, 0x1234):
        assert_status(call(device, 8, pinned.address, 8, H2D, bad), ACL_ERROR_RT_INVALID_HANDLE, "parameter stream")


@pytest.mark.parametrize("source", ["device", "pinned"])
def test_a_copy_to_memory_that_was_freed_meanwhile_does_nothing(source: str) -> None:
    """The free is the finding. A large allocation is no memory of the process any more, so a write would end it."""
    size = 4 << 20
    with board(on_undefined="report") as machine:
        target, src = malloc(size), place(machine, source, np.zeros(size, np.uint8))
        ok(aclrtMemcpyAsync(target, size, src.address, size, DEFAULT, None))
        ok(aclrtFree(target))
        ok(aclrtSynchronizeStream(None))
        assert errors(machine) == ["io-freed-early"]


def test_a_copy_ends_where_its_target_ends() -> None:
    """ "Writes past the end are dropped": of host memory, 64 of 256 bytes are registered, and only these change."""
    with board(on_undefined="report") as machine:
        values, mapped = np.zeros(256, np.uint8), c_void_p()
        ok(aclrtHostRegister(values, 64, ACL_HOST_REGISTER_MAPPED, byref(mapped)))
        ok(aclrtMemcpyAsync(mapped, 128, place(machine, "device", [1] * 128).address, 128, D2D, None))
        ok(aclrtSynchronizeStream(None))
        assert values.tolist() == [1] * 64 + [0] * 192
        assert errors(machine) == ["memcpy-size"]
        ok(aclrtHostUnregister(values))


def test_ranges_of_a_dead_address(machine: Machine) -> None:
    """Freed device memory: 107000 with its history, before anything is queued (public)."""
    dead, host = malloc(8), place(machine, "pinned", OLD)
    ok(aclrtFree(dead))
    for arguments, side in (((dead, 8, host.address), "dst"), ((host.address, 8, dead), "src")):
        status = aclrtMemcpyAsync(*arguments, 8, DEFAULT, None)
        assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", side, "freed at")
    ok(aclrtSynchronizeStream(None))
    assert not machine.tasks
