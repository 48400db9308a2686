"""RepeatInterleave: numbers of repeats, and what they add up to."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from aclnn.testing import run
from tests.aclnn.ops.case import A2, A950, Meta
from tests.helpers.changed_calls import INVALID, assert_refused
from tests.helpers.refusals import Of, status_of


def test_one_number_is_for_all() -> None:
    x = np.array([5, 6], np.int32)
    with Machine():
        found = run(aclnnRepeatInterleave, x, np.array([3]), 6, np.empty(6, np.int32))
    assert found.tolist() == [5, 5, 5, 6, 6, 6]


def test_one_number_counts_as_1_if_as_many_elements_are_asked_for() -> None:
    """ "Copies self flattened": the number itself is not read."""
    x = np.array([[5, 6]], np.int32)
    with Machine():
        assert run(aclnnRepeatInterleave, x, np.array([3]), 2, np.empty(2, np.int32)).tolist() == [5, 6]


@pytest.mark.fidelity("aclnnRepeatInterleave with an outputSize that is not the sum of repeats")
@pytest.mark.parametrize(
    ("repeats", "size", "words"),
    [([1, 2], 2, "add up to 3, outputSize is 2"), ([1, 0], 2, "add up to 1"), ([3, -1], 2, "has -1")],
    ids=["too many", "too few", "negative"],
)
def test_numbers_that_do_not_fit_are_found_when_the_task_runs(repeats: list[int], size: int, words: str) -> None:
    with Machine(), pytest.raises(UndefinedBehaviour, match=words) as caught:
        run(aclnnRepeatInterleave, np.ones(2, np.float32), np.array(repeats), size, np.empty(size, np.float32))
    assert caught.value.finding.id == "index-range"


@pytest.mark.fidelity("aclnnRepeatInterleave with an outputSize that is not the sum of repeats")
@pytest.mark.parametrize("name", ["aclnnRepeatInterleaveInt", "aclnnRepeatInterleaveIntWithDim"])
def test_a_wrong_output_size_of_one_number_is_refused(name: str) -> None:
    out = Meta((2, 5) if name.endswith("Dim") else (5,))
    assert_refused(name, INVALID, "outputSize", outputSize=5, out=out)


def test_positions_as_often_as_the_numbers_say() -> None:
    with Machine():
        found = run(aclnnRepeatInterleaveTensor, np.array([2, 0, 1], np.int32), 3, np.empty(3, np.int32))
    assert found.tolist() == [0, 0, 2]


@pytest.mark.parametrize(("soc", "status"), [(A950, ACL_SUCCESS), (A2, INVALID)])
def test_unsigned_integers_are_repeated_on_950(soc: str, status: int) -> None:
    given, out = Of((2,), ACL_UINT32), Of((4,), ACL_UINT32)
    assert status_of("aclnnRepeatInterleaveInt", given, 2, 4, out, soc=soc) == status
    assert status_of("aclnnRepeatInterleaveIntWithDim", given, 2, 0, 4, out, soc=soc) == status
