"""aclnn/acl_meta.h: repeatable executors: their addresses and their destruction."""

from collections.abc import Sequence
from typing import NoReturn

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Address
from acl_runtime.api.meta.objects import dead, lookup
from acl_runtime.boundary import acl_api, also_named
from acl_runtime.errors import AclError
from acl_runtime.headers.dtype_names import bits
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACLNN_ERR_INNER, ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.executor_life import Executor, Family
from acl_runtime.objects.handle_table import Tensor, TensorList
from acl_runtime.text import Text

META = "aclnn/acl_meta.h"


def _null(parameter: str) -> AclError:
    call = current().thread().call
    return AclError(ACLNN_ERR_INNER_NULLPTR, Item("EZ9999", (f"{call}: parameter {parameter} must not be null.",)))


def _executor(number: int) -> Executor:
    if not number:
        raise _null("executor")
    executor = current().handles.find(number, Executor)
    if executor is None:
        report_dead_executor(number, "exec-reused")
    return executor


def report_dead_executor(number: int, id: str) -> NoReturn:
    """Report a handle that is no live executor. `id`: the finding if the handle belongs to a destroyed executor."""
    past_object = current().handles.dead(number)
    if isinstance(past_object, Executor):
        dead(number, Executor, "executor", id)
    dead(number, Executor, "executor", "dead-handle", Text("Pass the executor that the first phase wrote."))


def _latest(machine: Machine) -> Executor | None:
    """The executor of the last first phase that succeeded on this thread, also if the library of a C program made it:
    later executors have larger handles."""
    planned, native = machine.thread().planned, machine.handles.native
    number = 0 if native is None else native.latest_executor()
    made = machine.handles.either(number) if number > (0 if planned is None else planned.number) else None
    return made if isinstance(made, Executor) else planned


def _check_called_after_planning(executor: Executor) -> None:
    """Report `repeat-late` if the call breaks the document's rule "Call right after a successful phase 1, on the same
    thread and before any other phase 1 there"."""
    machine = current()
    latest, thread = _latest(machine), machine.thread().name
    if latest is executor:
        return
    if latest is None or executor.thread != thread:
        what = Text("in thread {thread}, but was planned in thread {other}", thread=thread, other=executor.thread)
        history = ()
    else:
        what = Text("after the first phase of {executor} on its thread, {thread}", executor=latest, thread=thread)
        history = latest.past()
    late = Text("{executor} is made repeatable {what}.", executor=executor, what=what)
    machine.undefined("repeat-late", late, *executor.past(), *history)


@acl_api(META)
def aclSetAclOpExecutorRepeatable(executor: c.aclOpExecutor_p) -> c.aclnnStatus:
    """Make the executor repeatable: it can be launched any number of times, with the tensors' current addresses.

    Call this function right after the first phase. Destroy the executor (aclDestroyAclOpExecutor) before its tensors.

    Returns:
        ACLNN_SUCCESS: the executor is repeatable.
        ACLNN_ERR_INNER_NULLPTR: `executor` is null.
        ACLNN_ERR_RUNTIME_ERROR: `executor` was destroyed (only if the machine reports findings instead of raising
            them).
    """
    live_executor = _executor(executor)
    _check_called_after_planning(live_executor)
    live_executor.repeatable = True


def _check_tensors(executor: Executor) -> None:
    """Report `tensor-destroyed-early`, once for each repeatable executor: "The user must call aclDestroyAclOpExecutor
    once, before destroying the tensors it was built from". The next call destroys the executor."""
    gone = [tensor for tensor in executor.users if tensor.ended]
    machine = current()
    if executor.repeatable and gone and not machine.consequences.of(executor, "tensor-destroyed-early"):
        machine.consequences.taint(executor, "tensor-destroyed-early")
        what = Text(
            "{executor}, which is repeatable, is destroyed after {tensor}, which it was planned with.",
            executor=executor,
            tensor=gone[0],
        )
        machine.crash("tensor-destroyed-early", what, *executor.past(), *gone[0].past())


@acl_api(META)
def aclDestroyAclOpExecutor(executor: c.aclOpExecutor_p) -> c.aclnnStatus:
    """Destroy a repeatable executor, or an executor that was never launched. A launch destroys any other executor.

    Returns:
        ACLNN_SUCCESS: destroyed.
        ACLNN_ERR_INNER_NULLPTR: `executor` is null.
        ACLNN_ERR_INNER: the handle is of another kind.
        ACLNN_ERR_RUNTIME_ERROR: `executor` was destroyed (only if the machine reports findings instead of raising
            them).
    """
    if not executor:
        raise _null("executor")
    machine = current()
    live_executor = machine.handles.get(executor)
    if live_executor is None:
        report_dead_executor(executor, "exec-destroy-after-run")
    if not isinstance(live_executor, Executor):
        raise AclError(ACLNN_ERR_INNER, Item("EZ9999", (f"the handle is no executor: it is {live_executor}.",)))
    _check_tensors(live_executor)
    machine.handles.remove(live_executor)


