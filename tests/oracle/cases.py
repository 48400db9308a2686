"""Random calls of a function: the good call with other data types, sizes, layouts and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np

from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.dtypes import numpy_dtype
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.parameters import Param
from tests.aclnn.ops.case import Meta
from tests.derived.data_types import listed, with_dtype
from tests.derived.judging import CHIPS, Subject, accepted, crashing
from tests.derived.launching import INDICES, launchable
from tests.derived.values import Call, Number, Values, tensors, typed
from tests.helpers.packed import NUMBERS
from tests.oracle.extremes import mixed
from tests.oracle.route import Route

SIZES = {1: 1, 2: 5, 3: 7, 4: 6, 16: 20}
"""other sizes of dimensions"""
OTHERS = (2.5, 3, -2)
"""other values of scalars"""
NEWEST = CHIPS[Series.A950]


@dataclass(frozen=True, eq=False)
class Drawn:
    """A call with the values of its tensors."""

    call: Call
    arrays: Mapping[str, list[np.ndarray]]
    strided: bool
    label: str
    """the data type that the case is about"""
    chip: Soc


def cases(this: Subject, route: Route) -> Iterator[Drawn]:
    """The same cases each time: the seed is the name of the function."""
    random = np.random.default_rng(crc32(this.name.encode()))
    chips = [*((this.soc, each) for each in ({}, *route.also)), *((NEWEST, each) for each in route.newest)]
    for chip, changes in chips:
        start = replace(this, good=this.changed({**route.start, **changes}), soc=chip)
        for label, call in by_type(start, route):
            for at, grown in enumerate((call, larger(start, call), *scaled(start, call))):
                if launchable(grown, narrow=route.narrow) and accepted(start, grown):
                    loose = at % 2 == 1 and launchable(grown)
                    arrays = draw(this, route, grown, random)
                    yield Drawn(grown, arrays, strided=loose, label=label, chip=chip)
                    if at < 2 and has_extremes(this, route, grown):
                        arrays = draw(this, route, grown, random, extremes=True)
                        yield Drawn(grown, arrays, strided=loose, label=label, chip=chip)


def has_extremes(this: Subject, route: Route, call: Call) -> bool:
    """Does the contract define the results for extreme values? All floats of the call are ordinary ones."""
    types = {numpy_dtype(each.dtype) for listed in tensors(call).values() for each in listed}
    odd = any(each is None or each.kind == "c" or each.name.startswith("float8") for each in types)
    outputs = (call[this.op.params[place].printed] for place in this.op.output_places)
    found = next(each for each in outputs if each is not None)
    first = numpy_dtype((found[0] if isinstance(found, tuple) else found).dtype)
    whole = first is not None and first.kind in "iu" and not route.positions
    return bool(route.extremes) and not odd and not whole


def by_type(this: Subject, route: Route) -> Iterator[tuple[str, Call]]:
    """The call in each data type of a parameter: in all parameters, if that is accepted, or in those of a group."""
    lists = listed(this, this.soc.series)
    if not lists:
        yield "-", this.good
    for group in route.groups or [list(this.good)][: bool(lists)]:
        own = [name for name in this.good if name in group or plain(name) in group]
        name = next(each for each in own if each in lists)
        for dtype in lists[name]:
            call = this.changed({other: typed(this.good[other], dtype) for other in own})
            state = crashing(this, call)
            found = call if state is not None and state.plan is not None and not state.plan.lacking else None
            if found is None and not route.groups:
                found = with_dtype(this, name, dtype, this.soc)
            if found is not None:
                yield dtype_name(dtype).removeprefix("DT_"), found


def larger(this: Subject, call: Call) -> Call:
    """All sizes that are equal stay equal, and are other ones, if the checks accept that."""

    def grown(value: Any) -> Any:
        if isinstance(value, Meta):
            return replace(value, shape=tuple(SIZES.get(each, each) for each in value.shape))
        return tuple(map(grown, value)) if isinstance(value, tuple) else value

    found = {name: grown(value) for name, value in call.items()}
    state = crashing(this, found)
    return found if state is not None and state.accepted else call


def scaled(this: Subject, call: Call) -> Iterator[Call]:
    """Other values of the scalars."""
    names = [name for name, value in call.items() if isinstance(value, Number)]
    for value in OTHERS if names else ():
        found = call | {name: replace(call[name], value=value) for name in names}
        state = crashing(this, found)
        if state is not None and state.accepted:
            yield found


def draw(
    this: Subject, route: Route, call: Call, random: np.random.Generator, *, extremes: bool = False
) -> dict[str, list[np.ndarray]]:
    """The values of each tensor that is read."""
    found: dict[str, list[np.ndarray]] = {}
    for param in this.op.params:
        if param.printed in tensors(call):
            drawn = [_draw(param, route, meta, random) for meta in tensors(call)[param.printed]]
            names = route.extremes.get(plain(param.printed)) if extremes else None
            found[param.printed] = [mixed(each, names, random) for each in drawn] if names else drawn
    return found


def _draw(param: Param[Any], route: Route, meta: Meta, random: np.random.Generator) -> np.ndarray:
    dtype = NUMBERS.get(meta.dtype, numpy_dtype(meta.dtype))
    assert dtype is not None
    drawn = _any(param.printed, meta.shape, dtype, random)
    adjust = route.values.get(plain(param.printed)) or route.values.get(param.printed)
    return drawn if adjust is None else np.asarray(adjust(drawn)).astype(dtype)


def _any(name: str, shape: tuple[int, ...], dtype: np.dtype[Any], random: np.random.Generator) -> np.ndarray:
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        low, high = (0, 2) if INDICES.search(name) else (0 if dtype.kind == "u" else -9, 10)
        return random.integers(low, high, shape).astype(dtype)
    values = random.normal(0, 2, shape)
    if dtype.kind == "c":
        return (values + 1j * random.normal(0, 2, shape)).astype(dtype)
    return values.astype(np.float32).astype(dtype)


def plain(name: str) -> str:
    """The name in the function that is not in place."""
    return name.removesuffix("Ref") if name.endswith("Ref") else name


def exact(drawn: Drawn) -> dict[str, Any]:
    """The arguments as a route gets them: nothing is rounded. `dtypes` has the data types of tensors, as numpy names
    them."""
    types = {plain(name): arrays[0].dtype.name for name, arrays in drawn.arrays.items() if arrays}
    found: dict[str, Any] = {"dtypes": types}
    for name, value in drawn.call.items():
        if name in drawn.arrays:
            arrays = [wide(each) for each in drawn.arrays[name]]
            given: Any = arrays if isinstance(value, tuple) else arrays[0]
        elif isinstance(value, Number):
            given = wide(value.array()).item()
        elif isinstance(value, Values):
            given = list(value.values)
        elif isinstance(value, tuple):
            given = [wide(each.array()).item() for each in value]
        else:
            given = value
        found[name] = found[plain(name)] = given
    return found


def wide(array: np.ndarray) -> np.ndarray:
    """The same values in 64 bits."""
    kind = array.dtype.kind
    if kind in "biu":
        return array.astype({"b": np.bool_, "i": np.int64, "u": np.uint64}[kind])
    return array.astype(np.complex128 if kind == "c" else np.float64)
