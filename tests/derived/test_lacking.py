"""The list of calls without a kernel, and the answer of their launch."""

from __future__ import annotations

import pytest

import aclnn
from acl_runtime import *
from aclnn.ops import EXACT, homes
from aclnn.tools.exports import operators
from tests.aclnn.ops.case import board
from tests.derived.good import subject
from tests.derived.lacking_calls import CALLS, Lacking
from tests.derived.launching import planned


def test_each_form_has_a_call() -> None:
    """Versions of an operator share their forms."""
    homes_of = {name: home for name, home in homes().items() if name not in EXACT}
    listed = {(homes_of[name], each.calls) for name, op in operators().items() for each in op.lacks}
    assert listed == {(homes_of[f"aclnn{each.name}"], each.calls) for each in CALLS}


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_the_launch_of_a_listed_form_is_561003(call: Lacking) -> None:
    this = subject(f"aclnn{call.name}")
    with board(call.soc):
        answer = planned(this, this.changed(call.changes))
        assert answer.status == ACL_SUCCESS, answer.text
        assert getattr(aclnn, this.name)(None, 0, answer.executor, None) == ACLNN_ERR_INNER_FIND_KERNEL_ERROR
        assert f"no kernel for {this.name} with {call.calls}:" in aclGetRecentErrMsg()
