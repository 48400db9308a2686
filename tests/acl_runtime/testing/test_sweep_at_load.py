"""`sweep_failures` over the functions that plugins bind: descriptors, attributes, binaries, profiling."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_uint32, c_void_p
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime.testing.sweeps.sweep import sweep_failures
from tests.acl_runtime.testing.test_sweep import Failed, careful, check
from tests.helpers.kernel_binaries import elf
from tests.helpers.machines import SCHEDULES

Undo = list[Callable[[], Any]]


def made(handle: Any) -> Any:
    if not handle:
        raise Failed("null")
    return handle


def descriptions(undo: Undo) -> None:
    """A tensor descriptor, a buffer and an attribute, as before a single operator."""
    descriptor = made(aclCreateTensorDesc(ACL_FLOAT, 2, [2, 3], ACL_FORMAT_ND))
    undo.append(lambda: aclDestroyTensorDesc(descriptor))
    check(aclSetTensorFormat(descriptor, ACL_FORMAT_NCHW))
    attribute = made(aclopCreateAttr())
    undo.append(lambda: aclopDestroyAttr(attribute))
    check(aclopSetAttrInt(attribute, "axis", 1))


def binary(undo: Undo) -> None:
    """A binary of device kernels, and one of its functions."""
    data, handle, function, address = elf("add_custom"), aclrtBinHandle(), aclrtFuncHandle(), c_void_p()
    check(aclrtBinaryLoadFromData(data, len(data), None, byref(handle)))
    undo.append(lambda: aclrtBinaryUnLoad(handle))
    check(aclrtBinaryGetFunction(handle, "add_custom", byref(function)))
    check(aclrtGetFunctionAddr(function, byref(address), byref(c_void_p())))


def profiling(undo: Undo) -> None:
    """A session of the profiler with a stamp."""
    check(aclprofInit("/tmp", 4))
    undo.append(aclprofFinalize)
    switches = ACL_PROF_ACL_API | ACL_PROF_MSPROFTX
    config = made(aclprofCreateConfig((c_uint32 * 1)(0), 1, ACL_AICORE_NONE, None, switches))
    undo.append(lambda: aclprofDestroyConfig(config))
    check(aclprofStart(config))
    undo.append(lambda: aclprofStop(config))
    stamp = made(aclprofCreateStamp())
    undo.append(lambda: aclprofDestroyStamp(stamp))
    check(aclprofPush(stamp))
    check(aclprofPop())


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("work", [descriptions, binary, profiling], ids=lambda work: work.__name__)
def test_a_program_that_cleans_up_has_no_problems(work: Callable[[Undo], None], schedule: str) -> None:
    sweep = sweep_failures(lambda: careful(work), schedule=schedule)
    assert not sweep.problems, sweep
    assert not sweep.unmet
    assert len({run.function for run in sweep.runs}) > 6


def test_a_descriptor_that_is_forgotten_is_found() -> None:
    """Its destruction stands behind a call that may fail."""

    def forgetful(undo: Undo) -> None:
        descriptor = made(aclCreateTensorDesc(ACL_FLOAT, 1, [2], ACL_FORMAT_ND))
        check(aclSetTensorFormat(descriptor, ACL_FORMAT_NCHW))
        aclDestroyTensorDesc(descriptor)

    sweep = sweep_failures(lambda: careful(forgetful))
    assert {run.function: [each.id for each in run.findings] for run in sweep.problems} == {
        "aclSetTensorFormat": ["tensor-leaked"]
    }
