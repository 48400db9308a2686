"""Built models: bound streams, ends, labels, switches and activations; the tasks run one after the other."""

from __future__ import annotations

from ctypes import byref, c_uint64
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from tests.acl_runtime.api.product_families import persistent
from tests.helpers.builders import malloc
from tests.helpers.captures import GLOBAL, captured, new_event
from tests.helpers.creating import create_context, create_stream
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, errors, ok

HEAD, DEFAULT = ACL_MODEL_STREAM_FLAG_HEAD, ACL_MODEL_STREAM_FLAG_DEFAULT


class Built:
    """A model with a memory of 64 bytes and two cells."""

    def __init__(self, *flags: int) -> None:
        self.model, self.memory, self.cells = aclmdlRI(), malloc(64), malloc(64)
        ok(aclrtMemset(self.memory, 64, 0, 64))
        ok(aclrtMemset(self.cells, 64, 0, 64))
        ok(aclmdlRIBuildBegin(byref(self.model), 0))
        self.streams = [persistent() for _ in flags]
        for stream, flag in zip(self.streams, flags, strict=True):
            ok(aclmdlRIBindStream(self.model, stream, flag))

    def put(self, number: int, place: int, value: int) -> None:
        """Store a task that writes a byte."""
        ok(aclrtMemsetAsync(self.memory + place, 1, value, 1, self.streams[number]))

    def end(self, number: int) -> None:
        ok(aclmdlRIEndTask(self.model, self.streams[number]))

    def built(self) -> None:
        ok(aclmdlRIBuildEnd(self.model, None))

    def set(self, cell: int, value: int) -> None:
        ok(aclrtMemcpy(self.cells + 8 * cell, 8, c_uint64(value), 8, ACL_MEMCPY_HOST_TO_DEVICE))

    def run(self, machine: Machine, stream: aclrtStream | None = None) -> list[int]:
        """Execute it, and return the first bytes of the memory."""
        ok(aclmdlRIExecuteAsync(self.model, stream))
        ok(aclrtSynchronizeStream(stream))
        return [*map(int, machine.read(self.memory, 4, np.uint8))]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.fidelity("built models (aclmdlRIBuildBegin)")
def test_heads_run_and_others_wait_for_their_activation(schedule: str) -> None:
    with board(schedule) as machine:
        its = Built(HEAD, HEAD, DEFAULT, DEFAULT)
        its.put(0, 0, 1)
        its.put(1, 1, 2)
        its.put(2, 2, 3)
        its.put(3, 3, 4)
        ok(aclrtActiveStream(its.streams[2], its.streams[0]))
        assert_status(aclmdlRIExecuteAsync(its.model, None), ACL_ERROR_RT_MODEL_EXECUTE)
        its.built()
        assert its.run(machine, create_stream()) == [1, 2, 3, 0]
        assert errors(machine) == []
        ok(aclmdlRIDestroy(its.model))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_switch_goes_on_with_another_stream(schedule: str) -> None:
    with board(schedule) as machine:
        its = Built(HEAD, DEFAULT)
        its.put(0, 0, 1)
        cells = its.cells, its.cells + 8
        ok(
            aclrtSwitchStream(
                cells[0], ACL_RT_EQUAL, cells[1], ACL_RT_SWITCH_INT64, its.streams[1], None, its.streams[0]
            )
        )
        its.put(0, 1, 2)
        its.end(0)
        its.put(1, 2, 3)
        its.built()
        its.set(1, 5)
        assert its.run(machine) == [1, 2, 0, 0]
        ok(aclrtMemset(its.memory, 64, 0, 64))
        its.set(0, 5)
        assert its.run(machine) == [1, 0, 3, 0]
        assert errors(machine) == []


