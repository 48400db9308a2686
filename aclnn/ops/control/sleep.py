"""Sleep: a task that takes time."""

from typing import Final

from aclnn.op import TILING, Arguments, Bad, Planning, demand, generated, planned

CYCLES_PER_US: Final = 1650


def not_one_positive(a: Arguments) -> Bad:
    values = a["cycles"].values
    return None if len(values) == 1 and values[0] > 0 else (list(values), "one number above 0")


@planned(
    "aclnnSleep", generated(), demand("{0} is one number above 0", "cycles", bad=not_one_positive, status=TILING,
                                      broken="{0} is not one number above 0"),
)  # fmt: skip
def sleep(p: Planning) -> None:
    """The task takes cycles / 1.65e9 seconds of simulated time."""
    p.builder.idle = p["cycles"].values[0] / CYCLES_PER_US