def _rebind(
    executor: int, index: int, tensor: Tensor, address: Address, slots: str, member: int | None = None
) -> None:  # fmt: skip
    """Set the address of the tensor. For a generated operator, also set the address of the executor's argument `index`.

    `slots` names the arguments that `index` counts: "inputs", "outputs" or "all". Without `member`, `index` counts
    tensors. With `member`, `index` counts parameters, and `member` is the tensor's index in the list."""
    if not executor:
        tensor.address = address.value  # "tensor's own base address is overwritten; then executor NULL -> 561103"
    live_executor = _executor(executor)
    tensor.address = address.value
    if live_executor.family is Family.COMPOSITE:
        return  # "nothing more. The index is not looked at"
    inputs, outputs = list(live_executor.input_parameters), list(live_executor.output_parameters)
    parameters = {"inputs": inputs, "outputs": outputs, "all": [*inputs, *outputs]}[slots]
    if member is None:
        argument = _chosen([tensor for parameter in parameters for tensor in parameter], index, "index", live_executor)
    else:
        if index >= len(parameters):
            raise AclError(ACLNN_ERR_PARAM_INVALID, Item("EZ1012", (index, "irIndex", len(parameters))))
        argument = _chosen(parameters[index], member, "relativeIndex", live_executor)
    # "the launch argument becomes base+offset of the tensor"; the argument keeps the offset it was planned with
    argument.address = address.value + (tensor.offset - argument.offset) * bits(tensor.dtype) // 8


def _chosen(arguments: Sequence[Tensor | None], index: int, name: str, executor: Executor) -> Tensor:
    if index >= len(arguments):
        raise AclError(ACLNN_ERR_PARAM_INVALID, Item("EZ1012", (index, name, len(arguments)), _valid(arguments)))
    argument = arguments[index]
    if argument is None:
        reason = f"argument {index} was null in the first phase {_valid(arguments)}"
        raise AclError(ACLNN_ERR_PARAM_INVALID, Item("EZ1009", (executor.operator, reason)))
    return argument


def _valid(arguments: Sequence[Tensor | None]) -> str:
    indices = ", ".join(str(i) for i, argument in enumerate(arguments) if argument is not None)
    return f"(indices that had a tensor: {indices})"


def _set(executor: int, index: int, tensor: int, address: Address, slots: str) -> None:
    if not tensor:
        raise _null("tensor")
    _rebind(executor, index, lookup(tensor, Tensor, "tensor"), address, slots)


def _set_dynamic(executor: int, index: int, member: int, tensors: int, address: Address, slots: str) -> None:
    if not tensors:
        raise _null("tensors")
    live_list = lookup(tensors, TensorList, "tensors")
    if member >= len(live_list.members):
        raise AclError(ACLNN_ERR_PARAM_INVALID, Item("EZ1012", (member, "relativeIndex", len(live_list.members))))
    number = live_list.members[member]
    if not number and slots != "all":
        raise _null(f"tensors[{member}]")
    if not number:  # "same, but a NULL member is not checked (crash)"
        dead(number, Tensor, f"tensors[{member}]", "dead-handle", Text("Put a tensor there first."))
    _rebind(executor, index, lookup(number, Tensor, f"tensors[{member}]"), address, slots, member)


@acl_api(META)
def aclSetInputTensorAddr(
    executor: c.aclOpExecutor_p, index: c.const_size_t, tensor: c.aclTensor_p, addr: c.source_void_p
) -> c.aclnnStatus:
    """Give input `index` of a repeatable executor a new address; `tensor` is the tensor that the executor was planned
    with.

    Returns:
        ACLNN_SUCCESS: the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR: `tensor` or `executor` is null. If only `executor` is null, the tensor still gets
            the new address.
        ACLNN_ERR_PARAM_INVALID: the operator is generated, and argument `index` does not exist or was null in the first
            phase.
        ACLNN_ERR_RUNTIME_ERROR: a handle was destroyed (only if the machine reports findings instead of raising them).
    """
    _set(executor, index, tensor, addr, "inputs")