@pytest.mark.parametrize(("index", "expected"), [(0, [1, 2, 0, 0]), (1, [0, 2, 0, 0]), (9, [0, 2, 0, 0])])
def test_a_jump_skips_the_rest_of_its_stream(machine: Machine, index: int, expected: list[int]) -> None:
    """ "too large -> last label; jumps, rest of this stream is skipped"."""
    its, labels = Built(HEAD, DEFAULT), (aclrtLabel * 2)()
    made = [aclrtLabel(), aclrtLabel()]
    for each in made:
        ok(aclrtCreateLabel(byref(each)))
    ok(aclrtSetLabel(made[0], its.streams[1]))
    its.put(1, 0, 1)
    ok(aclrtSetLabel(made[1], its.streams[1]))
    its.put(1, 1, 2)
    listed = aclrtLabelList()
    labels[0], labels[1] = made
    ok(aclrtCreateLabelList(labels, 2, byref(listed)))
    ok(aclrtSwitchLabelByIndex(its.cells, 2, listed, its.streams[0]))
    its.put(0, 3, 9)
    its.built()
    its.set(0, index)
    assert its.run(machine) == expected
    ok(aclrtDestroyLabelList(listed))
    for each in made:
        ok(aclrtDestroyLabel(each))


def test_a_loop_ends_when_its_condition_fails(machine: Machine) -> None:
    """The second stream counts, and activates the first again."""
    its = Built(HEAD, DEFAULT)
    ok(aclrtSwitchStream(its.memory, ACL_RT_LESS, its.cells, ACL_RT_SWITCH_INT32, its.streams[1], None, its.streams[0]))
    its.end(0)
    ok(
        aclrtReduceAsync(
            its.memory, its.cells + 8, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, its.streams[1], None
        )
    )
    ok(aclrtActiveStream(its.streams[0], its.streams[1]))
    its.built()
    its.set(0, 5)
    its.set(1, 1)
    assert its.run(machine) == [5, 0, 0, 0]


def test_executions_run_one_after_the_other_and_in_stream_order(machine: Machine) -> None:
    its, stream = Built(HEAD), create_stream()
    ok(aclrtReduceAsync(its.memory, its.cells, 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, its.streams[0], None))
    its.built()
    its.set(0, 1)
    for _ in range(3):
        ok(aclmdlRIExecuteAsync(its.model, stream))
    copy = np.zeros(1, np.int32)
    ok(aclrtMemcpyAsync(copy, 4, its.memory, 4, ACL_MEMCPY_DEVICE_TO_HOST, stream))
    ok(aclrtSynchronizeStream(stream))
    assert copy[0] == 3
    ok(aclmdlRIExecute(its.model, -1))
    assert machine.read(its.memory, 1, np.int32)[0] == 4
    assert errors(machine) == []


def test_an_abort_drops_what_has_not_run(machine: Machine) -> None:
    its, stream = Built(HEAD), create_stream()
    its.put(0, 0, 1)
    its.built()
    ok(aclmdlRIExecuteAsync(its.model, stream))
    ok(aclmdlRIAbort(its.model))
    ok(aclrtSynchronizeStream(stream))
    assert machine.read(its.memory, 1, np.uint8)[0] == 0
    assert its.run(machine, stream)[0] == 1


def test_memory_that_is_gone_is_found(machine: Machine) -> None:
    its = Built(HEAD)
    its.put(0, 0, 1)
    its.built()
    ok(aclrtFree(its.memory))
    with pytest.raises(Exception, match="graph-memory-gone"):
        aclmdlRIExecuteAsync(its.model, None)


