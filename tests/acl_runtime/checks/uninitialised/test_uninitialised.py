"""Reads of device memory that was never written (ours). For an operator it is an error if any byte was never written.
For a copy it is a warning, and only if none of its bytes was ever written."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_float, c_size_t, c_void_p
from functools import partial
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from tests.helpers.builders import malloc, on_device, plan, run
from tests.helpers.creating import create_stream, pinned
from tests.helpers.machines import board
from tests.helpers.memory.ways_to_copy import batch
from tests.helpers.outcomes import ok

SCHEDULES = pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
H2D, D2H, D2D = ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE
ONES = np.ones(16, np.float32)


def tensor(address: int, shape: list[int], strides: list[int] | None = None, offset: int = 0) -> aclTensor:
    return aclCreateTensor(shape, len(shape), ACL_FLOAT, strides, offset, ACL_FORMAT_ND, [16], 1, address)


def softmax(grad: Any, shape: list[int]) -> None:
    """Launch a softmax backward and wait for it. Only `grad` may be wrong; the other arguments are right."""
    ones = np.ones(shape, np.float32)
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, on_device(ones), 0, on_device(ones))
    workspace = malloc(planned.workspace_size) if planned.workspace_size else None
    ok(aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, None))
    ok(aclrtSynchronizeStream(None))


def found(machine: Machine) -> list[tuple[str, str]]:
    return [(finding.id, finding.level) for finding in machine.findings.worth_telling]


WRITES: dict[str, Callable[[int, int], int]] = {
    "aclrtMemcpy": lambda at, n: aclrtMemcpy(at, n, ONES, n, H2D),
    "aclrtMemset": lambda at, n: aclrtMemset(at, n, 0, n),
    "aclrtMemcpyAsync": lambda at, n: aclrtMemcpyAsync(at, n, pinned(ONES)[0], n, H2D, None),
    "aclrtMemsetAsync": lambda at, n: aclrtMemsetAsync(at, n, 0, n, None),
    "aclrtMemcpy2d": lambda at, n: aclrtMemcpy2d(at, n // 4, ONES, n // 4, n // 4, 4, H2D),
}


@SCHEDULES
@pytest.mark.parametrize("missing", [0, 4], ids=["all written", "an element missing"])
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_an_operator_needs_every_byte(write: Callable[[int, int], int], missing: int, schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        address = malloc(64)
        ok(write(address, 64 - 4 * missing))
        softmax(tensor(address, [16]), [16])
        assert found(machine) == ([("uninit-read", "error")] if missing else [])
        if missing:
            text = str(machine.findings.worth_telling[0])
            assert "input `gradOutput`, whose byte 48 (device 0 + 0x" in text
            assert "was allocated at" in text


@pytest.mark.parametrize(("start", "count", "words"), [
    (0, 16, "only 16 bytes (the number of elements) were written there"),
    (0, 20, "only 20 bytes were written there"),
    (16, 16, ""),
    (0, 64, ""),
])  # fmt: skip
@pytest.mark.parametrize("write", ["aclrtMemcpy", "aclrtMemsetAsync"])
def test_a_write_that_is_too_short_is_named(write: str, start: int, count: int, words: str) -> None:
    """The line of the write is the first of the history, as there is the mistake."""
    with board(on_undefined="report") as machine:
        address = malloc(68)
        ok(WRITES[write](address + start, count))
        softmax(tensor(address, [16]), [16])
        histories = [finding.history for finding in machine.findings.worth_telling]
        named = [past.what for history in histories for past in history if "written there" in past.what]
        assert (len(histories), named) == (int(count < 64), [words] if words else [])
        if words:
            assert histories[0][0].what == words
            assert "test_uninitialised.py" in histories[0][0].site


@pytest.mark.fidelity("reads of bytes never written")
@SCHEDULES
def test_it_is_raised_by_the_launch(schedule: str) -> None:
    """The call that raises has no effect: the executor can still be launched."""
    with board(schedule):
        address = malloc(64)
        ones = np.ones(16, np.float32)
        planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, tensor(address, [16]), on_device(ones), 0, on_device(ones))
        with pytest.raises(UndefinedBehaviour) as error:
            aclnnSoftmaxBackward(None, 0, planned.executor, None)
        assert error.value.finding.id == "uninit-read"
        ok(aclrtMemset(address, 64, 0, 64))
        ok(aclnnSoftmaxBackward(None, 0, planned.executor, None))
        ok(aclrtSynchronizeStream(None))


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_only_the_bytes_of_the_view_matter(columns: int) -> None:
    """The view has two of the four columns. The other two need not be written."""
    with board(on_undefined="report") as machine:
        address = malloc(64)
        ok(aclrtMemcpy2d(address, 16, ONES, 16, 4 * columns, 4, H2D))
        softmax(tensor(address, [4, 2], [4, 1]), [4, 2])
        assert found(machine) == ([("uninit-read", "error")] if columns < 2 else [])


@pytest.mark.fidelity("reads of bytes never written")
@pytest.mark.parametrize("runs", [4096, 4097])
@pytest.mark.parametrize("written", [0, 4], ids=["nothing written", "the first element written"])
def test_a_pattern_of_very_many_runs_is_judged_as_a_whole(runs: int, written: int) -> None:
    """A run is a piece of consecutive bytes. A pattern of more than 4,096 runs is only reported if no byte from its
    first to its last was written (ours)."""
    with board(on_undefined="report") as machine:
        address = malloc(8 * runs)
        ok(aclrtMemset(address, 8 * runs, 0, written))
        strided = aclCreateTensor([runs, 1], 2, ACL_FLOAT, [2, 1], 0, ACL_FORMAT_ND, [2 * runs], 1, address)
        softmax(strided, [runs, 1])
        assert found(machine) == ([("uninit-read", "error")] if runs <= 4096 or not written else [])


def test_the_output_of_an_operator_counts_as_written() -> None:
    """The output of one operator is the input of the next, also where the output is strided."""
    with board(on_undefined="report") as machine:
        address = malloc(64)
        out = tensor(address, [4, 2], [4, 1])
        ones = on_device(np.ones((4, 2), np.float32))
        planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, ones, ones, 0, out)
        workspace = malloc(planned.workspace_size)
        ok(aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, None))
        softmax(out, [4, 2])
        assert found(machine) == []
        softmax(tensor(address, [4, 2], [4, 1], 1), [4, 2])
        assert found(machine) == [("uninit-read", "error")]


COPIES: dict[str, Callable[[int], int]] = {
    "aclrtMemcpy": lambda at: aclrtMemcpy(bytearray(64), 64, at, 64, D2H),
    "aclrtMemcpyAsync": lambda at: aclrtMemcpyAsync(malloc(64), 64, at, 64, D2D, None),
    "aclrtMemcpy2d": lambda at: aclrtMemcpy2d(bytearray(64), 16, at, 16, 16, 4, D2H),
}


@SCHEDULES
@pytest.mark.parametrize("written", [0, 4, 64])
@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_a_copy_may_include_unwritten_padding(copy: Callable[[int], int], written: int, schedule: str) -> None:
    """ "Warning for a copy when nothing in the range was ever written"."""
    with board(schedule, on_undefined="raise") as machine:
        address = malloc(64)
        if written:
            ok(aclrtMemset(address, 64, 0, written))
        ok(copy(address))
        assert found(machine) == ([] if written else [("uninit-read", "warning")])
        ok(copy(address))
        assert len(found(machine)) == (not written), "once is enough"
        ok(aclrtSynchronizeDevice())


BRINGS: dict[str, Callable[[int, int], int]] = {
    "aclrtMemcpy": lambda to, at: aclrtMemcpy(to, 64, at, 64, D2D),
    "aclrtMemcpyAsync": lambda to, at: aclrtMemcpyAsync(to, 64, at, 64, D2D, None),
}


@SCHEDULES
@pytest.mark.parametrize("hops", [1, 2])
@pytest.mark.parametrize("copy", BRINGS.values(), ids=BRINGS)
def test_the_copy_of_unwritten_bytes_counts_as_unwritten(
    copy: Callable[[int, int], int], hops: int, schedule: str
) -> None:
    """The finding names the operator that reads the bytes, and the copy that brought them there. A program is right if
    it reads only the written bytes, or fills the rest after the copy."""
    with board(schedule, on_undefined="report") as machine:
        first, *others = (malloc(64) for _ in range(hops + 1))
        ok(aclrtMemset(first, 64, 0, 48))
        for source, target in zip([first, *others], others, strict=False):
            ok(copy(target, source))
        softmax(tensor(others[-1], [12]), [12])
        assert found(machine) == []
        softmax(tensor(others[-1], [16]), [16])
        assert found(machine) == [("uninit-read", "error")]
        (finding,) = machine.findings.worth_telling
        assert "input `gradOutput`, whose byte 48 " in finding.what
        assert finding.history[-1].what.endswith("copied unwritten bytes there")
        assert "test_uninitialised.py" in finding.history[-1].site


def test_a_copy_beside_the_unwritten_byte_is_not_named() -> None:
    """The copy brought unwritten bytes up to byte 32. Byte 32 itself is not one of them."""
    with board(on_undefined="report") as machine:
        source, target = malloc(64), malloc(64)
        ok(aclrtMemset(source, 64, 0, 16))
        ok(aclrtMemcpy(target, 32, source, 32, D2D))
        softmax(tensor(target, [8], offset=8), [8])
        (finding,) = machine.findings.worth_telling
        assert finding.id == "uninit-read"
        assert "whose byte 0 (device 0 + 0x420)" in finding.what
        assert "copied unwritten bytes" not in str(finding)


def test_what_is_behind_the_end_of_a_source_is_a_consequence() -> None:
    """The copy reads past the end of its source, which is the finding. The bytes that it brings count as written."""
    with board(on_undefined="report") as machine:
        source, target = malloc(32), malloc(64)
        ok(aclrtMemset(source, 32, 0, 32))
        ok(aclrtMemcpy(target, 64, source, 64, D2D))
        softmax(tensor(target, [16]), [16])
        assert found(machine) == [("memcpy-size", "error")]


def test_bytes_that_are_filled_after_a_copy_count_as_written() -> None:
    """A buffer grows: the whole old buffer is copied, with its unwritten bytes. Then the program writes the rest of the
    new buffer before it reads it."""
    with board(on_undefined="report") as machine:
        old, new = malloc(64), malloc(64)
        ok(aclrtMemset(old, 64, 0, 48))
        ok(aclrtMemcpy(new, 64, old, 64, D2D))
        ok(aclrtMemset(new + 48, 16, 0, 16))
        softmax(tensor(new, [16]), [16])
        assert found(machine) == []


def refused_launch(out: int) -> int:
    ones = on_device(ONES)
    host = aclCreateTensor([16], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [16], 1, ONES.ctypes.data)
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, ones, host, 0, tensor(out, [16]))
    return aclnnSoftmaxBackward(None, 0, planned.executor, None)


def launch_of_another(out: int) -> int:
    ones = on_device(ONES)
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, ones, ones, 0, tensor(out, [16]))
    return aclnnEmbeddingDenseBackward(None, 0, planned.executor, None)


REFUSED: dict[str, tuple[str, Callable[[int], int]]] = {
    "launch": ("ws-host-ptr", refused_launch),
    "launch of another operator's executor": ("exec-wrong-op", launch_of_another),
    "aclrtMemcpy": ("host-overrun", lambda to: aclrtMemcpy(to, 64, bytes(60), 64, H2D)),
    "aclrtMemcpyAsync": ("host-overrun", lambda to: aclrtMemcpyAsync(to, 64, bytes(60), 64, H2D, None)),
    "aclrtMemcpy2d": ("host-overrun", lambda to: aclrtMemcpy2d(to, 32, bytes(60), 32, 32, 2, H2D)),
    "aclrtMemcpyBatch": ("host-overrun", lambda to: in_two_pieces(to, bytes(28))),
}


def in_two_pieces(to: int, second: bytes) -> int:
    """The second piece cannot be copied, so the first is not copied either."""
    sizes = [32, 32]
    arguments = ([to, to + 32], sizes, [ONES.ctypes.data, second], sizes, 2, *batch(to, ONES.ctypes.data))
    return aclrtMemcpyBatch(*arguments, byref(c_size_t()))


@pytest.mark.parametrize(("id", "call"), REFUSED.values(), ids=REFUSED)
def test_a_read_of_what_a_refused_call_should_have_written_is_a_consequence(
    id: str, call: Callable[[int], int]
) -> None:
    """A finding says why the call wrote nothing. So a read of its target is a consequence, and is not reported. A read
    of other memory is reported."""
    with board(on_undefined="report") as machine:
        target, other = malloc(64), malloc(64)
        assert call(target) != ACL_SUCCESS
        ok(aclrtMemcpy(bytearray(64), 64, target, 64, D2H))
        assert found(machine) == [(id, "error")]
        ok(aclrtMemcpy(bytearray(64), 64, other, 64, D2H))
        assert found(machine) == [(id, "error"), ("uninit-read", "warning")]


def test_a_read_is_reported_after_a_copy_that_was_refused_by_status() -> None:
    """There is no finding about the copy, so the read of its target is reported."""
    with board(on_undefined="report") as machine:
        target = malloc(64)
        assert aclrtMemcpy(target, 60, ONES, 64, H2D) == ACL_ERROR_RT_PARAM_INVALID
        ok(aclrtMemcpy(bytearray(64), 64, target, 64, D2H))
        assert found(machine) == [("uninit-read", "warning")]


def test_an_unwritten_index_out_of_range_is_a_consequence() -> None:
    """An index tensor that was never written holds the fill, which is -1. That this is out of range is a consequence of
    the unwritten read, and is not reported."""
    with board(on_undefined="report") as machine:
        indices = aclCreateTensor([2], 1, ACL_INT64, None, 0, ACL_FORMAT_ND, [2], 1, malloc(16))
        grad, out = on_device(np.ones((2, 4), np.float32)), on_device(np.ones((3, 4), np.float32))
        arguments = (grad, indices, 3, -1, False, out)
        planned = plan(aclnnEmbeddingDenseBackwardGetWorkspaceSize, *arguments)
        workspace = malloc(planned.workspace_size) if planned.workspace_size else None
        ok(aclnnEmbeddingDenseBackward(workspace, planned.workspace_size, planned.executor, None))
        aclrtSynchronizeStream(None)
        assert found(machine) == [("uninit-read", "error")]


MISTAKES = {
    "race": "xstream-race",
    "freed": "io-freed-early",
    "freed behind an early copy back": "read-before-sync",
    "short": "storage-exceeds-alloc",
    "race of grad": "xstream-race",
}


@pytest.mark.parametrize(("mistake", "id"), MISTAKES.items(), ids=MISTAKES)
@pytest.mark.parametrize("allowed", [False, True])
def test_an_index_out_of_range_after_another_finding_is_a_consequence(mistake: str, id: str, allowed: bool) -> None:
    """Indices that are not written yet, or are freed already, hold the fill, which is out of range. That is a
    consequence. The range is reported in two cases: the earlier finding is about another input, or the program allows
    the race. If the program allows the early free, the indices are read before they go away."""
    values = np.array([0, 7 if mistake == "race of grad" else 1], np.int64)
    with board(on_undefined="report") as machine:
        if allowed:
            machine.allow(id, reason="the order comes from elsewhere")
        place, source = malloc(8 if mistake == "short" else 16), pinned(values.view(np.float32))[0]
        grad, out = on_device(np.ones((2, 4), np.float32)), on_device(np.ones((3, 4), np.float32))
        if mistake == "race":
            ok(aclrtMemcpyAsync(place, 16, source, 16, H2D, create_stream()))
        else:
            size = 8 if mistake == "short" else 16
            ok(aclrtMemcpy(place, size, values, size, H2D))
        if mistake == "race of grad":
            ok(aclrtMemsetAsync(grad.address, 32, 0, 32, create_stream()))
        indices = aclCreateTensor([2], 1, ACL_INT64, None, 0, ACL_FORMAT_ND, [2], 1, place)
        planned = plan(aclnnEmbeddingDenseBackwardGetWorkspaceSize, grad, indices, 3, -1, False, out)
        workspace = malloc(planned.workspace_size) if planned.workspace_size else None
        ok(aclnnEmbeddingDenseBackward(workspace, planned.workspace_size, planned.executor, None))
        if mistake == "freed behind an early copy back":
            ok(aclrtMemcpy(np.empty((3, 4), np.float32), 48, out.address, 48, D2H))
        if mistake.startswith("freed"):
            ok(aclrtFree(place))
        in_time = mistake == "freed" and allowed
        assert aclrtSynchronizeStream(None) == (ACL_SUCCESS if in_time else ACL_ERROR_RT_VECTOR_CORE_EXCEPTION)
        reported = mistake == "race of grad" or (mistake == "race" and allowed)
        followed = [("index-range", "error")] if reported else []
        assert found(machine) == ([] if allowed else [(id, "error")]) + followed


@pytest.mark.parametrize("written", [False, True])
@pytest.mark.parametrize("use", ["aclrtReduceAsync", "aclrtValueWait"])
def test_reductions_and_waits_read_their_memory(use: str, written: bool) -> None:
    """A reduction reads its target. aclrtValueWait reads its cell."""
    with board("late") as machine:
        address = malloc(64)
        if written:
            ok(aclrtMemset(address, 64, 0, 64))
        if use == "aclrtReduceAsync":
            source = on_device(ONES).address
            ok(aclrtReduceAsync(address, source, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, None, None))
        else:
            ok(aclrtValueWait(address, 0, ACL_STREAM_WAIT_VALUE_GEQ, None))
            ok(aclrtValueWrite(address, 0, 0, None)) if not written else None
        assert found(machine) == ([] if written else [("uninit-read", "warning")])


def test_memory_of_the_host_counts_as_written(machine: Machine) -> None:
    """Writes of the host's own code are not seen, so host memory counts as written."""
    values, mapped = np.zeros(16, np.float32), c_void_p()
    ok(aclrtHostRegister(values, 64, ACL_HOST_REGISTER_MAPPED, byref(mapped)))
    softmax(tensor(mapped.value or 0, [16]), [16])
    ok(aclrtMemcpyAsync(malloc(64), 64, pinned(ONES)[0], 64, H2D, create_stream()))
    assert found(machine) == []
    ok(aclrtSynchronizeDevice())
    ok(aclrtHostUnregister(values))


