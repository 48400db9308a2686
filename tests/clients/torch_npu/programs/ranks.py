"""Ranks in processes of their own, which torchrun starts: collectives against their definition, training against one
process."""

import os
import sys

import torch
import torch.distributed as dist
import torch_npu  # noqa: F401
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

RANKS = 2
"""`aclnn run --npu --devices 4 ranks.py 4` starts four"""
STEPS = 5


def same(what, result, expected):
    if not torch.allclose(torch.as_tensor(result).cpu().float(), torch.as_tensor(expected).float(), atol=1e-6):
        raise AssertionError(f"{what}: {result} is not {expected}")


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


def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4))


def trained(net, inputs, labels):
    """The loss of each step."""
    optimiser = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
    losses = []
    for _ in range(STEPS):
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(net(inputs), labels)
        loss.backward()
        optimiser.step()
        losses.append(loss.detach().cpu())
    return torch.stack(losses)


def training(rank, world, device):
    torch.manual_seed(1)
    inputs, labels = torch.randn(8 * world, 8), torch.randint(0, 4, (8 * world,))
    reference = model()
    losses = trained(reference, inputs, labels)
    mine = slice(8 * rank, 8 * rank + 8)
    batch = inputs[mine].to(device), labels[mine].to(device)
    for name, wrap in (("DDP", DistributedDataParallel), ("FSDP2", fully_shard)):
        net = wrap(model().to(device))
        own = trained(net, *batch).to(device)
        dist.all_reduce(own)
        same(f"losses of {name}", own / world, losses)
        for parameter, expected in zip(net.parameters(), reference.parameters(), strict=True):
            value = parameter.full_tensor() if hasattr(parameter, "full_tensor") else parameter
            same(f"parameters of {name}", value.detach(), expected.detach())


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.npu.set_device(rank)
    device = f"npu:{rank}"
    dist.init_process_group("hccl")
    collectives(rank, world, device)
    training(rank, world, device)
    dist.destroy_process_group()
    print(f"rank {rank}: right", flush=True)


if __name__ == "__main__":
    if "RANK" in os.environ:
        main()
    else:
        from torch.distributed.run import main as torchrun

        ranks = sys.argv[1] if len(sys.argv) > 1 else str(RANKS)
        torchrun(["--nproc-per-node", ranks, __file__])
