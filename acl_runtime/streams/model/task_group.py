"""Task groups: operators of a model that the program replaces later.

An update collects the operators that the program submits to a stream. Its end queues a task in that stream. When this
task runs, the operators of the group are replaced. An execution looks up the operators of a group when they run. So an
update counts if it runs before them, even if the execution was queued first.

The checks need the memory of an operator before it runs. They look up the operator as soon as its place in the order of
all tasks is known (`Task.arrange`). The updates that are ordered before it have got their places then. `checks.races`
reports an update that is ordered neither before nor after an execution.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclmdlRITaskType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT
from acl_runtime.memory.allocation import Allocation
from acl_runtime.memory.located_ranges import LocatedRange
from acl_runtime.memory.pinned import Pinned
from acl_runtime.objects.handle_table import Thing
from acl_runtime.source.site import Trail
from acl_runtime.streams.late_shapes import ShapingTask
from acl_runtime.streams.model.model import Model, Node
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.text import Text


class GroupedOperator(NamedTuple):
    """An operator of a task group."""

    task: Task
    places: Sequence[LocatedRange | None]
    """where its ranges were when it was submitted"""


class TaskGroup(Thing):
    """aclrtTaskGrp: operators of a model that may be replaced."""

    kind = Text("task group")

    def __init__(self, model: Model, stream: Stream) -> None:
        super().__init__()
        self.model = model
        self.stream = stream
        """the stream whose operators it takes until it is closed"""
        self.nodes: list[Node] = []
        self.members: list[GroupedTask] = []
        """the stored tasks of the nodes, once it is closed"""
        self.refused: AclError | None = None
        """the refusal of the first task that is no operator"""
        self.updating: Stream | None = None
        """the stream that collects operators for an update"""
        self.placed: list[UpdateTask] = []
        """the updates that are queued and whose place in the order is known"""
        self.notes: dict[Any, Any] = {}
        """facts of the checks, as for a piece of memory"""

    def accept(self, task: Task) -> None:
        """Refuse a task that is no operator."""
        try:
            check_kernel(task, f"the task group that began at {self.made}")
        except AclError as error:
            self.refused = self.refused or error
            raise

    def close(self) -> None:
        """Make its operators replaceable."""
        for index, node in enumerate(self.nodes):
            member = GroupedTask(self, index, GroupedOperator(node.task, node.places))
            self.members.append(member)
            node.task, node.places = member, ()

    def pieces(self) -> Iterator[Allocation | Pinned]:
        """The memory that an execution may use."""
        updates = (operator for update in self.placed for operator in update.operators)
        for operator in (*(member.does for member in self.members), *updates):
            yield from (place.piece for place in operator.places if place is not None)

    def planned(self, index: int) -> GroupedOperator:
        """The operator that the updates with a place in the order leave."""
        update = next((update for update in reversed(self.placed) if update.pending), None)
        return self.members[index].does if update is None else update.operators[index]


class GroupedTask(Task):
    """An operator of a task group: the stored task, which updates replace, and its copies in executions."""

    operator = enters = arranges = True
    model_type = aclmdlRITaskType.ACL_MODEL_RI_TASK_KERNEL

    def __init__(self, group: TaskGroup, index: int, operator: GroupedOperator) -> None:
        super().__init__(operator.task.name, self._work, (), operator.task.trail)
        self.group, self.index = group, index
        self.take(operator)

    def take(self, operator: GroupedOperator) -> None:
        """Do what this operator does."""
        self.does, task = operator, operator.task
        self.name, self.ranges, self.trail, self.taint = task.name, task.ranges, task.trail, task.taint

    def again(self, repeated: Mapping[Task, Task]) -> "GroupedTask":
        task = GroupedTask(self.group, self.index, self.group.planned(self.index))
        task.ranges = ()  # unknown before `arrange`, as a later update may be ordered before the task
        return task

    def entered(self) -> None:
        if isinstance(self.does.task, ShapingTask):
            self.does.task.expect(self)

    def arrange(self) -> None:
        self.take(self.group.planned(self.index))

    @property
    def work(self) -> Task:
        return self.does.task

    @property
    def size(self) -> int:
        return self.group.members[self.index].does.task.size

    def _work(self) -> None:
        self.take(self.group.members[self.index].does)
        self.does.task.run()


def check_kernel(task: Task, where: object) -> None:
    """507009 for a task that is no operator and no kernel."""
    if task.model_type != aclmdlRITaskType.ACL_MODEL_RI_TASK_KERNEL:
        raise no_kernel(task.name, where)


def no_kernel(name: str, where: object) -> AclError:
    """507009 for what is no operator and no kernel."""
    values = (f"{name} in {where}", "this kind of task", "a task group has operators and kernels only")
    return AclError(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, Item("EE1006", values))


class Update:
    """The operators between the begin and the end of an update."""

    def __init__(self, group: TaskGroup) -> None:
        self.group = group
        self.tasks: list[Task] = []

    def __str__(self) -> str:
        return Text("the update of {group}", group=self.group)

    def store(self, stream: Stream, task: Task) -> None:
        """Collect an operator that the program submits."""
        check_kernel(task, self)
        self.tasks.append(task)


def update_in(stream: Stream) -> Update | None:
    """The update that goes on in this stream."""
    return stream.stores if isinstance(stream.stores, Update) else None


def end_update(stream: Stream) -> Update | None:
    """End the update that goes on in this stream, without effect on its group."""
    update = update_in(stream)
    if update is not None:
        update.group.updating = stream.stores = None
    return update


class UpdateTask(Task):
    """Replaces the operators of a group."""

    arranges = True

    def __init__(self, group: TaskGroup, operators: Sequence[GroupedOperator], trail: Trail) -> None:
        super().__init__(Text("update of {group}", group=group), self._apply, (), trail)
        self.group, self.operators = group, operators

    def arrange(self) -> None:
        self.group.placed = [*(update for update in self.group.placed if update.pending), self]

    @property
    def pending(self) -> bool:
        """True while it is queued."""
        return self.number > 0 and self.queued

    def _apply(self) -> None:
        for member, operator in zip(self.group.members, self.operators, strict=True):
            member.take(operator)
