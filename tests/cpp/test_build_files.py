"""What build files and shells find in a toolkit directory, wherever it has been moved to."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from acl_runtime.version import __version__
from aclnn.toolkit.layout import LIBRARY, OTHERS, ROOTS, SET_ENV, links

HELLO = """\
#include "acl/acl.h"
#include "aclnn_softmax_backward.h"
int main()
{
    if (aclInit(nullptr) != ACL_SUCCESS || aclnnSoftmaxBackward(nullptr, 0, nullptr, nullptr) == ACL_SUCCESS) return 1;
    printf("%s\\n", aclrtGetSocName());
    return aclFinalize();
}
"""
PROJECTS = {
    "libraries by name": """\
cmake_minimum_required(VERSION 3.5.1)
project(by_name CXX)
add_compile_options(-std=c++17 -D_GLIBCXX_USE_CXX11_ABI=0 -Wall -Werror)
if(NOT "$ENV{ASCEND_TOOLKIT_HOME}" STREQUAL "")
    set(ASCEND_PATH $ENV{ASCEND_TOOLKIT_HOME})
else()
    set(ASCEND_PATH "/usr/local/Ascend/ascend-toolkit/latest")
endif()
include_directories(${ASCEND_PATH}/include ${ASCEND_PATH}/include/aclnn ${ASCEND_PATH}/include/aclnnop)
link_directories(${ASCEND_PATH}/lib64 ${ASCEND_PATH}/opp/vendors/customize/op_api/lib)
add_executable(hello hello.cpp)
target_link_libraries(hello ascendcl acl_op_compiler cust_opapi nnopbase opapi_nn stdc++)
""",
    "libraries by path": """\
cmake_minimum_required(VERSION 3.14)
project(by_path LANGUAGES CXX)
add_compile_options(-std=c++17 -D_GLIBCXX_USE_CXX11_ABI=0 -Wall -Werror)
set(ARCH ${CMAKE_SYSTEM_PROCESSOR}-linux)
find_path(ACL_INCLUDE acl/acl.h PATHS $ENV{ASCEND_HOME_PATH}/${ARCH}/include NO_DEFAULT_PATH)
find_path(OP_INCLUDE aclnn_softmax_backward.h PATHS ${ACL_INCLUDE}/aclnnop/level2 NO_DEFAULT_PATH)
find_library(ACL_LIBRARY ascendcl PATHS $ENV{ASCEND_HOME_PATH}/${ARCH}/devlib NO_DEFAULT_PATH)
add_executable(hello hello.cpp)
target_include_directories(hello PRIVATE ${ACL_INCLUDE} ${OP_INCLUDE})
target_link_libraries(hello PRIVATE ${ACL_LIBRARY} $ENV{ASCEND_HOME_PATH}/lib64/libnnopbase.so
    $ENV{ASCEND_HOME_PATH}/lib64/libopapi.so)
""",
    "an older compiler driver": """\
