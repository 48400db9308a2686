"""Shapes of products, windows of images, normalisation and recurrent networks."""

from math import ceil, prod

import numpy as np

from acl_runtime.headers.dtypes import Shape
from acl_runtime.headers.enums import aclFormat
from aclnn.by_name.call import Named
from aclnn.by_name.products import DHWCN, HWCN, NDHWC, NHWC, ConvolutionGeometry
from aclnn.by_name.shape_rules import Rule, Shapes


def multiplied(n: Named) -> Shape:
    names = ("a", "b") if "a" in n.arguments.tensors else ("x1", "x2")
    flags = [name for name in n.arguments.row.attributes if name.startswith(("transpose_", "adj_"))]
    first, second = (n[name].shape for name in names)
    rows, inner = first[-2:][:: -1 if n[flags[0]] else 1]
    depth, columns = second[-2:][:: -1 if n[flags[1]] else 1]
    if inner != depth:
        raise ValueError(f"{inner} columns meet {depth} rows")
    return (*np.broadcast_shapes(first[:-2], second[:-2]), rows, columns)


def convolved(n: Named) -> Shape:
    g, layout, (channels, sizes) = ConvolutionGeometry(n), n["data_format"], kernel(n)
    size = {**dict(zip(layout, n["x"].shape, strict=True)), "C": channels}
    pads = n["pads"]
    for index, name in enumerate(name for name in layout if name not in "NC"):
        span = g.dilation[index] * (sizes[index] - 1) + 1
        size[name] = (size[name] + pads[2 * index] + pads[2 * index + 1] - span) // g.stride[index] + 1
    return tuple(size[name] for name in layout)


def kernel(n: Named) -> tuple[int, Shape]:
    """The output channels of a convolution, and the sizes of its window."""
    w, form = n["filter"].shape, n.format("filter")
    last = n["data_format"].endswith("C")
    if last and form in (HWCN, DHWCN):
        return w[-1], w[:-2]
    return w[0], w[1:-1] if last and form in (NHWC, NDHWC) else w[2:]


def pooled(n: Named) -> Shape:
    """The shape of a pool. With ceil_mode the last window may extend beyond the edge, but begins before the edge."""
    layout, x = n["data_format"], n["x"].shape
    size = dict(zip(layout, x, strict=True))
    for index, name in enumerate("HW"):
        place = layout.index(name)
        front, behind = (0, 0) if n["padding_mode"] == "VALID" else n["pads"][2 * index : 2 * index + 2]
        window = (1, 1, 0, 0) if n["global_pooling"] else (n["ksize"][place], n["strides"][place], front, behind)
        size[name] = 1 if n["global_pooling"] else windows(x[place], *window, up=n["ceil_mode"])
    return tuple(size[name] for name in layout)


def windows(size: int, window: int, step: int, front: int, behind: int, *, up: bool) -> int:
    """The number of windows along one dimension."""
    room = size + front + behind - window
    count = (ceil(room / step) if up else room // step) + 1
    return count - (up and (count - 1) * step >= size + front)


def pooled_with_places(n: Named) -> Shapes:
    x, sides = n["x"].shape, [[n[name][i] for name in ("ksize", "strides", "pads", "dilation")] for i in (1, 2)]
    sizes = [windows(x[2 + i], (window - 1) * apart + 1, step, pad, pad, up=n["ceil_mode"])
             for i, (window, step, pad, apart) in enumerate(sides)]  # fmt: skip
    words = ceil(prod(sizes) / 16) + 1
    return [(*x[:2], *sizes), (*x[:2], sides[0][0] * sides[1][0], words)]


def resized(n: Named) -> Shape:
    x, size = n["images"].shape, n.ints("size")
    last = n.format("images") == aclFormat.ACL_FORMAT_NHWC
    return (x[0], *size, x[3]) if last else (*x[:2], *size)


def overlaps(n: Named) -> Shape:
    dim = 0 if n.arguments.row.type == "Iou" else 1
    crossed = n.arguments.row.type == "Iou" or n["is_cross"]
    return (n["gtboxes"].shape[dim] if crossed else 1, n["bboxes"].shape[dim])


# normalisation, training, recurrent networks


def layers(n: Named) -> Shapes:
    x, begin = n["x"].shape, n["begin_norm_axis"] % len(n["x"].shape)
    statistics = (*x[:begin], *(1 for _ in x[begin:]))
    return [x, statistics, statistics]


def batches(n: Named) -> Shapes:
    return [n["x"].shape, *[n["scale"].shape] * 4, (1,)]


def channels(n: Named) -> Shape:
    return tuple(size if axis == 1 else 1 for axis, size in enumerate(n["x"].shape))


def loss(n: Named) -> Shape:
    return n["x"].shape if n["reduction"] == "none" else ()


def generated(n: Named) -> Shape:
    return (ceil(prod(n.ints("shape")) / 128) * 16,)


def recurrent(n: Named) -> Shape:
    weights = n["w" if "w" in n.arguments.tensors else "weight_input"].shape
    return (*n["x"].shape[:2], weights[1] // 4)


def states(*weights: str) -> Rule:
    def rule(n: Named) -> Shapes:
        state = (1, *n["init_h"].shape[-2:])
        return [*(n[name].shape for name in weights), n["b"].shape, n["x"].shape, state, state]

    return rule
