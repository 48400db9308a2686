"""Routes for `aclnn.ops.norm`: torch, and a loop over channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.oracle.route import Route, as_tensor, but, route


def by_autograd(
    gradOut: Any, input: Any, mean: Any, invstd: Any, weight: Any, sumDy: Any, sumDyXmu: Any, counter: Any
) -> Any:
    """Torch's gradient of a quadratic function of input. Its CPU has no such operator."""
    import torch

    given = (as_tensor(each) for each in (gradOut, mean, invstd, sumDy, sumDyXmu, counter))
    dy, middle, scale, one, two, count = given
    x, n = as_tensor(input).requires_grad_(), count.sum()
    factor = scale if weight is None else scale * as_tensor(weight)
    lanes, slopes = x.movedim(1, -1), dy.movedim(1, -1)
    centred = lanes - middle
    value = factor * (slopes * lanes - one / n * lanes - scale**2 * two / n * centred**2 / 2)
    return torch.autograd.grad(value.sum(), x)[0].numpy()


def batch_norm_elemt_backward(
    gradOut: np.ndarray, input: np.ndarray, mean: Any, invstd: Any, weight: Any, sumDy: Any, sumDyXmu: Any,
    counter: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Channel by channel: the gradient, less its projections on 1 and on the centred input."""
    out, n = np.empty(np.shape(gradOut), np.result_type(gradOut)), counter.sum()
    for c in range(input.shape[1]):
        scale = invstd[c] if weight is None else invstd[c] * weight[c]
        slope = invstd[c] ** 2 * sumDyXmu[c] / n
        out[:, c] = scale * gradOut[:, c] - scale * slope * input[:, c] - scale * (sumDy[c] / n - slope * mean[c])
    return out


def of_this_device(arguments: Mapping[str, Any]) -> Any:
    """The elements of a channel of this input, in place of all devices' elements."""
    x = arguments["input"]
    return np.array([x.size / x.shape[1]])


POSITIVE = dict.fromkeys(("v", "maxGradNormOptional", "counter", "weightOptional", "step"), np.abs)

ROUTES: tuple[Route, ...] = (
    route("aclnnBatchNormElemtBackward", "loop", batch_norm_elemt_backward, bound="composite", values=POSITIVE,
          torch=("torch.autograd", by_autograd), extremes={"gradOut": ("nan", "tiny", "0")},
          wrong={"the elements of this device counted": but(batch_norm_elemt_backward, counter=of_this_device),
                 "weight ignored": but(batch_norm_elemt_backward, weight=None),
                 "the two sums swapped": but(
                     batch_norm_elemt_backward,
                     sumDy=lambda arguments: arguments["sumDyXmu"], sumDyXmu=lambda arguments: arguments["sumDy"])}),
)  # fmt: skip
