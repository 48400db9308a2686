"""Calls whose status is public: the first phase returns the same (public)."""

from __future__ import annotations

from collections import defaultdict

import pytest

import aclnn
from acl_runtime import ACLNN_ERR_PARAM_INVALID
from tests.aclnn.ops.case import board
from tests.derived.launching import handle
from tests.derived.public_calls import PublicCall, public_calls
from tests.helpers.builders import plan

BY_CHIP: dict[str, list[PublicCall]] = defaultdict(list)
for call in public_calls():
    BY_CHIP[call.chip].append(call)


@pytest.mark.parametrize("chip", BY_CHIP)
def test_a_first_phase_returns_the_public_status(chip: str) -> None:
    """All calls for a chip; the message lists those that are answered otherwise."""
    wrong: list[str] = []
    with board(chip) as machine:
        for call in BY_CHIP[chip]:
            first = getattr(aclnn, f"{call.function}GetWorkspaceSize")
            op = getattr(aclnn, call.function).op
            if machine.soc.series not in op.series and call.status != str(ACLNN_ERR_PARAM_INVALID):
                continue  # the facts do not give the product to the function
            answer = plan(first, *(handle(param, call.arguments[param.printed]) for param in op.params))
            if not call.agrees(answer.status):
                wrong.append(f"{answer.status} instead of {call.status}: {call}; {answer.text}")
    assert not wrong, "\n".join(wrong)
