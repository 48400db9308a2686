"""The exchange of operators that compute and communicate: each rank gives arrays, and gets those of all ranks.

The arrays of a rank are its results up to the meeting. They travel as bytes that describe themselves, whether the other
rank is a thread of this process or another process.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

import numpy as np

from acl_runtime.collective.buffers import Source
from acl_runtime.headers.dtypes import Array

Arrays = tuple[Array, ...]
LENGTH: Final = 4
"""bytes of the length of the description"""


class Contribution:
    """The arrays that a rank gives, as bytes: a `buffers.Source`. They are computed when they are first read, which is
    after the rank has arrived."""

    def __init__(self, compute: Callable[[], Sequence[Array]]) -> None:
        self._compute = compute
        self._content: Array | None = None
        self.failure: Exception | None = None
        """the exception that the computation raised; the content is then empty"""

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self._bytes())

    def read(self, offset: int, count: int) -> Array:
        """`count` bytes from an offset on."""
        return self._bytes()[offset : offset + count]

    def _bytes(self) -> Array:
        if self._content is None:
            try:
                self._content = packed(self._compute())
            except Exception as error:  # the task of the rank raises it
                self.failure, self._content = error, np.empty(0, np.uint8)
        return self._content


@dataclass(eq=False)
class Delivery:
    """The step of a meeting that hands the arrays of all ranks to the operator of one rank."""

    sources: Sequence[Source | None]
    """the bytes of each rank"""
    inbox: list[Arrays | None]
    """gets the arrays of each rank; None for a rank whose computation failed"""

    def run(self, workers: object) -> None:
        """Copy the arrays, as the bytes of another process are not kept."""
        self.inbox[:] = [None if source is None else unpacked(source.read(0, source.size)) for source in self.sources]

    def note(self) -> None:
        """No device memory was written."""


class Exchanging(Protocol):
    """The request of a rank, as far as an exchange needs it."""

    @property
    def send(self) -> Source | None:
        """The bytes that the rank gives."""
        ...

    @property
    def inbox(self) -> list[Arrays | None] | None:
        """The place for the arrays of all ranks; None for a rank of another process."""
        ...


def exchange(requests: Sequence[Exchanging]) -> Iterator[Delivery]:
    """Hand the arrays of all ranks to each rank of this process."""
    sources = [request.send for request in requests]
    for target in requests:
        if target.inbox is not None:
            yield Delivery(sources, target.inbox)


def packed(arrays: Sequence[Array]) -> Array:
    """Arrays as bytes: the length of their description, data types with shapes, and the elements."""
    text = json.dumps([[array.dtype.name, array.shape] for array in arrays]).encode()
    parts = [len(text).to_bytes(LENGTH, "little"), text, *(array.tobytes() for array in arrays)]
    return np.frombuffer(b"".join(parts), np.uint8)


def unpacked(content: Array) -> Arrays | None:
    """The arrays of these bytes; None for no bytes."""
    if not len(content):
        return None
    start = LENGTH + int.from_bytes(content[:LENGTH].tobytes(), "little")
    arrays: list[Array] = []
    for name, sizes in cast("list[list[Any]]", json.loads(content[LENGTH:start].tobytes())):
        dtype, shape = np.dtype(name), tuple(sizes)
        end = start + dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        arrays.append(np.frombuffer(content[start:end].tobytes(), dtype).reshape(shape))
        start = end
    return tuple(arrays)
