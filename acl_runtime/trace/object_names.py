"""Names for handles and device addresses. Unlike the numbers, the names are the same in every run."""

from collections.abc import Sequence

from acl_runtime.memory.device_memory import DeviceMemory
from acl_runtime.objects.handle_table import Handles, Thing


class Names:
    """The names of the handles and device addresses of a machine."""

    def __init__(self, handles: Handles, memories: Sequence[DeviceMemory]) -> None:
        self._handles = handles
        self._memories = memories

    def object(self, number: int) -> Thing | None:
        """The object of a handle, live, or destroyed and stored."""
        return self._handles.get(number) or self._handles.dead(number)

    def of(self, number: int) -> str:
        """The name, such as `stream 2` or `device 0 + 0x600`; "" for a number that is neither a handle nor a device
        address."""
        label = self._handles.label(number)
        return label or next((memory.name(number) for memory in self._memories if number in memory), "")
