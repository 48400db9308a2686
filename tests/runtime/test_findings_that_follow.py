"""One mistake is told once: "a finding that only follows from an earlier one is not reported again" (decisions, 3)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import (
    aclnnEmbeddingDenseBackward,
    aclnnEmbeddingDenseBackwardGetWorkspaceSize,
    aclnnSoftmaxBackward,
    aclnnSoftmaxBackwardGetWorkspaceSize,
)
from tests.builders import OnDevice, malloc, on_device, plan
from tests.runtime.common import create_stream
from tests.runtime.hosts import pinned
from tests.runtime.places import board, ok

SCHEDULES = pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
LEGAL = np.array([0, 2], np.int64)


def ids(machine: Machine) -> list[str]:
    return [finding.id for finding in machine.findings.worth_telling]


def embedding(indices: OnDevice | aclTensor) -> OnDevice:
    """Queue an EmbeddingDenseBackward with these two indices; its output."""
    grad, out = on_device(np.ones((2, 4), np.float32)), on_device(np.zeros((3, 4), np.float32))
    planned = plan(aclnnEmbeddingDenseBackwardGetWorkspaceSize, grad, indices, 3, -1, False, out)
    assert planned.status == ACL_SUCCESS, planned.text
    workspace = malloc(max(planned.workspace_size, 1))
    ok(aclnnEmbeddingDenseBackward(workspace, planned.workspace_size, planned.executor, None))
    return out


def softmax(stream: aclrtStream | None = None) -> tuple[OnDevice, int]:
    """Queue a SoftmaxBackward; its output and its workspace."""
    values = np.full((8, 2), 3, np.float32)
    grad, output, out = on_device(values, strides=[1, 8]), on_device(values), on_device(values)
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, out)
    workspace = malloc(planned.workspace_size)
    ok(aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, stream))
    return out, workspace


def fetch(out: OnDevice) -> None:
    ok(aclrtMemcpy(bytearray(32), 32, out.address, 32, ACL_MEMCPY_DEVICE_TO_HOST))


# indices that a finding was about: what is in them is no news


def freed_after_a_race() -> str:
    """The missing wait is told by the copy; the free, for which nobody waits either, takes the indices away."""
    indices = on_device(LEGAL)
    fetch(embedding(indices))
    ok(aclrtFree(indices.address))
    return "read-before-sync"


def written_meanwhile() -> str:
    """Another stream may, or may not, have brought the indices."""
    address, (source, _) = malloc(16), pinned(np.zeros(4, np.float32))
    ok(aclrtMemset(address, 16, 0xFF, 16))
    ok(aclrtMemcpyAsync(address, 16, source, 16, ACL_MEMCPY_HOST_TO_DEVICE, create_stream()))
    embedding(aclCreateTensor([2], 1, ACL_INT64, None, 0, ACL_FORMAT_ND, [2], 1, address))
    aclrtSynchronizeStream(None)
    return "xstream-race"


def int32_as_int64() -> str:
    """Half as many bytes as the type needs."""
    address = malloc(8)
    ok(aclrtMemcpy(address, 8, LEGAL.astype(np.int32), 8, ACL_MEMCPY_HOST_TO_DEVICE))
    embedding(aclCreateTensor([2], 1, ACL_INT64, None, 0, ACL_FORMAT_ND, [2], 1, address))
    return "storage-exceeds-alloc"


@SCHEDULES
@pytest.mark.parametrize("program", [freed_after_a_race, written_meanwhile, int32_as_int64])
def test_an_index_that_a_finding_was_about(program: Callable[[], str], schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        id = program()
        aclrtSynchronizeDevice()
        assert ids(machine) == [id]


@SCHEDULES
def test_an_index_that_is_freed_on_the_way_out(schedule: str) -> None:
    """Raised, the finding goes through a `finally` that frees."""
    with Machine(schedule=schedule, seed=3) as machine:
        aclrtSetDevice(0)

        def program() -> None:
            indices = on_device(LEGAL)
            try:
                fetch(embedding(indices))
            finally:
                ok(aclrtFree(indices.address))

        with pytest.raises(UndefinedBehaviour, match="read-before-sync"):
            program()
        aclrtSynchronizeDevice()
        assert ids(machine) == ["read-before-sync"]


@SCHEDULES
def test_the_next_wrong_index_is_told(schedule: str) -> None:
    """The good twin: another launch, whose indices nothing else is wrong with."""
    with board(schedule, on_undefined="report") as machine:
        id = int32_as_int64()
        embedding(on_device(LEGAL + 1))
        aclrtSynchronizeDevice()
        assert ids(machine) == [id, "index-range"]


# a free that nobody waited for: the copy, and the frees, behind it miss the same wait


@SCHEDULES
def test_the_wait_that_a_free_missed(schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        out, workspace = softmax()
        ok(aclrtFree(workspace))
        fetch(out)
        ok(aclrtFree(out.address))
        assert ids(machine) == ["ws-freed-early"]


@SCHEDULES
def test_the_wait_for_another_stream_is_told(schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        (_, workspace), (out, _) = softmax(create_stream()), softmax(create_stream())
        ok(aclrtFree(workspace))
        fetch(out)
        assert ids(machine) == ["ws-freed-early", "read-before-sync"]


@SCHEDULES
def test_work_that_came_after_the_free_is_told(schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        _, workspace = softmax()
        ok(aclrtFree(workspace))
        out, _ = softmax()
        fetch(out)
        assert ids(machine) == ["ws-freed-early", "read-before-sync"]


@SCHEDULES
def test_a_free_that_is_allowed_waits_for_nothing(schedule: str) -> None:
    with board(schedule, on_undefined="report") as machine:
        machine.allow("ws-freed-early", reason="an allocator that keeps it for this stream")
        out, workspace = softmax()
        ok(aclrtFree(workspace))
        fetch(out)
        assert ids(machine) == ["read-before-sync"]
