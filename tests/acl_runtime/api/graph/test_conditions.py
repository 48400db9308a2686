"""Conditions: a number in device memory chooses the bodies that an execution of a model runs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref, c_uint64

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from tests.helpers.builders import malloc
from tests.helpers.captures import RELAXED, execute, lead
from tests.helpers.creating import create_stream
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, errors, ok

IF, WHILE, SWITCH = ACL_MODEL_RI_COND_TYPE_IF, ACL_MODEL_RI_COND_TYPE_WHILE, ACL_MODEL_RI_COND_TYPE_SWITCH
INSIDE = ACL_MEMCPY_DEVICE_TO_DEVICE
DEFAULT = ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT


class Conditional:
    """A capture in a stream, with a condition and with memory of 64 bytes."""

    def __init__(self, default: int = 0, flag: int = DEFAULT) -> None:
        self.stream, self.inner, self.memory = create_stream(), create_stream(), malloc(64)
        ok(aclrtMemset(self.memory, 64, 0, 64))
        ok(aclmdlRICaptureBegin(self.stream, RELAXED))
        self.model, self.condition = aclmdlRI(), aclmdlRICondHandle()
        ok(aclmdlRICaptureGetInfo(self.stream, None, byref(self.model)))
        ok(aclmdlRICondHandleCreate(self.model, default, flag, byref(self.condition)))
        pointer = ctypes.POINTER(c_uint64)()
        ok(aclmdlRICondHandleGetCondPtr(self.condition, byref(pointer)))
        self.cell = ctypes.cast(pointer, ctypes.c_void_p).value or 0

    def add(self, kind: int, size: int, stream: aclrtStream | None = None) -> list[aclmdlRI]:
        """Store the conditional task."""
        array = (aclmdlRI * size)()
        ok(aclmdlRIAddCondTask(aclmdlRICondTaskParams(self.condition, kind, size, array), stream or self.stream, 0))
        return list(array)

    def fill(self, body: aclmdlRI, *calls: Callable[[], object]) -> None:
        """Capture calls in the inner stream into a body."""
        ok(aclmdlRICaptureToModelRIBegin(self.inner, body, RELAXED))
        for call in calls:
            call()
        ok(aclmdlRICaptureEnd(self.inner, None))

    def put(self, place: int, value: int, stream: aclrtStream | None = None) -> None:
        """Store a task that writes a byte."""
        ok(aclrtMemsetAsync(self.memory + place, 1, value, 1, stream or self.inner))

    def ended(self) -> None:
        ok(aclmdlRICaptureEnd(self.stream, byref(self.model)))

    def run(self, machine: Machine, stream: aclrtStream | None = None) -> list[int]:
        """Execute it, and return the first bytes of the memory, which are 0 before."""
        ok(aclrtMemset(self.memory, 64, 0, 64))
        execute(self.model, stream)
        return [*map(int, machine.read(self.memory, 4, np.uint8))]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.fidelity("conditions of models (aclmdlRICondHandleCreate)")
@pytest.mark.parametrize(("kind", "size", "number", "expected"), [
    (IF, 1, 0, [0, 0, 0, 9]), (IF, 1, 7, [1, 0, 0, 9]), (IF, 2, 0, [0, 2, 0, 9]), (IF, 2, 1, [1, 0, 0, 9]),
    (SWITCH, 3, 0, [1, 0, 0, 9]), (SWITCH, 3, 2, [0, 0, 3, 9]), (SWITCH, 3, 3, [0, 0, 0, 9]),
])  # fmt: skip
def test_the_number_chooses_a_body(schedule: str, kind: int, size: int, number: int, expected: list[int]) -> None:
    with board(schedule) as machine:
        its = Conditional(number)
        for place, body in enumerate(its.add(kind, size)):
            its.fill(body, lambda place=place: its.put(place, place + 1))
        its.put(3, 9, its.stream)
        its.ended()
        assert [its.run(machine, stream) for stream in (None, its.stream)] == [expected] * 2
        assert errors(machine) == []
        ok(aclmdlRIDestroy(its.model))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_loop_repeats_its_body_until_the_number_is_0(schedule: str) -> None:
    """Each round moves the numbers 1 1 0 by one place to the condition."""
    with board(schedule) as machine:
        its, numbers, rounds = Conditional(1), malloc(64), list[int]()
        ok(aclrtMemcpy(numbers, 24, np.array([1, 1, 0], np.uint64), 24, ACL_MEMCPY_HOST_TO_DEVICE))

        def move(place: int, target: int) -> Callable[[], None]:
            return lambda: ok(aclrtMemcpyAsync(target, 8, numbers + 8 * place, 8, INSIDE, its.inner))

        (body,) = its.add(WHILE, 1)
        moves = move(0, its.cell), move(1, numbers), move(2, numbers + 8)
        its.fill(body, *moves, lambda: ok(aclrtLaunchHostFunc(its.inner, lambda _: rounds.append(0), None)))
        its.ended()
        execute(its.model, its.stream)
        assert len(rounds) == 3
        assert errors(machine) == []


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_body_has_streams_and_conditions_of_its_own(schedule: str) -> None:
    with board(schedule) as machine:
        its, side, third = Conditional(1), create_stream(), create_stream()
        (body,) = its.add(IF, 1)
        ok(aclmdlRICaptureToModelRIBegin(its.inner, body, RELAXED))
        lead(its.inner, side)
        its.put(0, 1, side)
        its.put(1, 2)
        lead(side, its.inner)
        inner, outer = aclmdlRICondHandle(), its.condition
        ok(aclmdlRICondHandleCreate(body, 1, DEFAULT, byref(inner)))
        its.condition = inner
        (innermost,) = its.add(IF, 1, its.inner)
        ok(aclmdlRICaptureToModelRIBegin(third, innermost, RELAXED))
        its.put(2, 3, third)
        ok(aclmdlRICaptureEnd(third, None))
        ok(aclmdlRICaptureEnd(its.inner, None))
        its.ended()
        assert its.run(machine, its.stream) == [1, 2, 3, 0]
        assert outer != inner
        assert errors(machine) == []


def test_a_task_of_the_model_sets_the_number(machine: Machine) -> None:
    """Without a default, an execution leaves the number of the one before."""
    its = Conditional(flag=0)
    (body,) = its.add(IF, 1)
    its.fill(body, lambda: its.put(0, 1), lambda: ok(aclrtMemsetAsync(its.cell, 8, 0, 8, its.inner)))
    its.ended()
    ok(aclrtMemcpy(its.cell, 8, c_uint64(1), 8, ACL_MEMCPY_HOST_TO_DEVICE))
    assert [its.run(machine), its.run(machine)] == [[1, 0, 0, 0], [0, 0, 0, 0]]


def test_a_number_that_nobody_set_is_a_finding(machine: Machine) -> None:
    its = Conditional(flag=0)
    its.add(IF, 1)
    its.ended()
    execute(its.model, None)
    assert [finding.id for finding in machine.findings] == ["uninit-read"]


def test_memory_of_a_body_that_is_gone_is_a_finding(machine: Machine) -> None:
    its = Conditional(1)
    (body,) = its.add(IF, 1)
    its.fill(body, lambda: its.put(0, 1))
    its.ended()
    ok(aclrtFree(its.memory))
    ok(aclmdlRIExecuteAsync(its.model, its.stream))
    with pytest.raises(UndefinedBehaviour, match="graph-memory-gone"):
        aclrtSynchronizeStream(its.stream)


def test_a_race_between_a_body_and_another_stream_is_a_finding(machine: Machine) -> None:
    its, other = Conditional(1), create_stream()
    (body,) = its.add(IF, 1)
    its.fill(body, lambda: its.put(0, 1))
    its.ended()
    ok(aclmdlRIExecuteAsync(its.model, its.stream))
    its.put(0, 2, other)
    with pytest.raises(UndefinedBehaviour, match="race"):
        aclrtSynchronizeStream(its.stream)


def test_work_behind_the_model_is_ordered_behind_its_bodies(machine: Machine) -> None:
    its, other = Conditional(1), create_stream()
    (body,) = its.add(IF, 1)
    its.fill(body, lambda: its.put(0, 1))
    its.ended()
    ok(aclmdlRIExecuteAsync(its.model, its.stream))
    lead(its.stream, other)
    its.put(0, 2, other)
    ok(aclrtSynchronizeStream(other))
    assert machine.read(its.memory, 1, np.uint8) == 2


def test_a_failure_in_a_body_comes_back_from_the_stream_of_the_execution(machine: Machine) -> None:
    its = Conditional(1)
    (body,) = its.add(IF, 1)
    its.fill(body, lambda: its.put(0, 1))
    its.ended()
    machine.fail("aclrtMemsetAsync", ACL_ERROR_RT_AICORE_EXCEPTION, device=True)
    ok(aclmdlRIExecuteAsync(its.model, its.stream))
    assert_status(aclrtSynchronizeStream(its.stream), ACL_ERROR_RT_AICORE_EXCEPTION)


def test_the_end_of_the_model_ends_its_bodies(machine: Machine) -> None:
    its = Conditional(1)
    (body,) = its.add(IF, 1)
    its.fill(body, lambda: its.put(0, 1))
    its.ended()
    used = machine.devices[0].memory.used
    ok(aclmdlRIDestroy(its.model))
    assert machine.devices[0].memory.used < used
    assert_status(aclmdlRICaptureToModelRIBegin(its.stream, body, RELAXED), ACL_ERROR_RT_INVALID_HANDLE)
    pointer = ctypes.POINTER(c_uint64)()
    assert_status(aclmdlRICondHandleGetCondPtr(its.condition, byref(pointer)), ACL_ERROR_RT_INVALID_HANDLE)


def test_a_body_is_no_model_of_its_own(machine: Machine) -> None:
    """ "sub-model 207000" """
    its = Conditional()
    (body,) = its.add(IF, 1)
    for status in (aclmdlRIExecuteAsync(body, None), aclmdlRIDestroy(body), aclmdlRIAbort(body)):
        assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
    assert_status(aclmdlRICaptureToModelRIBegin(its.inner, its.model, RELAXED), ACL_ERROR_RT_PARAM_INVALID)
    its.fill(body)
    assert_status(aclmdlRICaptureToModelRIBegin(its.inner, body, RELAXED), ACL_ERROR_RT_MODEL_CAPTURED)


def test_the_capture_of_a_body_must_end_first(machine: Machine) -> None:
    """Row 5 of the results of the end: 107045, and the model is destroyed."""
    its = Conditional()
    (body,) = its.add(IF, 1)
    ok(aclmdlRICaptureToModelRIBegin(its.inner, body, RELAXED))
    assert_status(aclmdlRICaptureEnd(its.stream, byref(its.model)), ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING)
    assert not its.model
    ok(aclrtSynchronizeStream(its.inner))


def test_a_body_that_fails_invalidates_the_capture_of_its_model(machine: Machine) -> None:
    its, side = Conditional(), create_stream()
    (body,) = its.add(IF, 1)
    ok(aclmdlRICaptureToModelRIBegin(its.inner, body, RELAXED))
    lead(its.inner, side)
    its.put(0, 1, side)
    assert_status(aclmdlRICaptureEnd(its.inner, None), ACL_ERROR_RT_STREAM_UNJOINED)
    assert_status(aclmdlRICaptureEnd(its.stream, byref(its.model)), ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED)


def test_a_body_that_nothing_filled_is_empty(machine: Machine) -> None:
    its = Conditional(1)
    (body,) = its.add(WHILE, 1)
    its.ended()
    assert its.run(machine) == [0, 0, 0, 0]
    assert_status(aclmdlRICaptureToModelRIBegin(its.inner, body, RELAXED), ACL_ERROR_RT_MODEL_CAPTURED)


@pytest.mark.parametrize(("kind", "size"), [(IF, 0), (IF, 3), (WHILE, 2), (SWITCH, 0), (3, 1), (-1, 1)])
def test_kinds_have_their_numbers_of_bodies(machine: Machine, kind: int, size: int) -> None:
    its, array = Conditional(), (aclmdlRI * 4)()
    parameters = aclmdlRICondTaskParams(its.condition, kind, size, array)
    assert_status(aclmdlRIAddCondTask(parameters, its.stream, 0), ACL_ERROR_RT_PARAM_INVALID)


def test_refusals_come_in_order(machine: Machine) -> None:
    its, array, handle = Conditional(), (aclmdlRI * 1)(), aclmdlRICondHandle()
    pointer = ctypes.POINTER(c_uint64)()
    invalid = ACL_ERROR_RT_PARAM_INVALID

    def params(condition: aclmdlRICondHandle | None, bodies: object = array) -> aclmdlRICondTaskParams:
        return aclmdlRICondTaskParams(condition, IF, 1, bodies)

    rows = [
        (aclmdlRICondHandleCreate(None, 0, 9, byref(handle)), ACL_ERROR_INVALID_PARAM),
        (aclmdlRICondHandleCreate(its.model, 0, 9, None), ACL_ERROR_INVALID_PARAM),
        (aclmdlRICondHandleCreate(its.model, 0, 9, byref(handle)), invalid),
        (aclmdlRICondHandleCreate(its.condition, 0, 0, byref(handle)), ACL_ERROR_RT_INVALID_HANDLE),
        (aclmdlRICondHandleGetCondPtr(None, byref(pointer)), ACL_ERROR_INVALID_PARAM),
        (aclmdlRICondHandleGetCondPtr(its.condition, None), ACL_ERROR_INVALID_PARAM),
        (aclmdlRIAddCondTask(params(its.condition), None, 1), ACL_ERROR_INVALID_PARAM),
        (aclmdlRIAddCondTask(params(its.condition), its.stream, 1), invalid),
        (aclmdlRIAddCondTask(params(None), its.stream, 0), invalid),
        (aclmdlRIAddCondTask(params(its.condition, None), its.stream, 0), invalid),
        (aclmdlRIAddCondTask(params(its.condition), its.inner, 0), ACL_ERROR_RT_STREAM_NOT_CAPTURED),
        (aclmdlRIAddCondTask(params(its.condition), its.stream, 0), ACL_SUCCESS),
        (aclmdlRIAddCondTask(params(its.condition), its.stream, 0), invalid),
        (aclmdlRICaptureToModelRIBegin(None, array[0], RELAXED), ACL_ERROR_INVALID_PARAM),
        (aclmdlRICaptureToModelRIBegin(its.inner, None, RELAXED), ACL_ERROR_INVALID_PARAM),
        (aclmdlRICaptureToModelRIBegin(its.inner, array[0], 3), invalid),
        (aclmdlRICaptureToModelRIBegin(its.stream, array[0], RELAXED), ACL_ERROR_RT_STREAM_CAPTURED),
        (aclmdlRICaptureEnd(its.stream, None), invalid),
        (aclmdlRICaptureEnd(its.stream, byref(its.model)), ACL_SUCCESS),
        (aclmdlRICondHandleCreate(its.model, 0, 0, byref(handle)), invalid),
    ]
    for number, (status, expected) in enumerate(rows):
        assert status == expected, number
