"""Our side: a problem brought to the device, and the whole public path as one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import byref, c_uint64
from dataclasses import dataclass
from typing import Any

import numpy as np

from acl_runtime import (
    ACL_FORMAT_ND,
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_SUCCESS,
    Machine,
    aclCreateTensor,
    aclCreateTensorList,
    aclGetRecentErrMsg,
    aclOpExecutor,
    aclrtMemcpy,
    aclrtMemset,
    aclrtSetDevice,
    aclrtSynchronizeStream,
    aclTensorList,
)
from acl_runtime.objects.options import Options
from tests.benchmarks.problems import Problem
from tests.helpers.builders import OnDevice, acl_type, malloc


@contextmanager
def board(**options: Any) -> Iterator[Machine]:
    """A machine with its device set."""
    with Machine(**options) as machine:
        assert aclrtSetDevice(0) == ACL_SUCCESS
        yield machine


def has_option(name: str) -> bool:
    """True if machines have this option."""
    return name in Options.__dataclass_fields__


@dataclass
class Prepared:
    """A call with its memory."""

    call: Callable[[], None]
    """both phases, the launch, the synchronise"""
    tensors: dict[int, OnDevice]
    workspace_size: int

    def result(self, at: int) -> np.ndarray:
        """The output at a position of the arguments."""
        tensor = self.tensors[at]
        return tensor.view(tensor.read_storage())


def prepare(problem: Problem, made: Callable[[Any], Any] = lambda function: function) -> Prepared:
    """Copy the tensors to the current device, and allocate the workspace once. Outputs and workspace are warm: every
    byte was written before. `made` replaces a function by the one to call."""
    first, second = map(made, problem.operator.phases)  # type: ignore[attr-defined]
    wait = made(aclrtSynchronizeStream)
    tensors = {
        at: placed(each, copy=at not in problem.outputs, format=problem.planes if each.ndim == 4 else ACL_FORMAT_ND)
        for at, each in problem.tensors.items()
    }
    made_here = [
        each() if callable(each) else _list(each) if isinstance(each, list) else each for each in problem.arguments
    ]
    arguments = [tensors[at].handle if at in tensors else each for at, each in enumerate(made_here)]
    size, executor = c_uint64(), aclOpExecutor()
    assert first(*arguments, byref(size), byref(executor)) == ACL_SUCCESS, aclGetRecentErrMsg()
    workspace = malloc(size.value) if size.value else None
    if workspace:
        assert aclrtMemset(workspace, size.value, 0, size.value) == ACL_SUCCESS

    def call() -> None:
        assert first(*arguments, byref(size), byref(executor)) == ACL_SUCCESS
        assert second(workspace, size.value, executor, None) == ACL_SUCCESS
        assert wait(None) == ACL_SUCCESS

    return Prepared(call, tensors, size.value)


def _list(arrays: list[np.ndarray]) -> aclTensorList:
    """Tensors that are read, as one argument."""
    return aclCreateTensorList([placed(each, copy=True).handle for each in arrays], len(arrays))


def placed(array: np.ndarray, *, copy: bool, format: int = ACL_FORMAT_ND) -> OnDevice:
    """A tensor with the layout of an array, in memory of its own. If the array is a view, its whole base is copied, so
    that large arrays need no second copy in host memory."""
    storage = array if array.flags.c_contiguous else array.base
    assert isinstance(storage, np.ndarray)
    assert storage.flags.c_contiguous
    assert storage.dtype == array.dtype
    size, address = storage.nbytes, malloc(storage.nbytes)
    done = aclrtMemcpy(address, size, storage, size, ACL_MEMCPY_HOST_TO_DEVICE) if copy else None
    assert (aclrtMemset(address, size, 0, size) if done is None else done) == ACL_SUCCESS
    offset = (array.ctypes.data - storage.ctypes.data) // array.itemsize
    strides = tuple(step // array.itemsize for step in array.strides)
    handle = aclCreateTensor(list(array.shape), array.ndim, acl_type(array.dtype), list(strides), offset,
                             format, [storage.size], 1, address)  # fmt: skip
    return OnDevice(handle, address, storage.reshape(-1), array.shape, strides, offset)
