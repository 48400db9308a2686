"""AddRmsNormQuantV2: a sum that is normalised, shifted and quantised, once or twice.

The library has two paths. The fast path takes one scale for all elements, and on Ascend 950 all calls; it writes xOut
or rmsNormOut. The general path takes a scale for each element of a row, and writes xOut.
"""

from typing import Final

import numpy as np

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, PLAN, Arguments, Array, Bad, DataTypes, Operand, Planning, Relation, Series, Shape, T,
    demand, empty, in_parts, listed, only_if, planned, ranks, same_dtype, same_shape,
)  # fmt: skip
from aclnn.ops.norm._family import trailing
from aclnn.ops.norm.root_mean_square import inverse_rms
from aclnn.ops.quantisation._family import grid, on_grid, with_scales
from aclnn.ops.quantisation.normalised import OUTPUTS, SCALES, ZEROS, rows, scaled, store

A950: Final = Series.A950
OF_TYPE_OF_X1: Final = ("x2", "gamma", "betaOptional", "xOut", "rmsNormOut")
"""the tensors of the data type of x1"""
LIKE_GAMMA: Final = (*SCALES, *ZEROS, "betaOptional")
ON_950: Final = (T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16)
SCALE_TYPES: Final = DataTypes((T.ACL_FLOAT, T.ACL_BF16, T.ACL_FLOAT16), on={A950: ON_950})
ZERO_TYPES: Final = DataTypes((T.ACL_INT32, T.ACL_BF16, T.ACL_INT8), on={A950: (T.ACL_INT32, *ON_950)})
"""the library casts FLOAT16 scales and INT8 zero points, which the document does not list"""
LEAST_ON_310P: Final = 32


def fast(a: Arguments) -> bool:
    """True if the library uses its fast path."""
    if a.soc.series is A950:
        return True
    row = a.shape("x1")[-1:]
    once = not a.given(SCALES[1]) and not a.given(ZEROS[1]) and a["divMode"]
    single = a.shape("scales1") == (1,) and a.given(ZEROS[0]) and a.shape(ZEROS[0]) == (1,)
    behind = not a.given("betaOptional") and a.given("rmsNormOut") and not a.given("xOut")
    beta_before = a.given("betaOptional") and not a.given("rmsNormOut") and a.given("xOut")
    lone = a.shape("gamma") == (1,) and not a.given("betaOptional") and not a.given("rmsNormOut")
    return once and single and a.shape("gamma") in (row, (1, *row)) and (behind or beta_before) and not lone


def general(a: Arguments) -> bool:
    return not fast(a)


def without_sum(a: Arguments) -> Bad:
    return None if a.given("xOut") else ("a call without xOut", "xOut, as this is not the fast path")


def with_norm(a: Arguments) -> Bad:
    return "a tensor", "null, as this is not the fast path"


def narrow(a: Arguments) -> Bad:
    count = a["gamma"].numel
    too_short = a.soc.series is Series.INFERENCE and count < LEAST_ON_310P
    return (f"{count} elements", f"{LEAST_ON_310P} or more") if too_short else None


def one_or_all(name: str) -> Relation:
    """Checks the fast path: one number for all elements, or one for each element of gamma."""

    def bad(a: Arguments) -> Bad:
        good = a.shape(name) in ((1,), a.shape("gamma"))
        return None if good else (list(a.shape(name)), f"[1] or {list(a.shape('gamma'))}")

    return demand("{0} has one number, or the shape of gamma", name, bad=bad, status=PLAN)


TYPE_RULES: Final = (
    listed("x1"), *(same_dtype(name, "x1") for name in OF_TYPE_OF_X1), listed("scales1", among=SCALE_TYPES),
    same_dtype(SCALES[1], "scales1"), listed(ZEROS[0], among=ZERO_TYPES), same_dtype(ZEROS[1], ZEROS[0]),
    listed(*OUTPUTS), same_dtype("y2Out", "y1Out"),
)  # fmt: skip
RANKS: Final = ranks("x1", "x2", "gamma", *LIKE_GAMMA, *OUTPUTS, "xOut", "rmsNormOut", least=1, most=8)
AS_INPUT: Final = tuple(same_shape(name, "x1") for name in ("x2", *OUTPUTS, "xOut", "rmsNormOut"))


