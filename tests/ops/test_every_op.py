"""What holds for the first phase of every operator, derived from its declaration and from `cases.py`.

The facts come from the operators' contracts: "1. Interface", "2. Parameters", "4. Phase 1: ordered checks", "5. Phase 1
checks, in the order of the public implementation".
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import byref, c_uint64
from typing import Any, NamedTuple

import pytest

import aclnn
from acl_runtime import (
    ACL_BF16,
    ACL_BOOL,
    ACL_DOUBLE,
    ACL_FLOAT,
    ACL_FLOAT16,
    ACL_INT8,
    ACL_INT16,
    ACL_INT32,
    ACL_INT64,
    ACL_SUCCESS,
    ACL_UINT8,
    ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_INNER_TILING_ERROR,
    ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR,
    Machine,
    aclDataType,
    aclFormat,
    aclGetRecentErrMsg,
    aclOpExecutor,
    aclTensor,
)
from acl_runtime.machine.executor import Family
from acl_runtime.machine.soc import SOCS, Series
from aclnn import Op, two_phase
from aclnn.constraints import Empty, Listed
from aclnn.spec import TensorOut, TensorParam
from tests.builders import Planned, plan
from tests.ops.cases import (
    A2,
    A3,
    A200I,
    BATCH_NORM,
    CASES,
    CROSS_ENTROPY,
    EMBEDDING,
    INFERENCE,
    PRELU,
    SOFTMAX,
    TRAINING,
    Breaker,
    Case,
    Changes,
    Meta,
    board,
    f16,
    f32,
    i64,
)

NULLPTR, INVALID = ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_PARAM_INVALID
TILING, PLAN = ACLNN_ERR_INNER_TILING_ERROR, ACLNN_ERR_INNER_NULLPTR
SOC_OF = {
    Series.A2: A2,
    Series.A3: A3,
    Series.TRAINING: TRAINING,
    Series.INFERENCE: INFERENCE,
    Series.A200I_500_A2: A200I,
}
UNTOUCHED = 12345  # what `plan` puts into workspaceSize before the call

every_case = pytest.mark.parametrize("case", CASES, ids=str)
every_check = pytest.mark.parametrize(
    ("case", "sentence"), [pytest.param(case, s, id=f"{case}-{s}") for case in CASES for s in case.breakers]
)
every_breaker = pytest.mark.parametrize(
    ("case", "sentence", "breaker"),
    [
        pytest.param(case, sentence, breaker, id=f"{case}-{sentence}-{i}")
        for case in CASES
        for sentence, breakers in case.breakers.items()
        for i, breaker in enumerate(breakers)
    ],
)


def tensor_params(case: Case) -> dict[str, TensorParam[Any]]:
    return {param.name: param for param in case.op.tensors}


# declarations


def test_every_operator_has_a_case() -> None:
    ops = {value.op for value in map(aclnn.__dict__.get, aclnn.__all__) if hasattr(value, "op")}
    assert ops == {case.op for case in CASES}


PROTOTYPES = {
    SOFTMAX: (
        "aclnnop/aclnn_softmax_backward.h",
        "aclnnStatus aclnnSoftmaxBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *output, int64_t dim, aclTensor* out, uint64_t *workspaceSize, aclOpExecutor **executor)",
        "aclnnStatus aclnnSoftmaxBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)",
    ),
    PRELU: (  # "gradIntput" is what the document of aclnnPreluBackward prints
        "aclnnop/aclnn_prelu_backward.h",
        "aclnnStatus aclnnPreluBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self, const aclTensor *weight, aclTensor *gradIntput, aclTensor *gradWeight, uint64_t *workspaceSize, aclOpExecutor **executor)",
        "aclnnStatus aclnnPreluBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)",
    ),
    BATCH_NORM: (  # the words of the header's name stand in another order than those of the function
        "aclnnop/aclnn_batch_norm_backward_reduce.h",
        "aclnnStatus aclnnBatchNormReduceBackwardGetWorkspaceSize(const aclTensor* gradOut, const aclTensor* input, const aclTensor* mean, const aclTensor* invstd, const aclTensor* weight, const bool inputG, const bool weightG, const bool biasG, aclTensor* sumDy, aclTensor* sumDyXmu, aclTensor* gradWeight, aclTensor* gradBias, uint64_t* workspaceSize, aclOpExecutor** executor)",
        "aclnnStatus aclnnBatchNormReduceBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, const aclrtStream stream)",
    ),
    CROSS_ENTROPY: (
        "aclnnop/aclnn_cross_entropy_loss_grad.h",
        "aclnnStatus aclnnCrossEntropyLossGradGetWorkspaceSize(const aclTensor *gradLoss, const aclTensor *logProb, const aclTensor *target, const aclTensor *weightOptional, const aclTensor *gradZlossOptional, const aclTensor *lseForZlossOptional, char *reductionOptional, int64_t ignoreIndex, double labelSmoothing, double lseSquareScaleForZloss, const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)",
        "aclnnStatus aclnnCrossEntropyLossGrad(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)",
    ),
    EMBEDDING: (
        "aclnnop/aclnn_embedding_dense_backward.h",
        "aclnnStatus aclnnEmbeddingDenseBackwardGetWorkspaceSize(const aclTensor *grad, const aclTensor *indices, uint64_t numWeights, uint64_t paddingIdx, bool scaleGradByFreq, const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)",
        "aclnnStatus aclnnEmbeddingDenseBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, const aclrtStream stream)",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "lines"), PROTOTYPES.items(), ids=str)
def test_prototype_is_that_of_the_document(case: Case, lines: tuple[str, str, str]) -> None:
    """The lines of "接口原型" in the documents; only the blanks around `*` differ between them."""
    header, *prototypes = lines
    declared = case.first.c, case.second.c
    assert [each.header for each in declared] == [header, header]
    assert [blanks(each.prototype) for each in declared] == [blanks(line) for line in prototypes]


def blanks(prototype: str) -> str:
    return re.sub(r"\s*(\*+)\s*", r" \1", prototype)


@every_case
def test_declared_checks_are_those_of_the_contract_in_its_order(case: Case) -> None:
    """A check without a breaker fails here, and so does one in another place."""
    assert [check.sentence for check in case.op.checks] == list(case.breakers)


@every_case
def test_every_check_has_the_status_of_its_breakers(case: Case) -> None:
    for check in case.op.checks:
        statuses = {breaker.status for breaker in case.breakers[check.sentence]}
        assert statuses == ({ACL_SUCCESS} if isinstance(check, Empty) else {check.status}), check.sentence


# the good call and its breakers


@every_case
def test_good_call_is_planned(machine: Machine, case: Case) -> None:
    planned = case.plan()
    assert (planned.status, planned.text) == (ACL_SUCCESS, "")
    assert planned.executor
    assert planned.workspace_size != UNTOUCHED
    assert machine.findings == []


def judge(case: Case, breaker: Breaker, pair: Sequence[Any] | None = None) -> Planned:
    """The first phase of a breaker; `pair` instead of the operator's own functions."""
    with board(breaker.soc):
        return plan((pair or (case.first,))[0], *case.arguments(breaker.changes))


