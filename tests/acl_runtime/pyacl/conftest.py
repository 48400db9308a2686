"""`import acl` for the tests of this folder."""

import gc
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


@pytest.fixture(autouse=True, scope="module")
def little_to_collect() -> None:
    """Garbage is collected at the end of a program for pyACL. The objects of other tests would take a third of a second
    each time."""
    gc.collect()
    gc.freeze()
