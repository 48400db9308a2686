"""acl/acl_op.h: the shapes of the outputs of an operator."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.op import named_calls
from acl_runtime.api.op.named_calls import argument_lists, operators, required_type
from acl_runtime.api.refusals import invalid
from acl_runtime.boundary import acl_api
from acl_runtime.machine.current import current

HEADER: Final = "acl/acl_op.h"


@acl_api(HEADER)
def aclopInferShape(
    opType: c.const_char_p,
    numInputs: c.int_,
    inputDesc: c.aclTensorDesc_p_array,
    inputs: c.aclDataBuffer_p_array,
    numOutputs: c.int_,
    outputDesc: c.aclTensorDesc_p_array,
    attr: c.aclopAttr_p,
) -> c.aclError:
    """Write the shapes of the results of an operator into `outputDesc`; -1 stands for an unknown size. Only the values
    of inputs on the host are used. Nothing is computed.

    Returns:
        ACL_SUCCESS: the shapes are written.
        ACL_ERROR_INVALID_PARAM: `opType` is null, or there is no operator of this type; a count is negative; an array
            or a member of it is null.
        ACL_ERROR_GE_FAILURE: the tensors and attributes do not fit the operator.
        ACL_ERROR_RT_PARAM_INVALID: a handle is dead, or an array is too short (only if the machine reports findings
            instead of raising them).
    """
    type = required_type(opType)
    arguments = argument_lists(numInputs, inputDesc, inputs, numOutputs, outputDesc, None)
    arguments.check_counts()
    described = arguments.descriptors()
    buffers = named_calls.buffers(arguments.inputs, null_data=True)
    if not operators().exists(type):
        raise invalid(type, "opType", "a type of operator that the emulator has")
    operator = named_calls.with_inputs(named_calls.operator(type, described, None, attr), buffers)
    for desc, shape in zip(described[1], operators().shapes(current(), operator), strict=False):
        desc.shape = desc.storage_shape = shape
