"""`aclnn run FILE.cpp`; tests/aclnn/tools/command/test_run.py tests programs in Python."""

import json
import os
import subprocess
import sys
from pathlib import Path

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
