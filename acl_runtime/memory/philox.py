"""Random numbers of Philox4x32-10, by a key of 64 bits and a counter of 128 bits."""

from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array

MULTIPLIERS: Final = (0xD2511F53, 0xCD9E8D57)
WEYL: Final = (0x9E3779B9, 0xBB67AE85)
ROUNDS: Final = 10
WORD: Final = 0xFFFF_FFFF
HALF: Final = 32
"""bits of a word"""
WIDEST: Final = 2.0
"""standard deviations to which a truncated normal distribution reaches"""


def words(key: int, counter: int, count: int) -> Array:
    """`count` words of 32 bits. Four words come from each value of the counter."""
    half, word = np.uint64(HALF), np.uint64(WORD)
    multipliers = [np.uint64(each) for each in MULTIPLIERS]
    blocks = -(-count // 4)
    steps: Any = np.arange(blocks, dtype=np.uint64)
    first_low: Any = np.uint64(counter & ((1 << 64) - 1))
    low: Any = first_low + steps
    carry: Any = (low < first_low).astype(np.uint64)
    high: Any = np.uint64(counter >> 64) + carry
    counters: list[Any] = [low & word, low >> half, high & word, high >> half]
    keys = [key & 0xFFFF_FFFF, key >> 32 & 0xFFFF_FFFF]
    for _ in range(ROUNDS):
        first, second = counters[0] * multipliers[0], counters[2] * multipliers[1]
        counters = [
            second >> half ^ counters[1] ^ np.uint64(keys[0]),
            second & word,
            first >> half ^ counters[3] ^ np.uint64(keys[1]),
            first & word,
        ]
        keys = [(value + step) & 0xFFFF_FFFF for value, step in zip(keys, WEYL, strict=True)]
    return np.stack(counters, axis=1).ravel()[:count].astype(np.uint32)


def reals(key: int, counter: int, count: int) -> Array:
    """`count` numbers in [0, 1)."""
    pairs = words(key, counter, 2 * count).astype(np.uint64).reshape(-1, 2)
    return ((pairs[:, 0] << np.uint64(HALF) | pairs[:, 1]) >> np.uint64(11)) * 2.0**-53


def normals(key: int, counter: int, count: int, *, truncated: bool) -> Array:
    """`count` numbers with mean 0 and standard deviation 1; truncated ones lie within two deviations."""
    numbers = _normals(key, counter, 2 * count + 64 if truncated else count)
    return np.resize(numbers[np.abs(numbers) <= WIDEST], count) if truncated else numbers


def _normals(key: int, counter: int, count: int) -> Array:
    """The method of Box and Muller."""
    radius, angle = reals(key, counter, 2 * count).reshape(2, -1)
    result: Any = np.sqrt(-2 * np.log1p(-radius)) * np.cos(2 * np.pi * angle)
    return result
