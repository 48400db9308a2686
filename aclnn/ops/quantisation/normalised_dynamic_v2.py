"""AddRmsNormDynamicQuantV2: a sum that is normalised, shifted, and quantised row by row, once or twice."""

from typing import Final

import numpy as np

from aclnn.op import (
    PLAN, TILING, Arguments, Array, Bad, Planning, Relation, Series, T, before_nulls, demand, done, in_parts, listed,
    not_negative, only_if, planned, ranks, same_dtype, same_shape, shape,
)  # fmt: skip
from aclnn.ops.quantisation._family import CARRIED, grid, held_in, on_grid, packed_shape, store_quantised
from aclnn.ops.quantisation.normalised import OUTPUTS, SMOOTH, lead, normalised, rows, store

SCALES: Final = ("scale1Out", "scale2Out")
MASK: Final = "outputMask"


def active(a: Arguments) -> tuple[bool, bool]:
    """For each result, true if it is computed. Without a mask the first result is computed, and the second if both
    smooth scales are given."""
    if a.given(MASK):
        first, second = a[MASK].values
        return first, second
    return True, a.given(SMOOTH[0]) and a.given(SMOOTH[1])


def wrong_mask(a: Arguments) -> Bad:
    mask = a[MASK].values
    if len(mask) != 2:
        return f"{len(mask)} flags", "2 flags"
    for flag, name in zip(mask, SMOOTH, strict=True):
        if a.given(name) and not flag:
            return list(mask), f"true for {name}"
    return None if any(mask) else (list(mask), "a flag that is true")


def alone(a: Arguments) -> Bad:
    return None if a.given(MASK) or a.given(SMOOTH[0]) else ("a tensor alone", f"also {SMOOTH[0]}, or {MASK}")


def nothing(a: Arguments) -> bool:
    return any(a[name].numel == 0 for name in ("x1", "y2Out")) or (
        a["gamma"].numel == 0 and a.soc.series is not Series.A950
    )


def both(a: Arguments) -> bool:
    return active(a) == (True, True)


def where_active(number: int, *relations: Relation) -> Relation:
    return only_if(f"result {number + 1} is asked for", lambda a: active(a)[number], *relations)


def packed(name: str) -> Relation:
    """Checks that an INT32 output has an eighth of the last dimension."""

    def bad(a: Arguments) -> Bad:
        last = (a.shape("x1") or (1,))[-1]
        good = a.dtype(name) != T.ACL_INT32 or (a.shape(name)[-1:] == (last // CARRIED,) and last % CARRIED == 0)
        return None if good else (list(a.shape(name)), f"an eighth of {last} in the last dimension")

    return demand("{0} of INT32 has an eighth of the last dimension", name, bad=bad)


def as_input(name: str) -> Relation:
    sentence = "{0} has the shape of x1, as INT32 an eighth of its last dimension"
    return shape(name, sentence, lambda a: packed_shape(a.shape("x1"), a.dtype(name)), status=TILING)


@planned(
    "aclnnAddRmsNormDynamicQuantV2",
    before_nulls((), demand("{0} fits the smooth scales", MASK, bad=wrong_mask),
                 demand("{0} is not alone", SMOOTH[1], bad=alone)),
    done("x1, gamma or y2Out has no elements (gamma: not on Ascend 950)", "x1", "gamma", "y2Out", when=nothing),
    only_if("both results are asked for", both, same_dtype("y2Out", "y1Out")),
    *(where_active(i, packed(name), as_input(name)) for i, name in enumerate(OUTPUTS)),
    listed("x1", status=PLAN), *(same_dtype(name, "x1", status=PLAN) for name in ("x2", "gamma", "xOut")),
    *(same_dtype(name, "gamma", status=PLAN) for name in (*SMOOTH, "betaOptional")),
    *(where_active(i, listed(OUTPUTS[i], SCALES[i], status=PLAN)) for i in (0, 1)),
    ranks("x1", least=2, most=8, status=PLAN), *(same_shape(name, "x1", status=PLAN) for name in ("x2", "xOut")),
    shape("gamma", "{0} has an element for each of the last dimension of x1", lambda a: a.shape("x1")[-1:],
          status=PLAN),
    *(same_shape(name, "gamma", status=PLAN) for name in (*SMOOTH, "betaOptional")),
    *(where_active(i, shape(name, "{0} has an element for each row of x1", lead, status=PLAN))
      for i, name in enumerate(SCALES)),
    not_negative("epsilon", status=PLAN),
)  # fmt: skip
def add_rms_norm_dynamic_quant_v2(p: Planning) -> None:
    """xOut = x1 + x2; r = xOut / sqrt(the mean of its squares + epsilon) * gamma + beta; z = r * smoothScale1;
    scale1Out = max|z| / M of each row, and y1Out = z * (M / max|z|), rounded half to even; M is the greatest number of
    the data type. y2Out and scale2Out are the same for smoothScale2. outputMask selects the results; without outputMask
    the second is written only if both smooth scales are given."""
    x, norm = normalised(p)
    if p.given("betaOptional"):
        norm = p.step(np.add, [norm, p.read("betaOptional")], norm.shape, T.ACL_FLOAT)
    for is_active, smooth, out, scale in zip(active(p), SMOOTH, OUTPUTS, SCALES, strict=True):
        if is_active:
            inputs = [p.read(smooth)] if p.given(smooth) else []
            dtype = held_in(p.dtype(out))
            results = [(norm.shape, dtype), ((rows(p)[0], 1), T.ACL_FLOAT)]
            y, scales = p.steps(by_rows, [norm, *inputs], results, **grid(dtype))
            store_quantised(p, out, p.builder.reshape(y, p.shape("x1")))
            store(p, scale, scales)
    store(p, "xOut", p.builder.cast(x, p.dtype("xOut")))


@in_parts([-1])
def by_rows(x: Array, *smooth: Array, rounding: str, limits: tuple[float, float]) -> tuple[Array, Array]:
    """Like `by_rows` of `_family`, but multiplies by the reciprocals of the scales. A row of zeros has the scale 0."""
    for factor in smooth:
        x = x * factor
    largest = np.abs(x).max(1, keepdims=True)
    reciprocal: Array = np.divide(np.float32(limits[1]), np.where(largest == 0, np.float32(1), largest))
    y = on_grid(x * reciprocal, rounding=rounding, limits=limits)
    return y, np.where(largest == 0, np.float32(0), np.reciprocal(reciprocal))
