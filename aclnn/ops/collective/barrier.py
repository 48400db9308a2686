"""DistributeBarrier: all ranks wait for each other."""

from aclnn.op import Arguments, Bad, Planning, TILING, demand, moves_bytes, names_group, planned, said
from aclnn.ops.collective._family import group_size
from aclnn.ops.collective._kernels import Received


def other_size(a: Arguments) -> Bad:
    size = group_size(a)
    return None if a["worldSize"] == size else (a["worldSize"], f"{size}, the ranks of the group")


@planned(
    "aclnnDistributeBarrier", "aclnnDistributeBarrierV2", said("group"), names_group("group"), moves_bytes(),
    demand("{0} is the number of ranks of the group", "worldSize", bad=other_size, status=TILING, provenance="ours"),
)  # fmt: skip
def distribute_barrier(p: Planning) -> None:
    """All ranks of the group wait for each other; xRef stays as it is."""
    p.builder.launch(met, [], [], exchange=p.meets("group"))


def met(received: Received) -> tuple[()]:
    """The ranks have met."""
    return ()
