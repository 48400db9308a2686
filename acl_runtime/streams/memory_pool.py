"""Pools of device memory, whose blocks streams free in their order."""

from acl_runtime.memory.allocation import Allocation
from acl_runtime.objects.handle_table import Thing
from acl_runtime.streams.stream import Device
from acl_runtime.text import Text


class MemoryPool(Thing):
    """aclrtMemPool. The pool keeps no memory that is not in use."""

    kind = Text("memory pool")
    destroyer = "aclrtMemPoolDestroy"

    def __init__(self, device: Device, most: int) -> None:
        super().__init__()
        self.device = device
        self.most = most
        """the most bytes in use; 0: as many as the device has"""
        self.values: dict[int, int] = {}
        """the values of aclrtMemPoolSetAttr, by aclrtMemPoolAttr"""
        self.peak = 0
        """the most bytes that were in use"""
        self._blocks: list[Allocation] = []

    @property
    def used(self) -> int:
        """The bytes in use."""
        self._blocks = [block for block in self._blocks if not block.gone]
        return sum(block.size for block in self._blocks)

    def took(self, block: Allocation) -> None:
        """A block was allocated from the pool."""
        self._blocks.append(block)
        self.peak = max(self.peak, self.used)
