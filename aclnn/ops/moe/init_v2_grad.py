"""MoeInitRoutingV2Grad: the gradient of tokens that were sorted by their experts."""

from aclnn.op import (
    Arguments, Bad, Planning, Shape, check_range, demand, listed, not_negative, one_of, planned, positive,
    public_format, ranks, refused_by_kernel, same_dtype, shape,
)  # fmt: skip
from aclnn.ops.moe.init_v2 import PADDED
from aclnn.ops.moe.routing import added

ROWS, PLACES = "gradExpandedX", "expandedRowIdx"


def uneven(a: Arguments) -> Bad:
    count, per_token = a[PLACES].numel, a["topK"]
    return None if count % per_token == 0 else (f"{count} places", f"a multiple of {per_token}")


def wrong_rank(a: Arguments) -> Bad:
    rank = 3 if a["dropPadMode"] == PADDED else 2
    return None if a.rank(ROWS) == rank else (f"{a.rank(ROWS)} dimensions", rank)


def other_count(a: Arguments) -> Bad:
    """Checks the rows where no expert has a capacity: one for each place, or activeNum."""
    if a["dropPadMode"] == PADDED:
        return None
    count, every = a.shape(ROWS)[0], a[PLACES].numel
    expected = a["activeNum"] if 0 < a["activeNum"] < every else every
    return None if count == expected else (count, expected)


def tokens(a: Arguments) -> Shape:
    return a[PLACES].numel // a["topK"], a.shape(ROWS)[-1]


@planned(
    "aclnnMoeInitRoutingV2Grad", listed(ROWS, PLACES), same_dtype("out", ROWS), public_format(ROWS, PLACES, "out"),
    refused_by_kernel(
        one_of("dropPadMode", 0, PADDED), positive("topK"), not_negative("activeNum"),
        demand("{0} has a dimension for experts with dropPadMode 1", ROWS, "dropPadMode", bad=wrong_rank),
        ranks(PLACES, "out"), demand("{0} has as many places for each token", PLACES, "topK", bad=uneven),
        demand("{0} has a row for each place, or activeNum rows", ROWS, PLACES, "activeNum", bad=other_count),
        shape("out", "{0} has a row for each token", tokens),
    ),
)  # fmt: skip
def moe_init_routing_v2_grad(p: Planning) -> None:
    """out[i] = the sum of gradExpandedX[expandedRowIdx[i * topK + j]] over j. A place behind activeNum, or -1 with
    dropPadMode 1, adds nothing. The places are those of aclnnMoeInitRoutingV2."""
    rows, places, padded = p.read(ROWS), p.read(PLACES), p["dropPadMode"] == PADDED
    size = rows.shape[-1]
    flat = p.builder.reshape(rows, (p[ROWS].numel // max(size, 1), size))
    count = flat.shape[0] if padded else places.shape[0]
    p.builder.launch(check_range, [places], [], name=PLACES, count=count, besides=-1 if padded else None)
    p.store("out", p.step(added, [flat, places], p.shape("out"), rows.dtype, per_token=p["topK"]))
