"""A good call of every operator, with extreme values for each of its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from acl_runtime import *
from acl_runtime.headers.dtypes import numpy_dtype
from acl_runtime.objects.soc import Soc
from aclnn.engine.declaration import Op
from aclnn.engine.parameters import (
    BoolArrayIn,
    DataType,
    Double,
    Flag,
    FloatArrayIn,
    IntArrayIn,
    Param,
    ScalarIn,
    ScalarListIn,
    String,
    TensorListParam,
)  # fmt: skip
from aclnn.engine.parameters import (
    Number as Integer,
)
from tests.aclnn.ops.case import Meta
from tests.derived.catalogued import bare, missing
from tests.derived.good import on_product, subject
from tests.derived.judging import CHIPS, names
from tests.derived.values import Call, Number, Values
from tests.helpers.builders import acl_type

INTEGERS = (
    0, 1, 7, 99, -1, -2, 127, -128, (1 << 31) - 1, -(1 << 31), 1 << 31, 1 << 40, 1 << 62, (1 << 63) - 1, -(1 << 63),
)  # fmt: skip
REALS = (
    0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, 5e-324, 1e-20, 3e9, 1e19, 1e38, 1e308, -1e308, float("inf"), -float("inf"),
    float("nan"),
)  # fmt: skip
TYPES = (-1, 99, (1 << 31) - 1, ACL_FLOAT, ACL_INT64, ACL_BF16, ACL_STRING, ACL_INT4, ACL_COMPLEX32)
TENSOR_TYPES = (99, -1, ACL_STRING, ACL_HIFLOAT8, ACL_INT4, ACL_COMPLEX32, ACL_BOOL, ACL_COMPLEX128, ACL_UINT64)
OTHER_SCALARS = (
    (ACL_DOUBLE, 1e308), (ACL_DOUBLE, float("nan")), (ACL_INT64, -(1 << 63)), (ACL_UINT64, (1 << 64) - 1),
    (ACL_BOOL, 1), (ACL_STRING, 1), (ACL_COMPLEX64, 1),
)  # fmt: skip
TEXTS = (None, "", "nonsense", "mean", "x" * 3000, "\udcff")
COUNTS = (0, 1, 2, 8, 9, 64, 1000)
FORMATS = (77, -1, (1 << 31) - 1, ACL_FORMAT_NCHW, ACL_FORMAT_NHWC, ACL_FORMAT_FRACTAL_NZ)


@dataclass(frozen=True, eq=False)
class GoodCall:
    """An operator's good call: tensors are `Meta`, or arrays with their values."""

    name: str
    first: Any
    second: Any
    soc: Soc
    values: Call

    @property
    def op(self) -> type[Op]:
        return self.first.op


@cache
def names_of_operators() -> tuple[str, ...]:
    """All functions with two phases."""
    return (*names(), *missing())


@cache
def good_calls(name: str) -> tuple[GoodCall, ...]:
    """The good call of an operator, for each product that has it. None may be made while another thread calls a
    machine, as the search for it installs one."""
    if name not in names():
        this = bare(name)
        return (GoodCall(name, this.first, this.second, this.soc, this.good),)
    this = subject(name)
    return tuple(
        GoodCall(name, this.first, this.second, soc, on_product(this, series).good)
        for series, soc in CHIPS.items()
        if series in this.op.series and series not in this.op.undocumented
    )


def extremes(param: Param[Any], value: Any) -> Iterator[Any]:
    """Other values of one argument: the extremes of its type, and null where it is a pointer."""
    if isinstance(value, Meta | np.ndarray):
        yield None
        yield from _tensors(value if isinstance(value, Meta) else Meta(value.shape, acl_type(value.dtype)))
    elif isinstance(param, ScalarIn):
        yield None
        yield from _scalars(value)
    elif isinstance(param, ScalarListIn):
        yield from (None, ())
        yield from ((each,) * len(value or (1,)) for each in _scalars((value or (None,))[0]))
    elif isinstance(param, IntArrayIn | FloatArrayIn | BoolArrayIn):
        yield None
        yield from _arrays(param, value)
    elif isinstance(value, tuple) and value:
        yield from (None, (), (*value[:-1], None), value * 2)
        yield from (tuple(replace(each, format=format) for each in value) for format in FORMATS)
        yield from ((each, *value[1:]) for each in _tensors(value[0]))
    elif isinstance(param, Flag):
        yield not value
    elif isinstance(param, DataType):
        yield from TYPES
    elif isinstance(param, Integer):
        yield from INTEGERS
    elif isinstance(param, Double):
        yield from REALS
    elif isinstance(param, String):
        yield from TEXTS
    elif value is None:
        others = (Meta(()), Meta((1,)), Meta((2, 3), ACL_FLOAT16), Meta((3,), ACL_INT64))
        yield from (((each,) for each in others) if isinstance(param, TensorListParam) else others)


def _tensors(value: Meta) -> Iterator[Meta]:
    """Formats and data types, shapes of no or one element, and great sizes."""
    yield from (replace(value, format=format) for format in FORMATS)
    yield from (replace(value, dtype=dtype) for dtype in TENSOR_TYPES)
    yield from (replace(value, shape=shape) for shape in ((), (1,), (0,), (1,) * 9, (1,) * max(len(value.shape), 1)))
    if value.shape:
        yield from (replace(value, shape=(size, *value.shape[1:])) for size in (0, 1 << 31, (1 << 62) + 1, -1))
        yield replace(value, shape=(*value.shape[:-1], 0))


def _scalars(value: Any) -> Iterator[Number]:
    dtype = value.dtype if isinstance(value, Number) else ACL_FLOAT
    numpy = numpy_dtype(dtype)
    whole = numpy is not None and numpy.kind in "iu"
    for each in INTEGERS if whole else REALS:
        yield Number(each, dtype)
    yield from (Number(number, other) for other, number in OTHER_SCALARS)


def _arrays(param: Param[Any], value: Values | None) -> Iterator[Values]:
    """One extreme everywhere, or at either end; none, one and many of them."""
    given = value.values if isinstance(value, Values) else (1,)
    if isinstance(param, BoolArrayIn):
        pool: tuple[Any, ...] = (False, True)
    else:
        pool = INTEGERS if isinstance(param, IntArrayIn) else REALS
    for each in pool:
        yield Values((each,) * len(given))
        yield Values((each, *given[1:]))
        yield Values((*given[:-1], each))
    for count in COUNTS:
        yield from (Values((each,) * count) for each in (pool[0], pool[1], given[0] if given else pool[0]))
