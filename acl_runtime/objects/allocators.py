"""Allocators of the program: descriptions, and the registrations by stream."""

from ctypes import c_void_p, cast
from typing import Any, NamedTuple

from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text


class Allocator(NamedTuple):
    """An allocator of the program. The functions are ctypes functions, None if not set."""

    object: int = 0
    alloc: Any = None
    free: Any = None
    advise: Any = None
    get_address: Any = None

    @property
    def complete(self) -> bool:
        """True if only the function for an advised address may be missing."""
        return bool(self.object) and None not in (self.alloc, self.free, self.get_address)


class AllocatorDescription(Thing):
    """aclrtAllocatorDesc."""

    kind = Text("allocator description")
    destroyer = "aclrtAllocatorDestroyDesc"

    def __init__(self) -> None:
        super().__init__()
        self.allocator = Allocator()


class Allocators(dict[int, tuple[int, Allocator]]):
    """The handle of the description and a copy of its allocator, by the stream, which is "only a map key"."""


def address_of(function: Any) -> int:
    """The address of a ctypes function; 0 for None."""
    return (cast(function, c_void_p).value or 0) if function is not None else 0
