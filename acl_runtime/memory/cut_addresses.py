"""Addresses of which ctypes kept 32 bits, as in a call of the C library without argtypes: the hint with the whole
address."""

from itertools import chain

from acl_runtime.memory.ports import Memories
from acl_runtime.objects.address_range import whole
from acl_runtime.text import Text


def hint(machine: Memories, address: int) -> Text | None:
    """The hint if `address` is the lower half of an address in device memory or in pinned memory, else None."""
    for memory in chain(machine.memories.allocations(), machine.pinned):
        number = whole(address, memory.address)
        if memory.address <= number < memory.end:
            return Text(
                "Pass {whole}, which is in {memory}, as a c_void_p: ctypes cuts an int to 32 bits if there are no "
                "argtypes.",
                whole=f"{number:#x}",
                memory=memory,
            )
    return None
