"""Everyday things of programs besides training: printing, indexing, copies, streams, saving and loading."""

import contextlib
import copy
import gc
import io
import pickle
import threading

import torch
import torch_npu  # pyright: ignore[reportMissingImports]
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, TensorDataset

NO_MEMORY = RuntimeError if torch_npu.__version__ in ("2.7.1", "2.8.0", "2.9.0") else torch.OutOfMemoryError
"""what the plugin raises where the device has too little memory"""


def same(found: torch.Tensor, wanted: torch.Tensor) -> None:
    torch.testing.assert_close(found.cpu(), wanted, rtol=0, atol=0, equal_nan=True)


def printing() -> None:
    shown = [str(torch.tensor([[1.5, -2], [3, float("nan")]]).npu()), str(torch.arange(2000.0).npu())]
    assert shown[0] == "tensor([[ 1.5000, -2.0000],\n        [ 3.0000,     nan]], device='npu:0')"
    assert shown[1].startswith("tensor([0.0000e+00, 1.0000e+00,")
    for dtype in (torch.float16, torch.bfloat16, torch.int64, torch.bool):
        assert "device='npu:0'" in str(torch.ones(2, 2, dtype=dtype).npu())


def indexing() -> None:
    here = torch.arange(24.0).view(4, 6)
    there = here.npu()
    for get in (lambda x: x[1:3, ::2], lambda x: x[[0, 2]], lambda x: x[x > 5], lambda x: x[:, -1],
                lambda x: x[None, ..., 1], lambda x: x[torch.tensor([3, -1])]):  # fmt: skip
        same(get(there), get(here))
    for x in (here, there):
        x[0] = 7
        x[x > 20] = 0
        x[[1, 2], [3, 4]] = 9
        x[:, 0] += 1
    same(there, here)
    assert there.tolist() == here.tolist()


def copies() -> None:
    host = torch.randn(1000).pin_memory()
    assert host.is_pinned()
    there = host.to("npu", non_blocking=True)
    back = torch.empty(1000, pin_memory=True)
    back.copy_(there, non_blocking=True)
    torch.npu.current_stream().synchronize()
    same(back, host)
    same(copy.deepcopy(there), host)
    same(pickle.loads(pickle.dumps(there)), host)


def streams() -> None:
    side, first, last = torch.npu.Stream(), torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    x = torch.ones(100).npu()
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        first.record()
        y = x * 2
        last.record()
    torch.npu.current_stream().wait_stream(side)
    assert (y + 1).sum().item() == 300
    torch.npu.synchronize()
    assert first.query()
    assert last.query()
    assert first.elapsed_time(last) > 0


def memory() -> None:
    before = torch.npu.memory_allocated()
    x = torch.empty(1 << 20).npu()
    assert torch.npu.memory_allocated() - before >= 4 << 20
    del x
    gc.collect()
    assert torch.npu.memory_allocated() == before
    torch.npu.empty_cache()
    torch.npu.memory_summary()
    with contextlib.suppress(NO_MEMORY):
        torch.empty(1 << 40, device="npu")
        raise AssertionError("the device has less memory")


def saving() -> None:
    model, file = nn.LayerNorm(4).npu(), io.BytesIO()
    optimiser = torch.optim.Adam(model.parameters())
    model(torch.ones(2, 4).npu()).sum().backward()
    optimiser.step()
    torch.save((model.state_dict(), optimiser.state_dict()), file)
    file.seek(0)
    weights, state = torch.load(file)
    assert weights["weight"].device.type == "npu"
    model.load_state_dict(weights)
    optimiser.load_state_dict(state)
    file.seek(0)
    same(model.weight.detach(), torch.load(file, map_location="cpu")[0]["weight"])


def loading() -> None:
    data = TensorDataset(torch.arange(40.0).view(20, 2), torch.arange(20))
    for workers in (0, 2):
        total = 0
        for x, y in DataLoader(data, batch_size=5, num_workers=workers, pin_memory=True, shuffle=True):
            total += (x.npu(non_blocking=True).sum() + y.npu().sum()).item()
        assert total == 780 + 190