@every_breaker
def test_breaker_is_refused(case: Case, sentence: str, breaker: Breaker) -> None:
    """Status and text of each check: "then ours: parameter, found, allowed, SoC"."""
    planned = judge(case, breaker, without(case, breaker.behind))
    assert planned.status == breaker.status, planned.text
    if breaker.status == ACL_SUCCESS:
        assert planned.text == ""
        assert planned.workspace_size == 0
        return
    told = re.search(r"\(parameter: (\w+), found: (.*?), allowed: (.*?), SoC: (\S+)", planned.text)
    assert told, planned.text
    parameter, found, allowed, soc = told.groups()
    assert parameter == breaker.parameter
    assert found.startswith(breaker.found), found
    assert breaker.allowed in allowed, allowed
    assert soc == breaker.soc


@every_breaker
def test_out_parameters_stay_untouched_on_failure(case: Case, sentence: str, breaker: Breaker) -> None:
    """ "On failure: both *executor and *workspaceSize untouched"; for CrossEntropyLossGrad too."""
    planned = judge(case, breaker)
    if planned.status == ACL_SUCCESS:
        assert planned.executor
    else:
        assert planned.workspace_size == UNTOUCHED
        assert not planned.executor


def without(case: Case, sentences: Sequence[str]) -> Sequence[Any]:
    """The two functions of a copy of the operator that lacks some checks."""
    body = {name: value for name, value in vars(case.op).items() if name not in ("__dict__", "__weakref__")}
    body["checks"] = tuple(check for check in case.op.checks if check.sentence not in sentences)
    assert len(body["checks"]) == len(case.op.checks) - len(sentences)
    copy = type(case.op.__name__, (Op,), body)
    return two_phase(copy, sys.modules[case.op.__module__].plan)


def outcome(case: Case, breaker: Breaker, pair: Sequence[Any]) -> tuple[Any, ...]:
    """Status, text (without process and time) and workspace of a call; an operator that lacks a check may crash."""
    try:
        planned = judge(case, breaker, pair)
    except Exception as error:  # e.g. an IndexError for a dimension that nobody asked for
        return (type(error).__name__,)
    text = re.sub(r"\[PID: \d+\] \S+ ", "", planned.text)
    return planned.status, text, planned.workspace_size


