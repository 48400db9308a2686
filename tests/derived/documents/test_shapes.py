"""Every number of dimensions and every format label, for each tensor of the five documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.aclnn.ops.case import Case, Meta, f32, i64
from tests.aclnn.ops.cases import BATCH_NORM, CASES, CROSS_ENTROPY, EMBEDDING, PRELU, SOFTMAX

INVALID = ACLNN_ERR_PARAM_INVALID
TILING = ACLNN_ERR_INNER_TILING_ERROR
PLAN = ACLNN_ERR_INNER_NULLPTR


# ranks: each parameter with every number of dimensions, the others made to fit


class Ranks(NamedTuple):
    fitting: Callable[[int], dict[str, Meta]]
    legal: range
    status: int = INVALID


def some(rank: int, *last: int) -> Meta:
    """Dimensions of 2, and `last` at the end as far as the rank goes."""
    return f32(*([2] * (rank - len(last)) + list(last))[-rank:] if rank else ())


def lead(rank: int, *first: int, dtype: int = ACL_FLOAT) -> Meta:
    """`first` as far as the rank goes, and dimensions of 1 behind."""
    return Meta((*first, *[1] * rank)[:rank], dtype)


def clamped(rank: int, low: int = 0) -> int:
    return min(max(rank, low), 8)


def channel_sums(name: str) -> Ranks:
    return Ranks(lambda rank: {name: lead(rank, 2)}, range(1, 2))


_ONE = {"weight": f32(1), "gradWeight": f32(1)}
RANKS = {
    SOFTMAX: {
        "gradOutput": Ranks(lambda r: dict.fromkeys(("gradOutput", "output", "out"), some(r)), range(9)),
        "output": Ranks(lambda r: {"output": lead(r, 4, 2)}, range(2, 3)),
        "out": Ranks(lambda r: {"out": lead(r, 4, 2)}, range(2, 3)),
    },
    PRELU: {
        "gradOutput": Ranks(
            lambda r: {"self": some(8), "gradInput": some(8), "gradOutput": some(r), **_ONE}, range(9)
        ),
        "self": Ranks(lambda r: {"self": some(r), "gradInput": some(r), "gradOutput": f32(), **_ONE}, range(9)),
        "weight": Ranks(lambda r: {"weight": lead(r), "gradWeight": lead(r)}, range(9)),
        "gradInput": Ranks(
            lambda r: {"self": some(clamped(r)), "gradInput": some(r), "gradOutput": f32(), **_ONE}, range(9)
        ),
        "gradWeight": Ranks(lambda r: {"weight": lead(clamped(r)), "gradWeight": lead(r)}, range(9)),
    },
    BATCH_NORM: {
        "gradOut": Ranks(lambda r: {"gradOut": some(r), "input": some(clamped(r, 2))}, range(2, 9)),
        "input": Ranks(lambda r: {"input": some(r), "gradOut": some(clamped(r, 2))}, range(2, 9)),
        **{name: channel_sums(name) for name in ("sumDy", "sumDyXmu", "gradWeight", "gradBias")},
    },
    CROSS_ENTROPY: {
        "gradLoss": Ranks(lambda r: {"gradLoss": lead(r)}, range(2), TILING),  # one element in 1-D: accepted
        "logProb": Ranks(lambda r: {"logProb": lead(r, 2, 3)}, range(2, 3), TILING),
        "target": Ranks(lambda r: {"target": lead(r, 2, dtype=ACL_INT64)}, range(1, 2), TILING),
        "weightOptional": Ranks(lambda r: {"weightOptional": lead(r, 3)}, range(1, 2), TILING),
        "out": Ranks(lambda r: {"out": lead(r, 2, 3)}, range(2, 3), TILING),
    },
    EMBEDDING: {
        "grad": Ranks(
            lambda r: {
                "grad": f32(*([2] + [1] * (r - 2) + [3])[-r:] if r else ()), "indices": i64(2) if r > 1 else i64(1)
            },
            range(2, 9),
        ),
        "indices": Ranks(lambda r: {"indices": lead(r, 2, dtype=ACL_INT64) if r else i64(),
                                    "grad": f32(2 if r else 1, 3)}, range(1, 9)),
        "out": Ranks(lambda r: {"out": lead(r, 4, 3)}, range(2, 3)),
    },
}  # fmt: skip


@pytest.mark.fidelity(
    "aclnnEmbeddingDenseBackward, format of out", "aclnnEmbeddingDenseBackward, grad of rank 1, indices of rank 0"
)
@pytest.mark.parametrize(
    ("case", "name"), [pytest.param(case, name, id=f"{case}-{name}") for case, ranks in RANKS.items() for name in ranks]
)
def test_each_tensor_takes_the_ranks_of_its_table(machine: Machine, case: Case, name: str) -> None:
    ranks = RANKS[case][name]
    for rank in range(10):
        changes = ranks.fitting(rank)
        assert len(changes[name].shape) == rank
        planned = case.plan(changes)
        if rank in ranks.legal:
            assert planned.status == ACL_SUCCESS, f"{rank} dimensions: {planned.text}"
        else:
            assert planned.status == ranks.status, f"{rank} dimensions: {planned.text}"
            assert f"parameter: {name}," in planned.text


def test_gradloss_has_one_dimension_for_reduction_none(machine: Machine) -> None:
    for rank in range(10):
        planned = CROSS_ENTROPY.plan({"gradLoss": lead(rank, 2), "reductionOptional": "none"})
        assert planned.status == (ACL_SUCCESS if rank == 1 else TILING), f"{rank} dimensions"


# formats

PRIVATE = {
    "NC1HWC0", "NC1HWC0_C04", "FRACTAL_Z", "FRACTAL_Z_3D", "NDC1HWC0", "FRACTAL_NZ", "FRACTAL_NZ_C0_2",
    "FRACTAL_NZ_C0_4", "FRACTAL_NZ_C0_8", "FRACTAL_NZ_C0_16", "FRACTAL_NZ_C0_32",
}  # fmt: skip
PUBLIC = {each.name.removeprefix("ACL_FORMAT_").removeprefix("ACL_") for each in aclFormat} - PRIVATE
FORMATS = {  # the labels that pass, by parameter; the others are 161002
    **{(SOFTMAX, name): PUBLIC | PRIVATE for name in SOFTMAX.tensors},  # "format: label never looked at"
    **{(PRELU, name): PUBLIC | PRIVATE for name in PRELU.tensors},
    **{(BATCH_NORM, name): PUBLIC for name in BATCH_NORM.tensors},
    (BATCH_NORM, "weight"): PUBLIC | PRIVATE,  # "weight excluded"
    **{
        (CROSS_ENTROPY, name): {"ND", "NCL", "NCHW", "NHWC", "NCDHW"}
        for name in ("gradLoss", "logProb", "target", "out")
    },
    (CROSS_ENTROPY, "weightOptional"): PUBLIC | PRIVATE,  # "optional inputs do not take part in kernel matching"
    **{(EMBEDDING, name): PUBLIC for name in EMBEDDING.tensors},
}  # fmt: skip
LABELLED_TOGETHER = {"gradOut": ("gradOut", "input"), "input": ("gradOut", "input"), "invstd": ("invstd", "gradWeight")}


def test_formats_are_told_for_every_tensor() -> None:
    assert set(FORMATS) == {(case, name) for case in CASES for name in case.tensors}


@pytest.mark.fidelity(
    "format labels",
    "aclnnBatchNormReduceBackward, formats",
    "aclnnCrossEntropyLossGrad, labels",
    "aclnnEmbeddingDenseBackward, format of out",
)
@pytest.mark.parametrize(
    ("case", "name", "legal"),
    [pytest.param(*where, legal, id=f"{where[0]}-{where[1]}") for where, legal in FORMATS.items()],
)
def test_each_tensor_takes_the_formats_of_its_table(machine: Machine, case: Case, name: str, legal: set[str]) -> None:
    """ "Any non-private label is accepted; private formats as the operators' pages say"."""
    wrong: list[str] = []
    for format in aclFormat:
        label = format.name.removeprefix("ACL_FORMAT_").removeprefix("ACL_")
        names = LABELLED_TOGETHER.get(name, (name,)) if case is BATCH_NORM and label in legal else (name,)
        planned = case.plan({each: relabelled(case, each, format) for each in names})
        if planned.status != (ACL_SUCCESS if label in legal else INVALID):
            wrong.append(f"{label}: {planned.status} {planned.text}")
    assert not wrong


def relabelled(case: Case, name: str, format: int) -> Meta:
    array = case.good[name]
    return Meta(array.shape, ACL_INT64 if array.dtype.kind == "i" else ACL_FLOAT, format)


def test_labels_of_statistics_matter_only_for_gradweight(machine: Machine) -> None:
    """ "invstd in a non-ND public format while gradWeight has another format -> 561103 (weightG true only)"."""
    labelled = {"invstd": f32(2, format=ACL_FORMAT_NCHW)}
    assert BATCH_NORM.plan(labelled).status == PLAN
    assert BATCH_NORM.plan({**labelled, "weightG": False}).status == ACL_SUCCESS
    assert BATCH_NORM.plan({"sumDy": f32(2, format=ACL_FORMAT_NHWC)}).status == ACL_SUCCESS
