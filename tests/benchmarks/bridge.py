"""The cost of a call from C++ instead of from Python, and of the process of a C++ program.

    python -m tests.benchmarks.bridge

The same calls with the same kinds of pointers, from both, in turn; the fastest round counts. "adds" is for each call.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from ctypes import POINTER, byref, c_float, c_int32, c_int64, c_uint64, c_void_p, cast
from pathlib import Path

from acl_runtime import (
    ACL_FLOAT,
    ACL_FORMAT_ND,
    ACL_MEM_MALLOC_HUGE_FIRST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    Machine,
    aclCreateTensor,
    aclDestroyTensor,
    aclOpExecutor,
    aclrtCreateStream,
    aclrtFree,
    aclrtGetDevice,
    aclrtMalloc,
    aclrtMemcpy,
    aclrtSetDevice,
    aclrtStream,
    aclrtSynchronizeStream,
)
from aclnn import aclnnSoftmaxBackward, aclnnSoftmaxBackwardGetWorkspaceSize
from aclnn.tools.toolkit.build import build
from aclnn.tools.toolkit.library import CPP_COMPILERS, compiler

CALLS = {"aclrtGetDevice": 1, "aclrtMalloc + aclrtFree": 2, "aclCreateTensor + aclDestroyTensor": 2,
         "both phases + synchronise": 3}  # fmt: skip
"""the timed operations, each with its number of calls"""
GOAL = 0.5e-6
"""seconds by which a call from C++ may be slower"""
ROUNDS = 3


def program(folder: Path) -> Path:
    """bridge.cpp, compiled against a toolkit of its own."""
    build(folder / "toolkit")
    source, made = Path(__file__).with_suffix(".cpp"), folder / "bridge"
    command = [*compiler("CXX", CPP_COMPILERS), "-O2", "-std=c++11", f"-I{folder / 'toolkit/include'}", str(source),
               f"-L{folder / 'toolkit/lib64'}", "-lascendcl", "-o", str(made)]  # fmt: skip
    subprocess.run(command, check=True)
    return made


def from_cpp(made: Path) -> dict[str, float]:
    """Seconds of each operation, from C++."""
    library = {**os.environ, "LD_LIBRARY_PATH": str(made.parent / "toolkit/lib64")}
    printed = subprocess.run([made], env=library, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name: float(seconds) for name, _, seconds in (line.rpartition(" ") for line in printed.splitlines())}


def from_python() -> dict[str, float]:
    """Seconds of each operation from Python, with pointers that have no length, like those of C."""
    with Machine(on_undefined="report"):
        aclrtSetDevice(0)
        stream = aclrtStream()
        aclrtCreateStream(byref(stream))
        shape, strides = (c_int64 * 2)(4, 2), (c_int64 * 2)(2, 1)
        of_shape, of_strides = (cast(c_void_p(_address(each)), POINTER(c_int64)) for each in (shape, strides))
        memory, values = [c_void_p() for _ in range(3)], (c_float * 8)(*range(8))
        for each in memory:
            aclrtMalloc(byref(each), 32, ACL_MEM_MALLOC_HUGE_FIRST)
            aclrtMemcpy(each, 32, values, 32, ACL_MEMCPY_HOST_TO_DEVICE)

        def tensor(each: c_void_p) -> object:
            return aclCreateTensor(of_shape, 2, ACL_FLOAT, of_strides, 0, ACL_FORMAT_ND, of_shape, 2, each)

        one, device, (a, b, out) = c_void_p(), c_int32(), (tensor(each) for each in memory)
        size, executor = c_uint64(), aclOpExecutor()

        def allocate() -> None:
            aclrtMalloc(byref(one), 1024, ACL_MEM_MALLOC_HUGE_FIRST)
            aclrtFree(one)

        def operate() -> None:
            aclnnSoftmaxBackwardGetWorkspaceSize(a, b, 1, out, byref(size), byref(executor))
            aclnnSoftmaxBackward(None, size.value, executor, stream)
            aclrtSynchronizeStream(stream)

        calls: list[tuple[Callable[[], object], int]] = [
            (lambda: aclrtGetDevice(byref(device)), 10_000), (allocate, 2000),
            (lambda: aclDestroyTensor(tensor(memory[0])), 2000), (operate, 1000),
        ]  # fmt: skip
        return dict(zip(CALLS, (_time(call, many) for call, many in calls), strict=True))


def _address(array: object) -> int:
    return cast(byref(array), c_void_p).value or 0  # type: ignore[arg-type]


def _time(call: Callable[[], object], many: int) -> float:
    best = float("inf")
    for _ in range(9):
        begin = time.perf_counter()
        for _ in range(many):
            call()
        best = min(best, (time.perf_counter() - begin) / many)
    return best


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """Seconds of a process."""
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        best = min(best, time.perf_counter() - begin)
    return best


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        made = program(Path(folder))
        cpp: dict[str, float] = {}
        python: dict[str, float] = {}
        for _ in range(ROUNDS):
            for best, measured in ((cpp, from_cpp(made)), (python, from_python())):
                best.update({name: min(value, best.get(name, value)) for name, value in measured.items()})
        print(f"{'microseconds':40} {'C++':>8} {'Python':>8} {'adds':>8}")
        for name, many in CALLS.items():
            adds = (cpp[name] - python[name]) / many
            print(f"{name:40} {cpp[name] * 1e6:8.2f} {python[name] * 1e6:8.2f} {adds * 1e6:8.2f}")
        print(f"goal: a call from C++ takes at most {GOAL * 1e6} longer")
        sample = Path(folder, "start.cpp")
        sample.write_text('#include "acl/acl.h"\nint main() { return aclInit(nullptr) + aclFinalize(); }\n')
        started = Path(folder, "start")
        subprocess.run([*compiler("CXX", CPP_COMPILERS), f"-I{folder}/toolkit/include", str(sample),
                        f"-L{folder}/toolkit/lib64", "-lascendcl", "-o", str(started)], check=True)  # fmt: skip
        library = {**os.environ, "LD_LIBRARY_PATH": f"{folder}/toolkit/lib64"}
        imported = seconds([sys.executable, "-c", "import numpy, ml_dtypes"], dict(os.environ))
        print(f"a C++ process, aclInit and aclFinalize: {seconds([str(started)], library) * 1e3:.0f} ms")
        print(f"python -c 'import numpy, ml_dtypes': {imported * 1e3:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