@every_check
def test_no_check_can_be_left_out(case: Case, sentence: str) -> None:
    """Without any one check, some breaker of it fares otherwise."""
    assert any(
        outcome(case, breaker, without(case, breaker.behind))
        != outcome(case, breaker, without(case, (*breaker.behind, sentence)))
        for breaker in case.breakers[sentence]
    )


@every_check
def test_a_check_that_cannot_speak_first_is_said_to_be_behind_another(case: Case, sentence: str) -> None:
    for breaker in case.breakers[sentence]:
        for other in breaker.behind:
            speaks = next(each for each in case.breakers[other] if each.changes == breaker.changes)
            assert speaks.parameter in judge(case, breaker).text


# null pointers


def needed(case: Case) -> list[str]:
    return [param.name for param in case.op.tensors if not param.optional]


every_needed = pytest.mark.parametrize(
    ("case", "name"), [pytest.param(case, name, id=f"{case}-{name}") for case in CASES for name in needed(case)]
)


@every_needed
def test_null_tensor_is_161001_and_named(machine: Machine, case: Case, name: str) -> None:
    """Each document: "返回161001(ACLNN_ERR_PARAM_NULLPTR):传入的...是空指针". A masked output counts, as all masks are on."""
    planned = case.plan({name: None})
    assert planned.status == NULLPTR
    assert re.search(rf"\(parameter: {name}, found: null, allowed: .+, SoC: {A2} ", planned.text), planned.text
    assert planned.workspace_size == UNTOUCHED
    assert not planned.executor


@every_case
def test_first_null_in_the_order_of_the_parameters_is_named(machine: Machine, case: Case) -> None:
    names = needed(case)
    for i, name in enumerate(names):
        text = case.plan(dict.fromkeys(names[i:])).text
        assert re.search(rf"\b{name}\b", text), text
        assert not any(re.search(rf"\b{other}\b", text) for other in names[i + 1 :]), text


NULL_TEXTS = {
    SOFTMAX: ("EZ1001", "Expected a proper Tensor but got null for argument {}."),
    PRELU: ("EZ1001", "Expected a proper Tensor but got null for argument {}."),
    # "the null checks return 161001 but log class 5, so the recorded item is EZ9999, not EZ1001"
    BATCH_NORM: ("EZ9999", "Expected a proper Tensor but got null for argument {}."),
    # "4.1 Phase 1, generated: required tensors NULL -> 161001, text ..."
    CROSS_ENTROPY: ("", "Check {} != nullptr failed"),
    EMBEDDING: ("EZ1001", "Expected a proper Tensor but got null for argument {}."),
}


@pytest.mark.parametrize(("case", "words"), NULL_TEXTS.items(), ids=str)
def test_null_tensor_has_the_words_of_the_library(machine: Machine, case: Case, words: tuple[str, str]) -> None:
    code, sentence = words
    for name in needed(case):
        text = case.plan({name: None}).text
        assert code in text
        assert sentence.format(name) in text


OPTIONAL = [
    pytest.param(case, param.name, id=f"{case}-{param.name}")
    for case in CASES
    for param in case.op.tensors
    if param.optional
]


@pytest.mark.parametrize(("case", "name"), OPTIONAL)
def test_optional_tensor_may_be_null(machine: Machine, case: Case, name: str) -> None:
    assert case.plan({name: None}).status == ACL_SUCCESS


MASKED = {"sumDy": "inputG", "sumDyXmu": "inputG", "gradWeight": "weightG", "gradBias": "biasG"}


def test_masks_are_those_of_the_document() -> None:
    """The document of aclnnBatchNormReduceBackward: "如果inputG为True则输出"."""
    masked = {p.name: p.when.name for case in CASES for p in case.op.tensors if p.when is not None}
    assert masked == MASKED


@pytest.mark.parametrize(("name", "mask"), MASKED.items())
@pytest.mark.parametrize(
    "value",
    [
        pytest.param(None, id="null"),
        pytest.param(aclTensor(0xDEAD), id="no-handle-at-all"),
        pytest.param(Meta((2,), ACL_DOUBLE), id="data-type"),
        pytest.param(f32(7), id="shape"),
        pytest.param(f32(2, format=aclFormat.ACL_FORMAT_FRACTAL_NZ), id="format"),
    ],
)
def test_disabled_output_is_not_inspected(machine: Machine, name: str, mask: str, value: Any) -> None:
    """ "A disabled output is neither inspected nor written: null, wrong dtype, wrong shape, private format"."""
    assert BATCH_NORM.plan({name: value, mask: False}).status == ACL_SUCCESS


def call_with_null(case: Case, *nulls: str, changes: Changes | None = None) -> tuple[int, str]:
    """The first phase with out-pointers null; status and text."""
    size, executor = c_uint64(UNTOUCHED), aclOpExecutor()
    outs = [None if "workspaceSize" in nulls else byref(size), None if "executor" in nulls else byref(executor)]
    status = case.first(*case.arguments(changes), *outs)
    assert size.value == UNTOUCHED
    assert not executor
    return status, aclGetRecentErrMsg() or ""


