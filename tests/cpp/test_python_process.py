"""A Python program that loads the C libraries, as PyTorch does through its plugin: they report at the end of Python."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aclnn.tools.toolkit.entry import SHARED
from aclnn.tools.toolkit.session import FAILED, for_pytorch
from tests.cpp.conftest import HERE, ROOT, Build, Ran, Run

LOADS = """\
import atexit, ctypes, sys, types

def of_c(name):  # os.environ is a copy
    get = ctypes.CDLL(None).getenv
    get.restype = ctypes.c_char_p
    return get(name)

"""
LEAKS = f"""\
{LOADS}
acl = ctypes.CDLL("libascendcl.so")
assert acl.aclInit(None) == acl.aclrtSetDevice(0) == 0
"""
Python = Callable[..., Ran]


@pytest.mark.parametrize(
    ("id", "call"),
    [("xstream-race", "stream.wait_stream"), ("read-before-sync", "stream.synchronize()"), ("mem-leaked", "")],
)
def test_a_hint_has_the_calls_of_pytorch(id: str, call: str) -> None:
    hint = for_pytorch(id, "Wait.")
    assert hint.startswith("Wait. In PyTorch: ") if call else hint == "Wait."
    assert call in hint


@pytest.fixture
def python(run: Run, tmp_path: Path) -> Python:
    """Run a Python program with the variables of set_env.sh."""

    def one(text: str, *arguments: str, **environment: str) -> Ran:
        program = tmp_path / "program.py"
        program.write_text(text, encoding="utf-8")
        return run(Path(sys.executable), str(program), *arguments, environment={"PYTHONPATH": str(ROOT), **environment})

    return one


QUEUE = f"""\
{LOADS}
print(of_c(b"TASK_QUEUE_ENABLE"))
ctypes.CDLL("libascendcl.so")
print(of_c(b"TASK_QUEUE_ENABLE"))
"""


@pytest.mark.fidelity("TASK_QUEUE_ENABLE")
@pytest.mark.parametrize("value", ["", "0", "1", "2"])
def test_the_task_queue_of_the_plugin_is_off_before_it_is_read(value: str, python: Python) -> None:
    """It is set when the library is loaded, so before a library that needs it. Only another value is reported."""
    ran = python(QUEUE, **({"TASK_QUEUE_ENABLE": value} if value else {}))
    assert ran.stdout == f"{value.encode() if value else None}\n{b'0'}\n", ran.stderr
    advice = f"advice: TASK_QUEUE_ENABLE={value} becomes TASK_QUEUE_ENABLE=0"
    assert (advice in ran.stderr) == (value not in ("", "0"))
    assert bool(ran.stderr) == (value not in ("", "0"))


@pytest.mark.parametrize("value", ["", "1"])
def test_a_program_in_c_keeps_its_environment(value: str, build: Build, run: Run) -> None:
    given = {"TASK_QUEUE_ENABLE": value} if value else {}
    ran = run(build("loading", libraries="-ldl"), "libascendcl.so", "$TASK_QUEUE_ENABLE", environment=given)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"{value or 'unset'}\nAscend910B1\n", "")


@pytest.mark.fidelity("a Python process that loads the libraries")
def test_the_report_comes_at_the_end_of_python(python: Python) -> None:
    """It has what is left. A function that the program itself gave to atexit comes before it."""
    ran = python(LEAKS + "atexit.register(print, 'the program ends')\n")
    assert (ran.returncode, ran.stdout) == (0, "the program ends\n")
    assert "warning[device-not-reset]" in ran.stderr
    assert ran.stderr.endswith("aclnn emulator: 1 error or warning\n")
    assert "warning" not in python(LEAKS + "atexit.register(acl.aclrtResetDevice, 0)\n").stderr


@pytest.mark.fidelity("a Python process that loads the libraries")
@pytest.mark.parametrize(("ending", "status"), [("", FAILED), ("sys.exit(3)", 3), ("1 / 0", 1)])
def test_the_exit_status_is_that_of_the_program_unless_asked(ending: str, status: int, python: Python) -> None:
    assert python(LEAKS + ending, ACL_EMULATOR_FINDINGS="error").returncode == status
    assert python(LEAKS + ending).returncode == status % FAILED


@pytest.mark.fidelity("calls after the end of Python")
@pytest.mark.parametrize("threads", [False, True])
def test_later_calls_return_0_and_do_nothing(threads: bool, python: Python, build: Build) -> None:
    """Of destructors and of threads that still run: they do not wait for an interpreter that is gone."""
    library = build("late_caller", "-shared", "-fPIC")
    ran = python(LEAKS + f"late = ctypes.CDLL({str(library)!r})\nacl.aclrtResetDevice(0)\nlate.start({threads:d})\n")
    assert ran.stdout == "late: 0, device 77, null\n", ran.stderr
    assert ran.returncode == 0


def test_functions_that_were_registered_before_the_library_come_after_the_report(python: Python) -> None:
    late = "late = []\natexit.register(lambda: print(late[0].aclrtResetDevice(0)))\n"
    ran = python(f"{LOADS}{late}{LEAKS}late.append(acl)\n")
    assert (ran.returncode, ran.stdout) == (0, "0\n"), ran.stderr
    assert "warning[device-not-reset]" in ran.stderr


PLUGIN = f"""\
{LOADS}
import os
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader

