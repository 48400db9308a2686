"""Networks of convolutions in FLOAT16 on 310P, where the plugin keeps images in NC1HWC0 and calls operators by their
type name: results and derivatives are those of the CPU."""

import copy

import torch
import torch_npu
from torch import nn

torch.manual_seed(0)
NC1HWC0 = 3


class Function(nn.Module):
    """A function of a tensor as a layer."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def trained(layers):
    """Compare results, derivatives and buffers. The statistics of batches are FLOAT, as with mixed precision."""
    first, x = nn.Conv2d(4, 20, 3, padding=1), torch.randint(-2, 3, (2, 4, 8, 8)).half()
    for each in first.parameters():  # (FLOAT16 has these products exactly, so both have the same greatest elements)
        each.data = torch.randint(-2, 3, each.shape) / 8
    halves = [layer if isinstance(layer, nn.BatchNorm2d) else layer.half() for layer in layers]
    network = nn.Sequential(first.half(), *halves)
    results = []
    for device, kind in (("cpu", torch.float), ("npu", None)):
        one = copy.deepcopy(network).to(device, kind)
        given = x.to(device, kind).requires_grad_()
        found = one(given)
        (found * found).mean().backward()
        tensors = (found, given.grad, *(each.grad for each in one.parameters()), *one.buffers(), one.eval()(given))
        results.append([each.detach().float().cpu() for each in tensors])
    for a, b in zip(*results, strict=True):
        assert torch.allclose(a, b, 1e-2, 1e-2), (layers, (a - b).abs().max())


for layer in (
    nn.BatchNorm2d(20), nn.ReLU(), nn.LeakyReLU(0.1), nn.Sigmoid(), nn.Tanh(), nn.GELU(), nn.SiLU(), nn.ELU(),
    nn.Softplus(), nn.ReLU6(), nn.Mish(), nn.Hardsigmoid(), nn.PReLU(), nn.MaxPool2d(2), nn.MaxPool2d(3, 2, 1),
    nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1), nn.AdaptiveAvgPool2d(4), nn.AdaptiveMaxPool2d(2), nn.Flatten(),
    nn.Upsample(scale_factor=2), nn.Upsample(scale_factor=2, mode="bilinear"), nn.Softmax(1), nn.LogSoftmax(1),
    nn.ReflectionPad2d(1), nn.GroupNorm(4, 20), nn.LayerNorm(8), nn.InstanceNorm2d(20), nn.PixelShuffle(2),
    nn.ConvTranspose2d(20, 4, 2, 2), nn.Conv2d(20, 20, 3, groups=20), Function(lambda x: torch.cat([x, x * x], 1)),
    Function(lambda x: x.clamp(-1, 1) - x.mean((2, 3), keepdim=True)),
    Function(lambda x: x[:, 2:5] + x.sum(1)[:, None]), Function(lambda x: x.roll(1, 2).var(1)),
    Function(nn.functional.normalize),
):  # fmt: skip
    trained([layer])
trained([nn.BatchNorm2d(20), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 8, 3), nn.BatchNorm2d(8), nn.ReLU(),
         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5), nn.LogSoftmax(1)])  # fmt: skip
for shape in ((20,), (20, 3), (2, 20, 4, 4)):
    x = torch.randn(shape).half()
    blocks = torch_npu.npu_format_cast(x.npu(), NC1HWC0)
    assert torch_npu.get_npu_format(blocks) == NC1HWC0
    assert (blocks.cpu() == x).all()
    assert ((blocks + 1).cpu() == x + 1).all()
print("done")
