"""Builder of the Foreach functions, from a formula of tensors and perhaps a number, and the relations of their lists.

For lists and shapes that do not match, the functions in `COMPOSITE` return 161002. The library generates all other
functions; these return 561002.
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
"""functions that check the pointer `out` before the other pointers"""


@dataclass(frozen=True)
class NumberParam:
    """The parameter with the numbers of a formula. This base class is for formulas without numbers."""

    name: str = ""

    def relations(self, stem: str, first: str) -> tuple[Relation, ...]:
        """The relations for the data types and the count of the numbers."""
        return ()

    def kernel_inputs(self, p: Planning, stem: str, dtype: int, index: int) -> tuple[list[Operand], dict[str, Any]]:
        """The number for the tensors at `index` of the lists: a 0-d operand, or an attribute `by`."""
        return [], {}


def foreach(
    module: str, stem: str, *lists: str, formula: Formula, doc: str, by: NumberParam | None = None, out: str = "out",
    among: Sequence[aclDataType] | None = None,
) -> Operator:  # fmt: skip
    """An operator whose formula gets a tensor of each list, and a number. `out`: the list with the results, which may
    be one of `lists`. `among`: the data types that the library checks, if the document lists others."""
    numbers = by or NumberParam()

    def plan(p: Planning) -> None:
        rows = zip(*(p.read_all(list_) for list_ in lists), strict=True)
        for index, (target, members) in enumerate(zip(p[out], rows, strict=True)):
            if members[0].shape == () or all(members[0].shape):
                dtype = members[0].dtype
                tensors, values = numbers.kernel_inputs(p, stem, dtype, index)
                write(p, target, p.step(formula, [*members, *tensors], members[0].shape, dtype, **values), out)

    plan.__doc__, plan.__module__ = doc, module
    make = composite if stem in COMPOSITE else by_tiling
    return planned(f"aclnnForeach{stem}", *make(stem, lists, out, numbers, among), may_be_in_place())(plan)


def write(p: Planning, target: Any, result: Operand, name: str) -> None:
    """Write a result to a tensor of a list. If the tensor is larger, the result is dense at its beginning."""
    if result.shape != target.shape:
        p.builder.launch(unchanged, [result], [p.builder.room(target, result.shape)], moves=True)
    else:
        p.put(target, result, name)


def unchanged(x: Array) -> Array:
    return x


def composite(
    stem: str, lists: Sequence[str], out: str, numbers: NumberParam, among: Sequence[aclDataType] | None
) -> Iterator[Relation]:
    first, *others = lists
    same = [name for name in (*others, out) if name != first]
    lengths = ACLNN_ERR_PARAM_NULLPTR if stem == "AddScalarV2" else INVALID
    if stem in OUT_FIRST:
        yield nulls(out, *lists, *([numbers.name] if numbers.name else []))
    yield from (same_count(name, first, lengths) for name in same)
    yield done(f"{first} has no tensors", first, when=lambda a: not a[first])
    yield listed(first, among=among)
    yield uniform(first)
    yield from numbers.relations(stem, first)
    yield from (same_dtype(name, as_=first) for name in same)
    yield from (same_shapes(name, first) for name in others if name != out)
    yield ranks(first, least=0, most=8)
    if out != first:
        yield same_shapes(out, first)
    yield from (public_formats(name) for name in (first, *same))
    yield not_too_long(first)


def by_tiling(
    stem: str, lists: Sequence[str], out: str, numbers: NumberParam, among: Sequence[aclDataType] | None
) -> Iterator[Relation]:
    first, *others = lists
    same = [name for name in (*others, out) if name != first]
    yield generated()
    yield listed(first, among=among)
    yield from (first_types(name, first) for name in same)
    yield from numbers.relations(stem, first)
    yield not_too_long(first, least=1)
    yield from (same_count(name, first, TILING) for name in same)
    yield from (uniform(name, status=TILING) for name in (first, *same))
    yield from (same_shapes(name, first, status=TILING) for name in others if name != out)
    yield ranks(first, least=0, most=8, status=TILING)
    if out != first:
        yield room(out, first)
    yield done(f"the tensors of {out} have no elements", out, when=lambda a: not any(x.numel for x in a[out]))


def not_too_long(name: str, least: int = 0) -> Relation:
    def bad(a: Arguments) -> Bad:
        count = len(a[name])
        return None if least <= count <= MOST_TENSORS else (f"{count} tensors", f"{least} to {MOST_TENSORS}")

    return demand(f"{{0}} has {least} to {MOST_TENSORS} tensors", name, bad=bad, status=TILING)


def first_types(name: str, as_: str) -> Relation:
    """Checks that the first tensors of two lists have the same data type."""

    def bad(a: Arguments) -> Bad:
        dtypes, expected_dtypes = a.dtypes(name)[:1], a.dtypes(as_)[:1]
        return (
            None
            if dtypes == expected_dtypes or not dtypes or not expected_dtypes
            else (a.type_name(name), f"that of {as_}")
        )

    return demand("the first tensor of {0} has the data type of the first tensor of {1}", name, as_, bad=bad)


def room(name: str, for_: str) -> Relation:
    """Checks that each tensor has at least as many elements as the tensor with the same index in another list."""

    def bad(a: Arguments) -> Bad:
        pairs = zip((tensor.numel for tensor in a[name]), (tensor.numel for tensor in a[for_]), strict=True)
        return next(
            ((f"{count} elements", f"{expected} or more") for count, expected in pairs if count < expected), None
        )

    sentence = "the tensors of {0} have at least as many elements as those of {1}"
    return demand(sentence, name, for_, bad=bad, status=TILING)


def public_formats(name: str) -> Relation:
    """Checks that no tensor of a list has a private format."""

    def bad(a: Arguments) -> Bad:
        private = [format_name(tensor.format) for tensor in a[name] if tensor.format in PRIVATE]
        return (private[0], "a format that is not private") if private else None

    return demand("no tensor of {0} has a private format", name, bad=bad)
