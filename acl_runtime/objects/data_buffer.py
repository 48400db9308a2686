"""The object behind an aclDataBuffer."""

from acl_runtime.objects.handle_table import Thing


class DataBuffer(Thing):
    """ "Plain (pointer, size) pair, no ownership"."""

    kind = "data buffer"
    destroyer = "aclDestroyDataBuffer"

    def __init__(self, address: int, size: int) -> None:
        super().__init__()
        self.address = address
        self.size = size
        """bytes"""
