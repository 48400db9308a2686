"""Calls that the library serves without Python: every output is that of the same program without them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from acl_runtime.objects import handle_table
from aclnn.tools.toolkit import native_objects
from aclnn.tools.toolkit.c_stubs import SERVED
from aclnn.tools.toolkit.session import FAST_CALLS
from tests.cpp.conftest import Build, Run
from tests.cpp.test_python_process import LOADS, Python, python

__all__ = ["python"]
CASES = ("launches", "dead", "refused", "values", "leaks", "changed", "plans", "between", "failures", "machines",
         "threads", "child", "long-ago", "kept", "first-phases", "conditions", "read-only", "shapes")  # fmt: skip
WRONG = ("tensor-double-destroy", "ws-freed-early", "io-freed-early", "read-before-sync", "data-freed-under-tensor",
         "exec-reused", "mem-leaked", "handle")  # fmt: skip
Output = tuple[int, str, str]


def outputs(run: Callable[..., subprocess.CompletedProcess[str]], *command: object, **environment: str) -> list[Output]:
    """Exit status and texts of a run with served calls and of one without them. Processes have no numbers."""
    runs = [run(*command, environment={**environment, FAST_CALLS: value}) for value in ("1", "0")]
    return [(ran.returncode, ran.stdout, re.sub(r"process \d+", "process N", ran.stderr)) for ran in runs]


@pytest.mark.fidelity("calls that C serves")
@pytest.mark.parametrize("case", CASES)
def test_the_output_is_that_of_calls_in_python(case: str, build: Build, run: Run) -> None:
    served, plain = outputs(run, build("served"), case)
    assert served == plain
    assert served[1] + served[2], "the case prints something"


@pytest.mark.fidelity("calls that C serves")
@pytest.mark.parametrize("earlier", ["0", "3"])
@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_use_has_the_same_report(case: str, earlier: str, build: Build, run: Run) -> None:
    """After three earlier launches the first phase is served, too."""
    served, plain = outputs(run, build("wrong_use"), case, earlier)
    assert served == plain
    assert served[2]


@pytest.mark.parametrize("name", ["SCHEDULE", "CHECKS", "FAULTS", "LANG", "TRACE"])
def test_options_have_the_same_effect(name: str, build: Build, run: Run) -> None:
    value = {"SCHEDULE": "eager", "CHECKS": "0", "FAULTS": "aclCreateTensor:2", "LANG": "zh", "TRACE": "1"}[name]
    served, plain = outputs(run, build("served"), "dead", **{f"ACL_EMULATOR_{name}": value})
    assert served == plain


def test_dead_descriptors_take_no_memory(build: Build, run: Run) -> None:
    ran = run(build("served"), "memory")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "steady\n" * 3, "")


def test_a_tensor_that_was_destroyed_long_before_the_launch_is_reported(build: Build, run: Run) -> None:
    """Its history is not kept that long, but the launch is not made."""
    ran = run(build("served"), "forgotten")
    assert (ran.returncode, ran.stdout) == (0, "first phase 0, size 0\n" * 2 + "second phase 0\nlaunched 361001\n")
    assert "error[tensor-destroyed-early]: the input `self` of aclnnAdd (tensor" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_switch_is_0_or_1(build: Build, run: Run) -> None:
    ran = run(build("served"), "launches", environment={FAST_CALLS: "yes"})
    assert "ACL_EMULATOR_FAST_CALLS='yes': 0 or 1; every call fails with 500000" in ran.stderr


IN_PYTHON = f"""\
{LOADS}
from ctypes import c_int64, c_uint64, c_void_p
acl, plugin = ctypes.CDLL("libascendcl.so"), ctypes.CDLL(sys.argv[1])
acl.aclCreateTensor.restype = plugin.make.restype = c_void_p
one = (c_int64 * 1)(1)
assert acl.aclInit(None) == acl.aclrtSetDevice(0) == 0

def tensor():
    return acl.aclCreateTensor(one, c_uint64(1), 0, one, c_int64(0), 2, one, c_uint64(1), c_void_p(4096))

tensor(), acl.aclDestroyTensor(c_void_p(tensor()))

def scalar():
    return c_void_p(plugin.make())

left, made = scalar(), scalar()
plugin.drop(made)
plugin.drop(made)
acl.aclrtResetDevice(0)

