"""A training program and everyday operators on the chip of the machine. The results are those of the CPU, within
FLOAT16 where products are FLOAT16. A line for each operator has its name, and `yes` or the reason why not."""

import copy
import re

import torch
import torch_npu
from torch import nn
from torch.nn import functional as F  # noqa: N812

CHIP = torch_npu.npu.get_device_name()
HALF = not CHIP.startswith(("Ascend910B", "Ascend910_93", "Ascend950"))
"""are products of matrices FLOAT16?"""
REFUSED = CHIP.startswith("Ascend310B")
"""asks the plugin for products of FLOAT, which the library refuses? (It asks for FLOAT16 on 910 and 310P.)"""
CLOSE = {"rtol": 2e-2, "atol": 2e-2} if HALF else {"rtol": 1e-4, "atol": 1e-5}
STEPS = 4


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8 * 16, 5)
    )


def losses(model: nn.Sequential, device: str) -> list[float]:
    """Train on the device."""
    torch.manual_seed(1)
    images, labels = torch.randn(6, 3, 8, 8).to(device), torch.randint(0, 5, (6,)).to(device)
    model = copy.deepcopy(model).to(device)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    found = []
    for _ in range(STEPS):
        optimiser.zero_grad()
        features = model[:-1](images)
        with torch.autocast("npu", torch.float16, enabled=REFUSED and device == "npu"):
            scores = model[-1](features)
        loss = F.cross_entropy(scores.float(), labels)
        loss.backward()
        optimiser.step()
        found.append(loss.item())
    return found


def train() -> None:
    torch.testing.assert_close(losses(network(), "npu"), losses(network(), "cpu"), **CLOSE)


def refusal() -> str:
    """The reason that the plugin gives for products of INT64, which no chip has. It is another one if its start or the
    training left an error."""
    whole = torch.ones(2, 2, dtype=torch.int64).npu()
    try:
        torch.mm(whole, whole)
    except RuntimeError as error:
        return reason(error)
    return ""


def tensors(device: str) -> dict[str, torch.Tensor]:
    torch.manual_seed(2)
    x, y = torch.rand(4, 6) + 0.5, torch.rand(4, 6) - 0.5
    image, index = torch.rand(2, 3, 8, 8), torch.tensor([2, 0, 3])
    made = {"x": x, "y": y, "image": image, "index": index, "w": torch.rand(6, 5), "k": torch.rand(4, 3, 3, 3)}
    return {name: tensor.to(device) for name, tensor in made.items()}


OPERATORS = {
    "a + b": "x + y", "a - b": "x - y", "a * b": "x * y", "a / b": "x / y", "a / 2": "x / 2", "a + 2": "x + 2",
    "-a": "-y", "abs": "y.abs()", "a ** 2": "x ** 2", "exp": "x.exp()", "log": "x.log()", "sqrt": "x.sqrt()",
    "rsqrt": "x.rsqrt()", "sin": "x.sin()", "tanh": "x.tanh()", "sigmoid": "x.sigmoid()", "floor": "y.floor()",
    "clamp": "y.clamp(-0.2, 0.2)", "maximum": "torch.maximum(x, y)", "relu": "y.relu()", "gelu": "F.gelu(y)",
    "silu": "F.silu(y)", "leaky_relu": "F.leaky_relu(y)", "softmax": "x.softmax(-1)",
    "log_softmax": "x.log_softmax(-1)", "layer_norm": "F.layer_norm(x, (6,))", "batch_norm":
    "F.batch_norm(image, torch.zeros_like(image[0, :, 0, 0]), torch.ones_like(image[0, :, 0, 0]), training=True)",
    "group_norm": "F.group_norm(image, 3)", "a == b": "x == y", "a > b": "x > y", "where": "torch.where(y > 0, x, y)",
    "matmul": "x @ w", "bmm": "torch.bmm(image[0], image[1])", "linear": "F.linear(x, w.t())",
    "conv2d": "F.conv2d(image, k)", "max_pool2d": "F.max_pool2d(image, 2)", "avg_pool2d": "F.avg_pool2d(image, 2)",
    "sum": "x.sum(0)", "mean": "x.mean(1)", "max": "x.max(1).values", "argmax": "x.argmax(1)",
    "cumsum": "x.cumsum(0)", "sort": "x.sort(1).values", "topk": "x.topk(2).values", "cat": "torch.cat([x, y])",
    "transpose": "x.t().contiguous()", "tril": "x.tril()", "gather": "x.gather(0, index[:, None])", "flip": "x.flip(0)",
    "index_select": "x.index_select(0, index)", "embedding": "F.embedding(index, x)",
    "cross_entropy": "F.cross_entropy(x[:3], index)",
}  # fmt: skip


def reason(error: Exception) -> str:
    """The function and the status."""
    found = re.search(r"(?:call|named symbol|\b)(aclnn\w+) failed, error code is (\d+)", str(error))
    return " ".join(found.groups()) if found else str(error).splitlines()[0][:80]


def answer(expression: str) -> str:
    """`yes`, or why not."""
    expected = eval(expression, globals(), tensors("cpu"))
    try:
        result = eval(expression, globals(), tensors("npu")).cpu()
    except RuntimeError as error:
        return reason(error)
    torch.testing.assert_close(result, expected, **CLOSE)
    return "yes"


train()
assert refusal() == "aclnnMm 161002"
for name, expression in OPERATORS.items():
    print(f"{name}: {answer(expression)}", flush=True)
