"""The object behind an aclDataBuffer."""

from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text


class DataBuffer(Thing):
    """ "Plain (pointer, size) pair, no ownership"."""

    kind = Text("data buffer")
    destroyer = "aclDestroyDataBuffer"

    def __init__(self, address: int, size: int) -> None:
        super().__init__()
        self.address = address
        self.size = size
        """bytes"""
