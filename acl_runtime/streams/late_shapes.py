"""Tensors whose view shape a task computes, such as the output of aclnnNonzero.

The program allocates memory for the largest result. The task stores the shape of the result in the `LateShape` of its
launch. The tensor gets this shape when the program reads the shape (`Machine.read_shape`) after a wait for the task.
Before the wait, the tensor has the shape of its creation. So the shape that a program reads does not depend on the
schedule.
"""

from collections.abc import Collection, Mapping

from acl_runtime.objects.handle_table import Tensor, row_major
from acl_runtime.streams.stream import OperatorTask, Task


class LateShape:
    """The shape that a task gives to a tensor."""

    def __init__(self, tensor: Tensor, role: str) -> None:
        self.tensor = tensor
        self.role = role
        """the role of the tensor in the launch"""
        self.shape: tuple[int, ...] | None = None
        """None before the task has run, or if it failed"""


class LateShapes:
    """The tensors of a machine whose shape a task computes."""

    def __init__(self) -> None:
        self.expected: dict[Tensor, tuple[Task, LateShape]] = {}
        """the tensors whose shape is not settled; usually empty"""

    def expect(self, task: Task, late: LateShape) -> None:
        """Note a task that computes the shape of a tensor, in place of an earlier task for this tensor."""
        for tensor in [awaited for awaited in self.expected if awaited.gone]:
            del self.expected[tensor]
        self.expected[late.tensor] = task, late

    def task(self, tensor: Tensor) -> Task | None:
        """The task that computes the shape of this tensor; None if the shape is settled."""
        entry = self.expected.get(tensor)
        return None if entry is None else entry[0]

    def settle(self, tensor: Tensor) -> None:
        """Give the tensor its shape, if the task has run; the elements are dense. A failed or dropped task changes
        nothing."""
        task, late = self.expected[tensor]
        if late.shape is not None:
            shape, strides = late.shape, row_major(late.shape)
            tensor.describe(shape, tensor.dtype, strides, tensor.offset, tensor.format, tensor.storage_shape)
        elif task.queued:
            return
        del self.expected[tensor]


class ShapingTask(OperatorTask):
    """The launch of an operator that computes shapes."""

    enters = True

    def __init__(self, launch: OperatorTask, late_shapes: LateShapes, late: Collection[LateShape]) -> None:
        self.__dict__.update(launch.__dict__)
        self._late_shapes, self._late = late_shapes, late

    def entered(self) -> None:
        self.expect(self)

    def expect(self, task: Task) -> None:
        """Note the queued task that computes the shapes."""
        for late in self._late:
            late.shape = None
            self._late_shapes.expect(task, late)

    def again(self, repeated: Mapping[Task, Task]) -> "ShapingTask":
        return ShapingTask(super().again(repeated), self._late_shapes, self._late)
