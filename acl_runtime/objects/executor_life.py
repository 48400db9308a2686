"""The life of an aclOpExecutor: planned, perhaps made repeatable, consumed or destroyed."""

from collections.abc import Sequence
from enum import Enum

from acl_runtime.objects.handle_table import Tensor, Thing


class Family(Enum):
    """Two ways the library is made; they differ in many corners."""

    COMPOSITE = "hand-written, strung together from steps"
    GENERATED = "generated from an operator definition, one kernel"


class Executor(Thing):
    """What the first phase plans and the second launches."""

    kind = "executor"
    destroyer = "aclDestroyAclOpExecutor"
    workspace_size = 0
    repeatable = False
    outlived = False
    """was it told that a tensor of it ended before it?"""
    refused = False
    """did a finding end the launch that would have used it up?"""
    operator: str
    """the C name of the second phase, such as aclnnSoftmaxBackward"""
    family: Family
    thread: str
    """the name of the one that planned it"""
    users: Sequence[Tensor] = ()
    """the user's tensors that it was planned with, but for those that the call does not look at"""

    @property
    def inputs(self) -> Sequence["Tensor | None"]:
        """The tensors read, in the order of the prototype; None for a null one."""
        return ()

    @property
    def outputs(self) -> Sequence["Tensor | None"]:
        """The tensors written, in the order of the prototype; None for a null one."""
        return ()

    def __str__(self) -> str:
        return f"{super().__str__()} of {self.operator}"

    def tensors(self) -> list["Tensor | None"]:
        """Inputs first, then outputs: the order of aclSetTensorAddr."""
        return [*self.inputs, *self.outputs]
