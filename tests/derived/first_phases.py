"""The first phase of a changed good call, by the name of a function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aclnn.tools.exports import has_kernel
from tests.aclnn.ops.case import board
from tests.derived.catalogued import bare
from tests.derived.good import subject
from tests.derived.launching import planned
from tests.helpers.builders import Planned


def first_phase(name: str, soc: str, changes: Mapping[str, Any]) -> Planned:
    """The answer of a product. `name` has no prefix."""
    this = subject(f"aclnn{name}") if has_kernel(f"aclnn{name}") else bare(f"aclnn{name}")
    assert changes.keys() <= this.good.keys()
    with board(soc):
        return planned(this, this.changed(changes))