path = os.environ["ASCEND_HOME_PATH"] + "/lib64/libascendcl.so"
try:
    module_from_spec(spec_from_loader("plugin", ExtensionFileLoader("plugin", path)))
except ImportError:
    pass  # the library is loaded, as by a plugin that needs it, but is no module
acl = ctypes.CDLL("libascendcl.so")
if "cleans" in sys.argv:
    atexit.register(acl.aclrtResetDevice, 0)
assert acl.aclInit(None) == acl.aclrtSetDevice(0) == 0
"""
"""A program that loads the library as a plugin does, and registers its clean-up before its first call."""


@pytest.mark.fidelity("a Python process that loads the libraries")
@pytest.mark.parametrize("before", ["", "from acl_runtime import aclInit\n"], ids=["first use", "used before"])
def test_the_clean_up_of_a_plugin_comes_before_the_report(before: str, python: Python) -> None:
    ran = python(before + PLUGIN, "cleans")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    ran = python(before + PLUGIN)
    assert ran.returncode == 0
    assert ran.stderr.count("warning[device-not-reset]") == 1
    assert ran.stderr.endswith("aclnn emulator: 1 error or warning\n")


WITHOUT_KERNEL = f"""\
{LOADS}
if "plugin" in sys.argv:
    sys.modules["torch_npu"] = types.ModuleType("torch_npu")
acl = ctypes.CDLL("libascendcl.so")
assert acl.aclInit(None) == acl.aclrtSetDevice(0) == 0
memory, size, executor = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_void_p()
acl.aclrtMalloc(ctypes.byref(memory), ctypes.c_size_t(96), 0)
acl.aclCreateTensor.restype = ctypes.c_void_p
dims = (ctypes.c_int64 * 2)(2, 2)
tensors = [ctypes.c_void_p(acl.aclCreateTensor(dims, ctypes.c_uint64(2), 0, None, ctypes.c_int64(0), 2, dims,
                                               ctypes.c_uint64(2), ctypes.c_void_p(memory.value + at)))
           for at in (0, 32, 64)]
