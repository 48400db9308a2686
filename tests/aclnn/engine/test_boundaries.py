"""Launches at a boundary: the last byte that is right, the first one that is wrong (ours)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.headers.statuses import (
    ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR,
)
from aclnn import *
from tests.helpers.builders import malloc, on_device, plan, run
from tests.helpers.creating import create_stream
from tests.helpers.outcomes import ok


def zeros(nbytes: int) -> int:
    """Device memory that the host wrote."""
    address = malloc(nbytes)
    ok(aclrtMemset(address, nbytes, 0, nbytes))
    return address


def view(
    address: int, shape: Sequence[int], strides: Sequence[int], storage: int, dtype: int = ACL_FLOAT
) -> aclTensor:  # fmt: skip
    return aclCreateTensor([*shape], len(shape), dtype, [*strides], 0, ACL_FORMAT_ND, [storage], 1, address)


def ids(machine: Machine) -> list[str]:
    return [finding.id for finding in machine.findings.worth_telling]


@pytest.mark.parametrize(("storage", "status"), [(6, ACL_SUCCESS), (5, ACLNN_ERR_INNER_NULLPTR)])
def test_a_view_that_is_copied_reaches_at_most_to_the_end_of_its_storage(
    machine: Machine, storage: int, status: int
) -> None:
    """The last element of a transposed view of 2 x 3 is element 5."""
    grad = view(zeros(64), [2, 3], [1, 2], storage)
    others = [on_device(np.ones((2, 3), np.float32)) for _ in range(2)]
    assert plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, others[0], 1, others[1]).status == status


def test_the_least_workspace_is_asked_for_only_by_calls_with_work() -> None:
    """`min_workspace` is for calls that launch something. An empty call needs no workspace."""
    with Machine(min_workspace=512):
        aclrtSetDevice(0)
        for rows, size in ((2, 512), (0, 0)):
            tensors = [on_device(np.ones((rows, 3), np.float32)) for _ in range(3)]
            assert plan(aclnnSoftmaxBackwardGetWorkspaceSize, *tensors[:2], 1, tensors[2]).workspace_size == size


@pytest.mark.parametrize(("size", "status"), [(1, ACLNN_ERR_PARAM_INVALID), (511, ACLNN_ERR_PARAM_INVALID)])
def test_a_null_workspace_without_room_for_the_copies_is_161002(machine: Machine, size: int, status: int) -> None:
    """A generated operator copies a strided input before its kernel. The room for these copies is checked first, then
    the pointer."""
    log = on_device(np.zeros((3, 2), np.float32), strides=(1, 3))
    grad, target, out = on_device(np.float32(1)), on_device(np.zeros(3, np.int64)), on_device(np.zeros((3, 2), "f4"))
    arguments = (grad, log, target, None, None, None, "mean", -100, 0.0, 0.0, out)
    planned = plan(aclnnCrossEntropyLossGradGetWorkspaceSize, *arguments)
    assert aclnnCrossEntropyLossGrad(None, size, planned.executor, None) == status
    assert aclnnCrossEntropyLossGrad(None, planned.workspace_size, planned.executor, None) == ACLNN_ERR_PARAM_NULLPTR


def test_an_aborted_stream_takes_no_launch(machine: Machine) -> None:
    stream, tensors = create_stream(), [on_device(np.ones((2, 3), np.float32)) for _ in range(3)]
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, *tensors[:2], 1, tensors[2])
    ok(aclrtStreamAbort(stream))
    assert aclnnSoftmaxBackward(None, 0, planned.executor, stream) == ACLNN_ERR_RUNTIME_ERROR


@pytest.mark.parametrize(("strides", "finding"), [((7, 2), []), ((7, 1), ["alias-overlap"])], ids=str)
def test_in_place_means_that_each_element_lies_where_its_input_does(
    strides: tuple[int, int], finding: list[str]
) -> None:
    """The strides of a dimension of one element say nothing."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        address = zeros(64)
        run(aclnnAbsGetWorkspaceSize, aclnnAbs, view(address, [1, 4], [99, 2], 8), view(address, [1, 4], strides, 8))
        assert ids(machine) == finding


def test_one_tensor_as_two_outputs_is_on_purpose() -> None:
    """A program that needs one of two results gives one tensor for both. Two tensors in one memory are a mistake."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        given, address = on_device(np.arange(8, dtype=np.float32)), zeros(32)
        out, other = (view(address, [], [], 8) for _ in range(2))
        run(aclnnAminmaxAllGetWorkspaceSize, aclnnAminmaxAll, given, out, out)
        assert ids(machine) == []
        run(aclnnAminmaxAllGetWorkspaceSize, aclnnAminmaxAll, given, out, other)
        assert ids(machine) == ["alias-overlap"]


def test_elements_of_another_size_are_not_in_place() -> None:
    """Each mask lies at the first byte of its number, and the strides agree."""
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        address, one = zeros(32), aclCreateScalar(np.ones(1, np.float32), ACL_FLOAT)
        numbers, masks = view(address, [8], [1], 8), view(address, [8], [4], 32, ACL_BOOL)
        run(aclnnGtScalarGetWorkspaceSize, aclnnGtScalar, numbers, one, masks)
        assert ids(machine) == ["alias-overlap"]


def test_a_tensor_that_is_there_twice_is_reported_once() -> None:
    with Machine(on_undefined="report") as machine:
        aclrtSetDevice(0)
        short, out = view(zeros(16), [8], [1], 4), on_device(np.ones(8, np.float32))
        planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, short, short, 0, out)
        aclnnSoftmaxBackward(None, 0, planned.executor, None)
        aclrtSynchronizeStream(None)
        assert ids(machine) == ["view-exceeds-storage"]
