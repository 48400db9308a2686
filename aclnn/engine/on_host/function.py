"""Functions without a second phase. They compute numbers on the host, and write them through pointers.

    @on_host("aclnnCalculateMatmulWeightSize", present("tensorShape", "weightTensorSize"), ...)
    def calculate_matmul_weight_size(call):
        call.store("weightTensorSize", ...)

The prototype comes from the facts, like the prototype of an operator. The relations are all its checks, in their order,
including those for null pointers. There is no plan, and no context is needed.
"""

from collections.abc import Callable, Sequence
from ctypes import c_int64
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import acl_runtime.abi.c as c
from acl_runtime.abi.function import CFunction
from acl_runtime.boundary import expose
from acl_runtime.headers.statuses import ACLNN_ERR_RUNTIME_ERROR, ACLNN_SUCCESS, name_of
from acl_runtime.machine.machine import Machine
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.text import ITEM, ONE_OF
from aclnn.catalogue.evidence import level
from aclnn.catalogue.facts import facts
from aclnn.engine.arguments import Arguments
from aclnn.engine.declaration import Op
from aclnn.engine.first_phase import dead_argument
from aclnn.engine.from_facts import declare
from aclnn.engine.help import NO_FORMULA, PRODUCT, formula
from aclnn.engine.op_errors import advise, refuse, unsupported
from aclnn.engine.relation import Relation


class HostCall(Arguments):
    """The arguments of a call, and its results."""

    def __init__(self, call: Op, machine: Machine) -> None:
        super().__init__(call, machine.soc)
        self.machine = machine

    def store(self, name: str, value: int) -> None:
        """Write a number through a pointer."""
        self[name].store(value)

    def store_array(self, name: str, values: Sequence[int], *, freed: bool = False) -> None:
        """Make a pointer point to a new array of int64_t. A program in C frees the array with delete[], or with free if
        `freed` is true."""
        self.machine.kept.append(self[name].store_array(values, c_int64, freed=freed))


Body = Callable[[HostCall], object]


@dataclass(frozen=True)
class HostFunction:
    """Functions that share one contract."""

    names: tuple[str, ...]
    relations: tuple[Relation, ...]
    body: Body
    status: int = ACLNN_SUCCESS
    """status of a call that passes all checks"""

    @property
    def doc(self) -> str:
        """The docstring of the body."""
        return self.body.__doc__ or ""

    @cached_property
    def functions(self) -> dict[str, Callable[..., int]]:
        """The function of each name."""
        return {name: self._function(name) for name in self.names}

    def function(self, name: str) -> Callable[..., int]:
        """The function with this name."""
        return self.functions[name]

    def _function(self, name: str) -> Callable[..., int]:
        function_facts = facts(name)
        op = declare(function_facts, self.relations, self.doc)
        op.__module__ = self.body.__module__

        def run(machine: Machine, thread: ThreadState, values: tuple[Any, ...]) -> None:
            if machine.soc.series in op.refusals:
                raise unsupported(op, machine.soc)
            if machine.soc.series in op.undocumented:
                advise(op, machine)
            call = _call(machine, op, values)
            for check in op.checks:
                if (violation := check.judge(call, machine.soc)) is not None:
                    raise refuse(check.status, violation.text(machine.soc))
            self.body(HostCall(call, machine))

        run.__module__ = self.body.__module__
        parameters = tuple((param.printed, param.ctype) for param in op.params)
        declared = CFunction(
            name, function_facts.header, c.of(c.aclnnStatus), parameters, _doc(op, self.status), closes=False
        )
        function = expose(declared, run, with_machine=True)
        function.level = level(name)
        return function


def on_host(*parts: str | Relation) -> Callable[[Body], HostFunction]:
    """Declare functions with these names and relations. The decorated function is their body."""
    names = tuple(part for part in parts if isinstance(part, str))
    relations = tuple(part for part in parts if not isinstance(part, str))
    return lambda body: HostFunction(names, relations, body)


def _call(machine: Machine, op: type[Op], values: tuple[Any, ...]) -> Op:
    """The call with objects in place of their handles."""
    call = op(values)
    for param in op.objects:
        handle = call.__dict__[param.name]
        target = call.__dict__[param.name] = machine.handles.find(handle, param.kind)
        if target is None and handle:
            where, history = machine.handles.describe(handle)
            text = dead_argument(param, op.c_name(), where)
            machine.crash("dead-handle", text, *history, hint=machine.handles.remedy(handle, None))
    return call


def _doc(op: type[Op], good_status: int) -> str:
    """The help text: the docstring of the body, and the statuses of the checks."""
    outcome = "the results are written" if good_status == ACLNN_SUCCESS else NO_FORMULA
    lines = [formula(op), "", "Returns:", f"    {name_of(good_status)}: {outcome}."]
    refused = [refusal.status for refusal in op.refusals.values()]
    for status in dict.fromkeys((*refused, *(check.status for check in op.checks), ACLNN_ERR_RUNTIME_ERROR)):
        reasons = [PRODUCT] if status in refused else []
        reasons += [check.broken for check in op.checks if check.status == status]
        if status == ACLNN_ERR_RUNTIME_ERROR:
            reasons.append("an argument is gone and the machine only reports")
        lines += [f"    {name_of(status)}: {ONE_OF}", *(f"{ITEM}{reason}" for reason in reasons)]
    return "\n".join(lines)
