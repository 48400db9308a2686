"""Ranks in processes of their own, which torchrun starts: collectives against their definition, models of
`rank_models.py` against one process. The folder `checkpoint` of an earlier run is loaded."""

import os
import sys

import rank_models
import torch
import torch.distributed as dist
import torch_npu  # noqa: F401
from rank_models import same

RANKS = 2
"""`aclnn run --npu --devices 4 ranks.py 4` starts four"""


def ours(rank):
    return torch.arange(4.0) + 10 * rank


def collectives(rank, world, device):
    parts = [ours(other) for other in range(world)]
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int64):
        x = ours(rank).to(dtype).to(device)
        dist.all_reduce(x)
        same(f"all_reduce {dtype}", x, sum(parts))
    x = ours(rank).to(device)
    dist.all_reduce(x, op=dist.ReduceOp.MAX)
    same("all_reduce, maximum", x, parts[-1])
    x = ours(rank).to(device)
    work = dist.all_reduce(x, op=dist.ReduceOp.AVG, async_op=True)
    work.wait()
    same("all_reduce, mean, asynchronous", x, sum(parts) / world)
    x = ours(rank).to(device)
    dist.broadcast(x, world - 1)
    same("broadcast", x, parts[-1])
    lists = [torch.zeros(4, device=device) for _ in range(world)]
    dist.all_gather(lists, ours(rank).to(device))
    same("all_gather", torch.stack(lists), torch.stack(parts))
    whole = torch.zeros(4 * world, device=device)
    dist.all_gather_into_tensor(whole, ours(rank).to(device))
    same("all_gather_into_tensor", whole, torch.cat(parts))
    piece = torch.zeros(4, device=device)
    dist.reduce_scatter_tensor(piece, torch.cat(parts).to(device))
    same("reduce_scatter_tensor", piece, world * parts[rank])
    out = torch.zeros(world, device=device)
    dist.all_to_all_single(out, torch.arange(world * 1.0).add(10 * rank).to(device))
    same("all_to_all_single", out, [rank + 10 * other for other in range(world)])
    if world > 1:
        transfers(rank, world, device)
    objects = [None] * world
    dist.all_gather_object(objects, {"rank": rank, "text": "x" * rank})
    if [each["rank"] for each in objects] != list(range(world)):
        raise AssertionError(objects)
    group = dist.new_group([0])
    if rank == 0:
        x = ours(rank).to(device)
        dist.all_reduce(x, group=group)
        same("a group of one rank", x, ours(rank))
    dist.barrier()


def transfers(rank, world, device):
    x = ours(rank).to(device)
    if rank == 0:
        dist.send(x, 1)
    elif rank == 1:
        dist.recv(x, 0)
        same("recv", x, ours(0))
    behind = torch.zeros(4, device=device)
    operations = [
        dist.P2POp(dist.irecv, behind, (rank - 1) % world),
        dist.P2POp(dist.isend, ours(rank).to(device), (rank + 1) % world),
    ]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    same("batch_isend_irecv", behind, ours((rank - 1) % world))


def collections(rank, world, device):
    """Lists of tensors of several sizes, and objects."""
    parts = [ours(other) for other in range(world)]
    lists = [torch.zeros(3 + other, device=device) for other in range(world)]
    dist.all_gather(lists, torch.full((3 + rank,), 1.0 + rank, device=device))
    same("all_gather, sizes", torch.cat(lists), torch.cat([torch.full((3 + n,), 1.0 + n) for n in range(world)]))
    lists = [torch.zeros(4, device=device) for _ in range(world)] if rank == 0 else None
    dist.gather(ours(rank).to(device), lists, dst=0)
    if rank == 0:
        same("gather", torch.stack(lists), torch.stack(parts))
    x = ours(rank).to(device)
    dist.reduce(x, world - 1)
    if rank == world - 1:
        same("reduce", x, sum(parts))
    out = torch.zeros(2, device=device)
    dist.reduce_scatter(out, [torch.full((2,), float(rank + other), device=device) for other in range(world)])
    same("reduce_scatter", out, [sum(rank + other for other in range(world))] * 2)
    out = [torch.zeros(2 + rank, device=device) for _ in range(world)]
    dist.all_to_all(out, [torch.full((2 + other,), float(rank), device=device) for other in range(world)])
    same("all_to_all", torch.stack(out), torch.arange(float(world))[:, None].expand(-1, 2 + rank))
    objects = ["text", rank] if rank == 0 else [None, None]
    dist.broadcast_object_list(objects, 0)
    if objects != ["text", 0]:
        raise AssertionError(objects)


def orders(rank, world, device):
    """Several calls at once, parts of the ranks, another stream."""
    one, two = torch.ones(3, device=device), torch.full((2,), 2.0, device=device)
    with dist.distributed_c10d._coalescing_manager(device=torch.device(device)):
        dist.all_reduce(one)
        dist.all_reduce(two)
    same("coalesced all_reduce", torch.cat([one, two]), torch.tensor([1.0, 1, 1, 2, 2]) * world)
    halves = [dist.new_group(list(range(first, world, 2))) for first in range(min(2, world))]
    x = ours(rank).to(device)
    dist.all_reduce(x, group=halves[rank % 2])
    same("a group of every second rank", x, sum(ours(other) for other in range(rank % 2, world, 2)))
    dist.all_reduce(x)
    same("all ranks behind it", x, sum(ours(o) * len(range(o % 2, world, 2)) for o in range(world)))
    side = torch.npu.Stream()
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        y = ours(rank).to(device)
        work = dist.all_reduce(y, async_op=True)
        work.wait()
        z = y * 2
    torch.npu.current_stream().wait_stream(side)
    z.record_stream(torch.npu.current_stream())
    same("in another stream", z, 2 * sum(ours(other) for other in range(world)))


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
    for check in (collectives, collections, orders, rank_models.data_parallel):
        check(rank, world, device)
    rank_models.tensor_parallel(world, device)
    rank_models.checkpoint(device)
    dist.destroy_process_group()
    alone(device)
    if rank == 0:
        rank_models.replicas(2)
    print(f"rank {rank}: right", flush=True)


if __name__ == "__main__":
    if "RANK" in os.environ:
        main()
    else:
        from torch.distributed.run import main as torchrun

        ranks = sys.argv[1] if len(sys.argv) > 1 else str(RANKS)
        torchrun(["--nproc-per-node", ranks, __file__])
