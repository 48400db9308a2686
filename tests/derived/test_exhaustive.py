"""All pairs of listed data types, on all products, in two layouts. `ACLNN_EXHAUSTIVE=1` turns it on; `.ci/run` does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import combinations, product

import pytest

from tests.aclnn.ops.good_calls import UNREACHED
from tests.derived.breakers import breakers
from tests.derived.data_types import listed
from tests.derived.good import subject
from tests.derived.judging import CHIPS, Subject, judge, names
from tests.derived.launching import launchable, ready, silent, takes_gaps
from tests.derived.test_contract import every_launch
from tests.derived.values import Call, typed

pytestmark = pytest.mark.skipif(
    os.environ.get("ACLNN_EXHAUSTIVE") != "1", reason="takes minutes; ACLNN_EXHAUSTIVE=1 turns it on, as .ci/run does"
)


@every_launch
def test_every_pair_of_data_types_on_every_product(name: str) -> None:
    """A check refuses it, or it computes the same bits from dense tensors and from tensors with gaps."""
    this = subject(name)
    loose = takes_gaps(name)
    for series, soc in CHIPS.items():
        if series not in this.op.series:
            continue
        ran = 0
        for call in pairs(this, series):
            state = judge(this.op, this.operator, soc, call)
            assert state.accepted or state.violation or state.problem or state.check, call
            if state.accepted and launchable(call) and soc is this.soc:
                ran += 1
                with silent(this):
                    dense = ready(this, call).finish()
                    assert not loose or ready(this, call, strided="*").finish() == dense, call
        assert ran or soc is not this.soc or not listed(this, series)


@pytest.mark.parametrize("name", names())
def test_the_table_of_checks_that_are_not_reached_is_true(name: str) -> None:
    reached = {check.sentence for check in breakers(name, unreached=True)}
    assert not reached & {sentence for function, sentence in UNREACHED if function == name}


def pairs(this: Subject, series: object) -> Iterator[Call]:
    """The good call with each pair of listed data types, of each pair of parameters; outputs follow, where they can."""
    lists = listed(this, series)  # pyright: ignore
    seen: list[Call] = []
    for one, other in combinations(lists, 2) if len(lists) > 1 else [(name, name) for name in lists]:
        for first, second in product(lists[one], lists[other]):
            changes = {one: typed(this.good[one], first), other: typed(this.good[other], second)}
            call = this.changed(changes)
            if call not in seen:
                seen.append(call)
                yield call
