"""acl/acl_mdl.h: options of executions."""

from typing import Final

import acl_runtime.abi.c as c
from acl_runtime.api.live_objects import discard_required, required
from acl_runtime.api.mdl.lookup import DEAD, HEADER
from acl_runtime.api.memory.buffers import load_option
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import aclmdlExecConfigAttr
from acl_runtime.headers.handles import aclmdlExecConfigHandle
from acl_runtime.machine.current import current
from acl_runtime.objects.handle_table import Thing
from acl_runtime.text import Text

FOREVER: Final = -1
SIGN: Final = 1 << 31
TIMEOUTS: Final = frozenset(map(int, aclmdlExecConfigAttr))


class ExecutionOptions(Thing):
    """aclmdlExecConfigHandle: the options of executions."""

    kind = Text("execution options")
    destroyer = "aclmdlDestroyExecConfigHandle"
    leak = "tensor-leaked"

    def __init__(self) -> None:
        super().__init__()
        self.timeouts: dict[int, int] = {}
        """milliseconds by option"""

    @property
    def timeout(self) -> int:
        """The milliseconds that an execution waits for its stream; -1 for ever."""
        return self.timeouts.get(aclmdlExecConfigAttr.ACL_MDL_STREAM_SYNC_TIMEOUT, FOREVER)


@acl_api(HEADER)
def aclmdlCreateExecConfigHandle() -> c.new_aclmdlExecConfigHandle:
    """Create the options of executions, which wait for ever until a timeout is set."""
    return aclmdlExecConfigHandle(current().handles.add(ExecutionOptions()))


@acl_api(HEADER, also=(DEAD,))
def aclmdlDestroyExecConfigHandle(handle: c.const_aclmdlExecConfigHandle_p) -> c.aclError:
    """Destroy the options of executions.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `handle` is null.
    """
    discard_required(handle, ExecutionOptions, "handle")


@acl_api(HEADER, also=(DEAD,))
def aclmdlSetExecConfigOpt(
    handle: c.aclmdlExecConfigHandle_p, attr: c.aclmdlExecConfigAttr, attrValue: c.const_void_p, valueSize: c.size_t
) -> c.aclError:
    """Set a timeout, an int32_t at `attrValue`, in milliseconds; -1 is for ever. ACL_MDL_STREAM_SYNC_TIMEOUT is the
    time that an execution waits for its stream. ACL_MDL_EVENT_SYNC_TIMEOUT is the time for events inside a model. The
    emulator's models have none, so it has no effect.

    Returns:
        ACL_SUCCESS: set.
        ACL_ERROR_INVALID_PARAM: `handle` or `attrValue` is null, there is no such option, or `valueSize` is not 4.
    """
    options = required(handle, ExecutionOptions, "handle")
    if not attrValue.value:
        raise null("attrValue")
    if attr not in TIMEOUTS:
        raise invalid(attr, "attr", "ACL_MDL_STREAM_SYNC_TIMEOUT (0) or ACL_MDL_EVENT_SYNC_TIMEOUT (1)")
    value = load_option(attrValue, valueSize, 4, "attrValue")
    options.timeouts[attr] = value - 2 * SIGN if value & SIGN else value
