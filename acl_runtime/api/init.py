"""acl/acl_rt.h: initialisation."""

import acl_runtime.c as c
from acl_runtime.boundary import acl_api
from acl_runtime.machine.installation import current
from acl_runtime.machine.site import here


@acl_api("acl/acl_rt.h")
def aclInit(configPath: c.const_char_p) -> c.aclError:
    """Initialise, once per process. `configPath` names a JSON file, or is null or empty for the defaults.

    No other function insists on it (runtime rules, 1.3).

    Returns:
        ACL_SUCCESS: initialised.
        ACL_ERROR_REPEAT_INITIALIZE: already initialised; counted, nothing else happens, nothing is recorded.
        ACL_ERROR_INVALID_FILE: the file cannot be read.
        ACL_ERROR_PARSE_FILE: the file is not JSON, or `{` or `[` are nested deeper than 10.
        ACL_ERROR_INVALID_DUMP_CONFIG: a bad value in the section `dump`.
        ACL_ERROR_INVALID_PARAM: `err_msg_mode` or `event_mode` is neither "0" nor "1", or the content differs from
            that of the first successful aclInit.
        ACL_ERROR_FAILURE: a bad default device, stack size or print fifo size.
    """
    machine = current()
    machine.initialisation.begin(configPath, here(), len(machine.devices))


@acl_api("acl/acl_rt.h")
def aclFinalize() -> c.aclError:
    """Undo aclInit, whatever its count. Streams, memory and contexts are neither checked nor released.

    Returns:
        ACL_SUCCESS: finalised; also the first time without any aclInit.
        ACL_ERROR_REPEAT_FINALIZE: already finalised, with no aclInit since.
    """
    current().initialisation.end()