@every_case
@pytest.mark.parametrize("nulls", [("workspaceSize",), ("executor",), ("workspaceSize", "executor")], ids="+".join)
def test_null_out_pointer_is_161001_and_named(machine: Machine, case: Case, nulls: tuple[str, ...]) -> None:
    status, text = call_with_null(case, *nulls)
    assert status == NULLPTR
    assert nulls[-1] in text  # a generated operator looks at the executor pointer first


COMPOSITES = [case for case in CASES if case is not CROSS_ENTROPY]


@pytest.mark.parametrize("case", COMPOSITES, ids=str)
@pytest.mark.parametrize("null", ["workspaceSize", "executor"])
def test_composite_looks_at_out_pointers_before_tensors(machine: Machine, case: Case, null: str) -> None:
    """ "executor pointer or workspaceSize pointer null (framework prologue, before everything else)"."""
    assert case.op.family is Family.COMPOSITE
    status, text = call_with_null(case, null, changes=dict.fromkeys(needed(case)))
    assert status == NULLPTR
    assert "executor or workspaceSize is nullptr" in text
    assert needed(case)[0] not in text


# data types: the tables of "2. Parameters"

_FF, _FFB = {ACL_FLOAT, ACL_FLOAT16}, {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}
_FLOATS = {Series.A2: _FFB, Series.A3: _FFB}  # elsewhere FLOAT and FLOAT16
_INDEX = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT32, ACL_INT64, ACL_INT16, ACL_INT8, ACL_UINT8, ACL_BOOL}


class Types(NamedTuple):
    """The data types of a parameter: by series, and for the series that are not named."""

    by_series: dict[Series, set[aclDataType]]
    otherwise: set[aclDataType]
    tied: tuple[str, ...] = ()
    """other parameters that must have the same"""


TYPES = {
    SOFTMAX: {
        "gradOutput": Types(_FLOATS, _FF, ("output",)),
        "output": Types(_FLOATS, _FF, ("gradOutput",)),
    },
    PRELU: {"self": Types({}, _FF, ("gradOutput", "weight", "gradInput", "gradWeight"))},  # BFLOAT16 on no product
    BATCH_NORM: {
        "gradOut": Types(_FLOATS, _FF, ("input",)),
        "input": Types(_FLOATS, _FF, ("gradOut",)),
        **{name: Types(_FLOATS, _FF) for name in ("mean", "invstd", "sumDy", "sumDyXmu", "gradWeight", "gradBias")},
    },
    CROSS_ENTROPY: {
        "gradLoss": Types({}, _FFB, ("logProb", "out")),
        "target": Types({}, {ACL_INT64}),
        "weightOptional": Types({}, {ACL_FLOAT}),
    },
    EMBEDDING: {
        "grad": Types(_FLOATS, _FF),
        "indices": Types({}, _INDEX),
        "out": Types(_FLOATS, _FF),  # any of the list, also when it differs from that of grad
    },
}
PRODUCTS = {  # where the operator exists; what phase 1 and phase 2 answer elsewhere
    SOFTMAX: ({Series.A2, Series.A3, Series.TRAINING, Series.INFERENCE}, ACL_SUCCESS),
    PRELU: ({Series.A2, Series.A3, Series.TRAINING}, ACL_SUCCESS),
    BATCH_NORM: ({Series.A2, Series.A3, Series.TRAINING}, PLAN),
    CROSS_ENTROPY: ({Series.A2, Series.A3}, NULLPTR),
    EMBEDDING: ({Series.A2, Series.A3, Series.TRAINING}, PLAN),
}
every_listed = pytest.mark.parametrize(
    ("case", "name"), [pytest.param(case, name, id=f"{case}-{name}") for case, types in TYPES.items() for name in types]
)
every_series = pytest.mark.parametrize("series", Series, ids=lambda series: series.name)


@every_case
def test_parameters_with_a_list_of_data_types(case: Case) -> None:
    listed = {check.param.name for check in case.op.checks if isinstance(check, Listed)}
    assert listed == set(TYPES[case])


@every_listed
@every_series
def test_declared_data_types_are_those_of_the_contract(case: Case, name: str, series: Series) -> None:
    types = TYPES[case][name]
    declared = tensor_params(case)[name].dtypes.on(series)
    assert len(set(declared)) == len(declared)
    assert set(declared) == types.by_series.get(series, types.otherwise)


def retyped(case: Case, name: str, dtype: int) -> Meta:
    return Meta(case.good[name].shape, dtype)


