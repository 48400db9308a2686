"""Programs as users write them: they run to their end, their results are those of the CPU, and nothing is found."""

from __future__ import annotations

import re
import resource
import textwrap
from pathlib import Path

import pytest

from aclnn.__main__ import main
from tests.clients.torch_npu.conftest import Run
from tests.clients.torch_npu.environment import ROOT

PROGRAMS = Path(__file__).with_name("programs")
SAMPLE = ROOT / "samples" / "clients" / "pytorch"
PAGE = ROOT / "docs" / "clients" / "pytorch.md"
SECONDS = "15"
"""how long the threads run; `aclnn run --npu tests/clients/torch_npu/programs/threads.py 600` runs ten minutes"""


def text(name: str) -> str:
    return (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")


def nothing_found(stderr: str, version: str = "2.13") -> None:
    """The findings that the plugin leaves behind are allowed; one line lists them."""
    assert re.findall(r"(?:error|warning)\[[\w-]+\].*", stderr) == []
    assert f"allowances of torch_npu {version}: allowed " in stderr


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("everyday", ("--devices", "2")),
        ("optimisers", ()),
        ("models", ()),
        ("models", ("--no-cache",)),
        ("by_name", ()),
        ("blocks_of_channels", ("--soc", "Ascend310P3")),
        ("graphs", ()),
        ("graph_updates", ()),
    ],
    ids=[
        "everyday",
        "optimisers",
        "models",
        "models, no cache",
        "operators by name",
        "310P",
        "graphs",
        "updates of graphs",
    ],
)
def test_a_program_has_the_results_of_the_cpu(name: str, options: tuple[str, ...], run: Run) -> None:
    ran = run(text(name), *options, PYTHONPATH=f"{ROOT}:{PROGRAMS}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    nothing_found(ran.stderr)


def test_ranks_of_torchrun_have_the_results_of_one_process(run: Run) -> None:
    """Two ranks save a checkpoint, which four ranks load, and one."""
    for ranks in (2, 4, 1):
        program = text("ranks").replace("RANKS = 2", f"RANKS = {ranks}")
        ran = run(program, "--devices", str(max(ranks, 2)), PYTHONPATH=f"{ROOT}:{PROGRAMS}")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert sorted(ran.stdout.splitlines()) == [f"rank {rank}: right" for rank in range(ranks)]
        nothing_found(ran.stderr)


def test_operators_of_ranks_have_the_results_of_one_process(run: Run) -> None:
    """Products with a collective, and a mixture of experts."""
    ran = run(text("rank_operators"), "--devices", "2")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert sorted(ran.stdout.splitlines()) == [f"rank {rank}: right" for rank in range(2)]
    nothing_found(ran.stderr)


RAISES = """\
import torch, torch_npu
import torch.distributed as dist

dist.init_process_group("hccl")
torch.npu.set_device(dist.get_rank())
x = torch.ones(4).npu()
for step in range(3):
    dist.all_reduce(x)
    torch.npu.synchronize()
    if dist.get_rank() == 1:
        raise KeyError("planted")
"""


def test_an_exception_of_one_rank_ends_the_other_one_with_a_report(ranks: Run, tmp_path: Path) -> None:
    """The report names the rank and its last line. Neither rank destroys the group."""
    (tmp_path / "raises.py").write_text(RAISES, encoding="utf-8")
    ran = ranks("raises.py")
    assert ran.returncode == 1
    assert "[rank1]: KeyError: 'planted'" in ran.stderr
    report = "".join(re.findall(r"^\[rank0\]: (.*\n)", ran.stderr, re.MULTILINE))
    assert "error[collective-absent]: HcclAllReduce in stream 3 waits for rank 1 of communicator 1, which" in report
    assert "rank 1 called HcclAllReduce of 4 FP32 (sum) at raises.py:8" in report


def test_processes_share_tensors_and_events_and_end(run: Run) -> None:
    """The threads on which the plugin destroys events need Python's lock, which the plugin keeps at its end."""
    for _ in range(2):
        ran = run(text("shared_tensors"), "--devices", "2")
        assert (ran.returncode, ran.stdout) == (0, "shared: right\n"), ran.stderr
        nothing_found(ran.stderr)


def test_ranks_with_threads_do_not_wait_for_each_other(run: Run) -> None:
    """Twenty seconds; `aclnn run --npu --devices 2 tests/clients/torch_npu/programs/rank_threads.py 600` runs ten
    minutes."""
    ran = run(text("rank_threads"), "--devices", "2")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert sorted(ran.stdout.splitlines()) == ["rank 0: right", "rank 1: right"]


def test_eight_ranks_train_a_small_model_within_a_minute_of_two_cores(run: Run) -> None:
    before = processor_seconds()
    ran = run(text("rank_many"), "--devices", "8")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert processor_seconds() - before < 2 * 60
    assert sorted(ran.stdout.splitlines()) == [f"rank {rank}: right" for rank in range(8)]
    nothing_found(ran.stderr)


def processor_seconds() -> float:
    """The processor time of the programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_an_all_reduce_of_two_processes_costs_at_most_a_multiple_of_that_of_gloo(run: Run) -> None:
    """The program compares it with gloo, and has the limits."""
    ran = run(text("rank_cost"), "--devices", "2")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("ratio") == 3


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


LEAVING = {
    "with an exit status": ("sys.exit(3)", 3),
    "with an exception": ("raise KeyError", 1),
    "while a thread waits": ("threading.Thread(target=waits, daemon=True).start(); computed.wait(); computes()", 0),
    "after a fork": ("os._exit(5) if os.fork() == 0 else os.wait()", 0),
}
ENDS = """\
import os, sys, threading
import torch, torch_npu

def computes():
    x = torch.ones(100).npu()
    for _ in range(9):
        x = x + 1
    return x

computed = threading.Event()

def waits():
    kept = computes()  # as the threads of a DataLoader do
    computed.set()  # a thread that still computes at the end makes PyTorch abort, also on a CPU
    threading.Event().wait()

x = torch.ones(3).npu()
side = torch.npu.Stream()
with torch.npu.stream(side):
    y = torch.ones(3).npu() * 2  # still queued at the end
"""


@pytest.mark.parametrize("how", LEAVING)
def test_a_program_ends(how: str, run: Run) -> None:
    """Work may still be queued. The exit status is that of the program."""
    last, status = LEAVING[how]
    ran = run(f"{ENDS}{last}\n")
    assert ran.returncode == status, ran.stderr
    nothing_found(ran.stderr)


FREED = """\
import torch, torch_npu

side = torch.npu.Stream()
x = torch.arange(1000.0).npu()
torch.npu.synchronize()
with torch.npu.stream(side):
    y = x * 2
del x
z = torch.zeros(1000, device="npu")  # of the block of x
torch.npu.synchronize()
"""


@pytest.mark.parametrize("records", [False, True], ids=["wrong", "right"])
def test_a_race_over_a_freed_tensor_names_record_stream(records: bool, run: Run) -> None:
    ran = run(FREED.replace("y = x * 2", "y = x * 2; x.record_stream(side)") if records else FREED)
    assert ran.returncode == 0, ran.stderr
    if records:
        nothing_found(ran.stderr)
        return
    (race,) = re.findall(r"^error\[xstream-race\].*?^   = to allow", ran.stderr, re.DOTALL | re.MULTILINE)
    assert "aclnnMuls in stream 3 was launched at program.py:7" in race
    assert "tensor.record_stream(stream) if the tensor is freed while the stream may still use it" in race


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


ABSENT = {
    "compiling": "Device npu not supported",
    "profiling": "works",
    "plugins_profiler": "works",
    "attention_of_atb": "OSError: [Errno None]",
    "plugins_scaler": "step() got an unexpected keyword argument 'grad_scaler'",
    "collectives": "works",
    "replicas": "No backend type associated with device type npu",
    "sparse": "The operator 'aten::addmm' is not currently supported on the NPU backend",
    "wide": "torch.float32",
}
"""what the program `absent` prints for each part"""


def test_what_is_not_there_ends_as_the_page_says(run: Run) -> None:
    ran = run(text("absent"))
    assert ran.returncode == 0, ran.stderr
    printed = dict(line.split(": ", 1) for line in ran.stdout.splitlines() if re.match(r"\w+: ", line))
    assert printed.keys() == ABSENT.keys()
    page = PAGE.read_text(encoding="utf-8")
    for part, said in ABSENT.items():
        assert said in printed[part]
        assert said in page
    assert "CANN Profiling data does not exist" in ran.stdout  # the plugin's profiler writes there


def test_the_sample_of_ranks_trains_and_breaks_as_its_page_says(ranks: Run, tmp_path: Path) -> None:
    """Both ranks are in one picture; the report of the broken program has the lines of both."""
    program = (SAMPLE / "ddp.py").read_text(encoding="utf-8")
    (tmp_path / "ddp.py").write_text(program, encoding="utf-8")
    ran = ranks("ddp.py", "--trace", "trace.json")
    assert (ran.returncode, ran.stdout) == (0, shown("Rank 0 prints the mean loss:")), ran.stderr
    nothing_found(ran.stderr)
    traces = [str(tmp_path / f"trace.rank{rank}.json") for rank in range(2)]
    assert main(["timeline", *traces, str(tmp_path / "ranks.svg")]) == 0
    picture = (tmp_path / "ranks.svg").read_text(encoding="utf-8")
    assert all(text in picture for text in ("rank 0: host", "rank 1: device 1", "the ranks meet: HcclAllReduce"))
    broken = program.replace("dist.all_reduce", "if rank == 0: dist.all_reduce")
    (tmp_path / "broken_ddp.py").write_text(broken, encoding="utf-8")
    ran = ranks("broken_ddp.py")
    assert ran.returncode == 1
    assert "step" not in ran.stdout
    first, _, _, *history = shown("Each line of a report begins").splitlines()  # the rank that comes second calls
    for rank in range(2):
        assert all(line.replace("[rank1]", f"[rank{rank}]") in ran.stderr for line in (first, *history)), ran.stderr


def shown(part: str) -> str:
    """The block of the sample's README after these words."""
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    return textwrap.dedent(readme.partition(part)[2].split("```text\n")[1].split("```")[0])


def test_the_sample_trains_as_its_page_says(run: Run, tmp_path: Path) -> None:
    """On both devices. The picture of one step has both streams."""
    train = (SAMPLE / "train.py").read_text(encoding="utf-8")
    (tmp_path / "train.py").write_text(train, encoding="utf-8")
    for device in ("cpu", "npu"):
        ran = run(f"import runpy, sys\nsys.argv[1:] = [{device!r}]\nrunpy.run_path('train.py')\n")
        assert ran.stdout == shown("Both print the same:"), ran.stderr
        nothing_found(ran.stderr)
    ran = run("import runpy, sys\nsys.argv[1:] = ['npu', '1']\nrunpy.run_path('train.py')", "--timeline", "step.html")
    assert ran.stdout == shown("Both print the same:").splitlines(keepends=True)[0]
    picture = (tmp_path / "step.html").read_text(encoding="utf-8")
    assert all(part in picture for part in ("aclnnAddmm", "stream 1", "stream 3", "Found: nothing"))


def test_the_broken_sample_is_reported_as_its_page_says(run: Run) -> None:
    train = (SAMPLE / "train.py").read_text(encoding="utf-8")
    lines = [line for line in train.splitlines(keepends=True) if "wait_stream" not in line]
    ran = run("".join(lines).replace("sys.argv[1]", "'npu'").replace("len(sys.argv) > 1", "True"))
    assert ran.stdout == shown("The last line is wrong:")
    assert shown("Read the report").replace("broken.py", "program.py") in ran.stderr
