"""acl/acl_op.h: handles of compiled operators, folders with compiled operators, limits."""

from os.path import isdir
from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.live_objects import discard, required
from acl_runtime.api.op import named_calls
from acl_runtime.api.op.named_calls import argument_lists, required_type
from acl_runtime.api.op.single_operator import ARGUMENTS, QUEUES, not_found
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_OP_INPUT_NOT_MATCH,
    ACL_ERROR_OP_OUTPUT_NOT_MATCH,
    ACL_ERROR_READ_MODEL_FAILURE,
    ACL_ERROR_REPEAT_INITIALIZE,
)
from acl_runtime.machine.current import current
from acl_runtime.objects.named_operators import OperatorHandle

HEADER: Final = "acl/acl_op.h"


@acl_api(HEADER, also=ARGUMENTS)
def aclopCreateHandle(
    opType: c.const_char_p,
    numInputs: c.int_,
    inputDesc: c.const_aclTensorDesc_const_p_array,
    numOutputs: c.int_,
    outputDesc: c.const_aclTensorDesc_const_p_array,
    opAttr: c.const_aclopAttr_p,
    handle: c.aclopHandle_pp,
) -> c.aclError:
    """Create a handle of an operator that the program compiled.

    Returns:
        ACL_SUCCESS: `*handle` is written.
        ACL_ERROR_INVALID_PARAM: `handle` is null.
        ACL_ERROR_API_NOT_SUPPORT: a descriptor is placed on the host.
        ACL_ERROR_OP_NOT_FOUND: no operator was compiled with the same type, descriptors and attributes; `*handle` is
            null.
    """
    type = required_type(opType)
    if handle.null:
        raise null("handle")
    arguments = argument_lists(numInputs, inputDesc, None, numOutputs, outputDesc, None)
    arguments.check_counts()
    described = arguments.descriptors()
    named_calls.check_device(described)
    operator, machine = named_calls.operator(type, described, None, opAttr), current()
    if operator.key() not in machine.compiled_operators:
        handle.store(0)
        raise not_found(type)
    handle.store(machine.handles.add(OperatorHandle(operator)))


@acl_api(HEADER)
def aclopDestroyHandle(handle: c.aclopHandle_p) -> c.void_result:
    """Destroy a handle; null is ignored."""
    discard(handle, OperatorHandle, "handle")


@acl_api(HEADER, also=(*ARGUMENTS, *QUEUES), resource=True, pyacl="op.execute_with_handle")
def aclopExecWithHandle(
    handle: c.aclopHandle_p,
    numInputs: c.int_,
    inputs: c.const_aclDataBuffer_const_p_array,
    numOutputs: c.int_,
    outputs: c.aclDataBuffer_const_p_array,
    stream: c.aclrtStream,
) -> c.aclError:
    """Queue the operator of a handle.

    Returns:
        ACL_SUCCESS: queued; nothing runs if the length of every output buffer is 0.
        ACL_ERROR_INVALID_PARAM: `handle` is null.
        ACL_ERROR_OP_INPUT_NOT_MATCH: the operator has another number of inputs.
        ACL_ERROR_OP_OUTPUT_NOT_MATCH: the operator has another number of outputs.
        ACL_ERROR_GE_FAILURE: the operator does not accept these buffers.
    """
    operator = required(handle, OperatorHandle, "handle").operator
    arguments = argument_lists(numInputs, None, inputs, numOutputs, None, outputs)
    arguments.check_counts()
    buffers = arguments.buffers(null_data=True)
    if buffers[1] and not any(buffer.size for buffer in buffers[1]):
        return
    wrong = ACL_ERROR_OP_INPUT_NOT_MATCH, ACL_ERROR_OP_OUTPUT_NOT_MATCH
    for side, tensors, status in zip(arguments, (operator.inputs, operator.outputs), wrong, strict=True):
        if side.count != len(tensors):
            raise AclError(
                status, Item("EH0007", (side.count, side.counter, f"{len(tensors)}, as in aclopCreateHandle"))
            )
    machine = current()
    thread = machine.thread()
    compiled = named_calls.compiled(named_calls.with_buffers(operator, buffers))
    compiled.launch(machine.own_stream(stream, f"The launch of {operator.type}", thread), thread)


@acl_api(HEADER)
def aclopSetModelDir(modelDir: c.const_char_p) -> c.aclError:
    """Name a folder with compiled operators. The emulator does not read the folder, so its operators are not found.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_INVALID_PARAM: `modelDir` is null.
        ACL_ERROR_READ_MODEL_FAILURE: there is no such folder.
        ACL_ERROR_REPEAT_INITIALIZE: an earlier call succeeded.
    """
    machine = current()
    if modelDir is None:
        raise null("modelDir")
    if machine.model_folder:
        text = f"the folder is {machine.model_folder} already"
        raise AclError(ACL_ERROR_REPEAT_INITIALIZE, Item("EH0012", ("modelDir", text)))
    if not isdir(modelDir):  # a `Path` would raise an OSError for a name that is too long
        raise AclError(ACL_ERROR_READ_MODEL_FAILURE, Item("EH0003", (modelDir, "there is no such folder")))
    machine.model_folder = modelDir


@acl_api(HEADER)
def aclopLoad(model: c.const_void_p, modelSize: c.size_t) -> c.aclError:
    """Load a compiled operator from memory. The emulator ignores the operator, so aclopExecute does not find it.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_INVALID_PARAM: `model` is null, or `modelSize` is 0.
    """
    if not model.value:
        raise null("model")
    if not modelSize:
        raise invalid(0, "modelSize", "a value greater than 0")


@acl_api(HEADER, inert=True)
def aclopSetMaxOpQueueNum(maxOpNum: c.uint64_t) -> c.aclError:
    """Limit the number of compiled operators that are cached. The emulator has no limit.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_INVALID_PARAM: `maxOpNum` is 0.
    """
    if not maxOpNum:
        raise invalid(0, "maxOpNum", "a value greater than 0")


@acl_api("acl/acl_op_compiler.h", inert=True)
def aclopSetCompileFlag(flag: c.aclOpCompileFlag) -> c.aclError:
    """Choose how operators are compiled: for their shapes, or for many shapes. The flag has no effect.

    Returns:
        ACL_SUCCESS: always.
    """
