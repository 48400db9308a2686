"""Routes for `aclnn.ops.attention.mla_prolog`: token by token."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from acl_runtime import *
from tests.aclnn.ops.attention.good_calls_prolog import BATCHED
from tests.aclnn.ops.case import Meta
from tests.oracle.route import Route, but, route


def short(x: Any) -> Any:
    """Rounded to BFLOAT16."""
    return np.asarray(x).astype(np.float32).astype(ml_dtypes.bfloat16).astype(np.float64)


def norm(x: Any, gamma: Any, epsilon: float) -> Any:
    return x / np.sqrt((x * x).mean() + epsilon) * gamma


def turned(x: Any, cos: Any, sin: Any) -> Any:
    """Neighbours are a pair: the first elements of all pairs come before the second ones."""
    pairs = x.reshape(-1, 2)
    w = [*pairs[:, 0], *pairs[:, 1]]
    half = len(w) // 2
    return np.array([w[i] * cos[i] + (-w[i + half] if i < half else w[i - half]) * sin[i] for i in range(len(w))])


def whole(x: Any) -> tuple[Any, float]:
    scale = float(np.float32(np.abs(x).max()) / np.float32(127))
    return np.rint(x / (scale or 1)), scale


def prolog(**given: Any) -> Any:
    x = given["tokenX"].reshape(-1, given["tokenX"].shape[-1]).astype(float)
    cos, sin = (given[name].reshape(len(x), -1) for name in ("ropeCos", "ropeSin"))
    kv, kr = given["kvCacheRef"].astype(float), given["krCacheRef"].astype(float)
    places, mode = given.get("cacheIndex", given.get("cacheIndexOptional")), given["cacheModeOptional"]
    integers = np.issubdtype(given["tokenX"].dtype, np.integer)
    up_whole = np.issubdtype(given["weightUqQr"].dtype, np.integer)
    queries, ropes, norms, of_norms, of_queries = [], [], [], [], []
    for t, row in enumerate(x):
        c, k = row @ given["weightDq"].astype(float), row @ given["weightDkvKr"].astype(float)
        if integers:
            own = given["dequantScaleXOptional"].reshape(-1)[t]
            c = c * own * given["dequantScaleWDqOptional"][0]
            k = k * own * given["dequantScaleWDkvKrOptional"][0]
        c = short(norm(short(c), given["rmsnormGammaCq"], given["rmsnormEpsilonCq"]) * given.get("qcQrScale", 1.0))
        scale = 1.0
        if up_whole:
            smooth = given["smoothScalesCqOptional"]
            c, scale = whole(c if smooth is None else c * smooth[0])
        norms.append(c)
        of_norms.append([scale])
        u = c @ given["weightUqQr"].astype(float)
        u = short(u * scale * given["dequantScaleWUqQrOptional"][0] if up_whole else u).reshape(-1, 192)
        query = short([head[:128] @ w for head, w in zip(u, given["weightUk"], strict=True)])
        rope = np.array([turned(head[128:], cos[t], sin[t]) for head in u])
        if given.get("queryQuantMode"):
            pairs = [whole(head) for head in query]
            query, scales = np.array([each for each, _ in pairs]), [[each] for _, each in pairs]
            of_queries.append(scales)
            rope = rope * given["quantScaleCkvOptional"].reshape(-1)[0] / np.array(scales)
        queries.append(query)
        ropes.append(rope)
        lines = (norm(k[:512], given["rmsnormGammaCkv"], given["rmsnormEpsilonCkv"]) * given.get("kcScale", 1.0),
                 turned(k[512:], cos[t], sin[t]))  # fmt: skip
        if mode.startswith("PA_BLK"):
            length, size = given["tokenX"].shape[1], kv.shape[1]
            block = int(places[t // length, t % length // size])
            place = block * size + t % length % size if block >= 0 else -1
        else:
            place = t if mode in ("BSND", "TND") else int(places.reshape(-1)[t])
        for cache, line, name, source in ((kv, lines[0], "quantScaleCkvOptional", "kvCacheRef"),
                                          (kr, lines[1], "quantScaleCkrOptional", "krCacheRef")):  # fmt: skip
            if np.issubdtype(given[source].dtype, np.integer):
                row_of_cache = np.clip(np.rint(line * given[name].reshape(-1)), -128, 127)
            else:
                row_of_cache = line
            if place < 0:
                continue
            if mode.endswith("NZ"):
                group, size = 16, cache.shape[1]
                block = cache[place // size].reshape(-1)
                for h, value in enumerate(row_of_cache):
                    block[h // group * size * group + place % size * group + h % group] = value
            else:
                cache.reshape(-1, cache.shape[-1])[place] = row_of_cache
    lead = given["tokenX"].shape[:-1]
    results = [kv, kr, np.array(queries).reshape(*lead, -1, 512), np.array(ropes).reshape(*lead, -1, 64)]
    optional = {"dequantScaleQNopeOutOptional": of_queries, "queryNormOutOptional": norms,
                "dequantScaleQNormOutOptional": of_norms}  # fmt: skip
    return (*results, *(np.array(value) for name, value in optional.items() if given.get(name) is not None))


def near(arguments: Any, right: np.ndarray, dtype: str) -> Any:
    """Two units of BFLOAT16 of the largest result: a sum that is rounded the other way between the steps moves all
    later results. An integer may be the next one."""
    del arguments
    return 2.0**-6 * np.abs(right).max(initial=0.0) if dtype != "int8" else 1


VALUES = {
    "tokenX": lambda x: x / 4, "weightDq": lambda x: x / 4, "weightUk": lambda x: x / 4,
    "cacheIndex": lambda x: np.resize(np.array([5, -1, 2, 7]), x.shape),
    "cacheIndexOptional": lambda x: np.resize(np.array([5, -1, 2, 7]), x.shape),
}  # fmt: skip
WRONG = {"cosines and sines swapped": but(prolog, ropeCos=lambda given: given["ropeSin"]),
         "no norm of keys": but(prolog, rmsnormEpsilonCkv=1e9)}  # fmt: skip
INDEX = Meta((2, 2), ACL_INT64)
IN_ORDER = {"cacheModeOptional": "TND", "cacheIndexOptional": None, "kvCacheRef": Meta((3, 1, 512), ACL_BF16),
            "krCacheRef": Meta((3, 1, 64), ACL_BF16), "queryNormOutOptional": None, "qcQrScale": 0.5,
            "kcScale": 2.0}  # fmt: skip
BLOCKS = {**BATCHED, "cacheIndexOptional": INDEX, "queryNormOutOptional": None, "cacheModeOptional": "PA_BLK_NZ",
          "kvCacheRef": Meta((8, 1, 1, 512), ACL_BF16), "krCacheRef": Meta((8, 1, 1, 64), ACL_BF16)}  # fmt: skip
ROUTES: tuple[Route, ...] = (
    route("aclnnMlaProlog", "loop", prolog, bound=near, values=VALUES, groups=[("tokenX",)],
          also=[{**BATCHED, "cacheIndex": INDEX, "cacheModeOptional": "PA_NZ"}], wrong=WRONG),
    route("aclnnMlaPrologV2WeightNz", "loop", prolog, bound=near, values=VALUES, groups=[("queryRopeOut",)],
          wrong=WRONG),
    route("aclnnMlaPrologV3WeightNz", "loop", prolog, bound=near, values=VALUES, groups=[("queryRopeOut",)],
          also=[IN_ORDER, {**BATCHED, "cacheIndexOptional": INDEX, "queryNormOutOptional": None},
                {**BLOCKS, "cacheModeOptional": "PA_BLK_BSND"}, BLOCKS], wrong=WRONG),
)  # fmt: skip
