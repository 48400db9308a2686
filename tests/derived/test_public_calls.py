"""Calls whose status is public: the first phase returns the same (public)."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn.testing import run
from tests.aclnn.ops.case import A2, board
from tests.derived.launching import handle
from tests.derived.public_calls import PublicCall, public_calls
from tests.helpers.builders import meta, plan

BY_CHIP: dict[str, list[PublicCall]] = defaultdict(list)
for call in public_calls():
    BY_CHIP[call.chip].append(call)


@pytest.mark.parametrize("chip", BY_CHIP)
def test_a_first_phase_returns_the_public_status(chip: str) -> None:
    """All calls for a chip; the message lists those that are answered otherwise."""
    wrong: list[str] = []
    with board(chip):
        for call in BY_CHIP[chip]:
            first = getattr(aclnn, f"{call.function}GetWorkspaceSize")
            op = getattr(aclnn, call.function).op
            answer = plan(first, *(handle(param, call.arguments[param.printed]) for param in op.params))
            if not call.agrees(answer.status):
                wrong.append(f"{answer.status} instead of {call.status}: {call}; {answer.text}")
    assert not wrong, "\n".join(wrong)


WITHOUT_A_PLACE = {
    "aclnnInplaceAtan2": {"selfRef": (2,), "other": (4, 2)},
    "aclnnAdaptiveMaxPool2dBackward": {
        "gradOutput": (2, 1, 1, 1), "self": (2, 2, 2, 2), "indices": (2, 1, 1, 1), "gradInput": (2, 2, 2, 2),
    },
}  # fmt: skip
"""by function, the shapes of a call that its first phase accepts, and whose result no source describes"""


@pytest.mark.fidelity("calls that are accepted although their results have no place")
@pytest.mark.parametrize("name", WITHOUT_A_PLACE)
def test_a_result_without_a_place_has_no_kernel(name: str) -> None:
    with board(A2):
        tensors = [
            meta(shape, ACL_INT32 if key == "indices" else ACL_FLOAT) for key, shape in WITHOUT_A_PLACE[name].items()
        ]
        planned = plan(getattr(aclnn, f"{name}GetWorkspaceSize"), *tensors)
        assert planned.status == ACL_SUCCESS, planned.text
        assert getattr(aclnn, name)(None, 0, planned.executor, None) == ACLNN_ERR_INNER_FIND_KERNEL_ERROR


@pytest.mark.fidelity("calls that are accepted although their results have no place")
def test_an_out_of_another_shape_of_index_is_found_when_the_task_runs() -> None:
    """The first phase trusts the shape of out (public)."""
    x, at, out = np.zeros((3, 2), np.float32), np.zeros(2, np.int64), np.zeros(2, np.float32)
    with Machine() as machine, pytest.raises(UndefinedBehaviour, match="out has"):
        run(aclnn.aclnnIndex, x, [at], out)
    assert [each.id for each in machine.findings if each.level == "error"] == ["index-range"]