def mixed_precision() -> None:
    """Autocast in both 16-bit types: the losses are those of the CPU, up to the precision of the type. GradScaler skips
    a step whose gradients are not finite, and lowers its scale."""
    given, labels = torch.randn(16, 8), torch.randint(0, 4, (16,))
    for dtype, bound in ((torch.bfloat16, 3e-2), (torch.float16, 4e-3)):
        found: list[list[float]] = []
        for device in ("cpu", "npu"):
            torch.manual_seed(1)
            model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
            optimiser, losses = torch.optim.SGD(model.parameters(), 0.1), []
            scaler = torch.amp.GradScaler(device, init_scale=1024.0, enabled=dtype is torch.float16)
            for _ in range(5):
                optimiser.zero_grad()
                with torch.autocast(device, dtype):
                    scores = model(given.to(device))
                    loss = nn.functional.cross_entropy(scores, labels.to(device))
                assert scores.dtype is dtype
                scaler.scale(loss).backward()
                scaler.unscale_(optimiser)
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                scaler.step(optimiser)
                scaler.update()
                losses.append(loss.item())
            found.append(losses)
        assert found[1][-1] < found[1][0]
        assert max(abs(one - other) for one, other in zip(*found, strict=True)) < bound, found
    weight = nn.Parameter(torch.ones(3).npu())
    optimiser, scaler = torch.optim.SGD([weight], 0.1), torch.amp.GradScaler("npu", init_scale=1024.0)
    scaler.scale((weight * float("inf")).sum()).backward()
    scaler.step(optimiser)
    scaler.update()
    assert scaler.get_scale() == 512
    same(weight.detach(), torch.ones(3))


def devices() -> None:
    x = torch.ones(3, device="npu:0").to("npu:1")
    assert x.device.index == 1
    assert (x + 1).sum().item() == 6
    same(x.to("npu:0"), torch.ones(3))


def threads() -> None:
    right: list[bool] = []

    def count(start: int) -> None:
        x = torch.full((10,), float(start)).npu()
        for _ in range(20):
            x = x + 1
        right.append(x.sum().item() == 10 * (start + 20))

    started = [threading.Thread(target=count, args=(number,)) for number in range(4)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    assert right == [True] * 4


def gradients() -> None:
    given, found = torch.randn(5, 3), []
    for device in ("cpu", "npu"):
        x = given.detach().to(device).requires_grad_()
        y = (x.sin() * x.exp()).sum(0).softmax(0)[1] + x.norm() + x.std() + x.max() + (x**3).mean()
        y = y + checkpoint(lambda x: x.tanh().sigmoid().sum(), x, use_reentrant=False)
        (first,) = torch.autograd.grad(y, x)
        (inner,) = torch.autograd.grad(x.tanh().pow(2).sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(inner.sum(), x)
        found.append((first.cpu(), second.cpu()))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)


def randomness() -> None:
    torch.npu.manual_seed(3)
    first = torch.rand(5, device="npu").cpu()
    state = torch.npu.get_rng_state()
    second = torch.randn(5, device="npu").cpu()
    torch.npu.set_rng_state(state)
    same(torch.randn(5, device="npu"), second)
    torch.npu.manual_seed(3)
    same(torch.rand(5, device="npu"), first)
    kept = (nn.functional.dropout(torch.ones(10000).npu(), 0.3) != 0).float().mean().item()
    assert abs(kept - 0.7) < 0.03, kept


for part in (
    printing,
    indexing,
    copies,
    streams,
    memory,
    saving,
    loading,
    mixed_precision,
    devices,
    threads,
    gradients,
    randomness,
):
    part()
    print(part.__name__)

kept = torch.ones(8).npu().to("cpu").pin_memory()  # lives until the interpreter ends
