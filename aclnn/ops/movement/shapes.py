"""Expand, Flatten, Repeat: the elements in another shape, some of them several times."""

from math import prod

from aclnn.op import Arguments, Bad, Planning, axis, demand, done, empty, listed, planned, ranks, same_dtype, shape
from aclnn.ops.movement._family import Shape, dense, as_view, strided


def longer(a: Arguments) -> Bad:
    count, least = len(a["size"].values), a.rank("self")
    return None if count >= least else (f"{count} sizes", f"{least} or more, as self has dimensions")


def stretched(a: Arguments) -> Bad:
    shape, sizes = a.shape("self"), a["size"].values
    fits = all(old in (1, size) for old, size in zip(shape[::-1], sizes[::-1], strict=False))
    return None if fits else (list(sizes), f"sizes to which {list(shape)} broadcasts")


@planned(
    "aclnnExpand", same_dtype("out", "self"), listed("self"),
    demand("{0} has a value for each dimension of self", "size", "self", bad=longer),
    demand("self broadcasts to {0}", "size", "self", bad=stretched),
    shape("out", "{0} has the shape size", lambda a: a["size"].values), ranks("self", "out", least=0, most=8),
    empty("self", "out"),
)  # fmt: skip
def expand(p: Planning) -> None:
    """out = self, broadcast to size"""
    x, sizes = as_view(p, "self"), p["size"].values
    steps = [0 if size == 1 else step for size, step in zip(x.shape, x.strides, strict=True)]
    p.store("out", strided(x, sizes, (*(0,) * (len(sizes) - len(steps)), *steps)))


def flat(a: Arguments) -> Shape:
    shape = a.shape("self")
    axis = a.axis("axis", "self")
    return prod(shape[:axis]), prod(shape[axis:])


@planned(
    "aclnnFlatten", same_dtype("out", "self"), listed("self"), ranks("self", least=0, most=8), axis("axis", "self"),
    shape("out", "{0} has the sizes before axis, and from axis on, as two dimensions", flat), empty("self", "out"),
)  # fmt: skip
def flatten(p: Planning) -> None:
    """out = self as a matrix: a row for each place in the dimensions before axis"""
    p.store("out", p.builder.reshape(p.read("self"), flat(p)))


def too_few_repeats(a: Arguments) -> Bad:
    count, least = len(a["repeats"].values), a.rank("self")
    return None if count >= least else (f"{count} numbers", f"{least} or more, as self has dimensions")


def counts(a: Arguments) -> Bad:
    values = a["repeats"].values
    return None if all(value >= 0 for value in values) else (list(values), "0 or more")


def too_many_repeats(a: Arguments) -> Bad:
    count = len(a["repeats"].values)
    return None if count <= 8 else (f"{count} numbers", "8 or fewer")


def sizes(a: Arguments) -> Shape:
    """The sizes of self, with a 1 in front for each surplus number of repeats."""
    return (1,) * (len(a["repeats"].values) - a.rank("self")) + a.shape("self")


def repeated(a: Arguments) -> Shape:
    return tuple(size * times for size, times in zip(sizes(a), a["repeats"].values, strict=True))


@planned(
    "aclnnRepeat", listed("self"), same_dtype("out", "self"),
    demand("{0} has a number for each dimension of self", "repeats", "self", bad=too_few_repeats),
    demand("{0} are not negative", "repeats", bad=counts), ranks("self", least=0, most=8),
    demand("{0} has at most 8 numbers", "repeats", bad=too_many_repeats), empty("self", "out"),
    done("a number of repeats is 0", "repeats", when=lambda a: 0 in a["repeats"].values),
    shape("out", "{0} has the sizes of self times repeats", repeated),
)  # fmt: skip
def repeat(p: Planning) -> None:
    """out = self, repeated along its dimensions; surplus numbers of repeats are for new dimensions in front"""
    x, times = as_view(p, "self"), p["repeats"].values
    steps = (0,) * (len(times) - len(x.shape)) + x.strides
    view = [pair for each in zip(times, sizes(p), strict=True) for pair in each]
    spread = strided(x, tuple(view), tuple(pair for step in steps for pair in (0, step)))
    p.store("out", dense(p, spread, repeated(p)))
