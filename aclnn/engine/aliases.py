"""Checks of the tensors of a launch: alignment, and overlaps of outputs with inputs, other outputs or themselves."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from acl_runtime.headers.dtype_names import bits
from acl_runtime.machine.current import current
from acl_runtime.memory.layout import Layout, overlaps, self_overlaps
from acl_runtime.memory.private_formats import Padded, Stored
from acl_runtime.memory.ranges import WORKSPACE, Use
from acl_runtime.objects.executor_life import Executor
from acl_runtime.objects.handle_table import Tensor
from acl_runtime.source.frames import here
from acl_runtime.streams.stream import Device
from acl_runtime.text import Text

BLOCK: Final = 32
"""bytes that a kernel moves at a time"""


def name_of(role: str, operator: str, tensor: Tensor) -> Text:
    """The description of a tensor of a launch in a finding."""
    return Text("the {operand} of {operator} ({tensor})", operand=role, operator=operator, tensor=tensor)


class LaunchTensor(NamedTuple):
    """A tensor of a launch. It has elements, and its memory is valid."""

    operator: str
    role: str
    """name of its role, such as "output `out`", see `role_name`"""
    use: Use
    tensor: Tensor
    low: int
    """address of its first byte"""
    high: int
    """address behind its last byte"""
    stored: Stored | Padded | None = None
    """layout of its elements, if it is read or written in FRACTAL_NZ"""

    @property
    def output(self) -> bool:
        """True if the launch writes the tensor."""
        return self.use is not Use.READ

    @property
    def name(self) -> str:
        """Description of the tensor for a finding."""
        return name_of(self.role, self.operator, self.tensor)

    def layout(self) -> Layout:
        """The layout of its elements. With FRACTAL_NZ, or with two elements in a byte, it covers all bytes."""
        tensor, width = self.tensor, bits(self.tensor.dtype) // 8
        if self.stored is not None or not width:
            return Layout(self.low, (self.high - self.low,), (1,), 1)
        start = tensor.address + tensor.offset * width
        return Layout(start, tensor.shape, tuple(stride * width for stride in tensor.strides), width)

    def span(self, device: Device) -> str:
        """The addresses of the tensor for a finding."""
        return _span(device, self.low, self.high)


def judge(
    placed: Sequence[LaunchTensor], workspace: tuple[int, int], device: Device, *, in_place: bool, aligned: bool
) -> None:  # fmt: skip
    """Report misaligned tensors, and overlaps of tensors with each other and with the workspace [low, high). With
    `in_place` an output may have exactly the view of an input. With `aligned` the document demands alignment."""
    for tensor in placed:
        if tensor.tensor.address % BLOCK:
            _report_misaligned(tensor, device, demanded=aligned)
    outputs = [each for each in placed if each.output]
    for output in outputs:
        if not output.tensor.contiguous and output.stored is None:
            _check_own_elements(output)
    inputs = [each for each in placed if not each.output]
    for i, output in enumerate(outputs):
        _check_apart(output, inputs + outputs[i + 1 :], device, in_place=in_place)
    _check_workspace(placed, workspace, device)


def _report_misaligned(placed: LaunchTensor, device: Device, *, demanded: bool) -> None:
    """Report a misaligned tensor once, not for each launch. If no document demands alignment, the finding is advice,
    reported once for each line of the program."""
    machine = current()
    if machine.consequences.of(placed.tensor, "misaligned"):
        return
    if not demanded and not machine.consequences.first("misaligned"):
        return
    machine.consequences.taint(placed.tensor, "misaligned")
    address = placed.tensor.address
    what = Text(
        "the data of {name} starts at {place}, {behind} bytes behind a multiple of {block}.",
        name=placed.name,
        place=device.memory.name(address),
        behind=address % BLOCK,
        block=BLOCK,
    )
    level = None if demanded else "advice"
    machine.undefined("misaligned", what, *placed.tensor.past(), level=level)


def check_alignment(executor: Executor, workspace: int, device: Device) -> None:
    """Report a workspace that does not start at a multiple of 32 bytes, once for each line of the program."""
    machine = current()
    if workspace % BLOCK and machine.consequences.first("misaligned", here(), WORKSPACE):
        what = Text(
            "the workspace of {operator} starts at {place}, {behind} bytes behind a multiple of {block}.",
            operator=executor.operator,
            place=device.memory.name(workspace),
            behind=workspace % BLOCK,
            block=BLOCK,
        )
        machine.undefined("misaligned", what, *executor.past())


def _check_own_elements(output: LaunchTensor) -> None:
    tensor = output.tensor
    if dims := self_overlaps(output.layout()):
        dimensions = [
            Text("{dim} (size {size}, stride {stride})", dim=dim, size=tensor.shape[dim], stride=tensor.strides[dim])
            for dim in dims
        ]
        what = Text(
            "elements of {name} share bytes with each other along dimension {dims}.",
            name=output.name,
            dims=Text.chain("{dim} and {dims}", dimensions),
        )
        current().undefined("out-self-overlap", what, *tensor.past())


def _check_apart(
    output: LaunchTensor, others: Sequence[LaunchTensor], device: Device, *, in_place: bool
) -> None:  # fmt: skip
    """Report the first input ("Output partly overlaps an input (not exact in-place)"), or other output, that an output
    overlaps. The same tensor as two outputs is allowed."""
    for other in others:
        if output.low >= other.high or other.low >= output.high or (other.output and output.tensor is other.tensor):
            continue
        same_view = in_place and not other.output and _is_same_view(output, other)
        if same_view or not overlaps(output.layout(), other.layout()):
            continue
        both = {
            "name": output.name, "span": output.span(device), "other": other.name, "other_span": other.span(device),
        }  # fmt: skip
        what = Text("{name} at {span} shares bytes with {other} at {other_span}.", **both)
        hint = Text("Give each output memory of its own.")
        if in_place and not other.output:
            what = Text("{name} at {span} shares bytes with {other} at {other_span}, but is not the same view.", **both)
            hint = None
        current().undefined("alias-overlap", what, *output.tensor.past(), *other.tensor.past(), hint=hint)
        return


def _is_same_view(output: LaunchTensor, other: LaunchTensor) -> bool:
    """True if each element of the output has the address of the same element of the input."""
    written, read = output.layout(), other.layout()
    if written.address != read.address or written.itemsize != read.itemsize:
        return False
    dense = output.tensor.contiguous and other.tensor.contiguous
    return written.high == read.high if dense else _strides(written) == _strides(read)


def _strides(layout: Layout) -> list[tuple[int, int]]:
    """Size and stride of each dimension with more than one element."""
    return [(size, stride) for size, stride in zip(layout.shape, layout.strides, strict=True) if size != 1]


def _check_workspace(placed: Sequence[LaunchTensor], workspace: tuple[int, int], device: Device) -> None:
    low, high = workspace
    bytes_of_workspace = Layout(low, (high - low,), (1,), 1)
    for tensor in placed:
        if low < tensor.high and tensor.low < high and overlaps(bytes_of_workspace, tensor.layout()):
            what = Text(
                "the workspace at {span} shares bytes with {other} at {other_span}.",
                span=_span(device, low, high),
                other=tensor.name,
                other_span=tensor.span(device),
            )
            hint = Text("Give the workspace memory of its own.")
            current().undefined("alias-overlap", what, *tensor.tensor.past(), hint=hint)
            return


def _span(device: Device, low: int, high: int) -> str:
    """An address range such as `device 0 + 0x600 to device 0 + 0x620`. Unlike addresses, it is the same in each run."""
    return Text("{begin} to {end}", begin=device.memory.name(low), end=device.memory.name(high))
