"""Routes for RReluWithNoise: Philox one block at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.aclnn.ops.random.philox import uniform
from tests.oracle.route import Route, but, route

BITS = {"float16": 10, "bfloat16": 7}


def r_relu(**given: Any) -> list[np.ndarray]:
    """The noise, and the result."""
    x, noise = given["self"], given["noise"].copy()
    low, high = (float(np.float32(given[name])) for name in ("lower", "upper"))
    slopes = np.full(x.shape, (low + high) / 2)
    if given["training"]:
        bits = BITS.get(given["dtypes"]["self"], 23)
        slopes = (uniform(given["seed"], given["offset"], x.size, bits) * (high - low) + low).reshape(x.shape)
    slopes = np.where(x < 0, slopes, 1.0)
    if given["training"]:
        noise.reshape(-1)[: x.size] = slopes.reshape(-1)
    both = [x * slopes, noise]
    return both if "out" not in given else both[::-1]


ROUTES: tuple[Route, ...] = (
    route("aclnnRReluWithNoise", "aclnnInplaceRReluWithNoise", "loop over Philox", r_relu, also=[{"training": False}],
          wrong={"another seed": but(r_relu, seed=lambda given: given["seed"] + 1),
                 "another offset": but(r_relu, offset=lambda given: given["offset"] + 1),
                 "one slope": but(r_relu, upper=lambda given: given["lower"])}),
)  # fmt: skip
