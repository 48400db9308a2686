"""acl/acl_rt.h: what went wrong."""

import acl_runtime.c as c
from acl_runtime.boundary import acl_api
from acl_runtime.machine.installation import current


@acl_api("acl/acl_rt.h")
def aclGetRecentErrMsg() -> c.const_char_p_result:
    """The text of the errors that the calling thread has not read yet, None if there are none. Reading empties.

    The first line tells code and reason of the oldest error, the trace lists the others (layout of CANN 9.1).
    """
    return current().errors().take()
