"""The results of every operator do not depend on layout, cache or schedule."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice

import numpy as np
import pytest

from acl_runtime import *
from aclnn.engine import memo
from tests.aclnn.ops.case import Meta
from tests.derived.functions import every_launch
from tests.derived.good import fixes, subject
from tests.derived.judging import Subject, c_types, crashing, may_be_strided, names, on
from tests.derived.launching import FILL, Ready, expected, launchable, planned, ready, results, silent
from tests.derived.values import Call, is_empty, tensors
from tests.helpers.builders import OnDevice

SCHEDULES = ("late", "eager", "threads", "random")
MOST_TRIES = 300
STATUSES = (ACL_SUCCESS, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_INNER_TILING_ERROR)


@every_launch
def test_layouts_and_schedules_do_not_change_the_result(name: str) -> None:
    """Dense and strided tensors, on each of the four schedules, without a finding. Nothing is written between the
    elements of a view."""
    this = subject(name)
    assert any(expected(this).values()), "the call writes nothing"
    loose = "*" if may_be_strided(name) else None
    for schedule in SCHEDULES:
        with silent(this, schedule=schedule, seed=1):
            call = ready(this, this.good, strided=loose)
            sized = call.planned.plan.sized
            assert call.finish() == expected(this), schedule
            if schedule == SCHEDULES[0] and not sized:
                list(map(assert_untouched_outside, chain(*call.tensors.values())))


def assert_untouched_outside(tensor: OnDevice) -> None:
    """Nothing was written between the elements of a view with gaps."""
    if tensor.offset:
        outside = np.ones(tensor.storage.shape, bool)
        tensor.view(outside)[...] = False
        assert tensor.read_storage()[outside].tobytes() == tensor.storage[outside].tobytes()


@every_launch
def test_repeated_calls_give_the_same_bits_with_and_without_caches(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    this = subject(name)
    with silent(this):
        cached = [ready(this, this.good).finish() for _ in range(3)]
    monkeypatch.setattr(memo, "keep", lambda *_: None)
    plain = results(this, this.good)
    assert cached == [plain] * 3


TWINS = [
    name for name in names()
    if name.startswith("aclnnInplace") and name.replace("Inplace", "") in names()
    and sum(each.endswith("Ref") for each in c_types(name)) < 2 and name != "aclnnInplaceFusedCausalConv1d"
]  # fmt: skip
"""the functions that change one tensor in place (aclnnInplaceAddRmsNorm changes two, aclnnInplaceFusedCausalConv1d also
its states)"""


@pytest.mark.functions(TWINS)
def test_a_twin_in_place_gives_the_result_of_the_other(name: str) -> None:
    """The tensor that is changed in place is an input and the output of the other function."""
    this, other = subject(name), subject(name.replace("Inplace", ""))
    place = next(param.printed for param in this.op.tensors if param in written(this))
    given = {each: this.good[place] if isinstance(value, Meta) else value for each, value in other.good.items()}
    call = {each: this.good.get(each, this.good.get(f"{each}Ref", value)) for each, value in given.items()}
    with silent(this):
        mine, theirs = ready(this, this.good), ready(other, call)
        for param in other.op.params:
            if param.printed in theirs.tensors:
                source = mine.tensors.get(param.printed, mine.tensors[place])
                copy_over(theirs, param.printed, source[0].storage if param.reads else None)
        own, found = mine.finish(), theirs.finish()
    assert own[place] == next(each for param, each in found.items() if param not in this.good)


def written(this: Subject) -> list[object]:
    return [this.op.params[at] for at in this.op.output_places]


def copy_over(call: Ready, name: str, storage: object) -> None:
    """Give a tensor these values; the fill, if there are none."""
    (tensor,) = call.tensors[name]
    if storage is None:
        tensor.storage[...] = FILL
        storage = tensor.storage
    size = tensor.storage.nbytes
    assert aclrtMemcpy(tensor.address, size, storage, size, ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS


@every_launch
def test_empty_tensors_are_computed_or_refused(name: str) -> None:
    """No elements along the first or the last dimension: a result without a finding, or a status of a check."""
    this = subject(name)
    for at in (0, -1):
        with on(this.soc):  # one machine for all calls that are judged
            call = emptied(this, at)
            if call is None:
                continue
            state = crashing(this, call)
            assert state is not None, call
        with silent(this):
            answer = planned(this, call)
            assert answer.status in STATUSES, answer.text
            assert (answer.status == ACL_SUCCESS) == (state.violation is None and not state.problem), answer.text
            lacking = state.plan is not None and state.plan.lacking
            if answer.status == ACL_SUCCESS and launchable(call) and not lacking:
                ready(this, call).finish()


def emptied(this: Subject, at: int) -> Call | None:
    """The good call with tensors that are empty along one dimension, its outputs repaired once."""
    given = {name: value for name, value in tensors(this.good).items() if isinstance(this.good[name], Meta)}
    if not any(value[0].shape for value in given.values()):
        return None
    changes = {name: replace(value[0], shape=without(value[0].shape, at)) for name, value in given.items()}
    call = this.changed(changes)
    state = crashing(this, call)
    if state is not None and state.violation is not None:
        for more in islice(fixes(this.op, call, state), MOST_TRIES):
            better = crashing(this, call | more)
            fixed = better is not None and better.violation is None
            if fixed and all(not is_empty(changes[name]) or is_empty((call | more)[name]) for name in changes):
                return call | more
    return call


def without(shape: tuple[int, ...], at: int) -> tuple[int, ...]:
    if not shape:
        return shape
    place = at % len(shape)
    return (*shape[:place], 0, *shape[place + 1 :])
