"""Functions without a formula: calls that their contract allows are planned, and calls that break a relation that the
facts and a row of refusals state are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime.objects.soc import Series
from aclnn.catalogue.facts import facts
from aclnn.catalogue.index import names
from aclnn.engine.words.stated import BFLOAT16_EVERYWHERE, DOUBTED, data_types
from tests.aclnn.ops.case import A2, INFERENCE, TRAINING, board
from tests.helpers.builders import Planned, meta, plan

F, H, INT, L, B, BF = ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT64, ACL_BOOL, ACL_BF16
INVALID, NULLPTR = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
Arguments = Callable[[], list[Any]]


def one() -> Any:
    return aclCreateScalar(np.array(1, np.float32), F)


def whole() -> Any:
    return aclCreateScalar(np.array(1, np.int64), L)


def ints(*values: int) -> Any:
    return aclCreateIntArray(list(values), len(values))


def flags(*values: bool) -> Any:
    return aclCreateBoolArray(list(values), len(values))


def listed(*members: Any) -> Any:
    return aclCreateTensorList(list(members), len(members))


def planned(name: str, arguments: Arguments, soc: str = A2) -> Planned:
    with board(soc):
        return plan(getattr(aclnn, f"{name}GetWorkspaceSize"), *arguments())


GOOD: dict[str, tuple[str, Arguments]] = {
    "the output of a reduction has one element": (
        "aclnnBinaryCrossEntropy", lambda: [meta([2, 3]), meta([2, 3]), None, 1, meta([])]),
    "a source has the size of index": (
        "aclnnIndexAdd", lambda: [meta([4, 3]), 0, meta([2], L), meta([2, 3]), one(), meta([4, 3])]),
    "a copied source has the size of index": (
        "aclnnInplaceIndexCopy", lambda: [meta([4, 3]), 0, meta([2], L), meta([2, 3])]),
    "selfRef has the shape of the product": (
        "aclnnInplaceAddmm", lambda: [meta([2, 4]), meta([2, 3]), meta([3, 4]), one(), one(), 1]),
    "C has the shape of the product": (
        "aclnnGemm", lambda: [meta([2, 3]), meta([3, 4]), meta([2, 4]), 1.0, 1.0, 0, 0, meta([2, 4]), 1]),
    "the result of a selection has one dimension": (
        "aclnnMaskedSelect", lambda: [meta([2, 3]), meta([2, 3], B), meta([6])]),
    "a mask broadcasts to selfRef": (
        "aclnnInplaceMaskedFillTensor", lambda: [meta([2, 3]), meta([3], B), meta([])]),
    "other broadcasts to selfRef": ("aclnnInplaceLeTensor", lambda: [meta([2, 3]), meta([3])]),
    "both tensors broadcast to selfRef": (
        "aclnnInplaceAddcmul", lambda: [meta([2, 3]), meta([3]), meta([1, 3]), one()]),
    "integers are summed in floats": ("aclnnLogSumExp", lambda: [meta([2, 3], INT), ints(1), False, meta([2])]),
    "the types of normalisation are mixed": (
        "aclnnBatchNormElemt",
        lambda: [meta([2, 3, 4, 4], H), meta([3]), meta([3]), meta([3]), meta([3]), 1e-5, meta([2, 3, 4, 4], H)]),
    "a normalisation has no weight": (
        "aclnnBatchNormElemt", lambda: [meta([2, 3]), None, None, meta([3]), meta([3]), 1e-5, meta([2, 3])]),
    "an output that the mask turns off is null": (
        "aclnnConvolutionBackward",
        lambda: [meta([1, 1, 2, 2], format=ACL_FORMAT_NCHW), meta([1, 1, 2, 2], format=ACL_FORMAT_NCHW),
                 meta([1, 1, 1, 1], format=ACL_FORMAT_NCHW), None, ints(1, 1), ints(0, 0), ints(1, 1), False,
                 ints(0, 0), 1, flags(True, False, False), 0,
                 meta([1, 1, 2, 2], format=ACL_FORMAT_NCHW), None, None]),
    "a search has no sorter": (
        "aclnnSearchSorted", lambda: [meta([4]), meta([3]), False, False, None, meta([3], L)]),
    "a clamp has one limit": ("aclnnClamp", lambda: [meta([2]), one(), None, meta([2])]),
    "a scalar is read as a float, whatever its type": (
        "aclnnRenorm",
        lambda: [meta([2, 3]), whole(), 0, whole(), meta([2, 3])]),
    "an optional list has one tensor of the shape (0)": (
        "aclnnGroupedMatmul",
        lambda: [listed(meta([2, 3], H)), listed(meta([3, 4], H)), *(listed(meta([0])) for _ in range(5)), None, 0,
                 listed(meta([2, 4], H))]),
    "a loss has no dimensions": ("aclnnMseLossBackward", lambda: [meta([]), meta([]), meta([]), 1, meta([])]),
    "a cumulative maximum has three dimensions": (
        "aclnnCummax", lambda: [meta([2, 3, 4]), 1, meta([2, 3, 4]), meta([2, 3, 4], L)]),
    "a private format is accepted with a warning": (
        "aclnnMseLoss",
        lambda: [meta([16, 16], format=ACL_FORMAT_FRACTAL_NZ, storage=[1, 1, 16, 16]), meta([16, 16]), 0,
                 meta([16, 16])]),
    "a list may have other shapes than out": (
        "aclnnForeachNorm", lambda: [listed(meta([2, 3])), one(), listed(meta([1]))]),
}  # fmt: skip


@pytest.mark.fidelity("relations between the parameters of an operator without a formula")
@pytest.mark.parametrize("case", GOOD)
def test_a_call_that_the_contract_allows_is_planned(case: str) -> None:
    answer = planned(*GOOD[case])
    assert answer.status == ACL_SUCCESS, answer.text


BAD: dict[str, tuple[str, Arguments, str]] = {
    "tensors do not broadcast": ("aclnnMaximum", lambda: [meta([2, 3]), meta([4]), meta([2, 3])], "other|self"),
    "other is larger than selfRef": ("aclnnInplaceLtTensor", lambda: [meta([3]), meta([2, 3])], "other|selfRef"),
    "the output is not the broadcast shape": (
        "aclnnAtan2", lambda: [meta([2, 3]), meta([3]), meta([3])], "out"),
    "a rank that only a row of refusals limits": ("aclnnAcos", lambda: [meta([1] * 9), meta([1] * 9)], "input"),
    "dim is beyond the tensor": (
        "aclnnMaxDim", lambda: [meta([2, 3]), 2, False, meta([2]), meta([2], L)], "dim"),
    "one of several dimensions is beyond the tensor": (
        "aclnnAmax", lambda: [meta([2, 3]), ints(0, 5), False, meta([3])], "dim"),
    "a number is outside of its interval": (
        "aclnnMseLoss", lambda: [meta([2]), meta([2]), 3, meta([2])], "reduction"),
    "a scalar has a type that a row of refusals excludes": (
        "aclnnBitwiseAndScalar", lambda: [meta([2], INT), one(), meta([2], INT)], "other"),
    "a result cannot be cast to the output": (
        "aclnnNeg", lambda: [meta([2]), meta([2], INT)], "out"),
    "lists have other shapes": (
        "aclnnForeachAddListV2",
        lambda: [listed(meta([2])), listed(meta([3])), one(), listed(meta([2]))], "x2"),
    "lists have other lengths": (
        "aclnnForeachAddListV2",
        lambda: [listed(meta([2]), meta([2])), listed(meta([2])), one(), listed(meta([2]), meta([2]))], "x2"),
}  # fmt: skip


@pytest.mark.fidelity("relations between the parameters of an operator without a formula")
@pytest.mark.parametrize("case", BAD)
def test_a_call_that_breaks_a_stated_relation_is_161002(case: str) -> None:
    name, arguments, parameter = BAD[case]
    answer = planned(name, arguments)
    assert answer.status == INVALID, answer.text
    assert any(f"parameter: {each}" in answer.text for each in parameter.split("|")), answer.text


@pytest.mark.fidelity("BFLOAT16 on a product without it, where the document lists it for all products")
@pytest.mark.parametrize("soc", [TRAINING, INFERENCE])
def test_bfloat16_is_161002_on_a_product_without_it_though_the_document_lists_it(soc: str) -> None:
    assert BF in (facts("aclnnReciprocal").param("self").dtypes_on(Series.TRAINING) or ())
    answer = planned("aclnnReciprocal", lambda: [meta([2], BF), meta([2], BF)], soc)
    assert answer.status == INVALID
    assert "parameter: self, found: DT_BFLOAT16" in answer.text


@pytest.mark.fidelity("BFLOAT16 on 910, 310P and 310B, where the lists of the library have it")
def test_some_functions_list_bfloat16_on_every_product() -> None:
    """Their library goes on to the step that finds no kernel."""
    answer = planned("aclnnElu", lambda: [meta([2], BF), one(), one(), one(), meta([2], BF)], INFERENCE)
    assert answer.status == ACLNN_ERR_INNER_NULLPTR, answer.text


def test_no_other_function_without_a_formula_lists_bfloat16_there() -> None:
    for name in names():
        known = facts(name)
        for param in known.params:
            if param.is_tensor and param.dtypes and name not in BFLOAT16_EVERYWHERE:
                found = data_types(known, param)
                assert BF not in found.on(Series.TRAINING), (name, param.name)
                assert BF not in found.on(Series.INFERENCE), (name, param.name)


def test_each_doubted_fact_is_a_fact() -> None:
    """One that the data files no longer have goes from the list."""
    for name, doubt in DOUBTED:
        fact, _, param = doubt.partition(" ")
        params = [each for each in facts(name).params if param in ("", each.name)]
        assert any(getattr(each, fact) for each in params), (name, doubt)


def test_the_document_s_status_of_a_product_comes_before_161002() -> None:
    with board(A2):
        first = aclnn.aclnnDynamicBlockMxQuantGetWorkspaceSize
        given: list[Any] = []
        for each in first.op.params:
            tensor = getattr(each, "kind", None) is not None
            given.append(meta([2, 2], H) if tensor else b"rint" if each.ctype.spelling == "char *" else 0)
        answer = plan(first, *given)
        assert answer.status == ACLNN_ERR_RUNTIME_ERROR, answer.text
        assert "aclnnDynamicBlockMxQuant does not exist on" in answer.text
