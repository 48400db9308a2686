"""The scale of losses for training in 16 bits: AmpUpdateScale."""

import numpy as np

from aclnn.op import TILING, Array, Planning, listed, may_be_in_place, one_element, planned, positive, ranks, same_dtype


INPUTS = ("currentScale", "growthTracker", "foundInf")
WRITTEN = ("updatedScale", "updatedGrowthTracker")


@planned(
    "aclnnAmpUpdateScale", listed("currentScale"), listed("growthTracker"),
    same_dtype("foundInf", as_="currentScale"), same_dtype("updatedScale", as_="currentScale"),
    same_dtype("updatedGrowthTracker", as_="growthTracker"),
    # PyTorch's GradScaler passes tensors without dimensions, so these are accepted too
    ranks(*INPUTS, *WRITTEN, least=0, most=1, status=TILING),
    *(one_element(name, status=TILING) for name in (*INPUTS, *WRITTEN)),
    positive("growthInterval", status=TILING),
    may_be_in_place(),
)  # fmt: skip
def amp_update_scale(p: Planning) -> None:
    """If foundInf is set, the scale is multiplied by backoffFactor, and growthTracker is set to 0. Otherwise
    growthTracker grows by 1. When growthTracker reaches growthInterval, it is set to 0, and the scale is multiplied by
    growthFactor. A scale that would overflow is not multiplied.
    """
    settings = {name: p[name] for name in ("growthFactor", "backoffFactor", "growthInterval")}
    results = [(p.shape(name), p.dtype(name)) for name in INPUTS[:2]]  # of rank 0 or 1
    for name, result in zip(
        WRITTEN, p.steps(updated, [p.read(tensor) for tensor in INPUTS], results, **settings), strict=True
    ):
        p.store(name, result)


def updated(
    scale: Array, tracker: Array, found_inf: Array, *, growthFactor: float, backoffFactor: float, growthInterval: int
) -> tuple[Array, Array]:
    """The new scale, and the number of steps since its last change."""
    if found_inf.any():
        return scale * scale.dtype.type(backoffFactor), np.zeros_like(tracker)
    if tracker.reshape(-1)[0] + 1 < growthInterval:
        return scale, tracker + tracker.dtype.type(1)
    grown = scale * scale.dtype.type(growthFactor)
    return grown if np.isfinite(grown).all() else scale, np.zeros_like(tracker)
