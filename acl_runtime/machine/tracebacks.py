"""Tracebacks of a user's mistake: they end at the user's call, without frames of the emulator."""

import linecache
import sys
import threading
from functools import partial
from traceback import walk_tb
from types import FrameType
from typing import Any, Final

from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.source.frames import OURS

REFUSALS: Final = (TypeError, ValueError, ImportError, AttributeError, RuntimeError)


def shorten_tracebacks() -> None:
    """Shorten the tracebacks of uncaught mistakes from now on. The hooks of the program stay and run afterwards."""
    sys.excepthook = partial(_show, sys.excepthook)
    threading.excepthook = partial(_show_of_thread, threading.excepthook)


def _show(hook: Any, kind: type[BaseException], error: BaseException, _: object) -> None:
    end_at_the_call(error)
    hook(kind, error, error.__traceback__)


def _show_of_thread(hook: Any, arguments: Any) -> None:
    error: BaseException | None = arguments.exc_value
    if error is not None:
        end_at_the_call(error)
        arguments = threading.ExceptHookArgs((arguments.exc_type, error, error.__traceback__, arguments.thread))
    hook(arguments)


def end_at_the_call(error: BaseException) -> None:
    """Cut the traceback of a user's mistake after the user's call, so that it shows no frames of the emulator.

    A mistake is a finding, or a value that the emulator refuses by a `raise` statement. All other exceptions keep their
    frames, as they may be defects of the emulator."""
    frames = list(walk_tb(error.__traceback__))
    if not isinstance(error, UndefinedBehaviour) and not (frames and _refused(error, *frames[-1])):
        return
    last, entry = None, error.__traceback__
    while entry is not None:
        if not str(entry.tb_frame.f_globals.get("__name__")).startswith(OURS):
            last = entry
        entry = entry.tb_next
    if last is not None:
        last.tb_next = None


def _refused(error: BaseException, frame: FrameType, line: int) -> bool:
    """True if the emulator raises this exception to refuse a value."""
    ours = str(frame.f_globals.get("__name__")).startswith(OURS)
    statement = linecache.getline(frame.f_code.co_filename, line).strip()
    return ours and isinstance(error, REFUSALS) and statement.startswith("raise ")
