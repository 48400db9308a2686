"""acl/acl_op_compiler.h and acl/acl_op.h: operators by their type name, the interface before aclnn.

The operators are in `aclnn.by_name`. Compiling one only checks that the operator exists and accepts the call.
"""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.op import named_calls
from acl_runtime.api.op.named_calls import ArgumentLists, Compiled, all_empty, argument_lists, required_type
from acl_runtime.api.outcomes import LAUNCHES
from acl_runtime.api.refusals import null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclopCompileType
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_API_NOT_SUPPORT, ACL_ERROR_OP_NOT_FOUND
from acl_runtime.machine.current import current
from acl_runtime.objects.descriptions import TensorDesc

COMPILER: Final = "acl/acl_op_compiler.h"
HEADER: Final = "acl/acl_op.h"
ARGUMENTS: Final = (
    (
        "ACL_ERROR_INVALID_PARAM",
        "`opType` is null; a count is negative; an array or a member of it is null; a buffer has a length and a null "
        "address; a size of an input is unknown and has no range; a list of inputs has a gap; "
        "ACL_COMPILE_UNREGISTERED without a path.",
    ),
    (
        "ACL_ERROR_RT_PARAM_INVALID",
        "a handle is dead, an array is too short, or a tensor is in no memory of the device, and the machine only "
        "reports.",
    ),
)
COMPILES: Final = (
    *ARGUMENTS,
    ("ACL_ERROR_API_NOT_SUPPORT", "the flag is no aclopCompileType."),
    ("ACL_ERROR_GE_FAILURE", "there is no operator of this type, or it does not accept these tensors and attributes."),
)
QUEUES: Final = (
    ("ACL_ERROR_RT_CONTEXT_NULL", "the calling thread has no current context."),
    ("ACL_ERROR_RT_STREAM_CONTEXT", "`stream` belongs to another context."),
    ("ACL_ERROR_RT_INVALID_HANDLE", "`stream` is no live stream."),
    *LAUNCHES,
)
EXECUTES: Final = (
    *ARGUMENTS,
    ("ACL_ERROR_OP_NOT_FOUND", "no operator was compiled with the same type, descriptors and attributes."),
    *QUEUES,
)


@acl_api(COMPILER, also=(*COMPILES, *QUEUES), resource=True)
def aclopCompileAndExecute(
    opType: c.const_char_p,
    numInputs: c.int_,
    inputDesc: c.const_aclTensorDesc_const_p_array,
    inputs: c.const_aclDataBuffer_const_p_array,
    numOutputs: c.int_,
    outputDesc: c.const_aclTensorDesc_const_p_array,
    outputs: c.aclDataBuffer_const_p_array,
    attr: c.const_aclopAttr_p,
    engineType: c.aclopEngineType,
    compileFlag: c.aclopCompileType,
    opPath: c.const_char_p,
    stream: c.aclrtStream,
) -> c.aclError:
    """Compile an operator of the graph engine, and queue it in a stream. Descriptors, buffers and attributes may be
    destroyed when the call returns. `engineType` has no effect.

    Returns:
        ACL_SUCCESS: queued; nothing runs if every output has a dimension of size 0.
    """
    arguments = argument_lists(numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs)
    _compile_and_execute(opType, arguments, attr, compileFlag, opPath, stream, refresh=False)


@acl_api(COMPILER, also=(*COMPILES, *QUEUES), resource=True)
def aclopCompileAndExecuteV2(
    opType: c.const_char_p,
    numInputs: c.int_,
    inputDesc: c.aclTensorDesc_p_array,
    inputs: c.aclDataBuffer_p_array,
    numOutputs: c.int_,
    outputDesc: c.aclTensorDesc_p_array,
    outputs: c.aclDataBuffer_p_array,
    attr: c.aclopAttr_p,
    engineType: c.aclopEngineType,
    compileFlag: c.aclopCompileType,
    opPath: c.const_char_p,
    stream: c.aclrtStream,
) -> c.aclError:
    """aclopCompileAndExecute that writes the shapes of the results into `outputDesc`. If the shapes depend on values,
    the call waits for the stream.

    Returns:
        ACL_SUCCESS: queued; nothing runs if every output has a dimension of size 0.
    """
    arguments = argument_lists(numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs)
    _compile_and_execute(opType, arguments, attr, compileFlag, opPath, stream, refresh=True)


@acl_api(COMPILER, also=COMPILES)
def aclopCompile(
    opType: c.const_char_p,
    numInputs: c.int_,
    inputDesc: c.const_aclTensorDesc_const_p_array,
    numOutputs: c.int_,
    outputDesc: c.const_aclTensorDesc_const_p_array,
    attr: c.const_aclopAttr_p,
    engineType: c.aclopEngineType,
    compileFlag: c.aclopCompileType,
    opPath: c.const_char_p,
) -> c.aclError:
    """Compile an operator for aclopExecute, aclopExecuteV2 and aclopCreateHandle.

    Returns:
        ACL_SUCCESS: compiled.
        ACL_ERROR_API_NOT_SUPPORT: a descriptor is placed on the host.
    """
    arguments = argument_lists(numInputs, inputDesc, None, numOutputs, outputDesc, None)
    arguments.check_counts()
    _check_flag(compileFlag)
    type, described = required_type(opType), arguments.descriptors()
    named_calls.check_device(described)
    _check_path(compileFlag, opPath)
    operator = named_calls.operator(type, described, None, attr)
    named_calls.compiled(operator)
    current().compiled_operators.add(operator.key())


