"""Reads of the shape of a result before the host knows that the task which computes the shape is over."""

from acl_runtime.checks.consequences import MissingWait
from acl_runtime.checks.ports import CheckedMachine
from acl_runtime.checks.races.happens_before import HappensBefore
from acl_runtime.checks.races.races import synchronise
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.source.frames import paths, trail
from acl_runtime.streams.announcements import Listener
from acl_runtime.streams.stream import Task
from acl_runtime.text import Text


class EarlyShapes(Listener):
    """The finding `read-before-sync`, for the view shape of a tensor instead of its bytes."""

    def __init__(self, machine: CheckedMachine, order: HappensBefore) -> None:
        self._machine = machine
        self._order = order

    def shape_read(self, tensor: Tensor, task: Task) -> None:
        if not self._order.unfinished_of([task]):
            return
        me, consequences = self._order.me(), self._machine.consequences
        if consequences.first("read-before-sync", *paths(task.trail, trail())):
            call, stream = self._machine.thread().call, task.stream
            self._machine.undefined(
                "read-before-sync",
                Text(
                    "{call} of {me} reads the view shape of {tensor}, which {task} in {stream} finds out; {me} has not "
                    "waited for {stream}.",
                    call=call,
                    me=me,
                    tensor=tensor,
                    task=task.name,
                    stream=stream,
                ),
                task.past(),
                *tensor.past(),
                hint=synchronise(stream, call),
            )
        if task.action is not None:
            consequences.taint(MissingWait(me, task.action.agent))