print(acl.{{name}}GetWorkspaceSize(*tensors, ctypes.byref(size), ctypes.byref(executor)))
"""


@pytest.mark.fidelity("an operator without a formula")
@pytest.mark.parametrize(
    ("arguments", "environment", "status"),
    [
        pytest.param((), {}, 0, id="another-program"),
        pytest.param(("plugin",), {}, 561003, id="the-plugin-is-loading"),
        pytest.param(("plugin",), {"ACL_EMULATOR_CATALOGUED": "launch"}, 0, id="the-environment-says-launch"),
    ],
)
def test_where_the_plugin_is_loaded_the_first_phase_fails(
    arguments: tuple[str, ...], environment: dict[str, str], status: int, python: Python, without_kernel: str
) -> None:
    """PyTorch then names the operator and the line that needs it."""
    ran = python(WITHOUT_KERNEL.format(name=without_kernel), *arguments, **environment)
    assert ran.stdout == f"{status}\n", ran.stderr


@pytest.fixture
def without_kernel() -> str:
    """An operator of three tensors that has no formula; a later one if this gets one."""
    from acl_runtime import aclDataType
    from aclnn.catalogue.facts import facts, names
    from aclnn.catalogue.products import Support
    from aclnn.tools.exports import has_kernel

    def fits(name: str) -> bool:
        params = facts(name).params
        return [each.is_tensor for each in params] == [True, True, True] and all(
            aclDataType.ACL_FLOAT in (each.dtypes or ()) and each.rank and each.rank[0] <= 2 <= each.rank[1]
            for each in params
        )

    return next(
        name
        for name in names()
        if not has_kernel(name) and facts(name).support("A2") is Support.DOCUMENTED and fits(name)
    )


IMPORTS = f"""\
{LEAKS}
import os, signal, threading
from importlib.util import find_spec

class Slow:
    "Runs the last part of numpy.random only after the fork."

    def find_spec(self, name, path=None, target=None):
        if name == "numpy.random._pickle":
            sys.meta_path.remove(self)
            found = find_spec(name)
            self.run, found.loader.exec_module = found.loader.exec_module, self.later
            return found

    def later(self, module):
        importing.set()
        forked.wait()
        self.run(module)

def imports():
    import numpy.random
    importing.set()

importing, forked = threading.Event(), threading.Event()
sys.meta_path.insert(0, Slow())
thread = threading.Thread(target=imports)
thread.start()
importing.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)  # the end of a child that would wait for ever
    import numpy.random
    os._exit(0)
forked.set()
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
acl.aclrtResetDevice(0)
"""


def test_a_child_does_not_wait_for_an_import_of_a_thread(python: Python) -> None:
    """Of numpy.random, which workers of PyTorch's DataLoader and first steps of optimisers import."""
    ran = python(IMPORTS)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "0\n", "")


RUN = """\
import ctypes, os, sys
acl = ctypes.CDLL("libascendcl.so")
acl.aclrtGetSocName.restype = ctypes.c_char_p
acl.aclInit(None)
acl.aclrtSetDevice(0)
print(acl.aclrtGetSocName().decode(), sys.argv[1:], os.path.isdir(os.environ["ASCEND_HOME_PATH"] + "/compiler"))
"""


TENSORS = f"""\
{LEAKS}
import mmap
libc = ctypes.CDLL(None)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
libc.mprotect(start + mmap.PAGESIZE, mmap.PAGESIZE, 0)
acl.aclCreateTensor.restype = ctypes.c_void_p
p, n = ctypes.c_void_p, ctypes.c_int64
acl.aclCreateTensor.argtypes = [p, n, ctypes.c_int, p, n, ctypes.c_int, p, n, p]
acl.aclGetViewStrides.argtypes = [p, p, p]

def array(*values):
    return (ctypes.c_int64 * len(values))(*values)

def tensor(shape, strides, storage, dims=2):
    made = acl.aclCreateTensor(shape, dims, 0, strides, 0, 2, storage, 1, None)
    found, count = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_uint64()
    if made:
        acl.aclGetViewStrides(made, ctypes.byref(found), ctypes.byref(count))
        acl.aclDestroyTensor.argtypes = [p]
        acl.aclDestroyTensor(made)
    return found[: count.value]

last = start + mmap.PAGESIZE - 8
"""
READ = {
    "arrays anywhere": ("array(2, 3), array(3, 1), array(6)", "[3, 1]", False),
    "the last word before a page that cannot be read": ("last, array(1), array(6), 1", "[1]", False),
    "no strides": ("array(2, 3), None, array(6)", "[3, 1]", False),
    "33 dimensions": ("array(*[1] * 33), array(*range(33)), array(6), 33", f"{[*range(33)]}", False),
    "negative strides": ("array(2, 1), array(1, -1), array(6)", "[1, -1]", False),
    "across that page": ("last, array(3, 1), array(6)", "[]", True),
    "no address": ("16, array(3, 1), array(6)", "[]", True),
    "the end of all addresses": ("array(2, 3), 2**64 - 8, array(6)", "[]", True),
    "a device address": ("array(2, 3), array(3, 1), 0x180000000000", "[]", True),
}


