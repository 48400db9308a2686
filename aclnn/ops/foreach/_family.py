"""The Foreach functions: lists of tensors, one formula, and numbers that come in one of four ways.

Two families differ in their statuses. The composite ones refuse lists and shapes that do not fit with 161002, the
generated ones with 561002. `COMPOSITE` lists the first.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR, PRIVATE, TILING, Arguments, Array, Bad, Operand, Operator,
    Planning, Relation, aclDataType, demand, done, format_name, generated, listed, may_be_in_place, nulls, planned,
    ranks, same_count, same_dtype, same_shapes, uniform,
)  # fmt: skip


INVALID = ACLNN_ERR_PARAM_INVALID
Formula = Callable[..., Array]
MOST_TENSORS: Final = 256
"""the most tensors in a list"""
COMPOSITE: Final = frozenset({
    "AddList", "AddListV2", "AddScalarV2", "AddcdivScalar", "AddcdivScalarV2", "AddcdivScalarList", "AddcmulScalarV2",
    "Copy", "DivList", "DivScalar", "DivScalarV2", "LerpList", "LerpScalar", "MaximumScalarV2", "MinimumScalarV2",
    "MulList", "MulScalarV2", "PowScalarV2", "RoundOffNumberV2", "Sqrt", "SubListV2", "SubScalarV2",
})  # fmt: skip
OUT_FIRST: Final = ("AddList", "AddcdivScalar", "DivScalar", "LerpList", "MulList")
"""functions that check out before their other pointers"""


@dataclass(frozen=True)
class NumberParam:
    """The parameter with the numbers of a formula. The base class is for formulas without numbers."""

    name: str = ""

    def relations(self, stem: str, first: str) -> tuple[Relation, ...]:
        """The relations for the data types and the count of the numbers."""
        return ()

    def given(self, p: Planning, stem: str, dtype: int, index: int) -> tuple[list[Operand], dict[str, Any]]:
        """The number for the tensors at a place of the lists: a 0-d tensor, or a value named `by`."""
        return [], {}


def foreach(
    module: str, stem: str, *lists: str, formula: Formula, doc: str, by: NumberParam | None = None, out: str = "out",
    among: Sequence[aclDataType] | None = None,
) -> Operator:  # fmt: skip
    """An operator whose formula gets a tensor of each list, and the number. `out`: the list with the results, which may
    be one of `lists`. `among`: the data types of the tensors, where the library checks others than the document."""
    numbers = by or NumberParam()

    def plan(p: Planning) -> None:
        rows = zip(*(p.read_all(list_) for list_ in lists), strict=True)
        for index, (target, members) in enumerate(zip(p[out], rows, strict=True)):
            if members[0].shape == () or all(members[0].shape):
                dtype = members[0].dtype
                tensors, values = numbers.given(p, stem, dtype, index)
                write(p, target, p.step(formula, [*members, *tensors], members[0].shape, dtype, **values), out)

    plan.__doc__, plan.__module__ = doc, module
    make = composite if stem in COMPOSITE else by_tiling
    return planned(f"aclnnForeach{stem}", *make(stem, lists, out, numbers, among), may_be_in_place())(plan)


def write(p: Planning, target: Any, result: Operand, name: str) -> None:
    """Write a result to a tensor of a list. If the tensor is larger, the result is dense at its beginning."""
    if result.shape != target.shape:
        p.builder.launch(kept, [result], [p.builder.room(target, result.shape)], moves=True)
    else:
        p.put(target, result, name)


def kept(x: Array) -> Array:
    return x


# checks


def composite(
    stem: str, lists: Sequence[str], out: str, numbers: NumberParam, among: Sequence[aclDataType] | None
) -> Iterator[Relation]:
    first, *others = lists
    same = [each for each in (*others, out) if each != first]
    lengths = ACLNN_ERR_PARAM_NULLPTR if stem == "AddScalarV2" else INVALID
    if stem in OUT_FIRST:
        yield nulls(out, *lists, *([numbers.name] if numbers.name else []))
    yield from (same_count(each, first, lengths) for each in same)
    yield done(f"{first} has no tensors", first, when=lambda a: not a[first])
    yield listed(first, among=among)
    yield uniform(first)
    yield from numbers.relations(stem, first)
    yield from (same_dtype(each, as_=first) for each in same)
    yield from (same_shapes(each, first) for each in others if each != out)
    yield ranks(first, least=0, most=8)
    if out != first:
        yield same_shapes(out, first)
    yield from (public_formats(each) for each in (first, *same))
    yield not_too_long(first)


def by_tiling(
    stem: str, lists: Sequence[str], out: str, numbers: NumberParam, among: Sequence[aclDataType] | None
) -> Iterator[Relation]:
    first, *others = lists
    same = [each for each in (*others, out) if each != first]
    yield generated()
    yield listed(first, among=among)
    yield from (first_types(each, first) for each in same)
    yield from numbers.relations(stem, first)
    yield not_too_long(first, least=1)
    yield from (same_count(each, first, TILING) for each in same)
    yield from (uniform(each, status=TILING) for each in (first, *same))
    yield from (same_shapes(each, first, status=TILING) for each in others if each != out)
    yield ranks(first, least=0, most=8, status=TILING)
    if out != first:
        yield room(out, first)
    yield done(f"the tensors of {out} have no elements", out, when=lambda a: not any(each.numel for each in a[out]))


def not_too_long(name: str, least: int = 0) -> Relation:
    def bad(a: Arguments) -> Bad:
        count = len(a[name])
        return None if least <= count <= MOST_TENSORS else (f"{count} tensors", f"{least} to {MOST_TENSORS}")

    return demand(f"{{0}} has {least} to {MOST_TENSORS} tensors", name, bad=bad, status=TILING)


def first_types(name: str, as_: str) -> Relation:
    """The first tensors of two lists have one data type."""

    def bad(a: Arguments) -> Bad:
        dtypes, expected_dtypes = a.dtypes(name)[:1], a.dtypes(as_)[:1]
        return (
            None
            if dtypes == expected_dtypes or not dtypes or not expected_dtypes
            else (a.type_name(name), f"that of {as_}")
        )

    return demand("the first tensor of {0} has the data type of that of {1}", name, as_, bad=bad)


def room(name: str, for_: str) -> Relation:
    """Each tensor has at least as many elements as the one at the same place of another list."""

    def bad(a: Arguments) -> Bad:
        pairs = zip((each.numel for each in a[name]), (each.numel for each in a[for_]), strict=True)
        return next(
            ((f"{count} elements", f"{expected} or more") for count, expected in pairs if count < expected), None
        )

    return demand("the tensors of {0} have at least the elements of those of {1}", name, for_, bad=bad, status=TILING)


def public_formats(name: str) -> Relation:
    """No tensor of a list has a private format."""

    def bad(a: Arguments) -> Bad:
        private = [format_name(each.format) for each in a[name] if each.format in PRIVATE]
        return (private[0], "a format that is not private") if private else None

    return demand("no tensor of {0} has a private format", name, bad=bad)
