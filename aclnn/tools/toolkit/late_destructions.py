"""The Python side of events.c: destructions of events that the library has accepted, and that Python makes later.

The library knows the living events of one machine at a time, while this machine is the current one. It knows none in a
machine that raises findings, or where calls fail on purpose, or as long as no default device is configured: there a
destruction may have another result than 0.
"""

import ctypes
from collections.abc import Callable
from struct import iter_unpack
from typing import Any, Final

from acl_runtime.machine.current import installation
from acl_runtime.machine.machine import Machine
from acl_runtime.process import process
from acl_runtime.streams.event import Event
from aclnn.tools.toolkit.native_lines import FRAMES

DESTRUCTION: Final = f"@Q{FRAMES}N"
"""a `struct destruction` of events.c: the handle, and the place of the call"""
PLACE: Final = 8 * FRAMES
"""bytes of a `struct place`"""


class LateDestructions:
    """The destructions that the library has accepted."""

    def __init__(self, library: Any, destroy: Callable[[int], object]) -> None:
        """`destroy` makes a destruction, with the place that the library has for the calling thread."""
        python = ctypes.PyDLL(None, handle=library._handle)
        self._lives: Callable[[int, bool], None] = python.aclnn_event_lives
        python.aclnn_event_lives.argtypes, python.aclnn_event_lives.restype = (ctypes.c_uint64, ctypes.c_int), None
        self._forget: Callable[[], None] = python.aclnn_forget_events
        python.aclnn_forget_events.restype = None
        self._take: Callable[[], bytes] = python.aclnn_take_destructions
        python.aclnn_take_destructions.restype = ctypes.py_object
        self.count = memoryview(ctypes.c_uint64.in_dll(library, "aclnn_late")).cast("B").cast("Q")
        """one number: the destructions that Python has not made yet"""
        self._library = library
        self._destroy = destroy
        self._machine: Machine | None = None
        self._before: Callable[[Any], object] | None = installation.changed
        installation.changed = self._use
        process.event_lives = self._event_lives

    def begin(self, machine: Machine) -> None:
        """The library may accept destructions of this new machine."""
        self._machine = machine
        before = machine.faults.before_first

        def stop() -> None:
            self._forget()
            if before is not None:
                before()

        machine.faults.before_first = stop

    def catch_up(self) -> None:
        """Make the accepted destructions."""
        here = self._library.aclnn_from_address()
        place = ctypes.string_at(here, PLACE)
        for number, *frames in iter_unpack(DESTRUCTION, self._take()):
            (ctypes.c_size_t * FRAMES).from_address(here)[:] = frames
            self._destroy(number)
        ctypes.memmove(here, place, PLACE)

    def _serves(self, machine: object) -> bool:
        mine = self._machine
        return (
            mine is not None
            and machine is mine
            and mine.options.on_undefined == "report"
            and not mine.faults.injectors
            and mine.initialisation.default_device is not None
        )

    def _use(self, machine: Any) -> None:
        if self._before is not None:
            self._before(machine)
        self._forget()
        if self._serves(machine):
            for event in machine.handles.all(Event):
                self._lives(event.number, True)

    def _event_lives(self, number: int, lives: bool) -> None:
        if not lives or self._serves(installation.current):
            self._lives(number, lives)
