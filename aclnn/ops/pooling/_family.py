"""Shared by the poolings: their windows, by the numbers of the call, and the checks of these numbers.

An array of one number counts for all dimensions. An empty stride is the kernel (in MaxPool 1). With ceilMode a last
window may hang over the end; it has to begin inside the tensor or the padding in front of it.
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
    """The numbers of a pooling, by dimension."""

    kernel: Shape
    stride: Shape
    before: Shape
    behind: Shape
    dilation: Shape
    ceil: bool = False

    def counts(self, sizes: Shape) -> Shape:
        """The windows on a tensor with these sizes."""
        return tuple(self._count(axis, size) for axis, size in enumerate(sizes))

    def _count(self, dim: int, size: int) -> int:
        stride, before = self.stride[dim], self.before[dim]
        more = before + self.behind[dim] + (stride - 1 if self.ceil else 0)
        count = count_of(size, self.kernel[dim], stride, more, self.dilation[dim])
        return count - 1 if self.ceil and (count - 1) * stride >= size + before else count

    def windows(self, sizes: Shape) -> tuple[Windows, ...]:
        """The windows of a pool."""
        rows = zip(sizes, self.kernel, self.stride, self.before, self.dilation, self.counts(sizes), strict=True)
        return tuple(regular(*row) for row in rows)


Numbers = Callable[[Arguments], Pool]
"""the numbers of a call"""


def spread(values: Sequence[int], dims: int, empty: Shape = ()) -> Shape:
    """A number for each dimension; `empty`: those of an empty array."""
    sizes = tuple(values) or empty
    return sizes * dims if len(sizes) == 1 else sizes


def numbers(dims: int, stride: str = "stride", padding: str = "padding", *, dilated: bool = True) -> Numbers:
    """The numbers of a pooling with a kernelSize, and a padding that is as long before as behind."""

    def pool_of(a: Arguments) -> Pool:
        kernel, steps = spread(a["kernelSize"].values, dims), a[stride]
        around = spread(a[padding].values, dims)
        stride_ = spread(steps.values, dims, kernel) if steps is not None else kernel
        dilation = spread(a["dilation"].values, dims) if dilated else (1,) * dims
        return Pool(kernel, stride_, around, around, dilation, bool(a["ceilMode"]))

    return pool_of


def channels_last(a: Arguments, dims: int, reference: str = "self") -> bool:
    """True if the label says that the channels come last. Without a batch they come first."""
    return a[reference].format in CHANNELS_LAST and a.rank(reference) == dims + 2


def sizes_of(a: Arguments, dims: int, reference: str = "self") -> Shape:
    """The sizes of a plane."""
    return a.shape(reference)[1:-1] if channels_last(a, dims, reference) else a.shape(reference)[-dims:]


def with_sizes(a: Arguments, sizes: Shape, reference: str = "self") -> Shape:
    """The shape of a tensor with planes of other sizes."""
    shape, dims = a.shape(reference), len(sizes)
    return (shape[0], *sizes, shape[-1]) if channels_last(a, dims, reference) else (*shape[:-dims], *sizes)


def pooled(a: Arguments, pool: Pool) -> Shape:
    """The shape of a pooled tensor."""
    return with_sizes(a, pool.counts(sizes_of(a, len(pool.kernel))))


# words


def half_of_the_kernel(padding: str = "padding", kernel: str = "kernelSize", dims: int = 2) -> Relation:
    """A padding is at most half as long as the kernel."""

    def bad(a: Arguments) -> Bad:
        paddings, most = (spread(a[name].values, dims) for name in (padding, kernel))
        fits = all(2 * size <= limit for size, limit in zip(paddings, most, strict=True))
        return None if fits else (list(paddings), f"at most half of {kernel} {list(most)}")

    return demand("{0} is at most half of {1}", padding, kernel, bad=bad)


def only_batch_empty(name: str = "self", dims: int = 2) -> Relation:
    """Only the batch of a tensor may have the size 0."""

    def bad(a: Arguments) -> Bad:
        shape = a.shape(name)
        return (list(shape), "no size of 0, except that of a batch") if 0 in shape[len(shape) - dims - 1 :] else None

    return demand("no size of {0} is 0, except that of a batch", name, bad=bad)


def channels_first(*names: str) -> Relation:
    """Each is labelled NCHW or NCL."""

    def rule_of(name: str) -> Relation:
        def bad(a: Arguments) -> Bad:
            label = a[name].format
            return None if label in CHANNELS_FIRST else (format_name(label), "NCHW or NCL")

        return demand("{0} is labelled NCHW or NCL", name, bad=bad)

    return all_of(*map(rule_of, names))


def windows_fit(pool: Numbers, *names: str) -> Relation:
    """A relation: at least one window in each dimension."""

    def bad(a: Arguments) -> Bad:
        counts = pool(a).counts(sizes_of(a, len(pool(a).kernel)))
        return None if min(counts) >= 1 else (list(a.shape("self")), "at least one window in each dimension")

    return demand("{0} has at least one window in each dimension", "self", *names, bad=bad)
