"""Help texts of an operator's two functions, and the reasons of each status that they return.

A text lists the reasons of a status with the phrases `ONE_OF` and `ITEM`, by which `acl_runtime.text.reasons` finds
them.
"""

from collections.abc import Iterator
from typing import Any, Final

from acl_runtime.headers.statuses import (
    ACLNN_ERR_INNER,
    ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
    ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR,
    ACLNN_ERR_RUNTIME_ERROR,
    ACLNN_SUCCESS,
    name_of,
)
from acl_runtime.objects.executor_life import Family
from acl_runtime.text import ITEM, ONE_OF
from aclnn.engine.constraints import Empty
from aclnn.engine.declaration import Check, Op, When
from aclnn.engine.parameters import Elements, ObjectParam, Param
from aclnn.engine.words.lacking import lacking

PRODUCT: Final = "the product does not support the operator"
"""the reason of the status on such a product"""
NO_FORMULA: Final = "the arguments are right, but this emulator has no formula for the function"
"""the reason of 561003 of a function without a second phase"""
NO_KERNEL: Final = "this emulator has no kernel for the operator, and the program gives none"


def first_doc(op: type[Op]) -> str:
    """The docstring of a first phase, from the declaration."""
    lines = [
        formula(op),
        "",
        "Check the arguments and plan the call; nothing is computed. Null out-pointers are refused.",
        "",
        "Args:",
    ]
    lines += [f"    {param.printed}: {_about(param)}" for param in op.params]
    lines += ["    workspaceSize: receives the bytes of workspace that the second phase needs."]
    lines += ["    executor: receives the plan; the second phase uses it up."]
    lines += ["", "Returns:"]
    for status, reasons in first_statuses(op):
        lines += _returned(status, reasons)
    return "\n".join(lines)


def second_doc(op: type[Op]) -> str:
    """The docstring of a second phase."""
    lines = [
        f"Queue what {op.c_name()}GetWorkspaceSize planned. The result is there when the stream has run it.",
        "",
        "Args:",
        "    workspace: device memory of at least the size that the first phase reported; null if that is 0.",
        f"    {op.size_name}: its size in bytes.",
        "    executor: the plan; used up by the call unless aclSetAclOpExecutorRepeatable was called.",
        "    stream: null means the default stream of the current context.",
        "",
        "Returns:",
    ]
    for status, why in second_statuses(op):
        lines += _returned(status, [why])
    return "\n".join(lines)


def formula(op: type[Op]) -> str:
    """The formula of an operator: the docstring of its class, without the indentation."""
    return plain(op.__doc__ or "")


def plain(doc: str) -> str:
    """A docstring without its indentation."""
    return "\n".join(line.strip() for line in doc.strip().splitlines())


def _about(param: Param[Any]) -> str:
    if not isinstance(param, Elements):
        null = "; may be null" if isinstance(param, ObjectParam) and param.optional else ""
        return f"{param.doc or param.ctype.spelling.removeprefix('const ').removesuffix(' *')}{null}."
    parts = [param.role, *([param.doc] if param.doc != param.role else [])]
    if param.optional and "optional" not in param.role:
        parts.append("may be null")
    if param.shape:
        parts.append(f"shape {param.shape}")
    if param.when:
        parts.append(f"needed, and looked at, only if {param.when} is true")
    return "; ".join(filter(None, parts)) + "."


def _returned(status: int, reasons: list[str]) -> list[str]:
    """The lines of one status: a single reason on the same line, several on lines below."""
    if len(reasons) == 1:
        return [f"    {name_of(status)}: {reasons[0]}."]
    return [f"    {name_of(status)}: {ONE_OF}", *(f"{ITEM}{reason}" for reason in reasons)]


