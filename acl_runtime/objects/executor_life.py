"""The base class of the objects behind an aclOpExecutor, with the attributes that the runtime uses.

A first phase makes an executor. The program may make it repeatable. A launch consumes it, or the program destroys it.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final

from acl_runtime.objects.handle_table import Tensor, Thing
from acl_runtime.text import Text

LAUNCH: Final = "launch"
"""taint of an executor: a finding ended the launch that would have consumed it"""


class Family(Enum):
    """The two ways in which operators of the library are written. Their executors differ in many details."""

    COMPOSITE = "hand-written, strung together from steps"
    GENERATED = "generated from an operator definition, one kernel"


class Executor(Thing):
    """An executor: a planned call of an operator, which the second phase launches."""

    kind = Text("executor")
    destroyer = "aclDestroyAclOpExecutor"
    cross_thread = "exec-cross-thread"
    workspace_size = 0
    repeatable = False
    operator: str
    """the C name of the second phase, such as aclnnSoftmaxBackward"""
    family: Family
    thread: str
    """the name of the thread that planned the executor"""
    users: Sequence[Tensor] = ()
    """the user's tensors with which the executor was planned, except for those that the operator ignores"""

    @property
    def inputs(self) -> Sequence["Tensor | None"]:
        """The input tensors, in the order of the prototype; None for a null pointer."""
        return ()

    @property
    def outputs(self) -> Sequence["Tensor | None"]:
        """The output tensors, in the order of the prototype; None for a null pointer."""
        return ()

    @property
    def input_parameters(self) -> "Sequence[Sequence[Tensor | None]]":
        """The tensors of each input parameter; the members if the parameter is a list."""
        return [(tensor,) for tensor in self.inputs]

    @property
    def output_parameters(self) -> "Sequence[Sequence[Tensor | None]]":
        """The tensors of each output parameter; the members if the parameter is a list."""
        return [(output,) for output in self.outputs]

    def __str__(self) -> str:
        return Text("executor {number} of {operator}", number=self.ordinal, operator=self.operator)

    def tensors(self) -> list["Tensor | None"]:
        """The inputs, then the outputs: the order of aclSetTensorAddr."""
        return [*self.inputs, *self.outputs]
