"""Stamps and steps of aclprof: they need a session with ACL_PROF_MSPROFTX."""

import threading
from collections.abc import Callable, Iterator
from ctypes import byref, c_uint32

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import assert_status, finding_of, ok

FAILED = -1


@pytest.fixture
def session(machine: Machine) -> Iterator[Machine]:
    """A machine with a session that takes stamps."""
    chosen = aclprofCreateConfig([0], 1, ACL_AICORE_NONE, None, ACL_PROF_MSPROFTX)
    ok(aclprofStart(chosen))
    yield machine
    ok(aclprofStop(chosen))
    ok(aclprofDestroyConfig(chosen))


def stamp(text: str) -> int:
    made = aclprofCreateStamp()
    assert made
    ok(aclprofSetStampTraceMessage(made, text, len(text)))
    return made


def test_the_order_of_the_example(session: Machine) -> None:
    """The published example: every call answers 0, and every stamp is non-null."""
    stream, step, number = create_stream(), aclprofCreateStepInfo(), c_uint32()
    ok(aclprofGetStepTimestamp(step, ACL_STEP_START, stream))
    mark, outer, ranged, inner = map(stamp, ("mark", "outer", "ranged", "inner"))
    ok(aclprofMark(mark))
    ok(aclprofPush(outer))
    ok(aclprofRangeStart(ranged, byref(number)))
    session.clock.advance(5)
    ok(aclprofRangeStop(number.value))
    ok(aclprofPush(inner))
    session.clock.advance(5)
    ok(aclprofPop())
    ok(aclprofPop())
    ok(aclprofGetStepTimestamp(step, ACL_STEP_END, stream))
    ok(aclrtSynchronizeStream(stream))
    aclprofDestroyStepInfo(step)
    for each in (mark, outer, ranged, inner):
        aclprofDestroyStamp(each)
    assert [(each.message, each.began, each.ended) for each in session.marks] == [
        ("mark", 0.0, None),
        ("outer", 0.0, 10.0),
        ("ranged", 0.0, 5.0),
        ("inner", 5.0, 10.0),
    ]
    assert [task.name for task in session.tasks] == ["start of profiling step 1", "end of profiling step 1"]


CALLS: dict[str, Callable[[int], int]] = {
    "aclprofMark": aclprofMark,
    "aclprofPush": aclprofPush,
    "aclprofPop": lambda made: aclprofPop(),
    "aclprofRangeStart": lambda made: aclprofRangeStart(made, byref(c_uint32())),
    "aclprofRangeStop": lambda made: aclprofRangeStop(1),
    "aclprofMarkEx": lambda made: aclprofMarkEx("x", 1, create_stream()),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_without_a_session_they_fail_with_minus_1(machine: Machine, call: Callable[[int], int]) -> None:
    """ "-1 is the internal failure value of the profiling library: it has no ACL_ERROR_* name"."""
    assert not aclprofCreateStamp()
    assert call(64) == FAILED
    ok(aclprofStart(None))  # without the switch for stamps
    assert not aclprofCreateStamp()
    assert call(64) == FAILED
    assert not len(machine.marks)


def test_nulls_come_before_the_session(machine: Machine) -> None:
    """ "Push and RangeStart look at nulls first: 100000"."""
    assert_status(aclprofPush(None), ACL_ERROR_INVALID_PARAM, "stamp")
    assert_status(aclprofRangeStart(None, byref(c_uint32())), ACL_ERROR_INVALID_PARAM, "stamp")
    assert_status(aclprofRangeStart(64, None), ACL_ERROR_INVALID_PARAM, "rangeId")
    aclprofDestroyStamp(None)
    aclprofDestroyStepInfo(None)


def test_a_message_has_at_most_127_bytes(session: Machine) -> None:
    made = aclprofCreateStamp()
    assert aclprofSetStampTraceMessage(made, "x" * 128, 128) == FAILED
    assert aclprofSetStampTraceMessage(None, "x", 1) == FAILED
    ok(aclprofSetStampTraceMessage(made, "x" * 200, 127))
    ok(aclprofMark(made))
    assert next(iter(session.marks)).message == "x" * 127
    assert aclprofMark(None) == FAILED


def test_a_stack_for_each_thread(session: Machine) -> None:
    """ "nested ranges, a stack per thread"; "Pop of an empty stack, unknown range: -1"."""
    ok(aclprofPush(stamp("main")))
    answers: list[int] = []
    other = threading.Thread(target=lambda: answers.append(aclprofPop()))
    other.start()
    other.join()
    assert answers == [FAILED]
    ok(aclprofPop())
    assert aclprofPop() == FAILED
    assert aclprofRangeStop(99) == FAILED


def test_a_mark_in_a_stream(session: Machine) -> None:
    stream = create_stream()
    ok(aclprofMarkEx("step", 4, stream))
    ok(aclrtSynchronizeStream(stream))
    assert [task.name for task in session.tasks] == ["mark 'step'"]
    assert [each.message for each in session.marks] == ["step"]
    for message, length, where in ((None, 4, stream), ("step", 4, None), ("step", 3, stream), ("", 0, stream)):
        assert aclprofMarkEx(message, length, where) == FAILED
    assert aclprofMarkEx("x" * 128, 128, stream) == FAILED
    assert len(session.marks) == 1


@pytest.mark.fidelity("a profiling mark in a stream that does not take it")
def test_a_stream_that_takes_no_mark(session: Machine) -> None:
    stream, step = create_stream(), aclprofCreateStepInfo()
    ok(aclrtDestroyStream(stream))
    assert_status(aclprofGetStepTimestamp(step, ACL_STEP_START, stream), ACL_ERROR_GE_FAILURE, "stream 1")
    assert aclprofMarkEx("step", 4, stream) == FAILED
    ok(aclprofGetStepTimestamp(step, ACL_STEP_START, None))
    assert not list(session.marks)


def test_a_step_has_one_start_and_one_end(machine: Machine) -> None:
    """ "record null 100000; same tag a second time on one record 100000"."""
    step = aclprofCreateStepInfo()
    ok(aclprofGetStepTimestamp(step, ACL_STEP_START, None))
    assert_status(aclprofGetStepTimestamp(step, ACL_STEP_START, None), ACL_ERROR_INVALID_PARAM, "tag")
    assert_status(aclprofGetStepTimestamp(step, 2, None), ACL_ERROR_INVALID_PARAM, "tag")
    assert_status(aclprofGetStepTimestamp(None, ACL_STEP_START, None), ACL_ERROR_INVALID_PARAM, "stepInfo")
    ok(aclprofGetStepTimestamp(step, ACL_STEP_END, None))
    aclprofDestroyStepInfo(step)
    assert finding_of(lambda: aclprofGetStepTimestamp(step, ACL_STEP_END, None))[0] == "dead-handle"


def test_a_dead_stamp_is_found(session: Machine) -> None:
    made = stamp("gone")
    aclprofDestroyStamp(made)
    for use in (aclprofMark, aclprofPush, aclprofDestroyStamp):
        assert finding_of(lambda use=use: use(made))[0] == "dead-handle"  # type: ignore[misc]
