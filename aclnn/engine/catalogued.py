"""Documented functions that have no formula here. Their first phase checks what the catalogue says of the call; their
launch returns 561003, because there is no kernel. A user can give them one (`aclnn.engine.kernels`).

The checks come in this order: null pointers, the product, data types, relations between data types, ranks, shapes,
formats. A relation is checked where a row of the document's table of refusals names its kind and its parameter, with
the status of that row. A fact that is missing refuses nothing.
"""

from collections.abc import Iterator
from functools import cache
from typing import Final

from acl_runtime.headers.dtypes import format_name
from acl_runtime.headers.enums import aclFormat
from acl_runtime.headers.statuses import ACLNN_ERR_INNER_FIND_KERNEL_ERROR, ACLNN_ERR_PARAM_INVALID
from aclnn.catalogue.facts import Facts, Parameter, facts
from aclnn.engine.arguments import Arguments, members
from aclnn.engine.constraints import PRIVATE
from aclnn.engine.on_host.function import HostCall, HostFunction
from aclnn.engine.op_errors import without_kernel
from aclnn.engine.operator import Operator
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Found, Relation, rule
from aclnn.engine.words.shapes import broadcast, ranks, same_shape
from aclnn.engine.words.types import castable, listed, promoted, same_dtype

DOC: Final = (
    "This emulator has no kernel for {0}, so its launch fails. docs/my-operator-is-missing.md shows how to give it\n"
    'one: @aclnn.kernel("{0}") above a function of numpy arrays, or machine.kernels["{0}"] = function.'
)


@cache
def catalogued(name: str) -> Operator | HostFunction:
    """The functions of a documented name, without a kernel."""
    known = facts(name)
    if known.phases == 1:
        return HostFunction((name,), tuple(relations(known)), unknown, ACLNN_ERR_INNER_FIND_KERNEL_ERROR)
    return Operator((name,), tuple(relations(known)), missing, DOC.format(name), __name__, has_kernel=False)


def missing(p: Planning) -> None:
    """There is no kernel to plan for."""
    p.builder.missing = True


def unknown(call: HostCall) -> None:
    """This emulator does not compute the results of this function: it only has its interface."""
    raise without_kernel(call.machine, call.op.c_name(), first_only=True)


def relations(known: Facts) -> Iterator[Relation]:
    """The relations that the facts of a function state."""
    tensors = [each for each in known.params if each.is_tensor]
    for each in known.params:
        if each.dtypes and (each.is_tensor or "aclScalar *" in each.type):
            yield listed(each.name)
    for each in tensors:
        yield from _types(known, each)
    for each in tensors:
        if each.rank is not None:
            yield listed_rank(each) if each.ranks or each.code_accepts.ranks else ranks(each.name)
    for each in tensors:
        yield from _shapes(known, each)
    for each in tensors:
        if each.formats is not None and (status := refused(known, each.name, "format")) is not None:
            yield listed_format(each, status)


def refused(known: Facts, name: str, *kinds: str) -> int | None:
    """The status of the first row of the document's refusals that has one of these kinds and names the parameter."""
    for row in known.refusals:
        if row.kind in kinds and name in row.params and not row.detail.get("conditional"):
            return row.status
    return None


def _types(known: Facts, param: Parameter) -> Iterator[Relation]:
    name = param.name
    for other in param.same_dtype:
        if (status := refused(known, name, "same-dtype")) is not None and _is_tensor(known, other):
            yield same_dtype(name, other, status=status)
    partners = param.promotes_with
    typed = bool(partners) and all(_has_dtype(known, each) for each in partners)
    if typed and refused(known, name, "promote") == ACLNN_ERR_PARAM_INVALID and name < min(partners):
        yield promoted(name, *partners)
    target = param.castable_to[0] if len(param.castable_to) == 1 else ""
    if _is_tensor(known, target) and refused(known, name, "cast") == ACLNN_ERR_PARAM_INVALID:
        yield castable(name, target)


def _shapes(known: Facts, param: Parameter) -> Iterator[Relation]:
    name = param.name
    for other in param.same_shape:
        status = refused(known, name, "same-shape", "shape")
        if status is not None and _single(known, other) and _single(known, name):
            yield same_shape(name, other, status=status)
    of = param.shape_broadcast_of
    single = bool(of) and all(_single(known, each) for each in (name, *of))
    if single and refused(known, name, "broadcast") == ACLNN_ERR_PARAM_INVALID:
        yield broadcast(*of, into=name)


def _is_tensor(known: Facts, name: str) -> bool:
    return any(each.name == name and each.is_tensor for each in known.params)


def _has_dtype(known: Facts, name: str) -> bool:
    """Is it a tensor or a scalar?"""
    return _is_tensor(known, name) or "aclScalar *" in known.param(name).type


def _single(known: Facts, name: str) -> bool:
    """Is it a tensor, not a list?"""
    return any(each.name == name and "aclTensor *" in each.type for each in known.params)


def listed_rank(param: Parameter) -> Relation:
    """The number of dimensions is one that the document lists, where the list has gaps."""
    allowed = [str(rank) for rank in range(9) if param.accepts_rank(rank)]

    def judge(a: Arguments) -> Found | None:
        for each in members(a[param.name]):
            if not param.accepts_rank(len(each.shape)):
                words = f"Expected {param.name} to have {' or '.join(allowed)} dimensions, but got {len(each.shape)}."
                return words, param.name, list(each.shape), f"{' or '.join(allowed)} dimensions"
        return None

    return Relation(rule(f"{{0}} has {' or '.join(allowed)} dimensions", [param.name], judge))


def listed_format(param: Parameter, status: int) -> Relation:
    """A private format is one of those that the document lists. (The library only warns of a public one.)"""

    def judge(a: Arguments) -> Found | None:
        allowed = param.formats_on(a.soc.series)
        for each in members(a[param.name]):
            found = format_name(each.format)
            if allowed is not None and aclFormat(each.format) in PRIVATE and found not in allowed:
                return f"Format {found} of tensor {param.name} is not supported.", param.name, found, ", ".join(allowed)
        return None

    return Relation(rule("a private format of {0} is one that its document lists", [param.name], judge, status=status))
