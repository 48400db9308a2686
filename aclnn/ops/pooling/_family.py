"""Shared by poolings: the windows that the arguments of a call describe, and the checks of these arguments.

An array of one number applies to all dimensions. An empty stride equals the kernel size (in MaxPool 1). With ceilMode
the last window may extend beyond the end, but begins inside the tensor or the padding before it.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from aclnn.op import (
    Arguments, Bad, Relation, Shape, Windows, aclDataType, aclFormat, all_of, count_of, demand, format_name, regular,
)  # fmt: skip


T, F = aclDataType, aclFormat
CHANNELS_FIRST: Final = (F.ACL_FORMAT_NCHW, F.ACL_FORMAT_NCL)
CHANNELS_LAST: Final = (F.ACL_FORMAT_NHWC, F.ACL_FORMAT_NDHWC)


class Pool(NamedTuple):
    """The arguments of a pooling, with a number for each dimension."""

    kernel: Shape
    stride: Shape
    before: Shape
    behind: Shape
    dilation: Shape
    ceil: bool = False

    def counts(self, sizes: Shape) -> Shape:
        """The number of windows in each dimension of a tensor with these sizes."""
        return tuple(self._count(axis, size) for axis, size in enumerate(sizes))

    def _count(self, dim: int, size: int) -> int:
        stride, before = self.stride[dim], self.before[dim]
        more = before + self.behind[dim] + (stride - 1 if self.ceil else 0)
        count = count_of(size, self.kernel[dim], stride, more, self.dilation[dim])
        return count - 1 if self.ceil and (count - 1) * stride >= size + before else count

    def windows(self, sizes: Shape) -> tuple[Windows, ...]:
        """The windows in each dimension of a tensor with these sizes."""
        rows = zip(sizes, self.kernel, self.stride, self.before, self.dilation, self.counts(sizes), strict=True)
        return tuple(regular(*row) for row in rows)


PoolOf = Callable[[Arguments], Pool]
"""function that returns the pooling of a call"""


def spread(values: Sequence[int], dims: int, empty: Shape = ()) -> Shape:
    """A number for each dimension. `empty`: the numbers for an empty array."""
    sizes = tuple(values) or empty
    return sizes * dims if len(sizes) == 1 else sizes


def pool_from(dims: int, stride: str = "stride", padding: str = "padding", *, dilated: bool = True) -> PoolOf:
    """A function that returns the pooling of a call. Its padding is the same at both ends of a dimension."""

    def pool_of(a: Arguments) -> Pool:
        kernel, steps = spread(a["kernelSize"].values, dims), a[stride]
        around = spread(a[padding].values, dims)
        stride_ = spread(steps.values, dims, kernel) if steps is not None else kernel
        dilation = spread(a["dilation"].values, dims) if dilated else (1,) * dims
        return Pool(kernel, stride_, around, around, dilation, bool(a["ceilMode"]))

    return pool_of


def channels_last(a: Arguments, dims: int, reference: str = "self") -> bool:
    """True if the format puts the channels last. Without a batch the channels come first."""
    return a[reference].format in CHANNELS_LAST and a.rank(reference) == dims + 2


def sizes_of(a: Arguments, dims: int, reference: str = "self") -> Shape:
    """The sizes of the pooled dimensions."""
    return a.shape(reference)[1:-1] if channels_last(a, dims, reference) else a.shape(reference)[-dims:]


def with_sizes(a: Arguments, sizes: Shape, reference: str = "self") -> Shape:
    """The shape of `reference`, with other sizes of the pooled dimensions."""
    shape, dims = a.shape(reference), len(sizes)
    return (shape[0], *sizes, shape[-1]) if channels_last(a, dims, reference) else (*shape[:-dims], *sizes)


def pooled(a: Arguments, pool: Pool) -> Shape:
    return with_sizes(a, pool.counts(sizes_of(a, len(pool.kernel))))


# relations


def half_of_the_kernel(padding: str = "padding", kernel: str = "kernelSize", dims: int = 2) -> Relation:
    """Checks that a padding is at most half as long as the kernel."""

    def bad(a: Arguments) -> Bad:
        paddings, most = (spread(a[name].values, dims) for name in (padding, kernel))
        fits = all(2 * size <= limit for size, limit in zip(paddings, most, strict=True))
        return None if fits else (list(paddings), f"at most half of {kernel} {list(most)}")

    return demand("{0} is at most half of {1}", padding, kernel, bad=bad)


def only_batch_empty(name: str = "self", dims: int = 2) -> Relation:
    """Checks that only the batch of a tensor has the size 0."""

    def bad(a: Arguments) -> Bad:
        shape = a.shape(name)
        return (list(shape), "no size of 0, except that of a batch") if 0 in shape[len(shape) - dims - 1 :] else None

    return demand("no size of {0} is 0, except that of a batch", name, bad=bad)


def channels_first(*names: str) -> Relation:
    """Checks that each tensor has the format NCHW or NCL."""

    def rule_of(name: str) -> Relation:
        def bad(a: Arguments) -> Bad:
            label = a[name].format
            return None if label in CHANNELS_FIRST else (format_name(label), "NCHW or NCL")

        return demand("{0} is labelled NCHW or NCL", name, bad=bad)

    return all_of(*map(rule_of, names))


def windows_fit(pool: PoolOf, *names: str) -> Relation:
    """Checks that there is at least one window in each dimension."""

    def bad(a: Arguments) -> Bad:
        counts = pool(a).counts(sizes_of(a, len(pool(a).kernel)))
        return None if min(counts) >= 1 else (list(a.shape("self")), "at least one window in each dimension")

    return demand("{0} has at least one window in each dimension", "self", *names, bad=bad)
