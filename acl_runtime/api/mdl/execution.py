"""acl/acl_mdl.h: executions of models."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.capture_refusals import CAPTURED, check_not_capturing
from acl_runtime.api.live_objects import required
from acl_runtime.api.mdl.execution_config import ExecutionOptions
from acl_runtime.api.mdl.launching import ModelRun
from acl_runtime.api.mdl.load import check_context
from acl_runtime.api.mdl.lookup import HEADER, UNKNOWN_ID
from acl_runtime.api.mdl.requests import requested
from acl_runtime.api.outcomes import LAUNCHES, WAITS
from acl_runtime.api.rt.device import milliseconds, timed_out
from acl_runtime.api.rt.stream import synchronize_stream
from acl_runtime.boundary import acl_api
from acl_runtime.machine.current import current
from acl_runtime.models.loaded import LoadedModel, SynchronousStream
from acl_runtime.models.objects import DataSet
from acl_runtime.streams.stream import Context
from acl_runtime.streams.surfacing import check_accepts_work, surface

EXECUTING: Final = "Execution of a model"
EXECUTES: Final = (
    (
        "ACL_ERROR_INVALID_PARAM",
        "`input` or `output` is null; the sizes of an input are missing or out of their range.",
    ),
    UNKNOWN_ID,
    (
        "ACL_ERROR_GE_PARAM_INVALID",
        "a data set has too few or too many data buffers for the model.",
    ),
    (
        "ACL_ERROR_GE_FAILURE",
        "a data buffer has no address or is more than 64 bytes too short; an output overlaps an input.",
    ),
    ("ACL_ERROR_RT_CONTEXT_NULL", "the calling thread has no current context."),
    (
        "ACL_ERROR_RT_PARAM_INVALID",
        "a handle is dead, or an input or an output is in no memory of the device, and findings are only reported.",
    ),
)


@acl_api(HEADER, also=(*EXECUTES, *WAITS), resource=True)
def aclmdlExecute(modelId: c.uint32_t, input: c.const_aclmdlDataset_p, output: c.aclmdlDataset_p) -> c.aclError:
    """Execute a model and wait for the results. An output whose data buffer has a null address and the size 0 gets
    memory, which the program frees with aclrtFree. The call waits for no other stream.

    Returns:
        ACL_SUCCESS: the outputs are written.
    """
    machine = current()
    request = requested(modelId, input, output, allocates=True)
    check_context(machine, request.model)
    stream = _own_stream(request.model, machine.context(EXECUTING))
    run = ModelRun(machine, request, stream)
    run.launch()
    if not machine.finish(stream):
        raise timed_out(EXECUTING, (stream,), stuck=True)
    surface(stream, machine.consequences)
    run.allocate_late()


@acl_api(HEADER, also=(*EXECUTES, *LAUNCHES, *WAITS, *CAPTURED), resource=True)
def aclmdlExecuteV2(
    modelId: c.uint32_t,
    input: c.const_aclmdlDataset_p,
    output: c.aclmdlDataset_p,
    stream: c.aclrtStream,
    handle: c.const_aclmdlExecConfigHandle_p,
) -> c.aclError:
    """Execute a model in a stream, and wait for the stream, for at most the milliseconds of simulated time that the
    options say. Null is the default stream. An output whose data buffer has a null address and the size 0 gets memory,
    which the program frees with aclrtFree. After a timeout the execution goes on.

    Returns:
        ACL_SUCCESS: the outputs are written.
        ACL_ERROR_INVALID_PARAM: `input`, `output` or `handle` is null; the sizes of an input are missing or out of
            their range.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_STREAM_CONTEXT
        ACL_ERROR_RT_PARAM_INVALID: a timeout is 0 or less than -1; a handle is dead, or an input or an output is in no
            memory of the device, and findings are only reported.
        ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: the stream needs more time, or its work can never be done.
    """
    machine = current()
    required(input, DataSet, "input")
    required(output, DataSet, "output")
    timeout = required(handle, ExecutionOptions, "handle").timeout
    request = requested(modelId, input, output, allocates=True)
    live_stream = machine.own_stream(stream, EXECUTING)
    check_context(machine, request.model)
    check_not_capturing(live_stream, EXECUTING)
    check_accepts_work(live_stream)
    limit = milliseconds(EXECUTING, timeout)
    run = ModelRun(machine, request, live_stream)
    run.launch()
    synchronize_stream(stream, EXECUTING, limit)
    run.allocate_late()


@acl_api(HEADER, also=(*EXECUTES, *LAUNCHES), resource=True)
def aclmdlExecuteAsync(
    modelId: c.uint32_t, input: c.const_aclmdlDataset_p, output: c.aclmdlDataset_p, stream: c.aclrtStream
) -> c.aclError:
    """Queue the execution of a model in a stream; null is the default stream. The data sets and data buffers may be
    destroyed when the call returns. Their memory stays in use until the stream has passed the execution.

    Returns:
        ACL_SUCCESS: queued.
        ACL_ERROR_RT_INVALID_HANDLE
        ACL_ERROR_RT_STREAM_CONTEXT
    """
    machine = current()
    request = requested(modelId, input, output, allocates=False)
    live_stream = machine.own_stream(stream, EXECUTING)
    check_context(machine, request.model)
    check_accepts_work(live_stream)
    ModelRun(machine, request, live_stream).launch()


def _own_stream(model: LoadedModel, context: Context) -> SynchronousStream:
    """The stream of a model for synchronous executions in a context."""
    stream = model.stream
    if stream is None or not stream.live or stream.context is not context:
        stream = model.stream = SynchronousStream(model, context)
        context.streams[stream] = None
    return stream