cmake_minimum_required(VERSION 3.5.1)
project(older CXX)
set(INC_PATH $ENV{DDK_PATH})
set(LIB_PATH $ENV{NPU_HOST_LIB})
include_directories(${INC_PATH}/runtime/include ${INC_PATH}/acllib/include/aclnnop)
link_directories(${LIB_PATH})
add_executable(hello hello.cpp)
target_link_libraries(hello acl_rt opapi)
""",
}
SHELLS = {
    "bash": ["bash"],
    "bash, strict": ["bash", "-eu"],
    "sh": ["sh", "-eu"],
    "bash as sh": ["bash", "--posix", "-eu"],
    "dash": ["dash", "-eu"],
    "zsh": ["zsh", "-f", "-eu"],
    "mksh": ["mksh", "-eu"],
    "busybox": ["busybox", "sh", "-eu"],
}


@pytest.fixture(params=["plain", "with a space's quote"])
def moved(request: pytest.FixtureRequest, toolkit: Path, tmp_path: Path) -> Path:
    """The directory elsewhere than where it was written."""
    to = tmp_path / request.param / "tk"
    shutil.copytree(toolkit, to, symlinks=True)
    return to


def sourced(shell: list[str], path: Path, cwd: Path, then: str, **environment: str) -> str:
    """What `then` prints behind `. path`."""
    if shutil.which(shell[0]) is None:
        pytest.skip(f"no {shell[0]} here")
    script = f". {shlex.quote(os.path.relpath(path, cwd))}\n{then}"
    done = subprocess.run(
        [*shell, "-c", script], cwd=cwd, env={"PATH": os.environ["PATH"], **environment}, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("script", [SET_ENV, "bin/setenv.bash"])
def test_the_script_finds_its_directory(shell: str, script: str, moved: Path, tmp_path: Path) -> None:
    """Where nothing was set before, and CDPATH would lead elsewhere; it leaves no names behind."""
    (tmp_path / "elsewhere" / moved.parent.name / "tk").mkdir(parents=True)
    names = [*ROOTS, "LD_LIBRARY_PATH", "CMAKE_PREFIX_PATH", "NPU_HOST_LIB", "ASCEND_OPP_PATH", "LSAN_OPTIONS"]
    shown = " ".join(f'"${name}"' for name in names)
    print_ = f'printf "%s\\n" {shown} "${{_aclnn-gone}}" "${{_aclnn_file-gone}}"'
    told = sourced(SHELLS[shell], moved / script, tmp_path, print_, CDPATH=str(tmp_path / "elsewhere")).splitlines()
    library = str(moved / "lib64")
    assert told == [
        *[str(moved)] * len(ROOTS), library, str(moved), library, str(moved / "opp"),
        f'suppressions="{moved}/lsan.supp":print_suppressions=0', "gone", "gone",
    ]  # fmt: skip


def test_the_script_keeps_what_was_set(toolkit: Path, tmp_path: Path) -> None:
    told = sourced(["bash", "-eu"], toolkit / SET_ENV, tmp_path, 'echo "$LD_LIBRARY_PATH $LSAN_OPTIONS"',
                   LD_LIBRARY_PATH="/mine", LSAN_OPTIONS="exitcode=3")  # fmt: skip
    assert told.endswith("print_suppressions=0:exitcode=3\n")
    assert told.startswith(f"{toolkit}/lib64:/mine ")


@pytest.mark.parametrize("project", PROJECTS)
def test_a_project_builds_unchanged(project: str, cpp: list[str], toolkit: Path, tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("no cmake here")
    assert cpp
    (tmp_path / "CMakeLists.txt").write_text(PROJECTS[project], encoding="utf-8")
    (tmp_path / "hello.cpp").write_text(HELLO, encoding="utf-8")
    build = "(cmake -S . -B build && cmake --build build) > log 2>&1 || cat log\nbuild/hello"
    assert sourced(["bash", "-eu"], toolkit / SET_ENV, tmp_path, build) == "Ascend910B1\n"


def test_a_moved_package_is_found(cpp: list[str], moved: Path, tmp_path: Path) -> None:
    """By AclnnEmulator_ROOT alone."""
    if shutil.which("cmake") is None:
        pytest.skip("no cmake here")
    assert cpp
    text = "cmake_minimum_required(VERSION 3.14)\nproject(mine CXX)\nfind_package(AclnnEmulator REQUIRED)\n"
    text += "add_executable(hello hello.cpp)\ntarget_link_libraries(hello AclnnEmulator::ascendcl)\n"
    (tmp_path / "CMakeLists.txt").write_text(text, encoding="utf-8")
    (tmp_path / "hello.cpp").write_text(HELLO, encoding="utf-8")
    for line in (["cmake", "-S", ".", "-B", "build", f"-DAclnnEmulator_ROOT={moved}"], ["cmake", "--build", "build"]):
        subprocess.run(line, cwd=tmp_path, check=True, capture_output=True)
    done = subprocess.run([str(tmp_path / "build" / "hello")], text=True, capture_output=True, check=False, env={})
    assert (done.returncode, done.stdout) == (0, "Ascend910B1\n"), done.stderr


MINOR = ".".join(__version__.split(".")[:2])


@pytest.mark.parametrize(
    ("asked", "found"),
    [("0.0.1", True), (MINOR, True), ("99", False), ("0.0.1...99", True), (f"0.0.1...<{MINOR}", False),
     (f"{MINOR} EXACT", True), ("0.0.1 EXACT", False)],
)  # fmt: skip
def test_cmake_is_told_the_version(asked: str, found: bool, toolkit: Path, tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("no cmake here")
    text = f"cmake_minimum_required(VERSION 3.19)\nproject(mine NONE)\nfind_package(AclnnEmulator {asked})\n"
    text += 'message(NOTICE "found: ${AclnnEmulator_FOUND}, ${AclnnEmulator_CONSIDERED_VERSIONS}")\n'
    (tmp_path / "CMakeLists.txt").write_text(text, encoding="utf-8")
    command = ["cmake", "-S", ".", "-B", "build", f"-DAclnnEmulator_ROOT={toolkit}"]
    done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, check=True)
    assert f"found: {int(found)}, {__version__}\n" in done.stderr, done.stderr


@pytest.mark.fidelity("which library has which function")
def test_every_name_leads_to_the_one_library(toolkit: Path) -> None:
    real = (toolkit / "lib64" / LIBRARY).resolve(strict=True)
    for name in OTHERS:
        assert (toolkit / "lib64" / name).resolve(strict=True) == real
    for name, _ in links():
        assert (toolkit / name).exists(), f"{name} leads nowhere"
    assert set(re.findall(r"lib\w+\.so", " ".join(os.listdir(toolkit / "lib64")))) == {LIBRARY, *OTHERS}
