"""Calls of derivatives by name, with their results by differences, and of the operators beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from acl_runtime import ACL_FORMAT_NCHW
from tests.aclnn.by_name.case import (
    F32,
    I32,
    I64,
    POSITIVE,
    SMALL,
    Array,
    Case,
    X,
    Y,
    case,
    ints,
    normal,
    one,
    sigmoid,
    softmax,
    softplus,
)

STEP = 1e-6
NCHW = dict.fromkeys(range(3), ACL_FORMAT_NCHW)


def derivative(function: Callable[..., Array], grad: Array, *inputs: Array) -> list[Array]:
    """Of sum(grad * function(inputs)), for each input."""
    wide = [each.astype(np.float64) for each in inputs]
    found: list[Array] = []
    for of in wide:
        slopes = np.zeros_like(of)
        for at in np.ndindex(of.shape):
            here, sums = of[at], []
            for step in (STEP, -STEP):
                of[at] = here + step
                sums.append((grad * function(*wide)).sum())
            of[at] = here
            slopes[at] = (sums[0] - sums[1]) / (2 * STEP)
        found.append(slopes.astype(F32))
    return found


def gelu(x: Array) -> Array:
    return x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3))) / 2


ACTIVATIONS: dict[str, tuple[Callable[[Array], Array], dict[str, Any]]] = {
    "ReluGrad": (lambda x: np.maximum(x, 0), {}),
    "LeakyReluGrad": (lambda x: np.where(x > 0, x, 0.25 * x), {"negative_slope": 0.25}),
    "SiluGrad": (lambda x: x * sigmoid(x), {}), "MishGrad": (lambda x: x * np.tanh(softplus(x)), {}),
    "EluGradV2": (lambda x: np.where(x > 0, x, 0.5 * np.expm1(x)), {"alpha": 0.5}),
    "SoftplusV2Grad": (lambda x: softplus(2 * x) / 2, {"beta": 2.0}),
    "HardSwishGrad": (lambda x: x * np.clip(x + 3, 0, 6) / 6, {}),
    "HardSigmoidGrad": (lambda x: np.clip(x / 4 + 0.5, 0, 1), {"alpha": 0.25}),
}  # fmt: skip


def activations() -> Iterator[Case]:
    for type, (function, attributes) in ACTIVATIONS.items():
        yield case(type, [Y, X], derivative(function, Y, X), **attributes)
    yield case("HardtanhGrad", [X, Y], derivative(lambda x: np.clip(x, -0.5, 0.75), Y, X), min_val=-0.5, max_val=0.75)
    for type, function in (("SigmoidGrad", sigmoid), ("TanhGrad", np.tanh)):
        yield case(type, [function(X), Y], derivative(function, Y, X))
    yield case("GeluGrad", [Y, X, gelu(X)], derivative(gelu, Y, X))
    slope = normal(4)
    yield case("PRelu", [X, slope], [np.where(X > 0, X, X * slope)])
    yield case("PReluGrad", [Y, X, slope], derivative(lambda x, w: np.where(x > 0, x, x * w), Y, X, slope))
    yield case("SoftplusV2", [X], [softplus(2 * X) / 2], beta=2.0)
    yield case("ClipByValueV2", [X, one(-0.5), one(0.5)], [np.clip(X, -0.5, 0.5)])
    yield case("IsFinite", [np.array([1, np.inf, np.nan], F32)], [np.array([True, False, False])])
    for type, function in (("MinimumGrad", np.minimum), ("MaximumGrad", np.maximum)):
        yield case(type, [SMALL, X, Y], derivative(function, SMALL, X, Y))
    yield case("SoftmaxGrad", [softmax(X), Y], derivative(softmax, Y, X))
    yield case(
        "LogSoftmaxGrad", [Y, np.log(softmax(X, 0))], derivative(lambda x: np.log(softmax(x, 0)), Y, X), axis=[0]
    )


def rotary() -> Iterator[Case]:
    x, grad = normal(2, 1, 3, 4), normal(2, 1, 3, 4)
    cosine, sine = normal(1, 1, 3, 4), normal(1, 1, 3, 4)

    def rotated(x: Array, cosine: Array, sine: Array) -> Array:
        return x * cosine + np.concatenate([-x[..., 2:], x[..., :2]], -1) * sine

    yield case("RotaryMul", [x, cosine, sine], [rotated(x, cosine, sine)])
    yield case("RotaryMulGrad", [x, cosine, sine, grad], derivative(rotated, grad, x, cosine, sine))


def losses() -> Iterator[Case]:
    chance, target = RANDOM_SHARE, sigmoid(Y)

    def entropy(x: Array) -> Array:
        return -(target * np.log(x) + (1 - target) * np.log(1 - x))

    yield case("BinaryCrossEntropy", [chance, target], [entropy(chance)], reduction="none")
    yield case("BinaryCrossEntropy", [chance, target, X], [(entropy(chance) * X).mean()])
    yield case("BinaryCrossEntropyGrad", [chance, target, Y], derivative(entropy, Y, chance), reduction="none")
    yield case("KLDiv", [X, target], [(target * (np.log(target) - X)).sum()], reduction="sum")
    yield case("KLDiv", [X, Y], [np.exp(Y) * (Y - X)], reduction="none", log_target=True)


RANDOM_SHARE = sigmoid(X)
IMAGE, GRAD = normal(2, 4, 2, 3), normal(2, 4, 2, 3)


def normed(x: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def of_channels(x: Array) -> Array:
    return x[:, None, None]


def normalisation() -> Iterator[Case]:
    gamma, beta = normal(3), normal(3)
    mean, variance = (getattr(IMAGE, name)(-1, keepdims=True) for name in ("mean", "var"))
    yield case("LayerNormGrad", [GRAD, IMAGE, variance, mean, gamma], derivative(
        lambda x, g, b: normed(x, (-1,), 0) * g + b, GRAD, IMAGE, gamma, beta))  # fmt: skip
    gamma, beta = normal(4), normal(4)
    parts = IMAGE.reshape(2, 2, -1)

    def group_norm(x: Array, g: Array, b: Array) -> Array:
        return normed(x.reshape(2, 2, -1), (2,), 1e-3).reshape(x.shape) * of_channels(g) + of_channels(b)

    rstd = 1 / np.sqrt(parts.var(2) + 1e-3)
    yield case("GroupNorm", [IMAGE, gamma, beta], [group_norm(IMAGE, gamma, beta), parts.mean(2), parts.var(2)],
               NCHW, num_groups=2, eps=1e-3)  # fmt: skip
    yield case("GroupNormGrad", [GRAD, parts.mean(2), rstd, IMAGE, gamma], derivative(
        group_norm, GRAD, IMAGE, gamma, beta), num_groups=2)  # fmt: skip
    yield from batch_norm(gamma, beta)


def batch_norm(gamma: Array, beta: Array) -> Iterator[Case]:
    axes = (0, 2, 3)
    sums, mean, variance = IMAGE.sum(axes), IMAGE.mean(axes), IMAGE.var(axes)
    kept, spread, count = normal(4), POSITIVE[0], 12
    y = normed(IMAGE, axes, 1e-3) * of_channels(gamma) + of_channels(beta)
    moved = [kept * 0.75 + mean * 0.25, spread * 0.75 + variance * count / (count - 1) * 0.25]
    yield case("BNTrainingUpdate", [IMAGE, sums, (IMAGE**2).sum(axes), gamma, beta, kept, spread],
               [y, *moved, mean, variance], factor=0.25, epsilon=1e-3)  # fmt: skip
    of_x, of_gamma, of_beta = derivative(
        lambda x, g, b: normed(x, axes, 1e-4) * of_channels(g) + of_channels(b), GRAD, IMAGE, gamma, beta
    )
    yield case("BNTrainingUpdateGrad", [GRAD, IMAGE, mean, variance], [of_gamma, of_beta])
    yield case("BNTrainingReduceGrad", [GRAD, IMAGE, of_gamma, of_beta, gamma, mean, variance], [of_x])
    yield case("BNInferGrad", [GRAD, gamma, spread], [GRAD * of_channels(gamma / np.sqrt(spread + 1e-4))])


def windows(x: Array, size: int, step: int, pad: int, fill: float) -> Array:
    """The elements of each window, in the last two dimensions."""
    around = [(0, 0), (0, 0), (pad, pad), (pad, pad)]
    padded = np.pad(x, around, constant_values=fill)
    return np.lib.stride_tricks.sliding_window_view(padded, (size, size), (2, 3))[:, :, ::step, ::step]


def places(x: Array, size: int, step: int, pad: int) -> Array:
    """A bit for the place of the greatest element: by hand."""
    parts = windows(x, size, step, pad, -np.inf)
    n, c, rows, columns = parts.shape[:4]
    words = np.zeros((n, c, size * size, -(-rows * columns // 16) + 1), np.uint16)
    for a, b, i, j in np.ndindex(n, c, rows, columns):
        at = i * columns + j
        words[a, b, parts[a, b, i, j].argmax(), at // 16] |= np.uint16(1 << at % 16)
    return words


def pools() -> Iterator[Case]:
    x = normal(1, 2, 9, 9)
    for size, step, pad in ((2, 2, 0), (3, 2, 1)):
        how = {name: [1, number, number, 1] for name, number in (("ksize", size), ("strides", step), ("pads", pad))}

        def greatest(x: Array, size: int = size, step: int = step, pad: int = pad) -> Array:
            return windows(x, size, step, pad, -np.inf).max((4, 5))

        y, bits = greatest(x), places(x, size, step, pad)
        grad = normal(*y.shape)
        yield case("MaxPoolWithArgmaxV1", [x], [y, bits], **how)
        yield case("MaxPoolGradWithArgmaxV1", [x, grad, bits], derivative(greatest, grad, x), **how)
    halves = {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2]}
    x, grad = normal(1, 2, 4, 6), normal(1, 2, 2, 3)

    def mean(x: Array) -> Array:
        return windows(x, 2, 2, 0, 0).mean((4, 5))

    yield case("AvgPoolV2Grad", [ints(*x.shape), grad], derivative(mean, grad, x), **halves)
    yield case("AdaptiveAvgPool2d", [x], [mean(x)], output_size=[2, 3])
    yield case("AdaptiveAvgPool2dGrad", [grad], derivative(mean, grad, x), orig_input_shape=list(x.shape))


def nearby(x: Array, grid: Array) -> Array:
    """Bilinear samples, with zeros outside."""
    n, c, rows, columns = x.shape
    found = np.zeros((n, c, *grid.shape[1:3]), x.dtype)
    for a, i, j in np.ndindex(grid.shape[:3]):
        across, down = ((grid[a, i, j] + 1) * (columns, rows) - 1) / 2
        left, top = int(np.floor(across)), int(np.floor(down))
        for row in (top, top + 1):
            for column in (left, left + 1):
                if 0 <= row < rows and 0 <= column < columns:
                    found[a, :, i, j] += x[a, :, row, column] * (1 - abs(row - down)) * (1 - abs(column - across))
    return found


def movement() -> Iterator[Case]:
    reflected = [(0, 0), (0, 0), (1, 1), (2, 1)]
    flat = ints(*(number for pair in reflected for number in pair))
    yield case("MirrorPad", [IMAGE, ints(0, 0, 0, 0, 1, 1, 2, 1)], [np.pad(IMAGE, reflected, mode="reflect")],
               mode="REFLECT")  # fmt: skip
    grad = normal(2, 4, 4, 6)
    yield case("PadV3Grad", [grad, flat], derivative(lambda x: np.pad(x, reflected, mode="reflect"), grad, IMAGE))
    yield case("Roll", [X], [np.roll(X, 1, 0)], shifts=[1], dims=[0])
    yield case("RollV2", [X, ints(1, 2), ints(0, 1)], [np.roll(X, (1, 2), (0, 1))])
    yield case("Eye", [], [np.eye(3, 4, dtype=F32)], num_rows=3, num_columns=4)
    yield case("Eye", [], [np.eye(3, dtype=F32)], num_rows=3)
    yield case("Diag", [X[0]], [np.diag(X[0])])
    grid = SMALL.reshape(1, 3, 2, 2)
    grad = normal(1, 4, 3, 2)
    yield case("GridSampler2D", [IMAGE[:1], grid], [nearby(IMAGE[:1], grid)])
    yield case("GridSampler2DGrad", [grad, IMAGE[:1], grid], derivative(nearby, grad, IMAGE[:1], grid))


def indexing() -> Iterator[Case]:
    places = np.array([[2], [0], [2]], I32)
    summed, zeros = X.copy(), np.zeros_like(X)
    np.add.at(summed, places[:, 0], Y)
    np.add.at(zeros, places[:, 0], Y)
    yield case("ScatterNd", [places, Y, ints(3, 4)], [zeros])
    yield case("ScatterNdAdd", [X, places, Y], [summed])
    yield case("TensorScatterAdd", [X, places, Y], [summed])
    pairs, single = np.array([[2, 1], [0, 3]], I64), X.copy()
    single[pairs[:, 0], pairs[:, 1]] += Y[0, :2]
    yield case("TensorScatterAdd", [X, pairs, Y[0, :2].copy()], [single])
    replaced = X.copy()
    replaced[[1, 0]] = Y[:2]
    yield case("TensorScatterUpdate", [X, np.array([[1], [0]], I32), Y[:2]], [replaced])
    yield case("UnsortedSegmentSum", [Y, np.array([2, 0, 2], I32), ints(3)], [zeros[:3]])
    yield case("MaskedScatter", [X, X > 0, Y.reshape(-1)], [masked(X, Y)])
    yield case("EmbeddingDenseGrad", [Y, np.array([2, 0, 2], I64)], [zeros], num_weights=3)
    yield case("UniqueWithCountsAndSorting", [np.array([3, 1, 3, 2, 1], I64)],
               [np.array([1, 2, 3]), np.array([2, 0, 2, 1, 0]), np.array([2, 1, 2])], return_inverse=True,
               return_counts=True)  # fmt: skip
    yield case("UniqueConsecutive", [np.array([3, 3, 1, 3], I64)],
               [np.array([3, 1, 3]), np.array([0, 0, 1, 2]), np.array([2, 1, 1])], return_idx=True,
               return_counts=True)  # fmt: skip


def masked(x: Array, values: Array) -> Array:
    made = x.copy()
    made[x > 0] = values.reshape(-1)[: (x > 0).sum()]
    return made


def reductions() -> Iterator[Case]:
    mean = np.broadcast_to(X.mean(1, keepdims=True), X.shape).copy()
    yield case("ReduceStdV2Update", [X, mean], [X.var(1, ddof=1)], dim=[1])
    yield case("ReduceStdV2Update", [X, mean], [X.std(1, keepdims=True)], dim=[1], unbiased=False, if_std=True,
               keepdim=True)  # fmt: skip
    yield case("LpNormReduceV2", [X], [(np.abs(X) ** 3).sum(1, keepdims=True)], p=3.0, axes=[1], keepdim=True)
    yield case("LpNormReduceV2", [X], [np.abs(X).max(1)], p=float("inf"), axes=[1])
    yield case("LpNormUpdateV2", [POSITIVE], [np.cbrt(POSITIVE)], p=3.0)
    yield case("LpNorm", [X], [np.sqrt((X**2).sum(1))], axes=[1])


def overlap(boxes: Array, others: Array) -> Array:
    """GIoU of pairs, as the page has it."""
    sides = np.minimum(boxes[2:], others[2:]) - np.maximum(boxes[:2], others[:2])
    common = np.prod(np.maximum(sides, 0), 0)
    union = sum(np.prod(each[2:] - each[:2], 0) for each in (boxes, others)) - common
    hull = np.prod(np.maximum(boxes[2:], others[2:]) - np.minimum(boxes[:2], others[:2]), 0)
    return (common / union - (hull - union) / hull)[None]


def boxes() -> Iterator[Case]:
    """ "(0,0,2,2) with (1,1,3,3): 1/7 - 2/9 = -0.079365; (0,0,1,1) with (2,2,3,3): 0 - 7/9 = -0.777778"."""
    one_, other = np.array([[0, 0, 2, 2], [0, 0, 1, 1]], F32).T, np.array([[1, 1, 3, 3], [2, 2, 3, 3]], F32).T
    one_, other = one_.copy(), other.copy()
    yield case("GIoU", [one_, other], [np.array([[-0.079365, -0.777778]], F32)], is_cross=False)
    yield case("GIoU", [one_, other], [np.concatenate([overlap(one_, np.repeat(other[:, at:][:, :1], 2, 1))
                                                       for at in range(2)])])  # fmt: skip

    def centred(each: Array) -> Array:
        return np.concatenate([each[:2] - each[2:] / 2, each[:2] + each[2:] / 2])

    first = np.array([[1, 1.5, 2, 3], [4, 4, 1, 2], [0, 0, 5, 6]], F32).T.copy()
    second = np.array([[1.5, 1, 3, 2], [4, 5, 3, 3.5], [9, 9, 2, 3]], F32).T.copy()
    grad = normal(1, 3)
    for trans, function in ((False, overlap), (True, lambda a, b: overlap(centred(a), centred(b)))):
        pair = (first, second) if trans else (centred(first), centred(second))
        yield case("GIoU", [*pair], [function(*pair)], is_cross=False, trans=trans)
        yield case("GIoUGrad", [grad.T.copy(), *pair], derivative(function, grad, *pair), is_cross=False, trans=trans)


def region_means(image: Array, rois: Array, *, pooled: int, scale: float, samples: int, aligned: bool) -> Array:
    """The mean of the samples of each bin, one by one."""
    result = np.zeros((len(rois), image.shape[1], pooled, pooled), image.dtype)
    for number, (batch, *corners) in enumerate(rois.tolist()):
        left, top, right, bottom = (scale * each - aligned / 2 for each in corners)
        sides = [each if aligned else max(each, 1.0) for each in (bottom - top, right - left)]
        for at in np.ndindex(pooled, pooled, samples, samples):
            y, x = (start + side / pooled * (bin_ + (sample + 0.5) / samples)
                    for start, side, bin_, sample in zip((top, left), sides, at[:2], at[2:], strict=True))  # fmt: skip
            for (row, of_row), (column, of_column) in product(between(y, image.shape[2]), between(x, image.shape[3])):
                result[number, :, at[0], at[1]] += image[int(batch), :, row, column] * of_row * of_column / samples**2
    return result


def between(place: float, size: int) -> list[tuple[int, float]]:
    """The neighbours of a place between -1 and size, and their shares."""
    if not -1 < place < size:
        return []
    place = min(max(place, 0.0), size - 1.0)
    low = min(int(place), size - 2)
    return [(low, 1 - (place - low)), (low + 1, place - low)]


def regions() -> Iterator[Case]:
    image, grad = normal(2, 3, 5, 6), normal(3, 3, 2, 2)
    rois = np.array([[0, 1, 1, 8, 7], [1, 0, 2, 5, 9], [1, 3, 3, 3.5, 3.5]], F32)
    for mode in (0, 2):
        means = partial(region_means, pooled=2, scale=0.5, samples=2, aligned=mode == 2)
        numbers = {"pooled_height": 2, "pooled_width": 2, "spatial_scale": 0.5, "roi_end_mode": mode}
        yield case("ROIAlign", [image, rois], [means(image, rois)], **numbers)
        (slopes,) = derivative(lambda x, means=means: means(x, rois), grad, image)
        yield case("ROIAlignGrad", [grad, rois], [slopes], xdiff_shape=[*image.shape], **numbers)


FAMILIES: Sequence[Callable[[], Iterator[Case]]] = (
    activations, rotary, losses, normalisation, pools, movement, indexing, reductions, boxes,
    regions,
)  # fmt: skip
