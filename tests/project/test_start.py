"""The modules that a program loads when it starts: names are imported lazily, and heavy modules only where they are
needed. `tests/benchmarks/start.py` measures the time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import ml_dtypes
import numpy
import pytest

import acl_runtime
import aclnn

HEAVY = {
    "asyncio", "concurrent.futures", "difflib", "email", "json", "logging", "multiprocessing", "pathlib", "pytest",
    "random", "tempfile", "unittest", "urllib.parse", "uuid",
}  # fmt: skip

PLACES = sorted({os.path.dirname(os.path.dirname(each.__file__ or "")) for each in (acl_runtime, numpy, ml_dtypes)})


def loaded_by(program: str, before: str = "") -> set[str]:
    """The modules that a program loads in a fresh process, beyond those that `before` has loaded.

    The process has no `site`: the hooks of site-packages, such as the finder of an editable installation, load modules
    of their own, and these would hide that the program loads them."""
    begin = f"import sys\nsys.path += {PLACES}\n{before}\nhad = set(sys.modules)"
    text = f"{begin}\n{program}\nprint(*sorted(set(sys.modules) - had))"
    command = [sys.executable, "-S", "-c", text]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_importing_the_packages_loads_next_to_nothing() -> None:
    loaded = loaded_by("import acl_runtime, aclnn")
    assert {name for name in loaded if name.startswith("acl")} == {
        "acl_runtime", "acl_runtime.on_demand", "acl_runtime.generated_index",
        "aclnn", "aclnn.ops", "aclnn.ops.generated_index",
    }  # fmt: skip
    assert not loaded & {*HEAVY, "ctypes", "dataclasses", "ml_dtypes", "numpy"}


def test_a_program_loads_the_chapters_that_it_uses() -> None:
    program = "from acl_runtime import aclrtMalloc, ACL_SUCCESS\nfrom aclnn import aclnnSoftmaxBackward"
    loaded = loaded_by(program, before="import numpy, ml_dtypes")
    asked_for = {"acl_runtime.api.memory.malloc_free", "acl_runtime.headers.statuses", "aclnn.ops.softmax_backward"}
    assert asked_for <= loaded
    assert not loaded & {
        "acl_runtime.api.memory.copy_batch",
        "aclnn.ops.prelu_backward",
        "acl_runtime.testing.assertions",
    }


@pytest.mark.parametrize("package", ["acl_runtime", "aclnn"])
def test_all_names_load_the_numbers_and_types_of_the_headers_and_no_function(package: str) -> None:
    loaded = loaded_by(f"from {package} import *\naclrtMalloc if {package!r} == 'acl_runtime' else aclnnAdd")
    assert {name for name in loaded if name.startswith("acl")} == {
        "acl_runtime", "acl_runtime.on_demand", "acl_runtime.generated_index", "acl_runtime.process",
        "acl_runtime.headers",
        *(f"acl_runtime.headers.{each}" for each in ("enums", "handles", "hccl", "statuses", "structs", "unconfirmed")),
        *(["aclnn", "aclnn.ops", "aclnn.ops.generated_index", "aclnn.catalogue", "aclnn.catalogue.index"]
          if package == "aclnn" else []),
    }  # fmt: skip
    assert not loaded & {*HEAVY, "dataclasses", "ml_dtypes", "numpy"}


def test_a_machine_loads_nothing_heavy_beyond_numpy() -> None:
    program = "from acl_runtime import *\nfrom aclnn import *\nfrom acl_runtime import Machine\nwith Machine(): pass"
    loaded = loaded_by(program, before="import numpy, ml_dtypes")
    assert not loaded & HEAVY
    assert not loaded & {"acl_runtime.trace.chrome_trace", "acl_runtime.checks.report.formats"}


@pytest.mark.parametrize("package", [acl_runtime, aclnn], ids=lambda package: package.__name__)
def test_lazy_names_are_listed_before_they_are_imported(package: object) -> None:
    assert {*package.__all__, "__all__", "__doc__"} <= set(dir(package))  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"module 'acl\w+' has no attribute 'aclrtMaloc'"):
        package.aclrtMaloc  # type: ignore[attr-defined]  # noqa: B018
    assert not hasattr(package, "__wrapped__")


def test_a_module_is_there_without_an_import_of_its_own() -> None:
    assert "acl_runtime.errors" in loaded_by("import acl_runtime; assert acl_runtime.errors.AclError")


def test_two_phase_is_the_function() -> None:
    """No module of the package has its name, as importing such a module would replace the function."""
    assert loaded_by("import aclnn.ops.softmax_backward, aclnn; assert callable(aclnn.two_phase)")


PLANNED = """
from acl_runtime import Machine
with Machine() as machine:
    {}
"""


@pytest.mark.parametrize(
    ("planned", "judge"),
    [
        ("machine.fail('aclrtMemcpyAsync')", lambda loaded: "acl_runtime.api.memory.copy_async" in loaded),
        ("import aclnn; machine.fail('aclnnSoftmaxBackward')", lambda loaded: "aclnn.ops.softmax_backward" in loaded),
    ],
)
def test_a_failure_is_planned_for_a_function_that_is_not_imported_yet(
    planned: str, judge: Callable[[set[str]], bool]
) -> None:
    assert judge(loaded_by(PLANNED.format(planned)))


EXPLAINED = (
    "aclnnAdd", "ACL_INT32", "acl.rt.malloc", "aclrtMalloc", "161002", "mem-leaked", "Ascend310B4",
    "module 'acl.rt' has no attribute 'mallocc'", "call aclnnMoeDistributeDispatchV4 failed, error code is 561000",
    "NPU out of memory. Tried to allocate 22.00 MiB", "EZ3003: No supported Ops kernel and engine are found",
    "undefined reference to `aclInit'",
)  # fmt: skip
EXPLAINS = """
from aclnn.__main__ import main
out, sys.stdout = sys.stdout, sys.stderr
assert main(["explain", {!r}]) == 0
sys.stdout = out
"""


@pytest.mark.parametrize("question", EXPLAINED)
def test_an_explanation_creates_no_function(question: str) -> None:
    """`aclnn explain` reads files that `python -m aclnn.render` makes. To import numpy takes longer than to answer."""
    loaded = loaded_by(EXPLAINS.format(question))
    assert not loaded & {"numpy", "ml_dtypes", "acl_runtime.boundary", "aclnn.op"}
    packages = ("acl_runtime.abi", "acl_runtime.api", "acl_runtime.machine", "aclnn.engine", "aclnn.ops.")
    assert [name for name in sorted(loaded) if name.startswith(packages)] == ["aclnn.ops.generated_index"]
