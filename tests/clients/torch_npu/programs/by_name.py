"""Operators that PyTorch's plugin calls by their type name: tensors in FRACTAL_NZ, LSTM, older functions of the plugin.
Each has the results of the CPU."""

import copy

import torch
import torch_npu
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

torch.manual_seed(0)
NZ = 29


def same(one, other, bound=1e-5):
    one, other = one.detach().cpu(), other.detach().cpu()
    assert one.shape == other.shape, (one.shape, other.shape)
    assert torch.allclose(one.float(), other.float(), bound, bound), (one - other).abs().max()


# tensors in FRACTAL_NZ


def in_nz():
    x = torch.arange(32 * 48).reshape(32, 48).half() / 100
    nz = torch_npu.npu_format_cast(x.npu(), NZ)
    same(nz, x)
    assert str(nz.cpu()) == str(x)
    assert "0.0100" in str(nz) or "1.0" in str(nz)
    for part in (lambda w: w[3:5], lambda w: w[:, 3:9], lambda w: w[3:5].contiguous(), lambda w: w.t().contiguous()):
        same(part(nz), part(x))
    same(nz + 1, x + 1)
    same(nz.float(), x.float())
    same(nz.float().sum(), x.float().sum())
    same(nz.clone(), x)
    same(torch_npu.npu_format_cast(nz, 2), x)
    changed = [each.clone() for each in (x, nz)]
    for each in changed:
        each[2:4] = 0
        each[5:7] += 1
        each[:, 9] = 7
        each[1, 2] = 5
    same(*changed)
    ones = torch.ones(4, 48)
    same(nn.functional.linear(ones.half().npu(), nz), nn.functional.linear(ones, x.float()), 1e-2)


in_nz()  # by default the plugin keeps the plain format
torch.npu.config.allow_internal_format = True
assert torch_npu.get_npu_format(torch_npu.npu_format_cast(torch.ones(32, 32).half().npu(), NZ)) == NZ
in_nz()
image = torch.randn(2, 20, 4, 4).half()
for form in (3, 4):  # NC1HWC0, FRACTAL_Z
    blocks = torch_npu.npu_format_cast(image.npu(), form)
    assert torch_npu.get_npu_format(blocks) == form
    same(blocks, image)
    same(torch_npu.npu_format_cast(blocks, 0), image)
    same(blocks[:, 3:5] + 1, image[:, 3:5] + 1, 1e-3)
    same(blocks.float(), image)
torch.npu.config.allow_internal_format = False

# functions without another way


w = torch.randn(32, 48)
same(torch_npu.npu_silu(w.npu()), nn.functional.silu(w))
slope = w.clone().npu().requires_grad_()
torch_npu.npu_silu(slope).sum().backward()
plain = w.clone().requires_grad_()
nn.functional.silu(plain).sum().backward()
same(slope.grad, plain.grad)
same(torch_npu.npu_confusion_transpose(w.npu(), [1, 0], [48, 32], True), w.t())
scores, mask = torch.randn(4, 4, 32, 32), torch.ones(4, 4, 32, 32).bool().triu(1)
found = torch_npu.npu_scaled_masked_softmax(scores.half().npu(), mask.npu(), 0.5, False)
same(found, (scores.half().float() * 0.5).masked_fill(mask, -10000.0).softmax(-1), 2e-3)
boxes = torch.tensor([[0, 0, 10, 10], [10, 10, 20, 20], [32, 32, 38, 42.0]])
others = torch.tensor([[0, 0, 10, 20], [0, 10, 10, 10], [10, 10, 20, 20.0]])
found = torch_npu.npu_iou(boxes.half().npu(), others.half().npu(), 0)
same(found, torch.tensor([[0.4985, 0, 0], [0, 0, 0], [0, 0.9961, 0]]), 1e-3)
pairs = torch.tensor([[0, 0, 2, 2], [0, 0, 1, 1.0]]).t().contiguous().npu().requires_grad_()
found = torch_npu.npu_giou(pairs, pairs.detach() + torch.tensor([[1], [1], [0], [0.0]]).npu(), trans=True, mode=0)
same(found.view(-1), torch.tensor([-0.0794, -0.5]), 1e-3)
found.sum().backward()
assert pairs.grad.abs().sum() > 0

# recurrent networks


def values(given):
    return [given] if torch.is_tensor(given) else [each for one in given for each in values(one)]


def trained(network, run):
    """The results of both devices, and the derivatives of all parameters and inputs."""
    other = copy.deepcopy(network).npu()
    one = run(network, lambda x: x.clone())
    two = run(other, lambda x: x.clone().npu())
    for a, b in zip(values(one), values(two), strict=True):
        same(a, b)
    for results in (one, two):
        sum((each * each).sum() for each in values(results)).backward()
    for a, b in zip(network.parameters(), other.parameters(), strict=True):
        same(a.grad, b.grad, 1e-4)


def whole(x):
    return lambda network, to: network(to(x))


def packed(x):
    """Without the last states of two directions: the plugin gives DynamicRNNGrad zeros for their derivatives, if the
    direction is the reverse one."""

    def run(network, to):
        output, states = network(pack_padded_sequence(to(x), torch.tensor([3, 2]), batch_first=True))
        padded = pad_packed_sequence(output, batch_first=True)[0]
        return padded if network.bidirectional else (padded, states)

    return run


sequence, batch = torch.randn(5, 3, 4), torch.randn(2, 3, 4)
for kinds in ({"num_layers": 2}, {"bidirectional": True}, {"bias": False},
              {"num_layers": 2, "bidirectional": True, "bias": False, "batch_first": True}):  # fmt: skip
    trained(nn.LSTM(4, 6, **kinds), whole(sequence))
trained(nn.LSTMCell(4, 6), whole(sequence[0]))
for kinds in ({}, {"num_layers": 2, "bidirectional": True}, {"num_layers": 2, "bias": False}):
    trained(nn.LSTM(4, 6, batch_first=True, **kinds), packed(batch))

# convolutions in compile mode: Conv2D and its two gradients

torch.npu.set_compile_mode(jit_compile=True)
for kinds in ({}, {"stride": 2}, {"groups": 2}):
    trained(nn.Conv2d(4, 6, 3, padding=1, **kinds), whole(torch.randn(2, 4, 8, 8)))
print("done")
