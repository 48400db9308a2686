"""Prints the processor time of a training step of the GPT of `models`, on the CPU and on the emulated device.

    aclnn run --npu tests/clients/torch_npu/programs/step_cost.py [STEPS]

The first steps plan what later ones repeat, so they do not count. The least time is that of an idle computer.
"""

import sys
import time
from statistics import median

import torch
import torch_npu  # noqa: F401  # pyright: ignore[reportMissingImports]
from models import BATCH, LENGTH, WORDS, Gpt
from torch.nn import functional

FIRST = 20
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 100


def times(device: str, *, fused: bool) -> list[float]:
    """Milliseconds of each step."""
    torch.manual_seed(0)
    model = Gpt(fused=fused).to(device)
    words = torch.randint(0, WORDS, (BATCH, LENGTH + 1))
    x, y = words[:, :-1], words[:, 1:].flatten()
    optimiser, found = torch.optim.AdamW(model.parameters(), 1e-2), []
    for _ in range(FIRST + STEPS):
        began = time.process_time()
        optimiser.zero_grad()
        loss = functional.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        optimiser.step()
        loss.item()
        found.append((time.process_time() - began) * 1e3)
    return found[FIRST:]


torch.set_num_threads(1)
for fused in (False, True):
    for device in ("cpu", "npu"):
        found = times(device, fused=fused)
        name = f"GPT, {'fused' if fused else 'plain'} attention, {device}"
        print(f"{name}: {min(found):.1f} ms at the least, {median(found):.1f} in the middle")
