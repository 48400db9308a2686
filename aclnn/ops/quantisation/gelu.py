"""GeluQuant: gelu of a tensor, quantised with given scales, or with a scale that is computed for each row."""

from math import prod
from typing import Any

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, HALVES, Arguments, Bad, Operand, Planning, Relation, Shape, T, before_nulls, demand,
    listed, one_of, only_if, planned, ranks, said, same_dtype, same_shape, shape, type_rows, with_elements,
)  # fmt: skip
from aclnn.ops.activation.smooth import gelu_of
from aclnn.ops.quantisation._family import by_rows, grid, named_type, with_scales

SCALE, OFFSET, OUT_SCALE = "inputScaleOptional", "inputOffsetOptional", "outScaleOptional"
FACTORS: dict[int, tuple[int, ...]] = {T.ACL_FLOAT: (T.ACL_FLOAT,), **{half: (half, T.ACL_FLOAT) for half in HALVES}}
"""the data types of the scale, by that of self"""


def dynamic(a: Arguments) -> bool:
    return a["quantMode"] == "dynamic"


def nameless(a: Arguments) -> Bad:
    needed = OUT_SCALE if dynamic(a) else SCALE
    return None if a.given(needed) else (repr(a["quantMode"]), f"a mode that does not need {needed}")


def superfluous(a: Arguments) -> Bad:
    given = a.given(OUT_SCALE) and not dynamic(a)
    return ("a tensor in the mode static", "null") if given else None


def offset_alone(a: Arguments) -> Bad:
    return None if a.given(SCALE) else ("a tensor", f"null without {SCALE}")


def other_length(a: Arguments) -> Bad:
    allowed = (1, a.shape("self")[-1])
    length = a.shape(SCALE)[0]
    return None if length in allowed else (f"{length} elements", f"{allowed[0]} or {allowed[1]}")


def unknown_rounding(a: Arguments) -> Bad:
    allowed = ("round", "hybrid") if a.dtype("y") == T.ACL_HIFLOAT8 else ("rint",)
    return None if a["roundMode"] in allowed else (repr(a["roundMode"]), " or ".join(allowed))


IN_ROWS: Relation = only_if(
    "quantMode is dynamic", dynamic, ranks("self", least=2, most=8),
    shape(OUT_SCALE, "{0} has an element for each row of self", lambda a: a.shape("self")[:-1]),
)  # fmt: skip


@planned(
    "aclnnGeluQuant", before_nulls((), said("quantMode"), one_of("quantMode", "static", "dynamic")),
    said("approximate"), said("roundMode"),
    demand("{0} has the tensor that it needs: inputScale for static, outScale for dynamic", "quantMode", bad=nameless,
           status=ACLNN_ERR_PARAM_NULLPTR),
    demand("{0} is null in the mode static", OUT_SCALE, bad=superfluous),
    demand(f"{{0}} is null without {SCALE}", OFFSET, bad=offset_alone),
    listed("self", SCALE, OFFSET, "y", OUT_SCALE), type_rows(("self", SCALE), FACTORS), same_dtype(OFFSET, SCALE),
    one_of("approximate", "none", "tanh"), named_type("dstType", "y"), ranks("self", SCALE, OFFSET),
    with_elements("self"), same_shape("y", "self"),
    demand("{0} has one element, or one for each column of {1}", SCALE, "self", bad=other_length),
    same_shape(OFFSET, SCALE), IN_ROWS, demand("{0} is a rounding that the data type of {1} has", "roundMode", "y",
                                               bad=unknown_rounding),
)  # fmt: skip
def gelu_quant(p: Planning) -> None:
    """g = gelu(self), in the form with tanh if approximate is tanh, else with erf. static: y = g * inputScale +
    inputOffset. dynamic: v = g * inputScale; outScale = max|v| / M of each row, and y = v / outScale; M is the greatest
    number of the data type of y. Rounded half to even, and saturated."""
    dtype, attributes = p.dtype("y"), grid(p.dtype("y"))
    flat = prod(p.shape("self")[:-1]), p.shape("self")[-1]
    form = 1 if p["approximate"] == "tanh" else 0
    gelu = p.step(gelu_of, [p.builder.reshape(p.read("self"), flat)], flat, T.ACL_FLOAT, approximate=form)
    factors = [p.read(name) for name in (SCALE, OFFSET) if p.given(name)]
    if dynamic(p):
        quantise_rows(p, gelu, factors[:1], flat, attributes)
        return
    y = p.step(with_scales, [gelu, *factors], flat, dtype, divides=False, **attributes)
    p.store("y", p.builder.reshape(y, p.shape("self")))


def quantise_rows(p: Planning, gelu: Operand, factors: list[Operand], flat: Shape, attributes: dict[str, Any]) -> None:
    y, scale = p.steps(by_rows, [gelu, *factors], [(flat, p.dtype("y")), ((flat[0], 1), T.ACL_FLOAT)], **attributes)
    p.store("y", p.builder.reshape(y, p.shape("self")))
    p.store(OUT_SCALE, p.builder.reshape(scale, p.shape(OUT_SCALE)))
