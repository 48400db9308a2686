"""Im2col, its gradient, and UnfoldGrad: windows that slide over a tensor."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, Arguments, Array, Attributes, Bad, CutDims, Planning, Windows, aclFormat, at_least, by,
    count_of, demand, empty, format_name, grid_of, length, listed, null_status, places, planned, positive, ranks,
    regular, shape,
)  # fmt: skip
from aclnn.ops.movement._family import Shape

PARTS = ("kernelSize", "dilation", "padding", "stride")


def size_of_zero(a: Arguments) -> Bad:
    shape = a.shape("self")
    return (list(shape), "no size of 0, except that of a batch") if 0 in shape[len(shape) - 3 :] else None


def counts_on(a: Arguments, sizes: Sequence[int]) -> Shape:
    """The numbers of windows along the height and along the width."""
    rows = zip(sizes, *(a[name].values for name in PARTS), strict=True)
    return tuple(count_of(size, kernel, stride, 2 * pad, dilation) for size, kernel, dilation, pad, stride in rows)


def counts(a: Arguments) -> Shape:
    """The numbers of windows in self."""
    return counts_on(a, a.shape("self")[-2:])


def kernel_too_large(a: Arguments) -> Bad:
    window_counts = counts(a)
    return None if min(window_counts) >= 1 else (list(a["kernelSize"].values), "a kernel that fits into self")


def columns(a: Arguments) -> Shape:
    *batch, channels, _, _ = a.shape("self")
    return (*batch, channels * prod(a["kernelSize"].values), prod(counts(a)))


@planned(
    "aclnnIm2col", listed("self"), ranks("self", least=3, most=4),
    demand("no size of {0} is 0, except that of a batch", "self", bad=size_of_zero),
    *(length(name, 2) for name in PARTS),
    at_least("kernelSize", 1), at_least("stride", 1), at_least("dilation", 1), at_least("padding", 0),
    demand("{0} fits into self", "kernelSize", "self", bad=kernel_too_large),
    shape("out", "{0} has a row for each element of a window, and a column for each window", columns), empty("self"),
)  # fmt: skip
def im2col(p: Planning) -> None:
    """out = the windows of self, each as a column; outside of self they have zeros"""
    x, shape = p.read("self"), columns(p)
    kernel, dilation, padding, stride = (p[name].values for name in PARTS)
    *front, _, _ = x.shape
    result = p.step(windows, [x], (*front, *kernel, *counts(p)), x.dtype, moves=True, size=kernel,
                    dilation=dilation, padding=padding, stride=stride)  # fmt: skip
    p.store("out", p.builder.reshape(result, shape))


def of_images(inputs: Sequence[Shape], outputs: Sequence[Shape], attributes: Attributes) -> Iterator[CutDims]:
    """The dimensions along which a launch can be cut: images and channels."""
    for dim in range(len(inputs[0]) - 2):
        yield dim, dim


@by(of_images)
def windows(x: Array, *, size: Shape, dilation: Shape, padding: Shape, stride: Shape) -> Array:
    """A view with the dimensions channel, row and column in the window, row and column of the window."""
    (above, beside), spans = padding, [step * (size - 1) + 1 for size, step in zip(size, dilation, strict=True)]
    if above or beside:
        *front, height, width = x.shape
        wide = np.zeros((*front, height + 2 * above, width + 2 * beside), x.dtype)
        wide[..., above : above + height, beside : beside + width] = x
        x = wide
    views = sliding_window_view(x, spans, (-2, -1))[  # pyright: ignore[reportCallIssue, reportArgumentType]
        ..., :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]
    ]
    return np.moveaxis(views, (-2, -1), (-4, -3))


def counts_back(a: Arguments) -> Shape:
    """The numbers of windows in an image of inputSize."""
    return counts_on(a, a["inputSize"].values)


def wrong_rank(a: Arguments) -> Bad:
    rank, expected_rank = a.rank("out"), a.rank("gradOutput") + 1
    return None if rank == expected_rank else (f"{rank} dimensions", f"{expected_rank}, one more than gradOutput")


def partial_windows(a: Arguments) -> Bad:
    rows, per_window = a.shape("gradOutput")[-2], prod(a["kernelSize"].values)
    return None if rows % per_window == 0 else (f"{rows} rows", f"a multiple of {per_window}")


def other_count(a: Arguments) -> Bad:
    columns, expected_columns = a.shape("gradOutput")[-1], counts_back(a)
    fits = min(expected_columns) >= 1 and columns == prod(expected_columns)
    return None if fits else (f"{columns} columns", f"{prod(expected_columns)}, as inputSize has windows")


def image(a: Arguments) -> Shape:
    *front, rows, _ = a.shape("gradOutput")
    return (*front, rows // prod(a["kernelSize"].values), *a["inputSize"].values)


@planned(
    "aclnnIm2colBackward", listed("gradOutput", "out"), ranks("gradOutput", "out"),
    demand("{0} has a dimension more than gradOutput", "out", "gradOutput", bad=wrong_rank), length("inputSize", 2),
    *(length(name, 2) for name in PARTS), at_least("kernelSize", 1), at_least("stride", 1), at_least("dilation", 1),
    at_least("padding", 0),
    demand("the rows of {0} are whole windows", "gradOutput", "kernelSize", bad=partial_windows),
    demand("{0} has a column for each window", "gradOutput", "inputSize", *PARTS, bad=other_count),
    shape("out", "{0} has images of inputSize", image), empty("gradOutput"),
)  # fmt: skip
def im2col_backward(p: Planning) -> None:
    """out = the sum of the windows, which are the columns of gradOutput, at their positions in the image"""
    x, shape = p.read("gradOutput"), image(p)
    rows = zip(shape[-2:], *(p[name].values for name in PARTS), counts_back(p), strict=True)
    axes = [regular(size, kernel, stride, pad, dilation, count) for size, kernel, dilation, pad, stride, count in rows]
    p.store("out", p.step(added_up, [x], shape, x.dtype, windows=axes, sizes=shape))


def added_up(columns: Array, *, windows: Sequence[Windows], sizes: Shape) -> Array:
    out, taps = np.zeros(sizes, columns.dtype), [window.every() for window in windows]
    blocks = columns.reshape(*sizes[:-2], *map(len, taps), *grid_of(windows))
    for (i, row), (j, column) in product(*map(enumerate, taps)):
        which, target = places([row, column])
        out[(..., *target)] += blocks[(..., i, j, *which)]
    return out


def sizes(a: Arguments) -> Bad:
    count, expected_rank = len(a["inputSizes"].values), a.rank("gradOut") - 1
    return (
        None
        if count == expected_rank
        else (f"{count} sizes", f"{expected_rank}, one fewer than gradOut has dimensions")
    )


def counted_from_the_front(a: Arguments) -> Bad:
    most = a.rank("gradOut") - 2
    return None if 0 <= a["dim"] <= most else (a["dim"], f"[0, {most}]")


def plain_storage(a: Arguments) -> Bad:
    storage_format = a["gradOut"].storage_format
    return (
        (format_name(storage_format), "another storage format")
        if storage_format == aclFormat.ACL_FORMAT_FRACTAL_NZ
        else None
    )


def inside(a: Arguments) -> Bad:
    """Checks the shape of gradOut, which the API itself does not check."""
    *front, last = a.shape("gradOut")
    sizes = list(a["inputSizes"].values)
    if not 0 < a["size"] <= sizes[a["dim"]]:
        return a["size"], f"1 to {sizes[a['dim']]}"
    sizes[a["dim"]] = (sizes[a["dim"]] - a["size"]) // a["step"] + 1
    return None if (front, last) == (sizes, a["size"]) else (list(a.shape("gradOut")), [*sizes, a["size"]])


@planned(
    "aclnnUnfoldGrad", null_status(ACLNN_ERR_INNER_NULLPTR), listed("gradOut"), listed("gradIn", like="gradOut"),
    ranks("gradOut", "gradIn", least=1, most=8),
    demand("{0} has a size for each dimension but the last", "inputSizes", "gradOut", bad=sizes),
    shape("gradIn", "{0} has the shape inputSizes", lambda a: a["inputSizes"].values),
    demand("{0} is a dimension of gradIn, counted from the front", "dim", "gradOut", bad=counted_from_the_front),
    positive("size"), positive("step"),
    demand("the storage of {0} is not FRACTAL_NZ", "gradOut", bad=plain_storage), empty("gradOut", "gradIn"),
    demand("{0} has the shape of the windows", "gradOut", "inputSizes", bad=inside, status=ACLNN_ERR_INNER_NULLPTR,
           provenance="ours"),
)  # fmt: skip
def unfold_grad(p: Planning) -> None:
    """gradIn = the sum of the windows at their positions in the input"""
    x, sizes = p.read("gradOut"), p["inputSizes"].values
    if p.dtype("gradIn") != x.dtype:
        raise p.builder.failed("The data types of gradOut and gradIn differ.")
    p.store("gradIn", p.step(folded, [x], sizes, x.dtype, axis=p["dim"], step=p["step"], sizes=sizes))


def folded(windows: Array, *, axis: int, step: int, sizes: Shape) -> Array:
    out = np.zeros(sizes, windows.dtype)
    rows = np.moveaxis(out, axis, 0)
    count = windows.shape[axis]
    for number in range(windows.shape[-1]):
        rows[number : number + step * (count - 1) + 1 : step] += np.moveaxis(windows[..., number], axis, 0)
    return out
