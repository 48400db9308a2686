"""Philox4x32-10: random words that are a function of a key and a counter.

Ten rounds of multiplications and exclusive ors mix a counter of four words with a key of two words. So the numbers of a
tensor can be made in any order, and equal seeds and offsets give equal numbers (Salmon and others: Parallel random
numbers: as easy as 1, 2, 3. 2011).
"""

from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array

MULTIPLIERS: Final = np.array([0xD2511F53, 0xCD9E8D57], np.uint64)
KEY_INCREMENTS: Final = (0x9E3779B9, 0xBB67AE85)
"""increments of the words of the key after each round"""
ROUNDS: Final = 10
WORD_MASK: Final = (1 << 32) - 1
LOW, HIGH = slice(0, None, 2), slice(1, None, 2)
"""halves of the products in memory, which is little endian"""


def blocks(key: int, first: Any, second: Any, count: int) -> Array:
    """Blocks of four words for `count` counters (first, second). Each half of a counter has 64 bits, and is a number or
    an array. Negative numbers wrap to unsigned ones."""
    counter = np.empty((4, count), np.uint32)
    for half, number in enumerate((first, second)):
        bits = np.asarray(number if isinstance(number, np.ndarray) else np.uint64(number % 2**64), np.uint64)
        counter[2 * half], counter[2 * half + 1] = bits & np.uint64(WORD_MASK), bits >> np.uint64(32)
    return np.transpose(mixed(key, counter))


def mixed(key: int, counter: Array) -> Array:
    """The counters, four rows of words, after ten rounds."""
    keys = [key & WORD_MASK, key >> 32 & WORD_MASK]
    products = np.empty((2, counter.shape[1]), np.uint64)
    halves = products.view("<u4")
    for _ in range(ROUNDS):
        for half in (0, 1):
            np.multiply(counter[2 * half], MULTIPLIERS[half], out=products[half], dtype=np.uint64)
        for half in (0, 1):
            product = halves[1 - half]
            np.bitwise_xor(counter[2 * half + 1], product[HIGH], out=counter[2 * half])
            counter[2 * half] ^= np.uint32(keys[half])
            counter[2 * half + 1] = product[LOW]
        keys = [(word + increment) & WORD_MASK for word, increment in zip(keys, KEY_INCREMENTS, strict=True)]
    return counter
