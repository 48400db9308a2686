"""Mutations of captured graphs: captures, executions, updates, and what a raised finding leaves."""

from __future__ import annotations

from typing import Final

from tests.mutations.mutation import mutations

GRAPH: Final = "tests/acl_runtime/api/graph"
EXECUTIONS: Final = "tests/acl_runtime/streams/test_executions.py"

MUTATIONS: Final = (
    *mutations(__file__, "acl_runtime/streams/model/capture.py", GRAPH, {
        "a wait that is refused joins a stream": (
            "        return CapturedWait(event, self.records[event], timeout, trail)",
            "        return setattr(self.records[event], 'awaited', True) or CapturedWait(event, self.records[event], timeout, trail)",
        ),
        "a capture of the thread forbids a copy that it allows": (
            "if exchange == GLOBAL and around.mode == GLOBAL:\n        return around",
            "if exchange == GLOBAL and around.mode == GLOBAL:\n        return own or around",
        ),
    }),
    *mutations(__file__, "acl_runtime/streams/model/execution.py", EXECUTIONS, {
        "an execution waits for the last one alone": ("for each, end in model.executed.items() if each is not", "for each, end in list(model.executed.items())[-1:] if each is not"),
        "an execution waits for a dropped one": ("        return [end for end in self._ends if end.dropped_from is None]", "        return list(self._ends)"),
        "a raised execution leaves its events": ("            undone()\n", "            pass\n"),
        "a raised execution is not withdrawn": ("        announce.not_executed(tasks)\n", ""),
    }),
    *mutations(__file__, "acl_runtime/streams/scheduler.py", EXECUTIONS, {
        "all executions of a model are dropped with one": (
            "lane.queue = deque(task for task in lane.queue if task.execution is not execution)", "lane.queue = deque()",
        ),
    }),
    *mutations(__file__, "acl_runtime/streams/model/task_group.py", f"{GRAPH}/test_task_groups.py", {
        "an execution is judged by the arguments of the capture": (
            "        self.take(self.group.planned(self.index))\n\n    @property", "        pass\n\n    @property",
        ),
        "a dropped update counts": ("if update.pending), None)", "if update.number), None)"),
        "an execution uses the arguments of its launch": (
            "        self.take(self.group.members[self.index].does)\n        self.does", "        pass\n        self.does",
        ),
    }),
    *mutations(__file__, "acl_runtime/checks/races/update_order.py", f"{GRAPH}/test_task_groups.py", {
        "an update reads the operators": ('Range(0, len(task.group.members), "", Use.WRITE)', 'Range(0, len(task.group.members), "", Use.READ)'),
        "an ordered update is a race": (
            " and not agent.knows(before.agent, before.number) and access.clashes(old)", " and access.clashes(old)",
        ),
    }),
    *mutations(__file__, "acl_runtime/checks/races/checkpoint.py", EXECUTIONS, {
        "a raised execution leaves its accesses": ("            entry.restore(state)", "            pass"),
        "a raised execution leaves what its streams have learnt": ("            agent.restore(state)", "            pass"),
    }),
    *mutations(__file__, "acl_runtime/checks/host_access/watches.py", EXECUTIONS, {
        "a raised execution leaves its watches": ("        self._held = []\n", "        self._held = None\n"),
    }),
)  # fmt: skip
"""mistakes that the tests notice"""