@pytest.mark.parametrize("quiet", ["allowed", "checks=False"])
def test_it_can_be_switched_off(quiet: str) -> None:
    with board(checks=quiet == "allowed") as machine:
        if quiet == "allowed":
            machine.allow("uninit-read", reason="the values do not matter here")
        softmax(tensor(malloc(64), [16]), [16])
        assert found(machine) == []


def numbers(*values: int) -> aclIntArray:
    return aclCreateIntArray(values, len(values))


def seven() -> aclScalar:
    return aclCreateScalar(byref(c_float(7)), ACL_FLOAT)


def joined(x: aclTensor) -> aclTensorList:
    return aclCreateTensorList([on_device(ONES[:8]).handle, x], 2)


Placed = Callable[..., aclTensor]
COUNT = 16
GIVEN = np.array([1, 2, 3, np.nan, 5, 6, np.nan, np.nan], np.float32)
COPY = aclnnInplaceCopyGetWorkspaceSize, aclnnInplaceCopy
PAD = aclnnConstantPadNdGetWorkspaceSize, aclnnConstantPadNd
COPIES: dict[str, tuple[Any, Callable[[Placed, Placed], tuple[Any, ...]], Any]] = {
    "copy": (COPY, lambda x, y: (y([8]), x([8])), GIVEN),
    "copy to every second element": (
        COPY, lambda x, y: (y([8], [2]), x([8])), np.stack([GIVEN, np.full(8, np.nan)], 1),
    ),
    "broadcast": (COPY, lambda x, y: (y([4, 4]), x([4, 1], [2, 1])), np.repeat(GIVEN[::2], 4)),
    "transposition": (
        (aclnnPermuteGetWorkspaceSize, aclnnPermute), lambda x, y: (x([2, 4]), numbers(1, 0), y([4, 2])),
        GIVEN.reshape(2, 4).T,
    ),
    "padding": (PAD, lambda x, y: (x([8]), numbers(1, 1), seven(), y([10])), np.r_[7, GIVEN, 7]),
    "cut": (PAD, lambda x, y: (x([8]), numbers(-4, 0), seven(), y([4])), GIVEN[4:]),
    "join": (
        (aclnnCatGetWorkspaceSize, aclnnCat), lambda x, y: (joined(x([8])), 0, y([16])), np.r_[ONES[:8], GIVEN],
    ),
}  # fmt: skip
"""the functions of an operator, the arguments for tensors of 16 elements, and the elements of its output; an unwritten
element is a NaN. Behind them the target has more unwritten elements"""


