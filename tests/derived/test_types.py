"""Every data type that the facts list for a parameter is accepted on its product, and computes; others are refused."""

from __future__ import annotations

from collections.abc import Iterator

from acl_runtime import *
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.arguments import Arguments
from aclnn.engine.words.lacking import without_numbers
from aclnn.engine.words.types import TypeListed
from tests.aclnn.ops.good_calls import UNTYPED
from tests.derived.data_types import listed, reached
from tests.derived.functions import every_launch, every_name
from tests.derived.good import on_product, subject
from tests.derived.judging import CHIPS, Subject, accepted, judge, on, ordered
from tests.derived.launching import launchable, ready, silent
from tests.derived.values import Call, dtype_of, instance, typed
from tests.derived.variants import TYPES

STRANGE = (*TYPES[::-1], ACL_DT_UNDEFINED)


@every_name
def test_every_listed_data_type_is_accepted(name: str) -> None:
    """And its launch has a kernel, but for the calls that `aclnn explain` lists."""
    this = subject(name)
    missing: set[tuple[str, str]] = set()
    wrong: list[tuple[str, str, str]] = []
    calls: dict[tuple[str, int], Call] = {}
    for series, lists in by_product(this):
        soc = CHIPS[series]
        with on(soc):
            for param, dtype in [(param, dtype) for param, dtypes in lists.items() for dtype in dtypes]:
                call = calls.get((param, dtype))  # a good call of another product, which is mostly good here too
                if call is None or not accepted(this, call, soc):
                    call = reached(on_product(this, series), param, dtype, soc)
                if call is None:
                    missing.add((param, aclDataType(dtype).name))
                else:
                    calls[param, dtype] = call
                    wrong += [] if lacks_as_listed(this, call, soc) else [(series.name, param, aclDataType(dtype).name)]
    assert missing == {(param, dtype) for function, param, dtype in UNTYPED if function == name}
    assert not wrong


def lacks_as_listed(this: Subject, call: Call, soc: Soc) -> bool:
    """Has the plan of a call no kernel exactly if the list of the operator names it?"""
    plan = judge(this.op, this.operator, soc, call).plan
    assert plan is not None
    arguments = Arguments(instance(this.op, tuple(call.values())), soc)
    others = {name for name, types in without_numbers(this.op).items() if dtype_of(call[name]) in types[soc.series]}
    return bool(plan.lacking) == (bool(others) or any(each.when(arguments) for each in this.op.lacks))


@every_name
def test_an_unlisted_data_type_is_refused(name: str) -> None:
    """One for each check of a list of data types, on each product."""
    this = subject(name)
    for series, _ in by_product(this):
        for check in ordered(this.op):
            if isinstance(check, TypeListed) and (param := check.param.printed) and this.good[param] is not None:
                dtype = unlisted(check, series)
                if dtype is None:  # it lists all
                    continue
                call = this.changed({param: typed(this.good[param], dtype)})
                state = judge(this.op, this.operator, CHIPS[series], call)
                assert not state.accepted, (series, param, dtype)
                assert state.violation is not None, (series, param, dtype)


def unlisted(check: TypeListed, series: Series) -> int | None:
    return next((each for each in STRANGE if each not in check.dtypes.on(series)), None)


@every_launch
def test_every_listed_data_type_computes(name: str) -> None:
    """Each that has a kernel runs once, on the product of the good call, and nothing is found."""
    this = subject(name)
    with silent(this):
        for call in distinct(this):
            plan = judge(this.op, this.operator, this.soc, call).plan
            if launchable(call) and plan is not None and not plan.lacking:
                ready(this, call).finish()


def distinct(this: Subject) -> Iterator[Call]:
    """The calls that have each listed data type, each once."""
    seen: list[Call] = []
    for param, dtypes in listed(this, this.soc.series).items():
        for dtype in dtypes:
            call = reached(this, param, dtype, this.soc)
            if call is not None and call not in seen:
                seen.append(call)
                yield call


def by_product(this: Subject) -> list[tuple[Series, dict[str, tuple[int, ...]]]]:
    """The products that a document lists. (The lists of the others are what is left of these.)"""
    return [(each, listed(this, each)) for each in CHIPS if each in this.op.series and each not in this.op.undocumented]
