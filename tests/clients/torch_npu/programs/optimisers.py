"""Five steps of a small network on both devices, with each optimiser, and with clipping of gradients."""

import torch
import torch_npu  # noqa: F401  # pyright: ignore[reportMissingImports]
from torch import nn, optim

STEPS = 5
OPTIMISERS = {
    "SGD": lambda given, **more: optim.SGD(given, 0.1, **more),
    "SGD, momentum": lambda given, **more: optim.SGD(
        given, 0.1, momentum=0.9, nesterov=True, weight_decay=0.01, **more
    ),
    "SGD, maximize": lambda given, **more: optim.SGD(given, 0.01, maximize=True, **more),
    "Adam": lambda given, **more: optim.Adam(given, 0.01, **more),
    "Adam, amsgrad": lambda given, **more: optim.Adam(given, 0.01, amsgrad=True, weight_decay=0.1, **more),
    "AdamW": lambda given, **more: optim.AdamW(given, 0.01, **more),
    "RMSprop": lambda given, **more: optim.RMSprop(given, 0.01, centered=True, momentum=0.9, **more),
    "Adagrad": lambda given, **more: optim.Adagrad(given, 0.01, **more),
    "Adadelta": lambda given, **more: optim.Adadelta(given, 0.1, **more),
    "Adamax": lambda given, **more: optim.Adamax(given, 0.01, **more),
    "NAdam": lambda given, **more: optim.NAdam(given, 0.01, **more),
    "RAdam": lambda given, **more: optim.RAdam(given, 0.01, **more),
    "ASGD": lambda given, **more: optim.ASGD(given, 0.01, **more),
    "Rprop": lambda given, **more: optim.Rprop(given, 0.01, **more),
}
torch.manual_seed(0)
GIVEN, LABELS = torch.randn(32, 8), torch.randint(0, 4, (32,))


class Dense(nn.Module):
    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(0.3 * torch.randn(width, out)), nn.Parameter(torch.zeros(out))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ self.weight + self.bias


def train(device: str, make, clip: bool, **more) -> tuple[list[float], list[torch.Tensor]]:
    torch.manual_seed(1)
    layers = [Dense(8, 16), nn.ReLU(), Dense(16, 16), nn.GELU(approximate="tanh"), nn.LayerNorm(16), Dense(16, 4)]
    model = nn.Sequential(*layers).to(device)
    optimiser, losses = make(model.parameters(), **more), []
    x, y = GIVEN.to(device), LABELS.to(device)
    for _ in range(STEPS):
        optimiser.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        if clip:
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimiser.step()
        losses.append(loss.item())
    return losses, [each.detach().cpu() for each in model.parameters()]


for name, make in OPTIMISERS.items():
    for foreach in (True, False):
        for clip in (False, True):
            losses, weights = train("npu", make, clip, foreach=foreach)
            wanted, theirs = train("cpu", make, clip, foreach=foreach)
            loss = max(abs(one - other) for one, other in zip(losses, wanted, strict=True))
            weight = max((one - other).abs().max().item() for one, other in zip(weights, theirs, strict=True))

            assert loss <= 1e-6, (name, foreach, clip, losses, wanted)
            assert weight <= 5e-6, (name, foreach, clip, weight)
            print(f"{name:14} foreach={foreach!s:5} clip={clip!s:5} loss {loss:.1e} weight {weight:.1e}")
