"""RotaryPositionEmbeddingV2, which multiplies by a rotation matrix, or without one rotates like the first version."""

from aclnn.op import (
    PLAN, Arguments, Array, Bad, Planning, Series, Shape, demand, matmul, only_if, planned, ranks, same_shape, shape,
)  # fmt: skip
from aclnn.ops.rotary.embedding import INTERLEAVE, NO_WORK, ROTATED, alike, other_type, rotary_position_embedding

LONGEST = 896
"""most elements of a last dimension that a matrix rotates"""


def elsewhere(a: Arguments) -> Bad:
    return None if a.soc.series in (Series.A2, Series.A3) else ("a matrix", "null")


def odd_size(a: Arguments) -> Bad:
    size = a.shape("x")[-1]
    return None if 0 < size <= LONGEST and size % 2 == 0 else (size, f"an even number up to {LONGEST}")


def wrong_table(a: Arguments) -> Bad:
    """Checks that cos has the last dimension of x, and at least one of the other three; in mode 1 exactly one."""
    shape, (b, s, n, d) = a.shape("cos"), a.shape("x")
    narrow = [(1, 1, n, d), (1, s, 1, d), (b, 1, 1, d)]
    wide = [(b, s, n, d), (b, 1, n, d), (b, s, 1, d), (1, s, n, d)]
    allowed = narrow if a["mode"] == INTERLEAVE else [*narrow, *wide]
    return None if shape in allowed else (list(shape), ", ".join(str(list(each)) for each in allowed))


def square(a: Arguments) -> Shape:
    return a.shape("x")[-1:] * 2


@planned(
    "aclnnRotaryPositionEmbeddingV2",
    demand("{0} is null on this product", "rotate", bad=elsewhere, provenance="public"), NO_WORK,
    only_if("rotate is null", lambda a: not a.given("rotate"), *ROTATED),
    only_if(
        "rotate is given", lambda a: a.given("rotate"),
        demand("{0} is FLOAT, FLOAT16 or BFLOAT16", "x", bad=other_type, status=PLAN, provenance="public"),
        *alike("x", "cos", "sin", "rotate", "out", status=PLAN), ranks("x", "cos", least=4, most=4, status=PLAN),
        demand("the last dimension of {0} can be rotated", "x", bad=odd_size, status=PLAN),
        demand("{0} broadcasts to {1}", "cos", "x", bad=wrong_table, status=PLAN),
        same_shape("sin", "cos", status=PLAN),
        shape("rotate", "{0} is a square as large as the last dimension of x", square, status=PLAN),
        same_shape("out", "x", status=PLAN),
    ),
)  # fmt: skip
def rotary_position_embedding_v2(p: Planning) -> None:
    """out = x * cos + (x @ rotate) * sin. If rotate is null, the result is that of aclnnRotaryPositionEmbedding."""
    if not p.given("rotate"):
        assert rotary_position_embedding.plan is not None
        rotary_position_embedding.plan(p)
        return
    inputs = [p.read(name) for name in ("x", "cos", "sin", "rotate")]
    p.store("out", p.step(turned, inputs, p.shape("x"), inputs[0].dtype))


def turned(x: Array, cos: Array, sin: Array, rotate: Array) -> Array:
    return x * cos + matmul(x, rotate) * sin
