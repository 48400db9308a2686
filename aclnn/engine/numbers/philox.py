"""Philox4x32-10: random words that follow from a key and a counter, each on its own.

Ten rounds of multiplications and exclusive ors mix a counter of four words with a key of two. So the numbers of a
tensor can be made in any order, and equal seeds and offsets give equal numbers (Salmon and others: Parallel random
numbers: as easy as 1, 2, 3. 2011).
"""

from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array

MULTIPLIERS: Final = np.array([0xD2511F53, 0xCD9E8D57], np.uint64)
STEPS: Final = (0x9E3779B9, 0xBB67AE85)
"""what the words of the key grow by after each round"""
ROUNDS: Final = 10
WORD: Final = (1 << 32) - 1
LOW, HIGH = slice(0, None, 2), slice(1, None, 2)
"""the halves of a product in its memory, which is little endian"""


def blocks(key: int, first: Any, second: Any, count: int) -> Array:
    """Blocks of four words for the counters (first, second), two numbers of 64 bits: numbers, or an array of `count`.
    Negative numbers count as their bits."""
    counter = np.empty((4, count), np.uint32)
    for at, number in enumerate((first, second)):
        bits = np.asarray(number if isinstance(number, np.ndarray) else np.uint64(number % 2**64), np.uint64)
        counter[2 * at], counter[2 * at + 1] = bits & np.uint64(WORD), bits >> np.uint64(32)
    return np.transpose(mixed(key, counter))


def mixed(key: int, counter: Array) -> Array:
    """The counters, four rows of words, after ten rounds."""
    keys = [key & WORD, key >> 32 & WORD]
    products = np.empty((2, counter.shape[1]), np.uint64)
    halves = products.view("<u4")
    for _ in range(ROUNDS):
        for at in (0, 1):
            np.multiply(counter[2 * at], MULTIPLIERS[at], out=products[at], dtype=np.uint64)
        for at in (0, 1):
            other = halves[1 - at]
            np.bitwise_xor(counter[2 * at + 1], other[HIGH], out=counter[2 * at])
            counter[2 * at] ^= np.uint32(keys[at])
            counter[2 * at + 1] = other[LOW]
        keys = [(word + step) & WORD for word, step in zip(keys, STEPS, strict=True)]
    return counter
