"""Declares an operator's class from the facts of the catalogue: prototype, header, data types, ranks, products."""

from collections.abc import Sequence
from typing import Any, Final

from acl_runtime.abi.function import in_python
from acl_runtime.objects.executor_life import Family
from acl_runtime.objects.soc import Series
from aclnn.catalogue.c_types import c_type
from aclnn.catalogue.facts import Facts, Parameter
from aclnn.catalogue.products import Support
from aclnn.engine import parameters as kinds
from aclnn.engine.declaration import Op, Unsupported, When
from aclnn.engine.parameters import ANY, DataTypes, Elements, Param
from aclnn.engine.relation import Relation

TENSORS: Final[dict[tuple[str, str], type[Elements[Any]]]] = {
    ("aclTensor", "in"): kinds.TensorIn, ("aclTensor", "out"): kinds.TensorOut, ("aclTensor", "inout"): kinds.TensorRef,
    ("aclTensorList", "in"): kinds.TensorListIn, ("aclTensorList", "out"): kinds.TensorListOut,
    ("aclTensorList", "inout"): kinds.TensorListRef,
}  # fmt: skip
OPTIONAL: Final[dict[type[Elements[Any]], type[Elements[Any]]]] = {
    kinds.TensorIn: kinds.OptionalTensorIn,
    kinds.TensorOut: kinds.OptionalTensorOut,
}
HANDLES: Final = {
    "aclScalar": kinds.ScalarIn, "aclIntArray": kinds.IntArrayIn, "aclFloatArray": kinds.FloatArrayIn,
    "aclBoolArray": kinds.BoolArrayIn, "aclScalarList": kinds.ScalarListIn,
}  # fmt: skip
VALUES: Final = {
    kind.spelling: kind
    for kind in (
        kinds.Int64, kinds.UInt64, kinds.Int32, kinds.UInt32, kinds.Int, kinds.Int8, kinds.Flag, kinds.Double,
        kinds.Float, kinds.DataType, kinds.Text,
    )
}  # fmt: skip
"""by C type"""


def declare(facts: Facts, relations: Sequence[Relation] = (), doc: str = "") -> type[Op]:
    """The class of a documented function, with the checks of its relations."""
    traits = [each.traits for each in relations]
    written = {name: "out" for each in traits for name in each.overwrites}
    written |= {name: "inout" for each in traits for name in each.updates}
    written |= {name: "in" for each in traits for name in each.reads}
    body: dict[str, Any] = {
        "__doc__": doc, "_c_name": facts.name, "from_facts": True, "header": facts.header,
        "const_stream": facts.const_stream, "const_size": facts.const_workspace_size,
        "size_name": facts.workspace_size_name,
        "series": tuple(series for series in Series if facts.support(series).computes),
        "undocumented": {series: facts.remark(series) for series in Series if _undocumented(facts.support(series))},
    }  # fmt: skip
    body |= {safe(each.name): parameter(each, written.get(each.name, "")) for each in facts.params}
    op: type[Op] = type(facts.name.removeprefix("aclnn"), (Op,), body)
    _constrain(op, relations)
    op.refusals = {each: _refusal(facts, op, each) for each in Series if each not in op.series}
    return op


def constrained(prototype: type[Op], relations: Sequence[Relation], doc: str) -> type[Op]:
    """The class of a function that has a prototype of its own, with the checks of its relations."""
    for each in (relation.traits for relation in relations):
        if each.overwrites or each.updates or each.reads:
            raise TypeError(f"the class {prototype.__name__} says which tensors are read and written")
    op: type[Op] = type(prototype.__name__, (prototype,), {"__doc__": doc, "_c_name": prototype.c_name()})
    _constrain(op, relations)
    return op


def _constrain(op: type[Op], relations: Sequence[Relation]) -> None:
    """Give a class the checks and traits of relations."""
    for each in (relation.traits for relation in relations):
        op.family = Family.GENERATED if each.generated else op.family
        op.moves_bytes = op.moves_bytes or each.moves_bytes
        op.compute = each.compute or op.compute
        op.changes = each.changes or op.changes
        op.null_status = each.null_status or op.null_status
        op.lacks = (*op.lacks, *each.lacks)
        op.in_place = op.in_place if each.in_place is None else each.in_place
        own = {param.printed for param in op.params}
        op.null_statuses = {**op.null_statuses, **{name: to for name, to in each.null_statuses if name in own}}
        if each.nulls:
            op.null_checked = tuple(dict.fromkeys([*map(op.named_object, each.nulls), *op.objects]))
        for name, flag in each.needed:
            op.named_object(name).needed_with = op.named(flag).name
            op.named_object(name).optional = True
        for name, optional in each.optional:
            op.named_object(name).optional = optional
        if each.first is not None and (op.twin() or not each.first.twins):
            op.first_nulls = tuple(map(op.named_object, each.first.nulls))
            op.first_checks = tuple(check for relation in each.first.relations for check in relation.checks(op))
    op.checks = tuple(check for each in relations for check in each.checks(op))


def _undocumented(support: Support) -> bool:
    """Does a function compute on a product that no document lists?"""
    return support.computes and not support.listed


def _refusal(facts: Facts, op: type[Op], series: Series) -> Unsupported:
    """The answer of a product: that of a test in the library, or that of the step which finds no kernel."""
    if facts.support(series) is Support.NO_KERNEL or facts.gate is None:
        return op.without_kernel()
    return Unsupported(facts.gate.status, When[facts.gate.place.upper()])


def safe(name: str) -> str:
    """The name of a parameter in Python: with a `_` behind a keyword or a name of `Op`."""
    return f"{name}_" if hasattr(Op, name) or name in Op.__annotations__ else in_python(name)


def parameter(fact: Parameter, io: str = "") -> Param[Any]:
    """A parameter of the first phase. `io`: the use of a tensor, if it is not that of the facts."""
    const, kind = fact.type.startswith("const "), fact.type.removeprefix("const ")
    io = io or fact.io or ("in" if const or not kind.startswith("aclTensor") else "out")
    if (made := TENSORS.get((kind.removesuffix(" *"), io))) is not None:
        if fact.may_be_null:
            made = OPTIONAL.get(made, made)
        most = None if fact.rank is None else fact.rank[1]
        rank = range(fact.rank[0] if fact.rank else 0, (8 if most is None else most) + 1)
        return made(types(fact), rank=rank, const=const, optional=fact.may_be_null, printed=fact.name)
    if (handle := HANDLES.get(kind.removesuffix(" *"))) is not None:
        found = handle(optional=fact.may_be_null, const=const, printed=fact.name)
        if isinstance(found, kinds.ScalarIn) and fact.dtypes is not None:
            found.dtypes = types(fact)
        return found
    if kind in VALUES:
        return VALUES[kind](const=const, printed=fact.name)
    return kinds.Other(c_type(fact.type), printed=fact.name)


def types(fact: Parameter) -> DataTypes:
    """The data types of a parameter, by product."""
    if fact.dtypes is None:
        return ANY
    return DataTypes(fact.dtypes, on={series: fact.dtypes_on(series) or () for series in Series})
