"""Records of bytes in the private format FRACTAL_NZ.

The layout belongs to the memory, not to the tensor that was used to write it. So the check `format_mismatch` keeps a
record of each range that an operator wrote in this format. It brings the records up to date when work is queued.
"""

from typing import NamedTuple

from acl_runtime.memory.private_formats import Stored
from acl_runtime.source.site import Trail


class StoredBlocks(NamedTuple):
    """Device addresses [low, high) that hold whole matrices in FRACTAL_NZ."""

    low: int
    high: int
    stored: Stored
    trail: Trail | str
    """the call that wrote them"""

    def meets(self, low: int, high: int) -> bool:
        """Does it share a byte with [low, high)?"""
        return self.low < high and low < self.high

    def moved(self, distance: int, trail: Trail | str) -> "StoredBlocks":
        """The record of a copy of these bytes."""
        return StoredBlocks(self.low + distance, self.high + distance, self.stored, trail)


def without(ranges: tuple[tuple[int, int], ...], low: int, high: int) -> tuple[tuple[int, int], ...]:
    """Ranges without the bytes [low, high)."""
    parts = (part for one, end in ranges for part in ((one, min(end, low)), (max(one, high), end)))
    return tuple([(one, end) for one, end in parts if one < end])


def forgotten(records: tuple[StoredBlocks, ...], low: int, high: int) -> tuple[StoredBlocks, ...]:
    """The records that are left when something else is written to [low, high)."""
    return tuple([record for record in records if not record.meets(low, high)])


def covers(records: tuple[StoredBlocks, ...], low: int, high: int, stored: Stored) -> bool:
    """Do the bytes [low, high) hold matrices in FRACTAL_NZ that have the blocks of `stored`?"""
    for each in sorted(records, key=lambda record: record.low):
        if each.low <= low < min(each.high, high):
            size = stored.matrix_bytes
            alike = each.stored.blocks == stored.blocks and each.stored.columns == stored.columns
            if not alike or (low - each.low) % size:
                return False
            low = each.high
    return low >= high
