"""Rotary position embedding of queries and keys in place."""

from typing import Final

from aclnn.op import (
    TILING, Arguments, Bad, Planning, Relation, Shape, demand, listed, planned, public_format, said, same_shape,
)  # fmt: skip
from aclnn.ops.rotary.embedding import HALF, INTERLEAVE, QUARTER, alike, rotary

TEXTS: Final = {"half": HALF, "interleave": INTERLEAVE, "quarter": QUARTER}
ONE_HEAD: Final = {1: 2, 2: 2, 3: 1}
"""the dimension of the heads, by layout (BSND, SBND, BNSD)"""
QUERIES: Final = ("queryRef", "keyRef")


def in_place(*, mode: bool) -> tuple[Relation, ...]:
    """The checks of the two in-place operators. `mode`: True for the operator with a mode and several layouts."""
    layouts = (1, 2, 3) if mode else (1,)

    def wrong_layout(a: Arguments) -> Bad:
        return None if a["layout"] in layouts else (a["layout"], ", ".join(map(str, layouts)))

    def other_mode(a: Arguments) -> Bad:
        return None if a["rotaryMode"] in TEXTS else (repr(a["rotaryMode"]), ", ".join(TEXTS))

    def wrong_sizes(a: Arguments) -> Bad:
        shape, step = a.shape("queryRef"), 4 if mode and a["rotaryMode"] == "quarter" else 2
        good = len(shape) == 4 and 0 not in shape and shape[-1] % step == 0 and (mode or shape[-1] == 128)
        return None if good else (list(shape), f"4 dimensions, the last one {f'a multiple of {step}' if mode else 128}")

    def with_one_head(a: Arguments, name: str) -> Shape:
        axis = ONE_HEAD[a["layout"]]
        return tuple(1 if dim == axis else size for dim, size in enumerate(a.shape(name)))

    def wrong_key(a: Arguments) -> Bad:
        good = a.rank("keyRef") == 4 and with_one_head(a, "keyRef") == with_one_head(a, "queryRef")
        return None if good and a["keyRef"].numel else (list(a.shape("keyRef")), "the shape of queryRef but for heads")

    def wrong_table(a: Arguments) -> Bad:
        expected_shape = with_one_head(a, "queryRef")
        return None if a.shape("cos") == expected_shape else (list(a.shape("cos")), list(expected_shape))

    of_mode = demand("{0} is half, interleave or quarter", "rotaryMode", bad=other_mode, status=TILING)
    return (
        listed(*QUERIES, "cos", "sin"), public_format(*QUERIES, "cos", "sin"),
        *alike("queryRef", "keyRef", "cos", "sin", status=TILING),
        demand("{0} is a value that the operator supports", "layout", bad=wrong_layout, status=TILING),
        *((said("rotaryMode"), of_mode) if mode else ()),
        demand("{0} has 4 dimensions, and a size that can be rotated", "queryRef", bad=wrong_sizes, status=TILING),
        demand("{0} has the shape of queryRef but for its heads", "keyRef", "queryRef", bad=wrong_key, status=TILING),
        demand("{0} has one head", "cos", "queryRef", bad=wrong_table, status=TILING),
        same_shape("sin", "cos", status=TILING),
    )  # fmt: skip


def turn(p: Planning, mode: int) -> None:
    cos, sin = p.read("cos"), p.read("sin")
    for name in QUERIES:
        x = p.read(name)
        p.store(name, p.step(rotary, [x, cos, sin], x.shape, x.dtype, mode=mode))


@planned("aclnnApplyRotaryPosEmb", *in_place(mode=False))
def apply_rotary_pos_emb(p: Planning) -> None:
    """query and key become x * cos + rotate(x) * sin; rotate turns the halves of the last dimension into (-x2, x1)"""
    turn(p, HALF)


@planned("aclnnApplyRotaryPosEmbV2", *in_place(mode=True))
def apply_rotary_pos_emb_v2(p: Planning) -> None:
    """Like aclnnApplyRotaryPosEmb, with a layout (1 BSND, 2 SBND, 3 BNSD) and a mode (half, interleave, quarter)"""
    turn(p, TEXTS[p["rotaryMode"]])
