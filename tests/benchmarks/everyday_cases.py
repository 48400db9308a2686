"""The everyday calls: what programs for training and inference call most, in the sizes that they use.

The other side is the call of torch that programs write. It allocates its result; our outputs are there already.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np
import torch
from torch.nn import functional as nn

import aclnn
from acl_runtime import ACL_FLOAT, ACL_FLOAT16, aclCreateBoolArray, aclCreateIntArray, aclCreateScalar
from acl_runtime import ACL_FORMAT_NCHW as NCHW
from tests.benchmarks.problems import DTYPES, EPSILON, IGNORED, Problem, Shape

CONVOLUTION, DEPTHWISE, GRADIENT, PRODUCT, NARROW_PRODUCT = 1.7, 3.0, 1.8, 1.3, 2.3
ORDER, RUNNING_SUM, ROWS, POOL, POOL_TO_1X1, RESIZE, TRIANGLE = 1.0, 1.3, 2.0, 2.0, 4.0, 1.7, 2.0
POWER, LAYER_NORM, EACH_ELEMENT, CURVED, COPY, ANY = 2.5, 2.5, 1.5, 2.0, 2.0, 5.0
"""goals: the most that our time may be, divided by the time of torch. ANY: of calls without a goal of their own"""
DECODE = 2.0
ALL_TOKENS = (1 << 31) - 1
"""preTokens and nextTokens that hide nothing"""
MEAN = 1.6
"""the goal of the geometric mean of all"""
LOADED = 4.0
"""the goal of a call on a loaded machine, divided by the same call on a quiet one"""
Theirs = Callable[..., Any]
aten = torch.ops.aten


@dataclass(frozen=True)
class Everyday:
    """One call: ours, and that of torch on the same inputs."""

    name: str
    goal: float
    make: Callable[[Data], Problem]
    theirs: Theirs
    """takes the tensors that our call reads, in their order"""

    def problem(self) -> Problem:
        """The data, the same in every run."""
        return self.make(Data(np.random.default_rng(zlib.crc32(self.name.encode()))))


@dataclass(frozen=True)
class Data:
    """Random tensors."""

    rng: np.random.Generator

    def normal(self, *shape: int, dtype: str = "float32") -> np.ndarray:
        return self.rng.standard_normal(shape, np.float32).astype(DTYPES[dtype], copy=False)

    def positive(self, *shape: int) -> np.ndarray:
        return self.rng.uniform(0.1, 2, shape).astype(np.float32)

    def distinct(self, *shape: int) -> np.ndarray:
        """Between -1 and 1, no two alike: their order is one."""
        return (self.rng.permutation(prod(shape)).reshape(shape) / (prod(shape) / 2) - 1).astype(np.float32)

    def below(self, limit: int, *shape: int) -> np.ndarray:
        return self.rng.integers(0, limit, shape)

    def mask(self, *shape: int) -> np.ndarray:
        return self.rng.random(shape, np.float32) < np.float32(0.5)


def empty(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    """The memory of an output."""
    return np.empty(shape, DTYPES.get(dtype, dtype))


def ints(*values: int) -> Callable[[], Any]:
    return partial(aclCreateIntArray, list(values), len(values))


def scalar(value: float) -> Callable[[], Any]:
    return partial(aclCreateScalar, np.full(1, value, np.float32), ACL_FLOAT)


def three() -> Any:
    """Each of the three gradients is to be computed."""
    return aclCreateBoolArray([True] * 3, 3)


def product_alone(data: Data, one: Shape, other: Shape) -> Callable[[], object]:
    """The product of numpy in float32."""
    return partial(np.matmul, data.normal(*one), data.normal(*other))


def convolution(shape: Shape, weight: Shape, goal: float, groups: int = 1, dtype: str = "float32") -> Everyday:
    """With a bias. Windows of a single element have no padding, and those of 7 x 7 are two elements apart."""
    (n, channels, size, _), (outs, kernel, _) = shape, weight
    padding, stride = kernel // 2, 2 if kernel == 7 else 1
    grid = (size + 2 * padding - kernel) // stride + 1

    def make(data: Data) -> Problem:
        tensors = data.normal(*shape, dtype=dtype), data.normal(outs, channels // groups, kernel, kernel, dtype=dtype)
        slide = [ints(stride, stride), ints(padding, padding), ints(1, 1), False, ints(0, 0), groups]
        bias, out = data.normal(outs, dtype=dtype), empty(n, outs, grid, grid, dtype=dtype)
        depth = channels // groups * kernel * kernel
        alone = None if groups > 1 else product_alone(data, (outs, depth), (depth, n * grid * grid))
        return Problem(aclnn.aclnnConvolution, [*tensors, bias, *slide, out, 0], (9,), alone, NCHW)

    theirs = partial(nn.conv2d, stride=stride, padding=padding, groups=groups)
    return Everyday(f"convolution {_x(shape)} {_x(weight)} g{groups} {dtype}", goal, make, theirs)


def convolution_backward(shape: Shape) -> Everyday:
    """All three gradients of one with 64 results and windows of 3 x 3."""
    n, channels, size, _ = shape

    def make(data: Data) -> Problem:
        gradient, x, weight = data.normal(n, 64, size, size), data.normal(*shape), data.normal(64, channels, 3, 3)
        slide = [ints(64), ints(1, 1), ints(1, 1), ints(1, 1), False, ints(0, 0), 1, three, 0]
        outputs = [np.empty_like(x), np.empty_like(weight), empty(64)]
        return Problem(
            aclnn.aclnnConvolutionBackward, [gradient, x, weight, *slide, *outputs], (12, 13, 14), planes=NCHW
        )

    def theirs(gradient: Any, x: Any, weight: Any) -> Any:
        slide = [1, 1], [1, 1], [1, 1], False, [0, 0], 1
        return aten.convolution_backward(gradient, x, weight, [64], *slide, [True] * 3)

    return Everyday(f"convolution backward {_x(shape)} 64", GRADIENT, make, theirs)


def pools_and_norms() -> Iterator[Everyday]:
    images, half = (8, 64, 56, 56), (8, 64, 28, 28)
    slide = [ints(3, 3), ints(2, 2), ints(1, 1)]
    yield Everyday(
        "avg pool 8x64x56x56", POOL,
        lambda data: Problem(
            aclnn.aclnnAvgPool2d, [data.normal(*images), *slide, False, True, 0, 0, empty(*half)], (8,), planes=NCHW
        ),
        lambda x: nn.avg_pool2d(x, 3, 2, 1),
    )  # fmt: skip
    yield Everyday(
        "max pool 8x64x56x56", POOL,
        lambda data: Problem(
            aclnn.aclnnMaxPool2dWithIndices,
            [data.normal(*images), *slide, ints(1, 1), False, empty(*half), empty(*half, dtype=np.int32)], (6, 7),
            planes=NCHW,
        ),
        lambda x: nn.max_pool2d(x, 3, 2, 1, return_indices=True),
    )  # fmt: skip
    yield Everyday(
        "adaptive avg pool to 1x1", POOL_TO_1X1,
        lambda data: Problem(
            aclnn.aclnnAdaptiveAvgPool2d, [data.normal(*images), ints(1, 1), empty(8, 64, 1, 1)], (2,), planes=NCHW
        ),
        lambda x: nn.adaptive_avg_pool2d(x, 1),
    )  # fmt: skip
    yield Everyday(
        "batch norm training 8x64x56x56", ANY,
        lambda data: Problem(
            aclnn.aclnnBatchNorm,
            [data.normal(*images), data.normal(64), data.normal(64), data.normal(64), data.positive(64), True, 0.1,
             EPSILON, empty(*images), empty(64), empty(64)], (8, 9, 10), planes=NCHW,
        ),
        lambda x, weight, bias, mean, var: nn.batch_norm(x, mean, var, weight, bias, True),
    )  # fmt: skip
    yield Everyday(
        "layer norm 512x768", LAYER_NORM,
        lambda data: Problem(
            aclnn.aclnnLayerNorm,
            [data.normal(512, 768), ints(768), data.normal(768), data.normal(768), EPSILON, empty(512, 768),
             empty(512, 1), empty(512, 1)], (5, 6, 7),
        ),
        lambda x, weight, bias: nn.layer_norm(x, (768,), weight, bias),
    )  # fmt: skip
    yield Everyday(
        "layer norm backward 512x768", LAYER_NORM,
        lambda data: Problem(
            aclnn.aclnnLayerNormBackward,
            [data.normal(512, 768), data.normal(512, 768), ints(768), data.normal(512, 1), data.positive(512, 1),
             data.normal(768), data.normal(768), three, empty(512, 768), empty(768), empty(768)], (8, 9, 10),
        ),
        lambda grad, x, *rest: aten.native_layer_norm_backward(grad, x, [768], *rest, [True] * 3),
    )  # fmt: skip
    yield Everyday(
        "rms norm 512x768 bf16", ANY,
        lambda data: Problem(
            aclnn.aclnnRmsNorm,
            [data.normal(512, 768, dtype="bfloat16"), data.normal(768, dtype="bfloat16"), EPSILON,
             empty(512, 768, dtype="bfloat16"), empty(512, 1)], (3, 4),
        ),
        lambda x, weight: nn.rms_norm(x, (768,), weight, EPSILON),
    )  # fmt: skip


def products() -> Iterator[Everyday]:
    for dtype, goal in (("float32", PRODUCT), ("bfloat16", NARROW_PRODUCT), ("float16", NARROW_PRODUCT)):
        yield Everyday(
            f"matmul 512x768x768 {dtype}", goal,
            lambda data, dtype=dtype: Problem(
                aclnn.aclnnMatmul,
                [data.normal(512, 768, dtype=dtype), data.normal(768, 768, dtype=dtype),
                 empty(512, 768, dtype=dtype), 0], (2,), product_alone(data, (512, 768), (768, 768)),
            ), torch.matmul,
        )  # fmt: skip
    yield Everyday(
        "addmm 64x128x256", PRODUCT,
        lambda data: Problem(
            aclnn.aclnnAddmm,
            [data.normal(256), data.normal(64, 128), data.normal(128, 256), scalar(1), scalar(1), empty(64, 256), 0],
            (5,), product_alone(data, (64, 128), (128, 256)),
        ), torch.addmm,
    )  # fmt: skip
    yield Everyday(
        "batch matmul 96x128x64x128", PRODUCT,
        lambda data: Problem(
            aclnn.aclnnBatchMatMul, [data.normal(96, 128, 64), data.normal(96, 64, 128), empty(96, 128, 128), 0], (2,),
            product_alone(data, (96, 128, 64), (96, 64, 128)),
        ), torch.bmm,
    )  # fmt: skip


def decode(dtype: str) -> Everyday:
    """Attention of one new token to 4,096 keys that lie in blocks. The blocks are in their order, so that torch reads
    the same memory as one tensor."""
    heads, size, keys, block = 16, 64, 4096, 128
    width, null = heads * size, (None,)

    def make(data: Data) -> Problem:
        query = data.normal(1, 1, width, dtype=dtype)
        caches = [data.normal(keys // block, block, width, dtype=dtype) for _ in range(2)]
        table = np.arange(keys // block, dtype=np.int32)[None]
        optional = [*null * 2, ints(1), ints(keys), *null * 7, table, *null * 12]
        numbers = [heads, size**-0.5, ALL_TOKENS, ALL_TOKENS, b"BSH", heads, 0, 0, block, 0, False, 0, 0]
        arguments = [query, [caches[0]], [caches[1]], *optional, *numbers, empty(1, 1, width, dtype=dtype), None]
        return Problem(aclnn.aclnnFusedInferAttentionScoreV3, arguments, (40,))

    def theirs(query: Any, key: Any, value: Any, _: Any) -> Any:
        rows = (x.view(1, -1, heads, size).transpose(1, 2) for x in (query, key, value))
        return nn.scaled_dot_product_attention(*rows).transpose(1, 2).flatten(2)

    return Everyday(f"decode step 1x16x64 of {keys} keys {dtype}", DECODE, make, theirs)


def elements(n: int) -> Iterator[Everyday]:
    """Operators that compute each element by itself. Of few elements only the power has a goal of its own."""
    large = n >= 1_000_000
    for name, goal, read, rest, theirs in (
        ("silu", CURVED, Data.normal, [], nn.silu), ("tanh", EACH_ELEMENT, Data.normal, [], torch.tanh),
        ("gelu", CURVED, Data.normal, [], nn.gelu), ("sqrt", EACH_ELEMENT, Data.positive, [], torch.sqrt),
        ("log", EACH_ELEMENT, Data.positive, [], torch.log),
        ("pow 3", POWER, Data.normal, [scalar(3)], lambda x: torch.pow(x, 3)),
    ):  # fmt: skip
        operator = aclnn.aclnnPowTensorScalar if rest else getattr(aclnn, f"aclnn{name.title()}")
        yield Everyday(
            f"{name} {n}", goal if large else ANY,
            lambda data, operator=operator, read=read, rest=rest: Problem(
                operator, [read(data, n), *rest, empty(n)], (1 + len(rest),)
            ), theirs,
        )  # fmt: skip
    goal = EACH_ELEMENT if large else ANY
    yield Everyday(
        f"add {n}", goal,
        lambda data: Problem(aclnn.aclnnAdd, [data.normal(n), data.normal(n), scalar(1), empty(n)], (3,)), torch.add,
    )  # fmt: skip
    yield Everyday(
        f"greater {n}", goal,
        lambda data: Problem(aclnn.aclnnGtTensor, [data.normal(n), data.normal(n), empty(n, dtype=np.bool_)], (2,)),
        torch.gt,
    )  # fmt: skip
    yield Everyday(
        f"where {n}", goal,
        lambda data: Problem(aclnn.aclnnSWhere, [data.mask(n), data.normal(n), data.normal(n), empty(n)], (3,)),
        torch.where,
    )  # fmt: skip
    yield Everyday(
        f"cast f32 to f16 {n}", goal,
        lambda data: Problem(aclnn.aclnnCast, [data.normal(n), int(ACL_FLOAT16), empty(n, dtype="float16")], (2,)),
        lambda x: x.half(),
    )  # fmt: skip


def rows() -> Iterator[Everyday]:
    """Sums, extremes and order of rows."""
    square, single = (1024, 1024), int(ACL_FLOAT)

    def of(name: str, goal: float, operator: Any, outputs: list[np.ndarray], theirs: Theirs, *rest: Any) -> Everyday:
        at = tuple(range(1 + len(rest), 1 + len(rest) + len(outputs)))
        return Everyday(
            name, goal, lambda data: Problem(operator, [data.distinct(*square), *rest, *outputs], at), theirs
        )

    row, places = empty(1024), partial(empty, dtype=np.int64)
    yield of("sum rows 1024x1024", ANY, aclnn.aclnnReduceSum, [row], lambda x: x.sum(1), ints(1), False, single)
    yield of("sum columns 1024x1024", ANY, aclnn.aclnnReduceSum, [row], lambda x: x.sum(0), ints(0), False, single)
    yield of("mean rows", ANY, aclnn.aclnnMean, [row], lambda x: x.mean(1), ints(1), False, single)
    yield of("argmax rows", ANY, aclnn.aclnnArgMax, [places(1024)], lambda x: x.argmax(1), 1, False)
    yield of("cumsum rows", RUNNING_SUM, aclnn.aclnnCumsum, [empty(*square)], lambda x: x.cumsum(1), 1, single)
    outputs = [empty(*square), places(*square)]
    yield of("sort rows 1024x1024", ORDER, aclnn.aclnnSort, outputs, lambda x: x.sort(1), False, 1, False)
    outputs = [empty(1024, 16), places(1024, 16)]
    yield of("topk 16 of 1024 rows", ORDER, aclnn.aclnnTopk, outputs, lambda x: x.topk(16), 16, 1, True, True)
    yield Everyday(
        "norm of 1M", ANY,
        lambda data: Problem(aclnn.aclnnNorm, [data.normal(1_000_000), scalar(2), ints(0), False, empty()], (4,)),
        torch.linalg.vector_norm,
    )  # fmt: skip


def indexed() -> Iterator[Everyday]:
    matrix = (1024, 256)
    yield Everyday(
        "embedding 4096 of 30000x256", ROWS,
        lambda data: Problem(
            aclnn.aclnnEmbedding, [data.normal(30_000, 256), data.below(30_000, 4096), empty(4096, 256)], (2,)
        ), lambda table, index: nn.embedding(index, table),
    )  # fmt: skip
    yield Everyday(
        "gather 1024x256", ROWS,
        lambda data: Problem(
            aclnn.aclnnGather, [data.normal(*matrix), 1, data.below(256, *matrix), empty(*matrix)], (3,)
        ),
        lambda x, index: x.gather(1, index),
    )  # fmt: skip
    yield Everyday(
        "index select 512 rows", ROWS,
        lambda data: Problem(
            aclnn.aclnnIndexSelect, [data.normal(30_000, 256), 0, data.below(30_000, 512), empty(512, 256)], (3,)
        ), lambda x, index: x.index_select(0, index),
    )  # fmt: skip
    yield Everyday(
        "masked fill", ROWS,
        lambda data: Problem(
            aclnn.aclnnInplaceMaskedFillScalar, [data.normal(1_000_000), data.mask(1_000_000), scalar(1)], ()
        ), lambda x, mask: x.masked_fill_(mask, 1.0),
    )  # fmt: skip
    yield Everyday(
        "scatter add", ROWS,
        lambda data: Problem(
            aclnn.aclnnScatterAdd,
            [data.normal(*matrix), 1, data.below(256, *matrix), data.normal(*matrix), empty(*matrix)], (4,),
        ), lambda x, index, src: x.scatter_add(1, index, src),
    )  # fmt: skip


def copies() -> Iterator[Everyday]:
    images, part = (8, 64, 56, 56), (512, 256)
    yield Everyday(
        "permute 64x128x256", COPY,
        lambda data: Problem(aclnn.aclnnPermute, [data.normal(64, 128, 256), ints(0, 2, 1), empty(64, 256, 128)], (2,)),
        lambda x: x.permute(0, 2, 1).contiguous(),
    )  # fmt: skip
    for name, operator, theirs, shape in (
        ("cat", aclnn.aclnnCat, torch.cat, (1024, 256)), ("stack", aclnn.aclnnStack, torch.stack, (2, *part)),
    ):  # fmt: skip
        yield Everyday(
            name, COPY,
            lambda data, operator=operator, shape=shape: Problem(
                operator, [[data.normal(*part), data.normal(*part)], 0, empty(*shape)], (2,)
            ), lambda *parts, theirs=theirs: theirs(parts),
        )  # fmt: skip
    yield Everyday(
        "tril", TRIANGLE, lambda data: Problem(aclnn.aclnnTril, [data.normal(1024, 1024), 0, empty(1024, 1024)], (2,)),
        torch.tril,
    )  # fmt: skip
    yield Everyday(
        "repeat 2x2", COPY,
        lambda data: Problem(aclnn.aclnnRepeat, [data.normal(512, 512), ints(2, 2), empty(1024, 1024)], (2,)),
        lambda x: x.repeat(2, 2),
    )  # fmt: skip
    yield Everyday(
        "constant pad", COPY,
        lambda data: Problem(
            aclnn.aclnnConstantPadNd, [data.normal(*images), ints(1, 1, 1, 1), scalar(0), empty(8, 64, 58, 58)], (3,)
        ), lambda x: nn.pad(x, (1, 1, 1, 1)),
    )  # fmt: skip
    wide, size = (8, 64, 112, 112), ints(112, 112)
    yield Everyday(
        "upsample bilinear 56 to 112", RESIZE,
        lambda data: Problem(
            aclnn.aclnnUpsampleBilinear2d, [data.normal(*images), size, False, 2.0, 2.0, empty(*wide)], (5,),
            planes=NCHW,
        ), lambda x: nn.interpolate(x, (112, 112), mode="bilinear"),
    )  # fmt: skip
    yield Everyday(
        "upsample nearest 56 to 112", RESIZE,
        lambda data: Problem(
            aclnn.aclnnUpsampleNearest2d, [data.normal(*images), size, empty(*wide)], (2,), planes=NCHW
        ),
        lambda x: nn.interpolate(x, (112, 112)),
    )  # fmt: skip


def losses() -> Iterator[Everyday]:
    batch, mean = (512, 1000), 1
    yield Everyday(
        "nll loss 512x1000", ANY,
        lambda data: Problem(
            aclnn.aclnnNLLLoss,
            [data.normal(*batch), data.below(1000, 512), np.ones(1000, np.float32), mean, IGNORED, empty(), empty()],
            (5, 6),
        ), nn.nll_loss,
    )  # fmt: skip
    yield Everyday(
        "log softmax 512x1000", ANY,
        lambda data: Problem(aclnn.aclnnLogSoftmax, [data.normal(*batch), 1, empty(*batch)], (2,)),
        lambda x: nn.log_softmax(x, 1),
    )  # fmt: skip
    yield Everyday(
        "mse 512x1000", ANY,
        lambda data: Problem(aclnn.aclnnMseLoss, [data.normal(*batch), data.normal(*batch), mean, empty()], (3,)),
        nn.mse_loss,
    )  # fmt: skip


def _x(shape: Shape) -> str:
    return "x".join(map(str, shape))


EVERYDAY: tuple[Everyday, ...] = (
    convolution((8, 1, 28, 28), (32, 3, 3), CONVOLUTION),
    convolution((8, 32, 28, 28), (64, 3, 3), CONVOLUTION),
    convolution((4, 64, 56, 56), (64, 3, 3), CONVOLUTION),
    convolution((4, 256, 14, 14), (256, 3, 3), CONVOLUTION),
    convolution((2, 3, 224, 224), (64, 7, 7), CONVOLUTION),
    convolution((4, 64, 56, 56), (256, 1, 1), CONVOLUTION),
    convolution((4, 64, 56, 56), (64, 3, 3), CONVOLUTION, dtype="float16"),
    convolution((4, 64, 28, 28), (64, 3, 3), DEPTHWISE, groups=64),
    convolution_backward((8, 32, 28, 28)), convolution_backward((4, 64, 56, 56)),
    *pools_and_norms(), *products(), decode("float16"),
    decode("bfloat16"), *elements(10_000), *elements(1_000_000), *rows(), *indexed(), *copies(), *losses(),
)  # fmt: skip
