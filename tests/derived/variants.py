"""Changes of a call, in a fixed order, the most pointed ones first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from acl_runtime import *
from aclnn.engine.declaration import Op, Violation
from aclnn.engine.parameters import (
    BoolArrayIn,
    DataType,
    Elements,
    FloatArrayIn,
    IntArrayIn,
    Param,
    TensorListParam,
)
from tests.aclnn.ops.case import Meta
from tests.derived.values import Number, Values

TYPES = (
    ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT64, ACL_BOOL, ACL_UINT8, ACL_INT8, ACL_BF16, ACL_DOUBLE, ACL_COMPLEX64,
    ACL_INT16, ACL_UINT32, ACL_UINT64, ACL_UINT16, ACL_COMPLEX128, ACL_STRING, ACL_HIFLOAT8, ACL_FLOAT8_E4M3FN,
    ACL_FLOAT8_E5M2, ACL_FLOAT8_E8M0, ACL_INT4, ACL_COMPLEX32, ACL_UINT1, ACL_FLOAT4_E2M1,
)  # fmt: skip
SIZES = (0, 1, -1, 2, 3, 4, 99, -99, 5, 8, 16, 32, 1 << 40)
REALS = (1.0, 0.0, -1.0, 0.5, 2.0, 1.5, -0.5, 99.0, 1e-5, float("nan"))
TEXTS = ("mean", "sum", "none", "nonsense", "max", "BSH", "BNSD", "right", "floor", "trunc", "tanh", "bilinear", None)
ARRAYS = (
    (0,), (1,), (), (0, 1), (-1,), (1, 0), (1, 1), (2, 2), (2, 3), (3, 2), (0, 0), (1, 2), (0, 1, 2), (0, 1, 2, 3),
    (99,), (-99,), (1, 1, 1), (2, 2, 2), (1, 1, 1, 1), (0, 0, 0, 0), (0, 0, 0), (0, 0, 0, 0, 0, 0), (99, 99), (-1, -1),
)  # fmt: skip
FORMATS = (ACL_FORMAT_FRACTAL_NZ, ACL_FORMAT_NCHW, ACL_FORMAT_NHWC, ACL_FORMAT_NCL, ACL_FORMAT_NCDHW, ACL_FORMAT_ND)


def single(
    op: type[Op], call: Mapping[str, Any], params: Iterable[Param[Any]], hint: Violation | None = None
) -> Iterator[dict[str, Any]]:
    """Changes of one parameter each, or of all tensors that are alike."""
    yield from hinted(op, call, hint)
    chosen = list(dict.fromkeys(params))
    for param in chosen:
        for value in of(param, call[param.printed], call):
            yield {param.printed: value}
    for param in chosen:
        if isinstance(value := call[param.printed], Meta):
            yield from _together(call, value)
    yield from _batched(call, chosen)


def _batched(call: Mapping[str, Any], params: Iterable[Param[Any]]) -> Iterator[dict[str, Any]]:
    """One dimension more in front of each tensor; the last one may have another size there."""
    given = {each.printed: call[each.printed] for each in params if isinstance(call[each.printed], Meta)}
    if len(given) > 1:
        for last in (2, 3):
            sizes = [2] * (len(given) - 1) + [last]
            yield {
                name: replace(value, shape=(size, *value.shape))
                for (name, value), size in zip(given.items(), sizes, strict=True)
            }


def hinted(op: type[Op], call: Mapping[str, Any], hint: Violation | None) -> Iterator[dict[str, Any]]:
    """A violation often says which shape it wants."""
    if hint is None:
        return
    name, numbers = hint.parameter.partition("[")[0], re.findall(r"-?\d+", str(hint.allowed))
    value = call.get(name)
    if isinstance(value, Meta) and re.fullmatch(r"[\[(][-\d, ]*[\])]", str(hint.allowed)):
        yield {name: replace(value, shape=tuple(map(int, numbers)))}
    elif isinstance(value, int) and not isinstance(value, bool):
        yield from ({name: int(each)} for each in numbers)


def of(param: Param[Any], value: Any, call: Mapping[str, Any]) -> Iterator[Any]:
    """Other values of one parameter."""
    if isinstance(value, Meta):
        yield from _tensors(value, _metas(call))
        if getattr(param, "optional", False):
            yield None
    elif value is None and isinstance(param, IntArrayIn | FloatArrayIn | BoolArrayIn):
        kind = {IntArrayIn: int, FloatArrayIn: float, BoolArrayIn: bool}[type(param)]
        yield from (Values(tuple(kind(each) for each in values)) for values in ARRAYS)
    elif value is None:
        metas = (Meta((1,), ACL_FLOAT), Meta((1,), ACL_INT32), Meta((2, 3)), Meta((3,)), Meta((3,), ACL_INT64))
        yield from (((each,) for each in metas) if isinstance(param, TensorListParam) else metas)
        yield from ("nonsense", "mean", "sum") if not isinstance(param, Elements) else ()
    elif isinstance(value, Number):
        yield from (replace(value, dtype=each) for each in TYPES if each != value.dtype)
        yield from (Number(each, value.dtype) for each in (*REALS[:-1], 3.0, 1 << 40))
        yield from (Number(1 + 2j, each) for each in (ACL_COMPLEX64, ACL_COMPLEX128))
    elif isinstance(value, Values):
        kind = type(value.values[0]) if value.values else int
        yield from (Values(tuple(kind(each) for each in values)) for values in ARRAYS)
    elif isinstance(value, tuple):
        yield from _lists(value, call)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(param, DataType):
        yield from TYPES
    elif isinstance(value, int):
        yield from (each for each in (*SIZES, value + 1) if each != value)
    elif isinstance(value, float):
        yield from (each for each in REALS if each != value)
    elif isinstance(value, str):
        yield from (each for each in TEXTS if each != value)


def _metas(call: Mapping[str, Any]) -> tuple[Meta, ...]:
    return tuple(each for each in call.values() if isinstance(each, Meta))


@lru_cache(maxsize=1000)
def _tensors(value: Meta, given: tuple[Meta, ...]) -> tuple[Meta, ...]:
    """Other tensors instead of this one; `given`: all tensors of the call."""
    found = [replace(value, dtype=dtype) for dtype in TYPES if dtype != value.dtype]
    found += [replace(value, shape=each) for each in _shapes(value.shape, given)]
    found += [replace(value, format=each) for each in FORMATS if each != value.format]
    for other in given:
        if other.dtype != value.dtype and other.shape != value.shape:
            found.append(replace(value, dtype=other.dtype, shape=other.shape))
    return tuple(found)


def _shapes(shape: tuple[int, ...], given: tuple[Meta, ...]) -> list[tuple[int, ...]]:
    """Other shapes: those of the other tensors, one dimension more or less, one size more, too many dimensions."""
    found: list[tuple[int, ...]] = []
    for other in (each.shape for each in given):
        found += [other, other[:1], other[1:2], other[:-1], (*other[:-1], 1), (*other[:1], 1), other[1:], other[::-1]]
    found += [(*shape, 1), shape[1:], shape[:-1], tuple(each + 1 for each in shape)]
    found += [(*shape[:at], size + 1, *shape[at + 1 :]) for at, size in enumerate(shape)]
    found += [(*shape[:at], 1, *shape[at + 1 :]) for at in range(len(shape))]
    found += [(*shape[:at], 0, *shape[at + 1 :]) for at in range(len(shape))]
    found += [(), (1,), (2,), (3,), (4,), (0,), (2, 2), (2, 3), (3, 3), (4, 4), (16, 16), (1, 2, 3), (1, 1, 2, 3)]
    found += [(1,) * rank for rank in range(2, 10)]
    found += [(*(1 for _ in range(9 - len(shape))), *shape), *([(1 << 31, *shape[1:])] if shape else [])]
    return [each for each in dict.fromkeys(found) if each != shape]


def _lists(value: tuple[Any, ...], call: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    yield ()
    yield (*value, *value[:1])
    yield value[:1]
    yield value[:1] * 300
    if not value:
        return
    first, rest = value[0], value[1:]
    if isinstance(first, Meta):
        yield from ((each, *rest) for each in _tensors(first, _metas(call)))
        yield from ((*value[:-1], each) for each in _tensors(value[-1], _metas(call)))
        for dtype in TYPES:
            yield tuple(replace(each, dtype=dtype) for each in value)
        for shape in ((), (1,), (1,) * 9, (2, 3, 4), (2, 2), (0,), (0, *first.shape[1:]), (*first.shape[:-1], 0)):
            yield tuple(replace(each, shape=shape) for each in value)
    else:
        yield from (tuple(replace(each, dtype=dtype) for each in value) for dtype in TYPES)
        yield from ((replace(first, dtype=dtype), *rest) for dtype in TYPES)


def _together(call: Mapping[str, Any], like: Meta) -> Iterator[dict[str, Any]]:
    """All tensors of one shape get another shape; all of one data type, or all tensors, get another type."""
    alike = {name: value for name, value in call.items() if isinstance(value, Meta) and value.shape == like.shape}
    for shape in _shapes(like.shape, ()):
        yield {name: replace(value, shape=shape) for name, value in alike.items()}
    given = {name: value for name, value in call.items() if isinstance(value, Meta)}
    for dtype in TYPES:
        yield {name: replace(value, dtype=dtype) for name, value in given.items() if value.dtype == like.dtype}
        values = {name: dtype for name, value in call.items() if isinstance(value, aclDataType)}
        yield {name: replace(value, dtype=dtype) for name, value in given.items()} | values
    for format in FORMATS:
        yield {name: replace(value, format=format) for name, value in given.items()}
