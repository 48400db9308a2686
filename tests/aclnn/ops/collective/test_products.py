"""Products that communicate, among ranks with other data each: the worked examples, and a plain composition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from tests.helpers.builders import on_device
from tests.helpers.rank_operators import on_ranks
from tests.helpers.ranks import SIZES, world

K = 256
HALF = np.float16
X2 = np.repeat(np.array([[1, 2]], HALF) / HALF(K), K, 0)


def rows(rank: int) -> Any:
    """Two rows: (rank + 1), and ten times as much."""
    return np.repeat(np.array([[rank + 1], [10 * (rank + 1)]], HALF), K, 1)


def zeros(*shape: int) -> Any:
    return np.zeros(shape, HALF)


EXAMPLES: dict[str, tuple[str, dict[str, Any], list[dict[str, Any]]]] = {
    "gather": (
        "aclnnAllGatherMatmul", {"output": zeros(4, 2), "gatherOut": zeros(4, K)},
        [{"output": [[1, 2], [10, 20], [2, 4], [20, 40]], "gatherOut": np.repeat([[1], [10], [2], [20]], K, 1)}] * 2,
    ),
    "gather without gatherOut": (
        "aclnnAllGatherMatmulV2", {"output": zeros(4, 2), "gatherOut": zeros(0)},
        [{"output": [[1, 2], [10, 20], [2, 4], [20, 40]]}] * 2,
    ),
    "scatter": ("aclnnMatmulReduceScatter", {"output": zeros(1, 2)}, [{"output": [[3, 6]]}, {"output": [[30, 60]]}]),
    "scatter with bias": (
        "aclnnMatmulReduceScatterV2", {"output": zeros(1, 2), "bias": np.ones(2, HALF)},
        [{"output": [[5, 8]]}, {"output": [[32, 62]]}],
    ),
    "sum": ("aclnnMatmulAllReduce", {"output": zeros(2, 2)}, [{"output": [[3, 6], [30, 60]]}] * 2),
    "sum with x3": (
        "aclnnMatmulAllReduceV2", {"output": zeros(2, 2), "bias": np.ones(2, HALF), "x3": zeros(2, 2) + HALF(0.5)},
        [{"output": [[6, 9], [33, 63]]}] * 2,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", EXAMPLES)
def test_the_examples(case: str) -> None:
    name, values, expected = EXAMPLES[case]
    with world(2) as (_, ranks):
        results = on_ranks(ranks, name, [{"x1": rows(rank), "x2": X2, **values} for rank in range(2)])
    for own, right in zip(results, expected, strict=True):
        for output, numbers in right.items():
            assert own[output].tolist() == np.array(numbers).tolist()


@pytest.mark.fidelity("operators that meet other ranks: sums")
@pytest.mark.parametrize("size", SIZES)
def test_ranks_against_a_plain_composition(size: int) -> None:
    """Random data on each rank, also an x2 that is transposed, and integers with scales."""
    random = np.random.default_rng(5)
    m, n = 8, 3
    x1 = [random.standard_normal((m, K)).astype(HALF) for _ in range(size)]
    x2 = [random.standard_normal((K, n)).astype(HALF) for _ in range(size)]
    bias = [random.standard_normal(n).astype(HALF) for _ in range(size)]
    whole = [a.astype(np.float32) @ b.astype(np.float32) + c for a, b, c in zip(x1, x2, bias, strict=True)]
    total = sum(each.astype(HALF).astype(np.float32) for each in whole)
    every = np.concatenate(x1).astype(np.float32)

    def calls(**outputs: Any) -> list[dict[str, Any]]:
        return [{"x1": a, "x2": b, "bias": c, **outputs} for a, b, c in zip(x1, x2, bias, strict=True)]

    with world(size) as (_, ranks):
        gathered = on_ranks(ranks, "aclnnAllGatherMatmul", calls(output=zeros(size * m, n), gatherOut=zeros(0)))
        summed = on_ranks(ranks, "aclnnMatmulAllReduce", calls(output=zeros(m, n)))
        scattered = on_ranks(ranks, "aclnnMatmulReduceScatter", calls(output=zeros(m // size, n)))
        swapped = [call | {"x2": transposed(call["x2"], rank)} for rank, call in enumerate(calls(output=zeros(m, n)))]
        turned = on_ranks(ranks, "aclnnMatmulAllReduceV3", swapped)
    for rank in range(size):
        assert np.allclose(gathered[rank]["output"], every @ x2[rank].astype(np.float32) + bias[rank], rtol=2e-3)
        assert np.array_equal(summed[rank]["output"], total.astype(HALF))
        assert np.array_equal(scattered[rank]["output"], np.split(total.astype(HALF), size)[rank])
        assert np.array_equal(turned[rank]["output"], total.astype(HALF))


def transposed(values: Any, rank: int) -> Any:
    """The values on a rank, as the transposed view of a dense matrix."""
    aclrtSetDevice(rank)
    return on_device(values, strides=(1, values.shape[0]))


def test_integers_with_scales() -> None:
    random = np.random.default_rng(6)
    m, n = 4, 6
    x1 = [random.integers(-128, 128, (m, K), np.int8) for _ in range(2)]
    x2 = [random.integers(-128, 128, (K, n), np.int8) for _ in range(2)]
    rows = [random.uniform(0.001, 0.01, (m, 1)).astype(np.float32) for _ in range(2)]
    columns = [random.uniform(0.001, 0.01, (1, n)).astype(np.float32) for _ in range(2)]
    bias = np.ones(n, np.float32)
    own = [(a.astype(np.int32) @ b.astype(np.int32)) * r * c
           for a, b, r, c in zip(x1, x2, rows, columns, strict=True)]  # fmt: skip
    calls = [{"x1": a, "x2": b, "x1Scale": r, "x2Scale": c} for a, b, r, c in zip(x1, x2, rows, columns, strict=True)]
    with world(2) as (_, ranks):
        outputs = {"output": zeros(2 * m, n), "gatherOut": np.zeros((2 * m, K), np.int8)}
        gathered = on_ranks(ranks, "aclnnAllGatherMatmulV2", [call | outputs for call in calls])
        outputs = {"output": zeros(m // 2, n), "bias": bias}
        scattered = on_ranks(ranks, "aclnnMatmulReduceScatterV2", [call | outputs for call in calls])
    both, scales = np.concatenate(x1).astype(np.int32), np.concatenate(rows)
    for rank in range(2):
        assert np.array_equal(gathered[rank]["gatherOut"], both)
        assert np.allclose(gathered[rank]["output"], (both @ x2[rank]) * scales * columns[rank], rtol=2e-3)
        assert np.allclose(scattered[rank]["output"], np.split(own[0] + own[1] + 2, 2)[rank], rtol=4e-3, atol=0.01)