def test_streams_and_models_must_fit(machine: Machine) -> None:
    its, plain, other = Built(HEAD), create_stream(), captured(create_stream())
    fast, device, stops = aclrtStream(), aclrtStream(), create_stream()
    ok(aclrtSetStreamFailureMode(stops, ACL_STOP_ON_FAILURE))
    ok(aclrtCreateStreamWithConfig(byref(fast), 0, ACL_STREAM_FAST_LAUNCH))
    ok(aclrtCreateStreamWithConfig(byref(device), 0, ACL_STREAM_DEVICE_USE_ONLY))
    free = persistent()
    refused, param, unbound = ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_STREAM_MODEL
    rows: list[tuple[int, int]] = [
        (aclmdlRIBuildBegin(None, 0), refused),
        (aclmdlRIBindStream(None, free, HEAD), refused),
        (aclmdlRIBindStream(its.model, None, HEAD), refused),
        (aclmdlRIBindStream(its.model, free, 7), param),
        (aclmdlRIBindStream(its.model, its.streams[0], HEAD), unbound),
        (aclmdlRIBindStream(its.model, fast, HEAD), ACL_ERROR_RT_FEATURE_NOT_SUPPORT),
        (aclmdlRIBindStream(its.model, stops, HEAD), ACL_ERROR_RT_FEATURE_NOT_SUPPORT),
        (aclmdlRIBindStream(its.model, device, HEAD), ACL_ERROR_RT_INTERNAL_ERROR),
        (aclmdlRIBindStream(other, free, HEAD), param),
        (aclmdlRIUnbindStream(its.model, free), unbound),
        (aclmdlRIEndTask(its.model, free), unbound),
        (aclmdlRIEndTask(other, free), param),
        (aclmdlRIBuildEnd(None, None), refused),
        (aclmdlRIBuildEnd(its.model, 8), refused),
        (aclmdlRIBuildEnd(other, None), param),
        (aclrtActiveStream(None, free), refused),
        (aclrtActiveStream(free, its.streams[0]), unbound),
        (aclrtActiveStream(its.streams[0], plain), unbound),
    ]
    for status, expected in rows:
        assert_status(status, expected)
    its.built()
    assert_status(aclmdlRIExecuteAsync(its.model, its.streams[0]), param)
    ok(aclmdlRIUnbindStream(its.model, its.streams[0]))
    context = create_context()
    assert_status(aclmdlRIBuildEnd(its.model, None), ACL_ERROR_RT_MODEL_CONTEXT)
    ok(aclrtDestroyContext(context))


@pytest.mark.fidelity("built models (aclmdlRIBuildBegin)")
def test_a_bound_stream_is_of_its_model_alone(machine: Machine) -> None:
    """No capture, update or destruction takes it; a built model has no updates."""
    its, origin, event = Built(HEAD), create_stream(), new_event()
    (own,) = its.streams
    ok(aclmdlRICaptureBegin(origin, GLOBAL))
    ok(aclrtRecordEvent(event, origin))
    bound = ACL_ERROR_RT_STREAM_MODEL
    for status in (
        aclrtStreamWaitEvent(own, event),
        aclmdlRICaptureBegin(own, GLOBAL),
        aclmdlRICaptureTaskUpdateBegin(own, aclrtTaskGrp(1)),
        aclrtDestroyStream(own),
        aclrtDestroyStreamForce(own),
    ):
        assert_status(status, bound)
    ok(aclmdlRICaptureEnd(origin, byref(aclmdlRI())))
    assert_status(aclmdlRIUpdate(its.model), ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
    its.put(0, 0, 1)
    its.built()
    assert its.run(machine, origin) == [1, 0, 0, 0]
    ok(aclmdlRIUnbindStream(its.model, own))
    ok(aclrtDestroyStream(own))


def test_a_stream_that_is_unbound_leaves_nothing_in_its_model(machine: Machine) -> None:
    its = Built(HEAD, HEAD)
    its.put(0, 0, 1)
    ok(aclrtMemsetAsync(its.cells, 1, 7, 1, its.streams[1]))
    its.built()
    assert its.run(machine) == [1, 0, 0, 0]
    ok(aclmdlRIUnbindStream(its.model, its.streams[1]))
    ok(aclrtFree(its.cells))
    assert its.run(machine) == [1, 0, 0, 0]
    assert errors(machine) == []


def test_a_stored_task_fails_by_the_call_that_submitted_it(machine: Machine) -> None:
    its, stream = Built(HEAD), create_stream()
    its.put(0, 0, 1)
    its.built()
    machine.fail(aclrtMemsetAsync, ACL_ERROR_RT_AICORE_EXCEPTION, times=1, device=True)
    ok(aclmdlRIExecuteAsync(its.model, stream))
    assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION)
    assert its.run(machine, stream)[0] == 1


