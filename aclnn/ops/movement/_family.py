"""Shared by operators that move elements: new views of the memory of an input.

A view costs nothing, and the copy into the output reads through its strides. So most of these operators are one copy.
"""

from aclnn.op import Arguments, Bad, Operand, Planning, Relation, demand, same, same_format


Shape = tuple[int, ...]


def as_view(p: Planning, name: str) -> Operand:
    """An input as a view, with the strides of the user's tensor."""
    return p.builder.view(p[name])


def cut(x: Operand, axis: int, start: int, step: int, count: int) -> Operand:
    """Every `step`-th element along a dimension, `count` of them from `start` on; a negative step goes backwards."""
    offset = x.offset + start * x.strides[axis] if count else x.offset
    return strided(
        x, (*x.shape[:axis], count, *x.shape[axis + 1 :]),
        (*x.strides[:axis], x.strides[axis] * step, *x.strides[axis + 1 :]), offset,
    )  # fmt: skip


def strided(x: Operand, shape: Shape, strides: Shape, offset: int | None = None) -> Operand:
    """The same memory with another shape and other strides."""
    return Operand(shape, x.dtype, strides, x.offset if offset is None else offset, x.memory)


def dense(p: Planning, x: Operand, shape: Shape) -> Operand:
    """A dense copy of a view, under another shape."""
    return p.builder.reshape(p.step(same, [x], x.shape, x.dtype, moves=True), shape)


def own_dimensions(dims: str, reference: str) -> Relation:
    """Checks that the values of an array are dimensions of a tensor. A 0-d tensor has none."""

    def bad(a: Arguments) -> Bad:
        rank, values = a.rank(reference), a[dims].values
        inside = all(-rank <= value < rank for value in values)
        legal = f"numbers in [{-rank}, {rank - 1}]" if rank else f"none, as {reference} has none"
        return None if inside else (list(values), legal)

    return demand("{0} are dimensions of {1}", dims, reference, bad=bad)


def one_format(name: str, as_: str) -> Relation:
    """Checks that two views have one format. The document of the operator has this rule."""
    return same_format(name, as_, storage=False, provenance="document")
