"""The checks that the functions of HCCL share, each with its result and its text."""

from typing import Final

from acl_runtime.abi.pointers import Address, Out, Values
from acl_runtime.api.live_objects import alive
from acl_runtime.api.meta.objects import value_bytes
from acl_runtime.collective.meeting_place import MeetingPlace
from acl_runtime.collective.mistakes import foreign, in_capture, invalid
from acl_runtime.collective.places import place_of
from acl_runtime.collective.ranks import Communicator
from acl_runtime.collective.requests import SIZES
from acl_runtime.errors import AclError
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.machine.current import current
from acl_runtime.streams.stream import Device, Stream
from acl_runtime.text import Text

Nullable = int | str | Address | Out[int] | Out[bool] | Values | None
MOST: Final = 0x7FFFFFFFF
"""the greatest count"""
WORD: Final = 8
"""bytes of a count in an array of counts"""
QUEUES: Final = (
    ("HCCL_E_PARA", "a count is greater than 0x7FFFFFFFF, a rank is out of range, the ranks ask for different things, "
                    "or a handle or an address is not that of a live object."),
    ("HCCL_E_PTR", "the communicator, the stream or a buffer is null."),
    ("HCCL_E_NOT_SUPPORT", "the product does not have the data type, the reduction, or this pair of them."),
    ("HCCL_E_RUNTIME", "the stream takes no more work."),
)  # fmt: skip
"""results of the functions that queue an operation"""


def place() -> MeetingPlace:
    """The meeting place of the current machine."""
    machine = current()
    if machine.meeting_place is None:
        machine.meeting_place = place_of(machine)
    return machine.meeting_place


def refuse(value: object, parameter: str, expected: str, status: int = HcclResult.HCCL_E_PARA) -> AclError:
    """The error for an argument."""
    return invalid(current(), parameter, expected, value, status)


def not_null(**arguments: Nullable) -> None:
    """Refuse the first argument that is null, in this order."""
    for parameter, value in arguments.items():
        if not value if type(value) is int else _is_null(value):
            raise refuse("nullptr", parameter, "non-null pointer", HcclResult.HCCL_E_PTR)


def _is_null(value: Nullable) -> bool:
    match value:
        case Address():
            return not value.value
        case Out() | Values():
            return value.null
        case str():
            return False
        case _:
            return not value


class RuntimeCalls:
    """A block with calls of the runtime: their errors are HCCL_E_RUNTIME, with the text of the runtime."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, AclError) and error.status not in list(HcclResult):
            status = HcclResult.HCCL_E_RUNTIME
            raise AclError(status, *error.items, runtime=error.runtime, taint=error.taint) from error


RUNTIME: Final = RuntimeCalls()


def current_device() -> Device:
    """The device of the calling thread."""
    machine = current()
    with RUNTIME:
        return machine.context(machine.thread().call).device


def device_for_ranks() -> Device:
    """The device of the calling thread, which makes a communicator."""
    device = current_device()
    check_capture()
    return device


def check_capture() -> None:
    """Report a communicator that is made during a capture."""
    machine = current()
    if machine.captures.active:
        capture = machine.captures.forbidding(machine.find_context(), machine.thread())
        if capture is not None:
            in_capture(machine, capture)


def communicator_of(number: int, parameter: str = "comm") -> Communicator:
    """The communicator of a handle that is not null. A dead one is the finding `dead-handle`."""
    communicator = alive(number, Communicator, parameter, HcclResult.HCCL_E_PARA)
    communicator.used()
    return communicator


def communicator_named(name: str, device: Device | None) -> Communicator | None:
    """The communicator that has this name, on a device or, with None, on any device."""
    for communicator in current().handles.all(Communicator):
        if device in (None, communicator.device) and communicator.ranks.name == name:
            return communicator
    return None


def queue_of(number: int, communicator: Communicator) -> Stream:
    """The stream of a handle that is not null, on the device of the communicator."""
    machine = current()
    stream = alive(number, Stream, "stream", HcclResult.HCCL_E_PARA)
    if stream.context.device is not communicator.device:
        what = Text(
            "{stream} belongs to device {number}, but {communicator} to device {other}.",
            stream=stream,
            number=stream.context.device.number,
            communicator=communicator,
            other=communicator.device.number,
        )
        raise foreign(machine, communicator, what, *stream.past())
    return stream


def count_in_range(count: int, parameter: str = "count") -> None:
    """Refuse a count that is too large."""
    if count > MOST:
        raise refuse(count, parameter, f"at most {MOST:#x}")


def rank_in_range(rank: int, communicator: Communicator, parameter: str) -> None:
    """Refuse a rank that the communicator does not have."""
    if rank >= communicator.size:
        raise refuse(rank, parameter, f"less than the number of ranks, {communicator.size}")


def counts_of(pointer: Address, number: int, parameter: str) -> tuple[int, ...]:
    """An array of counts or displacements in host memory."""
    raw = value_bytes(pointer, number * WORD, parameter, HcclResult.HCCL_E_PARA)
    return tuple(int.from_bytes(raw[low : low + WORD], "little") for low in range(0, len(raw), WORD))


def skipped(count: int, comm: int) -> bool:
    """True for a call without elements, which takes no part."""
    if count == 0 and comm:
        machine = current()
        communicator = machine.handles.find(comm, Communicator)
        if communicator is not None:
            communicator.skip(machine.thread().call)
    return count == 0


def size_of(dtype: int) -> int:
    """Bytes of an element of a data type that was checked."""
    return SIZES[dtype]
