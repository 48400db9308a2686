"""Outputs whose shape is known only when their step has run, such as that of Nonzero.

The kernel returns an array of the right shape, which has at most as many elements as the program made room for. It is
written densely, from the first element of the tensor on. `acl_runtime.streams.late_shapes` gives the tensor its shape.
"""

from collections.abc import Mapping
from math import prod

from acl_runtime.headers.dtypes import Array
from acl_runtime.machine.current import current
from acl_runtime.streams.late_shapes import LateShape
from aclnn.engine.device_view import DeviceView
from aclnn.engine.plan import PlannedExecutor
from aclnn.engine.steps.units import KernelFault

Late = Mapping[int, LateShape]
"""the late shapes of a launch, by the roles of the tensors"""


def late_shapes(executor: PlannedExecutor) -> Late:
    """Those of the next launch. Each launch has its own, as launches at the same addresses share their steps."""
    roles, tensors = executor.plan.roles, executor.users
    return {role: LateShape(tensors[role], roles[role].name) for role in executor.plan.sized}


def placed(operator: str, result: Array, access: DeviceView, late: LateShape) -> DeviceView:
    """The view of memory that a result goes to. Its shape is noted, if it fits."""
    tensor = late.tensor
    room = prod(tensor.storage_shape) - tensor.offset
    if result.size > room:
        needed = f"the result {list(result.shape)} has {result.size}"
        text = f"the {late.role} of {operator} ({tensor}) has room for {room} elements, but {needed}."
        machine = current()
        finding = machine.undefined("view-exceeds-storage", text, *tensor.past())
        fault = KernelFault(text)
        machine.consequences.taint(fault, finding)
        raise fault
    late.shape = result.shape
    return access.shaped(result.shape)
