"""Ranks in processes of their own, which torchrun starts: collectives against gloo (`rank_collectives.py`), models
against one process (`rank_models.py`). The folder `checkpoint` of an earlier run is loaded."""

import os
import sys

import rank_collectives
import rank_models
import torch
import torch.distributed as dist
import torch_npu  # noqa: F401
from rank_models import same

RANKS = 2
"""`aclnn run --npu --devices 4 ranks.py 4` starts four"""
OLD = tuple(map(int, torch.__version__.split(".")[:2])) < (2, 10)
"""Nothing is compared with gloo: that of torch 2.7 lacks reduce_scatter, that of 2.8 and 2.9 all_to_all. And no second
group is made: the plugins leave the communicators of the first one behind, whose names cannot be used again."""


def ours(rank):
    return torch.arange(4.0) + 10 * rank


def sizes(rank, world, device):
    """Lists of tensors of several sizes, which gloo does not have, and a group of one rank."""
    lists = [torch.zeros(3 + other, device=device) for other in range(world)]
    dist.all_gather(lists, torch.full((3 + rank,), 1.0 + rank, device=device))
    same("all_gather, sizes", torch.cat(lists), torch.cat([torch.full((3 + n,), 1.0 + n) for n in range(world)]))
    out = [torch.zeros(2 + rank, device=device) for _ in range(world)]
    dist.all_to_all(out, [torch.full((2 + other,), float(rank), device=device) for other in range(world)])
    same("all_to_all, sizes", torch.stack(out), torch.arange(float(world))[:, None].expand(-1, 2 + rank))
    group = dist.new_group([0])
    if rank == 0:
        x = ours(rank).to(device)
        dist.all_reduce(x, group=group)
        same("a group of one rank", x, ours(rank))


def alone(device):
    """A group of one process, after the other one has ended."""
    dist.init_process_group("hccl", store=dist.HashStore(), rank=0, world_size=1)
    x = ours(1).to(device)
    dist.all_reduce(x)
    dist.barrier()
    same("one rank", x, ours(1))
    dist.destroy_process_group()


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.npu.set_device(rank)
    device = f"npu:{rank}"
    dist.init_process_group("hccl")
    checks = (rank_collectives.compare, sizes, rank_models.data_parallel)
    for check in checks[OLD:]:
        check(rank, world, device)
    rank_models.tensor_parallel(world, device)
    rank_models.checkpoint(device)
    dist.destroy_process_group()
    if not OLD:
        alone(device)
    if rank == 0 and torch.version.cuda is None:  # a torch for CUDA distributes the inputs by functions of CUDA
        rank_models.replicas(2)
    sys.stdout.write(f"rank {rank}: right\n")  # whole: `print` writes the end of a line by itself


if __name__ == "__main__":
    if "RANK" in os.environ:
        main()
    else:
        from torch.distributed.run import main as torchrun

        ranks = sys.argv[1] if len(sys.argv) > 1 else str(RANKS)
        torchrun(["--nproc-per-node", ranks, __file__])