@planned(
    "aclnnAddRmsNormQuantV2", empty("x1", "gamma", "y2Out"),
    only_if("the path is the general one", general,
            demand("xOut is given with {0}", "x1", bad=without_sum, status=ACLNN_ERR_PARAM_NULLPTR),
            demand("{0} is null", "rmsNormOut", bad=with_norm, status=ACLNN_ERR_PARAM_NULLPTR)),
    *TYPE_RULES, RANKS, *AS_INPUT, trailing("gamma", "x1"),
    only_if("the path is the general one", general, *(same_shape(name, "gamma") for name in LIKE_GAMMA),
            demand("{0} has 32 elements on 310P", "gamma", bad=narrow)),
    only_if("the path is the fast one", fast, same_shape("betaOptional", "gamma", status=PLAN),
            *map(one_or_all, (*SCALES, *ZEROS))),
)  # fmt: skip
def add_rms_norm_quant_v2(p: Planning) -> None:
    """xOut = x1 + x2; rmsNormOut = xOut / sqrt(the mean of its squares + epsilon) * gamma; q = rmsNormOut + beta; y1Out
    = q / scales1 + zeroPoints1, rounded half to even, and saturated; with divMode false, q * scales1. y2Out is the same
    for scales2 and zeroPoints2, and is not written without scales2."""
    sizes = rows(p)
    inputs = [p.builder.reshape(p.read(name), sizes) for name in ("x1", "x2")]
    gamma = vector(p, "gamma")
    x, norm = (fast_norm if fast(p) else general_norm)(p, inputs, gamma, sizes)
    shifted = p.step(np.add, [norm, vector(p, "betaOptional")], sizes, T.ACL_FLOAT) if p.given("betaOptional") else norm
    kernel = times_reciprocal if fast(p) and p["divMode"] else with_scales
    for scales, zeros, out in zip(SCALES, ZEROS, OUTPUTS, strict=True):
        if p.given(scales):
            numbers = [vector(p, name) for name in (scales, zeros) if p.given(name)]
            attributes = grid(p.dtype(out)) | ({} if kernel is times_reciprocal else {"divides": p["divMode"]})
            store(p, out, p.step(kernel, [shifted, *numbers], sizes, p.dtype(out), **attributes))
    for name, result in (("xOut", x), ("rmsNormOut", norm)):
        if p.given(name):
            store(p, name, p.builder.cast(result, p.dtype(name)))


def vector(p: Planning, name: str) -> Operand:
    return p.builder.reshape(p.read(name), (p[name].numel,))


def fast_norm(p: Planning, inputs: list[Operand], gamma: Operand, sizes: Shape) -> tuple[Operand, Operand]:
    """The sum and its norm. The sum is not rounded before it is normalised."""
    x = p.step(np.add, inputs, sizes, T.ACL_FLOAT)
    return x, p.step(scaled, [x, gamma], sizes, T.ACL_FLOAT, epsilon=p["epsilon"])


def general_norm(p: Planning, inputs: list[Operand], gamma: Operand, sizes: Shape) -> tuple[Operand, Operand]:
    """The sum and its norm. FLOAT16 is rounded after each step, the sum of BFLOAT16 only if beta is given."""
    dtype = p.dtype("x1")
    keeps = dtype == T.ACL_FLOAT16 or p.given("betaOptional")
    x = p.step(np.add, inputs, sizes, dtype if keeps else T.ACL_FLOAT)
    if dtype != T.ACL_FLOAT16:
        return x, p.step(scaled, [x, gamma], sizes, T.ACL_FLOAT, epsilon=p["epsilon"])
    rstd = p.step(inverse_rms, [x], (sizes[0], 1), T.ACL_FLOAT, epsilon=p["epsilon"])
    unit = p.step(np.multiply, [x, rstd], sizes, dtype)
    return x, p.step(np.multiply, [unit, gamma], sizes, dtype)


@in_parts()
def times_reciprocal(
    x: Array, scale: Array, *zeros: Array, rounding: str, limits: tuple[float, float]
) -> Array:  # fmt: skip
    """x times the reciprocal of a scale, plus the zero points."""
    scaled = x * np.reciprocal(scale)
    for zero in zeros:
        scaled = scaled + zero.astype(np.float32)
    return on_grid(scaled, rounding=rounding, limits=limits)
