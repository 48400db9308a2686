"""How long an operator may run on a device before it counts as hung."""

from typing import Final

OP_INTERVAL: Final = 4_294_967
"""microseconds, ours: 2^32 ns, so that the longest is the documented "about 1091 s" """
MOST_INTERVALS: Final = 254


class Timeouts:
    """ "Hardware quantum: interval x N with N in 1..254". The same on every product (ours)."""

    def __init__(self) -> None:
        self.op_execute_us = OP_INTERVAL * MOST_INTERVALS
        """what is in force, in simulated microseconds"""

    def set_op_execute(self, microseconds: int) -> None:
        """The shortest multiple of the interval that is at least as long, the longest for more; "0 = maximum"."""
        intervals = -(-microseconds // OP_INTERVAL) or MOST_INTERVALS
        self.op_execute_us = OP_INTERVAL * min(intervals, MOST_INTERVALS)
