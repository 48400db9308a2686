"""Memory of a model that is gone when the model is executed.

A model keeps the addresses of its capture. The memory there may be freed while no execution is queued: that is no
mistake yet. An execution would read and write what the next owner has put there. Memory is recognised by its piece, not
by its address. So memory that was handed out again at the same address is gone too.
"""

from collections.abc import Sequence

from acl_runtime.checks.access_listeners import AccessListener
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.checks.races.races import FindingReporter
from acl_runtime.memory.located_ranges import LocatedRange
from acl_runtime.memory.ranges import Range
from acl_runtime.streams.model.model import Model
from acl_runtime.streams.model.task_group import GroupedTask
from acl_runtime.streams.stream import Execution, Task
from acl_runtime.streams.vector_clock import Action
from acl_runtime.text import Text


class ModelMemory(AccessListener):
    """The finding `graph-memory-gone`. The bytes are tainted: findings about their values are consequences."""

    def __init__(self, machine: CheckedMachine) -> None:
        self._machine = machine

    def executing(self, model: Model, execution: Execution, tasks: Sequence[Task]) -> None:
        if any(piece.gone for piece in model.pieces):
            of_nodes = tasks[len(tasks) - len(model.nodes) :]
            for node, task in zip(model.nodes, of_nodes, strict=True):
                self._check(model, task, task.ranges, node.places, None)

    def arranged(self, action: Action, task: Task, later: Action | None) -> None:
        """The operators of a task group, whose memory is known so late."""
        if isinstance(task, GroupedTask):
            self._check(task.group.model, task, task.does.task.ranges, task.does.places, later)

    def _check(
        self, model: Model, task: Task, ranges: Sequence[Range], places: Sequence[LocatedRange | None],
        later: Action | None,
    ) -> None:  # fmt: skip
        """Report the pieces of a task that are gone, once for each model. `places`: those of the ranges at the time of
        the capture, or of the update."""
        for used, place in zip(ranges, places, strict=True):
            if place is None or not place.piece.gone:
                continue
            if self._machine.consequences.first("graph-memory-gone", model, place.piece):
                what = Text(
                    "{model} uses memory that is gone: the {role} of {task} in {stream} lies in {piece}.",
                    model=model,
                    role=used.role,
                    task=task.name,
                    stream=task.stream,
                    piece=place.piece,
                )
                FindingReporter(self._machine, later)("graph-memory-gone", what, task.past(), *place.piece.past())
            task.taint |= {used.role}
            task.cached = None
