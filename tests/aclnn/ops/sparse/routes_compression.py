"""Routes for `aclnn.ops.sparse.compression`: block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values
from tests.oracle.route import Route, but, route


def blocks(given: dict[str, Any], name: str) -> Iterator[int]:
    start = 0
    for end in given[name]:
        row = start
        while row + given["compressBlockSize"] <= end:
            yield row
            row += given["compressStride"]
        start = end


def compress(**given: Any) -> Any:
    x, weight = given["input"], given["weight"]
    rows = blocks(given, "actSeqLenOptional")
    return np.array([sum(x[row + w] * weight[w][:, None] for w in range(len(weight))) for row in rows])


def gradient(**given: Any) -> Any:
    x, weight, grad = given["input"], given["weight"], given["outputGrad"]
    of_x, of_weight = np.zeros_like(x), np.zeros_like(weight)
    for number, row in enumerate(blocks(given, "actSeqLenOptionalOptional")):
        for w in range(len(weight)):
            of_x[row + w] += grad[number] * weight[w][:, None]
            of_weight[w] += (grad[number] * x[row + w]).sum(-1)
    return of_x, of_weight


def turned(given: dict[str, Any]) -> Any:
    return given["weight"][::-1]


ROUTES: tuple[Route, ...] = (
    route("aclnnNsaCompress", "loop", compress, bound="composite",
          also=[{"layoutOptional": None, "compressStride": 2, "actSeqLenOptional": Values((9,)),
                 "output": Meta((4, 2, 4), ACL_FLOAT16)}],
          wrong={"weights in the other order": but(compress, weight=turned)}),
    route("aclnnNsaCompressGrad", "loop", gradient, bound="composite", also=[{"layoutOptionalOptional": None}],
          wrong={"weights in the other order": but(gradient, weight=turned)}),
)  # fmt: skip
