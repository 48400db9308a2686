"""The same problems for torch on the CPU: its own operators on the same arrays, with warm outputs where the operator
can write into given ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from ml_dtypes import bfloat16

from tests.benchmarks.problems import IGNORED, Problem


@dataclass
class Side:
    """A call of torch, and what it computed."""

    call: Callable[[], Any]
    outputs: Callable[[Any], dict[int, Any]]
    """tensors by the positions of our arguments, from what the call returned"""

    def results(self) -> dict[int, np.ndarray]:
        """Arrays by the positions of our arguments; torch has not all of our outputs."""
        return {at: to_numpy(tensor) for at, tensor in self.outputs(self.call()).items()}


def available() -> bool:
    """True if torch is installed."""
    try:
        import torch  # noqa: F401  # only where it is compared with
    except ImportError:
        return False
    return True


def set_threads(count: int) -> None:
    """Let torch use this many threads from now on."""
    import torch

    torch.set_num_threads(count)


def to_torch(array: np.ndarray) -> Any:
    """A tensor over the same memory, whatever its layout."""
    import torch

    if array.dtype == bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def to_numpy(tensor: Any) -> np.ndarray:
    """An array over the same memory."""
    import torch

    if tensor.dtype == torch.bfloat16:
        return tensor.detach().view(torch.int16).numpy().view(bfloat16)
    return tensor.detach().numpy()


def prepare(op: str, problem: Problem) -> Side:
    """The call of torch for a problem."""
    given = [to_torch(each) if isinstance(each, np.ndarray) else each for each in problem.arguments]
    return SIDES[op](*given)


def softmax(grad: Any, output: Any, dim: int, out: Any) -> Side:
    """Into a warm dense output, whatever the layouts of the inputs."""
    import torch

    out = torch.zeros(out.shape, dtype=out.dtype)
    function = torch.ops.aten._softmax_backward_data.out
    return Side(lambda: function(grad, output, dim, grad.dtype, grad_input=out), lambda result: {3: result})


def prelu(grad: Any, x: Any, weight: Any, *_: Any) -> Side:
    """Its kernel, which allocates, and the sum for each channel."""
    import torch

    function = torch.ops.aten._prelu_kernel_backward
    slope = weight.reshape(-1, *[1] * (x.ndim - 2))
    axes = [axis for axis in range(x.ndim) if axis != 1]

    def call() -> Any:
        grad_input, terms = function(grad, x, slope)
        return grad_input, terms.sum(axes)

    return Side(call, lambda results: {3: results[0], 4: results[1]})


def batch_norm(grad: Any, x: Any, mean: Any, invstd: Any, weight: Any, *_: Any) -> Side:
    """The native kernel, without the gradient of the input."""
    import torch

    function = torch.ops.aten.native_batch_norm_backward
    mask = [False, True, True]
    return Side(
        lambda: function(grad, x, weight, None, None, mean, invstd, True, 1e-5, mask),
        lambda results: {10: results[1], 11: results[2]},
    )


def cross_entropy(grad_loss: Any, log_prob: Any, target: Any, *_: Any) -> Side:
    """The gradient of the negative log-likelihood, a matrix with one number in a row, then that of log-softmax."""
    import torch

    one_hot, out = torch.zeros_like(log_prob), torch.zeros_like(log_prob)
    total = torch.tensor(float(len(target)), dtype=log_prob.dtype)
    nll = torch.ops.aten.nll_loss_backward.grad_input
    log_softmax = torch.ops.aten._log_softmax_backward_data.out
    mean = 1

    def call() -> Any:
        nll(grad_loss, log_prob, target, None, mean, IGNORED, total, grad_input=one_hot)
        return log_softmax(one_hot, log_prob, 1, log_prob.dtype, out=out)

    return Side(call, lambda result: {10: result})


def embedding(grad: Any, indices: Any, rows: int, *_: Any) -> Side:
    """Allocates its result."""
    import torch

    function = torch.ops.aten.embedding_dense_backward
    return Side(lambda: function(grad, indices, rows, -1, False), lambda result: {5: result})


def into(function: str, given: list[Any], out: Any, at: int, **options: Any) -> Side:
    """An operator of aten that writes into a warm output."""
    import torch

    warm = torch.zeros(out.shape, dtype=out.dtype)
    call = getattr(torch.ops.aten, function).out
    return Side(lambda: call(*given, out=warm, **options), lambda result: {at: result})


def add(one: Any, other: Any, _: Any, out: Any) -> Side:
    return into("add", [one, other], out, 3)


def mul(one: Any, other: Any, out: Any) -> Side:
    return into("mul", [one, other], out, 2)


def exp(x: Any, out: Any) -> Side:
    return into("exp", [x], out, 1)


def gelu(x: Any, out: Any) -> Side:
    return into("gelu", [x], out, 1, approximate="tanh")


def matmul(one: Any, other: Any, out: Any, _: int) -> Side:
    return into("mm" if one.ndim == 2 else "bmm", [one, other], out, 2)


def layer_norm(x: Any, _: Any, weight: Any, bias: Any, epsilon: float, out: Any, mean: Any, deviation: Any) -> Side:
    import torch

    warm = [torch.zeros(each.shape, dtype=each.dtype) for each in (out, mean, deviation)]
    names = dict(zip(("out0", "out1", "out2"), warm, strict=True))
    function = torch.ops.aten.native_layer_norm.out
    return Side(
        lambda: function(x, list(weight.shape), weight, bias, epsilon, **names),
        lambda results: dict(zip((5, 6, 7), results, strict=True)),
    )


def softmax_forward(x: Any, dim: int, out: Any) -> Side:
    return into("_softmax", [x, dim, False], out, 2)


def attention(query: Any, key: Any, value: Any, *others: Any) -> Side:
    """Its fused kernel, which allocates. Of the statistics it has the logarithm only."""
    import torch

    function, scale = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu, others[5]
    return Side(lambda: function(query, key, value, scale=scale), lambda results: {19: results[0]})


SIDES: dict[str, Callable[..., Side]] = {
    "softmax": softmax, "prelu": prelu, "batch norm": batch_norm, "cross entropy": cross_entropy,
    "embedding": embedding, "add": add, "mul": mul, "exp": exp, "gelu": gelu, "matmul": matmul,
    "layer norm": layer_norm, "softmax forward": softmax_forward, "attention": attention,
}  # fmt: skip
