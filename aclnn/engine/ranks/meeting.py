"""The task of an operator that computes and communicates: it meets the same operator of the other ranks.

Its plan has one step with an `Exchange`. The steps before it run when the rank has arrived. Then the inputs of the step
go to all ranks, as in an operation of `acl_runtime.collective`, with its findings. At last the step runs with the
inputs of all ranks, and the steps behind it run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from acl_runtime.api.hccl.checks import place
from acl_runtime.collective.exchange import Arrays, Contribution
from acl_runtime.collective.mistakes import foreign, report
from acl_runtime.collective.operation import Entry, Operation
from acl_runtime.collective.requests import Request
from acl_runtime.errors import AclError, DeviceFault
from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclmdlRITaskType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, ACLNN_ERR_RUNTIME_ERROR
from acl_runtime.machine.machine import Machine
from acl_runtime.memory.ranges import Range
from acl_runtime.source.site import Trail
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.text import Text
from aclnn.engine.device_view import Bound
from aclnn.engine.plan import Exchange, Plan

Run = Callable[[Sequence[Bound]], None]
"""runs steps of the plan"""


@dataclass(frozen=True, eq=False)
class MeetingLaunch:
    """The launch of an operator with an exchange. A model that captured it makes a task of it for each execution."""

    machine: Machine
    plan: Plan
    steps: Sequence[Bound]
    ranges: tuple[Range, ...]
    taint: frozenset[str]
    trail: Trail
    run: Run

    @property
    def number(self) -> int:
        """The number of the step with the exchange."""
        assert self.plan.meets is not None
        return self.plan.meets

    @property
    def exchange(self) -> Exchange:
        exchange = self.plan.steps[self.number].exchange
        assert exchange is not None
        return exchange


class OperatorMeeting(Operation):
    """The task of one rank."""

    model_type = aclmdlRITaskType.ACL_MODEL_RI_TASK_KERNEL

    def __init__(self, launch: MeetingLaunch) -> None:
        plan, communicator, at = launch.plan, launch.exchange.communicator, launch.number
        self._launch = launch
        self._before, self._step, self._after = launch.steps[:at], launch.steps[at], launch.steps[at + 1 :]
        self._inbox: list[Arrays | None] = []
        self._contribution = Contribution(self._gives)
        exchange = launch.exchange
        request = Request(
            plan.operator, communicator.rank, launch.trail, counts=exchange.equal, sends=exchange.sends,
            receives=exchange.receives, send=self._contribution, inbox=self._inbox,
        )  # fmt: skip
        items = [Entry((), communicator.rank, request)]
        super().__init__(launch.machine, place(), communicator, plan.operator, items, launch.ranges, plan.traffic, None)
        self.taint = launch.taint

    def again(self, repeated: Mapping[Task, Task]) -> "OperatorMeeting":
        return OperatorMeeting(self._launch)

    def check(self) -> None:
        """Report why it did not enter its meeting. The launch succeeds, and the task fails: the library does not look
        at the other ranks."""
        if self.trouble is not None:
            report(self.machine, self.trouble)

    def _gives(self) -> Sequence[Array]:
        """The inputs of the step, for all ranks."""
        inputs: list[Array] = []

        def collect(*arrays: Array, **_: Any) -> tuple[()]:
            inputs.extend(arrays)
            return ()

        step = replace(self._step, kernel=collect, outputs=(), narrow=False, in_memory=False, cut=None)
        self._compute([*self._before, step])
        return inputs

    def _meet(self) -> None:
        """Meet the other ranks, then compute the results."""
        super()._meet()
        if self._contribution.failure is not None:
            raise self._contribution.failure
        if None in self._inbox:
            reason = Text("the operation of rank {rank} was dropped", rank=self._inbox.index(None))
            raise DeviceFault(ACL_ERROR_RT_FFTS_PLUS_TIMEOUT, Item("EI0002", (reason,)))
        step = replace(self._step, kernel=partial(self._step.kernel, self._inbox), inputs=())
        self._compute([step, *self._after])

    def _compute(self, steps: Sequence[Bound]) -> None:
        context = self.stream.numpy_context
        assert context is not None, "the launch makes it"
        context.run(self._launch.run, steps)


def check_stream(launch: MeetingLaunch, stream: Stream) -> None:
    """Report a stream of another device than that of the group. Then the launch fails."""
    communicator, device = launch.exchange.communicator, stream.context.device
    if device is not communicator.device:
        what = Text(
            "{stream} belongs to device {number}, but {communicator} to device {other}.",
            stream=stream,
            number=device.number,
            communicator=communicator,
            other=communicator.device.number,
        )
        error = foreign(launch.machine, communicator, what, *stream.past())
        raise AclError(ACLNN_ERR_RUNTIME_ERROR, *error.items, taint=error.taint)
    communicator.used()


def check_order(machine: Machine, task: Task) -> None:
    """Report another operation of the group that may run at the same time."""
    if isinstance(task, OperatorMeeting):
        task.judge()
