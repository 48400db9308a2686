"""Checks of the memory of a launch: the address, the view and the storage of each tensor, and the workspace."""

from collections.abc import Iterable, Iterator
from math import prod
from typing import TypeAlias

from acl_runtime.errors import Past
from acl_runtime.headers.dtype_names import bits
from acl_runtime.machine.current import current
from acl_runtime.machine.missed import FREED_WORKSPACE, missed
from acl_runtime.memory.copies import check_mapped
from acl_runtime.memory.ports import PastEnd
from acl_runtime.memory.private_formats import Padded, Stored
from acl_runtime.memory.ranges import WORKSPACE, Range, Use
from acl_runtime.memory.reservation import Reservation
from acl_runtime.objects.handle_table import Tensor, reach
from acl_runtime.streams.stream import Device
from acl_runtime.text import Text
from aclnn.engine.aliases import LaunchTensor, check_alignment, judge, name_of
from aclnn.engine.plan import PlannedExecutor, Role

CheckedRanges: TypeAlias = tuple[tuple[Range, ...], frozenset[str]]
"""memory of a launch, and the roles of the tensors whose memory is wrong"""


def check_tensors(executor: PlannedExecutor) -> None:
    """Report tensors that are destroyed: "Portable rule for users (and the one to enforce): keep tensors until phase 2
    has returned"."""
    for role, tensor in zip(executor.plan.roles, executor.users, strict=True):
        if tensor.ended:
            machine = current()
            machine.consequences.taint(executor, "tensor-destroyed-early")
            what = Text("{name} was destroyed before the launch.", name=name_of(role.name, executor.operator, tensor))
            machine.crash("tensor-destroyed-early", what, *tensor.past(), *executor.past())


def reject(outputs: Iterable[Tensor | None]) -> None:
    """Mark the unwritten outputs of a call that ended with a finding. Later findings about them are consequences."""
    for tensor in outputs:
        if tensor is not None:
            low, high = _extent(tensor)
            current().rejected(tensor.address + low, tensor.address + high)


def user_ranges(executor: PlannedExecutor, device: Device, workspace: int, *, workspace_right: bool) -> CheckedRanges:
    """The memory of a launch. Each tensor is checked here, as addresses may change after the first phase."""
    seen: set[object] = set()
    late = [executor.plan.roles[number] for number in executor.plan.sized]
    checked = [_checked(executor, role, tensor, device, seen, late=role in late) for role, tensor in executor.used]
    pieces = [piece for piece in checked if piece is not None]
    size = executor.workspace_size if workspace else 0
    judge(
        [placed for placed, right in pieces if right],
        (workspace, workspace + size * workspace_right),
        device,
        in_place=executor.plan.in_place,
        aligned=executor.plan.aligned,
    )
    late_roles = {role.name for role in late}
    ranges = [used for placed, _ in pieces for used in _ranges(placed, dense=placed.role in late_roles)]
    tainted = {placed.role for placed, right in pieces if not right}
    if not workspace_right:
        tainted.add(WORKSPACE)
    if size:
        ranges.append(Range(workspace, workspace + size, WORKSPACE, Use.SCRATCH))
    return tuple(ranges), frozenset(tainted)


def _extent(tensor: Tensor, *, late: bool = False) -> tuple[int, int]:
    """The begin and the end of a tensor's elements, in bytes from its address. Without elements, the end is not above
    the begin. With a late shape the launch may write up to the end of the storage."""
    if late:
        return tensor.offset * bits(tensor.dtype) // 8, max(tensor.storage_bytes, 0)
    low, high = reach(tensor.shape, tensor.strides)
    width = bits(tensor.dtype)
    return (tensor.offset + low) * width // 8, -(-(tensor.offset + high + 1) * width // 8)


def _blocks_extent(tensor: Tensor, stored: Stored | Padded) -> tuple[int, int]:
    """The bytes of the blocks of a tensor, relative to its address."""
    low = tensor.offset * bits(tensor.dtype) // 8
    return low, low + stored.nbytes


def _ranges(placed: LaunchTensor, *, dense: bool = False) -> Iterator[Range]:
    """The ranges of a tensor. A tensor that is converted in its own memory is read as a view, and written as blocks."""
    tensor, use = placed.tensor, placed.use
    if placed.stored is not None and use is Use.UPDATE:
        low, high = _extent(tensor)
        view = placed._replace(low=tensor.address + low, high=tensor.address + high, use=Use.READ, stored=None)
        yield from _ranges(view)
        use = Use.WRITE
    layout = None if dense or tensor.contiguous or placed.stored is not None else placed.layout()
    stored = placed.stored if isinstance(placed.stored, Stored) else None
    yield Range(placed.low, placed.high, placed.role, use, layout, tensor.dtype, stored=stored)


