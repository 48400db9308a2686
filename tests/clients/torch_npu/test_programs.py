"""Programs as users write them: they run to their end, their results are those of the CPU, and nothing is found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.clients.torch_npu.conftest import Run

PROGRAMS = Path(__file__).with_name("programs")
SECONDS = "5"
"""how long the threads run; `aclnn run --npu tests/clients/torch_npu/programs/threads.py 600` runs ten minutes"""


def text(name: str) -> str:
    return (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")


def nothing_found(stderr: str) -> None:
    """The findings that the plugin leaves behind are allowed; one line lists them."""
    assert re.findall(r"(?:error|warning)\[[\w-]+\].*", stderr) == []
    assert "allowances of torch_npu 2.13: allowed " in stderr


@pytest.mark.parametrize(
    ("name", "options"),
    [("everyday", ("--devices", "2")), ("optimisers", ()), ("models", ()), ("models", ("--no-cache",))],
    ids=["everyday", "optimisers", "models", "models, no cache"],
)
def test_a_program_has_the_results_of_the_cpu(name: str, options: tuple[str, ...], run: Run) -> None:
    ran = run(text(name), *options)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    nothing_found(ran.stderr)


@pytest.mark.fidelity("TASK_QUEUE_ENABLE")
@pytest.mark.parametrize("queue", [None, "0", "1", "2"])
def test_threads_do_not_wait_for_each_other(queue: str | None, run: Run) -> None:
    given = {} if queue is None else {"TASK_QUEUE_ENABLE": queue}
    ran = run(text("threads").replace("sys.argv[1]", SECONDS).replace("len(sys.argv) > 1", "True"), **given)
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr
    nothing_found(ran.stderr)


LATE = """\
import torch, torch_npu

def model(x):
    return x.take(torch.tensor([-7]).npu())

model(torch.arange(4.0).npu())
torch.npu.synchronize()
"""


def test_a_report_names_the_line_of_the_model(run: Run) -> None:
    ran = run(LATE)
    assert ran.returncode == 1
    assert "error[index-range]" in ran.stderr
    assert "the task is aclnnTake in stream 1, launched at program.py:4; surfaced at program.py:7" in ran.stderr


UNWRITTEN = """\
import torch, torch_npu

given = torch.ones(1000, device="npu")
del given
late = torch.empty(1000, device="npu")
print(late.sum().item())
"""


@pytest.mark.parametrize(("options", "found"), [((), []), (("--no-cache",), ["uninit-read"])], ids=["kept", "no-cache"])
def test_without_its_cache_the_plugin_gives_each_block_to_the_checks(
    options: tuple[str, ...], found: list[str], run: Run
) -> None:
    """With its cache it hands out a block again that was written for an earlier tensor."""
    ran = run(UNWRITTEN, *options)
    assert ran.returncode == 0
    assert re.findall(r"error\[([\w-]+)\].*", ran.stderr) == found
    assert not found or "--> program.py:6, in aclnn" in ran.stderr


BACKWARD = """\
import torch, torch_npu

class Scaled(torch.nn.Module):
    def forward(self, x):
        return (x * 2).sum()

x = torch.ones(3).npu().requires_grad_()
Scaled()(x).backward()
print(x.grad.cpu())
"""


def test_calls_of_autograd_have_no_python_frame(run: Run, tmp_path: Path) -> None:
    """The plugin calls on a thread of C++. The trace says so."""
    ran = run(BACKWARD, "--trace", "trace.json")
    assert ran.stdout == "tensor([2., 2., 2.])\n", ran.stderr
    trace = (tmp_path / "trace.json").read_text()
    assert "libtorch_npu.so (no Python frame)" in trace
    assert "program.py:5" in trace
