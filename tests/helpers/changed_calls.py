"""The answer of a first phase to the good call of `tests.derived`, changed."""

from __future__ import annotations

from typing import Any

from acl_runtime import *
from tests.aclnn.ops.case import A2, board
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.helpers.builders import Planned

INVALID, UNPLANNED = ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_NULLPTR


def changed(name: str, soc: str = A2, /, **changes: Any) -> Planned:
    """On a machine of its own."""
    this = subject(name)
    with board(soc):
        return planned(this, this.changed(changes))


def assert_refused(name: str, status: int, words: str, soc: str = A2, /, **changes: Any) -> None:
    """With this status, and a text that has these words."""
    found = changed(name, soc, **changes)
    assert found.status == status, found.text
    assert words in found.text


def assert_nothing_to_do(name: str, soc: str = A2, /, **changes: Any) -> None:
    found = changed(name, soc, **changes)
    assert (found.status, found.workspace_size) == (ACL_SUCCESS, 0), found.text