def test_an_aborted_stream_leaves_the_model_to_others(machine: Machine) -> None:
    its, stream = Built(HEAD), create_stream()
    its.put(0, 0, 1)
    its.built()
    ok(aclmdlRIExecuteAsync(its.model, stream))
    ok(aclrtStreamAbort(stream))
    assert its.run(machine, create_stream())[0] == 1
    ok(aclmdlRIDestroy(its.model))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_finding_in_an_execution_ends_it(schedule: str) -> None:
    """A task of the model and one of another stream write the same byte."""
    with board(schedule) as machine:
        its, other, stream = Built(HEAD), create_stream(), create_stream()
        its.put(0, 0, 1)
        its.built()
        ok(aclrtMemsetAsync(its.memory, 1, 2, 1, other))
        with pytest.raises(UndefinedBehaviour, match="race"):
            aclmdlRIExecuteAsync(its.model, stream)
        ok(aclrtSynchronizeStream(other))
        assert its.run(machine, stream)[0] == 1
        ok(aclmdlRIDestroy(its.model))


def test_labels_and_switches_must_fit(machine: Machine) -> None:
    its, label, unset, listed = Built(HEAD), aclrtLabel(), aclrtLabel(), aclrtLabelList()
    ok(aclrtCreateLabel(byref(label)))
    ok(aclrtCreateLabel(byref(unset)))
    head, free, cell = its.streams[0], persistent(), its.cells
    refused, param, unbound = ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_STREAM_MODEL
    one: Any = (aclrtLabel * 1)()
    one[0] = unset

    def switch(left: Any = cell, cond: int = 0, right: Any = cell, kind: int = 0, true: Any = head, false: Any = None,
               stream: Any = head) -> int:  # fmt: skip
        return aclrtSwitchStream(left, cond, right, kind, true, false, stream)

    rows: list[tuple[int, int]] = [
        (aclrtCreateLabel(None), refused),
        (aclrtDestroyLabel(None), refused),
        (aclrtDestroyLabel(0x40), ACL_ERROR_RT_INVALID_HANDLE),
        (aclrtSetLabel(None, head), refused),
        (aclrtSetLabel(label, None), refused),
        (aclrtSetLabel(label, free), unbound),
        (aclrtCreateLabelList(None, 1, byref(listed)), refused),
        (aclrtCreateLabelList(one, 1, None), refused),
        (aclrtCreateLabelList(one, 0, byref(listed)), param),
        (aclrtCreateLabelList(one, 1, byref(listed)), ACL_ERROR_RT_INTERNAL_ERROR),
        (aclrtDestroyLabelList(None), refused),
        (aclrtSwitchLabelByIndex(None, 1, label, head), refused),
        (aclrtSwitchLabelByIndex(cell, 1, None, head), refused),
        (aclrtSwitchLabelByIndex(cell, 1, label, head), ACL_ERROR_RT_INVALID_HANDLE),
        (switch(left=None), refused),
        (switch(right=None), refused),
        (switch(true=None), refused),
        (switch(stream=None), refused),
        (switch(false=head), refused),
        (switch(cond=6), param),
        (switch(kind=2), param),
        (switch(left=0x1000), param),
        (switch(true=free), unbound),
        (switch(stream=free), unbound),
    ]
    for status, expected in rows:
        assert_status(status, expected)
    context = create_context()
    assert_status(aclrtDestroyLabel(label), ACL_ERROR_RT_LABEL_CONTEXT)
    ok(aclrtDestroyContext(context))
