"""`import acl` for the tests of this folder."""

from collections.abc import Iterator
from typing import Any

import pytest

from acl_runtime import Machine
from aclnn.pyacl import installed


@pytest.fixture
def acl(machine: Machine) -> Iterator[Any]:
    """The module, on a fresh machine whose device 0 is set."""
    with installed() as module:
        yield module