def _checked(
    executor: PlannedExecutor, role: Role, tensor: Tensor, device: Device, seen: set[object], *, late: bool
) -> tuple[LaunchTensor, bool] | None:
    """A tensor with its addresses, and True if its memory is right; None for a tensor without elements.

    `seen` has the tensors of this launch that are checked, and the freed memory that is reported. `late`: the tensor
    has a late shape."""
    machine, first = current(), tensor not in seen
    seen.add(tensor)

    def name() -> str:
        return name_of(role.name, executor.operator, tensor)

    low, high = _extent(tensor, late=late)
    stored = role.leaves if role.output else role.reads
    if stored is not None:
        low, high = _blocks_extent(tensor, stored)
    needed = tensor.storage_bytes if stored is None else max(tensor.storage_bytes, high)
    if high <= low:
        return None

    def short(room: int, where: str) -> Text:
        return Text(
            "{name}: its storage {shape} needs {needed} bytes, but only {room} are allocated from its address on "
            "({missing} too few): {where}.",
            name=name(),
            shape=list(tensor.storage_shape),
            needed=needed,
            room=room,
            missing=needed - room,
            where=where,
        )

    def behind(where: str, *past: Past) -> None:
        if first:
            machine.undefined("storage-exceeds-alloc", short(0, where), *tensor.past(), *past)

    allocation = device.memory.holding(tensor.address)
    if allocation is None:
        missed(machine, tensor.address, name, device, *tensor.past(), behind=behind, seen=seen)
    right = allocation is not None
    if low < 0 or high > needed:
        right = False
        if first:
            machine.undefined("view-exceeds-storage", _arithmetic(name(), tensor), *tensor.past())
    elif allocation is not None and (room := allocation.end - tensor.address) < needed:
        right, end = False, tensor.address + needed
        what = short(room, Text("it lies in {memory}", memory=allocation))
        past_end = PastEnd(allocation, end)
        new = first and not machine.consequences.of(past_end)
        if new and machine.undefined("storage-exceeds-alloc", what, *tensor.past(), *allocation.past()) is not None:
            machine.consequences.taint(past_end)
    elif isinstance(allocation, Reservation):
        used = tensor.address + low, tensor.address + high
        right = check_mapped(machine, allocation, used, name(), write=role.use.writes)
    start = tensor.address
    return LaunchTensor(executor.operator, role.name, role.use, tensor, start + low, start + high, stored), right


def _arithmetic(name: str, tensor: Tensor) -> Text:
    """The arithmetic of a view with an element outside of its storage, as a text."""
    room = prod(tensor.storage_shape)
    low, high = reach(tensor.shape, tensor.strides)
    below = tensor.offset + low < 0
    which, last = (Text("first"), low) if below else (Text("last"), high)
    dims = [(size, stride) for size, stride in zip(tensor.shape, tensor.strides, strict=True) if size > 1]
    terms = [f"({size} - 1) * {stride}" for size, stride in dims if (stride < 0 if below else stride > 0)]
    return Text(
        "{name}: the {which} element lies at offset + sum((dim - 1) * stride) = {sum}, but its storage {shape} has "
        "only {room} elements.",
        name=name,
        which=which,
        sum=f"{' + '.join([str(tensor.offset), *terms])} = {tensor.offset + last}",
        shape=list(tensor.storage_shape),
        room=room,
    )


def check_workspace(executor: PlannedExecutor, address: int, size: int, device: Device) -> bool:
    """True if the workspace is live, on this device and large enough. `size` is the argument of the call."""
    needed = executor.workspace_size
    if not needed:
        return True
    if size >= needed:
        allocation = device.memory.holding(address)
        if allocation is None:
            _missed_workspace(executor, address, device)
            return False
    else:
        memory = current().memory_at(address)
        allocation = memory.holding(address) if memory is not None else None
    room = allocation.end - address if allocation is not None else 0
    if size >= needed and room >= needed:
        check_alignment(executor, address, device)
        name, used = _workspace_of(executor), (address, address + needed)
        return not isinstance(allocation, Reservation) or check_mapped(current(), allocation, used, name, write=True)
    reasons = [Text("workspaceSize is {size}", size=size)] if size < needed else []
    if allocation is not None and room < needed:
        reasons.append(Text("only {room} are allocated from its address on, in {memory}", room=room, memory=allocation))
    what = _too_small(executor, Text.chain("{reason} and {reasons}", reasons))
    current().undefined("ws-small", what, *executor.past(), *(allocation.past() if allocation is not None else ()))
    return False


def _workspace_of(executor: PlannedExecutor) -> Text:
    return Text("the workspace of {operator}", operator=executor.operator)


def _too_small(executor: PlannedExecutor, small: str) -> Text:
    return Text(
        "{operator} needs a workspace of {needed} bytes, but {small}.",
        operator=executor.operator,
        needed=executor.workspace_size,
        small=small,
    )


def _missed_workspace(executor: PlannedExecutor, address: int, device: Device) -> None:
    """Report a workspace without live memory of this device. A null workspace is refused elsewhere."""
    name = _workspace_of(executor)

    def behind(where: str, *past: Past) -> None:
        current().undefined("ws-small", _too_small(executor, where), *executor.past(), *past)

    if address:
        missed(
            current(), address, lambda: name, device, *executor.past(), behind=behind, seen=set(), freed=FREED_WORKSPACE
        )
