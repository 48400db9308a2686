"""Train a small classifier on several NPUs with DistributedDataParallel. Each rank has its part of each batch.

aclnn run --npu --devices 2 -m torch.distributed.run --nproc-per-node 2 ddp.py [STEPS]
"""

import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
BATCH = 64

dist.init_process_group("hccl")
rank, ranks = dist.get_rank(), dist.get_world_size()
torch.npu.set_device(rank)
torch.manual_seed(1)
model = DistributedDataParallel(nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 3)).to("npu"))
optimiser = torch.optim.AdamW(model.parameters(), 0.02)
random = torch.Generator().manual_seed(0)
for step in range(STEPS):
    rings = torch.randint(0, 3, (BATCH,), generator=random)
    points = nn.functional.normalize(torch.randn(BATCH, 2, generator=random)) * (rings + 1)[:, None]
    mine = slice(rank * BATCH // ranks, (rank + 1) * BATCH // ranks)
    loss = nn.functional.cross_entropy(model(points[mine].to("npu")), rings[mine].to("npu"))
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if step % 20 == 0 or step == STEPS - 1:
        mean = loss.detach().clone()
        dist.all_reduce(mean, op=dist.ReduceOp.AVG)
        if rank == 0:
            print(f"step {step:2}: loss {mean.item():.4f}", flush=True)
dist.destroy_process_group()
