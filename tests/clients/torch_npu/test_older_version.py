"""An older version of torch and its plugin, which binds HCCL's functions when it is loaded. It trains as the pinned
version does, on one device and on two ranks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.torch_npu.conftest import Run
from tests.clients.torch_npu.environment import OLDER, older
from tests.clients.torch_npu.test_programs import SAMPLE, nothing_found, shown

VERSION = OLDER.read_text(encoding="utf-8").partition("torch_npu==")[2].split()[0]
SHORT = VERSION.rpartition(".")[0]


@pytest.fixture(scope="session")
def python(python: Path) -> Path:
    """A Python with the older version; the pinned version has other packages that it needs."""
    return older()


def test_it_trains(run: Run) -> None:
    ran = run((SAMPLE / "train.py").read_text(encoding="utf-8"))
    assert (ran.returncode, ran.stdout) == (0, shown("Both print the same:")), ran.stderr
    nothing_found(ran.stderr, SHORT)


def test_two_ranks_train(ranks: Run, tmp_path: Path) -> None:
    (tmp_path / "ddp.py").write_text((SAMPLE / "ddp.py").read_text(encoding="utf-8"), encoding="utf-8")
    ran = ranks("ddp.py")
    assert (ran.returncode, ran.stdout) == (0, shown("Rank 0 prints the mean loss:")), ran.stderr
    nothing_found(ran.stderr, SHORT)


GROUPS = """\
import torch
import torch.distributed as dist
import torch_npu

torch.npu.set_device(0)
dist.init_process_group("hccl", store=dist.HashStore(), rank=0, world_size=1)
group = dist.new_group([0])
for of in (None, group):
    x = torch.ones(4).npu()
    dist.all_reduce(x, group=of)
    print(x.tolist())
del of, group
dist.destroy_process_group()
"""


def test_a_group_ends_while_its_thread_asks_for_results(run: Run) -> None:
    """The plugin joins the thread of each group, and keeps Python's lock meanwhile."""
    ran = run(GROUPS)
    assert (ran.returncode, ran.stdout) == (0, "[1.0, 1.0, 1.0, 1.0]\n" * 2), ran.stderr
    nothing_found(ran.stderr, SHORT)