@every_listed
@every_series
def test_every_data_type_on_every_product(case: Case, name: str, series: Series) -> None:
    """Listed ones pass (or meet the answer of a product without the operator), all others are 161002 and named."""
    allowed = tensor_params(case)[name].dtypes.on(series)
    products, elsewhere = PRODUCTS[case]
    wrong: list[str] = []
    with board(SOC_OF[series]):
        for dtype in [*aclDataType, 999]:
            legal = dtype in allowed
            names = (name, *TYPES[case][name].tied) if legal else (name,)
            planned = case.plan({each: retyped(case, each, dtype) for each in names})
            expected = (ACL_SUCCESS if series in products else elsewhere) if legal else INVALID
            if series not in products and case is CROSS_ENTROPY:
                expected = elsewhere  # "product 161001" comes first
            elif not legal and f"Tensor {name} not implemented for" not in planned.text:
                wrong.append(f"{dtype!r}: {planned.text}")
            if planned.status != expected:
                wrong.append(f"{dtype!r}: {planned.status}, not {expected}")
    assert not wrong


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
        **{name: channel_sums(name) for name in MASKED},
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


@pytest.mark.parametrize(
    ("case", "name"), [pytest.param(case, name, id=f"{case}-{name}") for case, ranks in RANKS.items() for name in ranks]
)
@pytest.mark.parametrize("rank", range(10))
def test_every_rank(machine: Machine, case: Case, name: str, rank: int) -> None:
    ranks = RANKS[case][name]
    changes = ranks.fitting(rank)
    assert len(changes[name].shape) == rank
    planned = case.plan(changes)
    if rank in ranks.legal:
        assert planned.status == ACL_SUCCESS, planned.text
    else:
        assert planned.status == ranks.status
        assert f"parameter: {name}," in planned.text


@pytest.mark.parametrize("rank", range(10))
def test_gradloss_has_one_dimension_for_reduction_none(machine: Machine, rank: int) -> None:
    planned = CROSS_ENTROPY.plan({"gradLoss": lead(rank, 2), "reductionOptional": "none"})
    assert planned.status == (ACL_SUCCESS if rank == 1 else TILING)


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
    **{(CROSS_ENTROPY, name): {"ND", "NCL", "NCHW", "NHWC", "NCDHW"} for name in ("gradLoss", "logProb", "target", "out")},
    (CROSS_ENTROPY, "weightOptional"): PUBLIC | PRIVATE,  # "optional inputs do not take part in kernel matching"
    **{(EMBEDDING, name): PUBLIC for name in EMBEDDING.tensors},
}  # fmt: skip
LABELLED_TOGETHER = {"gradOut": ("gradOut", "input"), "input": ("gradOut", "input"), "invstd": ("invstd", "gradWeight")}


def test_formats_are_told_for_every_tensor() -> None:
    assert set(FORMATS) == {(case, name) for case in CASES for name in case.tensors}


@pytest.mark.parametrize(
    ("case", "name", "legal"),
    [pytest.param(*where, legal, id=f"{where[0]}-{where[1]}") for where, legal in FORMATS.items()],
)
def test_every_format(machine: Machine, case: Case, name: str, legal: set[str]) -> None:
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
    labelled = {"invstd": f32(2, format=aclFormat.ACL_FORMAT_NCHW)}
    assert BATCH_NORM.plan(labelled).status == PLAN
    assert BATCH_NORM.plan({**labelled, "weightG": False}).status == ACL_SUCCESS
    assert BATCH_NORM.plan({"sumDy": f32(2, format=aclFormat.ACL_FORMAT_NHWC)}).status == ACL_SUCCESS


# order


def refusals(case: Case) -> list[tuple[str, Breaker]]:
    """The first breaker of every check that refuses, in order."""
    return [
        (sentence, breakers[0])
        for sentence, breakers in case.breakers.items()
        if breakers[0].status != ACL_SUCCESS and not breakers[0].behind
    ]


PAIRS = [
    pytest.param(case, first, second, id=f"{case}-{sentence}-before-{other}")
    for case in CASES
    for (sentence, first), (other, second) in zip(refusals(case), refusals(case)[1:], strict=False)
    if first.soc == second.soc and not first.changes.keys() & second.changes.keys()
]


@pytest.mark.parametrize(("case", "first", "second"), PAIRS)
def test_of_two_violations_the_first_is_told(machine: Machine, case: Case, first: Breaker, second: Breaker) -> None:
    planned = case.plan({**first.changes, **second.changes})
    assert planned.status == first.status
    assert f"parameter: {first.parameter}, found: {first.found}" in planned.text


