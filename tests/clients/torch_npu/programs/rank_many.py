"""Eight ranks with one small model: each learns from numbers of its own, and all end with the same weights."""

import os
import sys

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401
from torch.nn.parallel import DistributedDataParallel

RANKS = 8


def main():
    rank = int(os.environ["RANK"])
    torch.npu.set_device(rank)
    dist.init_process_group("hccl")
    torch.manual_seed(0)
    model = DistributedDataParallel(torch.nn.Linear(16, 4).npu())
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    torch.manual_seed(1 + rank)
    for _ in range(5):
        optimiser.zero_grad()
        model(torch.randn(8, 16).npu()).square().mean().backward()
        optimiser.step()
    weights = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
    everywhere = [torch.empty_like(weights) for _ in range(RANKS)]
    dist.all_gather(everywhere, weights)
    assert all(other.cpu().equal(weights.cpu()) for other in everywhere)
    dist.barrier()
    dist.destroy_process_group()
    sys.stdout.write(f"rank {rank}: right\n")  # whole: `print` writes the end of a line by itself


if __name__ == "__main__":
    if "RANK" in os.environ:
        main()
    else:
        from torch.distributed.run import main as torchrun

        torchrun(["--nproc-per-node", str(RANKS), __file__])
