"""Sums over ranks of products with quantised factors, their norms, exchanged products, and barriers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from tests.helpers.outcomes import ok
from tests.helpers.rank_operators import RankCall, on_ranks
from tests.helpers.ranks import world

HALF, F32, K, M, N = np.float16, np.float32, 64, 4, 6
RANDOM = np.random.default_rng(9)
INT1, INT2 = ([RANDOM.integers(-20, 20, shape, np.int8) for _ in range(2)] for shape in ((M, K), (K, N)))
FLOAT1, FLOAT2 = ([RANDOM.standard_normal(shape).astype(HALF) for _ in range(2)] for shape in ((M, K), (K, N)))
ROW = [RANDOM.uniform(0.01, 0.1, M).astype(F32) for _ in range(2)]
COLUMN = [RANDOM.uniform(0.01, 0.1, N).astype(F32) for _ in range(2)]
ADDEND, RESIDUAL = RANDOM.standard_normal((M, N)).astype(HALF), RANDOM.standard_normal((1, M, N)).astype(HALF)
BIAS = RANDOM.integers(-9, 9, N, np.int32)
WHOLE = [a.astype(np.int64) @ b + BIAS for a, b in zip(INT1, INT2, strict=True)]


def zeros(*shape: int, dtype: Any = HALF) -> Any:
    return np.zeros(shape, dtype)


def packed(scales: Any) -> Any:
    return (scales.view(np.uint32) & 0xFFFFE000).astype(np.int64)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found.astype(F32), expected, rtol=4e-3, atol=4e-2)


def test_sums_of_integers() -> None:
    coarse = [packed(scales).astype(np.uint32).view(F32) for scales in COLUMN]
    first = sum(whole * scales for whole, scales in zip(WHOLE, coarse, strict=True)) + 2 * ADDEND
    second = sum(w * c * r[:, None] for w, c, r in zip(WHOLE, COLUMN, ROW, strict=True)) + 2 * ADDEND
    with world(2) as (_, ranks):
        common = [{"x1": INT1[rank], "x2": INT2[rank], "output": zeros(M, N)} for rank in range(2)]
        plain = {"bias": BIAS, "x3": ADDEND}
        calls = [call | plain | {"dequantScale": packed(COLUMN[rank])[None]} for rank, call in enumerate(common)]
        for own in on_ranks(ranks, "aclnnQuantMatmulAllReduce", calls):
            close(own["output"], first)
        optional = {f"{name}Optional": value for name, value in plain.items()}
        calls = [
            call | optional | {"dequantScale": COLUMN[rank][None], "pertokenScaleOptional": ROW[rank][:, None]}
            for rank, call in enumerate(common)
        ]
        for version in ("V2", "V3"):
            for own in on_ranks(ranks, f"aclnnQuantMatmulAllReduce{version}", calls):
                close(own["output"], second)
        travelling = {f"commQuantScale{number}Optional": np.full((1, N), 0.5 * number, HALF) for number in (1, 2)}
        short = on_ranks(ranks, "aclnnQuantMatmulAllReduceV3", [call | travelling for call in calls])
        calls = [
            call | optional | {"x2Scale": COLUMN[rank], "x1ScaleOptional": ROW[rank]}
            for rank, call in enumerate(common)
        ]
        for version in ("V4", "V5"):
            for own in on_ranks(ranks, f"aclnnQuantMatmulAllReduce{version}", calls):
                close(own["output"], second)
    parts = [w * c * r[:, None] + ADDEND for w, c, r in zip(WHOLE, COLUMN, ROW, strict=True)]
    quarters = [np.clip(np.rint(part / 0.5), -128, 127) for part in parts]
    expected = np.clip(np.rint(sum(quarters) * 0.5), -128, 127)
    for own in short:
        assert np.abs(own["output"] - expected).max() <= 1


@pytest.mark.parametrize("group", [0, 32])
def test_sums_of_a_quantised_weight(group: int) -> None:
    scale = RANDOM.uniform(0.01, 0.1, (K // group, N) if group else N).astype(HALF)
    offset = RANDOM.integers(-3, 3, scale.shape).astype(HALF)
    wide = [np.repeat(each, group, 0) if group else each for each in (scale.astype(F32), offset.astype(F32))]
    parts = [a.astype(F32) @ ((b + wide[1]) * wide[0]) for a, b in zip(FLOAT1, INT2, strict=True)]
    calls = [
        {"x1": FLOAT1[rank], "x2": INT2[rank], "antiquantScale": scale, "antiquantOffset": offset, "x3": ADDEND,
         "antiquantGroupSize": group, "output": zeros(M, N)} for rank in range(2)
    ]  # fmt: skip
    with world(2) as (_, ranks):
        for version in ("", "V2"):
            for own in on_ranks(ranks, f"aclnnWeightQuantMatmulAllReduce{version}", calls):
                close(own["output"], sum(parts) + 2 * ADDEND.astype(F32))


NORMS: dict[str, list[dict[str, Any]]] = {
    "": [{"x1": FLOAT1[rank], "x2": FLOAT2[rank]} for rank in range(2)],
    "Quant": [{"x1": INT1[rank], "x2": INT2[rank], "dequantScale": packed(COLUMN[rank])} for rank in range(2)],
    "WeightQuant": [{"x1": FLOAT1[rank], "x2": INT2[rank], "antiquantScale": np.full(N, 0.05, HALF)}
                    for rank in range(2)],
}  # fmt: skip


@pytest.mark.parametrize("form", NORMS)
def test_norms_of_sums(form: str) -> None:
    """The norm of a sum equals that of the sum of MatmulAllReduce; the residual is added once."""
    gamma = RANDOM.uniform(0.5, 1.5, N).astype(HALF)
    norm = {"residual": RESIDUAL, "gamma": gamma, "epsilon": 1e-6, "normOut": zeros(1, M, N)}
    sums = {"x3": None, "output": zeros(M, N)}
    calls = [call | norm for call in NORMS[form]]
    plain = [{name: value[None] if name == "dequantScale" else value for name, value in call.items()} | sums
             for call in NORMS[form]]  # fmt: skip
    with world(2) as (_, ranks):
        whole = on_ranks(ranks, f"aclnn{form}MatmulAllReduce", plain)[0]["output"]
        apart = on_ranks(ranks, f"aclnn{form}MatmulAllReduceAddRmsNorm", [c | {"y": zeros(1, M, N)} for c in calls])
        inside = on_ranks(ranks, f"aclnnInplace{form}MatmulAllReduceAddRmsNorm", calls)
    y = (whole + RESIDUAL[0]).astype(F32)
    expected = y / np.sqrt((y * y).mean(1, keepdims=True) + 1e-6) * gamma
    for one, other in zip(apart, inside, strict=True):
        close(one["y"][0], y)
        close(one["normOut"][0], expected)
        assert np.array_equal(one["y"], other["residual"])
        assert np.array_equal(one["normOut"], other["normOut"])


def test_exchanged_products() -> None:
    """The worked example: with a unit matrix the product is what was exchanged."""
    x1 = [np.array(rows, HALF) for rows in ([[1, 2], [3, 4]], [[5, 6], [7, 8]])]
    to_ranks = [{"x1": each, "x2": np.eye(4, dtype=HALF), "output": zeros(1, 4)} for each in x1]
    turned = [
        call | {"x2": 2 * call["x2"], "transposeX2": True, "alltoAllOutOptional": zeros(1, 4)} for call in to_ranks
    ]
    of_products = [{"x1": each, "x2": np.eye(2, dtype=HALF), "output": zeros(4, 1)} for each in x1]
    with world(2) as (_, ranks):
        rows = on_ranks(ranks, "aclnnAlltoAllMatmul", to_ranks)
        double = on_ranks(ranks, "aclnnAlltoAllMatmulV2", turned)
        columns = [on_ranks(ranks, f"aclnnMatmulAlltoAll{version}", of_products) for version in ("", "V2")]
    assert [own["output"].tolist() for own in rows] == [[[1, 2, 5, 6]], [[3, 4, 7, 8]]]
    assert [own["output"].tolist() for own in double] == [[[2, 4, 10, 12]], [[6, 8, 14, 16]]]
    assert [own["alltoAllOutOptional"].tolist() for own in double] == [[[1, 2, 5, 6]], [[3, 4, 7, 8]]]
    for found in columns:
        assert [own["output"].ravel().tolist() for own in found] == [[1, 3, 5, 7], [2, 4, 6, 8]]


@pytest.mark.parametrize("version", ["", "V2"])
def test_a_barrier(version: str) -> None:
    """The rank that comes first waits; the tensor stays."""
    with world(2, soc="Ascend910_9391") as (machine, ranks):
        name = f"aclnnDistributeBarrier{version}"
        calls = [RankCall(rank, name, {"xRef": np.ones(3, F32), "worldSize": 2}) for rank in ranks]
        ok(calls[0].launch())
        assert not machine.tasks
        ok(calls[1].launch())
        assert [call.results()["xRef"].tolist() for call in calls] == [[1, 1, 1]] * 2
