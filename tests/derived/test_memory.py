"""The tensors of a launch and their memory, for every operator: "4.3 What must stay alive, until when"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from ctypes import byref, c_uint64
from dataclasses import replace
from itertools import chain
from typing import TypeVar

import numpy as np
import pytest

import aclnn
from acl_runtime import *
from acl_runtime.checks.findings import ALIKE
from aclnn.engine.parameters import ObjectParam
from aclnn.engine.plan import Role
from tests.aclnn.ops.case import Meta, board
from tests.derived.functions import every_launch, every_name
from tests.derived.good import subject
from tests.derived.judging import Subject
from tests.derived.launching import (
    ROOM,
    Placed,
    Ready,
    arguments,
    expected,
    is_laid_out,
    placed,
    planned,
    prepared,
    ready,
)
from tests.derived.values import instance, tensors
from tests.helpers.builders import UNTOUCHED, OnDevice, malloc, plan
from tests.helpers.operator_launches import found, ids, synchronise

RUNTIME = ACLNN_ERR_RUNTIME_ERROR
S, T = TypeVar("S"), TypeVar("T")

# the handle


@every_name
def test_a_dead_tensor_in_the_first_phase_is_found(name: str) -> None:
    """A dead handle is no null pointer; the text knows where it ended. A machine that reports answers 361001."""
    this = subject(name)
    singles = [each for each, metas in tensors(this.good).items() if not isinstance(this.good[each], tuple)]
    with board(this.soc.name) as machine:
        for param in this.op.params:
            if param.printed in singles:
                given = arguments(this, this.good, {})
                gone = given[this.op.params.index(param)]
                assert aclDestroyTensor(gone) == ACL_SUCCESS
                with found("dead-handle", f"argument {param}", name, "destroyed at"):
                    plan(this.first, *given)
    with board(this.soc.name, on_undefined="report") as machine:
        for at, each in enumerate(singles[:ALIKE], 1):
            answer = planned(this, this.changed({each: aclTensor(0xDEAD)}))
            assert (answer.status, answer.workspace_size) == (RUNTIME, UNTOUCHED)
            assert ids(machine) == ["dead-handle"] * at


@pytest.mark.fidelity("a tensor destroyed between the phases")
@every_launch
def test_a_tensor_destroyed_between_the_phases_is_found(name: str) -> None:
    """ "Portable rule for users (and the one to enforce): keep tensors until phase 2 has returned", also of an operator
    that has their addresses by then, and of a tensor that no step reads; also where an equal launch went before."""
    this = subject(name)
    with board(this.soc.name):
        before = ready(this, this.good)
        roles = held(before)
        assert before.finish() == expected(this)
        for role in roles:
            call = ready(this, this.good)
            assert aclDestroyTensor(call.at(role.place, role.member or 0).handle) == ACL_SUCCESS
            with found("tensor-destroyed-early", role.name, "created at", "destroyed at"):
                call.launch()


def held(call: Ready) -> tuple[Role, ...]:
    """The tensors that the executor holds, also those that no step uses."""
    return call.planned.plan.roles


# the memory

Break = Callable[[OnDevice, Meta], None]


def on_the_host(tensor: OnDevice, _: Meta) -> None:
    assert aclSetRawTensorAddr(tensor.handle, np.zeros(4096, np.uint8)) == ACL_SUCCESS


def on_another_device(tensor: OnDevice, _: Meta) -> None:
    assert aclrtSetDevice(1) == ACL_SUCCESS
    foreign = malloc(max(tensor.storage.nbytes, 1))
    assert aclrtSetDevice(0) == ACL_SUCCESS
    assert aclSetRawTensorAddr(tensor.handle, foreign) == ACL_SUCCESS


def freed(tensor: OnDevice, _: Meta) -> None:
    assert aclrtFree(tensor.address) == ACL_SUCCESS


def stored(more: int, offset: int = 0) -> Break:
    """The same tensor with another size of its storage, or another offset."""

    def change(tensor: OnDevice, like: Meta) -> None:
        shape, strides, storage = list(tensor.shape), list(tensor.strides), [tensor.storage.size + more]
        tensor.handle = aclCreateTensor(
            shape, len(shape), like.dtype, strides, offset, like.format, storage, 1, tensor.address
        )

    return change


WRONG: dict[str, tuple[str, Break, tuple[str, ...]]] = {
    "on the host": ("ws-host-ptr", on_the_host, ()),
    "on another device": ("ws-foreign", on_another_device, ("device 1", "device 0")),
    "freed": ("data-freed-under-tensor", freed, ("freed at",)),
    "a storage of one element less": ("view-exceeds-storage", stored(-1), ()),
    "one element behind the storage": ("view-exceeds-storage", stored(0, 1), ()),
    "one element before the storage": ("view-exceeds-storage", stored(0, -1), ()),
    "a storage of one element more": ("storage-exceeds-alloc", stored(1), ("allocated at",)),
}


@pytest.mark.fidelity("addresses of tensors")
@every_launch
def test_wrong_memory_of_a_tensor_is_found_by_the_launch(name: str) -> None:
    """ "Storage-bounds are checked only on the non-contiguous path", and phase 1 looks at no address; phase 2 does."""
    this = subject(name)
    with board(this.soc.name, device_count=2):
        call = ready(this, this.good)
        late = [call.planned.plan.roles[at] for at in call.planned.plan.sized]
        for (role, like), (id, change, words) in paired(used(call), [*WRONG.values()]):
            if role in late and id == "view-exceeds-storage":
                continue  # its task finds out the view
            given = placed(this, this.good)
            change(given[this.op.params[role.place].printed][role.member or 0], like)
            call = prepared(this, this.good, given)
            with found(id, role.name, name, *words):
                call.launch()


def paired(one: Sequence[T], other: Sequence[S]) -> list[tuple[T, S]]:
    """Each of both at least once."""
    count = max(len(one), len(other)) if one and other else 0
    return [(one[at % len(one)], other[at % len(other)]) for at in range(count)]


def used(call: Ready) -> list[tuple[Role, Meta]]:
    """The tensors that the steps use, with elements, and not in blocks."""
    this = call.subject
    metas = [(role, tensors(this.good)[this.op.params[role.place].printed][role.member or 0]) for role, _ in call.used]
    return [(role, like) for role, like in metas if not is_laid_out(like)]


@every_launch
def test_data_freed_under_queued_work_is_found(name: str) -> None:
    """Finding io-freed-early. The free that is found has no effect, and after a synchronise it is fine."""
    this = subject(name)
    with board(this.soc.name):
        call = ready(this, this.good)
        uses = call.used
        assert call.launch() == ACL_SUCCESS
        for role, tensor in uses:
            with found("io-freed-early", role.name, name):
                aclrtFree(tensor.address)
        synchronise()
        assert call.results() == expected(this)
        for tensor in chain.from_iterable(call.tensors.values()):
            assert aclrtFree(tensor.address) == ACL_SUCCESS


# a machine that only reports


@every_launch
def test_on_a_machine_that_reports_wrong_memory_is_reported_once(name: str) -> None:
    """ "CRASH rows do nothing and return 361001 (aclnn)", and "SILENT rows return 0 and do the memory-safe version of
    what a device does": reads find the fill, writes are dropped, and what follows from that is not reported."""
    this = subject(name)
    with board(this.soc.name, on_undefined="report", min_workspace=ROOM) as machine:
        call = ready(this, this.good)
        roles = [role for role, _ in call.used]
        assert call.finish() == expected(this)
        assert call.launch() == RUNTIME
        assert ids(machine) == ["exec-reused"]
        call = ready(this, this.good)
        assert this.second(np.zeros(call.size, np.uint8), call.size, call.executor, None) == RUNTIME
        assert ids(machine) == ["exec-reused", "ws-host-ptr"]
        for role, queued in paired(roles[:ALIKE], (False, True)):
            machine.findings.clear()
            call = ready(this, this.good)
            address = call.at(role.place, role.member or 0).address
            if queued:
                assert call.launch() == ACL_SUCCESS
            assert aclrtFree(address) == ACL_SUCCESS
            if not queued:
                assert call.launch() == ACL_SUCCESS
            aclrtSynchronizeStream(None)  # a freed index reads as -1, which is the device's fault at this call
            assert ids(machine) == ["io-freed-early" if queued else "data-freed-under-tensor"], role.name


