"""The layout of the workspace: its size, and the offset of each intermediate ("6. Workspace size")."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from acl_runtime.memory.sizes import round_up

SLOT_BYTES: Final = 512
EXTRA_BYTES: Final = 32


def aligned(nbytes: int) -> int:
    """Bytes that an intermediate takes: `A(n) = round_up(n + 32, 512)`."""
    return round_up(nbytes + EXTRA_BYTES, SLOT_BYTES)


@dataclass(eq=False, slots=True)
class Intermediate:
    """An intermediate tensor. Step `first` writes it, and step `last` is the last to read it."""

    nbytes: int
    first: int = -1
    last: int = -1
    offset: int = 0


def share(slots: Sequence[Intermediate]) -> int:
    """Place the slots in the order of the steps that write them, and return the total size in bytes.

    "Take the last bucket whose latest occupant's lifetime does not overlap [...]; else open a new bucket. Bucket
    size = max aligned size of its occupants. Offsets = prefix sums in bucket creation order."
    """
    buckets: list[list[Intermediate]] = []
    for slot in sorted(slots, key=lambda slot: slot.first):
        free = [bucket for bucket in buckets if bucket[-1].last < slot.first]
        if free:
            free[-1].append(slot)
        else:
            buckets.append([slot])
    total = 0
    for bucket in buckets:
        for slot in bucket:
            slot.offset = total
        total += max(aligned(slot.nbytes) for slot in bucket)
    return total


def lay_out(slots: Sequence[Intermediate], start: int) -> int:
    """Place the slots one after the other, without sharing, behind `start` bytes. Returns their end."""
    for slot in slots:
        slot.offset = start
        start += aligned(slot.nbytes)
    return start
