"""Routes for `aclnn.ops.sparse`: key by key, and row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.aclnn.ops.attention.reference import bound
from tests.aclnn.ops.sparse.good_calls import PACKED_INDEXER, PAGED_FLASH, PAGED_INDEXER
from tests.oracle.route import Expected, Route, but, route


def rows_of(given: dict[str, Any], keys: str) -> Iterator[tuple[tuple[int, ...], Callable[[Any], Any], int, int, int]]:
    """For each row: its index, a function that returns the keys of a tensor, its number, the rows and the keys of its
    batch. `keys`: the ending of the parameters of keys."""
    packed, paged = given["layoutQueryOptional"] == "TND", given[f"layout{keys}Optional"] == "PA_BSND"
    own, others = given["actualSeqLengthsQueryOptional"], given[f"actualSeqLengths{keys}Optional"]
    table, query = given.get("blockTableOptional"), given["query"]
    start = first = 0
    for b in range(len(own) if packed else len(query)):
        stop, last = query.shape[0 if packed else 1], given["key"].shape[0 if packed else 1]
        last = table.shape[1] * given["key"].shape[1] if paged else last
        stop = min(int(own[b]), stop) if own is not None else stop
        last = min(int(others[b]), last) if others is not None else last
        begin = first if packed and not paged else 0
        for i in range(stop - start):
            at = (start + i,) if packed else (b, i)

            def seen(x: Any, b: int = b, begin: int = begin, last: int = last) -> Any:
                if paged:
                    size = x.shape[1]
                    return np.array([x[int(table[b, t // size]), t % size, 0] for t in range(last)])
                return x[begin:last, 0] if packed else x[b, :last, 0]

            yield at, seen, i, stop - start, last - begin
        start, first = (stop, last) if packed else (0, 0)


def indexer(**given: Any) -> Any:
    count, q, weights = given["sparseCount"], given["query"], given["weights"]
    indices = np.full((*q.shape[:-2], 1, count), -1, np.int64)
    values = np.full(indices.shape, -np.inf)
    for at, seen, i, rows, total in rows_of(given, "Key"):
        keys = seen(given["key"])
        limit = i + total - rows + 1 if given["sparseMode"] == 3 else total
        scores = []
        for j in range(min(limit, total)):
            score = sum(w * max(0.0, float(head @ keys[j])) for w, head in zip(weights[at], q[at], strict=True))
            scores.append((-score, j))
        for place, (score, j) in enumerate(sorted(scores)[:count]):
            indices[at][0, place], values[at][0, place] = j, -score
    return (indices, values) if given["returnValues"] else (indices,)


def flash(**given: Any) -> Any:
    q, block, scale = (
        given["query"],
        given["sparseBlockSizeOptional"],
        np.asarray(given["scaleValue"], given["query"].dtype),
    )
    out = np.zeros(q.shape, q.dtype)
    top, total = np.zeros((2, *q.shape[:-1]), q.dtype)
    sinks = given.get("sinksOptional")
    if sinks is not None:
        top[...], total[...] = sinks, 1
    for at, seen, i, rows, count in rows_of(given, "Kv"):
        keys, ropes = seen(given["key"]), seen(given["keyRopeOptional"])
        values = keys if given["value"] is None else seen(given["value"])
        places: list[int] = []
        for number in given["sparseIndices"][at][0]:
            if number < 0:
                break
            places += range(int(number) * block, min((int(number) + 1) * block, count))
        limit = i + count - rows if given["sparseMode"] == 3 else count
        places = [place for place in places if place <= limit]
        for head in range(q.shape[-2] if places else 0):
            s = scale * (keys[places] @ q[at][head] + ropes[places] @ given["queryRopeOptional"][at][head])
            m = max(s.max(), sinks[head]) if sinks is not None else s.max()
            e = np.exp(s - m)
            top[at][head], total[at][head] = m, e.sum() + (np.exp(sinks[head] - m) if sinks is not None else 0)
            out[at][head] = e / total[at][head] @ values[places]
    axis = 0 if given["layoutQueryOptional"] == "TND" else 1
    more = [np.expand_dims(x, axis) for x in (top, total)] if given["returnSoftmaxLse"] else []
    return (out, *more)


def rounded_bound(way: Expected) -> Any:
    """Twice that of attention, as sums have 576 terms, and the error of probabilities that were rounded to 16 bits."""
    plain = bound(way)

    def allowed(arguments: Any, right: np.ndarray, dtype: str) -> Any:
        unit = {"float16": 2.0**-11, "bfloat16": 2.0**-8}.get(dtype, 0.0)
        values = arguments["key"] if arguments["value"] is None else arguments["value"]
        return 2 * plain(arguments, right, dtype) + unit * np.abs(values).max()

    return allowed


def ends(*numbers: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: np.resize(np.array(numbers), x.shape)


LISTS = np.array([[2, 0, 3, -1], [1, -1, 2, 0], [0, 4, 1, 3], [-1, 1, 1, 1], [4, 3, 2, 1]])
VALUES = {
    "actualSeqLengthsQueryOptional": ends(3, 5), "actualSeqLengthsKeyOptional": ends(4, 7),
    "actualSeqLengthsKvOptional": ends(4, 7), "sparseIndices": lambda x: np.resize(LISTS, x.shape),
    "blockTableOptional": lambda x: np.resize(np.array([2, 0, 1, 2]), x.shape),
}  # fmt: skip


def no_window(given: dict[str, Any]) -> int:
    return 0 if given["sparseMode"] == 3 else 3


def other_weights(given: dict[str, Any]) -> Any:
    return np.abs(given["weights"])


def other_list(given: dict[str, Any]) -> Any:
    return np.abs(given["sparseIndices"])


TYPED = ("query", "key", "value", "weights", "sparseValuesOut", "attentionOut", "queryRopeOptional", "keyRopeOptional")
WRONG = {"another window": but(flash, sparseMode=no_window), "no end of a list": but(flash, sparseIndices=other_list),
         "scale left out": but(flash, scaleValue=1.0)}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnLightningIndexer", "loop", indexer, bound="composite", values=VALUES, groups=[TYPED],
          also=[PACKED_INDEXER, PAGED_INDEXER, {"sparseMode": 0, "layoutQueryOptional": None}],
          wrong={"another window": but(indexer, sparseMode=no_window),
                 "positive weights": but(indexer, weights=other_weights)}),
    *(route(name, "loop", flash, bound=rounded_bound(flash), values=VALUES, groups=[TYPED],
            also=[PAGED_FLASH, {"sparseMode": 0, "sparseBlockSizeOptional": block},
                  {"actualSeqLengthsQueryOptional": None, "actualSeqLengthsKvOptional": None}], wrong=WRONG)
      for name, block in (("aclnnSparseFlashAttention", 2), ("aclnnSparseFlashAttentionV2", 1))),
)  # fmt: skip
