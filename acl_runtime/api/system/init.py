"""acl/acl_rt.h: initialisation and finalisation."""

import acl_runtime.abi.c as c
from acl_runtime.api.system.init_callbacks import alone, run_on_finalize, run_on_init
from acl_runtime.boundary import acl_api
from acl_runtime.headers.statuses import ACL_ERROR_REPEAT_INITIALIZE
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import here
from acl_runtime.streams.stream import launches
from acl_runtime.text import Text


@acl_api("acl/acl_rt.h", harmless=(ACL_ERROR_REPEAT_INITIALIZE,))  # "Documentation says to treat it as harmless"
def aclInit(configPath: c.const_char_p) -> c.aclError:
    """Initialise AscendCL, once per process. `configPath` names a JSON file; null or empty means the defaults.

    Other functions work without aclInit. Callbacks of aclInitCallbackRegister run inside aclInit. If a callback returns
    an error, aclInit returns this status, and the process is not initialised.

    Returns:
        ACL_SUCCESS: initialised.
        ACL_ERROR_REPEAT_INITIALIZE: already initialised; the call is counted and has no other effect.
        ACL_ERROR_INVALID_FILE: the file cannot be read.
        ACL_ERROR_PARSE_FILE: the file is not JSON, or `{` or `[` are nested deeper than 10.
        ACL_ERROR_INVALID_DUMP_CONFIG: a bad value in the section `dump`.
        ACL_ERROR_INVALID_PARAM: `err_msg_mode` or `event_mode` is neither "0" nor "1", or the file differs from the
            file of the first successful aclInit.
        ACL_ERROR_INTERNAL_ERROR: the machine has no device.
        ACL_ERROR_FAILURE: a bad default device, stack size or print fifo size.
    """
    machine = current()
    with alone(machine), machine.initialisation.begin(configPath, here(), len(machine.devices)) as configuration:
        run_on_init(machine, configuration)


@acl_api("acl/acl_rt.h")
def aclFinalize() -> c.aclError:
    """Undo all calls of aclInit. Streams, memory and contexts are neither checked nor released.

    All callbacks of aclFinalizeCallbackRegister run inside aclFinalize, which returns the first error of a callback.
    The process is finalised nevertheless.

    Returns:
        ACL_SUCCESS: finalised; also in the first call, if aclInit was never called.
        ACL_ERROR_REPEAT_FINALIZE: already finalised, with no aclInit since.
        ACL_ERROR_FAILURE: for example if a callback returned this status.
    """
    machine = current()
    with alone(machine):
        machine.initialisation.end()
        _report_unfinished(machine)
        run_on_finalize(machine)


@acl_api("acl/acl_rt.h")
def aclFinalizeReference(refCount: c.uint64_t_p) -> c.aclError:
    """Undo one call of aclInit. The last undo finalises, as aclFinalize does.

    The number of calls of aclInit that are left is written to `*refCount`, which may be null.

    Returns:
        ACL_SUCCESS: one aclInit is undone.
        ACL_ERROR_REPEAT_FINALIZE: the count was 0.
        ACL_ERROR_FAILURE: for example if a callback returned this status.
    """
    machine = current()
    with alone(machine):
        try:
            last = machine.initialisation.end_one()
        finally:
            if not refCount.null:
                refCount.store(machine.initialisation.count)
        if last:
            _report_unfinished(machine)
            run_on_finalize(machine)


def _report_unfinished(machine: Machine) -> None:
    """Report the finding `finalize-pending` if tasks are queued that no thread has waited for."""
    tasks = [task for stream in machine.streams() if stream.driven for task in machine.unfinished(stream)]
    if tasks:
        what = Text.plural(
            len(tasks),
            "{count} task in the streams was not waited for.",
            "{count} tasks in the streams were not waited for.",
        )
        machine.undefined("finalize-pending", what, *launches(tasks))
