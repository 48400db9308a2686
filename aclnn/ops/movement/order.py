"""Permute, Flip, Roll, ChannelShuffle: the elements in another order."""

from itertools import product

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, BOOL, COMPLEX, FLOAT_OR_HALF, IEEE_FLOATS, INTEGERS, T, WIDE_UNSIGNED, Arguments, Array,
    Bad, Planning, Series, axes, copies_elements, demand, empty, in_memory, listed, loose_shape, planned, positive,
    ranks, same_dtype, same_rank, same_shape, with_bf16,
)  # fmt: skip
from aclnn.ops.movement._family import Shape, cut, dense, as_view, own_dimensions, strided

FLIPPED = with_bf16((*IEEE_FLOATS, *INTEGERS, *BOOL, *COMPLEX), {Series.A950: WIDE_UNSIGNED})
ON_A2 = (T.ACL_INT16,)
ROLLED = with_bf16(
    (*FLOAT_OR_HALF, T.ACL_INT8, T.ACL_UINT8, T.ACL_INT32, T.ACL_UINT32, T.ACL_INT64, *BOOL),
    {Series.A2: ON_A2, Series.A3: ON_A2, Series.A950: (*ON_A2, T.ACL_COMPLEX64)},
)


def dims_of(a: Arguments) -> Shape:
    return tuple(dim % max(a.rank("self"), 1) for dim in a["dims"].values)


def as_many(a: Arguments) -> Bad:
    count, expected_rank = len(a["dims"].values), a.rank("self")
    return None if count == expected_rank else (f"{count} dimensions", f"{expected_rank}, as self has")


def once(a: Arguments) -> Bad:
    values = a["dims"].values
    return None if len(set(values)) == len(values) else (list(values), "each dimension once")


def both_empty(a: Arguments) -> Bad:
    return (list(a.shape("out")), "no elements, as self") if a["self"].numel == 0 != a["out"].numel else None


@planned(
    "aclnnPermute", listed("self", "out"), same_dtype("out", "self"),
    same_rank("out", "self"),
    demand("{0} has a number for each dimension of self", "dims", "self", bad=as_many),
    demand("{0} has no number twice", "dims", bad=once), ranks("self", least=0, most=8), axes("dims", "self"),
    demand("{0} is empty if self is", "out", "self", bad=both_empty, status=ACLNN_ERR_INNER_NULLPTR),
    loose_shape("out", "{0} has the dimensions of self in this order",
                lambda a: tuple(a.shape("self")[each] for each in dims_of(a))),
    empty("self"),
)  # fmt: skip
def permute(p: Planning) -> None:
    """out = self with its dimensions in the order of dims"""
    x, dims = as_view(p, "self"), dims_of(p)
    p.store("out", strided(x, tuple(x.shape[dim] for dim in dims), tuple(x.strides[dim] for dim in dims)))


@planned(
    "aclnnFlip", same_dtype("out", "self"), listed("self", among=FLIPPED, provenance="public"),
    same_shape("out", "self"), ranks("self", least=0, most=8), axes("dims", "self"), empty("self"),
)  # fmt: skip
def flip(p: Planning) -> None:
    """out = self backwards along each of dims"""
    x = as_view(p, "self")
    for dim in dims_of(p) if x.shape else ():
        x = cut(x, dim, x.shape[dim] - 1, -1, x.shape[dim])
    p.store("out", x)


def a_shift_each(a: Arguments) -> Bad:
    shifts, dims = len(a["shifts"].values), len(a["dims"].values)
    return None if shifts == (dims or 1) else (f"{shifts} values", f"{dims or 1}")


@planned(
    "aclnnRoll", listed("x", "out", among=ROLLED, provenance="public"), same_dtype("out", "x"), same_shape("out", "x"),
    demand("{0} has a value for each of dims, or one if there are none", "shifts", "dims", bad=a_shift_each),
    ranks("x", least=0, most=8), empty("x"), own_dimensions("dims", "x"),
)  # fmt: skip
def roll(p: Planning) -> None:
    """out = x, shifted along dims; elements that leave at the end enter at the start. Without dims x is shifted as one
    row."""
    x, dims, shifts = p.read("x"), p["dims"].values, p["shifts"].values
    over = tuple(dim % max(len(x.shape), 1) for dim in dims) or None
    p.store("out", p.step(rolled, [x], x.shape, x.dtype, moves=True, shifts=shifts, over=over))


@copies_elements
@in_memory
def rolled(x: Array, *, out: Array, shifts: Shape, over: Shape | None) -> None:
    """The rolled tensor, piece by piece. Each dimension has two pieces, which are exchanged."""
    if over is None:
        x, out, over = x.reshape(-1), out.reshape(-1), (0,)
    pieces = [[(slice(None), slice(None))] for _ in x.shape]
    for axis in set(over):
        size = x.shape[axis]
        distance = sum(shift for shift, each in zip(shifts, over, strict=True) if each == axis) % size
        pieces[axis] = [
            (slice(distance, None), slice(size - distance)),
            (slice(distance), slice(size - distance, None)),
        ]
    for piece in product(*pieces):
        target, source = zip(*piece, strict=True) if piece else ((), ())
        out[target] = x[source]


def divided(a: Arguments) -> Bad:
    channels = (*a.shape("self"), 0, 0)[1]
    return None if channels % a["groups"] == 0 else (a["groups"], f"a divisor of the {channels} channels")


@planned(
    "aclnnChannelShuffle", same_dtype("out", "self"), listed("self", like="out"),
    positive("groups"),
    demand("{0} divides the number of channels", "groups", "self", bad=divided), same_shape("out", "self"),
    ranks("self", least=3, most=7), empty("self", "out"),
)  # fmt: skip
def channel_shuffle(p: Planning) -> None:
    """out = self with its channels taken in turns from each of `groups` groups"""
    x, groups = as_view(p, "self"), p["groups"]
    batch, channels, *rest = x.shape
    first, step, *others = x.strides
    per_group = channels // groups
    shuffled = strided(x, (batch, per_group, groups, *rest), (first, step, step * per_group, *others))
    p.store("out", dense(p, shuffled, x.shape))
