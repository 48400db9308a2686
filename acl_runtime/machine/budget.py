"""What a device has: less than the chip, where a test wants to see it run out."""

from typing import Any

from acl_runtime.objects.options import UNSET, whole
from acl_runtime.streams.stream import Device


def set_budget(device: Device, memory: int | None, streams: int | None, events: int | None) -> None:
    """See `Machine.budget`: bytes, streams and events; None is what it had at first, UNSET what it has."""
    for kind, number in (("memory", memory), ("streams", streams), ("events", events)):
        if number is not None and number is not UNSET and whole(kind, number) < 0:
            raise ValueError(f"{kind}={number}: a budget is 0 or more")
    device.memory.capacity = _chosen(memory, device.memory.capacity, device.memory_bytes)
    device.stream_limit = _chosen(streams, device.stream_limit, device.soc.streams)
    device.event_limit = _chosen(events, device.event_limit, device.soc.events)


def _chosen(given: Any, now: int, first: int) -> int:
    return now if given is UNSET else first if given is None else given
