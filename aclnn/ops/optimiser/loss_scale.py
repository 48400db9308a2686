"""The scale of losses for training in 16 bits: AmpUpdateScale."""

from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.statuses import ACLNN_ERR_INNER_TILING_ERROR
from aclnn.engine.arguments import Arguments
from aclnn.engine.operator import planned
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Bad
from aclnn.engine.words.shapes import ranks
from aclnn.engine.words.types import listed, same_dtype
from aclnn.engine.words.values import demand, may_be_in_place
from aclnn.ops.optimiser.adam import one_element

TILING: Final = ACLNN_ERR_INNER_TILING_ERROR
GIVEN = ("currentScale", "growthTracker", "foundInf")
WRITTEN = ("updatedScale", "updatedGrowthTracker")


def no_step(a: Arguments) -> Bad:
    return None if a["growthInterval"] > 0 else (a["growthInterval"], "1 or more")


@planned(
    "aclnnAmpUpdateScale", listed("currentScale"), listed("growthTracker"),
    same_dtype("foundInf", as_="currentScale"), same_dtype("updatedScale", as_="currentScale"),
    same_dtype("updatedGrowthTracker", as_="growthTracker"),
    # PyTorch's GradScaler passes tensors without dimensions, so these are accepted too
    ranks(*GIVEN, *WRITTEN, least=0, most=1, status=TILING),
    *(one_element(name, TILING) for name in (*GIVEN, *WRITTEN)),
    demand("{0} is positive", "growthInterval", bad=no_step, status=TILING),
    may_be_in_place(),
)  # fmt: skip
def amp_update_scale(p: Planning) -> None:
    """Where foundInf is set, the scale is multiplied by backoffFactor, and growthTracker is 0. Else growthTracker
    counts one more; at growthInterval it is 0 again, and the scale is multiplied by growthFactor, unless it would
    overflow.
    """
    settings = {name: p[name] for name in ("growthFactor", "backoffFactor", "growthInterval")}
    results = [(p.shape(name), p.dtype(name)) for name in WRITTEN]
    for name, result in zip(
        WRITTEN, p.steps(updated, [p.read(each) for each in GIVEN], results, **settings), strict=True
    ):
        p.store(name, result)


def updated(
    scale: Array, tracker: Array, found: Array, *, growthFactor: float, backoffFactor: float, growthInterval: int
) -> tuple[Array, Array]:
    """The scale and the number of steps since it changed."""
    if found.any():
        return scale * scale.dtype.type(backoffFactor), np.zeros_like(tracker)
    if tracker.reshape(-1)[0] + 1 < growthInterval:
        return scale, tracker + tracker.dtype.type(1)
    grown = scale * scale.dtype.type(growthFactor)
    return grown if np.isfinite(grown).all() else scale, np.zeros_like(tracker)
