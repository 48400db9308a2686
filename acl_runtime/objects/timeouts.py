"""How long an operator may run on a device before it counts as hung."""

import math
from typing import Final, NamedTuple

from acl_runtime.objects.soc import Series


class Steps(NamedTuple):
    """The time limits that a series has: multiples of an interval."""

    interval_us: float
    default: int
    most: int


STARS: Final = Steps(4_294_967.296, 254, 254)
STEPS: Final = {
    Series.A2: STARS,
    Series.A3: STARS,
    Series.A200I_500_A2: STARS,
    Series.INFERENCE: Steps(2_147_483.648, 255, 255),
    Series.TRAINING: Steps(68_719_476.736, 1, 255),
}
"""about 1091 s, 547 s and 68 s at first. 310B as A2, and the most on the training series: ours"""


class Timeouts:
    """ "Hardware quantum: interval x N"."""

    def __init__(self, series: Series) -> None:
        self.steps = STEPS[series]
        self.op_execute_us = self.steps.interval_us * self.steps.default
        """what is in force, in simulated microseconds"""

    def set_op_execute(self, microseconds: int) -> None:
        """The shortest multiple of the interval that is at least as long, the longest for more; "0 = maximum"."""
        intervals = math.ceil(microseconds / self.steps.interval_us) or self.steps.most
        self.op_execute_us = self.steps.interval_us * min(intervals, self.steps.most)
