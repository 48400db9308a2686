"""Positions of values in a sorted sequence: SearchSorted, SearchSorteds, Bucketize."""

from collections.abc import Iterator, Sequence

import numpy as np

from aclnn.op import (
    IEEE_FLOATS, INTEGERS, UP_TO_32_BITS, Arguments, Array, Attributes, Bad, CutDims, DataTypes, Op, Operand,
    PlanBuilder, Planning, Shape, T, by, changes, check_range, computed_in, demand, empty, filled, filling, listed,
    mixed, nulls, planned, promoted, ranks, same, same_shape, with_elements,
)  # fmt: skip


SEARCHED = DataTypes((*IEEE_FLOATS, *INTEGERS))
BUCKETS = DataTypes((*UP_TO_32_BITS, *INTEGERS))
PAIR = ("sortedSequence", "self")


def cuts(inputs: Sequence[Shape], outputs: Sequence[Shape], attributes: Attributes) -> Iterator[CutDims]:
    """The possible cuts of a launch: any part of x for a sequence of one dimension, otherwise rows of all tensors."""
    several = len(inputs[0]) > 1
    for dim in range(len(inputs[1]) - several):
        axis = dim if several else None
        yield (axis, dim, *([axis] * (len(inputs) - 2)), dim)


@by(cuts, looked_up=[0])
def insertion_points(sequence: Array, x: Array, *, right: bool) -> Array:
    """The first positions whose elements are not less than x, with `right` greater than x, by a binary search for all
    values at once. NaN counts as the largest value in x, and as the smallest in the sequence."""
    low, high = np.zeros(x.shape, np.int64), np.full(x.shape, sequence.shape[-1], np.int64)
    for _ in range(int(sequence.shape[-1]).bit_length()):
        middle = np.minimum((low + high) // 2, sequence.shape[-1] - 1)
        middle_value = sequence[middle] if sequence.ndim == 1 else np.take_along_axis(sequence, middle, -1)
        beyond = ~(middle_value > x if right else middle_value >= x) & (low < high)
        low, high = np.where(beyond, middle + 1, low), np.where(beyond, high, middle)
    return low


@by(cuts)
def sorted_insertion_points(sequence: Array, x: Array, sorter: Array, *, right: bool) -> Array:
    """`insertion_points` in the order of the sorter. An earlier step reports positions out of range."""
    legal = np.clip(sorter, 0, sequence.shape[-1] - 1)
    return insertion_points(np.take_along_axis(sequence, legal, -1), x, right=right)


def wrong_width(a: Arguments) -> Bad:
    expected_dtype = T.ACL_INT32 if a["outInt32"] else T.ACL_INT64
    return (
        None if a.dtype("out") == expected_dtype else (a.type_name("out"), expected_dtype.name.replace("ACL_", "DT_"))
    )


OUT = demand("{0} is INT32 if {1} is true, else INT64", "out", "outInt32", bad=wrong_width)


def not_1d_for_one_value(a: Arguments) -> Bad:
    bad = a.shape("self") == (1,) and a.rank("sortedSequence") != 1
    return (list(a.shape("sortedSequence")), "one dimension, as self has the shape [1]") if bad else None


def other_rows(a: Arguments) -> Bad:
    sequence, x = a.shape("sortedSequence"), a.shape("self")
    if len(sequence) == 1 or (len(sequence) == len(x) and sequence[:-1] == x[:-1]):
        return None
    return list(sequence), f"one dimension, or the dimensions of self {list(x)} but for the last"


def search(p: Planning, sequence: Operand, x: Operand) -> Operand:
    """Plans the search. A separate step checks the sorter."""
    result = T.ACL_INT32 if p["outInt32"] else T.ACL_INT64
    if not p.given("sorter"):
        return p.step(insertion_points, [sequence, x], x.shape, result, right=p["right"])
    sorter = p.one_dimension(p.read("sorter"))
    p.builder.launch(check_range, [sorter], [], name="sorter", count=sequence.shape[-1])
    return p.step(sorted_insertion_points, [sequence, x, sorter], x.shape, result, right=p["right"])


@planned(
    "aclnnSearchSorted", nulls("sortedSequence", "self", "out"), listed(*PAIR, among=SEARCHED), OUT,
    listed("sorter", among=(T.ACL_INT64,)), ranks(*PAIR, least=0, most=8), same_shape("out", "self"),
    same_shape("sorter", "sortedSequence"),
    demand("{0} has one dimension, if {1} has the shape [1]", "sortedSequence", "self", bad=not_1d_for_one_value),
    demand("{0} has one dimension, or those of {1} but for the last", "sortedSequence", "self", bad=other_rows),
    promoted(*PAIR), empty(*PAIR, "out", plan=filling("out", 0)),
)  # fmt: skip
def search_sorted(p: Planning) -> None:
    """out = for each element of self, the first position in the last dimension of sortedSequence whose element is not
    less; with `right` the first whose element is greater. With a sorter, the sequence is read in the order of
    sorter."""
    dtype = p.computed()
    p.store("out", search(p, p.one_dimension(p.read("sortedSequence", dtype)), p.read("self", dtype)))


def not_1d(a: Arguments) -> Bad:
    return None if a.rank("sortedSequence") == 1 else (list(a.shape("sortedSequence")), "one dimension")


def one_element(a: Arguments) -> None:
    """Changes the shape of out: "out's view shape is overwritten with (1,)"."""
    out = a["out"]
    stored = out.storage_format, out.storage_shape
    out.describe((1,), out.dtype, (1,), out.offset, out.format, out.storage_shape)
    out.stored_as(*stored)


def put_one(p: Planning, result: Operand) -> None:
    """Write to the first element of out, which may have any shape."""
    p.builder.launch(same, [result], [p.builder.room(p["out"], (1,))], moves=True)


def first_position(call: Op, builder: PlanBuilder) -> None:
    """Plans the position in a sequence without elements, which is 0."""
    p = Planning(call, builder)
    put_one(p, p.step(filled, [], (1,), p.dtype("out"), moves=True, value=0, sizes=(1,)))


def scalar_of(*, value: float) -> Array:
    return np.full(1, value)


@planned(
    "aclnnSearchSorteds", nulls("sortedSequence", "self", "out"),
    with_elements("out"), listed(*PAIR, among=SEARCHED), OUT,
    listed("sorter", among=(T.ACL_INT64,)), ranks("sortedSequence", least=0, most=8),
    same_shape("sorter", "sortedSequence"), demand("{0} has one dimension", "sortedSequence", bad=not_1d),
    empty("sortedSequence", plan=first_position), changes(one_element),
)  # fmt: skip
def search_sorteds(p: Planning) -> None:
    """out = the first position in sortedSequence whose element is not less than the number self; with `right` the first
    one that is greater. The number is read as FLOAT, then cast to the data type of the sequence. The shape of out
    becomes [1]."""
    sequence = p.read("sortedSequence")
    x = p.builder.cast(p.step(scalar_of, [], (1,), T.ACL_FLOAT, value=p.number("self", T.ACL_FLOAT)), sequence.dtype)
    put_one(p, search(p, sequence, x))


def with_boundaries(a: Arguments) -> int | None:
    """The data type of the comparison. A 0-d self can change only the category of the data type of boundaries."""
    if a.rank("self"):
        return a.promoted("self", "boundaries")
    return mixed(a.dtype("boundaries"), a.dtype("self"))


@planned(
    "aclnnBucketize", computed_in(with_boundaries), listed("self", "boundaries", among=BUCKETS), OUT,
    ranks("self", "out", least=0, most=8), same_shape("out", "self"), ranks("boundaries", least=1, most=1),
    empty("self"), empty("boundaries", plan=filling("out", 0)),
)  # fmt: skip
def bucketize(p: Planning) -> None:
    """out = the number of the bucket that each element of self belongs to: boundaries[i - 1] < self <= boundaries[i],
    with `right` boundaries[i - 1] <= self < boundaries[i]"""
    dtype = p.computed()
    sequence, x = p.read("boundaries", dtype), p.read("self", dtype)
    result = T.ACL_INT32 if p["outInt32"] else T.ACL_INT64
    p.store("out", p.step(insertion_points, [sequence, x], x.shape, result, right=p["right"]))
