"""Philox4x32-10 one block at a time, in Python's integers, and the numbers that are made of its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice
from math import cos, log, pi, sin, sqrt
from typing import Any

import numpy as np

MASK = 0xFFFFFFFF


def block(key: int, counter: int) -> list[int]:
    """Four words, from a key of 64 bits and a counter of 128."""
    words = [counter >> 32 * at & MASK for at in range(4)]
    low, high = key & MASK, key >> 32 & MASK
    for _ in range(10):
        one, other = words[0] * 0xD2511F53, words[2] * 0xCD9E8D57
        words = [other >> 32 ^ words[1] ^ low, other & MASK, one >> 32 ^ words[3] ^ high, one & MASK]
        low, high = (low + 0x9E3779B9) & MASK, (high + 0xBB67AE85) & MASK
    return words


def blocks(seed: int, offset: int) -> Iterator[list[int]]:
    """The blocks of a tensor: the offset is the high half of the counter."""
    return (block(seed % 2**64, (offset % 2**64) << 64 | at) for at in count())


def words(seed: int, offset: int) -> Iterator[int]:
    return (word for each in blocks(seed, offset) for word in each)


def fraction(word: int, bits: int = 23) -> float:
    """The low bits of a word as a number in [0, 1)."""
    return word % 2**bits / 2**bits


def uniform(seed: int, offset: int, size: int, bits: int = 23) -> np.ndarray:
    return np.array([fraction(word, bits) for word in islice(words(seed, offset), size)])


def pair(one: float, other: float) -> list[float]:
    """Two normal numbers of two uniform ones, by the method of Box and Muller."""
    radius = sqrt(-2 * log(max(one, 1e-7)))
    return [radius * sin(2 * pi * other), radius * cos(2 * pi * other)]


def normal(seed: int, offset: int, size: int) -> np.ndarray:
    u = uniform(seed, offset, size + 1)
    return np.array([each for at in range(0, size, 2) for each in pair(u[at], u[at + 1])][:size])


def double_normal(seed: int, offset: int, size: int) -> np.ndarray:
    """Two of each block: 20 bits of a word are above the 32 of the next one."""
    made = islice(blocks(seed, offset), (size + 1) // 2)
    wide = ([(each[at] % 2**20 << 32 | each[at + 1]) / 2**52 for at in (0, 2)] for each in made)
    return np.array([number for each in wide for number in pair(*each)][:size])


def seeded(formula: Callable[..., Any]) -> Callable[..., Any]:
    """The formula of seed and offset, where they come in tensors too."""

    def expected(**given: Any) -> Any:
        if "seedTensor" in given:
            first = int(np.ravel(given["offsetTensor"])[0])
            given = {**given, "seed": int(np.ravel(given["seedTensor"])[0]), "offset": given["offset"] + first}
        return formula(given)

    return expected
