"""The ranges of memory that a task or a call uses, and the kind of each use."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Final, NamedTuple

from acl_runtime.memory.layout import Layout
from acl_runtime.memory.private_formats import Stored
from acl_runtime.text import Text

WORKSPACE: Final = "workspace"
"""the role of the workspace of an operator"""


class Use(Enum):
    """The way in which a task uses bytes; the value is the verb in texts."""

    READ = Text("reads")
    WRITE = Text("writes")
    UPDATE = Text("reads and writes")
    """a tensor that is changed in place; it counts as one access"""
    SCRATCH = Text("uses")
    """a workspace: the task writes it, and no other task may use it until the task is over"""
    ACCUMULATE = Text("adds to")
    """an atomic reduction: several streams may reduce into the same bytes at the same time"""
    CELL = Text("signals with")
    """a value that other streams wait for (aclrtValueWrite): concurrent use is its purpose"""
    AWAIT = Text("waits for")
    """a wait for such a value (aclrtValueWait)"""

    @property
    def writes(self) -> bool:
        """True if the use changes the bytes."""
        return self not in (Use.READ, Use.AWAIT)


Spans = Sequence[tuple[int, int]]
"""addresses [low, high)"""
Copying = Callable[[Spans], Spans]
"""from the unwritten bytes of the inputs of an operator to the bytes of its outputs that get written ones"""
READS: Final = (Use.READ, Use.UPDATE, Use.ACCUMULATE, Use.AWAIT)


class Range(NamedTuple):
    """Addresses [low, high) of a device or of the host, and the use of the bytes by a task."""

    low: int
    high: int
    role: str
    """`workspace`, `input gradOutput`, `output out`, `source`"""
    use: Use
    layout: Layout | None = None
    """the strided view, if not all bytes of the range are used"""
    dtype: int | None = None
    """the aclDataType of the elements of a tensor"""
    source_dtype: str = ""
    """for the target of a copy from a numpy array: the name of the array's type, if `copies.SHOWN` has it; else "" """
    stored: Stored | None = None
    """the layout of a tensor of an operator that is read or written in FRACTAL_NZ"""
    copying: Copying | None = None
    """for an input of an operator that only copies elements. Unwritten bytes may be copied: the copies are unwritten"""

    def meets(self, low: int, high: int) -> bool:
        """True if the range shares a byte with [low, high)."""
        return self.low < high and low < self.high
