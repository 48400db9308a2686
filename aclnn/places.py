"""The memory of a launch: what is wrong with the address, the view or the storage of a tensor, or a workspace."""

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING

from acl_runtime.dtypes import bits
from acl_runtime.errors import Past
from acl_runtime.machine.allocation import Allocation
from acl_runtime.machine.device import Device
from acl_runtime.machine.executor import Family
from acl_runtime.machine.installation import current
from acl_runtime.machine.memory import FOREIGN, like_a_devices
from acl_runtime.machine.objects import Tensor, reach
from acl_runtime.machine.stream import Range, Use
from aclnn.aliases import Placed, judge

if TYPE_CHECKING:
    from aclnn.planned import Planned


def user_ranges(executor: "Planned", device: Device, workspace: int, *, judged: bool) -> tuple[tuple[Range, ...], bool]:
    """The memory of a launch, each piece judged: addresses are the matter of the second phase. `judged`: the workspace
    is right. And whether all of the tensors' bytes are there."""
    found = [_place(executor, role.name, tensor, device, output=role.output) for role, tensor in executor.used]
    pieces = [piece for piece in found if piece is not None]
    size = executor.workspace_size if workspace else 0
    judge([placed for placed, right in pieces if right], (workspace, workspace + size * judged), device)
    ranges = [_range(placed) for placed, _ in pieces]
    if size:
        ranges.append(Range(workspace, workspace + size, "workspace", Use.SCRATCH))
    return tuple(ranges), all(right for _, right in pieces)


def _range(placed: Placed) -> Range:
    use = Use.WRITE if placed.output else Use.READ
    return Range(placed.low, placed.high, placed.role, use, None if placed.tensor.contiguous else placed.layout())


def _place(
    executor: "Planned", role: str, tensor: Tensor, device: Device, *, output: bool
) -> tuple[Placed, bool] | None:
    """Where a tensor lies, and whether that is right; None for one without elements."""
    machine = current()

    def name() -> str:
        return f"{role} of {executor.operator} ({tensor})"

    if tensor.ended and executor.family is Family.COMPOSITE:
        executor.outlived = True
        what = f"{name()} was destroyed before the launch."
        machine.crash("tensor-destroyed-early", what, *tensor.past(), *executor.past())
    low, high = reach(tensor.shape, tensor.strides)
    if high < low:
        return None
    width = bits(tensor.dtype) // 8
    low, high = (tensor.offset + low) * width, (tensor.offset + high + 1) * width
    allocation = _data_allocation(tensor.address, name, device, *tensor.past())
    right = allocation is not None
    if low < 0 or high > tensor.storage_bytes:
        right = False
        machine.undefined(
            "view-exceeds-storage",
            f"{name()}: {_arithmetic(tensor)}.",
            *tensor.past(),
        )
    elif allocation is not None and (room := allocation.end - tensor.address) < tensor.storage_bytes:
        right = False
        machine.undefined(
            "storage-exceeds-alloc",
            f"{name()}: its storage {list(tensor.storage_shape)} has {tensor.storage_bytes} bytes, but from its "
            f"address on there are only {room}, {tensor.storage_bytes - room} too few: it lies in {allocation}.",
            *tensor.past(),
            *allocation.past(),
        )
    start = tensor.address
    return Placed(executor.operator, role, output, tensor, start + low, start + high), right


def _arithmetic(tensor: Tensor) -> str:
    """How an element of a view comes to lie outside of its storage."""
    room = prod(tensor.storage_shape)
    low, high = reach(tensor.shape, tensor.strides)
    below = tensor.offset + low < 0
    which, last = ("first", low) if below else ("last", high)
    steps = [each for each in zip(tensor.shape, tensor.strides, strict=True) if each[0] > 1]
    terms = [f"({size} - 1) * {stride}" for size, stride in steps if (stride < 0 if below else stride > 0)]
    sum_ = f"offset + sum((dim - 1) * stride) = {' + '.join([str(tensor.offset), *terms])} = {tensor.offset + last}"
    return f"the {which} element lies at {sum_}, but its storage {list(tensor.storage_shape)} has {room} elements"


def _data_allocation(address: int, name: Callable[[], str], device: Device, *history: Past) -> Allocation | None:
    """The live memory of this device behind an address; anything else is a finding."""
    machine = current()
    memory = machine.memory_at(address)
    if memory is None:
        pinned = machine.pinned.holding(address) or machine.pinned.freed_at(address)
        side = FOREIGN if like_a_devices(address) else "an address of the host"
        where = f"in {pinned}" if pinned is not None else f"{address:#x}, {side}" if address else "null"
        past = pinned.past() if pinned is not None else ()
        machine.crash("ws-host-ptr", f"{name()}: its data pointer is {where}.", *history, *past)
    allocation = memory.holding(address) if memory is device.memory else None
    if allocation is None:
        where, piece = memory.told(address)
        past = piece.past() if piece is not None else ()
        if memory is not device.memory:
            where = f"lies on device {memory.device}, but the stream works on device {device.number}."
            machine.crash("ws-foreign", f"{name()} {where}", *history, *past)
        machine.undefined("data-freed-under-tensor", f"the data of {name()}: {where}.", *history, *past)
    return allocation


def check_workspace(executor: "Planned", address: int, size: int, device: Device) -> bool:
    """Is the workspace right: live, on this device, large enough? `size` is what the call says; a finding tells."""
    needed = executor.workspace_size
    if not needed:
        return True
    memory = current().memory_at(address)
    if size < needed:
        allocation = memory.holding(address) if memory is not None else None
    else:
        name = f"the workspace of {executor.operator}"
        allocation = _data_allocation(address, lambda: name, device, *executor.past()) if address else None
        if allocation is None:
            return False
    room = allocation.end - address if allocation is not None else 0
    if size >= needed and room >= needed:
        return True
    where = f", {room} bytes lie behind its address: it is in {allocation}" if allocation is not None else ""
    what = f"the workspace of {executor.operator}: {needed} bytes are required, workspaceSize is {size}{where}."
    current().undefined("ws-small", what, *executor.past(), *(allocation.past() if allocation is not None else ()))
    return False
