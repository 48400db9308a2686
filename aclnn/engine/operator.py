"""Operators made from facts, relations and a formula. One operator may have several functions, such as aclnnAdd and
its in-place twin aclnnInplaceAdd.

    @elementwise("aclnnAdd", "aclnnInplaceAdd", promoted("self", "other"), ..., broadcast("self", "other", into="out"))
    def add(self, other, *, alpha):
        ...

The prototype of a documented function is in the catalogue, so its name is enough. For any other function, and where a
document says more than the catalogue, a class of `Op` stands in the place of the name. The decorators return an
`Operator`. Its functions are made when they are first asked for.
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
Plan = Callable[[Planning], None]
Part: TypeAlias = str | type[Op] | Relation
"""the name of a documented function, the class of another one, or a relation"""


@dataclass(frozen=True)
class Operator:
    """The functions that share one contract and one plan."""

    names: tuple[str, ...]
    relations: tuple[Relation, ...]
    plan: Plan | None
    """None: the emulator has no formula"""
    doc: str
    module: str
    read: tuple[str, ...] = ()
    """the parameters that the formula names"""
    prototypes: tuple[type[Op], ...] = ()
    """the classes that stand in the place of facts"""

    @cached_property
    def pairs(self) -> dict[str, Pair]:
        """The two functions of each name."""
        return {name: self._pair(name) for name in self.names}

    def function(self, name: str) -> Callable[..., int]:
        """One function of a pair."""
        pair = self.pairs[name.removesuffix("GetWorkspaceSize")]
        return pair[0 if name.endswith("GetWorkspaceSize") else 1]

    def _pair(self, name: str) -> Pair:
        op = self._declared(name)
        op.__module__, op.has_kernel = self.module, self.plan is not None
        self._known(op)

        choosy = any(isinstance(param, BoolArrayIn | TensorListParam) for param in op.params)
        """a mask may turn all outputs off, and a list may have no group with work"""

        def planner(call: Op, builder: PlanBuilder) -> None:
            self.add_steps(call, builder)
            if not builder.lacking and not builder.lasts and not choosy and (left := _outputs(op, call)):
                raise TypeError(f"the plan of {name} writes no output; it has to store {' and '.join(left)}")

        return two_phase(op, planner)

    def add_steps(self, call: Op, builder: PlanBuilder) -> None:
        """Plan the steps of a call; none if there is no formula for it."""
        if self.plan is None:
            builder.lacking = call.c_name()
            return
        arguments = Planning(call, builder)
        lacking = next((each.calls for each in call.lacks if each.when(arguments)), "")
        if lacking:
            builder.lacking = f"{call.c_name()} with {lacking}"
        else:
            self.plan(arguments)

    def _declared(self, name: str) -> type[Op]:
        """The class of a function, with its checks."""
        for prototype in self.prototypes:
            if prototype.c_name() == name:
                return constrained(prototype, self.relations, self.doc)
        return declare(facts(name), self.relations, self.doc)

    def _known(self, op: type[Op]) -> None:
        """The formula names parameters that one of the functions has. An in-place twin lacks some of them."""
        have = {str(param) for prototype in self.prototypes for param in prototype.params}
        documented = (name for name in self.names if name not in {each.c_name() for each in self.prototypes})
        have |= {each.name for name in documented for each in facts(name).params}
        only = all(name.startswith("aclnnInplace") for name in self.names)
        wrong = [each for each in self.read if each not in have and not (only and each in ("self", "out"))]
        if wrong:
            names = ", ".join(param.printed for param in op.params)
            raise TypeError(f"the formula names {' and '.join(wrong)}, but {op.c_name()} has {names}")


def planned(*parts: Part) -> Callable[[Plan], Operator]:
    """An operator whose steps a function plans. The parts are its functions, by name or as classes, and its
    relations."""

    def made(plan: Plan) -> Operator:
        aligned = Relation(traits=Traits(in_place=False))
        return _operator((aligned, *parts), plan, plan)

    return made


def elementwise(
    *parts: Part, result: int | None = None, out: str = "out"
) -> Callable[[Formula], Operator]:  # fmt: skip
    """An operator whose elements each follow from those at the same place. The formula gets tensors by position and
    values by keyword, under the names of the prototype; tensors and scalars are cast to the data type that is computed
    in, which is also that of the formula's result, if not `result`."""

    def made(formula: Formula) -> Operator:
        words = signature(formula).parameters.values()
        tensors = [each.name for each in words if each.kind is not Parameter.KEYWORD_ONLY]
        scalars = [each.name.removesuffix("_") for each in words if each.kind is Parameter.KEYWORD_ONLY]

        def plan(p: Planning) -> None:
            dtype = p.dtype(tensors[0]) if p.op.compute is None else p.computed()
            given = [p.read(name, dtype) for name in tensors]
            shape = broadcast_shape(*(each.shape for each in given)) or ()
            values = {name: p.passed(name, dtype) for name in scalars}
            p.store(out, p.step(formula, given, shape, dtype if result is None else result, **values))

        in_parts()(formula)
        return _operator(parts, plan, formula, (*tensors, *scalars, out))

    return made


def _outputs(op: type[Op], call: Op) -> list[str]:
    """The outputs of a call that have elements. A tensor in place is none: its values may stay."""
    names: list[str] = []
    for param in op.params:
        written = isinstance(param, Elements) and param.writes and not param.reads and param.in_use(call)
        if written and any(tensor.numel for tensor in members(call.__dict__[param.name])):
            names.append(param.printed)
    return names


def _operator(
    parts: Sequence[Part], plan: Plan, source: Callable[..., Any], read: tuple[str, ...] = ()
) -> Operator:  # fmt: skip
    prototypes = tuple(each for each in parts if isinstance(each, type))
    relations = tuple(each for each in parts if isinstance(each, Relation))
    names = tuple(each.c_name() if isinstance(each, type) else each for each in parts if not isinstance(each, Relation))
    return Operator(names, relations, plan, source.__doc__ or "", source.__module__, read, prototypes)
