"""All pairs of listed data types, on all products, in two layouts. `ACLNN_EXHAUSTIVE=1` turns it on; `.ci/run` does."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import combinations, product

import pytest

from acl_runtime import ACL_SUCCESS, aclDataType
from tests.aclnn.ops.case import board
from tests.aclnn.ops.good_calls import UNREACHED, UNTYPED
from tests.derived.breakers import breakers
from tests.derived.data_types import listed, with_dtype
from tests.derived.functions import every_launch
from tests.derived.good import subject
from tests.derived.judging import CHIPS, Subject, c_types, judge, may_be_strided, names
from tests.derived.launching import launchable, planned, ready, silent
from tests.derived.values import Call, Number, typed

pytestmark = pytest.mark.skipif(
    os.environ.get("ACLNN_EXHAUSTIVE") != "1", reason="takes minutes; ACLNN_EXHAUSTIVE=1 turns it on, as .ci/run does"
)


@every_launch
def test_every_pair_of_data_types_on_every_product(name: str) -> None:
    """A check refuses it, or it computes the same bits from dense tensors and from tensors with gaps."""
    this = subject(name)
    loose = may_be_strided(name)
    for series, soc in CHIPS.items():
        if series not in this.op.series or series in this.op.undocumented:
            continue
        ran = 0
        for call in pairs(this, series):
            state = judge(this.op, this.operator, soc, call)
            assert state.accepted or state.violation or state.problem or state.check, call
            if state.accepted and launchable(call) and soc is this.soc:
                ran += 1
                if state.plan is not None and state.plan.lacking:
                    continue
                with silent(this):
                    dense = ready(this, call).finish()
                    assert not loose or ready(this, call, strided="*").finish() == dense, call
        assert ran or soc is not this.soc or not listed(this, series)


def scalars(name: str) -> list[str]:
    return [param for param, type in c_types(name).items() if type == "const aclScalar *"]


@pytest.mark.functions([name for name in names() if scalars(name)])
def test_a_scalar_of_any_data_type_gets_a_status(name: str) -> None:
    this = subject(name)
    for soc in (soc for series, soc in CHIPS.items() if series in this.op.series):
        with board(soc.name):
            for scalar, dtype in product(scalars(name), aclDataType):
                found = planned(this, this.changed({scalar: Number(1, dtype)}))
                assert found.status == ACL_SUCCESS or found.text, (soc.name, scalar, dtype)


@pytest.mark.functions(names())
def test_the_table_of_checks_that_are_not_reached_is_true(name: str) -> None:
    reached = {check.sentence for check in breakers(name, unreached=True)}
    assert not reached & {sentence for function, sentence in UNREACHED if function == name}


@pytest.mark.functions(sorted({name for name, *_ in UNTYPED}))
def test_the_table_of_data_types_that_are_not_reached_is_true(name: str) -> None:
    this = subject(name)
    for param, dtype in [row for function, *row in UNTYPED if function == name]:
        found = [soc for series, soc in CHIPS.items() if aclDataType[dtype] in listed(this, series).get(param, ())]
        assert found, (param, dtype)
        assert any(with_dtype(this, param, aclDataType[dtype], soc) is None for soc in found), (param, dtype)


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
