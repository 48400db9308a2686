"""Routes for MX quantisation: a loop over Python numbers; torch rounds the floats of 8 bits."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.blocks.blocks import along, block_quantised, scale_of
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, as_tensor, but, route

E5, E8 = ACL_FLOAT8_E5M2, ACL_FLOAT8_E8M0


def by_torch(block: list[float], dtype: int, algorithm: int, most: float, floor: float) -> tuple[list[float], float]:
    """A block whose numbers torch rounds."""
    import torch

    exponent = scale_of(block, dtype, algorithm, most, floor)
    assert exponent is not None, "the values of the oracle are finite"
    float8 = torch.float8_e4m3fn if dtype == 36 else torch.float8_e5m2
    scaled = as_tensor(np.array(block, np.float32)) / 2.0**exponent
    top = torch.finfo(float8).max
    return scaled.clamp(-top, top).to(float8).float().tolist(), 2.0**exponent


def in_blocks(
    x: Any, axis: int, dstType: int, blocksize: int, scaleAlg: int, dstTypeMax: float = 0, maxLowBound: float = 0
) -> Any:  # fmt: skip
    quantise = partial(block_quantised, dtype=dstType, algorithm=scaleAlg, most=dstTypeMax, floor=maxLowBound)
    return along(x, axis, blocksize, quantise)


def in_blocks_by_torch(
    x: Any, axis: int, dstType: int, blocksize: int, scaleAlg: int, dstTypeMax: float = 0, maxLowBound: float = 0
) -> Any:  # fmt: skip
    quantise = partial(by_torch, dtype=dstType, algorithm=scaleAlg, most=dstTypeMax, floor=maxLowBound)
    return along(x, axis, blocksize, quantise)


FORMS: list[dict[str, Any]] = [
    {"scaleAlg": 1}, {"blocksize": 64}, {"axis": 0, "mxscaleOut": Meta((1, 40, 2), E8)},
    {"yOut": Meta((3, 40), E5), "dstType": int(E5)}, {"yOut": Meta((3, 40), E5), "dstType": int(E5), "scaleAlg": 1},
]  # fmt: skip
WRONG = {"OCP's rule": but(in_blocks, scaleAlg=0), "blocks of 32": but(in_blocks, blocksize=32),
         "the other floats": but(in_blocks, dstType=lambda given: 71 - given["dstType"])}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnDynamicMxQuant", "aclnnDynamicMxQuantV2", "loop", in_blocks, bound="exact", groups=[("x",)],
          also=FORMS, torch=("torch.Tensor.to", in_blocks_by_torch), wrong=WRONG),
    route("aclnnDynamicMxQuantV3", "loop", in_blocks, bound="exact", groups=[("x",)],
          also=[*FORMS, {"scaleAlg": 1, "maxLowBound": 1000.0}], torch=("torch.Tensor.to", in_blocks_by_torch),
          wrong={**WRONG, "no bound": but(in_blocks, maxLowBound=0)}),
)  # fmt: skip
