"""Routes for the gradients of sparse attention and for the indexer of 8 bits: row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.aclnn.ops.sparse.good_calls import PACKED_FLASH_GRAD, PACKED_INDEXER_GRAD, PAGED_INT8_INDEXER
from tests.aclnn.ops.sparse.routes_sparse import LISTS, VALUES, no_window, rows_of
from tests.oracle.route import Route, but, route


def as_forward(given: dict[str, Any], layout: str, rows: str, keys: str) -> dict[str, Any]:
    """The arguments by the names of the forward function, for `rows_of`."""
    return {
        **given, "layoutQueryOptional": given[layout], "layoutKvOptional": given[layout],
        "actualSeqLengthsQueryOptional": given[rows], "actualSeqLengthsKvOptional": given[keys],
    }  # fmt: skip


def quant_indexer(**given: Any) -> Any:
    q, weights, whole = given["query"], given["weights"], np.issubdtype(given["query"].dtype, np.integer)
    out = np.full((*q.shape[:-2], 1, given["sparseCount"]), -1, np.int64)
    for at, seen, i, rows, total in rows_of(given, "Key"):
        keys, scales = seen(given["key"]).astype(float), seen(given["keyDequantScale"][..., None])[:, 0]
        limit = i + total - rows + 1 if given["sparseMode"] == 3 else total
        scores = []
        for j in range(min(limit, total)):
            score = 0.0
            for w, scale, head in zip(weights[at], given["queryDequantScale"][at], q[at].astype(float), strict=True):
                product, factor = max(0.0, float(head @ keys[j])), float(w) * float(scale)
                if whole:
                    product, factor = float(np.float16(product / 1024)), float(np.float16(factor))
                score += product * factor
            scores.append((-score * float(scales[j]), j))
        chosen = [j for _, j in sorted(scores)[: out.shape[-1]]]
        out[at][0, : len(chosen)] = chosen
    return out


def indexer_grad(**given: Any) -> Any:
    q, k, weights = given["query"], given["key"], given["weights"]
    dq, dk, dw = np.zeros_like(q), np.zeros_like(k), np.zeros_like(weights)
    forward = as_forward(given, "inputLayout", "actualSeqQLenOptional", "actualSeqKvLenOptional")
    number = np.arange(k[..., 0].size).reshape(k.shape[:-1])
    flat = dk.reshape(-1, k.shape[-1])
    lists, dy = (given[name].reshape(*q.shape[:-2], -1) for name in ("sparseIndices", "dy"))
    for at, seen, i, rows, total in rows_of(forward, "Kv"):
        keys, places = seen(k), seen(number[..., None])[:, 0]
        limit = i + total - rows if given["sparseMode"] == 3 else total - 1
        for place, j in enumerate(lists[at]):
            if not 0 <= j <= min(limit, total - 1):
                continue
            for head in range(q.shape[-2]):
                s = float(q[at][head] @ keys[j])
                if s > 0:
                    slope = dy[at][place] * weights[at][head]
                    dw[at][head] += dy[at][place] * s
                    dq[at][head] += slope * keys[j]
                    flat[places[j]] += slope * q[at][head]
    return dq, dk, dw


def flash_grad(**given: Any) -> Any:
    q, k, scale, block = given["query"], given["key"], given["scaleValue"], given["sparseBlockSize"]
    ropes = given["queryRopeOptional"] is not None
    v = k if given["value"] is None else given["value"]
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    of_qr, of_kr = (np.zeros_like(given[name]) if ropes else None for name in ("queryRopeOptional", "keyRopeOptional"))
    lengths = ("actualSeqLengthsQueryOptional", "actualSeqLengthsKvOptional")
    number = np.arange(k[..., 0].size).reshape(k.shape[:-1])
    tops, sums = (
        np.moveaxis(given[name], 0 if q.ndim == 3 else 1, -1)[..., 0] for name in ("softmaxMax", "softmaxSum")
    )
    for at, seen, i, rows, total in rows_of(as_forward(given, "layoutOptional", *lengths), "Kv"):
        limit = i + total - rows if given["sparseMode"] == 3 else total - 1
        for identity in given["sparseIndices"][at][0]:
            if identity < 0:
                break
            for j in range(int(identity) * block, min((int(identity) + 1) * block, total, limit + 1)):
                place = np.unravel_index(seen(number[..., None])[j, 0], number.shape)
                for head in range(q.shape[-2]):
                    s = q[at][head] @ k[place]
                    if ropes:
                        s += given["queryRopeOptional"][at][head] @ given["keyRopeOptional"][place]
                    grad = given["dOut"][at][head]
                    p = np.exp(s * scale - tops[at][head]) / sums[at][head]
                    slope = p * (grad @ v[place] - grad @ given["out"][at][head]) * scale
                    dv[place] += p * grad
                    dq[at][head] += slope * k[place]
                    dk[place] += slope * q[at][head]
                    if of_qr is not None and of_kr is not None:
                        of_qr[at][head] += slope * given["keyRopeOptional"][place]
                        of_kr[place] += slope * given["queryRopeOptional"][at][head]
    if given["value"] is None:
        dk, dv = dk + dv, None
    return tuple(x for x in (dq, dk, dv, of_qr, of_kr) if x is not None)


def short(x: np.ndarray) -> np.ndarray:
    """Lists of four keys, then -1."""
    lists = np.full(x.shape, -1, np.int64)
    lists[..., :4] = np.resize(LISTS, (*x.shape[:-1], 4))
    return lists


def small(x: np.ndarray) -> np.ndarray:
    return x / 4


def ascending(*numbers: int) -> Callable[[np.ndarray], np.ndarray]:
    """Ends of sequences. A row of two sequences would get two gradients."""
    return lambda x: np.maximum.accumulate(np.resize(np.array(numbers), x.shape))


OWN, OTHERS = ascending(3, 5), ascending(4, 7)
LENGTHS = {"actualSeqQLenOptional": OWN, "actualSeqKvLenOptional": OTHERS, "actualSeqLengthsQueryOptional": OWN,
           "actualSeqLengthsKvOptional": OTHERS}  # fmt: skip
POSITIVE = {"queryDequantScale": np.abs, "keyDequantScale": np.abs}
INDEXED = ("query", "key", "dy", "weights", "dqOut", "dkOut", "dweightsOut")
ATTENDED = ("query", "key", "value", "dOut", "out", "queryRopeOptional", "keyRopeOptional", "dQueryOut", "dKeyOut",
            "dValueOut", "dQueryRopeOutOptional", "dKeyRopeOutOptional")  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnQuantLightningIndexer", "loop", quant_indexer, values={**VALUES, **POSITIVE}, positions=True,
          groups=[("out",)], also=[PAGED_INT8_INDEXER, {"sparseMode": 0}],
          wrong={"another window": but(quant_indexer, sparseMode=no_window),
                 "no scale of keys": but(quant_indexer, keyDequantScale=lambda given: given["keyDequantScale"] * 0)}),
    route("aclnnLightningIndexerGrad", "loop", indexer_grad, bound="composite", groups=[INDEXED],
          values={**VALUES, **LENGTHS}, also=[PACKED_INDEXER_GRAD, {"sparseMode": 0}],
          wrong={"another window": but(indexer_grad, sparseMode=no_window),
                 "positive weights": but(indexer_grad, weights=lambda given: np.abs(given["weights"]))}),
    route("aclnnSparseFlashAttentionGrad", "loop", flash_grad, bound="composite", groups=[ATTENDED],
          values={**VALUES, **LENGTHS, "sparseIndices": short, "query": small, "softmaxMax": lambda x: np.abs(x) + 8,
                  "softmaxSum": lambda x: np.abs(x) + 1},
          also=[PACKED_FLASH_GRAD, {"sparseBlockSize": 2, "sparseMode": 0}],
          wrong={"another window": but(flash_grad, sparseMode=no_window),
                 "scale left out": but(flash_grad, scaleValue=1.0),
                 "no output": but(flash_grad, out=lambda given: given["out"] * 0)}),
)  # fmt: skip
