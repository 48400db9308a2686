"""Further forms of RmsNorm: with gamma counted from 1, and with a result in FLOAT."""

from aclnn.op import (
    TILING, Planning, done, generated, listed, not_negative, planned, ranks, same_dtype, same_shape, with_elements,
)  # fmt: skip
from aclnn.ops.norm._family import FLOAT, not_above, statistics, trailing
from aclnn.ops.norm.root_mean_square import add_and_normalise, normalise, rules

SAME = ("x2", "y1Out", "y2Out", "xOut")


@planned("aclnnGemmaRmsNorm", *rules(listed("x", "gamma"), same_dtype("gamma", as_="x")))
def gemma_rms_norm(p: Planning) -> None:
    """yOut = x * rstd * (1 + gamma), where rstd = 1 / sqrt(the mean of x^2 + epsilon) over the dimensions of gamma"""
    normalise(p, shift=1)


@planned(
    "aclnnAddRmsNormCast", generated(), listed("x1"),
    *(same_dtype(name, as_="x1") for name in ("x2", "gamma", "y2Out", "xOut")), listed("y1Out", "rstdOut"),
    done("all outputs are empty", "y1Out", "rstdOut", when=lambda a: a["y1Out"].numel == a["rstdOut"].numel == 0),
    ranks("x1", "gamma", least=1, most=8, status=TILING), not_above("gamma", "x1", status=TILING),
    trailing("gamma", "x1", status=TILING), *(same_shape(name, "x1", status=TILING) for name in SAME),
    with_elements("x1", status=TILING), statistics("rstdOut", "x1", "gamma", status=TILING),
    not_negative("epsilon", status=TILING),
)  # fmt: skip
def add_rms_norm_cast(p: Planning) -> None:
    """xOut = x1 + x2; y2Out = x * rstd * gamma, where rstd = 1 / sqrt(the mean of x^2 + epsilon) over the dimensions of
    gamma. y1Out = y2Out as FLOAT. FLOAT16 is rounded after each step; with BFLOAT16 x is not rounded before it is used,
    and y2Out is rounded once."""
    y, _ = add_and_normalise(p, ("x1", "x2"), ("y2Out", "xOut"), once=True)
    p.store("y1Out", p.builder.reshape(p.builder.cast(y, FLOAT), p.shape("y1Out")))