def launch_dead(call: Ready) -> None:
    destroy_first(call)
    assert call.launch() == RUNTIME


def launch_as_another(call: Ready) -> None:
    other = "aclnnPreluBackward" if call.subject.name == "aclnnSoftmaxBackward" else "aclnnSoftmaxBackward"
    assert getattr(aclnn, other)(call.workspace, call.size, call.executor, None) == RUNTIME


def plan_dead(call: Ready) -> None:
    """The variable holds garbage, as in C."""
    destroy_first(call)
    assert plan_again(call, call.tensors) == RUNTIME
    assert call.launch() == RUNTIME


def plan_null(call: Ready) -> None:
    needed = next(each.printed for each in call.subject.op.null_checked if each.printed in readable(call.subject))
    rest = {name: given for name, given in call.tensors.items() if name != needed}
    assert plan_again(call, rest, **{needed: None}) != ACL_SUCCESS
    assert call.launch() == RUNTIME


def destroy_first(call: Ready) -> None:
    first = (readable(call.subject) or list(call.tensors))[0]
    assert aclDestroyTensor(call.tensors[first][0].handle) == ACL_SUCCESS


def readable(this: Subject) -> list[str]:
    """The tensors that are read, and needed."""
    call = instance(this.op, this.good.values())
    params = [this.op.params[at] for at in this.op.input_places]
    return [each.printed for each in params if isinstance(each, ObjectParam) and each.needed(call)]


