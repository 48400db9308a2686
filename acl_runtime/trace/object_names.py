"""Names for handles and device addresses. The names are the same in every run, the numbers are not."""

from collections.abc import Sequence

from acl_runtime.memory.device_memory import DeviceMemory
from acl_runtime.objects.handle_table import Handles, Thing


class Names:
    """The names of the handles and device addresses of a machine."""

    def __init__(self, handles: Handles, memories: Sequence[DeviceMemory]) -> None:
        self._handles = handles
        self._memories = memories

    def object(self, number: int) -> Thing | None:
        """The object of a handle, live or destroyed and still remembered."""
        return self._handles.get(number) or self._handles.dead(number)

    def of(self, number: int) -> str:
        """`stream 2`, `device 0 + 0x600`; "" for a number that never was a handle and is no device address."""
        label = self._handles.label(number)
        return label or next((memory.name(number) for memory in self._memories if number in memory), "")
