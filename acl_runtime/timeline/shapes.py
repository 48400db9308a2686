"""The parts of a picture, and their sizes in pixels."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from acl_runtime.timeline.axis import TimeAxis
from acl_runtime.timeline.bars import Bar
from acl_runtime.timeline.contents import Found
from acl_runtime.timeline.elements import file_size
from acl_runtime.timeline.names import CallName

LANE: Final = 22.0
"""the height of a lane, with the space around its bars; all sizes here are in pixels"""
BAR: Final = 16.0
BETWEEN: Final = 10.0
"""the space above the host and above each device"""
TITLE: Final = 20.0
CURVE: Final = 46.0
MARK: Final = 20.0
"""the size of the mark of a finding"""
AXIS: Final = 48.0
"""the height of a line of text and the times"""


PROGRAM: Final = "marks and ranges"
"""the name of the rows with the marks of the program"""


class TimelineRow(NamedTuple):
    """The row of a thread or of a stream."""

    name: str
    top: float
    lanes: int
    bars: Sequence[Bar]
    of: str
    """the kind of the bars: `call`, `task` or `mark`"""
    names: Sequence[CallName] = ()
    """the names of calls above their bars"""

    def y(self, bar: Bar) -> float:
        """The upper edge of a bar in this row."""
        return self.top + bar.lane * LANE + (LANE - BAR) / 2


class Curve(NamedTuple):
    """The curve of the memory in use of a device. `steps`: pairs of x and the bytes in use from there on."""

    top: float
    bottom: float
    steps: Sequence[tuple[float, int]]

    @property
    def most(self) -> int:
        """The greatest number of bytes."""
        return max((used for _, used in self.steps), default=0)


def most_in_use(curve: Curve) -> str:
    """The text beside a curve."""
    return f"{file_size(curve.most)} at most"


class RowGroup(NamedTuple):
    """The rows of the host, or of a device."""

    name: str
    top: float
    rows: Sequence[TimelineRow]
    curve: Curve | None = None


class Arrow(NamedTuple):
    """An arrow between two points (x, y)."""

    kind: str
    """`launch`: from a call to its task; `order`: from the record of an event to its wait, or from a task to the host
    call that waits for it"""
    tail: tuple[float, float]
    head: tuple[float, float]
    text: str
    of: int = 0
    """the id of the task of a launch, or of the first task"""


class FindingMark(NamedTuple):
    """The mark of the findings of one level at one place."""

    x: float
    level: str
    findings: Sequence[Found]
    foot: tuple[float, float] | None
    """the upper edge of the call that reported the first finding; None without a call"""


class Picture(NamedTuple):
    """The elements of a picture, with their coordinates."""

    axis: TimeAxis
    groups: Sequence[RowGroup]
    arrows: Sequence[Arrow]
    marks: Sequence[FindingMark]
    top: float
    """the top of the rows, below the marks"""
    bottom: float
    summarised: int
    """the number of calls and tasks in merged bars"""
    left: float
    """the width of the names at the left of the rows"""
