"""The host threads of a machine, their current contexts, and the objects for the handles and numbers of a call.

`Threads` has the state of each host thread. `Contexts` finds the current context of a thread, and the device, stream or
event for a number in a call. Each refusal here has its documented status and a text with the reason.
"""

import threading
from collections.abc import Iterator
from typing import Final
from weakref import WeakKeyDictionary

from acl_runtime.errors import AclError
from acl_runtime.headers.enums import aclSysParamOpt
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_CONTEXT_NULL,
    ACL_ERROR_RT_INVALID_DEVICEID,
    ACL_ERROR_RT_INVALID_HANDLE,
    ACL_ERROR_RT_STREAM_CONTEXT,
)
from acl_runtime.machine.initialisation import Initialisation
from acl_runtime.machine.installation import installation
from acl_runtime.objects.handle_table import Handles, Some
from acl_runtime.objects.options import VISIBLE, variable_of
from acl_runtime.objects.soc import Soc
from acl_runtime.process import process
from acl_runtime.streams.event import Event
from acl_runtime.streams.host_thread import ErrorRecord, ThreadState, name_as_program
from acl_runtime.streams.scheduler import Scheduler
from acl_runtime.streams.stream import Context, Device, Stream
from acl_runtime.text import counted

DETERMINISTIC: Final = int(aclSysParamOpt.ACL_OPT_DETERMINISTIC)
MOST_LISTED: Final = 3
"""the most threads with a context that the error text of a thread without a context lists"""


def live_object(handles: Handles, number: int, kind: type[Some], what: str, parameter: str, noun: str = "") -> Some:
    """The live object of a handle; 107017 for a dead handle or a handle of another kind. `noun`: another name of the
    kind for the text."""
    thing = handles.find(number, kind)
    if thing is None:
        values, detail = (what, parameter, f"it is no live {noun or kind.kind}"), f"({handles.whereabouts(number)})"
        raise AclError(ACL_ERROR_RT_INVALID_HANDLE, Item("EE1017", values, detail))
    return thing


class Threads:
    """The host threads that called a machine."""

    def __init__(self, scheduler: Scheduler, initialisation: Initialisation) -> None:
        self._scheduler = scheduler
        self._initialisation = initialisation
        self._local = threading.local()
        self._states: WeakKeyDictionary[threading.Thread, ThreadState] = WeakKeyDictionary()
        self._shared_errors = ErrorRecord()

    def current(self) -> ThreadState:
        """The state of the calling thread."""
        try:
            return self._local.state
        except AttributeError:
            thread = threading.current_thread()
            if process.program is not None:
                name_as_program(thread, len(self._states) + 1)
            state = self._local.state = self._states[thread] = ThreadState(ErrorRecord())
            self._scheduler.add_host_thread(thread)
            return state

    def known(self) -> ThreadState | None:
        """The state of the calling thread, if it ever called this machine."""
        return getattr(self._local, "state", None)

    def others(self) -> Iterator[tuple[str, ThreadState]]:
        """The names and states of other living host threads that have called this machine."""
        for thread, state in list(self._states.items()):
            if thread is not threading.current_thread() and thread.is_alive():
                yield thread.name, state

    def errors(self) -> ErrorRecord:
        """The error record of the calling thread, or of the process if aclInit was configured so."""
        return self.errors_of(self.current())

    def errors_of(self, thread: ThreadState) -> ErrorRecord:
        """The error record of any thread, chosen as in `errors`."""
        return self._shared_errors if self._initialisation.errors_per_process else thread.errors


