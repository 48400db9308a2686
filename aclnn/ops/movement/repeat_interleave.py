"""RepeatInterleave and its forms: repeat each element, or each slice along a dimension."""

import numpy as np

from aclnn.op import Wording
from aclnn.op import (
    BOOL, FLOAT_OR_HALF, INTEGERS, WIDE_UNSIGNED, Arguments, Array, Bad, Planning, Relation, Series, axis,
    copies_elements, demand, done, empty, exact_sum, listed, not_negative, out_of_range, planned, ranks, runs,
    same_dtype, shape, with_bf16,
)  # fmt: skip
from aclnn.ops.movement._family import Shape

REPEATED = with_bf16((*FLOAT_OR_HALF, *INTEGERS, *BOOL), {Series.A950: WIDE_UNSIGNED})


def items(a: Arguments) -> int:
    """The number of elements or slices to repeat."""
    return a.shape("self")[a.axis("dim", "self")] if a.has("dim") else a["self"].numel


def wrong_repeat_count(a: Arguments) -> Bad:
    count = a["repeats"].numel
    return None if count in (1, items(a)) else (f"{count} numbers", f"1 or {items(a)}")


def without_dimensions(a: Arguments) -> Bad:
    return None if a.rank("self") else ("no dimension", "1 to 8 dimensions")


def wrong_total(a: Arguments) -> Bad:
    output_size, right = a["outputSize"], a["repeats"] * items(a)
    return None if output_size == right else (output_size, f"{right}, which is {a['repeats']} times {items(a)}")


def result_shape(a: Arguments) -> Shape:
    if not a.has("dim"):
        return (a["outputSize"],)
    shape, axis = a.shape("self"), a.axis("dim", "self")
    return (*shape[:axis], a["outputSize"], *shape[axis + 1 :])


def contract(*, dim: bool, tensor: bool) -> tuple[Relation, ...]:
    """The checks of the four functions that repeat self. `dim`: along a dimension. `tensor`: repeats is a tensor."""
    along = (demand("{0} has dimensions", "self", bad=without_dimensions), axis("dim", "self")) if dim else ()
    number = (not_negative("repeats"),)
    numbers = demand("{0} has one number, or one for each that is repeated", "repeats", "self", bad=wrong_repeat_count)
    place = "as self, with outputSize along dim" if dim else "(outputSize,)"
    adds_up = demand(
        "{0} is repeats times what is repeated", "outputSize", "repeats", "self", bad=wrong_total, provenance="ours"
    )
    nothing = done("outputSize is 0", "outputSize", when=lambda a: a["outputSize"] == 0)
    return (
        listed("self", among=REPEATED, provenance="public"), *((listed("repeats"),) if tensor else ()),
        same_dtype("out", "self"),
        *((ranks("repeats", least=0, most=1),) if tensor else ()), *along, *((numbers,) if tensor else number),
        ranks("self", least=0, most=8),
        *((empty("self"),) if dim and not tensor else ()), shape("out", f"{{0}} has the shape {place}", result_shape),
        *((empty("self"), nothing) if dim else (empty("self", "out"),)), *(() if tensor else (adds_up,)),
    )  # fmt: skip


def repeated(p: Planning, axis: int | None) -> None:
    """Plan the repetition along a dimension. None: of all elements, in row-major order."""
    x, length, times = p.read("self"), p["outputSize"], p["repeats"]
    flat = axis is None
    if axis is None:
        x, axis = p.builder.reshape(x, (p["self"].numel,)), 0
    shape = (*x.shape[:axis], length, *x.shape[axis + 1 :])
    if isinstance(times, int):
        result = x if times == 1 else p.step(np_repeat, [x], shape, x.dtype, moves=True, times=times, axis=axis)
    elif flat and times.numel == 1 and x.shape == shape:  # a single number of repeats counts as 1 here
        result = x
    else:
        repeats = p.read("repeats")
        p.builder.launch(check_total, [repeats], [], count=x.shape[axis], length=length)
        result = p.step(stretched, [x, repeats], shape, x.dtype, moves=True, axis=axis, length=length)
    p.store("out", result)


@planned("aclnnRepeatInterleave", *contract(dim=False, tensor=True))
def repeat_interleave(p: Planning) -> None:
    """out = each element of self, repeated repeats times, in row-major order. If there is one number of repeats, and
    outputSize is the number of elements, out is a copy of self."""
    repeated(p, None)


@planned("aclnnRepeatInterleaveWithDim", *contract(dim=True, tensor=True))
def repeat_interleave_dim(p: Planning) -> None:
    """out = each slice of self along dim, repeated repeats times"""
    repeated(p, p.axis("dim", "self"))


@planned("aclnnRepeatInterleaveInt", *contract(dim=False, tensor=False))
def repeat_interleave_int(p: Planning) -> None:
    """out = each element of self, repeated repeats times, in row-major order"""
    repeated(p, None)


@planned("aclnnRepeatInterleaveIntWithDim", *contract(dim=True, tensor=False))
def repeat_interleave_int_dim(p: Planning) -> None:
    """out = each slice of self along dim, repeated repeats times"""
    repeated(p, p.axis("dim", "self"))


def not_one_dimension(a: Arguments) -> Bad:
    fits = a.rank("repeats") == 1 or a["repeats"].numel == 0
    return None if fits else (f"{a.rank('repeats')} dimensions", "1 dimension")


@planned(
    "aclnnRepeatInterleaveTensor", listed("repeats"), same_dtype("out", "repeats"),
    demand("{0} has one dimension", "repeats", bad=not_one_dimension),
    shape("out", "{0} has the shape (outputSize,)", lambda a: (a["outputSize"],)), empty("repeats", "out"),
)  # fmt: skip
def repeat_interleave_tensor(p: Planning) -> None:
    """out = each index i of repeats, repeats[i] times"""
    times, length = p.read("repeats"), p["outputSize"]
    p.builder.launch(check_total, [times], [], count=times.shape[0], length=length)
    p.store("out", p.step(positions, [times], (length,), times.dtype, length=length))


def check_total(repeats: Array, *, count: int, length: int) -> tuple[()]:
    """Checks that the numbers of repeats are not negative, and add up to outputSize. The step has no output."""
    total, least = exact_sum(repeats) * (count if repeats.size == 1 else 1), int(repeats.min())
    if total == length and least >= 0:
        return ()
    if least < 0:
        raise out_of_range("repeats", Wording("repeats has {least}.", least=least))
    text = Wording("repeats add up to {total}, outputSize is {length}.", total=total, length=length)
    raise out_of_range("repeats", text)


def sources(times: Array, count: int, length: int) -> Array:
    """The source position of each element of the result. Missing positions repeat the last one; surplus positions are
    cut off."""
    numbers = runs(np.broadcast_to(times.reshape(-1), (count,)), length)
    return np.concatenate([numbers, np.full(length - numbers.size, max(count - 1, 0), numbers.dtype)])


@copies_elements
def np_repeat(x: Array, *, times: int, axis: int) -> Array:
    return np.repeat(x, times, axis)


def stretched(x: Array, repeats: Array, *, axis: int, length: int) -> Array:
    return np.take(x, sources(repeats, x.shape[axis], length), axis)


def positions(repeats: Array, *, length: int) -> Array:
    return sources(repeats, repeats.size, length)
