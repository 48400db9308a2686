"""The relations that follow from the facts of a function. A function without a formula has no other checks.

A fact alone is not enough to refuse a call: tables of parameters often say "same as self" although there are
exceptions. So a relation between parameters is checked only if the document's table of refusals confirms it: a row has
the same kind, names the parameters, and has no condition. Its status is returned. `DOUBTED` lists wrong facts. A
missing fact refuses no call.

The order: data types, relations between data types, ranks, shapes, formats, values.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID
from acl_runtime.objects.soc import NEWER, Series
from aclnn.catalogue.facts import Facts, Parameter, Refusal
from aclnn.engine.parameters import DataTypes
from aclnn.engine.relation import Relation
from aclnn.engine.words.documented import listed_format, listed_rank, where_judged
from aclnn.engine.words.shapes import (
    axes,
    axis,
    broadcast,
    broadcast_into,
    ranks,
    same_shape,
    same_shapes,
    stands_for_null,
)  # fmt: skip
from aclnn.engine.words.types import becomes, castable, listed, promoted, same_dtype
from aclnn.engine.words.values import in_range

BFLOAT16: Final = aclDataType.ACL_BF16
BFLOAT16_EVERYWHERE: Final = frozenset({
    "aclnnChannelShuffle", "aclnnElu", "aclnnInplaceElu", "aclnnReflectionPad1dBackward",
    "aclnnReflectionPad2dBackward", "aclnnReflectionPad3dBackward", "aclnnReplicationPad1dBackward",
    "aclnnReplicationPad2dBackward", "aclnnReplicationPad3dBackward",
})  # fmt: skip
"""functions that accept BFLOAT16 even on products that do not compute in BFLOAT16"""
DOUBTED: Final = frozenset({
    ("aclnnBatchNormElemt", "same_dtype"),  # mixtures of the listed types are accepted
    ("aclnnIndexAdd", "same_shape source"),  # in dimension dim it is as long as index
    ("aclnnIndexAddV2", "same_shape source"),
    ("aclnnIndexCopy", "same_shape source"),
    ("aclnnInplaceAddmm", "same_shape selfRef"),  # selfRef has the shape of the product
    ("aclnnInplaceIndexCopy", "same_shape source"),
    ("aclnnMaskedSelect", "shape_broadcast_of out"),  # out is 1-d, with the selected elements
    ("aclnnCummax", "rank self"),  # 0 to 8: the document's "0-8" is read as a shape
})  # fmt: skip
"""functions, each with a fact that is wrong in some calls, perhaps for one parameter only"""
WARNED: Final = ("aclnnNLLLoss", "aclnnMseLoss", "aclnnL1Loss", "aclnnSmoothL1Loss", "aclnnSoftMarginLoss")
"""prefixes of functions that accept private formats with a warning in the log"""
AXES: Final = ("dim", "axis", "dims")
"""names of parameters that are a dimension: of the tensor in the same row of refusals, else of the first tensor"""
AXES_BEYOND: Final = frozenset({
    "aclnnStack", "aclnnOneHot", "aclnnUniqueDim", "aclnnFlatten", "aclnnLinalgCross", "aclnnScale", "aclnnIndexAddV2",
    "aclnnRepeatInterleaveIntWithDim", "aclnnRepeatInterleaveWithDim", "aclnnScatterReduce",
    "aclnnInplaceScatterReduce", "aclnnSwigluMxQuant", "aclnnAscendQuantV3",
})  # fmt: skip
"""functions whose dimension is not checked: it may be one too large, may have a value with a special meaning, or may be
a dimension of another tensor than the first"""


def relations(facts: Facts) -> Iterator[Relation]:
    """The relations that follow from the facts of a function."""
    tensors = [param for param in facts.params if param.is_tensor]
    for param in facts.params:
        if param.dtypes and param.is_tensor:
            optional = _list(facts, param.name) and param.may_be_null
            yield listed(param.name, among=data_types(facts, param), unless=stands_for_null if optional else None)
        elif param.dtypes and "aclScalar *" in param.type and refused(facts, "dtype", param.name):
            yield listed(param.name)  # (most functions read a scalar of any type)
    for param in tensors:
        yield from _types(facts, param)
    for param in tensors:
        yield from (where_judged(param, rank) for rank in _rank(facts, param))
    for param in tensors:
        yield from (where_judged(param, shape) for shape in _shapes(facts, param))
    yield from _broadcasts(facts)
    if not facts.name.startswith(WARNED):
        for param in tensors:
            if param.formats is not None and (row := refused(facts, "format", param.name)) is not None:
                yield listed_format(param, row.status)
    yield from _values(facts)


def data_types(facts: Facts, param: Parameter) -> DataTypes:
    """The data types of a tensor by product. Some documents list BFLOAT16 for all products; products that do not
    compute in BFLOAT16 refuse it."""
    everywhere = facts.name in BFLOAT16_EVERYWHERE

    def on(series: Series) -> tuple[aclDataType, ...]:
        dtypes = param.dtypes_on(series) or ()
        return dtypes if everywhere or series in NEWER else tuple(dtype for dtype in dtypes if dtype != BFLOAT16)

    return DataTypes(param.dtypes or (), on={series: on(series) for series in Series})


def refused(facts: Facts, kind: str, *names: str) -> Refusal | None:
    """The first row of the document's refusals that has this kind, names these parameters, and has no condition."""
    for row in facts.refusals:
        if row.kind == kind and set(names) <= set(row.params) and not row.detail.get("conditional"):
            return row
    return None


