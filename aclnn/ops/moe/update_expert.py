"""MoeUpdateExpert: the places of experts that lie on several ranks. It communicates nothing."""

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Planning, T, check_range, demand, generated, listed, one_of, only_if, planned,
    ranks, same_dtype, same_shape, shape,
)  # fmt: skip

SCALES, THRESHOLD, ACTIVE = "expertScalesOptional", "pruningThresholdOptional", "activeMaskOptional"
PLACES, MASK = "balancedExpertIds", "balancedActiveMask"
BY_RANK, BY_TOKEN = 0, 1


def no_places(a: Arguments) -> Bad:
    experts, columns = a.shape("eplbTable")
    return None if experts and columns > 1 else ([experts, columns], "a row for each expert: a count, and places")


def other_rank(a: Arguments) -> Bad:
    rank, world = a["localRankId"], a["worldSize"]
    return None if 0 <= rank < world else (rank, f"at least 0, and below worldSize {world}")


def other_threshold(a: Arguments) -> Bad:
    experts, sizes = a.shape("expertIds")[1], a.shape(THRESHOLD)
    return None if sizes in ((experts,), (1, experts)) else (list(sizes), f"[{experts}] or [1, {experts}]")


@planned(
    "aclnnMoeUpdateExpert", generated(), listed("expertIds", "eplbTable", SCALES, THRESHOLD, ACTIVE, MASK),
    same_dtype(PLACES, as_="expertIds"), ranks("expertIds", "eplbTable", least=2, most=2, status=TILING),
    one_of("balanceMode", BY_RANK, BY_TOKEN, status=TILING),
    only_if("balanceMode is 0", lambda a: a["balanceMode"] == BY_RANK, demand(
        "{0} is below worldSize", "localRankId", "worldSize", bad=other_rank, status=TILING, provenance="ours")),
    demand("{0} has experts with counts and places", "eplbTable", bad=no_places, status=TILING, provenance="ours"),
    same_shape(PLACES, as_="expertIds", status=TILING), same_shape(MASK, as_="expertIds", status=TILING),
    same_shape(SCALES, as_="expertIds", status=TILING),
    demand("{0} has a number for each expert of a token", THRESHOLD, "expertIds", bad=other_threshold, status=TILING),
    shape(ACTIVE, "{0} has an element for each token", lambda a: a.shape("expertIds")[:1], status=TILING),
)  # fmt: skip
def moe_update_expert(p: Planning) -> None:
    """eplbTable has a row for each expert: the number of its places, then the places. balancedExpertIds = one of these
    places: for balanceMode 0 the one whose share of the worldSize ranks has localRankId, for 1 the one whose number is
    the token's row modulo the number of places. With scales and a threshold, balancedActiveMask is false where a scale
    is below the sum of the token's scales * threshold, or the token is not active; without both it is not written."""
    ids, table = p.read("expertIds"), p.read("eplbTable")
    p.builder.launch(check_range, [ids], [], name="expertIds", count=table.shape[0])
    p.store(PLACES, p.step(placed, [ids, table], ids.shape, ids.dtype, rank=p["localRankId"], world=p["worldSize"],
                           by_token=p["balanceMode"] == BY_TOKEN))  # fmt: skip
    if p.given(SCALES) and p.given(THRESHOLD):
        operands = [p.read(name) for name in (SCALES, THRESHOLD, ACTIVE) if p.given(name)]
        p.store(MASK, p.step(important, operands, ids.shape, T.ACL_BOOL))


def placed(ids: Array, table: Array, *, rank: int, world: int, by_token: bool) -> Array:
    """The place of each expert. An expert out of range, or a count that the table has no columns for, takes the nearest
    one that exists."""
    rows = table[np.clip(ids, 0, len(table) - 1)]
    counts = np.clip(rows[..., 0], 1, table.shape[1] - 1)
    numbers = np.arange(len(ids))[:, None] % counts if by_token else rank // -(-world // counts)
    return np.take_along_axis(rows, numbers[..., None] + 1, -1)[..., 0]


def important(scales: Array, threshold: Array, *active: Array) -> Array:
    below = scales < scales.sum(1, keepdims=True) * threshold.reshape(1, -1)
    return ~below & active[0][:, None] if active else ~below
