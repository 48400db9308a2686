"""Random numbers: the generator is Philox4x32-10; values have the distribution, and depend on seed and counter only."""

from __future__ import annotations

from ctypes import byref
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.dtypes import numpy_dtype
from acl_runtime.memory.philox import words
from tests.acl_runtime.api.product_families import numbers, parameter
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import assert_status, ok

BITS, UNIFORM, NORMAL, TRUNCATED = (
    ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK,
    ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS,
    ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS,
    ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS,
)
COUNT = 500


def test_the_generator_is_philox() -> None:
    """The published words of Philox4x32-10 for a key and a counter of zeros, and of ones."""
    ones = (1 << 128) - 1
    assert [f"{word:08x}" for word in words(0, 0, 4)] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]
    assert [f"{word:08x}" for word in words((1 << 64) - 1, ones, 4)] == ["408f276d", "41c83b0e", "a20bc7c6", "6d5451fd"]


def made(machine: Machine, kind: int, dtype: int, first: float, second: float, seed: int = 0) -> Any:
    memory, stream = malloc(4096), create_stream()
    count = COUNT if kind != BITS else 8 * COUNT
    ok(aclrtRandomNumAsync(byref(numbers(memory, kind, dtype, first, second, count, seed)), stream, None))
    ok(aclrtSynchronizeStream(stream))
    return machine.read(memory, COUNT, np.uint8 if kind == BITS else numpy_dtype(dtype))


@pytest.mark.fidelity("random numbers (aclrtRandomNumAsync)")
@pytest.mark.parametrize("dtype", [ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT32, ACL_UINT32])
def test_uniform_numbers(machine: Machine, dtype: int) -> None:
    values = made(machine, UNIFORM, dtype, 1, 100).astype(np.float64)
    assert 1 <= values.min() <= 10
    assert 90 <= values.max() <= 100
    assert abs(values.mean() - 50) < 5


@pytest.mark.fidelity("random numbers (aclrtRandomNumAsync)")
def test_normal_numbers_and_bits(machine: Machine) -> None:
    values = made(machine, NORMAL, ACL_FLOAT, 3, 2)
    assert (abs(values.mean() - 3) < 0.4, abs(values.std() - 2) < 0.3) == (True, True)
    cut = made(machine, TRUNCATED, ACL_FLOAT, 1, 2)
    assert (cut.min() >= -3, cut.max() <= 5, abs(cut.mean() - 1) < 0.4) == (True, True, True)
    share = np.unpackbits(made(machine, BITS, ACL_FLOAT, 0.25, 0)).mean()
    assert abs(share - 0.75) < 0.03, "bits that are kept"


def test_seed_and_counter_decide(machine: Machine) -> None:
    first, second = made(machine, NORMAL, ACL_FLOAT, 0, 1), made(machine, NORMAL, ACL_FLOAT, 0, 1)
    np.testing.assert_array_equal(first, second)
    assert (first != made(machine, NORMAL, ACL_FLOAT, 0, 1, seed=7)).any()


def test_a_parameter_in_device_memory_is_read_when_the_task_runs(machine: Machine) -> None:
    memory, mean, stream = malloc(4096), malloc(64), create_stream()
    info = numbers(memory, NORMAL, ACL_FLOAT, 0, 0)
    ok(aclrtMemcpy(mean, 4, np.array([0], np.float32), 4, ACL_MEMCPY_HOST_TO_DEVICE))
    info.randomNumFuncParaInfo.paramInfo.normalDisInfo.mean = parameter(mean, np.uint64)
    info.randomNumFuncParaInfo.paramInfo.normalDisInfo.mean.isAddr = 1
    info.randomNumFuncParaInfo.paramInfo.normalDisInfo.mean.size = 4
    source = np.array([5], np.float32)
    ok(aclrtMemcpyAsync(mean, 4, source, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream))
    ok(aclrtRandomNumAsync(byref(info), stream, None))
    ok(aclrtSynchronizeStream(stream))
    assert machine.read(mean, 1, np.float32)[0] == 5
    np.testing.assert_array_equal(machine.read(memory, 8, np.float32), np.full(8, 5, np.float32))


def test_refusals(machine: Machine) -> None:
    memory, stream = malloc(4096), create_stream()
    good = byref(numbers(memory))
    assert_status(aclrtRandomNumAsync(None, stream, None), ACL_ERROR_INVALID_PARAM)
    assert_status(aclrtRandomNumAsync(byref(numbers(memory, UNIFORM, ACL_INT8)), stream, None), ACL_ERROR_INVALID_PARAM)
    assert_status(aclrtRandomNumAsync(good, 0x40, None), ACL_ERROR_RT_INVALID_HANDLE)
    assert_status(aclrtRandomNumAsync(good, stream, 1), ACL_ERROR_RT_PARAM_INVALID)
    wide, flag, absent = numbers(memory), numbers(memory), numbers(memory)
    wide.randomSeed.size, flag.randomNum.isAddr, absent.randomCounterAddr = 9, 2, 0
    for info in (numbers(memory, 9), numbers(memory, NORMAL, ACL_INT32), wide, flag, absent):
        assert_status(aclrtRandomNumAsync(byref(info), stream, None), ACL_ERROR_RT_PARAM_INVALID)
