"""acl/acl_rt.h: initialisation and finalisation."""

import acl_runtime.abi.c as c
from acl_runtime.api.system.init_callbacks import alone, run_on_finalize, run_on_init
from acl_runtime.boundary import acl_api
from acl_runtime.headers.statuses import ACL_ERROR_REPEAT_INITIALIZE
from acl_runtime.machine.current import current
from acl_runtime.machine.machine import Machine
from acl_runtime.source.frames import here
from acl_runtime.streams.stream import launches


@acl_api("acl/acl_rt.h", harmless=(ACL_ERROR_REPEAT_INITIALIZE,))  # "Documentation says to treat it as harmless"
def aclInit(configPath: c.const_char_p) -> c.aclError:
    """Initialise, once per process. `configPath` names a JSON file, or is null or empty for the defaults.

    No other function insists on it. Callbacks of aclInitCallbackRegister run inside it; an
    error of one, whatever its code, ends aclInit with that code, and the process is not initialised.

    Returns:
        ACL_SUCCESS: initialised.
        ACL_ERROR_REPEAT_INITIALIZE: already initialised; counted, nothing else happens, nothing is recorded.
        ACL_ERROR_INVALID_FILE: the file cannot be read.
        ACL_ERROR_PARSE_FILE: the file is not JSON, or `{` or `[` are nested deeper than 10.
        ACL_ERROR_INVALID_DUMP_CONFIG: a bad value in the section `dump`.
        ACL_ERROR_INVALID_PARAM: `err_msg_mode` or `event_mode` is neither "0" nor "1", or the content differs from
            that of the first successful aclInit.
        ACL_ERROR_INTERNAL_ERROR: the machine has no device.
        ACL_ERROR_FAILURE: a bad default device, stack size or print fifo size.
    """
    machine = current()
    with alone(machine), machine.initialisation.begin(configPath, here(), len(machine.devices)) as configuration:
        run_on_init(machine, configuration)


@acl_api("acl/acl_rt.h")
def aclFinalize() -> c.aclError:
    """Undo aclInit, whatever its count. Streams, memory and contexts are neither checked nor released.

    Callbacks of aclFinalizeCallbackRegister run inside it, all of them; the first error of one, whatever its code,
    is returned, and the process is finalised all the same.

    Returns:
        ACL_SUCCESS: finalised; also the first time without any aclInit.
        ACL_ERROR_REPEAT_FINALIZE: already finalised, with no aclInit since.
        ACL_ERROR_FAILURE: for instance: a callback returned it.
    """
    machine = current()
    with alone(machine):
        machine.initialisation.end()
        _remark_unfinished(machine)
        run_on_finalize(machine)


@acl_api("acl/acl_rt.h")
def aclFinalizeReference(refCount: c.uint64_t_p) -> c.aclError:
    """Take one aclInit back; the last one finalises, as aclFinalize does.

    What is left of the count goes to `*refCount`, which may be null.

    Returns:
        ACL_SUCCESS: one less, or finalised.
        ACL_ERROR_REPEAT_FINALIZE: the count was 0.
        ACL_ERROR_FAILURE: for instance: a callback returned it.
    """
    machine = current()
    with alone(machine):
        try:
            last = machine.initialisation.end_one()
        finally:
            if not refCount.null:
                refCount.store(machine.initialisation.count)
        if last:
            _remark_unfinished(machine)
            run_on_finalize(machine)


def _remark_unfinished(machine: Machine) -> None:
    """The finding `finalize-pending`."""
    tasks = [task for stream in machine.streams() if stream.driven for task in machine.unfinished(stream)]
    if tasks:
        what = f"{len(tasks)} task(s) in the streams were not waited for."
        machine.undefined("finalize-pending", what, *launches(tasks))
