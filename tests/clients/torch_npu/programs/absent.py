"""Parts of PyTorch that are not there on the emulated device: each is tried, and ends with an exception.
docs/clients/pytorch.md has their texts."""

import json
import os
from pathlib import Path

import torch
import torch_npu
from torch import distributed, nn

x = torch.ones(3).npu()


def compiling() -> None:
    torch.compile(lambda x: x.sin() + 1)(x)


def profiling() -> None:
    with torch.profiler.profile() as profile:
        x.add(1)
    assert any(event.name == "aten::add" for event in profile.events())


def collectives() -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
    distributed.init_process_group("hccl", rank=0, world_size=1)
    distributed.all_reduce(x)


def replicas() -> None:
    distributed.destroy_process_group()
    distributed.init_process_group("gloo", rank=0, world_size=1)
    nn.parallel.DistributedDataParallel(nn.Linear(2, 2).npu())


def sparse() -> None:
    torch.eye(3).to_sparse().npu().matmul(torch.ones(3, 1).npu())


def wide() -> None:
    assert x.double().dtype == torch.float64, f"the plugin makes it {x.double().dtype}"


def plugins_profiler() -> None:
    handler = torch_npu.profiler.tensorboard_trace_handler("profile")
    with torch_npu.profiler.profile(on_trace_ready=handler) as profile:
        x.add(1)
        profile.step()
    (trace,) = Path("profile").glob("*/ASCEND_PROFILER_OUTPUT/trace_view.json")
    assert any(event["name"] == "aten::add" for event in json.loads(trace.read_text()))


def attention_of_atb() -> None:
    keys, cache = torch.ones(2, 1, 16).half().npu(), torch.zeros(1, 128, 1, 16).half().npu()
    torch_npu._npu_reshape_and_cache(keys, keys, cache, cache, torch.zeros(2).int().npu())


def plugins_scaler() -> None:
    layer, scaler = nn.Linear(2, 2).npu(), torch.npu.amp.GradScaler(init_scale=1)
    scaler.scale(layer(torch.ones(1, 2).npu()).sum()).backward()
    scaler.step(torch.optim.AdamW(layer.parameters(), fused=True))


for part in (
    compiling,
    profiling,
    plugins_profiler,
    attention_of_atb,
    plugins_scaler,
    collectives,
    replicas,
    sparse,
    wide,
):
    try:
        part()
        print(f"{part.__name__}: works")
    except Exception as error:
        text = " ".join(str(error).partition("[ERROR]")[0].split())
        print(f"{part.__name__}: {type(error).__name__}: {text}")
