"""Objects of the ACL layer by their handles. Null is refused with 100000, a dead handle is the finding `dead-handle`.

If the machine only reports findings, a call with a dead handle returns 107000."""

from acl_runtime.abi.pointers import Address
from acl_runtime.api.meta.objects import dead, value_bytes
from acl_runtime.api.refusals import null
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.objects.handle_table import Some, Thing
from acl_runtime.text import Text


def required(number: int, kind: type[Some], parameter: str) -> Some:
    """The live object of a handle; AclError 100000 if the handle is null."""
    if not number:
        raise null(parameter)
    return alive(number, kind, parameter)


def alive(number: int, kind: type[Some], parameter: str, status: int = ACL_ERROR_RT_PARAM_INVALID) -> Some:
    """The live object of a handle, which must not be null. `status`: the result if the machine only reports."""
    thing = current().handles.find(number, kind)
    if thing is None:
        hint = Text("Keep the {object} until its last use.", object=kind.kind)
        dead(number, kind, parameter, "dead-handle", hint, status)
    return thing


def discard_required(number: int, kind: type[Thing], parameter: str) -> None:
    """Destroy the object of a handle; AclError 100000 if the handle is null."""
    current().handles.remove(required(number, kind, parameter))


def discard(number: int, kind: type[Thing], parameter: str) -> None:
    """Destroy the object of a handle; null is ignored."""
    if number:
        current().handles.remove(alive(number, kind, parameter))


def host_bytes(pointer: Address, count: int, parameter: str) -> bytes:
    """`count` bytes of the host; the finding `host-overrun` if fewer can be read."""
    hint = Text("Pass memory of the host that has as many bytes as the call says.")
    return value_bytes(pointer, count, parameter, ACL_ERROR_RT_PARAM_INVALID, hint)
