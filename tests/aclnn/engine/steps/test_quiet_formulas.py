"""numpy does not warn while a formula runs, on any path: a device does not warn (ours). Here a warning is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.testing import run
from tests.acl_runtime.api.kernel.test_compiled_in import STUB, launch, register

pytestmark = pytest.mark.filterwarnings("error")
SMALL, LARGE = 6, 1 << 18
every_schedule = pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])


@every_schedule
@pytest.mark.parametrize("fast", [True, False], ids=["blocks", "as it is written"])
@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize(("function", "number"), [(aclnnLog, -1), (aclnnTan, np.inf)], ids=["evaluator", "numpy"])
def test_a_formula_does_not_warn(function: Any, number: float, size: int, schedule: str, *, fast: bool) -> None:
    with Machine(schedule=schedule, seed=1, threads=2, fast=fast):
        found = run(function, np.full(size, number, np.float32), np.empty(size, np.float32))
    assert np.isnan(found).all()


@every_schedule
def test_a_kernel_of_the_program_does_not_warn(schedule: str) -> None:
    with Machine(schedule=schedule, seed=1) as machine:
        machine.kernels["aclnnAbs"] = lambda self: self / np.float32(0)
        assert np.isinf(run(aclnnAbs, np.ones(2, np.float32), np.empty(2, np.float32))).all()


@every_schedule
def test_a_function_for_a_device_kernel_does_not_warn(schedule: str) -> None:
    quotients: list[np.ndarray] = []
    with Machine(schedule=schedule, seed=1) as machine:
        aclrtSetDevice(0)
        machine.kernels["k"] = lambda launched: quotients.append(np.ones(2) / 0)
        register(STUB, "k")
        assert launch(0) == ACL_SUCCESS
        assert aclrtSynchronizeDevice() == ACL_SUCCESS
    assert np.isinf(quotients).all()