def first_statuses(op: type[Op]) -> Iterator[tuple[int, list[str]]]:
    """The statuses that a first phase returns, each with its reasons."""
    yield ACLNN_SUCCESS, ["checked and planned"]
    needed = [param for param in op.objects if not param.optional and not getattr(param, "when", None)]
    required = [param.name for param in needed if isinstance(param, Elements)]
    required += [param.name for param in needed if not isinstance(param, Elements)]
    nulls = [f"{', '.join(required)}, workspaceSize or executor is null"]
    nulls += [f"{param} is null though {param.when} is true" for param in op.tensors if param.when]
    elsewhere = {status for status, when in op.refusals.values() if when is not When.LAUNCH}
    if ACLNN_ERR_PARAM_NULLPTR in elsewhere:
        nulls.append(PRODUCT)
    yield ACLNN_ERR_PARAM_NULLPTR, nulls
    answers = {status for check in _refusing(op) for status in check.statuses()}
    answers |= {ACLNN_ERR_INNER_NULLPTR, *elsewhere - {ACLNN_ERR_PARAM_NULLPTR, ACLNN_ERR_INNER_FIND_KERNEL_ERROR}}
    for status in sorted(answers - {ACLNN_ERR_RUNTIME_ERROR}):
        reasons = conditions(op, status)
        if status == ACLNN_ERR_INNER_NULLPTR:
            reasons.append(
                "a step cannot be planned (a result that does not fit the shape of its output, strides that leave the "
                "storage, a cast that does not exist)"
            )
        if status in elsewhere:
            reasons.append(PRODUCT)
        yield status, reasons
    runtime = ["the thread has no current context, or a tensor is gone and the machine only reports"]
    runtime += [PRODUCT] if ACLNN_ERR_RUNTIME_ERROR in elsewhere else []
    runtime += conditions(op, ACLNN_ERR_RUNTIME_ERROR)
    yield ACLNN_ERR_RUNTIME_ERROR, runtime
    kernel = [PRODUCT] if ACLNN_ERR_INNER_FIND_KERNEL_ERROR in elsewhere else []
    if why := _without_kernel(op):
        kernel.append(f'{why}, and the machine has the option catalogued="plan"')
    if kernel:
        yield ACLNN_ERR_INNER_FIND_KERNEL_ERROR, kernel


def conditions(op: type[Op], status: int | None = None) -> list[str]:
    """The conditions that break the checks of an operator, in their order; with a status, only its conditions."""
    return [check.broken for check in _refusing(op) if status is None or status in check.statuses()]


def _refusing(op: type[Op]) -> list[Check]:
    return [check for check in op.checks if not isinstance(check, Empty)]


def second_statuses(op: type[Op]) -> Iterator[tuple[int, str]]:
    """The statuses that a second phase returns, each with its reason."""
    yield ACLNN_SUCCESS, "queued, not finished"
    fate = "kept" if op.family is Family.GENERATED else "destroyed"
    yield (
        ACLNN_ERR_PARAM_NULLPTR,
        f"executor is null; or workspaceSize is not 0 and workspace is null (the executor is {fate})",
    )
    if op.family is Family.GENERATED:
        yield ACLNN_ERR_PARAM_INVALID, "workspaceSize is less than the first phase reported"
    yield (
        ACLNN_ERR_RUNTIME_ERROR,
        "the thread has no current context; the stream was destroyed or aborted, or belongs to another context; a task "
        "failed in stop mode (in all of these the executor is used up); or a real call would crash, and the machine "
        "only reports",
    )
    if any(refusal.when is When.LAUNCH for refusal in op.refusals.values()):
        yield ACLNN_ERR_INNER, PRODUCT
    if why := _without_kernel(op):
        yield ACLNN_ERR_INNER_FIND_KERNEL_ERROR, f"{why} (the executor is used up)"


def _without_kernel(op: type[Op]) -> str:
    """The reason why some calls have no kernel; empty if there are no such calls."""
    if not op.has_kernel:
        return NO_KERNEL
    calls = "; or ".join(lacking(op))
    return f"this emulator has no kernel for {calls}, and the program gives none" if calls else ""
