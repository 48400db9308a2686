"""Kernels that are tasks of a model: their attributes, and changes while a built model runs (public)."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_uint32, c_uint64, c_void_p
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Kernel, Machine, Updates
from tests.acl_runtime.api.graph.test_built_models import HEAD, Built
from tests.acl_runtime.api.graph.test_models import tasks_of
from tests.acl_runtime.api.product_families import numbers
from tests.helpers.builders import malloc, on_device
from tests.helpers.captures import GLOBAL, add, captured
from tests.helpers.creating import create_stream
from tests.helpers.kernel_binaries import function, load
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.outcomes import assert_status, finding_of, ok

BAD, DEAD = ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_INVALID_HANDLE
TIMEOUT, SCHEDULING = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT, ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE
ENTRY, COUNT = 0, 1
"""cells of a `Built` with the number of a kernel and of its blocks"""


def launch(handle: aclrtFuncHandle, stream: aclrtStream, argument: int, *attributes: tuple[int, int]) -> None:
    """Launch a kernel with one argument and a configuration."""
    listed = (aclrtLaunchKernelAttr * max(len(attributes), 1))()
    for each, (id, value) in zip(listed, attributes, strict=False):
        each.id, each.value.localMemorySize = id, value
    cfg = aclrtLaunchKernelCfg(listed, len(attributes))
    ok(aclrtLaunchKernelWithHostArgs(handle, 1, stream, byref(cfg), byref(c_uint64(argument)), 8, None, 0))


# attributes


@pytest.mark.fidelity("attributes of kernels in models")
def test_a_task_has_the_attributes_of_its_launch(machine: Machine) -> None:
    machine.kernels["k"] = print
    stream, handle, value = create_stream(), function(load("k"), "k"), aclrtLaunchKernelAttrValue()
    model = captured(stream, lambda: launch(handle, stream, 1, (TIMEOUT, 300), (SCHEDULING, 2)))
    (task,) = tasks_of(model)
    for id, expected in ((TIMEOUT, 300), (SCHEDULING, 2), (ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE, 0)):
        value.localMemorySize = 7
        ok(aclmdlRIKernelTaskGetAttribute(task, id, byref(value)))
        assert value.localMemorySize == expected
    assert_status(aclmdlRIKernelTaskGetAttribute(task, 99, byref(value)), BAD, "attrId")
    assert_status(aclmdlRIKernelTaskGetAttribute(task, TIMEOUT, None), BAD, "value")
    assert_status(aclmdlRIKernelTaskGetAttribute(None, TIMEOUT, byref(value)), BAD, "task")
    assert_status(aclmdlRIKernelTaskGetAttribute(model, TIMEOUT, byref(value)), DEAD)
    ok(aclmdlRIDestroy(model))


@pytest.mark.fidelity("attributes of kernels in models")
def test_other_tasks_have_no_attributes(machine: Machine) -> None:
    stream, x, value = create_stream(), on_device(np.ones(4, np.float32)), aclrtLaunchKernelAttrValue()
    model = captured(stream, lambda: (add(x, x, x, stream), aclrtMemsetAsync(x.address, 16, 0, 16, stream)))
    operator, other = tasks_of(model)
    for task, status in (
        (operator, ACL_ERROR_RT_FEATURE_NOT_SUPPORT), (other, ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT),
    ):  # fmt: skip
        assert_status(aclmdlRIKernelTaskGetAttribute(task, TIMEOUT, byref(value)), status)
    ok(aclmdlRIDestroy(model))


# changes of tasks


def adding(amount: int) -> Callable[[Any], None]:
    """A kernel that adds a number, times its blocks, to the byte of its argument."""

    def run(launched: Any) -> None:
        (place,) = launched.arguments
        launched.write(place, launched.read(place, 1, np.uint8) + np.uint8(amount * launched.blocks))

    return run


def update(binary: c_void_p | None, entry: int, blocks: int, kind: int = ACL_RT_UPDATE_AIC_AIV_TASK) -> Any:
    info = aclrtTaskUpdateInfo(kind)
    change = info.val.aicAivTaskAttr
    change.binHandle, change.funcEntryAddr, change.blockDimAddr = getattr(binary, "value", binary), entry, blocks
    return byref(info)


@pytest.mark.fidelity("changes of tasks of built models")
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_kernel_is_replaced_when_the_task_runs(schedule: str) -> None:
    """The numbers are read "when it runs", and the change stays for later executions."""
    with board(schedule) as machine:
        machine.kernels["adding_1"], machine.kernels["adding_2"] = adding(1), adding(10)
        its, binary, last = Built(HEAD), load("adding_1", "adding_2"), c_uint32()
        (stream,) = its.streams
        for _ in range(2):
            launch(function(binary, "adding_1"), stream, its.memory)
            if not last.value or last.value == 0xFFFF_FFFF:
                ok(aclrtGetThreadLastTaskId(byref(last)))
        assert last.value == 1
        launch(function(binary, "adding_1"), stream, its.memory + 1)
        ok(aclrtGetThreadLastTaskId(byref(last)))
        assert last.value == 3
        cells = its.cells, its.cells + 8
        ok(aclrtTaskUpdateAsync(stream, 3, update(binary, *cells), stream))
        ok(aclrtTaskUpdateAsync(stream, 1, update(binary, *cells), stream))
        its.built()
        its.set(ENTRY, 2)
        its.set(COUNT, 3)
        assert its.run(machine) == [2, 1, 0, 0]
        assert its.run(machine) == [33, 31, 0, 0]
        its.set(ENTRY, 1)
        its.set(COUNT, 1)
        assert its.run(machine) == [64, 61, 0, 0]
        assert its.run(machine) == [66, 62, 0, 0]
        ok(aclmdlRIDestroy(its.model))


@pytest.mark.fidelity("changes of tasks of built models")
@pytest.mark.parametrize(("entry", "blocks", "word"), [(5, 1, "_5"), (1, 0, "blockDimAddr")])
def test_an_update_with_bad_numbers_fails(machine: Machine, entry: int, blocks: int, word: str) -> None:
    machine.kernels["adding_1"] = adding(1)
    its, binary = Built(HEAD), load("adding_1")
    launch(function(binary, "adding_1"), its.streams[0], its.memory)
    ok(aclrtTaskUpdateAsync(its.streams[0], 1, update(binary, its.cells, its.cells + 8), its.streams[0]))
    its.built()
    its.set(ENTRY, entry)
    its.set(COUNT, blocks)
    ok(aclmdlRIExecuteAsync(its.model, None))
    assert_status(aclrtSynchronizeDevice(), ACL_ERROR_RT_AICORE_EXCEPTION, word)


def test_the_arguments_have_to_fit_the_new_kernel(machine: Machine) -> None:
    machine.kernels["adding_1"] = adding(1)
    machine.kernels["adding_2"] = Kernel(print, {"x": Updates(np.uint8, 1), "y": np.uint64})
    its, binary = Built(HEAD), load("adding_1", "adding_2")
    launch(function(binary, "adding_1"), its.streams[0], its.memory)
    ok(aclrtTaskUpdateAsync(its.streams[0], 1, update(binary, its.cells, its.cells + 8), its.streams[0]))
    its.built()
    its.set(ENTRY, 2)
    its.set(COUNT, 1)
    ok(aclmdlRIExecuteAsync(its.model, None))
    assert finding_of(aclrtSynchronizeDevice)[0] == "kernel-arguments"


def test_refusals_for_kernels(machine: Machine) -> None:
    machine.kernels["k_1"] = print
    its, binary, plain = Built(HEAD), load("k_1"), create_stream()
    (stream,) = its.streams
    launch(function(binary, "k_1"), stream, its.memory)
    its.put(0, 0, 1)
    cell, model = its.cells, ACL_ERROR_RT_STREAM_MODEL
    assert_status(aclrtTaskUpdateAsync(None, 1, None, None), ACL_ERROR_INVALID_PARAM, "info")
    for arguments, status, word in (
        ((None, 1, update(binary, cell, cell, 3), None), BAD, "info->id"),
        ((its.model, 1, update(None, 0, 0), None), DEAD, ""),
        ((None, 1, update(None, 0, 0), None), BAD, "taskStream"),
        ((stream, 1, update(None, 0, 0), None), BAD, "execStream"),
        ((stream, 1, update(None, 0, 0), stream), BAD, "funcEntryAddr"),
        ((stream, 1, update(None, cell, 0), stream), BAD, "blockDimAddr"),
        ((stream, 1, update(None, cell, cell), stream), BAD, "binHandle"),
        ((stream, 1, update(c_void_p(64), cell, cell), stream), DEAD, "binHandle"),
        ((plain, 1, update(binary, cell, cell), stream), model, "taskStream"),
        ((stream, 1, update(binary, cell, cell), plain), model, "execStream"),
        ((stream, 0, update(binary, cell, cell), stream), BAD, "taskId"),
        ((stream, 3, update(binary, cell, cell), stream), BAD, "taskId"),
        ((stream, 2, update(binary, cell, cell), stream), BAD, "taskId"),
        ((stream, 1, update(binary, 64, cell), stream), BAD, "funcEntryAddr"),
        ((stream, 1, update(binary, cell, 64), stream), BAD, "blockDimAddr"),
    ):  # fmt: skip
        assert_status(aclrtTaskUpdateAsync(*arguments), status, word)
    its.built()
    ok(aclmdlRIDestroy(its.model))


@pytest.mark.fidelity("changes of tasks of built models")
def test_refusals_for_random_numbers(machine: Machine) -> None:
    """After the library's checks the emulator refuses: "the form of new parameters is not public"."""
    its, plain, other, info = Built(HEAD), create_stream(), create_stream(), update(None, 0, 0, 1)
    (stream,) = its.streams
    ok(aclrtRandomNumAsync(byref(numbers(malloc(4096))), stream, None))
    its.put(0, 0, 1)
    ok(aclmdlRICaptureBegin(other, GLOBAL))
    for arguments, status, word in (
        ((None, 1, info, None), BAD, "taskStream"),
        ((its.model, 1, info, None), DEAD, ""),
        ((stream, 1, info, stream), BAD, "bound to"),
        ((stream, 1, info, other), ACL_ERROR_RT_STREAM_CAPTURED, ""),
        ((plain, 1, info, plain), BAD, "taskStream"),
        ((stream, 2, info, None), BAD, "taskId"),
        ((stream, 1, info, None), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not public"),
    ):  # fmt: skip
        assert_status(aclrtTaskUpdateAsync(*arguments), status, word)
    ok(aclmdlRICaptureEnd(other, byref(aclmdlRI())))
    its.built()
    ok(aclmdlRIDestroy(its.model))
