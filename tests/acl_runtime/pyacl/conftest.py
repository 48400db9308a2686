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
    """At the end of a program for pyACL garbage is collected. What other tests left takes a third of a second then."""
    gc.collect()
    gc.freeze()
