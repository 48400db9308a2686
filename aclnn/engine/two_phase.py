"""The two C functions of an operator, made from its declaration and planner. `memo` caches their results."""

from collections.abc import Callable
from typing import Any

import acl_runtime.abi.c as c
from acl_runtime.abi.function import CFunction
from acl_runtime.boundary import expose
from acl_runtime.errors import AclError
from acl_runtime.machine.machine import Machine
from acl_runtime.streams.host_thread import ThreadState
from aclnn.catalogue.prototypes import OUT_POINTERS, second
from aclnn.engine import memo
from aclnn.engine.declaration import Op
from aclnn.engine.first_phase import Call, Planner, first_phase, note
from aclnn.engine.help import first_doc, second_doc
from aclnn.engine.second_phase import abandon, second_phase

_STATUS = c.of(c.aclnnStatus)


def two_phase(op: type[Call], plan: Planner[Call]) -> tuple[Callable[..., int], Callable[..., int]]:
    """The functions `aclnnXxxGetWorkspaceSize` (check and plan) and `aclnnXxx` (enqueue a task) of an operator."""
    first, second = first_phase(op, plan, memo.decide), second_phase(op, memo.bind)
    first.__module__ = second.__module__ = op.__module__

    def refused(error: AclError, machine: Machine, thread: ThreadState, values: tuple[Any, ...]) -> None:
        note(op, error, machine, thread, values)

    def abandoned(error: AclError, machine: Machine, thread: ThreadState, values: tuple[Any, ...]) -> None:
        abandon(op, error, machine, values[2])

    declared = _declared(op)
    pair = (
        expose(declared[0], first, refused, with_machine=True),
        expose(declared[1], second, abandoned, with_machine=True),
    )
    for function in pair:
        function.op, function.phases, function.level, function.planner = op, pair, op.level(), plan
    return pair


def _declared(op: type[Op]) -> tuple[CFunction, CFunction]:
    """The two functions as the operator's header declares them."""
    parameters = (*((param.printed, param.ctype) for param in op.params), *OUT_POINTERS)
    launch = second(op.size_name, const_size=op.const_size, const_stream=op.const_stream)
    name, header = op.c_name(), op.header
    return (
        CFunction(f"{name}GetWorkspaceSize", header, _STATUS, parameters, first_doc(op), closes=False),
        CFunction(name, header, _STATUS, launch, second_doc(op), closes=False, resource=True),
    )
