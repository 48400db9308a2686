"""Memory of a model that is gone when the model is executed.

A model keeps the addresses of its capture. The memory there may be freed while no execution is queued: that is no
mistake yet. An execution would read and write what the next owner has put there. Memory is recognised by its piece, not
by its address. So memory that was handed out again at the same address is gone too.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.pinned import Pinned
from acl_runtime.memory.ranges import Range
from acl_runtime.streams.announcements import Listener
from acl_runtime.streams.model.model import Model, Node
from acl_runtime.streams.stream import Execution, Task
from acl_runtime.text import Text


class Lost(NamedTuple):
    """A range of a task whose memory is gone."""

    task: Task
    used: Range
    piece: Allocation | Pinned


class ModelMemory(Listener):
    """The finding `graph-memory-gone`. The bytes are tainted: findings about their values are consequences."""

    def __init__(self, machine: CheckedMachine) -> None:
        self._machine = machine

    def executing(self, model: Model, execution: Execution, tasks: Sequence[Task]) -> None:
        if not any(piece.gone for piece in model.pieces):
            return
        of_nodes = tasks[len(tasks) - len(model.nodes) :]
        reported: set[Allocation | Pinned] = set()
        for lost in _lost(model.nodes, of_nodes):
            if lost.piece not in reported:
                reported.add(lost.piece)
                self._report(lost, execution)
            lost.task.taint |= {lost.used.role}
            lost.task.cached = None

    def _report(self, lost: Lost, execution: Execution) -> None:
        """Report a piece, once for each model."""
        task, used, piece = lost
        if not self._machine.consequences.first("graph-memory-gone", execution.model, piece):
            return
        what = Text(
            "{model} uses memory that is gone: the {role} of {task} in {stream} lies in {piece}.",
            model=execution.model,
            role=used.role,
            task=task.name,
            stream=task.stream,
            piece=piece,
        )
        self._machine.undefined("graph-memory-gone", what, task.past(), *piece.past())


def _lost(nodes: Sequence[Node], tasks: Sequence[Task]) -> Iterator[Lost]:
    for node, task in zip(nodes, tasks, strict=True):
        for used, place in zip(node.task.ranges, node.places, strict=False):
            if place is not None and place.piece.gone:
                yield Lost(task, used, place.piece)
