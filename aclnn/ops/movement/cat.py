"""Cat: joins tensors along one of their dimensions."""

from collections.abc import Iterator

import numpy as np

from aclnn.op import (
    BF16, PRIVATE, T, Arguments, Array, Bad, DataTypes, Planning, Relation, Series, Tensor, becomes, computed_in,
    copied, copies_elements, demand, done, dtype_name, format_name, in_memory, listed, planned, promote, repeatable,
    stands_for_null,
)  # fmt: skip


LARGE = 1 << 17
"""bytes of a tensor from which a copy of its own is faster"""
CAT_TYPES = DataTypes(
    (
        T.ACL_FLOAT, T.ACL_INT32, T.ACL_INT64, T.ACL_FLOAT16, T.ACL_INT16, T.ACL_INT8, T.ACL_UINT8, T.ACL_DOUBLE,
        T.ACL_COMPLEX64, T.ACL_BOOL,
    ),
    {
        Series.A2: BF16, Series.A3: BF16, Series.A200I_500_A2: BF16,
        Series.A950: (
            *BF16, T.ACL_UINT16, T.ACL_UINT32, T.ACL_UINT64, T.ACL_FLOAT8_E4M3FN, T.ACL_FLOAT8_E5M2,
            T.ACL_FLOAT8_E8M0, T.ACL_HIFLOAT8, T.ACL_FLOAT4_E1M2, T.ACL_FLOAT4_E2M1,
        ),
    },
)  # fmt: skip


def counted_tensors(a: Arguments) -> Iterator[tuple[int, Tensor]]:
    """The tensors that count, with their indices. A tensor of shape (0,) does not count."""
    return ((i, tensor) for i, tensor in enumerate(a["tensors"]) if not stands_for_null(tensor))


def joined(a: Arguments) -> list[Tensor]:
    """The tensors that have elements."""
    return [each for _, each in counted_tensors(a) if each.numel]


def common_type(a: Arguments) -> int | None:
    """The data type that the tensors that count promote to, from left to right."""
    dtype: int | None = None
    for _, member in counted_tensors(a):
        dtype = member.dtype if dtype is None else promote(dtype, member.dtype)
        if dtype is None:
            return None
    return dtype


def no_common_type(a: Arguments) -> Bad:
    if common_type(a) not in (None, T.ACL_COMPLEX128):
        return None
    names = ", ".join(dtype_name(each.dtype) for _, each in counted_tensors(a))
    return names, "data types that promote to one, but not to DT_COMPLEX128"


def private_member(a: Arguments) -> Bad:
    number, first = next(counted_tensors(a))
    return (f"tensors[{number}] {format_name(first.format)}", "a public format") if first.format in PRIVATE else None


def mixed_formats(a: Arguments) -> Bad:
    (_, first), *others = counted_tensors(a)
    for name, member in [*((f"tensors[{i}]", member) for i, member in others), ("out", a["out"])]:
        if member.format != first.format:
            return f"{name} {format_name(member.format)}", format_name(first.format)
    return None


def too_many_dimensions(a: Arguments) -> Bad:
    number, first = next(counted_tensors(a))
    return (f"tensors[{number}] {list(first.shape)}", "at most 8 dimensions") if len(first.shape) > 8 else None


def dim_out_of_range(a: Arguments) -> Bad:
    rank = len(next(counted_tensors(a))[1].shape)
    if -rank <= a["dim"] < rank:
        return None
    return a["dim"], f"[{-rank}, {rank - 1}]" if rank else "nothing: the tensors have no dimension"


def mixed_ranks(a: Arguments) -> Bad:
    rank = len(next(counted_tensors(a))[1].shape)
    bad = next(((i, each) for i, each in counted_tensors(a) if len(each.shape) != rank), None)
    return None if bad is None else (f"tensors[{bad[0]}] {list(bad[1].shape)}", f"{rank} dimensions")


def mixed_sizes(a: Arguments) -> Bad:
    first = next(counted_tensors(a))[1].shape
    axis = a["dim"] % len(first)
    for number, member in counted_tensors(a):
        if any(
            size != first_size
            for i, (size, first_size) in enumerate(zip(member.shape, first, strict=True))
            if i != axis
        ):
            return f"tensors[{number}] {list(member.shape)}", f"sizes as {list(first)} outside of dimension {axis}"
    return None


def whole(a: Arguments) -> tuple[int, ...]:
    """The shape of the joined tensors."""
    members = joined(a)
    first = members[0].shape
    axis: int = a["dim"] % len(first)
    return (*first[:axis], sum(member.shape[axis] for member in members), *first[axis + 1 :])


def out_shape(a: Arguments) -> Bad:
    if len(joined(a)) == 1:  # "one left: cast straight to out's type": the copy refuses another shape
        return None
    shape, right = a.shape("out"), whole(a)
    return None if shape == right or a["out"].numel == 1 == np.prod(right) else (list(shape), list(right))


CHECKS: tuple[Relation, ...] = (
    done("no tensor counts; one of shape (0,) does not", "tensors", when=lambda a: not any(counted_tensors(a))),
    listed("tensors", among=CAT_TYPES, unless=stands_for_null), listed("out", among=CAT_TYPES),
    computed_in(common_type), demand("{0} promote to one data type", "tensors", bad=no_common_type), becomes("out"),
    demand("the format of the first of {0} is not a private one", "tensors", bad=private_member),
    demand("{0} and out have one format", "tensors", "out", bad=mixed_formats),
    demand("the first of {0} has at most 8 dimensions", "tensors", bad=too_many_dimensions),
    demand("{0} is a dimension of the tensors", "dim", "tensors", bad=dim_out_of_range),
    demand("{0} have one number of dimensions", "tensors", bad=mixed_ranks),
    demand("{0} differ in size only along {1}", "tensors", "dim", bad=mixed_sizes,
           broken="{0} differ in size along another dimension than {1}"),
    done("all tensors are empty", "tensors", when=lambda a: not joined(a)),
    demand("{0} has the shape of the tensors together", "out", "tensors", bad=out_shape),
)  # fmt: skip


@planned("aclnnCat", *CHECKS)
def cat(p: Planning) -> None:
    """out = the tensors joined along dim"""
    members = joined(p)
    if len(members) == 1:
        p.store("out", p.builder.contiguous(members[0]))
        return
    dtype, shape = p.computed(), whole(p)
    parts = [p.builder.cast(p.builder.contiguous(member), dtype) for member in members]
    p.store("out", p.step(concatenate, parts, shape, dtype, moves=True, axis=p["dim"] % len(shape)))


@repeatable
@copies_elements
@in_memory
def concatenate(*parts: Array, out: Array, axis: int) -> None:
    if out.nbytes < LARGE * len(parts):
        np.concatenate(parts, axis, out=out)
        return
    start = 0
    for part in parts:
        end = start + part.shape[axis]
        copied(part, out[(*(slice(None),) * axis, slice(start, end))])
        start = end
