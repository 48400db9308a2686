"""acl/acl_op_compiler.h: the graph of an operator as a file. The emulator has no graphs."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.live_objects import discard
from acl_runtime.api.op import named_calls
from acl_runtime.api.op.named_calls import argument_lists, required_type
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.handles import aclGraphDumpOption
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_OP_NOT_FOUND
from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text

HEADER: Final = "acl/acl_op_compiler.h"


class GraphDumpOption(Thing):
    """An aclGraphDumpOption. The emulator makes none."""

    kind = Text("graph dump option")


@acl_api(HEADER)
def aclGenGraphAndDumpForOp(
    opType: c.const_char_p,
    numInputs: c.int_,
    inputDesc: c.const_aclTensorDesc_const_p_array,
    inputs: c.const_aclDataBuffer_const_p_array,
    numOutputs: c.int_,
    outputDesc: c.const_aclTensorDesc_const_p_array,
    outputs: c.aclDataBuffer_const_p_array,
    attr: c.const_aclopAttr_p,
    engineType: c.aclopEngineType,
    graphDumpPath: c.const_char_p,
    graphDumpOpt: c.const_aclGraphDumpOption_p,
) -> c.aclError:
    """Write the graph of an operator to a file. The emulator refuses the call, as it has no graphs.

    Returns:
        ACL_ERROR_OP_NOT_FOUND: the emulator has no graphs.
        ACL_ERROR_INVALID_PARAM: `graphDumpOpt` is not null; a count is negative; `opType` or `graphDumpPath` is null;
            an array or a member of it is null.
        ACL_ERROR_RT_PARAM_INVALID: a handle is dead, or an array is too short (only if the machine reports findings
            instead of raising them).
    """
    arguments = argument_lists(numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs)
    if graphDumpOpt:
        raise invalid("an object", "graphDumpOpt", "null")
    arguments.check_counts()
    type = required_type(opType)
    if graphDumpPath is None:
        raise null("graphDumpPath")
    arguments.descriptors()
    arguments.buffers(null_data=True)
    named_calls.attributes(attr)
    reason = "this emulator has no graphs that could be written to a file"
    raise AclError(ACL_ERROR_OP_NOT_FOUND, Item("EH0006", (f"the graph of operator type {type!r}", reason)))


@acl_api(HEADER)
def aclCreateGraphDumpOpt() -> c.new_aclGraphDumpOption:
    """Create options of aclGenGraphAndDumpForOp. The result is null, as the emulator has no graphs."""
    return aclGraphDumpOption()


@acl_api(HEADER)
def aclDestroyGraphDumpOpt(graphDumpOpt: c.const_aclGraphDumpOption_p) -> c.aclError:
    """Destroy options of aclGenGraphAndDumpForOp. The emulator never makes such options, so only null is correct.

    Returns:
        ACL_ERROR_INVALID_PARAM: `graphDumpOpt` is null.
        ACL_ERROR_RT_PARAM_INVALID: any other pointer (only if the machine reports findings instead of raising them).
    """
    if not graphDumpOpt:
        raise null("graphDumpOpt")
    discard(graphDumpOpt, GraphDumpOption, "graphDumpOpt")
