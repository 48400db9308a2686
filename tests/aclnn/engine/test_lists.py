"""Lists of tensors in every part of a launch: handles, memory, findings, repeatable executors, caches.

aclnnCat reads a list, aclnnSplitTensor writes one. `Joined` is an operator of the generated family with a list, as the
setters of addresses treat that family differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from aclnn import *
from aclnn.engine.parameters import DataTypes, TensorListIn, TensorListOut
from aclnn.op import Op, Planning, Products, Series, TensorIn, generated, planned
from aclnn.testing import run as run_arrays
from tests.helpers.builders import OnDevice, Planned, malloc, meta, on_device, plan
from tests.helpers.outcomes import assert_status, errors, finding_of, ok

SCHEDULES = pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
FLOAT = DataTypes((ACL_FLOAT,))


@contextmanager
def board(**options: object) -> Iterator[Machine]:
    with Machine(**options) as machine:  # pyright: ignore[reportArgumentType]
        ok(aclrtSetDevice(0))
        yield machine


@pytest.fixture(autouse=True)
def on_board(request: pytest.FixtureRequest) -> Iterator[Machine | None]:
    if "schedule" in request.fixturenames:
        yield None
        return
    with board() as machine:
        yield machine


def floats(*values: float) -> OnDevice:
    return on_device(np.array(values, np.float32))


def listed(*tensors: OnDevice | None) -> aclTensorList:
    return aclCreateTensorList([None if each is None else each.handle for each in tensors], len(tensors))


def launch_cat(planned: Planned) -> int:
    return aclnnCat(None, planned.workspace_size, planned.executor, None)


def planned_cat(tensors: Sequence[OnDevice], out: OnDevice) -> tuple[aclTensorList, Planned]:
    members = listed(*tensors)
    planned = plan(aclnnCatGetWorkspaceSize, members, 0, out)
    ok(planned.status)
    assert planned.workspace_size == 0
    return members, planned


def values(tensor: OnDevice) -> list[float]:
    ok(aclrtSynchronizeStream(None))
    return tensor.read_storage().reshape(-1).tolist()


# handles


@pytest.mark.parametrize("name", ["aclnnCat", "aclnnSplitTensor"])
def test_a_null_list_is_161001(name: str) -> None:
    if name == "aclnnCat":
        answer, parameter = plan(aclnnCatGetWorkspaceSize, None, 0, meta([2])), "tensors"
    else:
        answer, parameter = plan(aclnnSplitTensorGetWorkspaceSize, meta([2]), 1, 0, None), "out"
    assert answer.status == ACLNN_ERR_PARAM_NULLPTR
    assert f"parameter: {parameter}," in answer.text


@pytest.mark.parametrize("name", ["aclnnCat", "aclnnSplitTensor"])
def test_a_null_member_is_161001_and_named(name: str) -> None:
    members = aclCreateTensorList([meta([1]), None], 2)
    if name == "aclnnCat":
        answer, parameter = plan(aclnnCatGetWorkspaceSize, members, 0, meta([2])), "tensors"
    else:
        answer, parameter = plan(aclnnSplitTensorGetWorkspaceSize, meta([2]), 1, 0, members), "out"
    assert answer.status == ACLNN_ERR_PARAM_NULLPTR
    assert f"parameter: {parameter}[1]," in answer.text


def test_an_empty_list_is_a_list() -> None:
    """Cat: "nothing left (or an empty list): success at once". SplitTensor has no tensor for its pieces."""
    nothing = aclCreateTensorList([], 0)
    answer = plan(aclnnCatGetWorkspaceSize, nothing, 0, meta([2]))
    assert (answer.status, answer.workspace_size) == (ACL_SUCCESS, 0)
    assert plan(aclnnSplitTensorGetWorkspaceSize, meta([2]), 1, 0, nothing).status == ACLNN_ERR_PARAM_INVALID


def test_a_dead_list_and_a_dead_member_are_findings() -> None:
    one, gone = meta([1]), meta([1])
    members, dead = aclCreateTensorList([one, gone], 2), aclCreateTensorList([meta([1])], 1)
    ok(aclDestroyTensorList(dead))
    assert finding_of(lambda: plan(aclnnCatGetWorkspaceSize, dead, 0, meta([2])))[0] == "dead-handle"
    ok(aclDestroyTensor(gone))
    id, text = finding_of(lambda: plan(aclnnCatGetWorkspaceSize, members, 0, meta([2])))
    assert id == "dead-handle"
    assert "member 1 of argument tensors" in text


# memory


@pytest.mark.parametrize("destroyed", ["a member", "the list"])
def test_a_member_that_is_destroyed_before_the_launch_is_a_finding(destroyed: str) -> None:
    """ "Keep tensors until phase 2 has returned"; a list destroys its members."""
    one, other, out = floats(1), floats(2), floats(0, 0)
    members, planned = planned_cat([one, other], out)
    ok(aclDestroyTensor(other.handle) if destroyed == "a member" else aclDestroyTensorList(members))
    id, text = finding_of(lambda: launch_cat(planned))
    assert id == "tensor-destroyed-early"
    assert f"tensors[{1 if destroyed == 'a member' else 0}]" in text


def test_a_list_may_be_destroyed_behind_the_launch() -> None:
    one, other, out = floats(1), floats(2), floats(0, 0)
    members, planned = planned_cat([one, other], out)
    ok(launch_cat(planned))
    ok(aclDestroyTensorList(members))
    assert values(out) == [1, 2]


@SCHEDULES
def test_members_count_as_read_and_written_bytes(schedule: str) -> None:
    """The race detector knows each member of a list."""
    with board(schedule=schedule, on_undefined="report") as machine:
        given, pieces = floats(1, 2, 3), [floats(0, 0), floats(0)]
        planned = plan(aclnnSplitTensorGetWorkspaceSize, given, 2, 0, listed(*pieces))
        workspace = malloc(max(planned.workspace_size, 1))
        ok(aclnnSplitTensor(workspace, planned.workspace_size, planned.executor, None))
        pieces[1].read_storage()
        assert errors(machine) == ["read-before-sync"]
        assert "out[1]" in machine.findings[0].what


def test_an_unwritten_member_is_named() -> None:
    hollow = OnDevice(meta([1]), 0, np.zeros(1, np.float32), (1,), (1,), 0)
    address = malloc(4)
    ok(aclSetRawTensorAddr(hollow.handle, address))
    planned = plan(aclnnForeachAbsGetWorkspaceSize, listed(floats(1), hollow), listed(floats(0), floats(0)))
    id, text = finding_of(lambda: aclnnForeachAbs(None, planned.workspace_size, planned.executor, None))
    assert id == "uninit-read"
    assert "x[1]" in text


def test_one_tensor_may_be_in_a_list_twice() -> None:
    one, out = floats(1, 2), floats(0, 0, 0, 0)
    _, planned = planned_cat([one, one], out)
    ok(launch_cat(planned))
    assert values(out) == [1, 2, 1, 2]


# caches


def test_calls_that_are_alike_use_their_own_members() -> None:
    for at in range(3):
        one, other, out = floats(at), floats(at + 10), floats(0, 0)
        _, planned = planned_cat([one, other], out)
        ok(launch_cat(planned))
        assert values(out) == [at, at + 10]


def test_a_member_that_is_destroyed_ends_the_cached_call() -> None:
    """The same handles are judged again: the number of a destroyed tensor is a dead handle."""
    one, other, out = floats(1), floats(2), floats(0, 0)
    members, planned = planned_cat([one, other], out)
    ok(launch_cat(planned))
    ok(aclrtSynchronizeStream(None))
    ok(aclDestroyTensor(one.handle))
    assert finding_of(lambda: plan(aclnnCatGetWorkspaceSize, members, 0, out))[0] == "dead-handle"


def test_lists_of_other_lengths_and_orders_are_other_calls() -> None:
    one, other, out = floats(1), floats(2), floats(0, 0)
    for order, expected in (((one, other), [1, 2]), ((other, one), [2, 1]), ((one, one), [1, 1])):
        _, planned = planned_cat(order, out)
        ok(launch_cat(planned))
        assert values(out) == expected


# addresses of a repeatable executor


@pytest.mark.parametrize("setter", [aclSetDynamicInputTensorAddr, aclSetDynamicTensorAddr], ids=lambda f: f.__name__)
def test_a_member_of_a_repeatable_executor_gets_a_new_address(setter: Callable[..., int]) -> None:
    one, other, more, out = floats(1), floats(2), floats(3), floats(0, 0)
    members, planned = planned_cat([one, other], out)
    ok(aclSetAclOpExecutorRepeatable(planned.executor))
    ok(launch_cat(planned))
    assert values(out) == [1, 2]
    ok(setter(planned.executor, 0, 1, members, more.address))
    ok(launch_cat(planned))
    assert values(out) == [1, 3]
    ok(aclDestroyAclOpExecutor(planned.executor))
    ok(aclDestroyTensorList(members))


def test_an_output_member_gets_a_new_address() -> None:
    given, pieces, more = floats(1, 2), [floats(0), floats(0)], floats(0)
    members = listed(*pieces)
    planned = plan(aclnnSplitTensorGetWorkspaceSize, given, 1, 0, members)
    ok(aclSetAclOpExecutorRepeatable(planned.executor))
    ok(aclSetDynamicOutputTensorAddr(planned.executor, 0, 0, members, more.address))
    workspace = malloc(max(planned.workspace_size, 1))
    ok(aclnnSplitTensor(workspace, planned.workspace_size, planned.executor, None))
    assert [values(each) for each in (more, *pieces)] == [[1], [0], [2]]
    ok(aclDestroyAclOpExecutor(planned.executor))


def test_a_list_that_is_destroyed_before_its_repeatable_executor_is_a_finding() -> None:
    one, other, out = floats(1), floats(2), floats(0, 0)
    members, planned = planned_cat([one, other], out)
    ok(aclSetAclOpExecutorRepeatable(planned.executor))
    ok(launch_cat(planned))
    ok(aclrtSynchronizeStream(None))
    ok(aclDestroyTensorList(members))
    id, _ = finding_of(lambda: aclDestroyAclOpExecutor(planned.executor))
    assert id == "tensor-destroyed-early"
    ok(aclDestroyAclOpExecutor(planned.executor))


# an operator of the generated family


class Joined(Op):
    header = "mine/aclnn_joined.h"
    series = (Series.A2,)
    elsewhere = Products.NOTICED_BY_PLAN

    scale = TensorIn(FLOAT)
    parts = TensorListIn(FLOAT)
    pieces = TensorListOut(FLOAT)


@planned(Joined, generated())
def joined(p: Planning) -> None:
    """pieces = parts + scale, member by member"""
    for part, target in zip(p.read_all("parts"), p["pieces"], strict=True):
        p.put(target, p.step(np.add, [part, p.read("scale")], part.shape, ACL_FLOAT))


aclnnJoinedGetWorkspaceSize, aclnnJoined = joined.pairs["aclnnJoined"]


class Generated:
    """A repeatable executor of `Joined`, with two parts."""

    def __init__(self) -> None:
        self.scale, self.parts, self.pieces = floats(10), [floats(1), floats(2)], [floats(0), floats(0)]
        self.lists = listed(*self.parts), listed(*self.pieces)
        self.planned = plan(aclnnJoinedGetWorkspaceSize, self.scale, *self.lists)
        ok(self.planned.status)
        self.executor = self.planned.executor
        ok(aclSetAclOpExecutorRepeatable(self.executor))

    def results(self) -> list[list[float]]:
        ok(aclnnJoined(None, 0, self.executor, None))
        return [values(each) for each in self.pieces]


@pytest.fixture
def generated() -> Iterator[Generated]:
    made = Generated()
    yield made
    ok(aclDestroyAclOpExecutor(made.executor))


def test_a_generated_operator_runs_with_lists(generated: Generated) -> None:
    assert generated.results() == [[11], [12]]


@pytest.mark.fidelity("index of aclSetInputTensorAddr with a list")
def test_the_index_of_a_dynamic_setter_counts_parameters(generated: Generated) -> None:
    """Input 0 is `scale`, input 1 the list; behind the inputs come the outputs."""
    more, target = floats(5), floats(0)
    parts, pieces = generated.lists
    ok(aclSetDynamicInputTensorAddr(generated.executor, 1, 1, parts, more.address))
    assert generated.results() == [[11], [15]]
    ok(aclSetDynamicTensorAddr(generated.executor, 2, 0, pieces, target.address))
    generated.results()
    assert values(target) == [11]


@pytest.mark.parametrize(
    ("setter", "index", "member", "word"),
    [
        (aclSetDynamicInputTensorAddr, 2, 0, "irIndex"),
        (aclSetDynamicOutputTensorAddr, 1, 0, "irIndex"),
        (aclSetDynamicTensorAddr, 3, 0, "irIndex"),
        (aclSetDynamicInputTensorAddr, 0, 1, "relativeIndex"),
    ],
)
def test_an_index_behind_the_last_parameter_is_161002(
    generated: Generated, setter: Callable[..., int], index: int, member: int, word: str
) -> None:
    """ "Generated executor: index >= count: 161002 (EZ1012)". `scale` has no member 1."""
    status = setter(generated.executor, index, member, generated.lists[0], 64)
    assert_status(status, ACLNN_ERR_PARAM_INVALID, "EZ1012", word)


@pytest.mark.fidelity("index of aclSetInputTensorAddr with a list")
def test_the_index_of_a_plain_setter_counts_tensors(generated: Generated) -> None:
    """Each member of a list is an argument of the launch (ours)."""
    more = floats(7)
    ok(aclSetInputTensorAddr(generated.executor, 2, generated.parts[1].handle, more.address))
    assert generated.results() == [[11], [17]]


def test_a_generated_executor_keeps_the_addresses_of_the_members(generated: Generated) -> None:
    """ "A generated operator keeps the addresses of phase 1": another address of a member does not count."""
    ok(aclSetRawTensorAddr(generated.parts[0].handle, floats(9).address))
    assert generated.results() == [[11], [12]]


# the helper of tests


def test_lists_of_arrays_go_in_and_come_out() -> None:
    parts = [np.arange(3, dtype=np.float32), np.arange(2, dtype=np.float32)]
    whole = run_arrays(aclnnCat, parts, 0, np.empty(5, np.float32))
    back = run_arrays(aclnnSplitTensor, whole, 3, 0, [np.empty(3, np.float32), np.empty(2, np.float32)])
    assert [each.tolist() for each in back] == [each.tolist() for each in parts]
