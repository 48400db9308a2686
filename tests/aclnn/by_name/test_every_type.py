"""Each type of the table: its results, in a machine without findings."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import Machine
from aclnn.by_name.table import rows
from tests.aclnn.by_name.case import Case
from tests.aclnn.by_name.cases import CASES
from tests.helpers.named_operators import by_name

ELSEWHERE = {
    "NonZero", "MaskedSelect", "StatelessDropOutGenMask", "DynamicRNN", "DynamicRNNV2", "DynamicRNNGrad",
    "DynamicRNNV2Grad",
}  # fmt: skip
"""types whose results have tests of their own"""


def named(case: Case) -> str:
    return case.type


def test_each_type_has_a_case() -> None:
    assert {case.type for case in CASES} | ELSEWHERE == set(rows())


@pytest.mark.fidelity("argmax of MaxPoolWithArgmaxV1")
@pytest.mark.fidelity("division of integers by 0 by name")
@pytest.mark.fidelity("operators by their type (aclop)")
@pytest.mark.parametrize("case", CASES, ids=named)
def test_the_results(case: Case, machine: Machine) -> None:
    """By the formulas of the table, in numpy."""
    found = by_name(case.type, case.inputs, case.results, case.formats, **case.attributes)
    for result, expected in zip(found, case.results, strict=True):
        bound = 1e-3 if result.dtype == np.float16 else 1e-5
        assert np.allclose(result.astype(np.float64), expected.astype(np.float64), bound, bound)
    assert {task.name for task in machine.tasks} - {"aclrtMemcpyAsync"} == {case.type}
    assert not list(machine.findings)
