"""Plugins load the libraries at run time: each name is found, and a function that does not exist here is null."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from aclnn.tools.toolkit.directory import LIBRARY, OTHERS
from tests.cpp.conftest import Build, Run

ABSENT_FUNCTIONS = """
    aclnnTopkV2 aclnnTopkV2GetWorkspaceSize aclrtFunctionGetAvailDynUbufPerBlock rtKernelLaunchWithFlag
    aclmdlRITaskSetParams aclrtCreateStreamV2 InitHugeMemThreadLocal PTAGetExecCache
    HcclCommRegister aclrtMemMapSelectedLink
    """.split()
"""an operator without facts, launches of device kernels, captures, a function that CANN does not export either, helpers
inside the operator library, collectives, links that A3 alone has"""
ABSENT_LIBRARIES = "libdcmi.so libshmem.so liblcal.so libasdsip.so libatb.so".split()
"""plugins try to load these. No function of them exists here, so they do not exist either"""
FOLDERS = "compiler compiler/lib64 runtime runtime/lib64 opp opp/vendors tools bin include lib64 devlib share".split()
"""plugins and build files test whether these exist, below the root or the folder of an architecture"""


@pytest.mark.parametrize("name", [LIBRARY, *OTHERS])
def test_each_library_loads_at_once(name: str, build: Build, run: Run) -> None:
    ran = run(build("loading", libraries="-ldl"), name, "aclInit", "aclnnAdd", "aclCreateTensor")
    assert ran.stdout == "aclInit found\naclnnAdd found\naclCreateTensor found\nAscend910B1\n", ran.stderr
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.fidelity("a function that is absent")
@pytest.mark.parametrize("name", ABSENT_FUNCTIONS)
def test_a_function_that_is_absent_is_null(name: str, build: Build, run: Run) -> None:
    """A program that asks for it takes another way. A stub that fails at the call would take this choice from it."""
    ran = run(build("loading", libraries="-ldl"), "libopapi.so", name)
    assert ran.stdout == f"{name} null\nAscend910B1\n", ran.stderr


@pytest.mark.fidelity("which library has which function")
@pytest.mark.parametrize("name", ABSENT_LIBRARIES)
def test_a_library_without_functions_is_absent(name: str, build: Build, run: Run, toolkit: Path) -> None:
    assert not (toolkit / "lib64" / name).exists()
    ran = run(build("loading", libraries="-ldl"), name)
    assert ran.returncode == 1
    assert name in ran.stdout


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_that_programs_look_for_exists(folder: str, toolkit: Path) -> None:
    assert (toolkit / folder).is_dir()
    assert (toolkit / "latest" / folder).is_dir()


def test_the_library_leaves_no_symbol_open(toolkit: Path) -> None:
    """Beside those of the C library."""
    if shutil.which("nm") is None:
        pytest.skip("no nm here")
    command = ["nm", "-D", "--undefined-only", str(toolkit / "lib64" / LIBRARY)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    open_ = {line.split()[-1].partition("@")[0] for line in listed.splitlines()}
    assert [name for name in open_ if re.match(r"acl|rt[A-Z]|Hccl|Py", name)] == []


def test_a_build_that_asks_for_the_chip_gets_that_of_the_machine(toolkit: Path, run: Run) -> None:
    """The command of a CMake file, with the environment of set_env.sh."""
    command = "npu-smi info|awk -F' ' 'NF > 0 && NR==7 {print $3}'"
    environment = {"ACL_EMULATOR_SOC": "Ascend910B4"}
    ran = run(Path("/bin/bash"), "-c", command, environment=environment)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "910B4\n", "")
    refused = run(Path("/bin/bash"), "-c", "npu-smi upgrade -t mcu -i 0 -f file")
    assert refused.returncode == 1
