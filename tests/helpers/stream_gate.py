"""A gate that keeps the tasks of a stream waiting."""

from __future__ import annotations

from acl_runtime import *
from tests.helpers.builders import malloc
from tests.helpers.outcomes import ok


class Gate:
    """Tasks after it in the stream do not run, under any schedule, until it is opened."""

    def __init__(self, stream: aclrtStream | None) -> None:
        self.cell = malloc(8)
        self._write(0)
        ok(aclrtValueWait(self.cell, 1, ACL_STREAM_WAIT_VALUE_EQ, stream))

    def open(self) -> None:
        self._write(1)

    def _write(self, value: int) -> None:
        ok(aclrtMemcpy(self.cell, 8, value.to_bytes(8, "little"), 8, ACL_MEMCPY_DEFAULT))
