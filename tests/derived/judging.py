"""How far a call gets through the checks of its function, and through the planner. No call is made."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.errors import AclError
from acl_runtime.machine.current import installation
from acl_runtime.objects.executor_life import Family
from acl_runtime.objects.soc import SOCS, Series, Soc
from aclnn.catalogue.facts import facts
from aclnn.catalogue.index import single_phase
from aclnn.catalogue.products import Support, short_name
from aclnn.engine.constraints import Empty
from aclnn.engine.declaration import Check, Op, Violation, When
from aclnn.engine.operator import Operator
from aclnn.engine.parameters import ObjectParam
from aclnn.engine.plan import Plan
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.ops import EXACT, homes, made_in
from tests.derived.values import Call, instance
from tests.helpers.lone_group import opened

OWN = "ACLNN_OPERATORS"
"""the environment variable with the modules of operators outside of this project, separated by commas"""
CHIPS = {series: next(soc for soc in SOCS.values() if soc.series is series) for series in Series}
"""one chip of each series"""
INVALID = ACLNN_ERR_PARAM_INVALID
FUSED = [f"FusedInferAttentionScore{version}" for version in ("", "V2", "V3", "V4")]
INCRE = [f"IncreFlashAttention{version}" for version in ("", "V2", "V3", "V4")]
PROMPT = [f"PromptFlashAttention{version}" for version in ("", "V2", "V3")]
OLD = "310P 310B 910"
GATES: dict[str, tuple[str, int]] = {
    **dict.fromkeys(("NanToNum", "InplaceNanToNum", "ReduceNansum", "AddN", "AdaptiveMaxPool3d"), (OLD, INVALID)),
    **dict.fromkeys(("IndexFill", "InplaceIndexFill"), (OLD, INVALID)),
    "AscendQuant": ("310B 910 950", INVALID),
    "AscendQuantV3": ("310B 910", INVALID),
    **dict.fromkeys(("IsPosInf", "IsNegInf", "SignBitsUnpack"), ("310B 910", INVALID)),
    **dict.fromkeys(("Square", "DropoutV3Grad"), (f"{OLD} A2 A3", INVALID)),
    **dict.fromkeys(("InstanceNorm", "TransConvolutionWeight"), ("310B 910 A2 A3 950", INVALID)),
    "Sparse4to2QuantMatmulWeightNz": (f"{OLD} 950", INVALID),
    "FFN": ("310P", INVALID),
    **dict.fromkeys(
        [f"MoeDistribute{part}" for part in ("CombineSetup", "CombineTeardown", "DispatchTeardown")],
        (f"{OLD} A2 A3", INVALID),
    ),
    **dict.fromkeys(("DynamicQuantV3", "DynamicQuantV4", "Bucketize"), (f"{OLD} A2 A3", ACLNN_ERR_INNER)),
    **dict.fromkeys(("NpuFormatCast", "NpuFormatCastCalculateSizeAndFormat"), (OLD, ACLNN_ERR_RUNTIME_ERROR)),
    "FusedLinearCrossEntropyLossGrad": (f"{OLD} 950", ACLNN_ERR_RUNTIME_ERROR),
    **dict.fromkeys((*FUSED, *INCRE, *PROMPT, "MlaProlog", "MlaPrologV2WeightNz"), ("950", ACLNN_ERR_RUNTIME_ERROR)),
    **dict.fromkeys(("MaxPool2dWithMask", "MaxPool2dWithMaskBackward"), ("950", INVALID)),
    **dict.fromkeys(("MaxPool3dWithArgmax", "AddmmWeightNz"), (OLD, INVALID)),
    **dict.fromkeys(("QuantMatmul", "QuantMatmulV2"), (f"{OLD} 950", ACLNN_ERR_RUNTIME_ERROR)),
    **dict.fromkeys(("WeightQuantBatchMatmulV2", "WeightQuantBatchMatmulV3"), ("310B 910", ACLNN_ERR_RUNTIME_ERROR)),
    "WeightQuantBatchMatmulNz": (f"{OLD} A2 A3", ACLNN_ERR_RUNTIME_ERROR),
    **dict.fromkeys(
        ("Dot", "Atan2", "Lerps", "DropoutDoMask", "Softplus", "IsClose", "Topk", "Diag", "Gather", "Mish"),
        ("310B", ACLNN_ERR_INNER_NULLPTR),
    ),
    **dict.fromkeys(("SWhere", "Flip"), ("310B", ACLNN_ERR_INNER)),
    **dict.fromkeys(("CIoU", "RoiPoolingWithArgMax"), (f"{OLD} A2 A3", ACLNN_ERR_RUNTIME_ERROR)),
    "NonMaxSuppression": ("310B 910 A2 A3 950", ACLNN_ERR_RUNTIME_ERROR),
    "aclRfft1D": (f"{OLD} 950", INVALID),
    "aclStft": (OLD, INVALID),
}
"""the products whose library refuses a function in its own code, or whose device was seen to refuse it, and the status
(public)"""


@dataclass(frozen=True)
class Judged:
    """How far a call gets: the first check that refuses it or ends the checks, and what the check says."""

    at: int
    check: Check | None = None
    violation: Violation | None = None
    problem: str = ""
    """the planner cannot plan it"""
    plan: Plan | None = field(default=None, compare=False)

    @property
    def accepted(self) -> bool:
        return self.plan is not None


def gated(op: type[Op], series: Series) -> bool:
    """Does a test of the product refuse it?"""
    return short_name(series) in GATES.get(op.__name__, ("", 0))[0].split()


def elsewhere(op: type[Op], series: Series) -> int:
    """The status on a product that refuses the function: that of its code, that of the document, or that of the step
    without a kernel."""
    if gated(op, series):
        return GATES[op.__name__][1]
    if not op.from_facts:
        refusal = op.refusals[series]
        return ACL_SUCCESS if refusal.when is When.LAUNCH else refusal.status
    known = facts(op.c_name())
    if known.support(series) is Support.REFUSED:
        return next(row.status for row in known.refusals if row.kind == "product" and not row.params)
    return ACLNN_ERR_INNER_FIND_KERNEL_ERROR if op.family is Family.GENERATED else ACLNN_ERR_INNER_NULLPTR


def documented(name: str) -> bool:
    """Does the catalogue alone have its prototype? The others have a class."""
    return name in homes()


def c_types(name: str) -> dict[str, str]:
    """The C type of each parameter. The functions of the catalogue are not made for that."""
    if documented(name):
        return {each.name: each.type for each in facts(name).params}
    return {each.printed: each.ctype.spelling for each in operators()[name].pairs[name][0].op.params}


def may_be_strided(name: str) -> bool:
    """Does no document demand dense tensors?"""
    return not documented(name) or all(each.noncontiguous is not False for each in facts(name).params)


def needed(this: Subject) -> list[ObjectParam[Any]]:
    """The objects that the good call needs, in the order in which null pointers are found."""
    call = instance(this.op, this.good.values())
    return [param for param in dict.fromkeys((*this.op.first_nulls, *this.op.null_checked)) if param.needed(call)]


def null_status(this: Subject, name: str) -> int:
    """The status of a null pointer."""
    return this.op.null_statuses.get(name, this.op.null_status)


@dataclass(frozen=True, eq=False)
class Subject:
    """A function under test, with its good call."""

    name: str
    operator: Operator
    good: Call
    soc: Soc

    def __str__(self) -> str:
        return self.name

    @property
    def op(self) -> type[Op]:
        return self.first.op

    @property
    def first(self) -> Any:
        return self.operator.pairs[self.name][0]

    @property
    def second(self) -> Any:
        return self.operator.pairs[self.name][1]

    def changed(self, changes: Mapping[str, Any]) -> Call:
        return {**self.good, **changes}


@cache
def operators() -> dict[str, Operator]:
    """The operators with a formula, by the names of their functions."""
    own = filter(None, os.environ.get(OWN, "").split(","))
    modules = [*EXACT.values(), *homes().values(), *own]
    found: dict[str, Operator] = {}
    for module in dict.fromkeys(modules):
        for value in made_in(module):
            if isinstance(value, Operator) and value.module == module:
                found |= {name: value for name in value.names if name not in single_phase()}
    return found


def names() -> list[str]:
    """The functions that are tested here."""
    return list(operators())


def judge(op: type[Op], operator: Operator, soc: Soc, call: Mapping[str, Any]) -> Judged:
    """The checks in their order, then the planner."""
    return _judge(op, operator, soc.name, tuple(call.values()))


@lru_cache(maxsize=20_000)
def _judge(op: type[Op], operator: Operator, chip: str, values: tuple[Any, ...]) -> Judged:
    """Its cache has the name of a product as the key, as a product has some forty fields to hash."""
    soc = SOCS[chip]
    if installation.current is None or installation.current.soc is not soc:
        with on(soc):
            return _judge(op, operator, chip, values)
    made = instance(op, values)
    found = stopped(op, soc, made)
    if found is not None:
        return found
    try:
        builder = PlanBuilder(made, soc)
        operator.add_steps(made, builder)
        return Judged(len(ordered(op)) + 1, plan=builder.finish(0))
    except AclError as error:
        return Judged(len(ordered(op)), problem=str(error))


def ordered(op: type[Op]) -> tuple[Check, ...]:
    """The checks in their order: those that a twin in place makes first, then the others."""
    return (*op.first_checks, *op.checks)


def stopped(op: type[Op], soc: Soc, made: Op) -> Judged | None:
    """The check that refuses a call, or ends the checks; None if all pass."""
    for at, check in enumerate(ordered(op)):
        if isinstance(check, Empty):
            if check.holds(made, soc):
                return Judged(at, check)
        elif (violation := check.judge(made, soc)) is not None:
            return Judged(at, check, violation)
    return None


@contextmanager
def on(soc: Soc) -> Iterator[None]:
    """The current machine, if it is of this product, or else another one. Checks and planners may look at it, and
    change nothing, so all tests of this process share one machine of each product here."""
    before = installation.current
    try:
        if before is None or before.soc is not soc:
            installation.current = _looked_at(soc.name)
        yield
    finally:
        installation.current = before


@cache
def _looked_at(chip: str) -> Machine:
    """A machine with device 0 set, and a group of one rank."""
    machine = installation.current = Machine(chip)
    aclrtSetDevice(0)
    opened()
    return machine


def crashing(subject: Subject, call: Mapping[str, Any], soc: Soc | None = None) -> Judged | None:
    """As `judge`; None if a check or the planner fails with another exception. `test_contract.py` finds these."""
    try:
        return judge(subject.op, subject.operator, soc or subject.soc, call)
    except Exception:
        return None


def accepted(subject: Subject, call: Mapping[str, Any], soc: Soc | None = None) -> bool:
    """Does the first phase accept it?"""
    return judge(subject.op, subject.operator, soc or subject.soc, call).accepted
