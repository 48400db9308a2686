"""The memory that a task or a call uses: which bytes, and as what."""

from enum import Enum
from typing import Final, NamedTuple

from acl_runtime.memory.layout import Layout

WORKSPACE: Final = "workspace"
"""the role of an operator's"""


class Use(Enum):
    """What a task does with bytes."""

    READ = "reads"
    WRITE = "writes"
    SCRATCH = "uses"
    """a workspace: written, and nobody else's meanwhile"""
    ACCUMULATE = "adds to"
    """reductions of several streams into one place do not disturb each other"""
    CELL = "tells with"
    """a value that other streams wait for: made to be used at the same time"""
    AWAIT = "waits for"

    @property
    def writes(self) -> bool:
        """Are the bytes others afterwards?"""
        return self not in (Use.READ, Use.AWAIT)


READS: Final = (Use.READ, Use.ACCUMULATE, Use.AWAIT)


class Range(NamedTuple):
    """Memory that a task uses: addresses [low, high) of a device or of the host, and as what."""

    low: int
    high: int
    role: str
    """`workspace`, `input gradOutput`, `output out`, `source`"""
    use: Use
    layout: Layout | None = None
    """which of the bytes, if not all"""
    dtype: int | None = None
    """the aclDataType of the elements, of a tensor"""
    brings: str = ""
    """the dtype of the numpy array that a copy takes the bytes from, if that is float64 or int64"""

    def meets(self, low: int, high: int) -> bool:
        """Does it share a byte with [low, high)?"""
        return self.low < high and low < self.high