def _doubted(facts: Facts, fact: str, name: str) -> bool:
    return not DOUBTED.isdisjoint({(facts.name, fact), (facts.name, f"{fact} {name}")})


def _types(facts: Facts, param: Parameter) -> Iterator[Relation]:
    name = param.name
    for other in param.same_dtype:
        row = refused(facts, "same-dtype", name, other)
        if row is not None and _is_tensor(facts, other) and not _doubted(facts, "same_dtype", name):
            yield same_dtype(name, other, status=row.status)
    partners = [each for each in param.promotes_with if _has_dtype(facts, each)]
    if partners == list(param.promotes_with) and partners and _first(facts, name, partners):
        row = refused(facts, "promote", name)
        if row is not None and row.status == ACLNN_ERR_PARAM_INVALID:
            yield promoted(name, *partners)
    sources = param.castable_from
    row = refused(facts, "cast", name, *sources) or (refused(facts, "cast", name) if param.io == "out" else None)
    if sources and param.io == "out" and all(_is_tensor(facts, source) for source in sources) and row is not None:
        yield becomes(name, of=sources)
    target = param.castable_to[0] if len(param.castable_to) == 1 else ""
    row = refused(facts, "cast", name)
    if row is None or row.status != ACLNN_ERR_PARAM_INVALID or not _is_tensor(facts, target):
        return
    if param.io != "out" or name not in facts.param(target).castable_to:  # in a pair, only the input is checked
        yield castable(name, target)


def _first(facts: Facts, name: str, partners: Sequence[str]) -> bool:
    """True for the first of the parameters that promote with each other: one check is enough for all."""
    order = [param.name for param in facts.params]
    mutual = [partner for partner in partners if name in facts.param(partner).promotes_with]
    return all(order.index(name) < order.index(partner) for partner in mutual)


def _rank(facts: Facts, param: Parameter) -> Iterator[Relation]:
    """The number of dimensions. Many documents say "1 to 8 dimensions" of each tensor. If the table of refusals has
    only the upper limit, a 0-d tensor is accepted as well."""
    if _doubted(facts, "rank", param.name):
        return
    row = refused(facts, "rank", param.name)
    low, high = _limits(row or refused(facts, "rank"))
    if param.rank is None:
        if row is not None and high is not None and row.status == ACLNN_ERR_PARAM_INVALID:
            yield ranks(param.name, least=low, most=high)
    elif param.ranks or param.code_accepts.ranks:
        yield listed_rank(param)
    elif param.rank[0] == 1 and param.rank[1] == high and low == 0:
        yield ranks(param.name, least=0)
    else:
        yield ranks(param.name)


def _limits(row: Refusal | None) -> tuple[int, int | None]:
    """The smallest and the largest number of dimensions in a row of refusals, if it has limits."""
    if row is None:
        return 0, None
    low, high = row.detail.get("in", (row.detail.get("min", 0), row.detail.get("max")))
    return low, high


