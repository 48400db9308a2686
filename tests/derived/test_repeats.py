"""Repeatable executors of every operator ("3. Executor functions", "3.1 Repeatable executors")."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, count

from acl_runtime import *
from acl_runtime.objects.executor_life import Family
from tests.aclnn.ops.case import board
from tests.derived.functions import every_launch
from tests.derived.good import subject
from tests.derived.launching import Placed, Ready, Results, expected, placed, ready, silent
from tests.helpers.builders import OnDevice, malloc
from tests.helpers.operator_launches import found, synchronise

Setter = Callable[..., int]


@every_launch
def test_each_launch_has_the_addresses_of_its_moment(name: str) -> None:
    """ "It may be launched any number of times, each time using the tensors' current addresses (this is what the
    setters are for); workspace pointer may differ per launch". A later setter does not reach a queued launch.
    aclSetInputTensorAddr counts the inputs, aclSetOutputTensorAddr the outputs, aclSetTensorAddr both."""
    this = subject(name)
    with silent(this):
        call = ready(this, this.good)
        assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
        inputs, outputs = this.op.input_places, this.op.output_places
        setters: list[list[tuple[Setter, tuple[int, ...]]]] = [
            [(aclSetInputTensorAddr, inputs), (aclSetOutputTensorAddr, outputs)],
            [(aclSetTensorAddr, (*inputs, *outputs))],
        ]
        launches: list[Placed] = []
        for each in setters:
            launches.append(placed(this, this.good))
            for setter, places in each:
                for index, old, new in numbered(call, launches[-1], places):
                    assert setter(call.executor, index, old.handle, new.address) == ACL_SUCCESS
            call.workspace = malloc(call.size) if call.size else None
            assert call.launch() == ACL_SUCCESS, aclGetRecentErrMsg()
        synchronise()
        for each in launches:
            assert results_at(call, each) == expected(this)
        assert aclDestroyAclOpExecutor(call.executor) == ACL_SUCCESS


def numbered(call: Ready, others: Placed, places: tuple[int, ...]) -> Iterator[tuple[int, OnDevice, OnDevice]]:
    """The tensors of some parameters as the setters count them, and the same ones of another call."""
    numbers = count()
    for place in places:
        name = call.subject.op.params[place].printed
        if call.subject.good[name] is None:
            next(numbers)
        for old, new in zip(call.tensors.get(name, ()), others.get(name, ()), strict=True):
            yield next(numbers), old, new


def results_at(call: Ready, others: Placed) -> Results:
    """The outputs in the memory of other tensors."""
    at = {
        name: [replace(old, address=new.address) for old, new in zip(tensors, others[name], strict=True)]
        for name, tensors in call.tensors.items()
    }
    return replace(call, tensors=at).results()


@every_launch
def test_a_generated_operator_keeps_the_addresses_of_the_first_phase(name: str) -> None:
    """A composite has those of the second."""
    this = subject(name)
    with board(this.soc.name):
        call, other = ready(this, this.good), placed(this, this.good)
        for mine, theirs in zip(chain(*call.tensors.values()), chain(*other.values()), strict=True):
            assert aclSetRawTensorAddr(mine.handle, theirs.address) == ACL_SUCCESS
        assert call.launch() == ACL_SUCCESS
        synchronise()
        generated = this.op.family is Family.GENERATED
        assert results_at(call, call.tensors if generated else other) == expected(this)
        left = other if generated else call.tensors
        for tensor in chain(*left.values()):
            assert tensor.read_storage().tobytes() == tensor.storage.tobytes()


@every_launch
def test_a_tensor_destroyed_under_a_repeatable_executor_is_found(name: str) -> None:
    """After a launch that was right."""
    this = subject(name)
    with board(this.soc.name):
        call = ready(this, this.good)
        assert aclSetAclOpExecutorRepeatable(call.executor) == ACL_SUCCESS
        role = call.planned.plan.roles[0]
        assert call.finish() == expected(this)
        assert aclDestroyTensor(call.at(role.place, role.member or 0).handle) == ACL_SUCCESS
        with found("tensor-destroyed-early"):
            call.launch()
