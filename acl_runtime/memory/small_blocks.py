"""The small blocks of memory that numpy keeps of arrays that are gone.

numpy hands such a block to the next array of its size with the values in it. An `np.empty` of the program could hold
the right answer that way, and a test that copies nothing to the host would pass."""

from collections.abc import Iterable
from typing import Final

import numpy as np

KEPT: Final = 1024
"""numpy keeps blocks of fewer bytes"""
BLOCKS: Final = 7
"""the most blocks of a size that numpy keeps"""


def overwrite(sizes: Iterable[int]) -> None:
    """Overwrite the blocks of these sizes with 0xFF, which is NaN in floats."""
    for size in sizes:
        for block in [np.empty(size, np.uint8) for _ in range(BLOCKS)]:
            block.fill(0xFF)
