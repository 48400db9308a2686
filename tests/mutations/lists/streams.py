"""Mutations of the scheduler, of events, and of values in memory."""

from __future__ import annotations

from typing import Final

from tests.mutations.mutation import mutations

TESTS: Final = "tests/acl_runtime/streams tests/acl_runtime/api/rt tests/acl_runtime/faults"
RT: Final = "tests/acl_runtime/api/rt"

MUTATIONS: Final = (
    *mutations(__file__, "acl_runtime/streams/scheduler.py", TESTS, {
        "dropped tasks count as queued": ("self._queued -= len(stream.queue)", "pass"),
        "a query at the end of a timeout is too early": ("if self._machine.clock.now >= timed[0]:", "if self._machine.clock.now > timed[0]:"),
        "a late machine runs tasks one too early": ("while self._queued > MOST_QUEUED and", "while self._queued >= MOST_QUEUED and"),
        "a task that ends at the deadline is late": ("finish(candidate) > deadline:", "finish(candidate) >= deadline:"),
        "a goal at the deadline is late": ("goal.time() > latest)", "goal.time() >= latest)"),
        "an operator that takes exactly its limit is too slow": ("if limit is not None and took > limit:", "if limit is not None and took >= limit:"),
        "the last timeout ends first": ("end, _, stream = min(timed,", "end, _, stream = max(timed,"),
        "a stream keeps its latest failure": ("if stream.fault is None:", "if True:"),
        "a task begins before its launch": ("begin = task.submitted if task.submitted > stream.time else stream.time", "begin = stream.time"),
        "a failure in stop mode leaves other streams": ("                self.drop(other_stream)", "                pass"),
        "a task that a test lets fail does its work": ("if fault is None and task.fails is None:", "if fault is None:"),
    }),
    *mutations(__file__, "acl_runtime/streams/runnable.py", TESTS, {
        "a wait that ends with its timeout fails": ("time <= turn(task) + wait.timeout:", "time < turn(task) + wait.timeout:"),
        "one dropped record is the cause though another wait is stuck": (
            "elif behind and all(source in causes", "elif behind and any(source in causes",
        ),
        "a timeout begins at the launch": ("return max(task.submitted, task.stream.time)", "return task.submitted"),
    }),
    *mutations(__file__, "acl_runtime/streams/goals.py", TESTS, {
        "the last task is waited for twice": ("if stream.finished < last and stream.queue:\n                return", "if stream.finished <= last and stream.queue:\n                return"),
        "a wait for streams ends with the first": ("return max([stream.time", "return min([stream.time"),
    }),
    *mutations(__file__, "acl_runtime/streams/event.py", f"{RT} tests/acl_runtime/streams/test_deadlocks.py", {
        "a wait behind a reset waits for the old record": ("return None if self.reset_at else self.latest", "return self.latest"),
        "a record that is queued is dropped": ("or self.task is None or self.task.queued:", "or self.task is None:"),
        "waits before any record never end": ("            wait.record = record", "            pass"),
    }),
    *mutations(__file__, "acl_runtime/streams/value_cell.py", RT, {
        "a difference of values has no sign": ("not (cell - value) & SIGN", "cell >= value"),
        "a wait ends with the latest write": ("self._at = time if self._at is None else self._at", "self._at = time"),
        "a cell is its first byte": ("low < self._side.address + BYTES and", "low <= self._side.address and"),
        "a wait for a bit asks for all of them": ("cell & value != 0", "cell & value == value"),
    }),
    *mutations(__file__, "acl_runtime/streams/stream.py", TESTS, {
        "the task that runs is not queued": ("queue[0].number <= self.number <=", "queue[0].number < self.number <="),
        "a context in stop mode still takes work": ("return bool(self.aborted) or self.context.fault is not None", "return bool(self.aborted)"),
    }),
)  # fmt: skip
