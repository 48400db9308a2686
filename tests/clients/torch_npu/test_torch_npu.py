"""torch_npu loads, finds the devices of the machine, and copies tensors to them and back.

This needs the wheels of torch and torch_npu, and so is run by name only: pytest tests/clients/torch_npu.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from aclnn.tools.exports import has_kernel
from tests.clients import pages
from tests.clients.torch_npu.conftest import PATIENCE, Ran, Run
from tests.clients.torch_npu.environment import HERE, environment

BEGIN = "import torch, torch_npu\n"
LEFT = {"device-not-reset", "stream-leaked", "event-leaked", "mem-leaked"}
"""the plugin leaves these at its end; they are warnings"""
HOST = 1
"""the process of a Chrome trace that has the calls of host threads"""


def good(ran: Ran, output: str) -> None:
    """The program printed this, and nothing was found but what the plugin leaves behind."""
    assert (ran.returncode, ran.stdout) == (0, output), ran.stderr
    assert "Traceback" not in ran.stderr
    assert set(re.findall(r"(?:error|warning)\[([\w-]+)\]", ran.stderr)) <= LEFT, ran.stderr


DEVICES = f"""\
{BEGIN}
print(torch.npu.is_available(), torch.npu.device_count())
torch.npu.set_device(1)
print(torch.npu.current_device(), torch.npu.get_device_name(1))
print(torch.empty(3).npu().device)
"""
COPIES = f"""\
{BEGIN}
x = torch.empty(3).npu()
print(x.device, tuple(x.shape), x.dtype, x.is_contiguous())
for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool):
    given = torch.arange(-6, 6).reshape(3, 4).to(dtype)
    assert torch.equal(given.npu().cpu(), given), dtype
print(torch.equal(torch.arange(1 << 20).npu().cpu(), torch.arange(1 << 20)))
print(torch.arange(4.0).pin_memory().to("npu", non_blocking=True).cpu())
"""
COPIED = "npu:0 (3,) torch.float32 True\nTrue\ntensor([0., 1., 2., 3.])\n"


def test_it_finds_the_devices_of_the_machine(run: Run) -> None:
    good(run(DEVICES, "--devices", "2", "--soc", "Ascend910B4"), "True 2\n1 Ascend910B4\nnpu:1\n")


def test_without_a_device_it_says_so(run: Run) -> None:
    good(run(f"{BEGIN}print(torch.npu.is_available(), torch.npu.device_count())", "--devices", "0"), "False 0\n")


@pytest.mark.parametrize("schedule", ["late", "threads"])
def test_tensors_go_to_the_device_and_back(schedule: str, run: Run) -> None:
    good(run(COPIES, "--schedule", schedule), COPIED)


def test_a_copy_calls_no_operator(run: Run, tmp_path: Path) -> None:
    """Memory, copies and streams are those of the runtime."""
    good(run(f"{BEGIN}torch.empty(3).npu().cpu()", "--trace", "trace.json"), "")
    calls = {each["name"] for each in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]}
    assert {"aclrtMallocAlign32", "aclrtMemcpy"} <= calls
    assert [name for name in calls if name.startswith("aclnn")] == []


def test_the_script_of_the_toolkit_does_as_well(python: Path, tmp_path: Path) -> None:
    """As a user does without `aclnn run`."""
    (tmp_path / "program.py").write_text(COPIES, encoding="utf-8")
    script = '"$0" -m aclnn toolkit tk > log && . tk/set_env.sh && exec "$0" program.py'
    ran = subprocess.run(
        ["bash", "-c", script, str(python)], cwd=tmp_path, env=environment({}), capture_output=True, check=False,
        encoding="utf-8", timeout=PATIENCE,
    )  # fmt: skip
    good(ran, COPIED)


@pytest.mark.fidelity("TASK_QUEUE_ENABLE")
@pytest.mark.parametrize("value", ["1", "2"])
def test_all_calls_come_from_the_thread_of_the_program(value: str, run: Run, tmp_path: Path) -> None:
    """Also if the environment asks for the queue."""
    ran = run(f"{BEGIN}print((torch.ones(3).npu() + 1).cpu())", "--trace", "trace.json", TASK_QUEUE_ENABLE=value)
    good(ran, "tensor([2., 2., 2.])\n")
    assert f"TASK_QUEUE_ENABLE={value} becomes TASK_QUEUE_ENABLE=0" in ran.stderr
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    of_host = [each for each in events if each["pid"] == HOST]
    assert [each["args"]["name"] for each in of_host if each["name"] == "thread_name"] == ["MainThread"]
    assert {"aclnnAddsGetWorkspaceSize", "aclnnAdds"} <= {each["name"] for each in of_host}


MISSING, EXPRESSION = "aclnnMhcSinkhorn", "torch_npu.npu_mhc_sinkhorn(x)"
"""an operator that has no formula, and an expression that calls it"""
TENSOR = "x = torch.ones(1, 2, 4, 4).npu()\n"


@pytest.mark.fidelity("an operator without a formula")
def test_an_operator_without_a_formula_is_named_at_its_line(run: Run) -> None:
    assert not has_kernel(MISSING), "choose another one, here and in docs/clients/pytorch.md"
    ran = run(f"{BEGIN}import torch_npu\n{TENSOR}y = {EXPRESSION}\n")
    assert ran.returncode == 1
    assert "RuntimeError: npu_mhc_sinkhorn" in ran.stderr
    assert f"{MISSING} failed, error code is 561003" in ran.stderr
    assert f'program.py", line 4, in <module>\n    y = {EXPRESSION}' in ran.stderr
    assert f'@aclnn.kernel("{MISSING}")' in ran.stderr


def test_the_program_gives_it_a_kernel(run: Run) -> None:
    kernel = (
        f'import aclnn\n@aclnn.kernel("{MISSING}")\ndef kernel(x, *others):\n    return x / x.sum(-1, keepdims=True)\n'
    )
    program = f"{BEGIN}import torch_npu\n{kernel}{TENSOR}print({EXPRESSION}[0].cpu().tolist()[0][0][0])\n"
    good(run(program), "[0.25, 0.25, 0.25, 0.25]\n")


def test_the_page_of_the_client_does_what_it_says(python: Path, tmp_path: Path, user: dict[str, str]) -> None:
    assert pages.installed("pytorch.md") <= pages.pinned(HERE / "requirements.txt")
    pages.command(tmp_path, "aclnn", f"{python} -m aclnn")
    pages.command(tmp_path, "python", str(python))
    given = environment(user)
    pages.read("pytorch.md", tmp_path, {**given, "PATH": f"{tmp_path / 'bin'}:{given['PATH']}"})
