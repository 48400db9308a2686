"""Launches of kernels with threads, which only 950 has (public, and ours where marked)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ctypes import byref, c_uint32, c_uint64
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Kernel, Machine, Writes
from tests.helpers.builders import malloc
from tests.helpers.kernel_binaries import function, load
from tests.helpers.outcomes import assert_status, ok

GRID, BLOCK = dim3(3, 2, 1), dim3(32, 2, 1)


@pytest.fixture
def newer() -> Iterator[Machine]:
    with Machine(soc="Ascend950PR_9599") as machine:
        ok(aclrtSetDevice(0))
        yield machine
        ok(aclrtResetDevice(0))


def by_array(handle: Any, grid: dim3, block: dim3, values: list[int]) -> int:
    return aclrtLaunchSIMTKernelWithArgsArray(
        handle, grid, block, 0, None, None, [byref(c_uint64(value)) for value in values]
    )


def by_host_block(handle: Any, grid: dim3, block: dim3, values: list[int]) -> int:
    raw = np.array(values, np.uint64)
    return aclrtLaunchSIMTKernelWithHostArgs(handle, grid, block, 0, None, None, raw, raw.nbytes, None, 0)


WAYS = (by_array, by_host_block)


@pytest.mark.parametrize("launch", WAYS)
def test_a_function_gets_the_blocks_and_the_threads(newer: Machine, launch: Callable[..., int]) -> None:
    seen: list[Any] = []

    class Seen(Kernel):
        def __call__(self, launch: Any) -> None:
            seen.append((launch.grid, launch.threads, launch.blocks, launch.arguments))

    newer.kernels["k"] = Seen(print, {"x": np.uint64})
    ok(launch(function(load("k"), "k"), GRID, BLOCK, [7]))
    ok(aclrtSynchronizeDevice())
    assert seen == [((3, 2, 1), (32, 2, 1), 6, (7,))]


def test_other_launches_have_one_dimension_and_one_thread(newer: Machine) -> None:
    seen: list[Any] = []
    newer.kernels["k"] = lambda launch: seen.append((launch.grid, launch.threads))
    raw = np.zeros(1, np.uint64)
    ok(aclrtLaunchKernelWithHostArgs(function(load("k"), "k"), 5, None, None, raw, 8, None, 0))
    ok(aclrtSynchronizeDevice())
    assert seen == [((5, 1, 1), (1, 1, 1))]


@pytest.mark.parametrize("launch", WAYS)
def test_arrays_and_place_holders(newer: Machine, launch: Callable[..., int]) -> None:
    newer.kernels["k"] = Kernel(lambda x: x.__setitem__(slice(None), 4), {"x": Writes(np.uint32, "blocks")})
    memory = malloc(24)
    ok(launch(function(load("k"), "k"), GRID, BLOCK, [getattr(memory, "value", memory)]))
    ok(aclrtSynchronizeDevice())
    assert newer.read(memory, 6, np.uint32).tolist() == [4] * 6


def test_a_place_holder_points_into_the_block(newer: Machine) -> None:
    seen: list[int] = []
    newer.kernels["k"] = lambda launch: seen.extend(launch.read(launch.arguments[0], 1, np.uint32))
    raw, place = np.array([0, 9], np.uint64), aclrtPlaceHolderInfo(0, 8)
    handle = function(load("k"), "k")
    ok(aclrtLaunchSIMTKernelWithHostArgs(handle, GRID, BLOCK, 0, None, None, raw, 16, byref(place), 1))
    ok(aclrtSynchronizeDevice())
    assert seen == [9]


@pytest.mark.parametrize("launch", WAYS)
def test_checks(newer: Machine, launch: Callable[..., int]) -> None:
    newer.kernels["k"] = Kernel(print, {"x": np.uint64})
    handle = function(load("k", "other"), "k")
    assert_status(launch(None, GRID, BLOCK, [7]), ACL_ERROR_INVALID_PARAM, "func")
    assert_status(launch(0x4000, GRID, BLOCK, [7]), ACL_ERROR_RT_INVALID_HANDLE, "func")
    handles = aclrtLaunchSIMTKernelWithHostArgs(handle, GRID, BLOCK, 0, None, None, None, 8, None, 0)
    assert_status(handles, ACL_ERROR_INVALID_PARAM, "hostArgs")
    raw = np.zeros(1, np.uint64)
    for size, places in ((0, 0), (8, 1)):
        status = aclrtLaunchSIMTKernelWithHostArgs(handle, GRID, BLOCK, 0, None, None, raw, size, None, places)
        assert_status(status, ACL_ERROR_RT_PARAM_INVALID, "argsSize" if not size else "placeHolderArray")
    other = function(load("k", "other"), "other")
    status = aclrtLaunchSIMTKernelWithArgsArray(other, GRID, BLOCK, 0, None, None, [byref(c_uint32())])
    assert_status(status, ACL_ERROR_RT_PARAM_INVALID, 'machine.kernels["other"] = Kernel(...)')


@pytest.mark.fidelity("launches of kernels with threads")
@pytest.mark.parametrize("launch", WAYS)
def test_a_grid_or_a_block_without_threads(newer: Machine, launch: Callable[..., int]) -> None:
    newer.kernels["k"] = Kernel(print, {"x": np.uint64})
    handle = function(load("k"), "k")
    assert_status(launch(handle, dim3(3, 0, 1), BLOCK, [7]), ACL_ERROR_RT_PARAM_INVALID, "grid", "3, 0, 1")
    assert_status(launch(handle, GRID, dim3(1, 1, 0), [7]), ACL_ERROR_RT_PARAM_INVALID, "block", "1, 1, 0")


@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend310P3"])
@pytest.mark.parametrize("launch", WAYS)
def test_other_products_have_no_threads(launch: Callable[..., int], soc: str) -> None:
    """ "950 only; elsewhere refuse with 207000", after the null pointers."""
    with Machine(soc=soc):
        ok(aclrtSetDevice(0))
        assert_status(launch(None, GRID, BLOCK, [7]), ACL_ERROR_INVALID_PARAM, "func")
        assert_status(launch(0x4000, GRID, BLOCK, [7]), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, soc)
        ok(aclrtResetDevice(0))