from acl_runtime.machine.current import current
calls = current().calls
print(len(calls), calls.names(), calls[-1].thread, calls[-1].function)
for call in calls.of("aclCreateTensor", "aclDestroyTensor"):
    print([each for each in call.arguments if each != ctypes.addressof(one)], call.result, call.failed)
print(*[call.arguments[1:] for call in calls.of("aclCreateScalar")])
print("served", c_uint64.in_dll(acl, "aclnn_served").value)
"""


def test_records_and_lines_of_a_python_program_are_the_same(python: Python, build: Build, tmp_path: Path) -> None:
    """The record has the served calls at their places. Reports name the lines of the Python program where an installed
    package calls."""
    package = tmp_path / "site-packages"
    package.mkdir()
    plugin = shutil.copy(build("plugin", "-shared", "-fPIC"), package)
    served, plain = (python(IN_PYTHON, plugin, **{FAST_CALLS: value}) for value in ("1", "0"))
    *lines, count = served.stdout.splitlines()
    assert (lines, count) == (plain.stdout.splitlines()[:-1], "served 6"), served.stderr
    assert served.stderr == plain.stderr
    for line in ("plugin.drop(made)", "return c_void_p(plugin.make())"):
        number = IN_PYTHON.split("\n").index(next(each for each in IN_PYTHON.split("\n") if line in each)) + 1
        assert f"program.py:{number}" in served.stderr


FIRST_PHASES = f"""\
{LOADS}
from ctypes import byref, c_int64, c_uint64, c_void_p, c_float
acl = ctypes.CDLL("libascendcl.so")
acl.aclCreateTensor.restype = acl.aclCreateScalar.restype = c_void_p
shape = (c_int64 * 2)(2, 3)
strides, one = (c_int64 * 2)(3, 1), c_float(1)
memory, stream, size, executor = c_void_p(), c_void_p(), c_uint64(), c_void_p()
acl.aclInit(None), acl.aclrtSetDevice(0), acl.aclrtCreateStream(byref(stream)), acl.aclrtMalloc(byref(memory), 64, 0)
acl.aclrtMemset(memory, 64, 0, 64)
for value in (1, 1, 1, -0.0, -0.0, 1, 0.0, -0.0):
    tensor = c_void_p(acl.aclCreateTensor(shape, c_uint64(2), 0, strides, c_int64(0), 2, shape, c_uint64(2), memory))
    scalar = c_void_p(acl.aclCreateScalar(byref(c_float(value)), 0))
    assert acl.aclnnAddGetWorkspaceSize(tensor, tensor, scalar, tensor, byref(size), byref(executor)) == 0
    assert acl.aclnnAdd(None, c_uint64(0), executor, stream) == 0
    acl.aclDestroyTensor(tensor), acl.aclDestroyScalar(scalar)
acl.aclrtSynchronizeStream(stream)

from acl_runtime.machine.current import current
calls = current().calls
print(len(calls), calls.names())
for call in calls.of("aclnnAddGetWorkspaceSize"):
    numbers = [each for each in call.arguments if each not in (ctypes.addressof(size), ctypes.addressof(executor))]
    print(len(call.arguments), numbers, call.outputs, call.result, call.failed, str(call).count("executor"))
print("served", c_uint64.in_dll(acl, "aclnn_served").value)
"""


@pytest.mark.fidelity("calls that C serves")
def test_records_of_served_first_phases_are_the_same(python: Python) -> None:
    served, plain = (python(FIRST_PHASES, **{FAST_CALLS: value}) for value in ("1", "0"))
    *lines, count = served.stdout.splitlines()
    assert (lines, served.stderr) == (plain.stdout.splitlines()[:-1], plain.stderr)
    assert count == "served 35", "32 calls for descriptors, and 3 first phases: from the third one on with a scalar"


def test_kinds_are_in_the_order_of_the_library() -> None:
    """c_stubs.py passes the place of a kind to C, and native_objects.py gets it back."""
    assert tuple(getattr(handle_table, name) for name in SERVED) == native_objects.KINDS
    source = Path(native_objects.__file__).with_name("bridge.h").read_text(encoding="utf-8")
    (kinds,) = re.findall(r"enum \{ OF_PYTHON, (.*), EXECUTOR, KINDS \};", source)
    assert f"RECORDED = {native_objects.WORDS} " in source
    assert [each.replace("_", "") for each in kinds.split(", ")] == [name.upper() for name in SERVED]
