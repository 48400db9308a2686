"""docs/forms-not-taken.md is made from the declarations and the public calls; its examples are refused."""

from __future__ import annotations

from typing import Any

import pytest

from acl_runtime import *
from aclnn.tools.exports import has_kernel
from tests.aclnn.ops.case import A2, Meta, board
from tests.derived.catalogued import bare
from tests.derived.forms import PAGE, PROGRAMS, page
from tests.derived.good import subject
from tests.derived.launching import planned


def test_the_page_is_made() -> None:
    assert page() == PAGE.read_text(encoding="utf-8"), "python -m tests.derived.forms"


CALLS: dict[str, dict[str, Any]] = {
    "aclnnFusedAdamw": {"stateSteps": (Meta((8,), ACL_INT64),)},
    "aclnnInplaceCos": {"inputRef": Meta((4,), ACL_INT64)},
    "aclnnMatmul": {name: Meta((2, 2), ACL_INT64) for name in ("self", "mat2", "out")},
    "aclnnAdvanceStep": {"inputTokens": Meta((8, 1), ACL_INT64)},
}
"""by function, the arguments that an example or a program has"""


@pytest.mark.parametrize(("name", "form", "status", "reason"), PROGRAMS)
def test_an_example_is_refused(name: str, form: str, status: str, reason: str) -> None:
    this = subject(name) if has_kernel(name) else bare(name)
    with board(A2):
        answer = planned(this, this.changed(CALLS[name]))
    assert answer.status == int(status), answer.text
