"""Fixtures of the runtime's tests."""

from collections.abc import Iterator

import pytest

from acl_runtime import Machine
from tests.conftest import check_documented


@pytest.fixture
def two() -> Iterator[Machine]:
    """A machine with two devices, none of them set."""
    with Machine(device_count=2) as machine:
        yield machine
    check_documented(machine)
