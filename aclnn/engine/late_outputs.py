"""Outputs with late shapes: their shape is known only after their step has run, as for Nonzero.

The kernel returns an array with the final shape. The array is written densely, from the first element of the tensor on.
The storage of the tensor must have room for the array. `acl_runtime.streams.late_shapes` gives the tensor its shape.
"""

from collections.abc import Mapping
from math import prod

from acl_runtime.headers.dtypes import Array
from acl_runtime.machine.current import current
from acl_runtime.streams.late_shapes import LateShape
from acl_runtime.text import Text
from aclnn.engine.device_view import DeviceView
from aclnn.engine.plan import PlannedExecutor
from aclnn.engine.steps.units import KernelFault

Late = Mapping[int, LateShape]
"""late shapes of a launch, by the numbers of the roles"""


def late_shapes(executor: PlannedExecutor) -> Late:
    """The late shapes of the next launch. Launches at the same addresses share steps, but not late shapes."""
    roles, tensors = executor.plan.roles, executor.users
    return {role: LateShape(tensors[role], roles[role].name) for role in executor.plan.sized}


def placed(operator: str, result: Array, access: DeviceView, late: LateShape) -> DeviceView:
    """The view of memory for a result, with its shape. A result without enough room is a finding, and raises the fault
    of the task."""
    tensor = late.tensor
    room = prod(tensor.storage_shape) - tensor.offset
    if result.size > room:
        text = Text(
            "the {role} of {operator} ({tensor}) has room for {room} elements, but the result {shape} has {size}.",
            role=late.role,
            operator=operator,
            tensor=tensor,
            room=room,
            shape=list(result.shape),
            size=result.size,
        )
        machine = current()
        finding = machine.undefined("view-exceeds-storage", text, *tensor.past())
        fault = KernelFault(text)
        machine.consequences.taint(fault, finding)
        raise fault
    late.shape = result.shape
    return access.shaped(result.shape)
