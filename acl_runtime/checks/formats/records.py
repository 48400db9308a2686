"""Records of bytes in the private format FRACTAL_NZ.

The layout belongs to the memory, not to the tensor that was used to write it. So the check `format_mismatch` stores a
record of each range that an operator wrote in this format, and updates the records when work is queued.
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
    """the call that wrote the bytes"""

    def meets(self, low: int, high: int) -> bool:
        """True if the record shares a byte with [low, high)."""
        return self.low < high and low < self.high

    def moved(self, distance: int, trail: Trail | str) -> "StoredBlocks":
        """The record of a copy of these bytes."""
        return StoredBlocks(self.low + distance, self.high + distance, self.stored, trail)


def remaining(records: tuple[StoredBlocks, ...], low: int, high: int) -> tuple[StoredBlocks, ...]:
    """The records that remain when something else is written to [low, high)."""
    return tuple([record for record in records if not record.meets(low, high)])


def covers(records: tuple[StoredBlocks, ...], low: int, high: int, stored: Stored) -> bool:
    """True if the bytes [low, high) are matrices in FRACTAL_NZ with the blocks of `stored`."""
    for record in sorted(records, key=lambda record: record.low):
        if record.low <= low < min(record.high, high):
            size = stored.matrix_bytes
            alike = record.stored.blocks == stored.blocks and record.stored.columns == stored.columns
            if not alike or (low - record.low) % size:
                return False
            low = record.high
    return low >= high