@acl_api(META)
def aclSetOutputTensorAddr(
    executor: c.aclOpExecutor_p, index: c.const_size_t, tensor: c.aclTensor_p, addr: c.source_void_p
) -> c.aclnnStatus:
    """Give output `index` of a repeatable executor a new address; `tensor` is the tensor that the executor was planned
    with.

    Returns:
        ACLNN_SUCCESS: the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR: `tensor` or `executor` is null. If only `executor` is null, the tensor still gets
            the new address.
        ACLNN_ERR_PARAM_INVALID: the operator is generated, and argument `index` does not exist or was null in the first
            phase.
        ACLNN_ERR_RUNTIME_ERROR: a handle was destroyed (only if the machine reports findings instead of raising them).
    """
    _set(executor, index, tensor, addr, "outputs")


@acl_api(META)
def aclSetTensorAddr(
    executor: c.aclOpExecutor_p, index: c.const_size_t, tensor: c.aclTensor_p, addr: c.source_void_p
) -> c.aclnnStatus:
    """Give argument `index` of a repeatable executor a new address; inputs are counted first, then outputs.

    Returns:
        ACLNN_SUCCESS: the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR: `tensor` or `executor` is null. If only `executor` is null, the tensor still gets
            the new address.
        ACLNN_ERR_PARAM_INVALID: the operator is generated, and argument `index` does not exist or was null in the first
            phase.
        ACLNN_ERR_RUNTIME_ERROR: a handle was destroyed (only if the machine reports findings instead of raising them).
    """
    _set(executor, index, tensor, addr, "all")


@acl_api(META)
def aclSetDynamicInputTensorAddr(
    executor: c.aclOpExecutor_p,
    irIndex: c.size_t,
    relativeIndex: c.const_size_t,
    tensors: c.aclTensorList_p,
    addr: c.source_void_p,
) -> c.aclnnStatus:
    """Give one tensor of a tensor list a new address.

    The list is input `irIndex`. `relativeIndex` is the index of the tensor in the list.

    Returns:
        ACLNN_SUCCESS: the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR: the list, the member or `executor` is null.
        ACLNN_ERR_PARAM_INVALID: the list has no such member; or the operator is generated, and it has no such input or
            the input has no such member.
        ACLNN_ERR_RUNTIME_ERROR: a handle was destroyed (only if the machine reports findings instead of raising them).
    """
    _set_dynamic(executor, irIndex, relativeIndex, tensors, addr, "inputs")


@acl_api(META)
def aclSetDynamicOutputTensorAddr(
    executor: c.aclOpExecutor_p,
    irIndex: c.size_t,
    relativeIndex: c.const_size_t,
    tensors: c.aclTensorList_p,
    addr: c.source_void_p,
) -> c.aclnnStatus:
    """Give one tensor of a tensor list a new address.

    The list is output `irIndex`. `relativeIndex` is the index of the tensor in the list.

    Returns:
        ACLNN_SUCCESS: the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR: the list, the member or `executor` is null.
        ACLNN_ERR_PARAM_INVALID: the list has no such member; or the operator is generated and has
            no such output.
        ACLNN_ERR_RUNTIME_ERROR: a handle was destroyed (only if the machine reports findings instead of raising them).
    """
    _set_dynamic(executor, irIndex, relativeIndex, tensors, addr, "outputs")


@acl_api(META)
def aclSetDynamicTensorAddr(
    executor: c.aclOpExecutor_p,
    irIndex: c.size_t,
    relativeIndex: c.const_size_t,
    tensors: c.aclTensorList_p,
    addr: c.source_void_p,
) -> c.aclnnStatus:
    """Give one tensor of a tensor list a new address; `irIndex` counts the inputs first, then the outputs.

    Returns:
        ACLNN_SUCCESS: the next launch uses the address.
        ACLNN_ERR_INNER_NULLPTR: the list or `executor` is null.
        ACLNN_ERR_PARAM_INVALID: the list has no such member; or the operator is generated and has
            no such argument.
        ACLNN_ERR_RUNTIME_ERROR: a handle was destroyed or a member is null (only if the machine reports findings
            instead of raising them).
    """
    _set_dynamic(executor, irIndex, relativeIndex, tensors, addr, "all")


# "Each of the six setters also exists with a capital first letter (AclSet...), marked reserved, same behaviour."
AclSetInputTensorAddr = also_named("AclSetInputTensorAddr", aclSetInputTensorAddr)
AclSetOutputTensorAddr = also_named("AclSetOutputTensorAddr", aclSetOutputTensorAddr)
AclSetTensorAddr = also_named("AclSetTensorAddr", aclSetTensorAddr)
AclSetDynamicInputTensorAddr = also_named("AclSetDynamicInputTensorAddr", aclSetDynamicInputTensorAddr)
AclSetDynamicOutputTensorAddr = also_named("AclSetDynamicOutputTensorAddr", aclSetDynamicOutputTensorAddr)
AclSetDynamicTensorAddr = also_named("AclSetDynamicTensorAddr", aclSetDynamicTensorAddr)
