"""Stack and ChunkCat: join tensors along a new dimension, or in chunks."""

from math import ceil, prod


from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, PRIVATE, Arguments, Array, Bad, Planning, aclDataType, becomes, before_nulls,
    copied, copies_elements, demand, done, format_name, in_memory, listed, loose_shape, null_status, one_of, planned,
    positive, promoted, ranks, repeatable, uniform, with_tensors,
)  # fmt: skip
from aclnn.ops.movement._family import Shape


def new_dimension(a: Arguments) -> Bad:
    rank = len(a["tensors"][0].shape) + 1
    return None if -rank <= a["dim"] < rank else (a["dim"], f"[{-rank}, {rank - 1}]")


def alike(a: Arguments) -> Bad:
    first = a["tensors"][0].shape
    bad = next(((i, tensor) for i, tensor in enumerate(a["tensors"]) if tensor.shape != first), None)
    return None if bad is None else (f"tensors[{bad[0]}] {list(bad[1].shape)}", list(first))


def place(a: Arguments) -> int:
    return a["dim"] % (len(a["tensors"][0].shape) + 1)


def stacked(a: Arguments) -> Shape:
    first, axis = a["tensors"][0].shape, place(a)
    return (*first[:axis], len(a["tensors"]), *first[axis:])


def nothing(a: Arguments) -> bool:
    return not any(tensor.numel for tensor in a["tensors"])


@planned(
    "aclnnStack", null_status(ACLNN_ERR_INNER_NULLPTR),
    with_tensors("tensors", provenance="ours"), listed("tensors", "out"),
    promoted("tensors"), becomes("out"), ranks("tensors", least=0, most=8),
    demand("{0} is a dimension of the result", "dim", "tensors", bad=new_dimension),
    demand("{0} have one shape", "tensors", bad=alike), done("all tensors are empty", "tensors", when=nothing),
    loose_shape("out", "{0} has the shape of the tensors together", stacked),
)  # fmt: skip
def stack(p: Planning) -> None:
    """out = the tensors joined along a new dimension"""
    dtype = p.computed()
    p.store("out", p.step(piled, p.read_all("tensors", dtype), stacked(p), dtype, moves=True, axis=place(p)))


@repeatable
@copies_elements
@in_memory
def piled(*tensors: Array, out: Array, axis: int) -> None:
    for number, tensor in enumerate(tensors):
        copied(tensor, out[(*(slice(None),) * axis, number, ...)])


# ChunkCat


def float_out(a: Arguments) -> Bad:
    if a["tensors"][0].dtype != aclDataType.ACL_FLOAT or a.dtype("out") == aclDataType.ACL_FLOAT:
        return None
    return a.type_name("out"), "DT_FLOAT, as tensors"


def public_members(a: Arguments) -> Bad:
    members_by_name = [*((f"tensors[{i}]", tensor) for i, tensor in enumerate(a["tensors"])), ("out", a["out"])]
    bad = next((f"{name} {format_name(each.format)}" for name, each in members_by_name if each.format in PRIVATE), None)
    return None if bad is None else (bad, "public formats")


def widths(a: Arguments) -> list[int]:
    """The length of the chunk of each tensor that has elements."""
    count = a["numChunks"]
    return [ceil(tensor.shape[0] / count) * prod(tensor.shape[1:]) for tensor in a["tensors"] if tensor.numel]


@planned(
    "aclnnChunkCat", before_nulls([], one_of("dim", 0)),
    done("there are no tensors", "tensors", when=lambda a: not a["tensors"]), listed("tensors"), uniform("tensors"),
    listed("out"), demand("{0} is FLOAT if the tensors are", "out", "tensors", bad=float_out),
    demand("no format of {0} and out is a private one", "tensors", "out", bad=public_members),
    ranks("tensors", least=1, most=8), positive("numChunks", provenance="ours"),
    done("all tensors are empty", "tensors", when=nothing),
    loose_shape("out", "{0} has a row for each chunk", lambda a: (a["numChunks"], sum(widths(a)))),
)  # fmt: skip
def chunk_cat(p: Planning) -> None:
    """out = a row for each of numChunks chunks. Each tensor is cut along its first dimension into chunks of one length,
    padded with zeros. Row i joins chunk i of all tensors."""
    members = [p.builder.contiguous(tensor) for tensor in p["tensors"] if tensor.numel]
    rows, column_counts = p["numChunks"], widths(p)
    shape = (rows, sum(column_counts))
    p.store("out", p.step(in_chunks, members, shape, members[0].dtype, moves=True, widths=column_counts))


@copies_elements
@in_memory
def in_chunks(*tensors: Array, out: Array, widths: list[int]) -> None:
    out[...], column = 0, 0
    for tensor, width in zip(tensors, widths, strict=True):
        flat, full = tensor.reshape(-1), tensor.size // width
        out[:full, column : column + width] = flat[: full * width].reshape(full, width)
        if flat.size > full * width:
            out[full, column : column + flat.size - full * width] = flat[full * width :]
        column += width
