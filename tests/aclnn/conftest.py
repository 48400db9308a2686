"""Machines for the second phase; their answers are held against the documentation at the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from acl_runtime import Machine
from tests.aclnn.ops.case import board
from tests.helpers.operator_launches import ROOM


@pytest.fixture
def roomy() -> Iterator[Machine]:
    """Every call that has work needs a workspace."""
    with board(min_workspace=ROOM) as machine:
        yield machine


@pytest.fixture
def lenient() -> Iterator[Machine]:
    """Undefined behaviour is only recorded."""
    with board(on_undefined="report", min_workspace=ROOM) as machine:
        yield machine
