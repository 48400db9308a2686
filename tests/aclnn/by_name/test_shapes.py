"""aclopInferShape: "fills the output dims (-1 where unknown); host-placed inputs count as constants"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.statuses import ACL_ERROR_GE_FAILURE
from aclnn.by_name.shapes import RULES
from aclnn.by_name.table import rows
from tests.aclnn.by_name.case import F32, I32, Case, X, ints, normal
from tests.aclnn.by_name.cases import CASES
from tests.helpers.named_operators import Side, attributes, sides
from tests.helpers.outcomes import assert_status, ok

IMAGE = normal(1, 2, 8, 8)
OF_CONV = {"strides": [1, 1, 2, 2], "pads": [1, 1, 1, 1], "data_format": "NCHW"}


def infer(type: str | None, given: Side, outputs: Sequence[aclTensorDesc], **attrs: Any) -> int:
    with attributes(attrs) as attr:
        return aclopInferShape(type, *given.of_call, len(outputs), list(outputs), attr)


def nothing(count: int) -> list[aclTensorDesc]:
    """Descriptions of outputs before anything is known."""
    return [aclCreateTensorDesc(ACL_DT_UNDEFINED, 0, None, ACL_FORMAT_UNDEFINED) for _ in range(count)]


def sizes(desc: aclTensorDesc) -> list[int]:
    return [aclGetTensorDescDim(desc, at) for at in range(aclGetTensorDescNumDims(desc))]


def shapes(type: str, inputs: Sequence[Any], count: int, unknown: dict[int, list[int]] | None = None,
           formats: dict[int, int] | None = None, **attrs: Any) -> list[list[int]]:  # fmt: skip
    """The shapes of the outputs. `unknown`: other dimensions of inputs, by number."""
    with sides(inputs, [], formats) as (given, _):
        for at, dims in (unknown or {}).items():
            ok(aclSetTensorOriginShape(given.descs[at], len(dims), dims))
        outputs = nothing(count)
        ok(infer(type, given, outputs, **attrs))
        found = [sizes(each) for each in outputs]
        for each in outputs:
            aclDestroyTensorDesc(each)
        return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.type)
def test_the_shapes_are_those_of_the_results(case: Case, machine: Machine) -> None:
    """Sizes that depend on values in device memory are -1."""
    found = shapes(case.type, case.inputs, len(case.results), formats=case.formats, **case.attributes)
    for one, result in zip(found, case.results, strict=True):
        assert len(one) == result.ndim
        assert all(size in (-1, real) for size, real in zip(one, result.shape, strict=True)), (one, result.shape)


def test_each_rule_is_that_of_a_type() -> None:
    assert set(RULES) <= set(rows())


@pytest.mark.parametrize(
    ("type", "inputs", "unknown", "attrs", "expected"),
    [
        ("Relu", [X], {0: [-1, 4]}, {}, [[-1, 4]]),
        ("Add", [X, X[0]], {0: [-1, 4]}, {}, [[-1, 4]]),
        ("Add", [X, X], {0: [-1, 4]}, {}, [[3, 4]]),
        ("MatMul", [X, normal(4, 5)], {0: [-1, 4]}, {}, [[-1, 5]]),
        ("Conv2D", [IMAGE, normal(3, 2, 3, 3)], {0: [-1, 2, 8, -1]}, OF_CONV, [[-1, 3, 4, -1]]),
        ("ReduceSum", [X, np.array([1], I32)], {}, {}, [[-1]]),
        ("ReduceSum", [X, ints(1)], {0: [-1, 4]}, {}, [[-1]]),
        ("Reshape", [X, np.array([2, 6], I32)], {}, {}, [[-1, -1]]),
        ("Reshape", [X, ints(2, -1)], {}, {}, [[2, 6]]),
        ("NonZero", [X], {}, {}, [[-1, 2]]),
        ("MaskedSelect", [X, X > 0], {}, {}, [[-1]]),
        ("MaxPoolV3", [normal(1, 1, 5, 5)], {}, {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2], "ceil_mode": True},
         [[1, 1, 3, 3]]),
        ("DynamicRNN", [normal(5, 3, 4), normal(10, 24), normal(24)], {}, {}, [[5, 3, 6]] * 8),
        ("StatelessDropOutGenMask", [ints(300), *[ints(1)] * 4], {}, {}, [[48]]),
    ],
)  # fmt: skip
def test_unknown_sizes_are_handed_on(
    machine: Machine, type: str, inputs: list[Any], unknown: dict[int, list[int]], attrs: dict[str, Any],
    expected: list[list[int]],
) -> None:  # fmt: skip
    assert shapes(type, inputs, len(expected), unknown, **attrs) == expected


@pytest.mark.parametrize(
    ("type", "inputs", "attrs"),
    [("Add", [X, normal(5)], {}), ("MatMul", [X, X], {}), ("Split", [ints(5), X], {"num_split": 2}), ("Add", [X], {}),
     ("Conv2D", [IMAGE, normal(3, 2, 3, 3)], {}), ("TransposeD", [X], {"perm": "x"})],
)  # fmt: skip
def test_what_does_not_fit_is_500002(machine: Machine, type: str, inputs: list[Any], attrs: dict[str, Any]) -> None:
    """ "a shape rule that fails: 500002"."""
    with sides(inputs, []) as (given, _):
        (output,) = nothing(1)
        assert_status(infer(type, given, [output], **attrs), ACL_ERROR_GE_FAILURE, type)
        assert sizes(output) == []
        aclDestroyTensorDesc(output)


def test_arguments_are_judged_in_their_order(machine: Machine) -> None:
    """ "opType; counts; inputDesc, outputDesc, inputs arrays; type unknown: 100000"."""
    with sides([X.astype(F32)], [X]) as (given, made):
        one, outputs = given.of_call, (1, made.descs)
        for arguments, word in (
            ((None, -1, None, None, *outputs), "opType"),
            (("Add", -1, None, None, -1, None), "numInputs"),
            (("Add", 0, None, None, -1, None), "numOutputs"),
            (("Add", 1, None, None, *outputs), "inputDesc"),
            (("Add", 1, given.descs, None, 1, None), "outputDesc"),
            (("Add", 1, given.descs, None, *outputs), "inputs"),
            (("NoSuchType", *one, *outputs), "NoSuchType"),
        ):
            assert_status(aclopInferShape(*arguments, None), ACL_ERROR_INVALID_PARAM, word)
