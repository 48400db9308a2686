"""`aclnn run FILE.cpp`; tests/aclnn/tools/command/test_run.py tests programs in Python."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cpp.conftest import ROOT
from tests.helpers.doc_blocks import own_operator


def test_a_program_in_cpp_has_the_same_options(cpp: list[str], tmp_path: Path) -> None:
    (tmp_path / "host.cpp").write_text("""\
#include <cstdio>
#include "acl/acl.h"
int main(int argc, char **argv)
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    void *address = nullptr;
    aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    std::printf("%s %s\\n", aclrtGetSocName(), argv[argc - 1]);
    aclrtResetDevice(0);
    return aclFinalize();
}
""")
    command = [sys.executable, "-m", "aclnn", "run", "host.cpp", "--soc", "Ascend310P3", "--findings=error", "--trace"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = ["out.json", "--timeline", "out.svg", "--", "--soc"]
    done = subprocess.run([*command, *words], cwd=tmp_path, env=environment, capture_output=True,
                          encoding="utf-8", check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (86, "Ascend310P3 --soc\n"), done.stderr
    assert "warning[mem-leaked]" in done.stderr
    events = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["traceEvents"]
    assert "aclrtMalloc" in {event["name"] for event in events}
    assert "warning[mem-leaked]" in (tmp_path / "out.svg").read_text(encoding="utf-8")


def test_a_module_with_operators_is_found_beside_the_program(cpp: list[str], tmp_path: Path) -> None:
    """From any current folder, and without a PYTHONPATH to it."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "my_ops.py").write_text(own_operator(), encoding="utf-8")
    (programs / "host.cpp").write_text("""\
#include <cstdio>
#include "acl/acl.h"
#include "aclnnop/aclnn_ramp.h"
int main()
{
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    std::printf("%d\\n", aclnnRampGetWorkspaceSize(nullptr, nullptr, &size, &executor));
    aclGetRecentErrMsg();
    return 0;
}
""")
    command = [sys.executable, "-m", "aclnn", "run", "programs/host.cpp", "--with", "my_ops"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (0, "161001\n"), done.stderr


KERNEL = """\
import numpy as np
import aclnn

@aclnn.kernel("aclnnFatreluMul")
def fatrelu_mul(input, threshold):
    first, second = np.split(input, 2, axis=-1)
    return np.where(first > threshold, first, first.dtype.type(0)) * second
"""
GATE = """\
#include <cstdio>
#include "acl/acl.h"
#include "aclnnop/aclnn_fatrelu_mul.h"
int main()
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    float values[] = {1, 2, 10, 20}, threshold[] = {1.5f}, result[] = {0, 0};
    float *hosts[] = {values, threshold, result};
    int64_t shapes[][2] = {{1, 4}, {1, 0}, {1, 2}};
    uint64_t ranks[] = {2, 1, 2}, bytes[] = {16, 4, 8}, size = 0;
    void *memory[3], *workspace = nullptr;
    aclTensor *tensors[3];
    for (int i = 0; i < 3; ++i) {
        aclrtMalloc(&memory[i], bytes[i], ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(memory[i], bytes[i], hosts[i], bytes[i], ACL_MEMCPY_HOST_TO_DEVICE);
        tensors[i] = aclCreateTensor(shapes[i], ranks[i], ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shapes[i], ranks[i],
                                     memory[i]);
    }
    aclOpExecutor *executor = nullptr;
    aclnnFatreluMulGetWorkspaceSize(tensors[0], tensors[1], tensors[2], &size, &executor);
    if (size > 0) aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    int status = aclnnFatreluMul(workspace, size, executor, nullptr);
    aclGetRecentErrMsg();
    if (status == 0) aclrtSynchronizeStream(nullptr);
    if (status == 0) aclrtMemcpy(result, 8, memory[2], 8, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%d: %g %g\\n", status, result[0], result[1]);
    for (int i = 0; i < 3; ++i) aclDestroyTensor(tensors[i]);
    for (int i = 0; i < 3; ++i) aclrtFree(memory[i]);
    if (workspace != nullptr) aclrtFree(workspace);
    aclrtResetDevice(0);
    return aclFinalize();
}
"""


@pytest.mark.parametrize(("given", "printed"), [((), "561003: 0 0\n"), (("--with", "my_kernels"), "0: 0 40\n")])
def test_a_module_with_a_kernel_computes_an_operator_for_cpp(
    cpp: list[str], tmp_path: Path, given: tuple[str, ...], printed: str
) -> None:
    (tmp_path / "my_kernels.py").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "gate.cpp").write_text(GATE, encoding="utf-8")
    done = called("run", "gate.cpp", *given, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, printed), done.stderr


def test_a_module_that_is_gone_when_the_program_runs_says_where_it_was_looked_for(
    cpp: list[str], tmp_path: Path
) -> None:
    (tmp_path / "my_kernels.py").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "host.cpp").write_text(
        '#include <cstdio>\n#include "acl/acl.h"\n'
        'int main() { int first = aclInit(nullptr); std::printf("%d %d\\n", first, aclrtSetDevice(0)); }\n',
        encoding="utf-8",
    )
    made = called("toolkit", "made", "--with", "my_kernels", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    line = [*cpp, "host.cpp", "-Imade/include", "-Lmade/lib64", "-Wl,-rpath,made/lib64", "-lascendcl", "-o", "host"]
    subprocess.run(line, cwd=tmp_path, check=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "my_kernels.py").rename(tmp_path / "other" / "my_kernels.py")
    done = subprocess.run(["./host"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.stdout == "500000 500000\n"
    assert done.stderr.count("there is no module my_kernels, which this toolkit was written --with") == 1
    assert f"It was looked for in {tmp_path}" in done.stderr
    shutil.copy(tmp_path / "host", tmp_path / "other")
    done = subprocess.run(["other/host"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.stdout == "0 0\n", "the module is beside the program"


def called(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """`aclnn ...` in a folder."""
    line = [sys.executable, "-m", "aclnn", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(line, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