class Contexts:
    """Finds the current context of a thread, and the devices, streams and events that a call names."""

    def __init__(
        self,
        threads: Threads,
        devices: list[Device],
        handles: Handles,
        initialisation: Initialisation,
        soc: Soc,
        installed: int,
    ) -> None:
        """`installed`: the number of devices, including those that the environment hides."""
        self._threads = threads
        self._devices = devices
        self._handles = handles
        self._initialisation = initialisation
        self._soc = soc
        self._installed = installed
        self.parameters: dict[int, int] = {}
        """the values of aclrtSetSysParamOpt, by aclSysParamOpt"""

    # the current context

    def context_of_caller(self) -> Context | None:
        """The current context of the calling thread, which need not have called this machine yet."""
        state = self._threads.known()
        return state.context() if state is not None else None

    def context(self, what: str, thread: ThreadState | None = None) -> Context:
        """The current context of the calling thread; AclError 107002 if it has none. `what` names the operation in the
        error text. `thread`: as for `find_context`."""
        thread = thread or self._threads.current()
        current = thread.explicit or thread.primary
        if current is None or not current.alive:
            current = self._fallback()
        if current is None:
            raise AclError(ACL_ERROR_RT_CONTEXT_NULL, self.no_context(what))
        return current

    def find_context(self, thread: ThreadState | None = None) -> Context | None:
        """The current context of the calling thread, if it has one. `thread`: the state of the thread, if known."""
        thread = thread or self._threads.current()
        current = thread.explicit or thread.primary
        return current if current is not None and current.alive else self._fallback()

    def deterministic(self, context: Context | None = None) -> int:
        """The value of ACL_OPT_DETERMINISTIC for work of the current context: the value of the context if it is set,
        else the value of the process, else 0. `context`: the current context, if the caller already has it."""
        context = context or self.find_context()
        value = context.parameters.get(DETERMINISTIC) if context is not None else None
        return self.parameters.get(DETERMINISTIC, 0) if value is None else value

    def no_context(self, what: str) -> Item:
        """The error item of a thread without a valid context, with the reason."""
        thread = self._threads.current()
        slot = thread.explicit or thread.primary
        if slot is not None:
            why = f"the context it used, {slot}, is gone: {slot.ended}"
        elif thread.lost:
            why = f"the context it used is gone: {thread.lost}"
        elif elsewhere := installation.elsewhere():
            why = (
                "in this machine it called neither aclrtSetDevice nor aclrtSetCurrentContext, but in another one, "
                f"where it has {elsewhere}: set the device inside this one; a pytest fixture that sets the device "
                "must request `machine`"
            )
        else:
            why = "it called neither aclrtSetDevice nor aclrtSetCurrentContext; a new thread inherits no context"
        others = [f"; {context} is current in thread {name}" for name, state in self._threads.others()
                  if (context := state.context()) is not None]  # fmt: skip
        reason = f"thread {threading.current_thread().name} has no valid context"
        return Item("EE1018", (what, reason), f"({why}{''.join(others[:MOST_LISTED])})")

    def _fallback(self) -> Context | None:
        """The default context, if `defaultDevice` is configured: "a thread without context falls back to the default
        context"."""
        number, thread = self._initialisation.default_device, self._threads.current()
        if number is None or thread.explicit or thread.primary or number >= len(self._devices):
            return None
        return self.open_primary(self._devices[number])

    def open_primary(self, device: Device) -> Context:
        """The default context of the device. It is created if necessary, or made valid again after a reset."""
        if device.primary is None:
            device.primary = Context(device, primary=True)
            self._handles.add(device.primary)
        elif not device.primary.alive:
            context = device.primary
            context.alive, context.ended, context.parameters = True, "", {}
            context.default_stream, context.streams = Stream(context), {}
            context.stops, context.fault = False, None
        return device.primary

    # the objects for the handles and numbers of a call

    def device(self, number: int, what: str, parameter: str) -> Device:
        """The device of the number in a `parameter` of the call; AclError 107001 if there is none."""
        if not 0 <= number < len(self._devices):
            last = f"[0, {len(self._devices)})"
            detail = f"({self.inventory()})"
            raise AclError(ACL_ERROR_RT_INVALID_DEVICEID, Item("EE1003", (what, number, parameter, last), detail))
        return self._devices[number]

    def inventory(self) -> str:
        """The number of devices, for a text."""
        count, all_ = len(self._devices), self._installed
        text = f"this machine has {counted(count, 'device')} of {self._soc.label}"
        more = f"; {variable_of('device_count')} sets the number"
        return f"{text}{more}" if count == all_ else f"{text}: {VISIBLE} hides {all_ - count} of {all_}"

    def streams(self) -> Iterator[Stream]:
        """The streams of all devices."""
        for device in self._devices:
            yield from device.streams()

    def stream(self, number: int, what: str, parameter: str = "stream") -> Stream:
        """The stream of a handle; null is the default stream of the current context. AclError 107017 for a dead handle
        or a handle of another kind; this check "comes before range checks and before the context check". `parameter`:
        the parameter with the handle."""
        if number == 0:
            return self.context(what).default_stream
        stream = self._handles.get(number)
        return stream if isinstance(stream, Stream) else live_object(self._handles, number, Stream, what, parameter)

    def own_stream(
        self, number: int, what: str, thread: ThreadState | None = None, parameter: str = "stream"
    ) -> Stream:
        """The stream of a handle; AclError 107003 if it does not belong to the current context. `thread`: as for
        `find_context`; `parameter`: as for `stream`."""
        stream = self._handles.get(number)
        if not isinstance(stream, Stream):
            stream = self.stream(number, what, parameter)  # the default stream, or an AclError
        context = thread and (thread.explicit or thread.primary)  # fast path of `context`
        if context is None or not context.alive:
            context = self.context(what, thread)
        if stream.context is not context:
            extra = f"stream_id={stream.ordinal}, stream_ctx={stream.context}, cur_ctx={context}"
            raise AclError(ACL_ERROR_RT_STREAM_CONTEXT, Item("EE1010", (what, parameter, extra)))
        return stream

    def event(self, number: int, what: str, parameter: str) -> Event:
        """The event of a handle; 107017 for a dead handle or a handle of another kind. `parameter`: the parameter with
        the handle."""
        return live_object(self._handles, number, Event, what, parameter)
