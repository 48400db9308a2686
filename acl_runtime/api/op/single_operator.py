"""acl/acl_op_compiler.h: operators by their type, the interface before aclnn.

ours: the emulator has no kernels behind this interface. A call is refused with the status of an operator that is not
there. The text names the function of aclnn that computes the same, if there is one.
"""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.abi.declarations import exists
from acl_runtime.abi.pointers import Values
from acl_runtime.api.live_objects import alive, discard
from acl_runtime.api.meta.objects import take
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclOpCompileFlag
from acl_runtime.headers.handles import aclGraphDumpOption
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_OP_NOT_FOUND, ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.objects.data_buffer import DataBuffer
from acl_runtime.objects.descriptions import OpAttributes, TensorDesc
from acl_runtime.objects.handle_table import Thing

HEADER: Final = "acl/acl_op_compiler.h"
REFUSED: Final = (
    ("ACL_ERROR_OP_NOT_FOUND", "the emulator has no operators behind this interface."),
    ("ACL_ERROR_INVALID_PARAM", "`opType` is null; a count is negative; an array is null and its count is not 0."),
    ("ACL_ERROR_RT_PARAM_INVALID", "a handle is dead, or an array is too short, and the machine only reports."),
)


class GraphDumpOption(Thing):
    """aclGraphDumpOption: the emulator makes none."""

    kind = "graph dump option"


@acl_api(HEADER, also=REFUSED, resource=True)
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
    """Compile an operator of the graph engine and launch it. The emulator refuses it: use aclnn.

    Returns:
    """
    raise _refused(opType, (numInputs, inputDesc, inputs), (numOutputs, outputDesc, outputs), attr)


@acl_api(HEADER, also=REFUSED, resource=True)
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
    """aclopCompileAndExecute that writes the shapes of the results into `outputDesc`. The emulator refuses it.

    Returns:
    """
    raise _refused(opType, (numInputs, inputDesc, inputs), (numOutputs, outputDesc, outputs), attr)


@acl_api(HEADER, also=REFUSED)
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
    """Write the graph of an operator to a file. The emulator refuses it: it has no graphs.

    Returns:
    """
    raise _refused(opType, (numInputs, inputDesc, inputs), (numOutputs, outputDesc, outputs), attr)


@acl_api(HEADER)
def aclCreateGraphDumpOpt() -> c.new_aclGraphDumpOption:
    """Create options of aclGenGraphAndDumpForOp. The result is null, as the emulator has no graphs."""
    return aclGraphDumpOption()


@acl_api(HEADER)
def aclDestroyGraphDumpOpt(graphDumpOpt: c.const_aclGraphDumpOption_p) -> c.aclError:
    """Destroy options of aclGenGraphAndDumpForOp. The emulator makes none, so that any pointer but null is a mistake.

    Returns:
        ACL_ERROR_INVALID_PARAM: `graphDumpOpt` is null.
        ACL_ERROR_RT_PARAM_INVALID: any other pointer, in a machine that only reports.
    """
    if not graphDumpOpt:
        raise null("graphDumpOpt")
    discard(graphDumpOpt, GraphDumpOption, "graphDumpOpt")


@acl_api(HEADER, inert=True)
def aclopSetCompileFlag(flag: c.aclOpCompileFlag) -> c.aclError:
    """Choose how operators are compiled. It has no effect, as nothing is compiled.

    Returns:
        ACL_SUCCESS: accepted.
        ACL_ERROR_INVALID_PARAM: `flag` is no aclOpCompileFlag.
    """
    if flag not in tuple(aclOpCompileFlag):
        raise invalid(flag, "flag", "0 (default) or 1 (fuzz)")


def _refused(
    type: str | None, inputs: tuple[int, Values, Values], outputs: tuple[int, Values, Values], attributes: int
) -> AclError:
    """The error of a call: of its arguments, or that the operator is not there."""
    if type is None:
        return null("opType")
    for (count, descriptions, buffers), side in ((inputs, "input"), (outputs, "output")):
        if count < 0:
            return invalid(count, f"num{side.title()}s", "0 or more")
        for values, kind, name in ((descriptions, TensorDesc, f"{side}Desc"), (buffers, DataBuffer, f"{side}s")):
            if count and values.null:
                return null(name)
            for at, number in enumerate(take(values, count, name, ACL_ERROR_RT_PARAM_INVALID) if count else ()):
                if number:
                    alive(number, kind, f"{name}[{at}]")
    if attributes:
        alive(attributes, OpAttributes, "attr")
    name = f"aclnn{type}"
    known = name.isascii() and name.isidentifier() and exists(name)
    instead = f"Call {name}." if known else f"There is no {name} either."
    reason = f"the emulator has no kernels behind the interface of operator types (aclop). {instead}"
    return AclError(ACL_ERROR_OP_NOT_FOUND, Item("EH0006", (f"operator type {type!r}", reason.rstrip("."))))
