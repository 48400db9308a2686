"""Operators by name on numpy arrays: descriptors, buffers and attributes are made, and destroyed after the call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_void_p
from typing import Any, NamedTuple

import numpy as np

from acl_runtime import *
from acl_runtime.headers.dtypes import data_type_of
from acl_runtime.machine.current import current
from tests.helpers.outcomes import ok

Array = np.ndarray[Any, np.dtype[Any]]


class OnHost(NamedTuple):
    """An input whose value is on the host."""

    value: Array


class Laid(NamedTuple):
    """A tensor whose elements lie in another way than its shape says: their bytes, and the format."""

    value: Array
    storage: Array
    format: int


@contextmanager
def attributes(given: dict[str, Any]) -> Iterator[aclopAttr]:
    """aclopAttr with Python values."""
    made = aclopCreateAttr()
    for name, value in given.items():
        setter, *arguments = _setter(value)
        ok(setter(made, name, *arguments))
    yield made
    aclopDestroyAttr(made)


def _setter(value: Any) -> tuple[Any, ...]:
    if isinstance(value, list | tuple):
        if value and isinstance(value[0], list | tuple):
            return aclopSetAttrListListInt, len(value), [len(each) for each in value], [list(each) for each in value]
        kinds = {bool: aclopSetAttrListBool, float: aclopSetAttrListFloat, str: aclopSetAttrListString}
        return kinds.get(type(value[0]) if value else int, aclopSetAttrListInt), len(value), list(value)
    kinds = {bool: aclopSetAttrBool, float: aclopSetAttrFloat, str: aclopSetAttrString}
    return kinds.get(type(value), aclopSetAttrInt), value


def described(array: Array | None, format: int = ACL_FORMAT_ND) -> aclTensorDesc:
    """The descriptor of an array; of a missing tensor for None."""
    if array is None:
        return aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, None, ACL_FORMAT_UNDEFINED)
    return aclCreateTensorDesc(data_type_of(array.dtype), array.ndim, list(array.shape), format)


class Side:
    """The inputs or outputs of a call."""

    def __init__(self, given: Sequence[Any], formats: dict[int, int]) -> None:
        self.descs: list[aclTensorDesc] = []
        self.buffers: list[aclDataBuffer] = []
        self.memory: list[c_void_p] = []
        self.arrays: list[Array | None] = []
        self._kept: list[Array] = []
        for at, each in enumerate(given):
            self._add(each, formats.get(at, ACL_FORMAT_ND))

    def _add(self, each: Any, format: int) -> None:
        array = each.value if isinstance(each, OnHost | Laid) else each
        desc, pointer = described(array, format), c_void_p()
        if isinstance(each, OnHost):
            ok(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST))
            self._kept.append(np.ascontiguousarray(array))
            buffer = aclCreateDataBuffer(self._kept[-1], array.nbytes)
        elif array is None:
            buffer = aclCreateDataBuffer(None, 0)
        else:
            bytes_ = each.storage if isinstance(each, Laid) else np.ascontiguousarray(array)
            if isinstance(each, Laid):
                ok(aclSetTensorFormat(desc, each.format))
                ok(aclSetTensorShape(desc, bytes_.ndim, list(bytes_.shape)))
            ok(aclrtMalloc(byref(pointer), max(bytes_.nbytes, 1), 0))
            if bytes_.nbytes:
                ok(aclrtMemcpy(pointer, bytes_.nbytes, bytes_, bytes_.nbytes, ACL_MEMCPY_HOST_TO_DEVICE))
            buffer = aclCreateDataBuffer(pointer, bytes_.nbytes)
            array = bytes_
        self.descs.append(desc)
        self.buffers.append(buffer)
        self.memory.append(pointer)
        self.arrays.append(array)

    @property
    def of_call(self) -> tuple[int, list[aclTensorDesc], list[aclDataBuffer]]:
        """The three arguments."""
        return len(self.descs), self.descs, self.buffers

    def results(self) -> list[Array]:
        """The arrays in the memory."""
        found: list[Array] = []
        for array, pointer in zip(self.arrays, self.memory, strict=True):
            assert array is not None
            found.append(current().read(pointer, array.shape, array.dtype))
        return found

    def close(self) -> None:
        for desc, buffer, pointer in zip(self.descs, self.buffers, self.memory, strict=True):
            aclDestroyTensorDesc(desc)
            ok(aclDestroyDataBuffer(buffer))
            if pointer:
                ok(aclrtFree(pointer))


@contextmanager
def sides(
    inputs: Sequence[Any], outputs: Sequence[Any], formats: dict[int, int] | None = None
) -> Iterator[tuple[Side, Side]]:  # fmt: skip
    """Inputs and outputs of a call, on device 0. `formats`: of inputs and outputs, by number."""
    ok(aclrtSetDevice(0))
    made = Side(inputs, formats or {}), Side(outputs, formats or {})
    yield made
    for side in made:
        side.close()
    ok(aclrtResetDevice(0))


def call(type: str, given: Side, made: Side, stream: Any = None, **attrs: Any) -> int:
    """The status of aclopCompileAndExecute."""
    with attributes(attrs) as attr:
        return aclopCompileAndExecute(type, *given.of_call, *made.of_call, attr, 0, 0, None, stream)


def by_name(
    type: str, inputs: Sequence[Any], outputs: Sequence[Any], formats: dict[int, int] | None = None, **attrs: Any
) -> list[Array]:  # fmt: skip
    """The results of an operator. Outputs are arrays of which only shape and type count."""
    with sides(inputs, outputs, formats) as (given, made):
        ok(call(type, given, made, **attrs))
        ok(aclrtSynchronizeStream(None))
        return made.results()
