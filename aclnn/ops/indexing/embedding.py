"""Embedding: rows of a table at the positions of a tensor."""

from aclnn.op import Arguments, Bad, Planning, demand, empty, listed, planned, ranks, same_dtype, shape
from aclnn.ops.indexing._family import taken, watch


def wrong_out_rank(a: Arguments) -> Bad:
    """Checks that the rank of out is one more than that of indices."""
    rank, expected_rank = a.rank("out"), a.rank("indices") + 1
    return (
        None if rank == expected_rank else (f"{rank} dimensions", f"{expected_rank} dimensions, one more than indices")
    )


@planned(
    "aclnnEmbedding", listed("weight"), listed("out", like="weight"), same_dtype("out", "weight"), listed("indices"),
    ranks("weight", "indices", "out", least=0, most=8),
    demand("{0} has one dimension more than {1}", "out", "indices", bad=wrong_out_rank),
    shape(
        "out", "{0} has the dimensions of indices, then one of any size",
        lambda a: (*a.shape("indices"), *a.shape("out")[-1:]),
    ),
    empty("weight", "indices"),
)  # fmt: skip
def embedding(p: Planning) -> None:
    """out = the rows of weight at the positions of indices"""
    weight, indices = p.read("weight"), p.read("indices")
    if not weight.shape:
        raise p.builder.failed("GatherV2 of a tensor without dimensions failed.")
    watch(p, indices, "indices", weight.shape[0])
    shape = (*indices.shape, *weight.shape[1:])
    p.store("out", p.step(taken, [weight, indices], shape, weight.dtype, moves=True, axis=0))
