"""Five training steps of five models on both devices. Dropout is off, as the devices draw other random numbers."""

import math

import torch
import torch_npu  # noqa: F401  # pyright: ignore[reportMissingImports]
from torch import nn
from torch.nn import functional

STEPS = 5
WORDS, LENGTH, BATCH = 32, 8, 4


class Network(nn.Sequential):
    """Convolutions with batch normalisation and pooling."""

    def __init__(self) -> None:
        super().__init__(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 8, 3, stride=2),
            nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(8, 5),
        )  # fmt: skip


class Block(nn.Module):
    """A block of a GPT. `fused`: attention by one function, else by products and a softmax."""

    def __init__(self, width: int, heads: int, fused: bool) -> None:
        super().__init__()
        self.heads, self.fused = heads, fused
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.threefold, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.dense = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.threefold(self.before(x)).split(width, 2)
        q, k, v = (each.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for each in parts)
        if self.fused:
            found = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            weights = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
            later = torch.triu(torch.ones(length, length, dtype=torch.bool, device=x.device), 1)
            found = weights.masked_fill(later, float("-inf")).softmax(-1) @ v
        x = x + self.out(found.transpose(1, 2).reshape(batch, length, width))
        return x + self.dense(self.after(x))


class Gpt(nn.Module):
    """Blocks, with embeddings of words and of places."""

    def __init__(
        self, *, fused: bool, width: int = 32, blocks: int = 2, heads: int = 2, length: int = LENGTH, words: int = WORDS
    ) -> None:  # fmt: skip
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*[Block(width, heads, fused) for _ in range(blocks)])
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, words))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        at = torch.arange(x.shape[1], device=x.device)
        return self.head(self.blocks(self.words(x) + self.places(at))).flatten(0, 1)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(32, 2, 64, dropout=0.0, batch_first=True)
        self.words, self.encoder = nn.Embedding(WORDS, 32), nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(32, WORDS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.encoder(self.words(x))).flatten(0, 1)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.lstm = nn.Embedding(WORDS, 16), nn.LSTM(16, 24, batch_first=True)
        self.head = nn.Linear(24, WORDS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(self.words(x))[0]).flatten(0, 1)


MODELS = {
    "convolutional network": (Network, 1e-5), "GPT, plain attention": (lambda: Gpt(fused=False), 1e-5),
    "GPT, fused attention": (lambda: Gpt(fused=True), 1e-5), "nn.TransformerEncoder": (Encoder, 1e-5),
    "nn.LSTM": (Recurrent, 1e-5),
}  # fmt: skip
"""by name, how it is made, and how far its losses may lie from those of the CPU"""


def losses(make, device: str) -> list[float]:
    torch.manual_seed(0)
    model = make().to(device)
    words = torch.randint(0, WORDS, (BATCH, LENGTH + 1))
    pictures, kinds = torch.randn(BATCH, 3, 12, 12), torch.randint(0, 5, (BATCH,))
    x, y = (pictures, kinds) if isinstance(model, Network) else (words[:, :-1], words[:, 1:].flatten())
    optimiser, found = torch.optim.AdamW(model.parameters(), 1e-2), []
    for _ in range(STEPS):
        optimiser.zero_grad()
        loss = functional.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        optimiser.step()
        found.append(loss.item())
    return found


if __name__ == "__main__":
    wrong = []
    for name, (make, bound) in MODELS.items():
        wanted = losses(make, "cpu")
        found = losses(make, "npu")
        worst = max(abs(one - other) for one, other in zip(found, wanted, strict=True))
        print(f"{name}: from {wanted[0]:.4f} to {wanted[-1]:.4f}, off by at most {worst:.1e}")
        wrong += [name] if worst > bound else []
    assert not wrong, wrong
