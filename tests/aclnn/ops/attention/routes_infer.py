"""Routes for `aclnn.ops.attention.fused_infer`."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.attention.reference import Core, band, by_loop, by_torch, heads_of, layout_of
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.route import Expected, Route, but, route

HALF = ACL_FLOAT16


def fused(core: Core, end: str = "Optional") -> Expected:
    def expected(
        query: Any, key: Any, value: Any, numHeads: int, scaleValue: float, preTokens: int, nextTokens: int,
        inputLayout: str, numKeyValueHeads: int, sparseMode: int, softmaxLseFlag: bool, **others: Any,
    ) -> Any:  # fmt: skip
        shift, mask, own, of_keys = (
            others[f"{name}{end}"] for name in ("pseShift", "attenMask", "actualSeqLengths", "actualSeqLengthsKv")
        )
        layout, _, out_layout = inputLayout.partition("_")
        shared = numKeyValueHeads or numHeads
        q = heads_of(query, layout, numHeads)
        ks, vs = ([heads_of(each, layout, shared) for each in listed] for listed in (key, value))
        batches, _, rows, _ = q.shape
        out = np.zeros((*q.shape[:3], vs[0].shape[3]), q.dtype)
        lse = np.zeros((*q.shape[:3], 1), q.dtype)
        for b in range(batches):
            k, v = (each[0][b] if len(each) == 1 else each[b][0] for each in (ks, vs))
            count = (own * batches if len(own) == 1 else own)[b] if own and rows > 1 else rows
            length = (of_keys * batches if len(of_keys) == 1 else of_keys)[b] if of_keys else k.shape[1]
            bias, hidden = np.zeros((numHeads, count, length), q.dtype), np.zeros((numHeads, count, length), bool)
            if shift is not None:
                bias = bias + shift[b % len(shift)][:, :count, :length]
            off = length - count
            limits = {2: (-np.inf, 0), 3: (-np.inf, off), 4: (off - preTokens, off + nextTokens)}
            if rows > 1 and sparseMode in limits:
                hidden = hidden | band(count, length, *limits[sparseMode])
            elif mask is not None:
                hidden = hidden | square(mask, b, batches, rows)[:count, :length].astype(bool)
            found, top, total = core(q[b, :, :count], k[:, :length], v[:, :length], scaleValue, bias, hidden)
            with np.errstate(all="ignore"):
                out[b, :, :count] = found
                lse[b, :, :count, 0] = np.where(total == 0, np.inf, np.log(total) + top)
        return (layout_of(out, out_layout or layout), *([lse] if softmaxLseFlag else []))

    return expected


def square(mask: Any, b: int, batches: int, rows: int) -> Any:
    """The mask of a batch, as rows and columns."""
    if mask.ndim == 2 and rows > 1:
        return mask
    own = mask[b % len(mask)]
    return own.reshape(-1, own.shape[-1])


def of(
    shape: tuple[int, ...], keys: tuple[int, ...], *, layout: str, count: int = 1, dtype: int = HALF
) -> dict[str, Any]:
    """Queries, and keys of `count` tensors, without anything optional."""
    listed = (Meta(keys, HALF),) * count
    return {"query": Meta(shape, HALF), "key": listed, "value": listed, "attentionOut": Meta(shape, HALF),
            "inputLayout": layout, "pseShiftOptional": None, "attenMaskOptional": None, "softmaxLse": None,
            "softmaxLseFlag": False, "actualSeqLengthsOptional": None, "actualSeqLengthsKvOptional": None}  # fmt: skip


COMPRESSED = {"attenMaskOptional": Meta((2048, 2048), ACL_BOOL), "pseShiftOptional": None}
ALSO: tuple[dict[str, Any], ...] = (
    {"sparseMode": 2, **COMPRESSED}, {"sparseMode": 3, **COMPRESSED},
    {"sparseMode": 4, "preTokens": 1, "nextTokens": 0, **COMPRESSED},
    of((2, 3, 32), (2, 5, 16), layout="BSH"), of((2, 4, 3, 8), (2, 2, 5, 8), layout="BNSD"),
    {**of((2, 4, 3, 8), (2, 2, 5, 8), layout="BNSD_BSND"), "attentionOut": Meta((2, 3, 4, 8), HALF)},
    {**of((3, 1, 4, 8), (3, 5, 2, 8), layout="BSND"), "attenMaskOptional": Meta((3, 7), ACL_BOOL),
     "actualSeqLengthsKvOptional": Values((4,)), "pseShiftOptional": Meta((1, 4, 1, 6), HALF)},
    {**of((2, 1, 4, 8), (1, 5, 2, 8), layout="BSND", count=2), "value": (Meta((1, 5, 2, 4), HALF),) * 2,
     "attentionOut": Meta((2, 1, 4, 4), HALF)},
    {**of((1, 3, 4, 8), (1, 5, 2, 8), layout="BSND"), "attenMaskOptional": Meta((3, 5), ACL_BOOL)},
)  # fmt: skip
WRONG = {
    "masks turned round": lambda core: but(
        fused(core), attenMaskOptional=lambda given: None if given["attenMaskOptional"] is None
        else ~given["attenMaskOptional"].astype(bool)),
    "scale left out": lambda core: but(fused(core), scaleValue=1.0),
    "one length for all": lambda core: but(fused(core), actualSeqLengthsKvOptional=None),
    "from the upper left corner": lambda core: but(
        fused(core), sparseMode=lambda given: 2 if given["sparseMode"] == 3 else given["sparseMode"]),
}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnFusedInferAttentionScoreV2", "loop", fused(by_loop), bound="composite", also=ALSO,
          groups=[["query", "key", "value", "pseShiftOptional", "attentionOut"]],
          torch=("torch.scaled_dot_product_attention", fused(by_torch)),
          wrong={name: made(by_loop) for name, made in WRONG.items()}),
)  # fmt: skip
