"""Devices and contexts."""

from collections.abc import Iterator

from acl_runtime.errors import DeviceFault
from acl_runtime.machine.memory import DeviceMemory
from acl_runtime.machine.objects import Thing
from acl_runtime.machine.soc import Soc
from acl_runtime.machine.stream import Ids, Stream


class Context(Thing):
    """What a thread works in: a device, a default stream, the streams created while it was current.

    The default ("primary") context of a device is kept and set up anew when the device is set again."""

    kind = "context"
    destroyer = "aclrtDestroyContext"

    def __init__(self, device: "Device", *, primary: bool = False) -> None:
        super().__init__()
        self.device = device
        self.primary = primary
        if primary:
            self.kind = "default context"
        self.alive = True
        self.parameters: dict[int, int] = {}
        """what aclrtCtxSetSysParamOpt set, by aclSysParamOpt"""
        self.default_stream = Stream(self)
        self.streams: dict[Stream, None] = {}
        """those that were created in it, in order (a dict, to find the one that is destroyed)"""
        self.stops = False
        """does a failed task end the work of all its streams (aclrtSetStreamFailureMode)?"""
        self.fault: DeviceFault | None = None
        """in stop mode: what a task failed with"""

    def __str__(self) -> str:
        return f"default context of device {self.device.number}" if self.primary else super().__str__()

    def all_streams(self) -> Iterator[Stream]:
        """The explicit streams, then the default one."""
        yield from self.streams
        yield self.default_stream


class Device:
    """One NPU."""

    def __init__(self, number: int, physical: int, soc: Soc, memory: DeviceMemory) -> None:
        self.number = number
        self.physical = physical
        """the number without ASCEND_RT_VISIBLE_DEVICES"""
        self.soc = soc
        self.memory = memory
        self.references = 0
        """aclrtSetDevice calls not yet taken back by aclrtResetDevice"""
        self.set_at = ""
        self.setters: dict[str, tuple[int, str]] = {}
        """by thread: how often it set the device more than it reset it, and where it set it last"""
        self.overflow_mode = int(soc.inf_nan)
        """0: results that overflow saturate, 1: they become infinite or NaN"""
        self.core_limits: dict[int, int] = {}
        """what aclrtSetDeviceResLimit set, by aclrtDevResLimitType"""
        self.peers: set[int] = set()
        """the devices whose memory it may use"""
        self.primary: Context | None = None
        self.explicit: dict[Context, None] = {}
        """those that were created, in order"""
        self.stream_ids = Ids()
        self.event_ids = Ids()
        self.op_wait_timeout: float | None = None
        """simulated microseconds a stream waits for an event that has no timeout of its own; None: for ever"""
        self.memory_bytes = memory.capacity
        """what the memory had at first, before any budget"""
        self.stream_limit, self.event_limit = soc.streams, soc.events
        """how many it offers"""

    def contexts(self) -> Iterator[Context]:
        """The explicit contexts, then the default one while the device is set."""
        yield from self.explicit
        if self.primary is not None and self.primary.alive:
            yield self.primary

    def streams(self) -> Iterator[Stream]:
        """The streams of all contexts."""
        for context in self.contexts():
            yield from context.all_streams()

    @property
    def uuid(self) -> bytes:
        """16 bytes that tell the devices of a machine apart, the same in every run."""
        from uuid import NAMESPACE_OID, uuid5  # late: hardly a program asks for it

        return uuid5(NAMESPACE_OID, f"{self.soc.name} {self.physical}").bytes

    def cores(self, kind: int) -> int:
        """Cores that launches may use: the limit of the process, else those of the chip."""
        return self.core_limits.get(kind, self.soc.cores(kind))

    @property
    def streams_in_use(self) -> int:
        """Streams that were created; default streams do not count."""
        contexts = len(self.explicit) + (self.primary is not None and self.primary.alive)
        return self.stream_ids.used - contexts

    @property
    def held(self) -> bool:
        """Is the device open: set, or held by an explicit context?"""
        return self.references > 0 or bool(self.explicit)
