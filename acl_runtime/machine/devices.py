"""The devices of a machine: made from its options, and limited by a test (`Machine.budget`)."""

from typing import Any

from acl_runtime.memory.device_memory import DeviceMemory
from acl_runtime.memory.host_budget import HostBudget
from acl_runtime.objects.options import UNSET, Options, visible_devices, whole
from acl_runtime.objects.soc import Soc
from acl_runtime.streams.stream import Device


def make_devices(options: Options, soc: Soc, turn: int) -> list[Device]:
    """The devices that the environment does not hide. `turn`: the number of the machine in the process, so that
    machines have different addresses."""
    capacity, place = options.hbm_bytes or soc.memory_bytes, turn * options.device_count
    devices = [
        Device(number, physical, soc, DeviceMemory(number, capacity, options.fill, window=options.window, turn=place))
        for number, physical in enumerate(visible_devices(options.device_count))
    ]
    memories = [device.memory for device in devices]
    budget = HostBudget(options.host_bytes, memories)
    for memory in memories:
        memory.budget = budget
    return devices


def set_budget(device: Device, memory: int | None, streams: int | None, events: int | None) -> None:
    """Set the limits of bytes, streams and events (`Machine.budget`). None: the first limit; UNSET: no change."""
    for kind, number in (("memory", memory), ("streams", streams), ("events", events)):
        if number is not None and number is not UNSET and whole(kind, number) < 0:
            raise ValueError(f"{kind}={number}: a budget is 0 or more")
    device.memory.capacity = _chosen(memory, device.memory.capacity, device.memory_bytes)
    device.stream_limit = _chosen(streams, device.stream_limit, device.soc.streams)
    device.event_limit = _chosen(events, device.event_limit, device.soc.events)


def _chosen(choice: Any, now: int, first: int) -> int:
    return now if choice is UNSET else first if choice is None else choice