NINE = f32(*[1] * 9)
DOUBLE = Meta((4, 2), ACL_DOUBLE)
ORDER = {  # what the contracts state: (operator, changes, status, who is named)
    "null-before-data-types": (SOFTMAX, {"gradOutput": DOUBLE, "out": None}, NULLPTR, "out"),
    "softmax-empty-before-data-types": (SOFTMAX, {"gradOutput": Meta((0, 2), ACL_INT8), "dim": 9}, ACL_SUCCESS, ""),
    "softmax-null-before-empty": (SOFTMAX, {"gradOutput": f32(0, 2), "out": None}, NULLPTR, "out"),
    "softmax-gradoutput-before-output": (
        SOFTMAX, {"gradOutput": DOUBLE, "output": Meta((4, 2), ACL_INT32)}, INVALID, "gradOutput"
    ),
    "softmax-list-before-equality": (SOFTMAX, {"output": DOUBLE}, INVALID, "not implemented for DT_DOUBLE"),
    "softmax-data-types-before-dim": (SOFTMAX, {"output": f16(4, 2), "dim": 5}, INVALID, "parameter: output"),
    "softmax-dim-before-rank": (SOFTMAX, {"gradOutput": NINE, "dim": 9}, INVALID, "parameter: dim"),
    "softmax-rank-before-shapes": (SOFTMAX, {"gradOutput": NINE}, INVALID, "parameter: gradOutput"),
    "softmax-output-before-out": (SOFTMAX, {"output": f32(3), "out": f32(3)}, INVALID, "parameter: output"),
    "prelu-null-before-data-types": (PRELU, {"self": DOUBLE, "gradWeight": None}, NULLPTR, "gradWeight"),
    "prelu-data-types-before-ranks": (PRELU, {"gradWeight": f16(3), "gradOutput": NINE}, INVALID, "parameter: gradWeight"),
    "prelu-self-before-others": (PRELU, {"self": DOUBLE, "gradOutput": f16(2, 3)}, INVALID, "parameter: self"),
    "prelu-ranks-before-shapes": (PRELU, {"gradWeight": NINE, "gradInput": f32(3, 2)}, INVALID, "parameter: gradWeight"),
    "prelu-gradinput-before-weight": (PRELU, {"gradInput": f32(3, 2), "weight": f32(2)}, INVALID, "parameter: gradInput"),
    "prelu-weight-before-gradweight": (PRELU, {"weight": f32(2), "gradWeight": f32(2)}, INVALID, "parameter: weight"),
    "prelu-gradweight-before-broadcast": (
        PRELU, {"gradWeight": f32(2), "gradOutput": f32(5, 5)}, INVALID, "parameter: gradWeight"
    ),
    "prelu-every-check-before-empty": (
        PRELU, {"self": f32(0, 3), "gradInput": f32(0, 3), "gradOutput": f32(2, 3)}, INVALID, "parameter: gradOutput"
    ),
    "batch-norm-null-before-format": (
        BATCH_NORM, {"sumDyXmu": None, "gradOut": f32(4, 2, format=aclFormat.ACL_FORMAT_NC1HWC0)}, NULLPTR, "sumDyXmu"
    ),
    "batch-norm-equal-types-before-outputs": (
        BATCH_NORM, {"gradOut": f16(4, 2), "sumDy": Meta((2,), ACL_DOUBLE)}, INVALID, "parameter: gradOut"
    ),
    "batch-norm-data-types-before-formats": (
        BATCH_NORM,
        {"gradBias": Meta((2,), ACL_DOUBLE), "gradOut": f32(4, 2, format=aclFormat.ACL_FORMAT_NCHW)},
        INVALID, "parameter: gradBias",
    ),
    "batch-norm-formats-before-ranks": (
        BATCH_NORM, {"gradBias": f32(2, format=aclFormat.ACL_FORMAT_FRACTAL_Z), "input": NINE}, INVALID, "parameter: gradBias"
    ),
    "batch-norm-channels-before-outputs": (
        BATCH_NORM, {"input": f32(4, 0), "gradOut": f32(4, 0), "sumDy": f32(3)}, INVALID, "parameter: input"
    ),
    "batch-norm-channels-before-empty": (BATCH_NORM, {"input": f32(0, 0), "gradOut": f32(0, 0)}, INVALID, "parameter: input"),
    "batch-norm-outputs-before-empty": (
        BATCH_NORM, {"input": f32(0, 2), "gradOut": f32(0, 2), "gradBias": f32(3)}, INVALID, "parameter: gradBias"
    ),
    "cross-entropy-null-before-data-types": (CROSS_ENTROPY, {"gradLoss": Meta((), ACL_DOUBLE), "out": None}, NULLPTR, "out"),
    "cross-entropy-copies-before-data-types": (
        CROSS_ENTROPY, {"gradLoss": Meta((), ACL_DOUBLE), "target": Meta((2,), ACL_INT64, strides=(2,))}, PLAN, "target"
    ),
    "cross-entropy-data-types-before-labels": (
        CROSS_ENTROPY, {"out": f16(2, 3), "gradLoss": f32(format=aclFormat.ACL_FORMAT_NDHWC)}, INVALID, "found: DT_FLOAT16"
    ),
    "cross-entropy-values-before-classes": (
        CROSS_ENTROPY, {"reductionOptional": "max", "logProb": f32(2, 0)}, INVALID, "parameter: reductionOptional"
    ),
    "cross-entropy-classes-before-empty": (CROSS_ENTROPY, {"logProb": f32(2, 0), "out": f32(2, 0)}, TILING, "parameter: logProb"),
    "cross-entropy-data-types-before-empty": (
        CROSS_ENTROPY, {"out": Meta((0, 3), ACL_FLOAT16)}, INVALID, "parameter: out"
    ),
    "cross-entropy-empty-before-shapes": (CROSS_ENTROPY, {"out": f32(0, 3), "target": i64(9, 9)}, ACL_SUCCESS, ""),
    "embedding-null-before-data-types": (EMBEDDING, {"grad": Meta((2, 3), ACL_DOUBLE), "out": None}, NULLPTR, "out"),
    "embedding-data-types-before-ranks": (EMBEDDING, {"out": Meta((4, 3), ACL_BOOL), "grad": NINE}, INVALID, "parameter: out"),
    "embedding-ranks-before-shapes": (
        EMBEDDING, {"out": f32(*[4] * 9), "indices": i64(5)}, INVALID, "found: 9 dimensions"
    ),
    "embedding-count-before-out": (EMBEDDING, {"indices": i64(5), "out": f32(5)}, INVALID, "parameter: indices"),
    "embedding-shapes-before-formats": (
        EMBEDDING, {"out": f32(5, 3), "grad": f32(2, 3, format=aclFormat.ACL_FORMAT_FRACTAL_NZ)}, INVALID, "parameter: out"
    ),
    "embedding-formats-before-empty": (
        EMBEDDING, {"grad": f32(0, 3), "indices": i64(0, format=aclFormat.ACL_FORMAT_FRACTAL_NZ)}, INVALID, "parameter: indices"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "changes", "status", "words"), ORDER.values(), ids=ORDER)
