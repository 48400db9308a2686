"""Routes for MoeInitRoutingQuant and V2: the routes without quantisation, and then row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.aclnn.ops.moe import routes, routes_v2
from tests.aclnn.ops.moe.routes import modulo, shuffled
from tests.aclnn.ops.moe.routes_init_v3 import quantise
from tests.oracle.route import Route, but, route


def by_numbers(x: Any, rowIdx: Any, expertIdx: Any, activeNum: int, scale: float, offset: float) -> Any:
    rows, *places = routes.init(x, rowIdx, expertIdx, activeNum)
    found = [quantise(row, [scale], [offset], 0, 0, 0)[0] for row in rows]
    return np.array(found).reshape(rows.shape), *places


def init(
    x: Any, expertIdx: Any, scaleOptional: Any, offsetOptional: Any, activeNum: int, expertCapacity: int,
    expertNum: int, dropPadMode: int, expertTokensCountOrCumsumFlag: int, expertTokensBeforeCapacityFlag: bool,
    quantMode: int,
) -> Any:  # fmt: skip
    """Each row is the number of its token, until it is quantised. The number 0 stands for no token."""
    numbers = np.arange(1.0, len(x) + 1)[:, None]
    sources, *others = routes_v2.init(
        numbers, expertIdx, activeNum, expertCapacity, expertNum, dropPadMode, expertTokensCountOrCumsumFlag,
        expertTokensBeforeCapacityFlag,
    )  # fmt: skip
    owners = np.repeat(np.arange(expertNum), expertCapacity) if dropPadMode else np.sort(expertIdx, None)
    rows, scales = np.zeros((sources.size, x.shape[1])), np.zeros(sources.size)
    for at, source in enumerate(sources.ravel().astype(int)):
        if source:
            row, owner = x[source - 1], int(owners[at])
            rows[at], scales[at] = quantise(row, scaleOptional, offsetOptional, quantMode, source - 1, owner)
    return rows.reshape(*sources.shape[:-1], -1), *others, scales if quantMode else None


STATIC = {"quantMode": 0, "scaleOptional": Meta((1,)), "offsetOptional": Meta((1,))}
PLAIN = {"dropPadMode": 0, "expandedXOut": Meta((6, 4), ACL_INT8), "dynamicQuantScaleOutOptional": Meta((6,))}
ROUTES: tuple[Route, ...] = (
    route("aclnnMoeInitRoutingQuant", "loop", by_numbers, bound="composite", groups=[("x",)],
          values={"rowIdx": shuffled, "expertIdx": modulo(4)},
          also=[{"activeNum": 2, "expandedXOut": Meta((4, 4), ACL_INT8)}],
          wrong={"nothing added": but(by_numbers, offset=0.0),
                 "another token": but(by_numbers, x=lambda given: given["x"][::-1])}),
    route("aclnnMoeInitRoutingQuantV2", "loop", init, bound="composite", groups=[("x",)],
          values={"expertIdx": modulo(5)},
          also=[PLAIN, STATIC, {**PLAIN, **STATIC}, {"scaleOptional": None}, {"scaleOptional": Meta((1, 4))},
                {**PLAIN, "activeNum": 4, "expandedXOut": Meta((4, 4), ACL_INT8), "expertTokensCountOrCumsumFlag": 2,
                 "dynamicQuantScaleOutOptional": Meta((4,))}],
          wrong={"another token": but(init, x=lambda given: given["x"][::-1]),
                 "the factors of another expert": but(init, scaleOptional=lambda given: None if given[
                     "scaleOptional"] is None else np.flip(given["scaleOptional"])),
                 "not summed up": but(init, expertTokensCountOrCumsumFlag=2)}),
)  # fmt: skip