def _shapes(facts: Facts, param: Parameter) -> Iterator[Relation]:
    name = param.name
    for other in param.same_shape:
        row = refused(facts, "same-shape", name, other) or refused(facts, "shape", name, other)
        if row is None and not _reduces(facts):
            row = refused(facts, "same-shape", name) or refused(facts, "shape", name)
        if row is None or _doubted(facts, "same_shape", name):
            continue
        if _single(facts, other) and _single(facts, name):
            yield same_shape(name, other, status=row.status)
        elif _list(facts, other) and _list(facts, name) and "out" not in (param.io, facts.param(other).io):
            yield same_shapes(name, other, status=row.status)


def _reduces(facts: Facts) -> bool:
    """True if a parameter chooses between an output of the input's shape and an output of one element."""
    return any(param.name == "reduction" for param in facts.params)


def _broadcasts(facts: Facts) -> Iterator[Relation]:
    """Relations of tensors that broadcast, with each other or to an output. (Documents of transformers are left out:
    there "broadcast" means some dimensions only.)"""
    if facts.category.startswith("transformer"):
        return
    checked: list[set[str]] = []
    for param in facts.params:
        name, of = param.name, param.shape_broadcast_of
        if _doubted(facts, "shape_broadcast_of", name):
            continue
        row = refused(facts, "broadcast", name) or refused(facts, "broadcast", *of)
        if (
            param.io == "out"
            and len(of) > 1
            and row is not None
            and all(_single(facts, tensor) for tensor in (name, *of))
        ):
            checked += [{first, second} for first in of for second in of]
            yield broadcast(*of, into=name)
    for param in facts.params:
        for other in (*param.broadcasts_with, *param.shape_broadcast_of):
            pair = {param.name, other}
            if not (_single(facts, param.name) and _single(facts, other)) or pair in checked:
                continue
            row = refused(facts, "broadcast", *pair)
            ios = {param.io, facts.param(other).io}
            if row is None or row.status != ACLNN_ERR_PARAM_INVALID or "out" in ios:
                continue
            checked.append(pair)
            first, second = (param.name, other) if facts.param(other).io == "inout" else (other, param.name)
            yield broadcast_into(first, second) if ios == {"in", "inout"} else broadcast(first, second)


def _values(facts: Facts) -> Iterator[Relation]:
    """Relations of parameters that are dimensions, or numbers in an interval."""
    for row in facts.refusals:
        if row.detail.get("conditional") or row.status != ACLNN_ERR_PARAM_INVALID:
            continue
        numbers = [param for param in row.params if facts.param(param).type.removeprefix("const ") == "int64_t"]
        if row.kind == "range" and "in" in row.detail and list(row.params) == numbers and len(numbers) == 1:
            yield in_range(numbers[0], *row.detail["in"])
        dims = [param for param in row.params if param in AXES]
        tensors = [param for param in row.params if _single(facts, param)]
        counted = tensors or [param.name for param in facts.params if _single(facts, param.name)][:1]
        simple = len(dims) == 1 and len(tensors) < 2 and len(dims) + len(tensors) == len(row.params)
        if row.kind == "axis" and simple and counted and facts.name not in AXES_BEYOND:
            if dims == numbers:
                yield axis(dims[0], of=counted[0])
            elif "aclIntArray" in facts.param(dims[0]).type:
                yield axes(dims[0], of=counted[0], once=False)


def _is_tensor(facts: Facts, name: str) -> bool:
    return any(param.name == name and param.is_tensor for param in facts.params)


def _has_dtype(facts: Facts, name: str) -> bool:
    """True for a tensor or a scalar."""
    return _is_tensor(facts, name) or "aclScalar *" in facts.param(name).type


def _single(facts: Facts, name: str) -> bool:
    """True for a tensor, not for a list."""
    return any(param.name == name and "aclTensor *" in param.type for param in facts.params)


def _list(facts: Facts, name: str) -> bool:
    """True for a list of tensors."""
    return any(param.name == name and "aclTensorList *" in param.type for param in facts.params)
