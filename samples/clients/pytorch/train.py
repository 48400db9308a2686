"""Train a small classifier on an NPU. The next batch is copied in a stream of its own while the model computes.

train.py [cpu|npu] [STEPS]
"""

import sys

import torch
from torch import nn

DEVICE = sys.argv[1] if len(sys.argv) > 1 else "npu"
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 60
BATCH = 64


def batches(count):
    """Points of three rings, and the number of the ring of each."""
    random = torch.Generator().manual_seed(0)
    for _ in range(count):
        rings = torch.randint(0, 3, (BATCH,), generator=random)
        points = nn.functional.normalize(torch.randn(BATCH, 2, generator=random))
        yield points * (rings + 1 + 0.2 * torch.randn(BATCH, generator=random))[:, None], rings


def ahead(host_batches):
    """Batches on the NPU. A batch is copied while the batch before it is in use."""
    side, following = torch.npu.Stream(), None
    for batch in host_batches:
        with torch.npu.stream(side):
            copied = [each.pin_memory().to("npu", non_blocking=True) for each in batch]
        if following:
            yield following
        torch.npu.current_stream().wait_stream(side)
        for each in copied:
            each.record_stream(torch.npu.current_stream())
        following = copied
    yield following


torch.manual_seed(1)
model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 3)).to(DEVICE)
optimiser = torch.optim.AdamW(model.parameters(), 0.02)
for step, (points, rings) in enumerate(batches(STEPS) if DEVICE == "cpu" else ahead(batches(STEPS))):
    scores = model(points)
    loss = nn.functional.cross_entropy(scores, rings)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    if step % 20 == 0 or step == STEPS - 1:
        right = (scores.argmax(1) == rings).float().mean()
        print(f"step {step:2}: loss {loss.item():.4f}, right {right.item():.2f}")
