"""Build files and shells find everything in a toolkit directory, also after it was moved."""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from acl_runtime.objects.support import NOT_EXPORTED
from acl_runtime.version import __version__
from aclnn.tools.toolkit.build import build
from aclnn.tools.toolkit.directory import ARCHITECTURES, LIBRARY, OTHERS, ROOTS, SET_ENV, links
from aclnn.tools.toolkit.exported_functions import declarations

HELLO = """\
#include "acl/acl.h"
#include "aclnn_softmax_backward.h"
int main()
{
    if (aclInit(nullptr) != ACL_SUCCESS || aclnnSoftmaxBackward(nullptr, 0, nullptr, nullptr) == ACL_SUCCESS) return 1;
    if (aclGetRecentErrMsg() == nullptr) return 2;
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
KERNELS = """\
cmake_minimum_required(VERSION 3.16)
project(kernels CXX)
set(ASCENDC_CMAKE_DIR $ENV{{ASCEND_HOME_PATH}}/{folder}/ascendc_kernel_cmake)
if(NOT EXISTS ${{ASCENDC_CMAKE_DIR}})
    message(FATAL_ERROR "ascendc_kernel_cmake does not exist")
endif()
include(${{ASCENDC_CMAKE_DIR}}/ascendc.cmake)
{then}
add_executable(hello hello.cpp)
target_include_directories(hello PRIVATE $ENV{{ASCEND_HOME_PATH}}/include $ENV{{ASCEND_HOME_PATH}}/include/aclnnop)
target_link_libraries(hello PRIVATE $ENV{{ASCEND_HOME_PATH}}/lib64/libascendcl.so)
"""
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
    """The directory, moved to another path."""
    to = tmp_path / request.param / "tk"
    shutil.copytree(toolkit, to, symlinks=True)
    return to


def sourced(shell: list[str], path: Path, cwd: Path, then: str, **environment: str) -> str:
    """The output of the commands `then` after `. path`."""
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
    """No variable was set before, and CDPATH leads elsewhere. The script leaves no other variables behind."""
    (tmp_path / "elsewhere" / moved.parent.name / "tk").mkdir(parents=True)
    names = [*ROOTS, "LD_LIBRARY_PATH", "CMAKE_PREFIX_PATH", "NPU_HOST_LIB", "ASCEND_OPP_PATH", "LSAN_OPTIONS"]
    shown = " ".join(f'"${name}"' for name in names)
    print_ = f'printf "%s\\n" {shown} "${{_aclnn-gone}}" "${{_aclnn_file-gone}}"'
    printed = sourced(SHELLS[shell], moved / script, tmp_path, print_, CDPATH=str(tmp_path / "elsewhere")).splitlines()
    library = str(moved / "lib64")
    assert printed == [
        *[str(moved)] * len(ROOTS), library, str(moved), library, str(moved / "opp"),
        f'suppressions="{moved}/lsan.supp":print_suppressions=0', "gone", "gone",
    ]  # fmt: skip


def test_the_script_keeps_what_was_set(toolkit: Path, tmp_path: Path) -> None:
    printed = sourced(["bash", "-eu"], toolkit / SET_ENV, tmp_path, 'echo "$LD_LIBRARY_PATH $LSAN_OPTIONS"',
                   LD_LIBRARY_PATH="/mine", LSAN_OPTIONS="exitcode=3")  # fmt: skip
    assert printed.endswith("print_suppressions=0:exitcode=3\n")
    assert printed.startswith(f"{toolkit}/lib64:/mine ")


@pytest.mark.parametrize("project", PROJECTS)
def test_a_project_builds_unchanged(project: str, cpp: list[str], toolkit: Path, tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("no cmake here")
    assert cpp
    (tmp_path / "CMakeLists.txt").write_text(PROJECTS[project], encoding="utf-8")
    (tmp_path / "hello.cpp").write_text(HELLO, encoding="utf-8")
    commands = "(cmake -S . -B build && cmake --build build) > log 2>&1 || cat log\nbuild/hello"
    assert sourced(["bash", "-eu"], toolkit / SET_ENV, tmp_path, commands) == "Ascend910B1\n"


def in_tikcpp() -> list[str]:
    """The paths at which sample projects of the runtime and of Ascend C look for `ascendc_kernel_cmake`."""
    return ["tikcpp", "tools/tikcpp", "compiler/tikcpp", *(f"{each}-linux/tikcpp" for each in ARCHITECTURES)]


@pytest.mark.parametrize("folder", in_tikcpp())
def test_a_project_that_includes_the_kernel_build_file(
    folder: str, cpp: list[str], toolkit: Path, tmp_path: Path
) -> None:
    """It configures, builds and runs, also if it builds no kernel, as some of the public samples."""
    if shutil.which("cmake") is None:
        pytest.skip("no cmake here")
    assert cpp
    (tmp_path / "CMakeLists.txt").write_text(KERNELS.format(folder=folder, then=""), encoding="utf-8")
    (tmp_path / "hello.cpp").write_text(HELLO, encoding="utf-8")
    commands = "(cmake -S . -B build && cmake --build build) > log 2>&1 || cat log\nbuild/hello"
    assert sourced(["bash", "-eu"], toolkit / SET_ENV, tmp_path, commands) == "Ascend910B1\n"


KERNEL = """\
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void add(GM_ADDR x) { AscendC::GlobalTensor<half> y; }
int Add(void *stream, uint8_t *x)
{
    add<<<1, nullptr, stream>>>(x);
    return 0;
}
"""
LAUNCHING = """\
#include "acl/acl.h"
int Add(void *stream, uint8_t *x);
int main()
{
    if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0 || Add(nullptr, nullptr) != 0) return 1;
    printf("%d\\n", aclrtSynchronizeStream(nullptr));
    printf("%s\\n", aclGetRecentErrMsg());
    return aclrtResetDevice(0) + aclFinalize();
}
"""


@pytest.mark.fidelity("ascendc.cmake")
def test_a_kernel_without_a_function_builds_and_its_launch_fails(cpp: list[str], toolkit: Path, tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("no cmake here")
    assert cpp
    then = "ascendc_library(kernels STATIC add.cpp)\nascendc_include_directories(kernels PRIVATE .)"
    text = KERNELS.format(folder="tikcpp", then=then) + "target_link_libraries(hello PRIVATE kernels)\n"
    (tmp_path / "CMakeLists.txt").write_text(text, encoding="utf-8")
    (tmp_path / "add.cpp").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "hello.cpp").write_text(LAUNCHING, encoding="utf-8")
    commands = "(cmake -S . -B build && cmake --build build) > log 2>&1 || cat log\nbuild/hello 2> errors"
    printed = sourced(["bash", "-eu"], toolkit / SET_ENV, tmp_path, commands)
    assert printed.startswith("507015\n")
    assert 'the device kernel add. Give it a function: aclnn_emulator::replace("add", function) in C++' in printed
    errors = (tmp_path / "errors").read_text(encoding="utf-8")
    assert errors.strip() == "launches of device kernels without a function (507015): add 1x"


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
def test_cmake_gets_the_version(asked: str, found: bool, toolkit: Path, tmp_path: Path) -> None:
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


def test_no_folder_contains_itself(toolkit: Path) -> None:
    """Programs that follow links end: `cp -L`, `find -L`, the index of an editor."""
    for folder, names, files in os.walk(toolkit):
        for path in (Path(folder, name) for name in (*names, *files)):
            if path.is_symlink() and path.is_dir():
                assert not Path(folder).resolve().is_relative_to(path.resolve()), f"{path} is a loop"


def test_operators_have_their_headers_in_level2_too(cpp: list[str], toolkit: Path, tmp_path: Path) -> None:
    """Public examples include `aclnnop/level2/NAME.h`: the same header, so that both may be included."""
    own = {each.header.removeprefix("aclnnop/") for each in declarations() if each.header.startswith("aclnnop/")}
    assert {path.name for path in (toolkit / "include" / "aclnnop" / "level2").iterdir()} == own | {"aclnn_util.h"}
    names = [f"aclnnop/{folder}{name}" for name in sorted(own) for folder in ("level2/", "")]
    source = tmp_path / "both.cpp"
    source.write_text("".join(f'#include "{name}"\n' for name in names), encoding="utf-8")
    line = [*cpp, "-std=c++11", "-Wall", "-Werror", "-fsyntax-only", f"-I{toolkit}/include", str(source)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_second_name_of_the_directory(toolkit: Path, tmp_path: Path) -> None:
    """`ascend-toolkit/latest`: everything is there."""
    names = {path.name for path in toolkit.iterdir()}
    assert {path.name for path in (toolkit / "latest").iterdir()} == names - {"latest"}
    printed = sourced(["bash", "-eu"], toolkit / "latest" / SET_ENV, tmp_path, 'ls "$ASCEND_HOME_PATH/compiler/lib64"')
    assert LIBRARY in printed.split()


def test_a_directory_of_an_earlier_version_is_overwritten(cpp: list[str], tmp_path: Path) -> None:
    """An earlier version had links to folders that contained them. The headers there stay files."""
    assert cpp
    (tmp_path / "include" / "aclnnop").mkdir(parents=True)
    (tmp_path / "include" / "aclnnop" / "level2").symlink_to(".")
    (tmp_path / "latest").symlink_to(".")
    build(tmp_path)
    header = "aclnn_softmax_backward.h"
    assert not (tmp_path / "include" / "aclnnop" / header).is_symlink()
    assert (tmp_path / "include" / "aclnnop" / "level2" / header).is_symlink()
    assert not (tmp_path / "include").is_symlink()
    assert (tmp_path / "latest" / "include").is_symlink()


def test_a_directory_written_again_keeps_the_times_of_its_headers(cpp: list[str], tmp_path: Path) -> None:
    """So a project that was built against it is not compiled again. A header with other contents is written."""
    assert cpp
    build(tmp_path)
    same, other = (tmp_path / "include" / "aclnnop" / name for name in ("aclnn_add.h", "aclnn_mul.h"))
    text, times = other.read_text(encoding="utf-8"), {each: each.stat().st_mtime_ns for each in (same, other)}
    for changed in (f"{text}// longer", text[:-1], "x" * len(text)):
        other.write_text(changed, encoding="utf-8")
        build(tmp_path)
        assert other.read_text(encoding="utf-8") == text
    assert same.stat().st_mtime_ns == times[same]
    assert other.stat().st_mtime_ns > times[other]


def test_functions_that_the_headers_declare_and_the_libraries_do_not_have(toolkit: Path) -> None:
    """ "Symbol not exported by the mainstream library" (product support): programs look it up with dlsym, and skip."""
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", str(toolkit / "lib64" / LIBRARY)], text=True, capture_output=True, check=True
    ).stdout
    exported = {line.split()[-1] for line in listed.splitlines()}
    assert "aclrtCreateStream" in exported
    assert exported.isdisjoint(NOT_EXPORTED)
    header = (toolkit / "include" / "acl" / "acl_rt.h").read_text(encoding="utf-8")
    assert [name for name in NOT_EXPORTED if f"{name}(" not in header] == []
