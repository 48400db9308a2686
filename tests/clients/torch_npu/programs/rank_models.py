"""Models on several ranks against one process: groups, parallel layers, checkpoints. `ranks.py` runs them."""

from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_model_state_dict, set_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

STEPS = 5
CHECKPOINT = Path("checkpoint")


def same(what, result, expected):
    if not torch.allclose(torch.as_tensor(result).cpu().float(), torch.as_tensor(expected).cpu().float(), atol=1e-6):
        raise AssertionError(f"{what}: {result} is not {expected}")


def model(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 4))


def whole(parameter):
    """The values of a parameter, also if the ranks have parts of it."""
    return (parameter.full_tensor() if hasattr(parameter, "full_tensor") else parameter).detach()


def trained(net, inputs, labels, parts=1):
    """The loss of each step. Gradients of several parts of the batch are added up."""
    optimiser = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9, foreach=False)
    losses = []
    for _ in range(STEPS):
        optimiser.zero_grad()
        mean = 0.0
        for number, (x, y) in enumerate(zip(inputs.chunk(parts), labels.chunk(parts), strict=True)):
            loss = nn.functional.cross_entropy(net(x), y) / parts
            if number + 1 < parts:
                with net.no_sync():
                    nn.functional.cross_entropy(net(x), y).div(parts).backward()
            else:
                loss.backward()
            mean += loss.detach().cpu()
        optimiser.step()
        losses.append(mean)
    return torch.stack(losses)


def data_parallel(rank, world, device):
    """Each rank has a part of the batch."""
    torch.manual_seed(1)
    inputs, labels = torch.randn(8 * world, 8), torch.randint(0, 4, (8 * world,))
    reference = model()
    losses = trained(reference, inputs, labels)
    mine = slice(8 * rank, 8 * rank + 8)
    batch = inputs[mine].to(device), labels[mine].to(device)
    wraps = {
        "DDP": (DistributedDataParallel, 1),
        "DDP with added gradients": (DistributedDataParallel, 2),
        "FSDP": (lambda net: FullyShardedDataParallel(net, device_id=rank, use_orig_params=True), 1),
        "FSDP2": (fully_shard, 1),
    }
    for name, (wrap, parts) in wraps.items():
        net = wrap(model().to(device))
        own = trained(net, *batch, parts).to(device)
        dist.all_reduce(own)
        same(f"losses of {name}", own / world, losses)
        if name == "FSDP":
            with FullyShardedDataParallel.summon_full_params(net):
                values = [parameter.detach().clone() for parameter in net.parameters()]
        else:
            values = [whole(parameter) for parameter in net.parameters()]
        for value, expected in zip(values, reference.parameters(), strict=True):
            same(f"parameters of {name}", value, expected.detach())


def tensor_parallel(world, device):
    """Two linear layers whose weights are cut into columns and rows: all ranks have the whole batch."""
    torch.manual_seed(1)
    inputs, labels = torch.randn(8, 8), torch.randint(0, 4, (8,))
    reference, net = model(), model().to(device)
    plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    parallelize_module(net, init_device_mesh("npu", (world,)), plan)
    same("losses of DTensor", trained(net, inputs.to(device), labels.to(device)), trained(reference, inputs, labels))
    for parameter, expected in zip(net.parameters(), reference.parameters(), strict=True):
        same("parameters of DTensor", whole(parameter), expected.detach())


def checkpoint(device):
    """The first run saves, the next ones load: there may be more ranks then."""
    saved = CHECKPOINT.exists()
    dist.barrier()  # no rank begins to save before all have looked
    net = fully_shard(model(seed=int(saved)).to(device))
    state = get_model_state_dict(net)
    if saved:
        dcp.load(state, checkpoint_id=CHECKPOINT)
        set_model_state_dict(net, state)
    else:
        dcp.save(state, checkpoint_id=CHECKPOINT)
    for parameter, expected in zip(net.parameters(), model().parameters(), strict=True):
        same("parameters of a checkpoint", whole(parameter), expected.detach())


def replicas(devices):
    """One process computes on several devices."""
    torch.manual_seed(1)
    inputs, labels = torch.randn(8, 8), torch.randint(0, 4, (8,))
    reference = model()
    losses = trained(reference, inputs, labels)
    net = nn.DataParallel(model().to("npu:0"), device_ids=list(range(devices)))
    same("losses of DataParallel", trained(net, inputs.to("npu:0"), labels.to("npu:0")), losses)
