"""The arguments of a call, without a machine: `Meta` for a tensor, `Number` for an aclScalar, `Values` for an array.

A tuple of tensors or scalars is a list. Everything else is passed as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from acl_runtime.headers.dtypes import numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import BoolArray, FloatArray, IntArray, Scalar, Tensor, row_major
from aclnn.engine.declaration import Op
from aclnn.engine.parameters import BoolArrayIn, FloatArrayIn, IntArrayIn, Param
from tests.aclnn.ops.case import Meta

Call = dict[str, Any]
"""the arguments by the names of the prototype, in its order"""


@dataclass(frozen=True)
class Number:
    """An aclScalar."""

    value: complex
    dtype: int = aclDataType.ACL_FLOAT

    def array(self) -> np.ndarray:
        """The value as numpy holds it; zero bytes for a data type that numpy does not have."""
        dtype = numpy_dtype(self.dtype)
        with np.errstate(all="ignore"):
            return np.zeros((), np.complex128) if dtype is None else np.asarray(self.value).astype(dtype)


@dataclass(frozen=True)
class Values:
    """An aclIntArray, aclFloatArray or aclBoolArray."""

    values: tuple[Any, ...]


def instance(op: type[Op], values: Iterable[Any]) -> Op:
    """The call as the checks and the planner see it, from its arguments in their order."""
    return op([thing(param, value) for param, value in zip(op.params, values, strict=True)])


@lru_cache(maxsize=100_000)
def thing(param: Param[Any], value: Any) -> Any:
    """The object behind a handle. One tensor of a parameter is one object, and those of two parameters are two."""
    if isinstance(value, Meta):
        return _tensor(value)
    if isinstance(value, Number):
        return Scalar(value.array().tobytes(), value.dtype)
    if isinstance(value, Values):
        kinds = {IntArrayIn: IntArray, FloatArrayIn: FloatArray, BoolArrayIn: BoolArray}
        return kinds[type(param)](value.values)  # pyright: ignore
    if isinstance(value, tuple):
        return tuple(_tensor(each) if isinstance(each, Meta) else thing(param, each) for each in value)
    return value


def _tensor(meta: Meta) -> Tensor:
    storage = meta.shape if meta.storage is None else meta.storage
    strides = row_major(meta.shape) if meta.strides is None else meta.strides
    return Tensor(meta.shape, meta.dtype, strides, meta.offset, meta.format, storage, 0)


def is_empty(value: Any) -> bool:
    """Is it a tensor without elements?"""
    return isinstance(value, Meta) and prod(value.shape) == 0


def tensors(call: Mapping[str, Any]) -> dict[str, list[Meta]]:
    """The tensors of each parameter that has some."""
    found = {name: [value] if isinstance(value, Meta) else value for name, value in call.items()}
    return {
        name: list(value)
        for name, value in found.items()
        if isinstance(value, list | tuple) and value and isinstance(value[0], Meta)
    }


def typed(value: Any, dtype: int) -> Any:
    """A tensor, scalar, list or data type as a value, with another data type."""
    if isinstance(value, Meta | Number):
        return replace(value, dtype=dtype)
    if isinstance(value, aclDataType):
        return aclDataType(dtype)
    if isinstance(value, tuple):
        return tuple(typed(each, dtype) for each in value)
    return value


def dtype_of(value: Any) -> int | None:
    """The data type of a tensor or scalar, of the first of a list, or a data type as a value."""
    first = value[0] if isinstance(value, tuple) and value else value
    if isinstance(first, aclDataType):
        return first
    return first.dtype if isinstance(first, Meta | Number) else None
