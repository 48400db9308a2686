"""The time limit of an operator on a device. An operator that takes longer counts as hung."""

import math
from typing import Final, NamedTuple

from acl_runtime.objects.soc import Series


class Steps(NamedTuple):
    """The time limits of a product series. `default` and `most` count intervals."""

    interval_us: float
    default: int
    most: int


STARS: Final = Steps(4_294_967.296, 254, 254)
STEPS: Final = {
    Series.A2: STARS,
    Series.A3: STARS,
    Series.A950: STARS,
    Series.A200I_500_A2: STARS,
    Series.INFERENCE: Steps(2_147_483.648, 255, 255),
    Series.TRAINING: Steps(68_719_476.736, 1, 255),
}
"""the defaults are about 1091 s, 547 s and 68 s. Our decisions: 310B has the values of A2; the training series has 255
as its greatest limit"""


class Timeouts:
    """The time limit of operators of a machine: "Hardware quantum: interval x N"."""

    def __init__(self, series: Series) -> None:
        self.steps = STEPS[series]
        self.op_execute_us = self.steps.interval_us * self.steps.default
        """the present limit, in simulated microseconds"""

    def set_op_execute(self, microseconds: int) -> None:
        """Set the limit: a multiple of the interval, rounded up, not above the greatest limit; "0 = maximum"."""
        intervals = math.ceil(microseconds / self.steps.interval_us) or self.steps.most
        self.op_execute_us = self.steps.interval_us * min(intervals, self.steps.most)
