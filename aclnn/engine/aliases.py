"""Judges how the tensors of a launch lie: aligned, and outputs apart from inputs, from each other and in themselves."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from acl_runtime.headers.dtypes import bits
from acl_runtime.machine.current import current
from acl_runtime.memory.layout import Layout, overlaps, self_overlaps
from acl_runtime.memory.private_formats import Padded, Stored
from acl_runtime.memory.ranges import WORKSPACE, Use
from acl_runtime.objects.executor_life import Executor
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.source.frames import here
from acl_runtime.streams.stream import Device

BLOCK: Final = 32
"""bytes that a kernel moves at once"""


class LaunchTensor(NamedTuple):
    """A tensor of a launch that has elements, and memory that is right."""

    operator: str
    role: str
    """the output `out`, as `role_name` has it"""
    use: Use
    tensor: Tensor
    low: int
    """address of its first byte"""
    high: int
    """address behind its last one"""
    stored: Stored | Padded | None = None
    """how its elements lie, if it is read or written in FRACTAL_NZ"""

    @property
    def output(self) -> bool:
        """Is it written?"""
        return self.use is not Use.READ

    @property
    def name(self) -> str:
        """For a finding."""
        return f"the {self.role} of {self.operator} ({self.tensor})"

    def layout(self) -> Layout:
        """Where its elements lie. In FRACTAL_NZ, and with two elements in a byte, these are all bytes."""
        tensor, width = self.tensor, bits(self.tensor.dtype) // 8
        if self.stored is not None or not width:
            return Layout(self.low, (self.high - self.low,), (1,), 1)
        start = tensor.address + tensor.offset * width
        return Layout(start, tensor.shape, tuple(stride * width for stride in tensor.strides), width)

    def where(self, device: Device) -> str:
        """For a finding: what and where it is."""
        return f"{self.name} at {_span(device, self.low, self.high)}"


def judge(
    placed: Sequence[LaunchTensor], workspace: tuple[int, int], device: Device, *, in_place: bool, aligned: bool
) -> None:  # fmt: skip
    """Findings about how the tensors of a launch lie to each other and to the workspace [low, high). `in_place`: an
    output may be exactly an input. `aligned`: the operator's document demands aligned data."""
    for each in placed:
        if each.tensor.address % BLOCK:
            _misaligned(each, device, demanded=aligned)
    outputs = [each for each in placed if each.output]
    for output in outputs:
        if not output.tensor.contiguous and output.stored is None:
            _check_own_elements(output)
    inputs = [each for each in placed if not each.output]
    for i, output in enumerate(outputs):
        _check_apart(output, inputs + outputs[i + 1 :], device, in_place=in_place)
    _check_workspace(placed, workspace, device)


def _misaligned(placed: LaunchTensor, device: Device, *, demanded: bool) -> None:
    """Found once for a tensor, not for each launch. If no document demands it: advice, once for a line of the
    program."""
    machine = current()
    if machine.consequences.of(placed.tensor, "misaligned"):
        return
    if not demanded and not machine.consequences.first("misaligned"):
        return
    machine.consequences.taint(placed.tensor, "misaligned")
    what = f"the data of {placed.name} starts at {_behind_a_multiple(placed.tensor.address, device)}."
    level = None if demanded else "advice"
    machine.undefined("misaligned", what, *placed.tensor.past(), level=level)


def check_alignment(executor: Executor, workspace: int, device: Device) -> None:
    """Report a workspace that does not start at a multiple of 32 bytes, once for a line of the program."""
    machine = current()
    if workspace % BLOCK and machine.consequences.first("misaligned", here(), WORKSPACE):
        what = f"the workspace of {executor.operator} starts at {_behind_a_multiple(workspace, device)}."
        machine.undefined("misaligned", what, *executor.past())


def _behind_a_multiple(address: int, device: Device) -> str:
    return f"{device.memory.name(address)}, {address % BLOCK} bytes behind a multiple of {BLOCK}"


def _check_own_elements(output: LaunchTensor) -> None:
    tensor = output.tensor
    if dims := self_overlaps(output.layout()):
        named = " and ".join(f"{dim} (size {tensor.shape[dim]}, stride {tensor.strides[dim]})" for dim in dims)
        what = f"elements of {output.name} share bytes with each other along dimension {named}."
        current().undefined("out-self-overlap", what, *tensor.past())


def _check_apart(
    output: LaunchTensor, others: Sequence[LaunchTensor], device: Device, *, in_place: bool
) -> None:  # fmt: skip
    """ "Output partly overlaps an input (not exact in-place)", or another output: the first of these is reported.
    One tensor given as two outputs is on purpose."""
    for other in others:
        if output.low >= other.high or other.low >= output.high or (other.output and output.tensor is other.tensor):
            continue
        mine, theirs = output.layout(), other.layout()
        if not overlaps(mine, theirs) or (in_place and not other.output and _in_place(output, other)):
            continue
        how = "" if other.output else ", but is not the same view" if in_place else ""
        what = f"{output.where(device)} shares bytes with {other.where(device)}{how}."
        hint = "Give each output memory of its own." if other.output or not in_place else None
        current().undefined("alias-overlap", what, *output.tensor.past(), *other.tensor.past(), hint=hint)
        return


def _in_place(output: LaunchTensor, other: LaunchTensor) -> bool:
    """Is it the same view, so that each element of the output lies where that of the input does?"""
    mine, theirs = output.layout(), other.layout()
    if mine.address != theirs.address or mine.itemsize != theirs.itemsize:
        return False
    dense = output.tensor.contiguous and other.tensor.contiguous
    return mine.high == theirs.high if dense else _steps(mine) == _steps(theirs)


def _steps(layout: Layout) -> list[tuple[int, int]]:
    return [(size, stride) for size, stride in zip(layout.shape, layout.strides, strict=True) if size != 1]


def _check_workspace(placed: Sequence[LaunchTensor], workspace: tuple[int, int], device: Device) -> None:
    low, high = workspace
    for each in placed:
        if low < each.high and each.low < high and overlaps(Layout(low, (high - low,), (1,), 1), each.layout()):
            what = f"the workspace at {_span(device, low, high)} shares bytes with {each.where(device)}."
            hint = "Give the workspace memory of its own."
            current().undefined("alias-overlap", what, *each.tensor.past(), hint=hint)
            return


def _span(device: Device, low: int, high: int) -> str:
    """`device 0 + 0x600 to device 0 + 0x620`: the numbers differ between runs, this does not."""
    return f"{device.memory.name(low)} to {device.memory.name(high)}"
