"""One good call of each operator, and for each of its checks the calls that only this check refuses.

The checks stand in the order in which the operator's contract ("Phase 1: ordered checks") lists them, which is how
`test_every_op.py` holds the declared order against the contract. A new operator needs a `Case` here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from ctypes import byref, c_uint64
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import (
    ACL_BF16,
    ACL_BOOL,
    ACL_DOUBLE,
    ACL_FLOAT,
    ACL_FLOAT16,
    ACL_FORMAT_FRACTAL_NZ,
    ACL_FORMAT_NC1HWC0,
    ACL_FORMAT_NCHW,
    ACL_FORMAT_ND,
    ACL_FORMAT_NDHWC,
    ACL_FORMAT_NHWC,
    ACL_INT32,
    ACL_INT64,
    ACL_SUCCESS,
    ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_INNER_TILING_ERROR,
    ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR,
    Machine,
    aclGetRecentErrMsg,
    aclOpExecutor,
    aclrtSetDevice,
    aclTensor,
)
from acl_runtime.objects.soc import Series
from aclnn.engine.declaration import Op, TensorOut
from tests.builders import Planned, acl_type, meta, plan
from tests.conftest import check_documented

A2, A3, TRAINING, INFERENCE, A200I = "Ascend910B1", "Ascend910_9391", "Ascend910A", "Ascend310P3", "Ascend310B1"
"""one chip of each product series"""
Changes = Mapping[str, Any]
UNTOUCHED = 12345
"""what `plan` puts into workspaceSize before the call"""


@dataclass(frozen=True)
class Meta:
    """A tensor without memory, to be made on the machine of a test."""

    shape: tuple[int, ...]
    dtype: int = ACL_FLOAT
    format: int = ACL_FORMAT_ND
    strides: tuple[int, ...] | None = None
    offset: int = 0
    storage: tuple[int, ...] | None = None

    def make(self) -> aclTensor:
        return meta(self.shape, self.dtype, strides=self.strides, offset=self.offset, format=self.format,
                    storage=self.storage)  # fmt: skip


def f32(*shape: int, format: int = ACL_FORMAT_ND) -> Meta:
    return Meta(shape, ACL_FLOAT, format)


def f16(*shape: int) -> Meta:
    return Meta(shape, ACL_FLOAT16)


def i64(*shape: int, format: int = ACL_FORMAT_ND) -> Meta:
    return Meta(shape, ACL_INT64, format)


def made(value: Any) -> Any:
    """An argument of a first phase: arrays and `Meta` become tensors without memory."""
    if isinstance(value, np.ndarray):
        return meta(value.shape, acl_type(value.dtype))
    return value.make() if isinstance(value, Meta) else value


@dataclass(frozen=True)
class Breaker:
    """Changes to the good call that one check refuses, and what its text must tell."""

    parameter: str
    found: str
    allowed: str
    changes: dict[str, Any]
    status: int = ACLNN_ERR_PARAM_INVALID
    soc: str = A2
    behind: tuple[str, ...] = ()
    """checks that refuse every such call before this one can; without them it speaks"""


def refused(parameter: str, found: str, allowed: str, /, **changes: Any) -> Breaker:
    """161002."""
    return Breaker(parameter, found, allowed, changes)


def untiled(parameter: str, found: str, allowed: str, /, **changes: Any) -> Breaker:
    """561002."""
    return Breaker(parameter, found, allowed, changes, ACLNN_ERR_INNER_TILING_ERROR)


def unplanned(parameter: str, found: str, allowed: str, /, soc: str = A2, **changes: Any) -> Breaker:
    """561103."""
    return Breaker(parameter, found, allowed, changes, ACLNN_ERR_INNER_NULLPTR, soc)


def skipped(**changes: Any) -> Breaker:
    """Success: the tensors are empty, and the checks below are not reached."""
    return Breaker("", "", "", changes, ACL_SUCCESS)


@dataclass(frozen=True, eq=False)
class Case:
    """An operator under test."""

    name: str
    good: dict[str, Any]
    """arguments by parameter name; an array stands for a tensor that holds it"""
    results: dict[str, Any]
    """what the good call writes"""
    products: frozenset[Series]
    elsewhere: int
    """what the first phase answers on the other products"""
    breakers: dict[str, tuple[Breaker, ...]] = field(repr=False)
    """by the sentence of the check, in the order of the contract"""

    def __str__(self) -> str:
        return self.name.removeprefix("aclnn")

    @property
    def first(self) -> Any:
        return getattr(aclnn, f"{self.name}GetWorkspaceSize")

    @property
    def second(self) -> Any:
        return getattr(aclnn, self.name)

    @property
    def op(self) -> type[Op]:
        return self.second.op

    @property
    def tensors(self) -> list[str]:
        """Names of the parameters that have a tensor in the good call."""
        return [name for name, value in self.good.items() if isinstance(value, np.ndarray)]

    def arguments(self, changes: Changes | None = None) -> list[Any]:
        """The good call, changed, as arguments in the order of the prototype."""
        return [made(value) for value in {**self.good, **(changes or {})}.values()]

    def plan(self, changes: Changes | None = None) -> Planned:
        """The first phase of the good call, changed."""
        return plan(self.first, *self.arguments(changes))


@contextmanager
def board(soc: str = A2, **options: Any) -> Iterator[Machine]:
    """A machine with device 0 set; its answers are held against the documentation at the end."""
    with Machine(soc, **options) as machine:
        aclrtSetDevice(0)
        yield machine
    check_documented(machine)


def ramp(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


SOFTMAX = Case(
    "aclnnSoftmaxBackward",
    good={
        "gradOutput": ramp(4, 2),
        "output": np.array([1, 1, 1, 2, 2, 2, 3, 3], np.float32).reshape(4, 2),
        "dim": 0,
        "out": zeros(4, 2),
    },
    results={"out": np.array([-28, -37, -26, -70, -48, -66, -66, -93]).reshape(4, 2)},
    products=frozenset({Series.A2, Series.A3, Series.TRAINING, Series.INFERENCE}),
    elsewhere=ACL_SUCCESS,
    breakers={
        "if gradOutput or output is empty the checks end here (workspace 0, nothing is written)": (
            skipped(gradOutput=Meta((0, 2), ACL_DOUBLE)),
            skipped(output=Meta((4, 0), ACL_INT32), dim=7),
        ),
        "the data type of gradOutput is one that its product supports": (
            refused("gradOutput", "DT_DOUBLE", "[DT_FLOAT,DT_FLOAT16,DT_BFLOAT16,]",
                    gradOutput=Meta((4, 2), ACL_DOUBLE)),
            Breaker("gradOutput", "DT_BFLOAT16", "[DT_FLOAT,DT_FLOAT16,]", {"gradOutput": Meta((4, 2), ACL_BF16)},
                    soc=TRAINING),
        ),
        "the data type of output is one that its product supports": (
            refused("output", "DT_INT32", "DT_FLOAT16", output=Meta((4, 2), ACL_INT32)),
        ),
        "output has the data type of gradOutput": (
            refused("output", "DT_FLOAT16", "DT_FLOAT, as gradOutput", output=f16(4, 2)),
        ),
        "dim is a dimension of gradOutput": (
            refused("dim", "12", "[-2, 1]", dim=12),
            refused("dim", "-3", "[-2, 1]", dim=-3),
        ),
        "gradOutput has at most 8 dimensions": (
            refused("gradOutput", "9 dimensions", "at most 8", gradOutput=f32(*[1] * 9)),
        ),
        "output has the shape of gradOutput": (
            refused("output", "[2, 4]", "[4, 2]", output=f32(2, 4)),
            refused("output", "[4, 2, 1]", "[4, 2]", output=f32(4, 2, 1)),
        ),
        "out has the shape of gradOutput": (
            refused("out", "[4, 1]", "[4, 2]", out=f32(4, 1)),
        ),
    },
)  # fmt: skip

PRELU = Case(
    "aclnnPreluBackward",
    good={
        "gradOutput": np.array([1, -2, 3, -1, 0.5, 4], np.float32).reshape(2, 3),
        "self": np.array([-1, 2, 0, 3, -4, -0.5], np.float32).reshape(2, 3),
        "weight": np.array([0.25, 0.5, 2], np.float32),
        "gradInput": zeros(2, 3),
        "gradWeight": zeros(3),
    },
    results={
        "gradInput": np.array([0.25, -2, 6, -1, 0.25, 8]).reshape(2, 3),
        "gradWeight": np.array([-1, -2, -2]),
    },
    products=frozenset({Series.A2, Series.A3, Series.TRAINING}),
    elsewhere=ACL_SUCCESS,
    breakers={
        "the data type of self is one that its product supports": (
            refused("self", "DT_DOUBLE", "[DT_FLOAT,DT_FLOAT16,]", self=Meta((2, 3), ACL_DOUBLE)),
            refused("self", "DT_BFLOAT16", "[DT_FLOAT,DT_FLOAT16,]", self=Meta((2, 3), ACL_BF16)),
        ),
        "gradOutput has the data type of self": (
            refused("gradOutput", "DT_FLOAT16", "DT_FLOAT, as self", gradOutput=f16(2, 3)),
        ),
        "weight has the data type of self": (
            refused("weight", "DT_FLOAT16", "DT_FLOAT, as self", weight=f16(3)),
        ),
        "gradInput has the data type of self": (
            refused("gradInput", "DT_FLOAT16", "DT_FLOAT, as self", gradInput=f16(2, 3)),
        ),
        "gradWeight has the data type of self": (
            refused("gradWeight", "DT_FLOAT16", "DT_FLOAT, as self", gradWeight=f16(3)),
        ),
        "gradOutput has at most 8 dimensions": (
            refused("gradOutput", "9 dimensions", "at most 8", gradOutput=f32(*[1] * 9)),
        ),
        "self has at most 8 dimensions": (
            refused("self", "9 dimensions", "at most 8", self=f32(2, 3, *[1] * 7)),
        ),
        "weight has at most 8 dimensions": (
            refused("weight", "9 dimensions", "at most 8", weight=f32(3, *[1] * 8)),
        ),
        "gradInput has at most 8 dimensions": (
            refused("gradInput", "9 dimensions", "at most 8", gradInput=f32(2, 3, *[1] * 7)),
        ),
        "gradWeight has at most 8 dimensions": (
            refused("gradWeight", "9 dimensions", "at most 8", gradWeight=f32(3, *[1] * 8)),
        ),
        "gradInput has the shape of self": (
            refused("gradInput", "[3, 2]", "[2, 3]", gradInput=f32(3, 2)),
        ),
        "weight has one element, or one per channel of self": (
            refused("weight", "2 elements", "1 or 3 elements", weight=f32(2)),
            refused("weight", "0 elements", "1 or 3 elements", weight=f32(0)),
            refused("weight", "3 elements", "1", self=f32(3), gradInput=f32(3)),  # one dimension is one channel
            refused("weight", "3 elements", "1", self=f32(), gradInput=f32(), gradOutput=f32()),
        ),
        "gradWeight has the shape of a weight of one element, or else one dimension of as many elements": (
            refused("gradWeight", "[3]", "[1]", weight=f32(1)),
            refused("gradWeight", "[1]", "[]", weight=f32(), gradWeight=f32(1)),
            refused("gradWeight", "[1, 3]", "[3]", weight=f32(1, 3), gradWeight=f32(1, 3)),
        ),
        "gradOutput broadcasts to self": (
            refused("gradOutput", "[2, 2]", "[2, 3]", gradOutput=f32(2, 2)),
            refused("gradOutput", "[1, 2, 3]", "[2, 3]", gradOutput=f32(1, 2, 3)),
            refused("gradOutput", "[4, 3]", "[1, 3]", self=f32(1, 3), gradInput=f32(1, 3), gradOutput=f32(4, 3)),
        ),
        "if gradOutput or self or weight is empty the checks end here (workspace 0, nothing is written)": (
            skipped(gradOutput=f32(0, 3), self=f32(0, 3), gradInput=f32(0, 3)),
            skipped(gradOutput=f32(2, 0), self=f32(2, 0), gradInput=f32(2, 0), weight=f32(0), gradWeight=f32(0)),
        ),
    },
)  # fmt: skip

_CHANNELS = "has one dimension, of as many elements as input has channels"
_NZ, _5HD = ACL_FORMAT_FRACTAL_NZ, ACL_FORMAT_NC1HWC0
BATCH_NORM = Case(
    "aclnnBatchNormReduceBackward",
    good={
        "gradOut": np.array([1, 1, 1, 2, 2, 2, 3, 3], np.float32).reshape(4, 2),
        "input": ramp(4, 2),
        "mean": np.ones(2, np.float32),
        "invstd": np.ones(2, np.float32),
        "weight": np.ones(2, np.float32),
        "inputG": True,
        "weightG": True,
        "biasG": True,
        "sumDy": zeros(2),
        "sumDyXmu": zeros(2),
        "gradWeight": zeros(2),
        "gradBias": zeros(2),
    },
    results={
        "sumDy": np.array([7, 8]), "sumDyXmu": np.array([21, 30]), "gradWeight": np.array([21, 30]),
        "gradBias": np.array([7, 8]),
    },
    products=frozenset({Series.A2, Series.A3, Series.TRAINING}),
    elsewhere=ACLNN_ERR_INNER_NULLPTR,
    breakers={
        "the data type of gradOut is one that its product supports": (
            refused("gradOut", "DT_DOUBLE", "[DT_FLOAT,DT_FLOAT16,DT_BFLOAT16,]", gradOut=Meta((4, 2), ACL_DOUBLE)),
            Breaker("gradOut", "DT_BFLOAT16", "[DT_FLOAT,DT_FLOAT16,]", {"gradOut": Meta((4, 2), ACL_BF16)},
                    soc=TRAINING),
        ),
        "the data type of input is one that its product supports": (
            refused("input", "DT_INT32", "DT_FLOAT16", input=Meta((4, 2), ACL_INT32)),
        ),
        "the data type of mean is one that its product supports": (
            refused("mean", "DT_DOUBLE", "DT_FLOAT16", mean=Meta((2,), ACL_DOUBLE)),
        ),
        "the data type of invstd is one that its product supports": (
            refused("invstd", "DT_INT64", "DT_FLOAT16", invstd=i64(2)),
        ),
        "gradOut has the data type of input": (
            refused("gradOut", "DT_FLOAT16", "DT_FLOAT, as input", gradOut=f16(4, 2)),
        ),
        **{
            f"the data type of {name} is one that its product supports": (
                refused(name, "DT_DOUBLE", "DT_FLOAT16", **{name: Meta((2,), ACL_DOUBLE)}),
            )
            for name in ("sumDy", "sumDyXmu", "gradWeight", "gradBias")
        },
        "gradOut has the format of input": (
            refused("gradOut", "NCHW", "ND, as input", gradOut=f32(4, 2, format=ACL_FORMAT_NCHW)),
            refused("gradOut", "ND", "NHWC, as input", input=f32(4, 2, format=ACL_FORMAT_NHWC)),
        ),
        "the format of gradOut is not a private one": (
            refused("gradOut", "NC1HWC0", "ND", gradOut=f32(4, 2, format=_5HD), input=f32(4, 2, format=_5HD)),
        ),
        "the format of input is not a private one": (
            Breaker("input", "NC1HWC0", "ND", {"gradOut": f32(4, 2, format=_5HD), "input": f32(4, 2, format=_5HD)},
                    behind=("the format of gradOut is not a private one",)),
        ),
        **{
            f"the format of {name} is not a private one": (
                refused(name, "FRACTAL_NZ", "ND", **{name: f32(2, format=_NZ)}),
            )
            for name in ("mean", "invstd", "sumDy", "sumDyXmu", "gradWeight", "gradBias")
        },
        "gradOut has 2 to 8 dimensions": (
            refused("gradOut", "1 dimensions", "2 to 8", gradOut=f32(8)),
            refused("gradOut", "9 dimensions", "2 to 8", gradOut=f32(4, 2, *[1] * 7)),
        ),
        "input has 2 to 8 dimensions": (
            refused("input", "1 dimensions", "2 to 8", input=f32(8)),
            refused("input", "9 dimensions", "2 to 8", input=f32(4, 2, *[1] * 7)),
        ),
        "input has at least one channel": (
            refused("input", "[4, 0]", "above 0", gradOut=f32(4, 0), input=f32(4, 0)),
        ),
        **{
            f"{name} {_CHANNELS}": (
                refused(name, "[3]", "[2]", **{name: f32(3)}),
                refused(name, "[2, 1]", "[2]", **{name: f32(2, 1)}),
            )
            for name in ("sumDy", "sumDyXmu", "gradWeight", "gradBias")
        },
        "if gradOut or input or mean or invstd is empty the checks end here (workspace 0, nothing is written)": (
            skipped(gradOut=f32(0, 2), input=f32(0, 2)),
            skipped(gradOut=f32(0, 2)),
            skipped(mean=f32(0)),
            skipped(invstd=f32(2, 0), mean=f32(5)),
        ),
        "gradOut has the shape of input": (
            unplanned("gradOut", "[4, 1]", "[4, 2]", gradOut=f32(4, 1)),
            unplanned("gradOut", "[2, 2, 2]", "[4, 2]", gradOut=f32(2, 2, 2)),
        ),
        "mean has as many elements as input has channels": (
            unplanned("mean", "3 elements", "2 elements", mean=f32(3)),
        ),
        "invstd has as many elements as input has channels": (
            unplanned("invstd", "1 elements", "2 elements", invstd=f32(1), weightG=False),
        ),
        "invstd is ND or has the format of gradWeight": (
            unplanned("invstd", "NCHW", "ND", invstd=f32(2, format=ACL_FORMAT_NCHW)),
        ),
    },
)  # fmt: skip

_LABELS = "ND, NCL, NCHW, NHWC, NCDHW"
CROSS_ENTROPY = Case(
    "aclnnCrossEntropyLossGrad",
    good={
        "gradLoss": np.array(0.1, np.float32),
        "logProb": np.full((2, 3), -0.2, np.float32),
        "target": np.zeros(2, np.int64),
        "weightOptional": np.ones(3, np.float32),
        "gradZlossOptional": None,
        "lseForZlossOptional": None,
        "reductionOptional": "mean",
        "ignoreIndex": -100,
        "labelSmoothing": 0.0,
        "lseSquareScaleForZloss": 0.0,
        "out": zeros(2, 3),
    },
    results={"out": np.array([[-0.009063, 0.040937, 0.040937]] * 2)},
    products=frozenset({Series.A2, Series.A3}),
    elsewhere=ACLNN_ERR_PARAM_NULLPTR,
    breakers={
        "the data type of gradLoss is one that its product supports": (
            refused("gradLoss", "DT_DOUBLE", "[DT_FLOAT16,DT_FLOAT,DT_BFLOAT16,]", gradLoss=Meta((), ACL_DOUBLE)),
        ),
        "logProb has the data type of gradLoss": (
            refused("logProb", "DT_FLOAT16", "DT_FLOAT, as gradLoss", logProb=f16(2, 3)),
        ),
        "the data type of target is one that its product supports": (
            refused("target", "DT_INT32", "[DT_INT64,]", target=Meta((2,), ACL_INT32)),
        ),
        "out has the data type of gradLoss": (
            refused("out", "DT_FLOAT16", "DT_FLOAT, as gradLoss", out=f16(2, 3)),
        ),
        "the format of gradLoss is one of " + _LABELS: (
            refused("gradLoss", "NDHWC", _LABELS, gradLoss=f32(format=ACL_FORMAT_NDHWC)),
        ),
        "the format of logProb is one of " + _LABELS: (
            refused("logProb", "NDHWC", _LABELS, logProb=f32(2, 3, format=ACL_FORMAT_NDHWC)),
        ),
        "the format of target is one of " + _LABELS: (
            refused("target", "FRACTAL_NZ", _LABELS, target=i64(2, format=_NZ)),
        ),
        "the format of out is one of " + _LABELS: (
            refused("out", "NC1HWC0", _LABELS, out=f32(2, 3, format=_5HD)),
        ),
        "the data type of weightOptional is one that its product supports": (
            refused("weightOptional", "DT_FLOAT16", "[DT_FLOAT,]", weightOptional=f16(3)),
        ),
        "gradZlossOptional is null": (
            refused("gradZlossOptional", "tensor", "null", gradZlossOptional=f32()),
        ),
        "lseForZlossOptional is null": (
            refused("lseForZlossOptional", "tensor", "null", lseForZlossOptional=f32(2)),
        ),
        "labelSmoothing is 0.0": (
            refused("labelSmoothing", "0.5", "0.0", labelSmoothing=0.5),
            refused("labelSmoothing", "nan", "0.0", labelSmoothing=float("nan")),
            refused("labelSmoothing", "1e-60", "0.0", labelSmoothing=1e-60),
        ),
        "lseSquareScaleForZloss is 0.0": (
            refused("lseSquareScaleForZloss", "-1.0", "0.0", lseSquareScaleForZloss=-1.0),
        ),
        "reductionOptional is 'none' or 'mean' or 'sum' or null": (
            refused("reductionOptional", "'Mean'", "'none' or 'mean' or 'sum'", reductionOptional="Mean"),
            refused("reductionOptional", "''", "'none' or 'mean' or 'sum'", reductionOptional=b""),
        ),
        "ignoreIndex is less than C": (
            refused("ignoreIndex", "3", "below 3", ignoreIndex=3),
            refused("ignoreIndex", "1000", "below 3", ignoreIndex=1000),
            refused("ignoreIndex", "0", "below 0", ignoreIndex=0, logProb=f32(2, 0), out=f32(2, 0)),
        ),
        "logProb has at least one class": (
            untiled("logProb", "[2, 0]", "above 0", logProb=f32(2, 0), out=f32(2, 0), weightOptional=f32(0)),
        ),
        "if out is empty the checks end here (workspace 0, nothing is written)": (
            skipped(logProb=f32(0, 3), target=i64(0), out=f32(0, 3)),
            skipped(out=f32(0, 3)),
        ),
        "logProb has exactly 2 dimensions": (
            untiled("logProb", "3 dimensions [2, 3, 1]", "exactly 2", logProb=f32(2, 3, 1)),
        ),
        "target has exactly 1 dimension": (
            untiled("target", "2 dimensions [2, 1]", "exactly 1", target=i64(2, 1)),
        ),
        "weightOptional has exactly 1 dimension": (
            untiled("weightOptional", "2 dimensions [3, 1]", "exactly 1", weightOptional=f32(3, 1)),
        ),
        "target has N elements, as dimension 0 of logProb": (
            untiled("target", "[3]", "[2]", target=i64(3)),
        ),
        "weightOptional has C elements, as dimension 1 of logProb": (
            untiled("weightOptional", "[2]", "[3]", weightOptional=f32(2)),
        ),
        "out has the shape of logProb": (
            untiled("out", "[3, 2]", "[2, 3]", out=f32(3, 2)),
        ),
        'gradLoss has shape (N) for "none", else () or (1)': (
            untiled("gradLoss", "[2]", "0 dimensions", gradLoss=f32(2)),
            untiled("gradLoss", "[1, 1]", "0 dimensions", gradLoss=f32(1, 1), reductionOptional="sum"),
            untiled("gradLoss", "[]", "[2]", reductionOptional="none"),
            untiled("gradLoss", "[3]", "[2]", gradLoss=f32(3), reductionOptional="none"),
        ),
        "logProb has less than 200000 rows": (
            untiled("logProb", "N = 200000", "N < 200000", logProb=f32(200_000, 3), target=i64(200_000),
                    out=f32(200_000, 3)),
        ),
    },
)  # fmt: skip

EMBEDDING = Case(
    "aclnnEmbeddingDenseBackward",
    good={
        "grad": np.arange(1, 7, dtype=np.float32).reshape(2, 3),
        "indices": np.array([1, 2], np.int64),
        "numWeights": 4,
        "paddingIdx": 0,
        "scaleGradByFreq": False,
        "out": zeros(4, 3),
    },
    results={"out": np.array([0, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 0]).reshape(4, 3)},
    products=frozenset({Series.A2, Series.A3, Series.TRAINING}),
    elsewhere=ACLNN_ERR_INNER_NULLPTR,
    breakers={
        "the data type of grad is one that its product supports": (
            refused("grad", "DT_DOUBLE", "[DT_FLOAT,DT_FLOAT16,DT_BFLOAT16,]", grad=Meta((2, 3), ACL_DOUBLE)),
            Breaker("grad", "DT_BFLOAT16", "[DT_FLOAT,DT_FLOAT16,]", {"grad": Meta((2, 3), ACL_BF16)}, soc=TRAINING),
        ),
        "the data type of indices is one that its product supports": (
            refused("indices", "DT_BFLOAT16", "DT_INT64", indices=Meta((2,), ACL_BF16)),
        ),
        "the data type of out is one that its product supports": (
            refused("out", "DT_BOOL", "DT_FLOAT16", out=Meta((4, 3), ACL_BOOL)),
        ),
        "grad has 2 to 8 dimensions": (
            refused("grad", "1 dimensions", "2 to 8", grad=f32(3), indices=i64(1)),
            refused("grad", "0 dimensions", "2 to 8", grad=f32()),
            refused("grad", "9 dimensions", "2 to 8", grad=f32(2, *[1] * 7, 3)),
        ),
        "indices has 1 to 8 dimensions": (
            refused("indices", "0 dimensions", "1 to 8", indices=i64(), grad=f32(1, 3)),
            refused("indices", "9 dimensions", "1 to 8", indices=i64(2, *[1] * 8)),
        ),
        "out has at most 8 dimensions": (
            refused("out", "9 dimensions", "at most 8", out=f32(4, 3, *[1] * 7)),
        ),
        "indices has one element for each row of grad": (
            refused("indices", "3 elements", "2 elements", indices=i64(3)),
            refused("indices", "0 elements", "2 elements", indices=i64(0)),
        ),
        "out has exactly 2 dimensions": (
            refused("out", "3 dimensions", "exactly 2", out=f32(4, 3, 1)),
            refused("out", "1 dimensions", "exactly 2", out=f32(12)),
        ),
        "out has numWeights rows as long as the last dimension of grad": (
            refused("out", "[4, 3]", "[5, 3]", numWeights=5),
            refused("out", "[4, 2]", "[4, 3]", out=f32(4, 2)),
            refused("out", "[4, 3]", "[4, 0]", grad=f32(2, 0)),
        ),
        "the format of grad is not a private one": (
            refused("grad", "FRACTAL_NZ", "ND", grad=f32(2, 3, format=_NZ)),
        ),
        "the format of indices is not a private one": (
            refused("indices", "FRACTAL_NZ", "ND", indices=i64(2, format=_NZ)),
        ),
        "the format of out is not a private one": (
            refused("out", "NC1HWC0", "ND", out=f32(4, 3, format=_5HD)),
        ),
        "if grad or indices is empty the checks end here (the output is filled with zeros)": (
            skipped(grad=f32(0, 3), indices=i64(0)),
            skipped(grad=f32(2, 0), indices=i64(5), out=f32(4, 0)),
        ),
        "with scaleGradByFreq there is at least one row of out": (
            unplanned("numWeights", "0", "above 0", numWeights=0, scaleGradByFreq=True, out=f32(0, 3)),
        ),
        "with scaleGradByFreq on the training series a row of grad fits into a core": (
            unplanned("grad", "5006", "less than", soc=TRAINING, grad=f32(1, 5006), indices=Meta((1,), ACL_INT32),
                      numWeights=1, scaleGradByFreq=True, out=f32(1, 5006)),
        ),
    },
)  # fmt: skip

CASES = (SOFTMAX, PRELU, BATCH_NORM, CROSS_ENTROPY, EMBEDDING)
COMPOSITES = tuple(case for case in CASES if case is not CROSS_ENTROPY)


# what the tests of every operator are parametrized with


def needed(case: Case) -> list[str]:
    """The tensors that must be given, as all masks of the good call are on."""
    return [param.name for param in case.op.tensors if not param.optional]


def is_output(case: Case, name: str) -> bool:
    return any(param.name == name and isinstance(param, TensorOut) for param in case.op.tensors)


def refusals(case: Case) -> list[tuple[str, Breaker]]:
    """The first breaker of every check that refuses, in order."""
    return [
        (sentence, breakers[0])
        for sentence, breakers in case.breakers.items()
        if breakers[0].status != ACL_SUCCESS and not breakers[0].behind
    ]


every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_composite = pytest.mark.parametrize("case", COMPOSITES, ids=str)
every_check = pytest.mark.parametrize(
    ("case", "sentence"), [pytest.param(case, s, id=f"{case}-{s}") for case in CASES for s in case.breakers]
)
every_needed = pytest.mark.parametrize(
    ("case", "name"), [pytest.param(case, name, id=f"{case}-{name}") for case in CASES for name in needed(case)]
)


def call_with_null(case: Case, *nulls: str, changes: Changes | None = None) -> tuple[int, str]:
    """The first phase with out-pointers null; status and text."""
    size, executor = c_uint64(UNTOUCHED), aclOpExecutor()
    outs = [None if "workspaceSize" in nulls else byref(size), None if "executor" in nulls else byref(executor)]
    status = case.first(*case.arguments(changes), *outs)
    assert size.value == UNTOUCHED
    assert not executor
    return status, aclGetRecentErrMsg() or ""


def in_another_thread(work: Callable[[], Any]) -> Any:
    """A new thread inherits no context."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(work).result()
