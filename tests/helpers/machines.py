"""Machines for tests under every schedule. At the end the statuses of all calls are compared with the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented

SCHEDULES = ("late", "eager", "threads", "random")


@contextmanager
def board(schedule: str = "late", **options: Any) -> Iterator[Machine]:
    """A machine with device 0 set. At the end, the statuses of its calls must be documented ones."""
    with Machine(schedule=schedule, seed=3, **options) as machine:
        aclrtSetDevice(0)
        yield machine
    check_documented(machine)
