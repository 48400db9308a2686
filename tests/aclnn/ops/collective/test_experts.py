"""Dispatch and combine: the worked example, masks, quantised rows, shared and special experts, and random layouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from tests.helpers.outcomes import finding_of
from tests.helpers.rank_operators import RankCall, on_ranks
from tests.helpers.ranks import SIZES, Rank, world

HALF, F32, I32 = np.float16, np.float32, np.int32
H = 32
FILL = -7
VERSIONS = ("", "V2", "V3", "V4")
IDS = [np.array([[0, 2], [3, 1]], I32), np.array([[2, 0], [2, 3]], I32)]
SCALES = [np.array([[0.5, 0.25], [1, 2]], F32), np.array([[0.5, 1], [0.25, 4]], F32)]
X = [np.repeat(np.array([[10], [20]], HALF), H, 1), np.repeat(np.array([[30], [40]], HALF), H, 1)]
Arrays = Sequence[np.ndarray]


def filled(*shape: int, dtype: Any = HALF) -> np.ndarray:
    return np.full(shape, FILL, dtype)


class Mixture:
    """A mixture of experts on some ranks: the calls of dispatch and combine."""

    def __init__(self, version: str, x: Arrays, ids: Arrays, scales: Arrays, number: int, **attributes: Any) -> None:
        self.version, self.x, self.ids, self.scales, self.number = version, x, ids, scales, number
        self.size = len(x)
        self.attributes = {"epWorldSize": self.size, "moeExpertNum": number, **attributes}

    def named(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
        """Arguments under the names of the version."""
        if not self.version:
            return {**inputs, **outputs}
        optional = ("scales", "xActiveMask", "expertScales")
        return {f"{name}Optional" if name in optional else name: value for name, value in inputs.items()} | {
            f"{name}Out": value for name, value in outputs.items()
        }

    def own(self, rank: int) -> int:
        """The experts of a rank."""
        shared = self.attributes.get("sharedExpertRankNum", 0)
        return 1 if rank < shared else self.number // (self.size - shared)

    def dispatched(self, ranks: Sequence[Rank], *, kind: Any = HALF, **more: Any) -> list[dict[str, np.ndarray]]:
        calls: list[dict[str, Any]] = []
        tokens, k = self.ids[0].shape
        for rank in range(self.size):
            room = self.size * tokens * max(self.own(rank), 1)
            inputs = {"x": self.x[rank], "expertIds": self.ids[rank], "expertScales": self.scales[rank]}
            inputs |= {name: value[rank] for name, value in more.items() if isinstance(value, list)}
            info = {"expandIdx": filled(tokens * k, dtype=I32)}
            if self.version:
                info = {"assistInfoForCombine": filled(room * 128, dtype=I32)}
            outputs = {
                "expandX": filled(room, self.x[0].shape[1], dtype=kind), **info,
                "dynamicScales": filled(room, dtype=F32),
                "expertTokenNums": filled(self.own(rank), dtype=np.int64), "expandScales": filled(room, dtype=F32),
                "epRecvCounts": filled(self.own(rank) * self.size, dtype=I32),
            }  # fmt: skip
            plain = {name: value for name, value in more.items() if not isinstance(value, list)}
            attributes = {"epRankId": rank, "expertTokenNumsType": 1, **self.attributes, **plain, **self.texts()}
            calls.append(self.named(inputs, outputs) | attributes)
        found = on_ranks(ranks, f"aclnnMoeDistributeDispatch{self.version}", calls)
        return [{name.removesuffix("Out"): value for name, value in each.items()} for each in found]

    def texts(self) -> dict[str, str]:
        return {"groupTp": "", "commAlg": ""}

    def combined(
        self, ranks: Sequence[Rank], sent: Sequence[dict[str, np.ndarray]], rows: Arrays, **more: Any
    ) -> list[np.ndarray]:
        info, result = ("assistInfoForCombine", "xOut") if self.version else ("expandIdx", "x")
        calls: list[dict[str, Any]] = []
        for rank in range(self.size):
            inputs = {
                "expandX": rows[rank], "expertIds": self.ids[rank], info: sent[rank][info],
                "epSendCounts": sent[rank]["epRecvCounts"],
                "expertScales": self.scales[rank],
            }  # fmt: skip
            inputs |= {name: value[rank] for name, value in more.items() if isinstance(value, list)}
            plain = {name: value for name, value in more.items() if not isinstance(value, list)}
            attributes = {"epRankId": rank, **self.attributes, **plain, **self.texts()}
            calls.append(self.named(inputs, {}) | attributes | {result: filled(*self.x[rank].shape)})
        if self.version:
            for call in calls:
                call["expertScales"] = call.pop("expertScalesOptional")
        found = on_ranks(ranks, f"aclnnMoeDistributeCombine{self.version}", calls)
        return [each[result] for each in found]

    def experts(self, sent: Sequence[dict[str, np.ndarray]], compute: Callable[[int, Any], Any]) -> list[np.ndarray]:
        """The rows that the experts return: `compute` of the number of an expert and its rows."""
        shared, results = self.attributes.get("sharedExpertRankNum", 0), list[np.ndarray]()
        for rank, each in enumerate(sent):
            rows, start = each["expandX"].copy(), 0
            for local, count in enumerate(each["expertTokenNums"]):
                first = self.number if rank < shared else (rank - shared) * self.own(rank)
                rows[start : start + count] = compute(first + local, rows[start : start + count])
                start += count
            results.append(rows)
        return results


def example(version: str) -> Mixture:
    return Mixture(version, X, IDS, SCALES, 4)


@pytest.mark.parametrize("version", VERSIONS)
def test_the_example(version: str) -> None:
    mixture = example(version)
    with world(2) as (_, ranks):
        sent = mixture.dispatched(ranks)
        running = mixture.dispatched(ranks, expertTokenNumsType=0)
        back = mixture.combined(ranks, sent, mixture.experts(sent, lambda expert, rows: rows * (expert + 1)))
    assert [each["expandX"][:, 0].tolist() for each in sent] == [
        [10, 30, 20, *[FILL] * 5], [10, 30, 40, 20, 40, *[FILL] * 3],
    ]  # fmt: skip
    assert [each["epRecvCounts"].tolist() for each in sent] == [[1, 2, 3, 3], [1, 3, 4, 5]]
    assert [each["expertTokenNums"].tolist() for each in sent] == [[2, 1], [3, 2]]
    assert [each["expertTokenNums"].tolist() for each in running] == [[2, 3], [3, 5]]
    assert [each["expandScales"].tolist() for each in sent] == [
        [0.5, 1, 2, *[FILL] * 5], [0.25, 0.5, 0.25, 1, 4, *[FILL] * 3],
    ]  # fmt: skip
    if version:
        triples = [each["assistInfoForCombine"][:15].reshape(5, 3).tolist() for each in sent]
        assert triples[0][:3] == [[0, 0, 0], [1, 0, 1], [0, 1, 1]]
        assert triples[1] == [[0, 0, 1], [1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 1, 1]]
    else:
        assert [each["expandIdx"].tolist() for each in sent] == [[0, 0, 0, 0], [0, 0, 1, 0]]
    assert [each[:, 0].tolist() for each in back] == [[12.5, 160], [75, 670]]


@pytest.mark.parametrize("columns", [False, True])
def test_a_mask(columns: bool) -> None:
    """Rows of inactive tokens are not written."""
    own = np.array([[True] * 2, [False] * 2]) if columns else np.array([True, False])
    mixture, mask = example("V3"), [own, own]
    with world(2) as (_, ranks):
        sent = mixture.dispatched(ranks, xActiveMask=mask)
        back = mixture.combined(ranks, sent, mixture.experts(sent, lambda expert, rows: rows), xActiveMask=mask)
    assert [each["expandX"][:3, 0].tolist() for each in sent] == [[10, 30, FILL]] * 2
    assert [each["epRecvCounts"].tolist() for each in sent] == [[1, 2, 2, 2]] * 2
    assert [each[:, 0].tolist() for each in back] == [[7.5, FILL], [45, FILL]]


@pytest.mark.fidelity("aclnnMoeDistributeDispatch (V1 to V4)")
def test_rows_of_int8() -> None:
    x = np.resize(np.array([1, -2, 0.5, 2.54], HALF), H)
    mixture = Mixture("V2", [np.stack([x, 0 * x])] * 2, IDS, SCALES, 4)
    with world(2) as (_, ranks):
        plain = mixture.dispatched(ranks, kind=np.int8, quantMode=2)
        smooth = np.ones((4, H), F32) * np.array([[1], [2], [4], [8]], F32)
        scaled = mixture.dispatched(ranks, kind=np.int8, quantMode=2, scales=[smooth, smooth])
    assert plain[0]["expandX"][0, :4].tolist() == scaled[0]["expandX"][0, :4].tolist() == [50, -100, 25, 127]
    assert np.allclose(plain[0]["dynamicScales"][:3], [0.02, 0.02, 0], rtol=1e-3)
    assert np.allclose(scaled[1]["dynamicScales"][:5], [0.08, 0.08, 0, 0, 0], rtol=1e-3)


def test_shared_and_special_experts() -> None:
    """Rank 0 has the shared expert, rank 1 the experts 0 and 1; 2 is a zero expert, 3 a copy, 4 a constant."""
    ids = [np.array([[0, 3], [4, 2]], I32), np.array([[1, 2], [3, 0]], I32)]
    special = {"zeroExpertNum": 1, "copyExpertNum": 1, "constExpertNum": 1}
    mixture = Mixture("V4", X, ids, SCALES, 2, sharedExpertNum=1, sharedExpertRankNum=1, **special)
    zeros = np.zeros((1, H), HALF)
    with world(2) as (_, ranks):
        sent = mixture.dispatched(ranks)
        tensors = {"oriXOptional": X, "sharedExpertXOptional": [np.ones_like(X[0])] * 2}
        constants = {f"constExpert{name}Optional": [zeros] * 2 for name in ("Alpha1", "Alpha2")}
        constants["constExpertVOptional"] = [zeros + HALF(2)] * 2
        rows = mixture.experts(sent, lambda expert, rows: rows * (10 if expert == 2 else expert + 1))
        back = mixture.combined(ranks, sent, rows, **tensors, **constants)
    assert sent[0]["expandX"][:4, 0].tolist() == [10, 20, 30, 40]
    assert sent[0]["assistInfoForCombine"][:12].reshape(4, 3).tolist() == [[0, 0, 2], [0, 1, 2], [1, 0, 2], [1, 1, 2]]
    assert sent[1]["expandX"][:3, 0].tolist() == [10, 40, 30]
    half = (20 + 2) / 2  # equal weights of the constant expert
    assert [each[:, 0].tolist() for each in back] == [
        [0.5 * 10 + 0.25 * 10 + 100 + 1, half + 200 + 1], [0.5 * 60 + 300 + 1, 0.25 * 40 + 4 * 40 + 400 + 1],
    ]  # fmt: skip


def test_the_first_version_splits_the_tokens_over_the_ranks_of_the_shared_expert() -> None:
    ids = [np.array([[0], [1], [0]], I32)] * 3
    x = [np.repeat(np.arange(1, 4, dtype=HALF)[:, None] + 10 * rank, H, 1) for rank in range(3)]
    mixture = Mixture("", x, ids, [np.ones((3, 1), F32)] * 3, 2, sharedExpertNum=1, sharedExpertRankNum=2)
    with world(3) as (_, ranks):
        sent = mixture.dispatched(ranks)
        rows = mixture.experts(sent, lambda expert, rows: rows * (expert + 1))
        back = mixture.combined(ranks, sent, rows)
    assert sent[0]["expandX"][:6, 0].tolist() == [1, 2, 11, 12, 21, 22]
    assert sent[1]["expandX"][:3, 0].tolist() == [3, 13, 23]
    for rank in range(3):
        assert back[rank][:, 0].tolist() == [
            int(v * (e + 1) + 3 * v) for v, (e,) in zip(x[rank][:, 0], ids[0], strict=True)
        ]


@pytest.mark.parametrize(("version", "size"), [("", 4), ("V2", 4), ("V4", 2), *(("V4", size) for size in SIZES[1:])])
def test_a_mixture_equals_that_of_one_rank(version: str, size: int) -> None:
    """Random tokens and experts; each expert scales its rows. The rows travel as they are, or as INT8."""
    random, number, tokens, k = np.random.default_rng(size), 2 * size, 5, 3
    x = [random.standard_normal((tokens, H)).astype(HALF) for _ in range(size)]
    ids = [np.stack([random.permutation(number)[:k] for _ in range(tokens)]).astype(I32) for _ in range(size)]
    scales = [random.uniform(0, 1, (tokens, k)).astype(F32) for _ in range(size)]
    mixture = Mixture(version, x, ids, scales, number)
    with world(size) as (_, ranks):
        sent = mixture.dispatched(ranks)
        rows = mixture.experts(sent, lambda expert, rows: rows * HALF(expert - 2))
        back = mixture.combined(ranks, sent, rows)
        short = mixture.combined(ranks, sent, rows, commQuantMode=2)
    for rank in range(size):
        weights = (scales[rank] * (ids[rank] - 2)).sum(1, keepdims=True)
        assert np.allclose(back[rank], x[rank] * weights, rtol=4e-3, atol=4e-3)
        assert np.allclose(short[rank], x[rank] * weights, atol=0.02 * number)  # the largest factor grows


@pytest.mark.fidelity("aclnnMoeDistributeDispatch (V1 to V4)")
def test_an_expert_that_does_not_exist() -> None:
    wrong = IDS[0].copy()
    wrong[1, 1] = 4
    with world(2, on_undefined="report") as (machine, ranks):
        calls = [
            RankCall(rank, "aclnnMoeDistributeDispatch", call) for rank, call in zip(ranks, single(wrong), strict=True)
        ]
        for call in calls:
            assert call.launch() == ACL_SUCCESS
        for rank in ranks:
            aclrtSetDevice(rank.number)
            assert aclrtSynchronizeStream(rank.stream) != ACL_SUCCESS
        assert "index-range" in [finding.id for finding in machine.findings]


def single(first: np.ndarray) -> list[dict[str, Any]]:
    """Calls of the first version, with these experts on rank 0."""
    return [
        {
            "x": X[rank], "expertIds": first if rank == 0 else IDS[1], "epWorldSize": 2, "epRankId": rank,
            "moeExpertNum": 4, "groupTp": "", "expertTokenNumsType": 1, "expandX": filled(8, H),
            "dynamicScales": filled(8, dtype=F32), "expandIdx": filled(4, dtype=I32),
            "expertTokenNums": filled(2, dtype=np.int64), "epRecvCounts": filled(4, dtype=I32),
            "expandScales": filled(8, dtype=F32),
        }
        for rank in range(2)
    ]  # fmt: skip


def test_a_mixture_whose_ranks_differ() -> None:
    with world(2) as (_, ranks):
        calls = single(IDS[0])
        first = RankCall(ranks[0], "aclnnMoeDistributeDispatch", calls[0])
        second = RankCall(ranks[1], "aclnnMoeDistributeDispatch", calls[1] | {"globalBs": 4})
        assert first.launch() == ACL_SUCCESS
        id, text = finding_of(second.launch)
        assert (id, "globalBs" in text) == ("collective-mismatch", True)


def test_a_rank_without_rows_as_int8() -> None:
    """Nothing travels to the second rank."""
    x, ids = [np.ones((2, H), HALF)] * 2, [np.array([[0], [1]], I32)] * 2
    scales = [np.ones((2, 1), F32)] * 2
    mixture = Mixture("V2", x, ids, scales, 4)
    with world(2) as (_, ranks):
        sent = mixture.dispatched(ranks)
        rows = mixture.experts(sent, lambda _, rows: rows)
        back = mixture.combined(ranks, sent, rows, commQuantMode=2)
    assert all(np.allclose(values, 1, atol=0.02) for values in back)