@pytest.mark.parametrize("what", READ)
def test_the_arrays_of_a_tensor_are_read_where_the_program_has_them(what: str, python: Python) -> None:
    """An array that cannot be read is the finding `host-overrun`, and the process lives."""
    arguments, strides, found = READ[what]
    ran = python(f"{TENSORS}for _ in range(2):\n    print(tensor({arguments}))\n")
    assert (ran.returncode, ran.stdout) == (0, f"{strides}\n{strides}\n"), ran.stderr
    assert ("error[host-overrun]" in ran.stderr) == found


THRESHOLDS = {
    "that of Python": ("", SHARED),
    "one of the program": ("gc.set_threshold(300)", 300),
    "no collection": ("gc.set_threshold(0)", 0),
}


@pytest.mark.parametrize("which", THRESHOLDS)
def test_garbage_is_looked_for_less_often_unless_the_program_says_how_often(which: str, python: Python) -> None:
    given, wanted = THRESHOLDS[which]
    ran = python(f"import gc\n{given}\n{LEAKS}\nprint(gc.get_threshold()[0])")
    assert ran.stdout == f"{wanted}\n", ran.stderr


def test_aclnn_run_starts_it_with_a_toolkit(tmp_path: Path, cpp: list[str]) -> None:
    """The options reach the libraries. The toolkit is kept, and the next run starts without the compiler."""
    assert cpp
    (tmp_path / "program.py").write_text(RUN, encoding="utf-8")
    words = [
        "--npu",
        "--soc",
        "Ascend310P3",
        "--findings",
        "error",
        "--trace",
        "trace.json",
        "program.py",
        "a",
        "--soc",
    ]

    def run(**environment: str) -> Ran:
        given = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
        return subprocess.run(
            [sys.executable, "-m", "aclnn", "run", *words],
            cwd=tmp_path, env={**given, **environment}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    for environment in ({}, {"CC": "no-such-compiler"}):
        ran = run(**environment)
        assert ran.stdout == "Ascend310P3 ['a', '--soc'] True\n", ran.stderr
        assert ran.returncode == FAILED
        assert "warning[device-not-reset]" in ran.stderr
        assert "aclrtSetDevice" in (tmp_path / "trace.json").read_text(encoding="utf-8")
    assert len(list((tmp_path / "cache" / "aclnn-emulator" / "toolkits").iterdir())) == 1
    words[words.index("program.py") :] = ["-m", "program", "-x", "--soc"]
    ran = run()
    assert (ran.stdout, ran.returncode) == ("Ascend310P3 ['-x', '--soc'] True\n", FAILED), ran.stderr


def test_a_program_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("", encoding="utf-8")
    command = [sys.executable, "-m", "aclnn", "run", "--npu"]
    for words, reason in (
        ([str(HERE / "host_code.cpp")], "--npu is for programs in Python"),
        (["--pyacl", "program.py"], "choose one"),
        (["--soc", "Ascend911", "program.py"], "Ascend911"),
    ):
        ran = subprocess.run([*command, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert reason in ran.stderr


INTERRUPTED = """\
import ctypes, sys

acl, library = ctypes.CDLL("libascendcl.so"), ctypes.PyDLL(sys.argv[1])
assert acl.aclInit(None) == 0
for _ in range(3):  # in the lookup of the function, then in the function
    try:
        print(library.interrupted())
    except KeyboardInterrupt:
        print("interrupted")
    if _ == 0:
        print(acl.aclrtSetDevice(0))
print(acl.aclrtResetDevice(0))
sys.exit(acl.aclFinalize())
"""


def test_an_interrupt_during_a_call_reaches_the_program_behind_the_call(python: Python, build: Build) -> None:
    """The call fails, without a report of the emulator."""
    library = build("interrupted", "-shared", "-fPIC")
    ran = python(INTERRUPTED, str(library))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.split() == ["interrupted", "0", "interrupted", "interrupted", "0"]
