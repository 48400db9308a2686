"""Operators from facts, relations and a formula. One operator may have several functions, such as aclnnAdd and its
in-place twin aclnnInplaceAdd.

    @elementwise("aclnnAdd", "aclnnInplaceAdd", promoted("self", "other"), ..., broadcast("self", "other", into="out"))
    def add(self, other, *, alpha):
        ...

The catalogue has the prototype of a documented function, so the name is enough. A class of `Op` replaces the name of
any other function, or if a document has more facts than the catalogue. The decorators return an `Operator`. Its C
functions are made at their first use.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature
from typing import Any, TypeAlias

from acl_runtime.headers.dtypes import Array
from aclnn.catalogue.facts import facts
from aclnn.engine.arguments import broadcast_shape, members
from aclnn.engine.declaration import Op
from aclnn.engine.from_facts import constrained, declare
from aclnn.engine.parameters import BoolArrayIn, Elements, TensorListParam
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.planning import Planning
from aclnn.engine.relation import Relation, Traits
from aclnn.engine.steps.parts import in_parts
from aclnn.engine.two_phase import two_phase

Pair = tuple[Callable[..., int], Callable[..., int]]
Formula = Callable[..., Array]
PlanFunction = Callable[[Planning], None]
OperatorPart: TypeAlias = str | type[Op] | Relation
"""name of a documented function, class of another function, or relation"""


@dataclass(frozen=True)
class Operator:
    """Functions that share one contract and one plan."""

    names: tuple[str, ...]
    relations: tuple[Relation, ...]
    plan: PlanFunction | None
    """function that plans a call; None: the emulator has no formula"""
    doc: str
    module: str
    read: tuple[str, ...] = ()
    """parameters that the formula refers to by name"""
    prototypes: tuple[type[Op], ...] = ()
    """classes of functions without facts, or with incomplete facts"""

    @cached_property
    def pairs(self) -> dict[str, Pair]:
        """The two functions of each name."""
        return {name: self._pair(name) for name in self.names}

    def function(self, name: str) -> Callable[..., int]:
        """The function of a first or a second phase, by its name."""
        pair = self.pairs[name.removesuffix("GetWorkspaceSize")]
        return pair[0 if name.endswith("GetWorkspaceSize") else 1]

    def _pair(self, name: str) -> Pair:
        op = self.declared(name)
        op.__module__, op.has_kernel = self.module, self.plan is not None
        self._check_names(op)

        # a mask may turn all outputs off, and the lists may have no group of rows
        may_write_nothing = any(isinstance(param, BoolArrayIn | TensorListParam) for param in op.params)

        def planner(call: Op, builder: PlanBuilder) -> None:
            self.add_steps(call, builder)
            needs_effect = not builder.lacking and not may_write_nothing
            if needs_effect and not builder.has_effect and (missing := _outputs(op, call)):
                raise TypeError(f"the plan of {name} writes no output; it has to store {' and '.join(missing)}")

        return two_phase(op, planner)

    def add_steps(self, call: Op, builder: PlanBuilder) -> None:
        """Plan the steps of a call. There are none without a formula."""
        if self.plan is None:
            builder.lacking = call.c_name()
            return
        arguments = Planning(call, builder)
        lacking = next((lack.calls for lack in call.lacks if lack.when(arguments)), "")
        if lacking:
            builder.lacking = f"{call.c_name()} with {lacking}"
        else:
            self.plan(arguments)

    def declared(self, name: str) -> type[Op]:
        """The class of a function, with its checks."""
        for prototype in self.prototypes:
            if prototype.c_name() == name:
                return constrained(prototype, self.relations, self.doc)
        return declare(facts(name), self.relations, self.doc)

    def _check_names(self, op: type[Op]) -> None:
        """Raise TypeError if the formula has a parameter that no function has. In-place twins lack `self` and `out`."""
        allowed = {str(param) for prototype in self.prototypes for param in prototype.params}
        documented = (name for name in self.names if name not in {each.c_name() for each in self.prototypes})
        allowed |= {param.name for name in documented for param in facts(name).params}
        if all(name.startswith("aclnnInplace") for name in self.names):
            allowed |= {"self", "out"}
        wrong = [name for name in self.read if name not in allowed]
        if wrong:
            names = ", ".join(param.printed for param in op.params)
            raise TypeError(f"the formula names {' and '.join(wrong)}, but {op.c_name()} has {names}")


def planned(*parts: OperatorPart) -> Callable[[PlanFunction], Operator]:
    """Declare an operator whose steps the decorated function plans. The parts are its functions, by name or as classes,
    and its relations."""

    def decorate(plan: PlanFunction) -> Operator:
        not_in_place = Relation(traits=Traits(in_place=False))
        return _operator((not_in_place, *parts), plan, plan)

    return decorate


def elementwise(
    *parts: OperatorPart, result: int | None = None, out: str = "out"
) -> Callable[[Formula], Operator]:  # fmt: skip
    """Declare an elementwise operator with the decorated formula.

    The formula gets tensors by position and values by keyword, under the names of the prototype. Tensors and scalars
    are cast to the data type of the computation. The formula's result has the data type `result`, by default that of
    the computation."""

    def decorate(formula: Formula) -> Operator:
        params = signature(formula).parameters.values()
        tensors = [param.name for param in params if param.kind is not Parameter.KEYWORD_ONLY]
        scalars = [param.name.removesuffix("_") for param in params if param.kind is Parameter.KEYWORD_ONLY]

        def plan(p: Planning) -> None:
            dtype = p.dtype(tensors[0]) if p.op.compute is None else p.computed()
            inputs = [p.read(name, dtype) for name in tensors]
            shape = broadcast_shape(*(operand.shape for operand in inputs)) or ()
            values = {name: p.passed(name, dtype) for name in scalars}
            p.store(out, p.step(formula, inputs, shape, dtype if result is None else result, **values))

        in_parts()(formula)
        return _operator(parts, plan, formula, (*tensors, *scalars, out))

    return decorate


def _outputs(op: type[Op], call: Op) -> list[str]:
    """The outputs of a call that have elements and are not in-place tensors. An in-place tensor may stay unchanged."""
    names: list[str] = []
    for param in op.params:
        written = isinstance(param, Elements) and param.writes and not param.reads and param.in_use(call)
        if written and any(tensor.numel for tensor in members(call.__dict__[param.name])):
            names.append(param.printed)
    return names


def _operator(
    parts: Sequence[OperatorPart], plan: PlanFunction, source: Callable[..., Any], read: tuple[str, ...] = ()
) -> Operator:  # fmt: skip
    prototypes = tuple(part for part in parts if isinstance(part, type))
    relations = tuple(part for part in parts if isinstance(part, Relation))
    names = tuple(part.c_name() if isinstance(part, type) else part for part in parts if not isinstance(part, Relation))
    return Operator(names, relations, plan, source.__doc__ or "", source.__module__, read, prototypes)
