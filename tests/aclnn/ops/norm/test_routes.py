"""The routes of normalisation agree with torch's batch normalisation, where the statistics are those of the input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.aclnn.ops.norm.routes import batch_norm_elemt_backward, by_autograd


@pytest.mark.parametrize("way", [batch_norm_elemt_backward, by_autograd], ids=lambda way: way.__name__)
def test_the_gradient_is_that_of_torchs_batch_norm(way: Any) -> None:
    """The CPU of torch has only the whole gradient; sums over one device make it from the parts."""
    torch: Any = pytest.importorskip("torch", reason="torch is not installed; the loop is compared without it too")
    random = np.random.default_rng(7)
    x, dy = random.normal(1, 2, (2, 6, 3, 4))
    weight = random.normal(1, 0.5, 3)
    mean, invstd = x.mean((0, 2)), 1 / np.sqrt(x.var((0, 2)) + 1e-5)
    centred = x - mean[:, None]
    found = way(
        gradOut=dy, input=x, mean=mean, invstd=invstd, weight=weight, sumDy=dy.sum((0, 2)),
        sumDyXmu=(dy * centred).sum((0, 2)), counter=np.array([10.0, 14.0]),
    )  # fmt: skip
    given = torch.from_numpy(x).requires_grad_()
    normal = torch.nn.functional.batch_norm(given, None, None, torch.from_numpy(weight), training=True, eps=1e-5)
    wanted = torch.autograd.grad(normal, given, torch.from_numpy(dy))[0].numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)
