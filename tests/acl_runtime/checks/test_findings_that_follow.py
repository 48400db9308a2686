"""One mistake is reported once: "a finding that only follows from an earlier one is not reported again" (ours)."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_void_p
from threading import Event

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from tests.helpers.builders import OnDevice, malloc, on_device, plan
from tests.helpers.creating import create_stream, malloc_host, pinned
from tests.helpers.host_threads import wait
from tests.helpers.machines import board
from tests.helpers.outcomes import finding_of, ok
from tests.helpers.patience import PATIENCE

SCHEDULES = pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
LEGAL = np.array([0, 2], np.int64)


def ids(machine: Machine) -> list[str]:
    return [finding.id for finding in machine.findings.worth_telling]


def embedding(indices: OnDevice | aclTensor) -> OnDevice:
    """Queue an EmbeddingDenseBackward with these two indices; its output."""
    grad, out = on_device(np.ones((2, 4), np.float32)), on_device(np.zeros((3, 4), np.float32))
    planned = plan(aclnnEmbeddingDenseBackwardGetWorkspaceSize, grad, indices, 3, -1, False, out)
    assert planned.status == ACL_SUCCESS, planned.text
    workspace = malloc(max(planned.workspace_size, 1))
    ok(aclnnEmbeddingDenseBackward(workspace, planned.workspace_size, planned.executor, None))
    return out


def softmax(stream: aclrtStream | None = None) -> tuple[OnDevice, int]:
    """Queue a SoftmaxBackward; its output and its workspace."""
    values = np.full((8, 2), 3, np.float32)
    grad, output, out = on_device(values, strides=[1, 8]), on_device(values), on_device(values)
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, out)
    workspace = malloc(planned.workspace_size)
    ok(aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, stream))
    return out, workspace


def fetch(out: OnDevice) -> None:
    ok(aclrtMemcpy(bytearray(32), 32, out.address, 32, ACL_MEMCPY_DEVICE_TO_HOST))


# indices that a finding was about: a wrong one among them is a consequence


def freed_after_a_race() -> str:
    """The missing wait is reported by the copy; the free, for which nobody waits either, takes the indices away."""
    indices = on_device(LEGAL)
    fetch(embedding(indices))
    ok(aclrtFree(indices.address))
    return "read-before-sync"


def written_meanwhile() -> str:
    """Another stream may, or may not, have brought the indices."""
    address, (source, _) = malloc(16), pinned(np.zeros(4, np.float32))
    ok(aclrtMemset(address, 16, 0xFF, 16))
    ok(aclrtMemcpyAsync(address, 16, source, 16, ACL_MEMCPY_HOST_TO_DEVICE, create_stream()))
    embedding(aclCreateTensor([2], 1, ACL_INT64, None, 0, ACL_FORMAT_ND, [2], 1, address))
    aclrtSynchronizeStream(None)
    return "xstream-race"


def int32_as_int64() -> str:
    """Half as many bytes as the type needs."""
    address = malloc(8)
    ok(aclrtMemcpy(address, 8, LEGAL.astype(np.int32), 8, ACL_MEMCPY_HOST_TO_DEVICE))
    embedding(aclCreateTensor([2], 1, ACL_INT64, None, 0, ACL_FORMAT_ND, [2], 1, address))
    return "storage-exceeds-alloc"


@SCHEDULES
@pytest.mark.parametrize("program", [freed_after_a_race, written_meanwhile, int32_as_int64])
def test_an_index_that_a_finding_was_about(program: Callable[[], str], schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        id = program()
        aclrtSynchronizeDevice()
        assert ids(machine) == [id]


@SCHEDULES
def test_an_index_that_is_freed_on_the_way_out(schedule: str) -> None:
    """Raised, the finding goes through a `finally` that frees."""
    with Machine(schedule=schedule, seed=3) as machine:
        aclrtSetDevice(0)

        def program() -> None:
            indices = on_device(LEGAL)
            try:
                fetch(embedding(indices))
            finally:
                ok(aclrtFree(indices.address))

        with pytest.raises(UndefinedBehaviour, match="read-before-sync"):
            program()
        aclrtSynchronizeDevice()
        assert ids(machine) == ["read-before-sync"]


@SCHEDULES
def test_the_next_wrong_index_is_told(schedule: str) -> None:
    """The good twin: another launch, whose indices nothing else is wrong with."""
    with board(schedule, on_undefined="report") as machine:
        id = int32_as_int64()
        embedding(on_device(LEGAL + 1))
        aclrtSynchronizeDevice()
        assert ids(machine) == [id, "index-range"]


# a free that nobody waited for: the copy, and the frees, behind it miss the same wait


@SCHEDULES
def test_the_wait_that_a_free_missed(schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        out, workspace = softmax()
        ok(aclrtFree(workspace))
        fetch(out)
        ok(aclrtFree(out.address))
        assert ids(machine) == ["ws-freed-early"]


@SCHEDULES
def test_the_wait_for_another_stream_is_told(schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        (_, workspace), (out, _) = softmax(create_stream()), softmax(create_stream())
        ok(aclrtFree(workspace))
        fetch(out)
        assert ids(machine) == ["ws-freed-early", "read-before-sync"]


@SCHEDULES
def test_work_that_came_after_the_free_is_told(schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        _, workspace = softmax()
        ok(aclrtFree(workspace))
        out, _ = softmax()
        fetch(out)
        assert ids(machine) == ["ws-freed-early", "read-before-sync"]


@SCHEDULES
def test_a_free_that_is_allowed_waits_for_nothing(schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        machine.allow("ws-freed-early", reason="an allocator that keeps it for this stream")
        out, workspace = softmax()
        ok(aclrtFree(workspace))
        fetch(out)
        assert ids(machine) == ["read-before-sync"]


def errors(machine: Machine) -> list[str]:
    return [finding.id for finding in machine.findings if finding.level == "error"]


# memory that is too small: later uses that reach as far past its end


def upload(address: int, size: int) -> None:
    ok(aclrtMemcpy(address, size, np.ones(128, np.uint8), size, ACL_MEMCPY_HOST_TO_DEVICE))


def test_a_count_that_is_too_large_for_both_sides() -> None:
    with board(on_undefined="report") as machine:
        target, source = malloc(64), malloc(64)
        upload(source, 64)
        assert aclrtMemcpy(target, 68, bytes(64), 68, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_ERROR_RT_PARAM_INVALID
        ok(aclrtMemcpy(malloc(64), 68, source, 68, ACL_MEMCPY_DEVICE_TO_DEVICE))
        assert errors(machine) == ["memcpy-size", "memcpy-size"]


@SCHEDULES
def test_a_buffer_that_is_too_small_for_all_its_uses(schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        address = malloc(8)
        upload(address, 16)
        for _ in range(2):
            embedding(aclCreateTensor([2], 1, ACL_INT64, None, 0, ACL_FORMAT_ND, [2], 1, address))
        aclrtSynchronizeDevice()
        aclrtMemcpy(bytearray(16), 16, address, 16, ACL_MEMCPY_DEVICE_TO_HOST)
        assert errors(machine) == ["memcpy-size"]


def test_a_use_that_goes_further_is_told() -> None:
    with board(on_undefined="report") as machine:
        address = malloc(8)
        upload(address, 12)
        embedding(aclCreateTensor([2], 1, ACL_INT64, None, 0, ACL_FORMAT_ND, [2], 1, address))
        upload(malloc(8), 12)
        assert errors(machine) == ["memcpy-size", "storage-exceeds-alloc", "memcpy-size"]


def test_too_small_where_the_first_is_allowed() -> None:
    with board(on_undefined="report") as machine:
        address = malloc(8)
        with machine.allow("memcpy-size", reason="what comes behind it is looked at here"):
            upload(address, 16)
        upload(address, 16)
        assert errors(machine) == ["memcpy-size"]


@SCHEDULES
def test_an_index_beside_an_output_that_is_too_small(schedule: str) -> None:
    """The good twin: doubt is about one tensor of a launch, not about the others."""
    with board(schedule, on_undefined="report") as machine:
        grad, indices = on_device(np.ones((2, 4), np.float32)), on_device(LEGAL + 1)
        out = aclCreateTensor([3, 4], 2, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [3, 4], 2, malloc(32))
        planned = plan(aclnnEmbeddingDenseBackwardGetWorkspaceSize, grad, indices, 3, -1, False, out)
        workspace = malloc(max(planned.workspace_size, 1))
        ok(aclnnEmbeddingDenseBackward(workspace, planned.workspace_size, planned.executor, None))
        aclrtSynchronizeDevice()
        assert errors(machine) == ["storage-exceeds-alloc", "index-range"]


# indices whose pinned source was changed, or freed, under its copy


def copied(values: np.ndarray) -> tuple[aclTensor, int, np.ndarray]:
    """Indices that an asynchronous copy brings: their tensor, the pinned address, and the array there."""
    source, array = pinned(np.zeros(4, np.float32))
    array.view(np.int64)[:] = values
    address = malloc(16)
    ok(aclrtMemcpyAsync(address, 16, source, 16, ACL_MEMCPY_HOST_TO_DEVICE, None))
    return aclCreateTensor([2], 1, ACL_INT64, None, 0, ACL_FORMAT_ND, [2], 1, address), source, array


def changed_at_once() -> None:
    indices, _, array = copied(LEGAL)
    array.view(np.int64)[:] = 1 << 40
    embedding(indices)


def changed_behind_the_launch() -> None:
    indices, _, array = copied(LEGAL)
    embedding(indices)
    array.view(np.int64)[:] = 1 << 40


def changed_before_a_wait() -> None:
    indices, _, array = copied(LEGAL)
    array.view(np.int64)[:] = 1 << 40
    ok(aclrtSynchronizeStream(None))
    embedding(indices)


def freed_at_once() -> None:
    indices, source, _ = copied(LEGAL)
    ok(aclrtFreeHost(source))
    embedding(indices)


def freed_behind_the_launch() -> None:
    indices, source, _ = copied(LEGAL)
    embedding(indices)
    ok(aclrtFreeHost(source))


@SCHEDULES
@pytest.mark.parametrize(
    "program",
    [changed_at_once, changed_behind_the_launch, changed_before_a_wait, freed_at_once, freed_behind_the_launch],
)
def test_an_index_whose_source_was_reused(program: Callable[[], None], schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        program()
        aclrtSynchronizeDevice()
        assert errors(machine) == ["pinned-reuse"]


@pytest.mark.parametrize("schedule", ["late", "eager", "random"])
def test_the_change_is_what_is_raised(schedule: str) -> None:
    with board(schedule) as machine:
        changed_at_once()
        with pytest.raises(UndefinedBehaviour, match="pinned-reuse"):
            aclrtSynchronizeDevice()
        assert errors(machine) == ["pinned-reuse"]


@SCHEDULES
def test_a_wrong_index_whose_source_was_freed_in_time_is_told(schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        indices, source, _ = copied(LEGAL + 1)
        ok(aclrtSynchronizeStream(None))
        ok(aclrtFreeHost(source))
        embedding(indices)
        aclrtSynchronizeDevice()
        assert errors(machine) == ["index-range"]


@SCHEDULES
@pytest.mark.parametrize("waits", [False, True])
def test_a_wrong_index_that_was_copied_again_is_told(schedule: str, *, waits: bool) -> None:
    """The new copy brings all of the bytes: it ends the doubt."""
    with board(schedule, on_undefined="report") as machine:
        indices, _, array = copied(LEGAL)
        array[:] = 0
        ok(aclrtSynchronizeStream(None))
        address = c_void_p()
        ok(aclGetRawTensorAddr(indices, byref(address)))
        if waits:
            ok(aclrtMemcpy(address, 16, LEGAL + 1, 16, ACL_MEMCPY_HOST_TO_DEVICE))
        else:
            ok(aclrtMemsetAsync(address, 16, 1, 16, None))
        embedding(indices)
        aclrtSynchronizeDevice()
        assert errors(machine) == ["pinned-reuse", "index-range"]


# what a callback was not allowed to release


def of_event() -> Callable[[], object]:
    event = aclrtEvent()
    ok(aclrtCreateEvent(byref(event)))
    return lambda: aclrtDestroyEvent(event)


def of_stream() -> Callable[[], object]:
    stream = create_stream()
    return lambda: aclrtDestroyStream(stream)


def of_memory() -> Callable[[], object]:
    address = malloc(8)
    return lambda: aclrtFree(address)


def of_host_memory() -> Callable[[], object]:
    address = malloc_host(8)
    return lambda: aclrtFreeHost(address)


def released_in_a_callback(releases: list[Callable[[], object]]) -> None:
    """Launch a host function for each, wait, and clean up."""
    stream = create_stream()
    for release in releases:
        ok(aclrtLaunchHostFunc(stream, lambda _, release=release: release(), None))
    ok(aclrtSynchronizeStream(stream))
    ok(aclrtDestroyStream(stream))
    ok(aclrtResetDevice(0))


RELEASES = pytest.mark.parametrize("make", [of_event, of_stream, of_memory, of_host_memory])


@RELEASES
@pytest.mark.parametrize("reset", [False, True])
def test_what_a_callback_could_not_release(make: Callable[[], Callable[[], object]], *, reset: bool) -> None:
    """Five callbacks of one line are one mistake, and what they leave behind only follows."""
    with board(on_undefined="report") as machine:
        machine.allow("device-not-reset", reason="so that it is looked at with the device and without")
        releases = [make() for _ in range(5)]
        if not reset:
            aclrtSetDevice(0)  # once more than it is reset: what is left is found at the end of the machine
        released_in_a_callback(releases)
    assert ids(machine) == ["callback-acl"]


@RELEASES
def test_what_nobody_released_beside_it(make: Callable[[], Callable[[], object]]) -> None:
    leak = {of_event: "event-leaked", of_stream: "stream-leaked", of_memory: "mem-leaked"}
    with board(on_undefined="report") as machine:
        release, _ = make(), make()
        released_in_a_callback([release])
    assert ids(machine) == ["callback-acl", leak.get(make, "host-mem-leaked")]
    assert re.search("1 x 8 bytes|was never", machine.findings[-1].what)


def test_a_device_that_a_callback_could_not_reset() -> None:
    with board(on_undefined="report") as machine:
        ok(aclrtLaunchHostFunc(None, lambda _: aclrtResetDevice(0), None))
        ok(aclrtSynchronizeStream(None))
    assert ids(machine) == ["callback-acl"]


def test_an_event_that_a_callback_only_reset() -> None:
    """The good twin: to reset it is not to destroy it."""
    with board(on_undefined="report") as machine:
        event = aclrtEvent()
        ok(aclrtCreateEventWithFlag(byref(event), ACL_EVENT_SYNC))
        released_in_a_callback([lambda: aclrtResetEvent(event, None)])
    assert ids(machine) == ["callback-acl", "event-leaked"]


# threads that an error leaves without their machine


@pytest.mark.parametrize("raises", [True, False])
def test_a_thread_of_a_block_that_an_error_ended(*, raises: bool) -> None:
    """It learns that the machine is gone; that nobody waited for it follows from the error."""
    over = Event()

    def late() -> str:
        wait(over)
        return finding_of(lambda: aclrtSetDevice(0))[0]

    machine = Machine()
    with ThreadPoolExecutor(1) as pool:
        try:
            with machine:
                answer = pool.submit(late)
                if raises:
                    aclrtSetDevice(0)
                    upload(malloc(8), 16)
        except UndefinedBehaviour:
            pass
        over.set()
        assert answer.result(PATIENCE) == "machine-closed"
    assert errors(machine) == ["memcpy-size" if raises else "machine-closed"]


# two mistakes through the same helpers are two; the same one in a loop, or wherever its function is called, is one


def launched(stream: aclrtStream | None = None) -> OnDevice:
    return softmax(stream)[0]


def in_two_places() -> list[str]:
    first = launched()
    fetch(first)
    ok(aclrtSynchronizeStream(None))
    second = launched()
    fetch(second)
    return ["read-before-sync"] * 2


def in_a_loop() -> list[str]:
    for _ in range(3):
        stream = create_stream()
        fetch(launched(stream))
        ok(aclrtSynchronizeStream(stream))
    return ["read-before-sync"]


def in_a_function() -> list[str]:
    def step() -> None:
        fetch(launched())
        ok(aclrtSynchronizeStream(None))

    step()
    step()
    return ["read-before-sync"]


def races_in_two_places() -> list[str]:
    def put(address: int, stream: aclrtStream) -> None:
        ok(aclrtMemsetAsync(address, 8, 0, 8, stream))

    one, other = create_stream(), create_stream()
    first, second = malloc(8), malloc(8)
    put(first, one)
    put(first, other)
    ok(aclrtSynchronizeDevice())
    put(second, one)
    put(second, other)
    return ["xstream-race"] * 2


def frees_in_two_places() -> list[str]:
    def release(address: int) -> None:
        ok(aclrtFree(address))

    first = softmax()[1]
    release(first)
    ok(aclrtSynchronizeDevice())
    second = softmax()[1]
    release(second)
    return ["ws-freed-early"] * 2


def changes_in_two_places() -> list[str]:
    address, (source, array) = malloc(4096), pinned(np.zeros(1024, np.float32))

    def put() -> None:
        ok(aclrtMemcpyAsync(address, 4096, source, 4096, ACL_MEMCPY_HOST_TO_DEVICE, None))

    put()
    array[:] = 1
    ok(aclrtSynchronizeStream(None))
    put()
    array[:] = 2
    ok(aclrtSynchronizeStream(None))
    return ["pinned-reuse"] * 2


@SCHEDULES
@pytest.mark.parametrize(
    "program",
    [in_two_places, in_a_loop, in_a_function, races_in_two_places, frees_in_two_places, changes_in_two_places],
)
def test_mistakes_are_told_apart_by_where_they_are_made(program: Callable[[], list[str]], schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        expected = program()
        aclrtSynchronizeDevice()
        assert errors(machine) == expected


# launches that a status refused, where the program goes on without looking at it: the reads of their outputs follow

REFUSED: dict[str, Callable[[int, aclOpExecutor], int]] = {
    "a null workspace": lambda size, executor: aclnnSoftmaxBackward(None, size, executor, None),
    "a dead stream": lambda size, executor: aclnnSoftmaxBackward(malloc(size), size, executor, aclrtStream(64)),
    "a null executor": lambda size, executor: aclnnSoftmaxBackward(malloc(size), size, None, None),
    "a null workspace of a generated operator": lambda size, executor: aclnnSquaredRelu(None, size, executor, None),
    "no workspace of a generated operator": lambda size, executor: aclnnSquaredRelu(None, 0, executor, None),
}


def unwritten() -> tuple[aclTensor, int]:
    """A tensor of 8 x 2 floats, with its address."""
    address = malloc(64)
    return aclCreateTensor([8, 2], 2, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [8, 2], 2, address), address


@pytest.mark.fidelity(
    "consequences of a reported finding: contents of freed memory, outputs of a call that was refused"
)
@pytest.mark.parametrize("refused", REFUSED)
def test_the_outputs_of_a_launch_that_a_status_refused(refused: str) -> None:
    with board(on_undefined="report", min_workspace=512) as machine:
        values, (out, address) = on_device(np.full((8, 2), 3, np.float32)), unwritten()
        arguments = (values, out) if "generated" in refused else (values, values, 0, out)
        name = "aclnnSquaredRelu" if "generated" in refused else "aclnnSoftmaxBackward"
        planned = plan(getattr(aclnn, f"{name}GetWorkspaceSize"), *arguments)
        assert planned.status == ACL_SUCCESS, planned.text
        assert REFUSED[refused](planned.workspace_size, planned.executor) != ACL_SUCCESS
        ok(aclrtMemcpy(bytearray(64), 64, address, 64, ACL_MEMCPY_DEVICE_TO_HOST))
        assert ids(machine) == []


def test_the_outputs_of_a_launch_whose_first_phase_failed() -> None:
    with board(on_undefined="report") as machine:
        out, address = unwritten()
        assert plan(aclnnExpGetWorkspaceSize, None, out).status == ACLNN_ERR_PARAM_NULLPTR
        assert aclnnExp(None, 0, None, None) != ACL_SUCCESS
        ok(aclrtMemcpy(bytearray(64), 64, address, 64, ACL_MEMCPY_DEVICE_TO_HOST))
        assert ids(machine) == []
