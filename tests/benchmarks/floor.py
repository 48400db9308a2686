"""The memory-bandwidth floor: numpy reading and writing as many bytes, in the same proportion, and nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

ROOM = 1 << 24
"""elements of each buffer, 64 MB: far more than a cache holds; longer streams go round"""
PIECE = 1 << 20
"""elements of one call of numpy"""
ROW = 8192
"""elements of one inner product: longer ones would start threads of the BLAS"""
LEAST = 64 << 20
"""bytes below which there is no floor: caches would serve it"""


class Mix(NamedTuple):
    """How many elements (of four bytes) each kind of pass handles."""

    add: int
    """two read, one written"""
    copy: int
    """one read, one written"""
    dot: int
    """two read, none written"""
    fill: int
    """one written"""


def mix(read: int, written: int) -> Mix:
    """The passes that read and write so many bytes."""
    r, w = read // 4, written // 4
    add = min(w, max(r - w, 0))
    copy = min(w - add, r - 2 * add)
    return Mix(add, copy, (r - 2 * add - copy) // 2, w - add - copy)


class Floor:
    """Streams through its own three buffers."""

    def __init__(self) -> None:
        self.a, self.b, self.c = (np.ones(ROOM, np.float32) for _ in range(3))
        self.helper = ThreadPoolExecutor(1)

    def stream(self, read: int, written: int, threads: int) -> Callable[[], None]:
        """A function that reads and writes so many bytes, with one thread or two."""
        passes = zip(mix(read, written), (self._add, self._copy, self._dot, self._fill), strict=True)
        pieces = [
            (one, slice(at % ROOM, min(at % ROOM + PIECE, at % ROOM + count - at)))
            for count, one in passes
            for at in range(0, count, PIECE)
        ]

        def run() -> None:
            turn = itertools.count()

            def share() -> None:
                while (at := next(turn)) < len(pieces):
                    one, piece = pieces[at]
                    one(piece)

            other = self.helper.submit(share) if threads == 2 else None
            share()
            if other is not None:
                other.result()

        return run

    def _add(self, at: slice) -> None:
        np.add(self.a[at], self.b[at], out=self.c[at])

    def _copy(self, at: slice) -> None:
        np.copyto(self.c[at], self.a[at])

    def _dot(self, at: slice) -> None:
        whole = slice(at.start, at.start + (at.stop - at.start) // ROW * ROW)
        np.vecdot(self.a[whole].reshape(-1, ROW), self.b[whole].reshape(-1, ROW))

    def _fill(self, at: slice) -> None:
        self.c[at] = 1
