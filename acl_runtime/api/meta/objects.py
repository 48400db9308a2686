"""Helpers of the functions of aclnn/acl_meta.h: find or destroy the object of a handle, read arrays of the host."""

from typing import Any, Final, NoReturn

from acl_runtime.abi.pointers import Address, Values
from acl_runtime.api.refusals import null_object
from acl_runtime.headers.statuses import ACLNN_ERR_RUNTIME_ERROR
from acl_runtime.machine.current import current
from acl_runtime.memory import host
from acl_runtime.objects.handle_table import Some, Thing, ThingList
from acl_runtime.source.frames import trail
from acl_runtime.text import Text

WHOLE_VALUE: Final = Text("Pass a value with all the bytes of its type.")


def lookup(number: int, kind: type[Some], parameter: str) -> Some:
    """The object of a handle. AclError 161001 for null; finding `dead-handle` if the handle names no live object."""
    machine = current()
    if number == 0:
        raise null_object(machine.thread().call, parameter)
    thing = machine.handles.find(number, kind)
    if thing is None:
        dead(number, kind, parameter, "dead-handle", Text("Keep the object until its last use."))
    return thing


def dead(
    number: int,
    kind: type[Thing],
    parameter: str,
    id: str,
    hint: Text | None = None,
    status: int = ACLNN_ERR_RUNTIME_ERROR,
) -> NoReturn:
    """Report a handle that is dead or of another kind: the library would follow a dangling pointer."""
    machine = current()
    place, history = machine.handles.describe(number)
    text = dangling(parameter, kind, place)
    machine.crash(id, text, *history, status=status, hint=machine.handles.remedy(number, hint))


def dangling(parameter: str, kind: type[Thing], where: str) -> Text:
    """The text of a finding about an argument that is no live object."""
    return Text(
        "{parameter} is no live {kind}: {where}. The library would follow a dangling pointer.",
        parameter=parameter,
        kind=kind.kind,
        where=where,
    )


def destroy(number: int, kind: type[Thing], parameter: str) -> None:
    """Destroy an object; null is ignored. A second destruction is the finding `tensor-double-destroy`."""
    if number == 0:
        return
    machine = current()
    thing = machine.handles.find(number, kind)
    if thing is None:
        dead(number, kind, parameter, "tensor-double-destroy")
    machine.handles.remove(thing)


def destroy_list(number: int, kind: type[ThingList], parameter: str) -> None:
    """ "Destroying a list destroys every member (null members tolerated)"."""
    if number == 0:
        return
    machine = current()
    live_list = machine.handles.find(number, kind)
    if live_list is None:
        dead(number, kind, parameter, "tensor-double-destroy")
    member_kind = kind.member_kind
    gone = [member for member in live_list.members if member and machine.handles.find(member, member_kind) is None]
    if gone:
        machine.consequences.taint(live_list)  # the program tried to destroy it: do not report a leak
        hint = Text(
            "Its acl{kind} members go with the list: do not destroy them on their own.", kind=member_kind.__name__
        )
        dead(gone[0], member_kind, Text("a member of {list}", list=live_list), "tensor-double-destroy", hint)
    # read once for all members: reading the stack takes longer than all the rest
    place, verb = trail(), Text("destroyed with {owner}", owner=live_list)
    machine.handles.remove(live_list, place=place)
    for member in dict.fromkeys(live_list.members):
        if (thing := machine.handles.get(member)) is not None:
            machine.handles.remove(thing, verb, place)


def take(values: Values, count: int, parameter: str, status: int = ACLNN_ERR_RUNTIME_ERROR) -> tuple[Any, ...]:
    """`count` values of an array of the host; the finding `host-overrun` if it has fewer. `status`: the result of the
    call in report mode."""
    items = values.take(count)
    if values.length is None and count < 1 << 32:
        raw = host.read(values.address, count * values.dtype.itemsize)
        items = () if raw is None else values.of_memory(raw)
    if len(items) < count:
        current().crash(
            "host-overrun",
            Text.plural(
                len(items),
                "{parameter} holds {count} value, but the call says {wanted}: the library would read past its end.",
                "{parameter} holds {count} values, but the call says {wanted}: the library would read past its end.",
                parameter=parameter,
                wanted=count,
            ),
            status=status,
            hint=Text("Pass an array that has as many values as the call says."),
        )
    return items


def value_bytes(
    pointer: Address, count: int, parameter: str, status: int = ACLNN_ERR_RUNTIME_ERROR, hint: Text = WHOLE_VALUE
) -> bytes:
    """The `count` bytes of a value in host memory; the finding `host-overrun` if fewer can be read. `status`: the
    result of the call in report mode."""
    if pointer.size is not None and pointer.size < count:
        text = Text(
            "{parameter} has {size} bytes, but {count} are read.", parameter=parameter, size=pointer.size, count=count
        )
        current().crash("host-overrun", text, status=status, hint=hint)
    raw = host.read(pointer.value, count)
    if raw is None:
        text = Text(
            "{parameter} = {address} is no host memory of {size} bytes.",
            parameter=parameter,
            address=f"{pointer.value:#x}",
            size=count,
        )
        current().crash("host-overrun", text, status=status)
    return raw
