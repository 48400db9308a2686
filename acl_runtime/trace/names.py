"""Names that repeat in every run, for numbers that do not: handles and addresses of devices."""

from collections.abc import Sequence

from acl_runtime.memory.device_memory import DeviceMemory
from acl_runtime.objects.handle_table import Handles, Thing


class Names:
    """The names that a machine knows."""

    def __init__(self, handles: Handles, memories: Sequence[DeviceMemory]) -> None:
        self._handles = handles
        self._memories = memories

    def object(self, number: int) -> Thing | None:
        """The object of a handle, live or among the last that went away."""
        return self._handles.get(number) or self._handles.dead(number)

    def of(self, number: int) -> str:
        """`stream 2`, `device 0 + 0x600`; "" for a number that is no handle, live or dead, and no address of a
        device."""
        label = self._handles.label(number)
        return label or next((memory.name(number) for memory in self._memories if number in memory), "")
