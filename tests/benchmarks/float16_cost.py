"""The cost of a float16 call beside its float32 call: `python -m tests.benchmarks.float16_cost`.

Softmax backward on 256 x 1024, by the whole public path: both phases and the synchronise. The results are subnormal
numbers of float16, where a plain conversion costs about a hundred times more. Fails above the limit.
"""

import sys
import time
from ctypes import byref, c_uint64

import numpy as np

from acl_runtime import (
    ACL_SUCCESS,
    Machine,
    aclOpExecutor,
    aclrtSetDevice,
    aclrtSynchronizeStream,
)
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from tests.benchmarks.rounds import confirmed
from tests.helpers.builders import OnDevice, on_device

SHAPE = (256, 1024)
LIMIT = 12.0
ROUNDS = 15


def call(grad: OnDevice, output: OnDevice, out: OnDevice) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    size, executor = c_uint64(), aclOpExecutor()
    status = aclnnSoftmaxBackwardGetWorkspaceSize(
        grad.handle, output.handle, 1, out.handle, byref(size), byref(executor)
    )
    assert status == ACL_SUCCESS
    assert aclnnSoftmaxBackward(None, size.value, executor, None) == ACL_SUCCESS
    assert aclrtSynchronizeStream(None) == ACL_SUCCESS
    return time.perf_counter() - start


def ratio(g: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """float16 time over float32 time, and the share of subnormal results."""
    with Machine():
        aclrtSetDevice(0)
        cases = {
            dtype: tuple(on_device(each.astype(dtype)) for each in (g, y, np.zeros(SHAPE)))
            for dtype in ("float32", "float16")
        }
        best = {dtype: min(call(*tensors) for _ in range(ROUNDS)) for dtype, tensors in cases.items()}
        tiny = np.abs(cases["float16"][2].read().astype(np.float64))
    return best["float16"] / best["float32"], float(np.mean((tiny > 0) & (tiny < 2.0**-14)))


def main() -> int:
    generator = np.random.default_rng(0)
    y, g = generator.random(SHAPE), generator.standard_normal(SHAPE)
    worst = 0.0
    for name, scales in {
        "normal": (1, 1),
        "subnormal results": (2.0**-8, 2.0**-10),
        "subnormal gradients": (2.0**-18, 1),
        "subnormal outputs": (1, 2.0**-18),
    }.items():
        case = g * scales[0], y * scales[1]
        found, subnormal = ratio(*case)
        found = confirmed(found, LIMIT, lambda case=case: ratio(*case)[0])
        worst = max(worst, found)
        print(f"{name}: float16 costs {found:.1f} times float32 ({subnormal:.0%} subnormal results), limit {LIMIT:.0f}")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
