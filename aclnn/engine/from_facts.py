"""The class of an operator, made from the facts of the catalogue: prototype, header, data types, ranks, products."""

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
        kinds.Float, kinds.DataType, kinds.String,
    )
}  # fmt: skip
"""parameter classes by C type"""


def declare(facts: Facts, relations: Sequence[Relation] = (), doc: str = "") -> type[Op]:
    """The class of a documented function, with the checks of its relations."""
    traits = [relation.traits for relation in relations]
    uses = {name: "out" for trait in traits for name in trait.overwrites}
    uses |= {name: "inout" for trait in traits for name in trait.updates}
    uses |= {name: "in" for trait in traits for name in trait.reads}
    body: dict[str, Any] = {
        "__doc__": doc, "_c_name": facts.name, "from_facts": True, "header": facts.header,
        "const_stream": facts.const_stream, "const_size": facts.const_workspace_size,
        "size_name": facts.workspace_size_name,
        "series": tuple(series for series in Series if facts.support(series).computes),
        "undocumented": {series: facts.remark(series) for series in Series if _undocumented(facts.support(series))},
    }  # fmt: skip
    body |= {safe(fact.name): parameter(fact, uses.get(fact.name, "")) for fact in facts.params}
    op: type[Op] = type(facts.name.removeprefix("aclnn"), (Op,), body)
    _constrain(op, relations)
    op.refusals = {each: _refusal(facts, op, each) for each in Series if each not in op.series}
    return op


def constrained(prototype: type[Op], relations: Sequence[Relation], doc: str) -> type[Op]:
    """The class of a function with a handwritten prototype, with the checks of its relations."""
    for traits in (relation.traits for relation in relations):
        if traits.overwrites or traits.updates or traits.reads:
            raise TypeError(f"the class {prototype.__name__} says which tensors are read and written")
    op: type[Op] = type(prototype.__name__, (prototype,), {"__doc__": doc, "_c_name": prototype.c_name()})
    _constrain(op, relations)
    return op


def _constrain(op: type[Op], relations: Sequence[Relation]) -> None:
    """Give a class the checks and traits of relations."""
    for traits in (relation.traits for relation in relations):
        op.family = Family.GENERATED if traits.generated else op.family
        op.moves_bytes = op.moves_bytes or traits.moves_bytes
        op.nibbles = (*op.nibbles, *traits.nibbles)
        op.compute = traits.compute or op.compute
        op.changes = traits.changes or op.changes
        op.group_places = (*op.group_places, *(op.params.index(op.named(name)) for name in traits.groups))
        op.null_status = traits.null_status or op.null_status
        op.lacks = (*op.lacks, *traits.lacks)
        op.in_place = op.in_place if traits.in_place is None else traits.in_place
        names = {param.printed for param in op.params}
        null_statuses = {name: status for name, status in traits.null_statuses if name in names}
        op.null_statuses = {**op.null_statuses, **null_statuses}
        if traits.nulls:
            op.null_checked = tuple(dict.fromkeys([*map(op.named_object, traits.nulls), *op.objects]))
        for name, flag in traits.needed:
            op.named_object(name).needed_with = op.named(flag).name
            op.named_object(name).optional = True
        for name, optional in traits.optional:
            op.named_object(name).optional = optional
        if traits.first is not None and (op.twin() or not traits.first.twins):
            op.first_nulls = tuple(map(op.named_object, traits.first.nulls))
            op.first_checks = tuple(check for relation in traits.first.relations for check in relation.checks(op))
    op.checks = tuple(check for relation in relations for check in relation.checks(op))


def _undocumented(support: Support) -> bool:
    """True if a function computes on a product that no document lists."""
    return support.computes and not support.listed


def _refusal(facts: Facts, op: type[Op], series: Series) -> Unsupported:
    """The refusal of a product: by a test in the library, or by the step that finds no kernel."""
    if facts.support(series) is Support.NO_KERNEL or facts.gate is None:
        return op.without_kernel()
    return Unsupported(facts.gate.status, When[facts.gate.place.upper()])


def safe(name: str) -> str:
    """The name of a parameter in Python. A keyword or a name of `Op` gets a `_` at the end."""
    return f"{name}_" if hasattr(Op, name) or name in Op.__annotations__ else in_python(name)


def parameter(fact: Parameter, io: str = "") -> Param[Any]:
    """A parameter of the first phase. `io` ("in", "out" or "inout") replaces that of the facts."""
    const, kind = fact.type.startswith("const "), fact.type.removeprefix("const ")
    io = io or fact.io or ("in" if const or not kind.startswith("aclTensor") else "out")
    if (tensor_class := TENSORS.get((kind.removesuffix(" *"), io))) is not None:
        if fact.may_be_null:
            tensor_class = OPTIONAL.get(tensor_class, tensor_class)
        highest = None if fact.rank is None else fact.rank[1]
        rank = range(fact.rank[0] if fact.rank else 0, (8 if highest is None else highest) + 1)
        return tensor_class(types(fact), rank=rank, const=const, optional=fact.may_be_null, printed=fact.name)
    if (handle_class := HANDLES.get(kind.removesuffix(" *"))) is not None:
        param = handle_class(optional=fact.may_be_null, const=const, printed=fact.name)
        if isinstance(param, kinds.ScalarIn) and fact.dtypes is not None:
            param.dtypes = types(fact)
        return param
    if kind in VALUES:
        return VALUES[kind](const=const, printed=fact.name)
    return kinds.Other(c_type(fact.type), printed=fact.name)


def types(fact: Parameter) -> DataTypes:
    """The data types of a parameter, by product."""
    if fact.dtypes is None:
        return ANY
    return DataTypes(fact.dtypes, on={series: fact.dtypes_on(series) or () for series in Series})
