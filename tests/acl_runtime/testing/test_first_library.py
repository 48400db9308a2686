"""The first library that somebody writes: each mistake in it fails its test with a finding, and without it all pass."""

from __future__ import annotations

import pytest

from tests.acl_runtime.testing.plugin_runs import PLUGIN

LIBRARY = """
from ctypes import byref, c_uint64, c_void_p

import numpy as np

from acl_runtime import *
from aclnn import aclnnSoftmax, aclnnSoftmaxGetWorkspaceSize


def ok(status):
    if status:
        raise RuntimeError(f"{status}: {aclGetRecentErrMsg()}")


class Tensor:
    def __init__(self, array, dtype=ACL_FLOAT):
        self.array, self.memory = np.ascontiguousarray(array), c_void_p()
        ok(aclrtMalloc(byref(self.memory), self.array.nbytes, ACL_MEM_MALLOC_HUGE_FIRST))
        ok(aclrtMemcpy(self.memory, self.array.nbytes, self.array, self.array.nbytes, ACL_MEMCPY_HOST_TO_DEVICE))
        shape = self.array.shape
        self.handle = aclCreateTensor(shape, len(shape), dtype, None, 0, ACL_FORMAT_ND, shape, len(shape), self.memory)

    def numpy(self, count=None, copies=True):
        result = np.empty(self.array.shape, np.float32)
        if copies:
            ok(aclrtMemcpy(result, result.nbytes, self.memory, count or result.nbytes, ACL_MEMCPY_DEVICE_TO_HOST))
        return result

    def close(self):
        ok(aclDestroyTensor(self.handle))
        ok(aclrtFree(self.memory))


def softmax(array, *, early=False, waits=True, frees=True, null=False, checks=True, closes=True, **copy):
    x, y = Tensor(array), Tensor(np.zeros_like(array))
    size, executor, workspace = c_uint64(), aclOpExecutor(), c_void_p()
    ok(aclnnSoftmaxGetWorkspaceSize(x.handle, -1, y.handle, byref(size), byref(executor)))
    ok(aclrtMalloc(byref(workspace), size.value, ACL_MEM_MALLOC_HUGE_FIRST))
    status = aclnnSoftmax(None if null else workspace, size.value, executor, None)
    if checks:
        ok(status)
    if early:
        ok(aclrtFree(workspace))
    if waits:
        ok(aclrtSynchronizeStream(None))
    result = y.numpy(**copy)
    if not waits:
        ok(aclrtSynchronizeStream(None))
    if frees and not early:
        ok(aclrtFree(workspace))
    if closes:
        x.close()
        y.close()
    return result
"""
TESTS = """
import numpy as np
import pytest

from library import *

X = np.arange(15, dtype=np.float32).reshape(3, 5) / 7


@pytest.fixture(autouse=True)
def npu(machine):
    ok(aclInit(None))
    ok(aclrtSetDevice(0))
    yield
    ok(aclrtResetDevice(0))
    ok(aclFinalize())


@pytest.mark.parametrize("mistake", {mistakes})
def test_softmax(mistake):
    array = X.astype(mistake.pop("dtype", X.dtype))
    exponents = np.exp(X)
    np.testing.assert_allclose(softmax(array, **mistake), exponents / exponents.sum(-1, keepdims=True), rtol=1e-5)
"""
MISTAKES = {
    "{}": "",
    "{'early': True}": "error[ws-freed-early]",
    "{'waits': False}": "error[read-before-sync]",
    "{'frees': False}": "warning[mem-leaked]",
    "{'closes': False}": "warning[tensor-leaked]",
    "{'null': True}": "RuntimeError: 161001",
    "{'null': True, 'checks': False}": "161001), and nobody looked at it",
    "{'count': 15}": "warning[memcpy-elements]",
    "{'copies': False}": "Not equal to tolerance",
    "{'dtype': 'float64'}": "advice[host-dtype]",
    "{'dtype': 'int32'}": "advice[host-dtype]",
}
"""the words of a call with the mistake, and the text that its failure shows; empty for the right call"""


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_fails_with_its_finding(pytester: pytest.Pytester, mistake: str) -> None:
    pytester.makepyfile(library=LIBRARY, test_library=TESTS.format(mistakes=f"[{mistake}]"))
    result = pytester.runpytest_inprocess(*PLUGIN)
    text = MISTAKES[mistake]
    failed = sum(result.parseoutcomes().get(outcome, 0) for outcome in ("failed", "error", "errors"))
    assert (failed > 0) is bool(text)
    assert text in result.stdout.str()