@acl_api(HEADER, also=EXECUTES, resource=True)
def aclopExecute(
    opType: c.const_char_p,
    numInputs: c.int_,
    inputDesc: c.const_aclTensorDesc_const_p_array,
    inputs: c.const_aclDataBuffer_const_p_array,
    numOutputs: c.int_,
    outputDesc: c.const_aclTensorDesc_const_p_array,
    outputs: c.aclDataBuffer_const_p_array,
    attr: c.const_aclopAttr_p,
    stream: c.aclrtStream,
) -> c.aclError:
    """Queue an operator that the program compiled.

    Returns:
        ACL_SUCCESS: queued; nothing runs if every output has a dimension of size 0.
    """
    arguments = argument_lists(numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs)
    _execute(opType, arguments, attr, stream, refresh=False)


@acl_api(HEADER, also=EXECUTES, resource=True)
def aclopExecuteV2(
    opType: c.const_char_p,
    numInputs: c.int_,
    inputDesc: c.aclTensorDesc_p_array,
    inputs: c.aclDataBuffer_p_array,
    numOutputs: c.int_,
    outputDesc: c.aclTensorDesc_p_array,
    outputs: c.aclDataBuffer_p_array,
    attr: c.aclopAttr_p,
    stream: c.aclrtStream,
) -> c.aclError:
    """aclopExecute that writes the shapes of the results into `outputDesc`. If the shapes depend on values, the call
    waits for the stream.

    Returns:
        ACL_SUCCESS: queued; nothing runs if every output has a dimension of size 0.
    """
    arguments = argument_lists(numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs)
    _execute(opType, arguments, attr, stream, refresh=True)


def _compile_and_execute(
    type: str | None, arguments: ArgumentLists, attributes: int, flag: int, path: str | None, stream: int, *,
    refresh: bool
) -> None:  # fmt: skip
    arguments.check_counts()
    _check_flag(flag)
    type, described, buffers = required_type(type), arguments.descriptors(), arguments.buffers(null_data=False)
    if all_empty(described[1]):
        return
    _check_path(flag, path)
    named_calls.check_ranges(described[0])
    operator = named_calls.operator(type, described, buffers, attributes)
    compiled = named_calls.compiled(operator)
    current().compiled_operators.add(operator.key())
    _launch(compiled, operator.type, described[1], stream, refresh=refresh)


def _execute(type: str | None, arguments: ArgumentLists, attributes: int, stream: int, *, refresh: bool) -> None:
    type = required_type(type)
    arguments.check_counts()
    described = arguments.descriptors()
    if all_empty(described[1]):
        return
    buffers = arguments.buffers(null_data=not refresh)
    operator = named_calls.operator(type, described, buffers, attributes)
    if operator.key() not in current().compiled_operators:
        raise not_found(type)
    _launch(named_calls.compiled(operator), type, described[1], stream, refresh=refresh)


def _launch(compiled: Compiled, type: str, outputs: list[TensorDesc], stream: int, *, refresh: bool) -> None:
    """Queue the task. `refresh`: True if the descriptors of the outputs get the shapes of the results."""
    machine = current()
    thread = machine.thread()
    live_stream = machine.own_stream(stream, f"The launch of {type}", thread)
    compiled.launch(live_stream, thread)
    if not refresh:
        return
    if compiled.sized:
        machine.finish(live_stream)
    for desc, shape in zip(outputs, compiled.shapes(), strict=False):  # the last ones may be missing
        if shape is not None and (compiled.sized or min(desc.shape, default=0) < 0):
            desc.shape = desc.storage_shape = shape


def not_found(type: str) -> AclError:
    """The refusal of an operator that was not compiled: 100024."""
    text = f"no operator {type} was compiled with these descriptors and attributes. Call aclopCompile first"
    return AclError(ACL_ERROR_OP_NOT_FOUND, Item("EH0006", (f"operator type {type!r}", text)))


def _check_flag(flag: int) -> None:
    if flag not in tuple(aclopCompileType):
        values = (f"compileFlag {flag}", "it is 0 (ACL_COMPILE_SYS) or 1 (ACL_COMPILE_UNREGISTERED)")
        raise AclError(ACL_ERROR_API_NOT_SUPPORT, Item("EH0006", values))


def _check_path(flag: int, path: str | None) -> None:
    if flag == aclopCompileType.ACL_COMPILE_UNREGISTERED and path is None:
        raise null("opPath")
