"""Good calls with another data type."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

from acl_runtime import *
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.words.types import TypeListed
from tests.aclnn.ops.good_calls import UNTYPED
from tests.derived.good import STEPS
from tests.derived.judging import Judged, Subject, crashing, on, ordered
from tests.derived.values import Call, Number, dtype_of, typed
from tests.derived.variants import of


@lru_cache(maxsize=2000)
def with_dtype(this: Subject, name: str, dtype: int, soc: Soc) -> Call | None:
    """A good call in which this parameter has this data type; None if the search finds none."""
    with on(soc):
        return _with_dtype(this, name, dtype, soc)


def reached(this: Subject, name: str, dtype: int, soc: Soc) -> Call | None:
    """As `with_dtype`, but there is no search for what the table UNTYPED says is not found."""
    untyped = (this.name, name, aclDataType(dtype).name) in UNTYPED
    return None if untyped else with_dtype(this, name, dtype, soc)


def _with_dtype(this: Subject, name: str, dtype: int, soc: Soc) -> Call | None:
    value = this.good[name]
    own = {name: typed(value, dtype)}
    state = _state(this, soc, this.changed(own))
    if state is not None and state.accepted:
        return this.changed(own)
    alike = {other: typed(each, dtype) for other, each in this.good.items() if dtype_of(each) == dtype_of(value)}
    tensors = {other: typed(each, dtype) for other, each in this.good.items()}
    same = {other: each for other, each in alike.items() if not _is_number(this.good[other])}
    together = [own | alike, own | tensors, own | same]
    for changes in together:
        state = _state(this, soc, this.changed(changes))
        if state is not None and state.accepted:
            return this.changed(changes)
    for changes in (*together, own):
        call = _fixed(this, soc, this.changed(changes), name)
        if call is not None:
            return call
    return None


def _is_number(value: Any) -> bool:
    """Is it an aclScalar, or a list of these?"""
    return isinstance(value[0] if isinstance(value, tuple) and value else value, Number)


def _fixed(this: Subject, soc: Soc, call: Call, keep: str) -> Call | None:
    """Repair a call without another change of this parameter."""
    state = _state(this, soc, call)
    others = [param for param in this.op.params if param.printed != keep]
    for _ in range(STEPS):
        if state is None or state.accepted:
            break
        for param in others:
            more = (each for each in of(param, call[param.printed], {}) if each != ())  # no members have no type
            changed = map(partial(_changed, call, param.printed), more)
            better = next((each for each in changed if _further(this, soc, each, state)), None)
            if better is not None:
                call, state = better, _state(this, soc, better)
                break
        else:
            return None
    return call if state is not None and state.accepted else None


def _changed(call: Call, name: str, value: Any) -> Call:
    return {**call, name: value}


def _further(this: Subject, soc: Soc, call: Call, than: Judged) -> bool:
    state = _state(this, soc, call)
    return state is not None and state.at > than.at


def _state(this: Subject, soc: Soc, call: Call) -> Judged | None:
    return crashing(this, call, soc)


def listed(this: Subject, series: Series) -> dict[str, tuple[int, ...]]:
    """The data types of each parameter that the good call gives: those of its check, if there is one, else those of the
    facts. A parameter of which neither lists any is left out."""
    found: dict[str, tuple[int, ...]] = {}
    checked = {check.param.printed: check.dtypes for check in ordered(this.op) if isinstance(check, TypeListed)}
    for param in this.op.params:
        dtypes = checked.get(param.printed) or getattr(param, "dtypes", None)
        value = this.good[param.printed]
        if dtypes is not None and dtype_of(value) is not None and dtypes.on(series) != tuple(aclDataType):
            found[param.printed] = dtypes.on(series)
    return found
