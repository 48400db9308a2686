"""What the tests of the runtime share: short creators, threads, programs of their own, refusals."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_void_p
from typing import TypeVar

import numpy as np

from acl_runtime import (
    ACL_ERROR_RT_CONTEXT_NULL,
    ACL_INT64,
    ACL_MEM_MALLOC_HUGE_FIRST,
    ACL_SUCCESS,
    Machine,
    UndefinedBehaviour,
    aclGetRecentErrMsg,
    aclrtContext,
    aclrtCreateContext,
    aclrtCreateStream,
    aclrtFree,
    aclrtMalloc,
    aclrtStream,
)
from aclnn import aclnnCrossEntropyLossGradGetWorkspaceSize, aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from tests.builders import OnDevice, Planned, meta, on_device, plan

T = TypeVar("T")
OTHERS = {name: value for name, value in os.environ.items() if not name.startswith(("ACL_EMULATOR_", "ASCEND_"))}


def create_stream() -> aclrtStream:
    stream = aclrtStream()
    assert aclrtCreateStream(byref(stream)) == ACL_SUCCESS
    return stream


def create_context(device: int = 0) -> aclrtContext:
    context = aclrtContext()
    assert aclrtCreateContext(byref(context), device) == ACL_SUCCESS
    return context


def current_device(machine: Machine) -> str:
    """What is current in this thread, found out by a call that needs a context."""
    pointer = c_void_p()
    status = aclrtMalloc(byref(pointer), 32, ACL_MEM_MALLOC_HUGE_FIRST)
    if status != ACL_SUCCESS:
        assert_status(status, ACL_ERROR_RT_CONTEXT_NULL, "EE1018")
        return "none"
    memory = machine.memory_at(pointer.value or 0)
    assert memory is not None
    assert aclrtFree(pointer) == ACL_SUCCESS
    return f"device {memory.device}"


def in_thread(work: Callable[[], T]) -> T:
    """What `work` returns or raises in a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def program(code: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a program in an interpreter of its own."""
    prelude = "from ctypes import *\nfrom acl_runtime import *\nfrom acl_runtime import Machine, UndefinedBehaviour\n"
    return subprocess.run(
        [sys.executable, "-c", prelude + code], env=OTHERS | environment, capture_output=True, text=True, check=False
    )


def text() -> str:
    """The pending error text, "" if there is none; reading empties."""
    return aclGetRecentErrMsg() or ""


def assert_status(status: int, expected: int, *words: str) -> None:
    """The documented status, and a text that carries each of the words."""
    assert status == expected
    found = text()
    for word in words:
        assert word in found, found


def finding_of(call: Callable[[], object]) -> tuple[str, str]:
    """Id and text of the undefined behaviour that a call raises."""
    try:
        result = call()
    except UndefinedBehaviour as error:
        return error.finding.id, str(error)
    raise AssertionError(f"nothing was raised, the call returned {result!r}")


def softmax(size: int = 8) -> tuple[OnDevice, OnDevice, OnDevice, Planned]:
    """Tensors on the device and a planned call of SoftmaxBackward, a composite operator; `out` holds zeros."""
    grad, output, out = (on_device(np.full(size, value, np.float32)) for value in (3, 1, 0))
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, out)
    assert planned.status == ACL_SUCCESS, planned.text
    return grad, output, out, planned


def launch_softmax(stream: aclrtStream | None = None) -> tuple[OnDevice, OnDevice, OnDevice]:
    """Queue a SoftmaxBackward: without a wait, `out` still holds zeros; its result is -21 everywhere."""
    grad, output, out, planned = softmax()
    assert planned.workspace_size == 0
    assert aclnnSoftmaxBackward(None, 0, planned.executor, stream) == ACL_SUCCESS, text()
    return grad, output, out


SOFTMAX_RESULT = -21.0  # 1 * (3 - 8 * 3 * 1)


def cross_entropy(n: int = 2, c: int = 3) -> Planned:
    """A planned call of CrossEntropyLossGrad, a generated operator, over tensors without memory."""
    arguments = (meta([n]), meta([n, c]), meta([n], ACL_INT64), None, None, None, "none", -100, 0.0, 0.0, meta([n, c]))
    planned = plan(aclnnCrossEntropyLossGradGetWorkspaceSize, *arguments)
    assert planned.status == ACL_SUCCESS, planned.text
    return planned
