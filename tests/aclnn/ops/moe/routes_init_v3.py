"""Routes for MoeInitRoutingV3: a loop over the tokens in their order, and torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.moe.routes import modulo
from tests.derived.values import Values
from tests.oracle.route import Route, as_tensor, but, route

FLOAT = np.float32


def init(
    x: Any, expertIdx: Any, scaleOptional: Any, offsetOptional: Any, activeNum: int, expertCapacity: int,
    expertNum: int, dropPadMode: int, expertTokensNumType: int, quantMode: int, activeExpertRangeOptional: Any,
    rowIdxType: int,
) -> Any:  # fmt: skip
    """Rows and scales only where each row has a token, or experts have a capacity."""
    begin, end = activeExpertRangeOptional or (0, expertNum)
    flat, k = expertIdx.ravel().tolist(), expertIdx.shape[1]
    order = sorted((at for at, expert in enumerate(flat) if begin <= expert < end), key=lambda at: flat[at])
    tally = [flat.count(expert) for expert in range(begin, end)]
    source: list[int | None] = list(order)
    if dropPadMode:
        lists = [[at for at in order if flat[at] == expert] for expert in range(expertNum)]
        source = [each for tokens in lists for each in [*tokens, *[None] * expertCapacity][:expertCapacity]]
    elif activeNum > 0:
        source = source[:activeNum]
    found = [
        quantise(x[at // k], scaleOptional, offsetOptional, quantMode, at // k, flat[at] - begin)
        if at is not None else (np.zeros(x.shape[1]), 0.0)
        for at in source
    ]  # fmt: skip
    rows, scales = np.array([row for row, _ in found]), np.array([scale for _, scale in found])
    places = order if rowIdxType else [(order, source)[dropPadMode].index(at) if at in (order, source)[dropPadMode]
                                       else -1 for at in range(len(flat))]  # fmt: skip
    whole = len(order) == len(flat)
    return (
        (rows.reshape(expertNum, expertCapacity, -1) if dropPadMode else rows) if whole or dropPadMode else None,
        np.array(places) if whole or not rowIdxType else None,
        counts(tally, expertTokensNumType, begin, expertNum),
        scales
        if (whole or dropPadMode) and (quantMode == 1 or (quantMode < 0 and scaleOptional is not None))
        else None,
    )


def counts(tally: list[int], kind: int, begin: int, number: int) -> Any:
    if kind == 2:
        pairs = [(begin + at, count) for at, count in enumerate(tally) if count]
        return np.array([*pairs, *[(0, 0)] * (number - len(pairs))])
    return np.array([sum(tally[: at + 1]) for at in range(len(tally))] if kind == 0 else tally)


def quantise(row: Any, scale: Any, offset: Any, mode: int, token: int, expert: int) -> Any:
    """In float32, as integers depend on it."""
    if mode < 0:
        return row, 0.0 if scale is None else scale[token]
    row = row.astype(FLOAT)
    if mode == 0:
        return [min(max(round(float(each * FLOAT(scale[0]) + FLOAT(offset[0]))), -128), 127) for each in row], 0.0
    row = row if scale is None else row * scale[expert if len(scale) > 1 else 0].astype(FLOAT)
    most = max(map(abs, row)) / FLOAT(127)
    return [round(float(each / most)) if most else 0 for each in row], most


def init_by_torch(expertIdx: Any, **others: Any) -> Any:
    """The order, and what follows from it alone, by torch."""
    import torch

    names = init.__code__.co_varnames[: init.__code__.co_argcount]
    rows, places, tally, scales = init(**{name: {**others, "expertIdx": expertIdx}[name] for name in names})
    begin, end = others["activeExpertRangeOptional"] or (0, others["expertNum"])
    flat = as_tensor(expertIdx).flatten()
    active = (flat >= begin) & (flat < end)
    order = torch.argsort(flat.masked_fill(~active, 1 << 30), stable=True)[: int(active.sum())]
    if not others["dropPadMode"] and places is not None:
        inverse = torch.full_like(flat, -1).scatter(0, order, torch.arange(len(order)))
        places = (order if others["rowIdxType"] else inverse).numpy()
    if others["expertTokensNumType"] == 1:
        tally = torch.bincount(flat[active], minlength=end)[begin:].numpy()
    return rows, places, tally, scales


PLAIN = {"scaleOptional": None, "quantMode": -1, "expandedXOut": Meta((6, 4))}
WITH_SCALES = {**PLAIN, "scaleOptional": Meta((3,))}
PADDED: dict[str, Any] = {"dropPadMode": 1, "expertCapacity": 2}
CAPACITY = {**PLAIN, **PADDED, "expandedXOut": Meta((5, 2, 4)), "expandedScaleOut": Meta((10,))}
ACTIVE: dict[str, Any] = {
    "activeExpertRangeOptional": Values((1, 4)), "expertTokensCountOrCumsumOut": Meta((3,), ACL_INT64),
}  # fmt: skip
STATIC = {"quantMode": 0, "scaleOptional": Meta((1,)), "offsetOptional": Meta((1,))}
ROUTES: tuple[Route, ...] = (
    route("aclnnMoeInitRoutingV3", "loop", init, bound="composite",
          values={"expertIdx": modulo(5)}, groups=[("x",), ("x", "expandedXOut")],
          also=[PLAIN, WITH_SCALES, {**WITH_SCALES, "rowIdxType": 1}, CAPACITY,
                {**CAPACITY, "scaleOptional": Meta((3,))},
                {**PADDED, "expandedXOut": Meta((5, 2, 4), ACL_INT8), "expandedScaleOut": Meta((10,))},
                {"scaleOptional": None}, {"scaleOptional": Meta((1, 4))}, STATIC, {**PLAIN, **ACTIVE},
                {**PLAIN, **ACTIVE, "expertTokensNumType": 0},
                {"expertTokensNumType": 2, "expertTokensCountOrCumsumOut": Meta((5, 2), ACL_INT64)},
                {**PLAIN, "activeNum": 3, "expandedXOut": Meta((3, 4)), "expandedScaleOut": Meta((3,))}],
          torch=("torch.argsort", init_by_torch),
          wrong={"tokens reversed": but(init, x=lambda given: given["x"][::-1]),
                 "the other places": but(init, rowIdxType=lambda given: 1 - given["rowIdxType"]),
                 "not summed up": but(init, expertTokensNumType=1),
                 "without factors": but(init, scaleOptional=lambda given: None if given["quantMode"] == 1
                                        else given["scaleOptional"])}),
)  # fmt: skip
