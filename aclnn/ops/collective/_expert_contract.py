"""The checks that dispatch and combine share. Names of parameters differ by version: `scales` or `scalesOptional`."""

from typing import Any, Final

from aclnn.op import (
    ACLNN_ERR_PARAM_NULLPTR, TILING, Arguments, Bad, Planning, Relation, Series, T, demand, group_of, in_range, listed,
    names_group, only_on, one_of, ranks, said,
)  # fmt: skip
from aclnn.ops.collective._family import long_name
from aclnn.ops.collective._experts import Experts

MOST_COUNTS: Final = 2048
LINE: Final = 128
"""numbers in assistInfoForCombine for each row"""
OLD_STATUS: Final = 100000
"""ACL_ERROR_INVALID_PARAM"""
ALGORITHMS: Final = ("", "fullmesh", "hierarchy", "fullmesh_v1", "fullmesh_v2", "ccu", None)


def own_name(a: Arguments, name: str) -> str:
    """The name of a parameter in this version."""
    return next(each for each in (name, f"{name}Optional", f"{name}Out", f"{name}ForCombine", f"{name}ForCombineOut")
                if a.has(each))  # fmt: skip


def has(a: Arguments, name: str) -> bool:
    """True if this version has the parameter, and the call gives it."""
    names = (name, f"{name}Optional", f"{name}Out", f"{name}ForCombine", f"{name}ForCombineOut")
    return any(a.has(each) and a.given(each) for each in names)


def value(a: Arguments, name: str) -> Any:
    return a[own_name(a, name)]


def special(a: Arguments) -> tuple[int, int, int]:
    """The numbers of zero, copy and constant experts."""
    zero, copies, constants = (
        a[name] if a.has(name) else 0 for name in ("zeroExpertNum", "copyExpertNum", "constExpertNum")
    )
    return zero, copies, constants


def experts_of(a: Arguments) -> Experts:
    """The experts of a call. One shared expert without ranks is none."""
    shared_ranks = a["sharedExpertRankNum"]
    shared = a["sharedExpertNum"] if shared_ranks else 0
    first = not a.has("commAlg")
    return Experts(a["epWorldSize"], a["epRankId"], a["moeExpertNum"], shared, shared_ranks, blocks=first)


def planned_experts(p: Planning) -> dict[str, int]:
    """The values that have to be equal on all ranks."""
    names = ("moeExpertNum", "sharedExpertNum", "sharedExpertRankNum", "globalBs")
    return {name: p[name] for name in names}


def no_name(a: Arguments) -> Bad:
    return ("an empty text", "a name") if not a["groupEp"] else None


def other_size(a: Arguments) -> Bad:
    group = group_of(a, "groupEp")
    size = group.size if group is not None else 1
    return None if a["epWorldSize"] == size else (a["epWorldSize"], f"{size}, the ranks of the group")


def other_rank(a: Arguments) -> Bad:
    group = group_of(a, "groupEp")
    rank = group.rank if group is not None else 0
    return None if a["epRankId"] == rank else (a["epRankId"], f"{rank}, the rank of the communicator")


def uneven_experts(a: Arguments) -> Bad:
    number, ranks_with = a["moeExpertNum"], a["epWorldSize"] - a["sharedExpertRankNum"]
    good = ranks_with > 0 and number > 0 and number % ranks_with == 0
    return None if good else (number, f"a multiple of the {ranks_with} ranks without a shared expert")


def many_experts(a: Arguments) -> Bad:
    count = experts_of(a).local * a["epWorldSize"]
    return None if count <= MOST_COUNTS else (f"{count} counts", f"at most {MOST_COUNTS}")


def odd_shared(a: Arguments) -> Bad:
    shared, shared_ranks = a["sharedExpertNum"], a["sharedExpertRankNum"]
    if shared_ranks == 0:
        return None if shared in (0, 1) else (shared, "0 or 1 without ranks for shared experts")
    good = shared > 0 and 0 <= shared_ranks < a["epWorldSize"] and shared_ranks % shared == 0
    return None if good else (shared, f"a divisor of sharedExpertRankNum, {shared_ranks}")


def wrong_global(a: Arguments) -> Bad:
    number, ep, rows = a["globalBs"], a["epWorldSize"], a.shape("expertIds")[0]
    good = number == 0 or (number % ep == 0 and (number >= rows * ep or has(a, "xActiveMask")))
    return None if good else (number, f"0, or a multiple of {ep} that is at least {rows * ep}")


def many_places(a: Arguments) -> Bad:
    k, allowed = a.shape("expertIds")[1], a["moeExpertNum"] + sum(special(a))
    return None if 0 < k <= min(16, allowed) else (f"{k} columns", f"1 to {min(16, allowed)}")


def other_mask(a: Arguments) -> Bad:
    name, ids = own_name(a, "xActiveMask"), a.shape("expertIds")
    mask = a.shape(name)
    return None if mask in (ids[:1], ids) else (list(mask), f"{list(ids[:1])} or {list(ids)}")


def group_checks(status: int) -> tuple[Relation, ...]:
    """The checks of the name of the group. `status`: that of a long name."""
    return (
        said("groupEp"), demand("{0} is not empty", "groupEp", bad=no_name, status=ACLNN_ERR_PARAM_NULLPTR),
        demand("{0} has at most 127 bytes", "groupEp", bad=long_name("groupEp"), status=status),
    )  # fmt: skip


OLD_GROUP_TP: Final = only_on(Series.A2, one_of("groupTp", "", None, status=OLD_STATUS))
"""the first version on Atlas A2"""


def shared_checks(mask: str) -> tuple[Relation, ...]:
    """The checks of the values. `mask`: the name of the mask in this version."""
    return (
        listed("expertIds", among=(T.ACL_INT32,), status=TILING), listed(mask, among=(T.ACL_BOOL,), status=TILING),
        ranks("expertIds", least=2, most=2, status=TILING),
        names_group("groupEp"),
        demand("{0} is the number of ranks of the group", "epWorldSize", bad=other_size, status=TILING,
               provenance="ours"),
        demand("{0} is the rank in the group", "epRankId", bad=other_rank, status=TILING, provenance="ours"),
        one_of("expertShardType", 0, status=TILING), in_range("tpWorldSize", 0, 1, status=TILING),
        demand("{0} fits sharedExpertRankNum", "sharedExpertNum", bad=odd_shared, status=TILING),
        demand("{0} is a multiple of the number of ranks with such experts", "moeExpertNum", bad=uneven_experts,
               status=TILING),
        demand("the counts of experts and ranks are at most 2048", "moeExpertNum", bad=many_experts, status=TILING,
               broken="there are more than 2048 counts of experts and ranks"),
        demand("{0} has 1 to 16 columns, and no more than there are experts", "expertIds", bad=many_places,
               status=TILING, broken="{0} has no column, more than 16, or more than there are experts"),
        demand("{0} is 0, or a multiple of epWorldSize with room for all rows", "globalBs", bad=wrong_global,
               status=TILING),
        demand("{0} has an element for each token, or for each expert of a token", mask, "expertIds", bad=other_mask,
               status=TILING),
    )  # fmt: skip
