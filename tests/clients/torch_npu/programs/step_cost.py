"""Prints the processor time of a training step of some models, on the CPU and on the emulated device.

    aclnn run --npu tests/clients/torch_npu/programs/step_cost.py [STEPS]
    aclnn run --npu tests/clients/torch_npu/programs/step_cost.py --serve    the names of the models, as JSON; then, for
                                                                             each line "DEVICE STEPS MODEL" of the
                                                                             input, the milliseconds of a step

Each model has one thread of torch. The first steps plan what later ones repeat, so they do not count. The least time is
that of an idle computer.
"""

import json
import math
import sys
import time
from statistics import median

import torch
import torch_npu  # noqa: F401  # pyright: ignore[reportMissingImports]
from models import BATCH, LENGTH, WORDS, Gpt
from torch import nn
from torch.nn import functional

FIRST, STEPS, WARM = 20, 100, 2
SECONDS = 20.0
"""the most for one model on one device; the steps of large models are fewer"""


def gpt(width: int, blocks: int, length: int) -> nn.Module:
    return Gpt(fused=False, width=width, blocks=blocks, heads=4, length=length, words=96)


class Residual(nn.Module):
    """The basic block of ResNet-18."""

    def __init__(self, inward: int, width: int, stride: int) -> None:
        super().__init__()
        self.one = nn.Conv2d(inward, width, 3, stride, 1, bias=False)
        self.two = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(width), nn.BatchNorm2d(width)])
        beside = nn.Sequential(nn.Conv2d(inward, width, 1, stride, bias=False), nn.BatchNorm2d(width))
        self.beside = beside if stride != 1 or inward != width else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norms[1](self.two(functional.relu(self.norms[0](self.one(x)))))
        return functional.relu(y + self.beside(x))


def residual_network(width: int = 16) -> nn.Module:
    """ResNet-18 for pictures of 32 x 32."""
    blocks, inward = [nn.Conv2d(3, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()], width
    for stage in range(4):
        for stride in (1 if stage == 0 else 2, 1):
            blocks.append(Residual(inward, width << stage, stride))
            inward = width << stage
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inward, 10))


def digits_network() -> nn.Module:
    """The network of PyTorch's MNIST example, without dropout."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10),
    )  # fmt: skip


def sentences(batch: int, length: int, words: int) -> tuple[torch.Tensor, torch.Tensor]:
    found = torch.randint(0, words, (batch, length + 1))
    return found[:, :-1], found[:, 1:].flatten()


def pictures(batch: int, *shape: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randn(batch, *shape), torch.randint(0, 10, (batch,))


MODELS = {
    "GPT, plain attention": (lambda: Gpt(fused=False), lambda: sentences(BATCH, LENGTH, WORDS)),
    "GPT, fused attention": (lambda: Gpt(fused=True), lambda: sentences(BATCH, LENGTH, WORDS)),
    "GPT of width 64, 3 blocks, 8 x 64 words": (lambda: gpt(64, 3, 64), lambda: sentences(8, 64, 96)),
    "GPT of width 256, 4 blocks, 8 x 128 words": (lambda: gpt(256, 4, 128), lambda: sentences(8, 128, 96)),
    "MNIST network, 16 pictures": (digits_network, lambda: pictures(16, 1, 28, 28)),
    "ResNet-18 of width 16, 8 pictures": (residual_network, lambda: pictures(8, 3, 32, 32)),
}
"""by name, how the model and its input are made"""


class Training:
    """A model on a device, which makes training steps."""

    def __init__(self, name: str, device: str) -> None:
        torch.manual_seed(0)
        make, given = MODELS[name]
        self.device, self.model = device, make().to(device)
        self.x, self.y = given()
        self.optimiser = torch.optim.AdamW(self.model.parameters(), 1e-2)

    def step(self) -> float:
        """Milliseconds of a step."""
        began = time.process_time()
        self.optimiser.zero_grad()
        loss = functional.cross_entropy(self.model(self.x.to(self.device)), self.y.to(self.device))
        loss.backward()
        self.optimiser.step()
        assert math.isfinite(loss.item())
        return (time.process_time() - began) * 1e3


def times(name: str, device: str, steps: int) -> list[float]:
    """Milliseconds of each step."""
    training, begin = Training(name, device), time.monotonic()
    found: list[float] = []
    while len(found) < FIRST + steps and (len(found) < FIRST // 2 or time.monotonic() - begin < SECONDS):
        found.append(training.step())
    return found[min(FIRST, len(found) // 2) :]


def serve() -> None:
    print(json.dumps(list(MODELS)), flush=True)
    known: dict[tuple[str, str], Training] = {}
    for line in sys.stdin:
        device, steps, name = line.rstrip("\n").split(" ", 2)
        if (training := known.get((name, device))) is None:
            training = known[name, device] = Training(name, device)
            for _ in range(WARM):
                training.step()
        print(min(training.step() for _ in range(int(steps))), flush=True)


def main(steps: int) -> None:
    for name in MODELS:
        for device in ("cpu", "npu"):
            found = times(name, device, steps)
            print(f"{name}, {device}: {min(found):.1f} ms at the least, {median(found):.1f} in the middle", flush=True)


torch.set_num_threads(1)
if sys.argv[1:] == ["--serve"]:
    serve()
else:
    main(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS)
