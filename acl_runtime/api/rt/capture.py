"""acl/acl_rt.h: capture of a stream into a model, which this emulator does not have.

The functions exist so that programs which use them link and start. A capture is refused after the function's checks, so
no model exists, and no handle of a model is valid.
"""

import acl_runtime.abi.c as c
from acl_runtime.api.refusals import check_product, null, out_of_range, unsupported
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclmdlRICaptureMode
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_NOT_CAPTURED
from acl_runtime.machine.current import current


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRICaptureBegin(stream: c.aclrtStream, mode: c.aclmdlRICaptureMode) -> c.aclError:
    """Begin to capture the tasks of a stream instead of running them. The emulator refuses every capture.

    Returns:
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_PARAM_INVALID: `mode` is not 0 to 2.
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: all arguments are valid.
    """
    machine, what = current(), "Beginning a capture"
    if not stream:
        raise null("stream")
    check_product(what)
    machine.stream(stream, what)
    if mode not in list(aclmdlRICaptureMode):
        raise out_of_range(what, mode, "mode", "[0, 2]")
    machine.own_stream(stream, what)
    raise unsupported("Capture of a stream", "this emulator has no model running instances; run without capture")


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRICaptureEnd(stream: c.aclrtStream, modelRI: c.aclmdlRI_p) -> c.aclError:
    """End the capture of a stream. The emulator never captures a stream.

    Returns:
        ACL_ERROR_INVALID_PARAM: `stream` is null.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_CONTEXT_NULL
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT: the product is not A2, A3, 950 or 310P.
        ACL_ERROR_RT_STREAM_NOT_CAPTURED: all arguments are valid.
    """
    machine, what = current(), "Ending a capture"
    if not stream:
        raise null("stream")
    check_product(what)
    live_stream = machine.own_stream(stream, what)
    raise AclError(ACL_ERROR_RT_STREAM_NOT_CAPTURED, Item("EE1018", (what, f"{live_stream} is not in capture")))


@acl_api("acl/acl_rt.h", resource=True, pyacl=None)
def aclmdlRIExecuteAsync(modelRI: c.aclmdlRI, stream: c.aclrtStream) -> c.aclError:
    """Run a captured model in a stream. The emulator has no captured models.

    Returns:
        ACL_ERROR_INVALID_PARAM: `modelRI` is null.
        ACL_ERROR_RT_INVALID_HANDLE: any other handle.
    """
    raise _no_model(modelRI, "Running a model")


@acl_api("acl/acl_rt.h", pyacl=None)
def aclmdlRIDestroy(modelRI: c.aclmdlRI) -> c.aclError:
    """Destroy a captured model. The emulator has no captured models.

    Returns:
        ACL_ERROR_INVALID_PARAM: `modelRI` is null.
        ACL_ERROR_RT_INVALID_HANDLE: any other handle.
    """
    raise _no_model(modelRI, "Destroying a model")


def _no_model(model: int, what: str) -> AclError:
    if not model:
        return null("modelRI")
    detail = f"({current().handles.whereabouts(model)})"
    return AclError(ACL_ERROR_RT_INVALID_HANDLE, Item("EE1017", (what, "modelRI", "it is no live model"), detail))
