"""Units of bytes, and rounding to them."""

from typing import Final

MIB: Final = 1 << 20
GIB: Final = 1 << 30
TIB: Final = 1 << 40
HUGE_PAGE: Final = 2 * MIB


def round_up(n: int, unit: int) -> int:
    """The least multiple of `unit` that is not below `n`."""
    return -(-n // unit) * unit
