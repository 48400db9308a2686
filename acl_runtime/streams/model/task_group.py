"""Task groups: operators of a model that the program replaces later.

An update collects the operators that the program submits to a stream. Its end queues a task in that stream. When this
task runs, the operators of the group are replaced. An execution looks up the operators of a group when they run. So an
update counts if it runs before them, even if the execution was queued first.
"""

from collections.abc import Sequence

from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclmdlRITaskType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT
from acl_runtime.memory.located_ranges import LocatedRange
from acl_runtime.objects.handle_table import Thing
from acl_runtime.source.site import Trail
from acl_runtime.streams.model.model import Model, Node
from acl_runtime.streams.stream import Stream, Task
from acl_runtime.text import Text


class TaskGroup(Thing):
    """aclrtTaskGrp: operators of a model that may be replaced."""

    kind = Text("task group")

    def __init__(self, model: Model, stream: Stream) -> None:
        super().__init__()
        self.model = model
        self.stream = stream
        """the stream whose operators it takes until it is closed"""
        self.nodes: list[Node] = []
        self.refused: AclError | None = None
        """the refusal of the first task that is no operator"""
        self.updating: Stream | None = None
        """the stream that collects operators for an update"""

    def accept(self, task: Task) -> None:
        """Refuse a task that is no operator."""
        try:
            check_kernel(task, f"the task group that began at {self.made}")
        except AclError as error:
            self.refused = self.refused or error
            raise


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

    def __init__(self, update: Update, places: Sequence[Sequence[LocatedRange | None]], trail: Trail) -> None:
        """`places`: where the ranges of the new operators are."""
        super().__init__(Text("update of {group}", group=update.group), self._apply, (), trail)
        self._update, self._places = update, places

    def _apply(self) -> None:
        for node, task, places in zip(self._update.group.nodes, self._update.tasks, self._places, strict=True):
            node.task, node.places = task, places
            self._update.group.model.pieces.update((place.piece, None) for place in places if place is not None)