def plan_again(call: Ready, given: Placed, **changes: None) -> int:
    """Another first phase, into a variable that holds garbage; it fails."""
    this = call.subject
    assert aclDestroyAclOpExecutor(call.executor) == ACL_SUCCESS
    call.executor = aclOpExecutor(0x1230)
    values = arguments(this, this.changed(changes), given)
    return this.first(*values, byref(c_uint64()), byref(call.executor))


SKIPPED: dict[str, tuple[Callable[[Ready], None], list[str]]] = {
    "a tensor is destroyed": (launch_dead, ["tensor-destroyed-early"]),
    "another operator": (launch_as_another, ["exec-wrong-op"]),
    "a dead tensor in the first phase": (plan_dead, ["dead-handle"]),
    "the executor of a failed first phase": (plan_null, ["exec-failed-phase1"]),
    "never launched": (lambda call: None, ["uninit-read"]),
}


BY_INPUTS = "a dead tensor in the first phase", "the executor of a failed first phase"
"""what needs a tensor that is no output: a first phase cannot know an output that is dead or null"""


@pytest.mark.fidelity(
    "consequences of a reported finding: contents of freed memory, outputs of a call that was refused"
)
@every_launch
def test_the_outputs_of_a_call_that_a_finding_ended_are_no_second_finding(name: str) -> None:
    """Nobody wrote them, which "only follows from an earlier one"; the good twin is a call that was forgotten."""
    this = subject(name)
    params = [this.op.params[at] for at in this.op.output_places]
    outputs = [each.printed for each in params if not each.reads and each.printed in tensors(this.good)]
    for how, (skip, ending) in SKIPPED.items():
        if how in BY_INPUTS and not readable(this):
            continue
        with board(this.soc.name, on_undefined="report") as machine:
            given = placed(this, this.good)
            given |= {each: list(map(moved, given[each])) for each in outputs}
            call = prepared(this, this.good, given)
            skip(call)
            synchronise()
            for tensor in chain.from_iterable(given[each] for each in outputs):
                tensor.read_storage()
            assert sorted(set(ids(machine))) == (ending if outputs or ending != ["uninit-read"] else []), how


def moved(tensor: OnDevice) -> OnDevice:
    """The same tensor in memory that nobody wrote."""
    address = malloc(max(tensor.storage.nbytes, 1))
    assert aclSetRawTensorAddr(tensor.handle, address) == ACL_SUCCESS
    return replace(tensor, address=address)