def test_order_that_the_contract_states(
    machine: Machine, case: Case, changes: Changes, status: int, words: str
) -> None:
    planned = case.plan(changes)
    assert planned.status == status, planned.text
    assert words in planned.text


BEYOND = Meta((2,), ACL_INT64, strides=(2,))  # strided, and it reaches element 2 of a storage of 2
GENERATED_ORDER = {  # "null tensors; product; executor pointer; planning of copies; workspaceSize pointer; the rest"
    "tensor-before-executor": (A2, ("executor",), {"out": None}, NULLPTR, "out"),
    "tensor-before-product": (TRAINING, (), {"out": None}, NULLPTR, "out"),
    "product-before-executor": (TRAINING, ("executor",), {}, NULLPTR, TRAINING),
    "executor-before-copies": (A2, ("executor",), {"target": BEYOND}, NULLPTR, "executor"),
    "copies-before-workspacesize": (A2, ("workspaceSize",), {"target": BEYOND}, PLAN, "target"),
    "workspacesize-before-data-types": (A2, ("workspaceSize",), {"target": Meta((2,), ACL_INT32)}, NULLPTR, "workspaceSize"),
}  # fmt: skip


@pytest.mark.parametrize(("soc", "nulls", "changes", "status", "words"), GENERATED_ORDER.values(), ids=GENERATED_ORDER)
def test_order_of_a_generated_operator(
    soc: str, nulls: tuple[str, ...], changes: Changes, status: int, words: str
) -> None:
    """aclnnCrossEntropyLossGrad: "executor and workspaceSize pointers are tested after the tensors here"."""
    assert CROSS_ENTROPY.op.family is Family.GENERATED
    with board(soc):
        found, text = call_with_null(CROSS_ENTROPY, *nulls, changes=changes)
    assert found == status
    assert re.search(rf"\b{words}\b", text), text


# words of the library: "Op-check texts recorded under EZ1001"

