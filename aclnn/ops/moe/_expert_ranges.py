"""Ranges of experts of MoeFinalizeRoutingV3 and V4 on Ascend 950: an expert of a range has no row of expandedX. Its
term is 0, or the token, or a weighted sum of the token and a constant of the expert."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from aclnn.op import (
    TILING, Arguments, Array, Bad, Relation, Series, Shape, demand, only_if, same_dtype, shape, take, widen,
)  # fmt: skip


ZERO, COPY, CONSTANT = RANGES = ("zeroExpertRange", "copyExpertRange", "constantExpertRange")
TOKEN: Final = "xOptional"
OF_CONSTANTS: Final = ("a1Optional", "a2Optional", "vOptional")
"""the factor of the token, the factor of the constant, and the constant, for each expert of the constant range"""
Range = tuple[int, int]


def ranges_of(a: Arguments) -> dict[str, Range]:
    """The ranges of a call by name, each as its first expert and its end. Only Ascend 950 has them. -1 means no
    range."""
    ends_by_name = {name: a[name].values for name in RANGES if a.has(name) and a.given(name)}
    on = a.soc.series is Series.A950
    return {name: (ends[0], ends[1]) for name, ends in ends_by_name.items() if on and len(ends) == 2 and min(ends) >= 0}


def tensors_of(a: Arguments) -> list[str]:
    """The tensors that the ranges of a call need."""
    ranges = ranges_of(a)
    names = [TOKEN] if ranges.keys() & {COPY, CONSTANT} else []
    return [*names, *(OF_CONSTANTS if CONSTANT in ranges else ())]


def wrong_range(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        ends = list(a[name].values)
        others = [each for other, each in ranges_of(a).items() if other != name]
        fine = ends == [-1, -1] or (
            len(ends) == 2 and 0 <= ends[0] < ends[1] and all(ends[1] <= low or high <= ends[0] for low, high in others)
        )
        return None if fine else (ends, "two ends in order, apart from the other ranges, or [-1, -1]")

    return demand("{0} is a range of experts of its own", name, bad=bad, status=TILING)


def needed(name: str) -> Relation:
    """Checks that a tensor is given if a range needs it."""

    def bad(a: Arguments) -> Bad:
        experts = name == "expertIdxOptional" and bool(ranges_of(a))
        lacks = (experts or name in tensors_of(a)) and not a.given(name)
        return ("null", f"a tensor, as {' and '.join(ranges_of(a))} have experts") if lacks else None

    return demand(f"{{0}} has {name} beside its ranges", "expandedX", bad=bad, status=TILING)


def token_shape(a: Arguments) -> Shape | None:
    return a.shape("out") if TOKEN in tensors_of(a) else None


def constant_shape(a: Arguments) -> Shape | None:
    low, high = ranges_of(a).get(CONSTANT, (0, 0))
    return (high - low, a.shape("out")[-1]) if high else None


RANGED: Final = only_if(
    "the product is Ascend 950", lambda a: a.soc.series is Series.A950, *map(wrong_range, RANGES),
    *map(needed, ("expertIdxOptional", TOKEN, *OF_CONSTANTS)),
    *(same_dtype(name, "expandedX") for name in (TOKEN, *OF_CONSTANTS)),
    shape(TOKEN, "{0} has a row for each token", token_shape, status=TILING),
    *(shape(name, "{0} has a row for each expert of its range", constant_shape, status=TILING)
      for name in OF_CONSTANTS),
)  # fmt: skip
"""the demands of the ranges"""


def within(experts: Array, ends: Range) -> Array:
    """True for the experts that belong to a range."""
    return (experts >= ends[0]) & (experts < ends[1])


def of_no_range(numbers: Array, experts: Array, *, ranges: Mapping[str, Range], by_columns: bool) -> Array:
    """Indices of rows, with 0 for experts of a range, as these need no row and their indices are not checked."""
    special: Any = np.any([within(experts, ends) for ends in ranges.values()], axis=0)
    mask = (special.T if by_columns else special).reshape(numbers.shape)
    return np.where(mask, np.zeros_like(numbers), numbers)


def counted(valid: Array, experts: Array, ranges: Mapping[str, Range]) -> Array:
    """The mask of the terms to add: none for experts of the zero range. Experts of other ranges need no valid row."""
    for name, ends in ranges.items():
        valid = valid & ~within(experts, ends) if name == ZERO else valid | within(experts, ends)
    return valid


def replaced(term: Array, experts: Array, by_name: Mapping[str, Array], ranges: Mapping[str, Range]) -> Array:
    """The terms of the tokens, where experts of a range have their special terms."""
    if COPY in ranges:
        term = np.where(within(experts, ranges[COPY])[:, None], widen(by_name[TOKEN]), term)
    if CONSTANT in ranges:
        numbers = experts - ranges[CONSTANT][0]
        token, constant, v = (widen(take(by_name[name], numbers, 0)) for name in OF_CONSTANTS)
        constant_term = token * widen(by_name[TOKEN]) + constant * v
        term = np.where(within(experts, ranges[CONSTANT])[:, None], constant_term, term)
    return term
