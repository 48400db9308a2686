"""RmsNormDynamicMxQuant and AddRmsNormDynamicMxQuant: rows that are normalised, and quantised in blocks."""

from math import prod

import numpy as np

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, Arguments, Operand, Planning, Relation, T, listed, may_be_null, needed_if,
    nibbles, one_of, only_if, planned, ranks, refused_by_kernel, same_dtype, same_shape, shape, with_elements,
)  # fmt: skip
from aclnn.ops.blocks._contract import algorithm, fixed, mode, result, rounding, scales, store_blocks
from aclnn.ops.blocks._grids import Rule
from aclnn.ops.norm._family import float_or
from aclnn.ops.norm.root_mean_square import inverse_rms
from aclnn.ops.quantisation.normalised import scaled

INNER = ACLNN_ERR_INNER_NULLPTR
VECTORS = ("gamma", "beta")


def wants_rstd(a: Arguments) -> bool:
    return a["outputRstd"]


def contract(x: str, *besides: str) -> tuple[Relation, ...]:
    """The checks of a function. All but null pointers are those of its kernel."""
    return (
        nibbles("yOut"), may_be_null("rstdOut"), needed_if("rstdOut", "outputRstd"),
        refused_by_kernel(
            listed(x, *besides, *VECTORS, "yOut", "mxscaleOut"), *(same_dtype(name, x) for name in besides),
            *(float_or(name, x) for name in VECTORS), same_dtype("beta", "gamma"),
        ),
        *rounding("roundMode", "yOut", status=INNER), one_of("scaleAlg", 0, 1, status=INNER),
        algorithm("scaleAlg", "yOut", status=INNER), ranks(x, *VECTORS, status=INNER), with_elements(x, status=INNER),
        *(same_shape(name, x, status=INNER) for name in besides),
        *(shape(name, "{0} has an element for each column of x", lambda a: a.shape(x)[-1:], status=INNER)
          for name in VECTORS),
        *result("yOut", x, status=INNER), scales("mxscaleOut", x, fixed(-1), status=INNER),
        refused_by_kernel(only_if(
            "rstdOut is asked for", wants_rstd, listed("rstdOut"),
            shape("rstdOut", "{0} has an element for each row of x", lambda a: (*a.shape(x)[:-1], 1)),
        )),
    )  # fmt: skip


def plan(p: Planning, x: Operand) -> None:
    """Plans the norm of x, of FLOAT or less, and its blocks."""
    whole = x.shape
    flat = prod(whole[:-1]), whole[-1]
    rows = p.builder.reshape(x, flat)
    norm = p.step(scaled, [rows, p.read("gamma")], flat, T.ACL_FLOAT, epsilon=p["epsilon"])
    if p.given("beta"):
        norm = p.step(np.add, [norm, p.read("beta")], flat, T.ACL_FLOAT)
    store_blocks(p, p.builder.reshape(norm, whole), "yOut", "mxscaleOut", axis=-1, rounding=mode(p, "roundMode"),
                 rule=Rule(p["scaleAlg"]))  # fmt: skip
    if wants_rstd(p):
        rstd = p.step(inverse_rms, [rows], (flat[0], 1), T.ACL_FLOAT, epsilon=p["epsilon"])
        p.store("rstdOut", p.builder.reshape(rstd, (*whole[:-1], 1)))


@planned("aclnnRmsNormDynamicMxQuant", *contract("x"))
def rms_norm_dynamic_mx_quant(p: Planning) -> None:
    """v = x * rstd * gamma + beta, with rstd = 1 / sqrt(the mean of x^2 + epsilon) over the last dimension; yOut and
    mxscaleOut are aclnnDynamicMxQuant of v along it, in blocks of 32. rstdOut is written if outputRstd is true."""
    plan(p, p.read("x"))


@planned("aclnnAddRmsNormDynamicMxQuant", *contract("x1", "x2", "xOut"))
def add_rms_norm_dynamic_mx_quant(p: Planning) -> None:
    """xOut = x1 + x2, rounded; the other results are those of aclnnRmsNormDynamicMxQuant of the sum in FLOAT"""
    total = p.step(np.add, [p.read("x1"), p.read("x2")], p.shape("x1"), T.ACL_FLOAT)
    p.store("xOut", total)
    plan(p, total)