WORDS = {
    "data-type": (
        EMBEDDING, {"grad": Meta((2, 3), ACL_DOUBLE)},
        "Tensor grad not implemented for DT_DOUBLE, should be in dtype support list [DT_FLOAT,DT_FLOAT16,DT_BFLOAT16,].",
    ),
    "same-shape": (
        SOFTMAX, {"output": f32(2, 4)},
        "Expected tensor for output to have same size as tensor for gradOutput, but [2, 4] does not equal [4, 2].",
    ),
    "given-shape": (
        BATCH_NORM, {"sumDy": f32(3)}, "Expected tensor for sumDy to have same size as [2], but got [3].",
    ),
    "exact-rank": (EMBEDDING, {"out": f32(4, 3, 1)}, "Expected 2 dimension input, but got out with sizes [4, 3, 1]."),
    "max-rank": (PRELU, {"gradOutput": NINE}, "The gradOutput tensor cannot be larger than 8 dimensions."),
    "min-rank": (BATCH_NORM, {"input": f32(8)}, "The input tensor must have at least 2 dimensions."),
    "softmax-dim": (SOFTMAX, {"dim": -3}, "provided dim -3 not in the range of input size 2."),
    "prelu-weight": (PRELU, {"weight": f32(2)}, "the number of weight elements must be 1 or self channel size"),
    "embedding-shapes": (EMBEDDING, {"indices": i64(5)}, "grad shape [2, 3] is not match with indices shape [5]."),
    "broadcast": (
        PRELU, {"gradOutput": f32(2, 2)}, "The size of tensor gradOutput [2, 2] must match the size of tensor self [2, 3].",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("case", "changes", "words"), WORDS.values(), ids=WORDS)
def test_texts_begin_with_the_words_of_the_library(machine: Machine, case: Case, changes: Changes, words: str) -> None:
    text = case.plan(changes).text
    assert words in text
    assert "EZ1001" in text


# no context, other products


def in_another_thread(work: Callable[[], Any]) -> Any:
    """A new thread inherits no context."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(work).result()


@every_case
def test_without_a_context_the_first_phase_is_361001(machine: Machine, case: Case) -> None:
    planned = in_another_thread(case.plan)
    assert planned.status == ACLNN_ERR_RUNTIME_ERROR
    assert "context" in planned.text
    assert planned.workspace_size == UNTOUCHED
    assert not planned.executor


@every_breaker
def test_parameters_are_checked_before_the_context(case: Case, sentence: str, breaker: Breaker) -> None:
    """ "Phase 1 checks its parameters with device 0's product, then 361001"."""
    with board(breaker.soc):
        planned = in_another_thread(lambda: case.plan(breaker.changes))
    assert planned.status == (breaker.status or ACLNN_ERR_RUNTIME_ERROR)


@every_needed
def test_null_is_told_before_the_context(machine: Machine, case: Case, name: str) -> None:
    assert in_another_thread(lambda: case.plan({name: None})).status == NULLPTR


@every_case
@pytest.mark.parametrize("soc", SOCS)
def test_first_phase_on_every_product(case: Case, soc: str) -> None:
    products, elsewhere = PRODUCTS[case]
    with board(soc):
        planned = case.plan()
    if SOCS[soc].series in products:
        assert planned.status == ACL_SUCCESS
        return
    assert planned.status == elsewhere
    if elsewhere != ACL_SUCCESS:
        assert soc in planned.text
        assert all(series.value in planned.text for series in products), planned.text
        assert planned.workspace_size == UNTOUCHED
        assert not planned.executor


@pytest.mark.parametrize("case", [SOFTMAX, PRELU, BATCH_NORM, EMBEDDING], ids=str)
def test_arguments_are_checked_before_the_product(case: Case) -> None:
    """ "The 161001/161002 checks run normally"; only then the missing kernel shows."""
    with board(A200I):
        for name in needed(case):
            assert case.plan({name: None}).status == NULLPTR
        assert case.plan(refusals(case)[0][1].changes).status == INVALID


# copies of strided tensors


def inputs(case: Case) -> list[str]:
    params = tensor_params(case)
    return [name for name in case.tensors if not isinstance(params[name], TensorOut)]


@pytest.mark.parametrize(
    ("case", "name"), [pytest.param(c, n, id=f"{c}-{n}") for c in CASES for n in inputs(c) if c.good[n].ndim]
)
def test_strided_input_outside_its_storage_is_561103(machine: Machine, case: Case, name: str) -> None:
    """Building blocks, Contiguous: "lowest/highest reachable element outside storage"."""
    array = case.good[name]
    dtype = ACL_INT64 if array.dtype.kind == "i" else ACL_FLOAT
    wide = tuple(2 * stride // array.itemsize for stride in array.strides)
    most = int(sum((size - 1) * step for size, step in zip(array.shape, wide, strict=True)))
    fits = Meta(array.shape, dtype, strides=wide, storage=(most + 1,))
    assert case.plan({name: fits}).status == ACL_SUCCESS
    for beyond in (
        Meta(array.shape, dtype, strides=wide, storage=(most,)),
        Meta(array.shape, dtype, strides=wide, storage=(most + 1,), offset=1),
        Meta(array.shape, dtype, strides=wide, storage=(most + 2,), offset=-1),
    ):
        planned = case.plan({name: beyond})
        assert planned.status == PLAN
        assert name in planned.text
        assert planned.workspace_size == UNTOUCHED
