"""Launching the good call of any operator, and what a launch may meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ctypes import byref
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from tests.aclnn.ops.case import Case, Changes
from tests.aclnn.ops.cases import BATCH_NORM, CASES, is_output
from tests.helpers.builders import OnDevice, malloc, on_device, plan

ROOM = 4096
"""workspace that every call with work asks for on the machine `roomy`"""
TENSORS = [pytest.param(case, name, id=f"{case}-{name}") for case in CASES for name in case.tensors]
UNREAD = (BATCH_NORM, "weight")
"""a dense FLOAT one: "it is only made contiguous and cast", which here takes no step"""
every_read_or_written = pytest.mark.parametrize(
    ("case", "name"), [each for each in TENSORS if tuple(each.values) != UNREAD]
)


@dataclass
class Ready:
    """A good call whose first phase succeeded: tensors with memory, a workspace, an executor."""

    case: Case
    tensors: dict[str, OnDevice]
    workspace: int | None
    size: int
    executor: aclOpExecutor

    def launch(self, stream: aclrtStream | None = None) -> int:
        return self.case.second(self.workspace, self.size, self.executor, stream)

    def results(self) -> dict[str, np.ndarray]:
        """The present values of the outputs."""
        return {name: self.tensors[name].read() for name in self.case.results}


def placed(case: Case, changes: Changes | None = None) -> dict[str, Any]:
    """The arguments of the good call with these changes, and with memory for the tensors."""
    given = {**case.good, **(changes or {})}
    return {name: on_device(value) if isinstance(value, np.ndarray) else value for name, value in given.items()}


def planned(case: Case, arguments: Mapping[str, Any]) -> Ready:
    """Call the first phase, which must succeed, and allocate the workspace."""
    answer = plan(case.first, *arguments.values())
    assert answer.status == ACL_SUCCESS, answer.text
    size = answer.workspace_size
    tensors = {name: value for name, value in arguments.items() if isinstance(value, OnDevice)}
    return Ready(case, tensors, malloc(size) if size else None, size, answer.executor)


def ready(case: Case, changes: Changes | None = None) -> Ready:
    """The good call with these changes, ready for the second phase."""
    return planned(case, placed(case, changes))


def create_stream() -> aclrtStream:
    stream = aclrtStream()
    assert aclrtCreateStream(byref(stream)) == ACL_SUCCESS
    return stream


def synchronise(stream: aclrtStream | None = None) -> None:
    assert aclrtSynchronizeStream(stream) == ACL_SUCCESS, error_text()


def error_text() -> str:
    return aclGetRecentErrMsg() or ""


def assert_results(found: Mapping[str, np.ndarray], case: Case) -> None:
    """The outputs have the values of the good call."""
    for name, expected in case.results.items():
        np.testing.assert_allclose(found[name], expected, rtol=1e-5, atol=1e-6, err_msg=f"{case.name}: {name}")


def assert_works(call: Ready) -> None:
    """The call can still be launched, and computes the right result."""
    assert call.launch() == ACL_SUCCESS, error_text()
    synchronise()
    assert_results(call.results(), call.case)


@contextmanager
def found(id: str, *words: str) -> Iterator[None]:
    """The block must end with an undefined behaviour whose message contains these words."""
    with pytest.raises(UndefinedBehaviour) as caught:
        yield
    assert caught.value.finding.id == id, str(caught.value)
    for word in words:
        assert word in caught.value.finding.message


def assert_consumed(call: Ready) -> None:
    """ "The executor is consumed": using it again is undefined."""
    with found("exec-reused", call.case.name):
        call.launch()


def ids(machine: Machine) -> list[str]:
    """The findings, without the advice for an operator that no document lists."""
    return [finding.id for finding in machine.findings if finding.id != "unsupported-product"]


def role(case: Case, name: str) -> str:
    """The name of a tensor of a launch in the text of a finding."""
    return f"{'output' if is_output(case, name) else 'input'} `{name}`"