@pytest.mark.fidelity("copies of unwritten memory")
@pytest.mark.parametrize("name", COPIES)
def test_an_operator_that_only_copies_leaves_unwritten_copies(name: str) -> None:
    """Each is reported where an operator computes with it."""
    pair, arguments, elements = COPIES[name]
    expected = np.r_[np.ravel(elements), [np.nan] * 2][:COUNT]
    with board(on_undefined="report") as machine:
        source, target = malloc(4 * COUNT), malloc(4 * COUNT)
        for at in np.flatnonzero(~np.isnan(GIVEN)).tolist():
            ok(aclrtMemcpy(source + 4 * at, 4, GIVEN[at : at + 1], 4, H2D))
        run(*pair, *arguments(partial(tensor, source), partial(tensor, target)))
        ok(aclrtSynchronizeStream(None))
        assert found(machine) == []
        missing: list[int] = []
        for at in range(expected.size):
            softmax(tensor(target, [1], None, at), [1])
            missing += [at] * (len(found(machine)) - len(missing))
        assert missing == np.flatnonzero(np.isnan(expected)).tolist()
        assert "copied unwritten bytes there" in str(machine.findings.worth_telling[0])


def test_a_repeated_copy_is_judged_again() -> None:
    """The same launch copies written elements the last time."""
    with board(on_undefined="report") as machine:
        source, target = malloc(64), malloc(64)
        copy, original = tensor(target, [16]), tensor(source, [16])
        for written in (False, False, False, True):
            if written:
                ok(aclrtMemset(source, 64, 0, 64))
            run(*COPY, copy, original)
        softmax(tensor(target, [16]), [16])
        assert found(machine) == []
