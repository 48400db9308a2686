"""The Python end of the library: a ctypes callback for each function, made when it is called first.

bridge.c imports this module and calls `attach`. Frames of this module are calls that come from C:
`acl_runtime.source.frames` knows it by its name, and asks `process.program` from where.
"""

import ctypes
import os
import sys
import traceback
from collections.abc import Callable
from itertools import count as count_from
from pathlib import Path
from threading import RLock, local
from typing import Any, Final

from acl_runtime.abi.function import CFunction
from acl_runtime.boundary import for_c
from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.machine.current import installation
from acl_runtime.memory.device_memory import PLACES, TIB
from acl_runtime.objects.address_range import PLAIN
from acl_runtime.objects.handle_table import HINT, ROOM
from acl_runtime.process import process
from acl_runtime.source.site import pointer
from aclnn.tools.toolkit.control import session
from aclnn.tools.toolkit.functions import find
from aclnn.tools.toolkit.lines import CProgram
from aclnn.tools.toolkit.process import Misconfigured, say
from aclnn.tools.toolkit.stubs import FAILED

CONFIGURATION: Final = "aclnn_python.txt"
"""beside the library: Python's executable, its shared library, the folder of the packages, modules with operators,
folders where those are"""
WINDOWS: Final = 32
"""ranges of addresses that bridge.c has room for"""
OTHER: Final = "the library is another version's; write the toolkit again: aclnn toolkit DIR"


class Text(local):
    """What a `const char *` that a thread got points to, until it gets the next."""

    held: bytes | None = None


_text: Final = process.own(Text)


def attach(path: str) -> bool:
    """Fill in what the library at `path` is waiting for; False, told on stderr, if it waits for something else."""
    library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    try:
        _attach(library, path)
    except ValueError as error:  # a symbol that is not there
        say(f"aclnn emulator: {error}: {OTHER}; every call fails with 500000")
        return False
    return True


def _attach(library: Any, path: str) -> None:
    lines = [*Path(path).with_name(CONFIGURATION).read_text(encoding="utf-8").splitlines(), "", "", "", "", ""]
    sys.path += [each for each in lines[4].split(os.pathsep) if each and each not in sys.path]
    modules = list(filter(None, lines[3].split(",")))
    count = ctypes.c_int.in_dll(library, "aclnn_count").value
    table = (ctypes.c_void_p * count).in_dll(library, "aclnn_table")
    prototypes = (ctypes.c_char_p * count).in_dll(library, "aclnn_prototypes")

    importing = RLock()  # a child that was forked meanwhile would wait for the import of a thread that it has not
    os.register_at_fork(before=importing.acquire, after_in_parent=importing.release, after_in_child=importing.release)

    def resolve(number: int) -> int:
        """The callback of a function; 0, told on stderr, if Python has none of this prototype: the call fails."""
        prototype = prototypes[number].decode()
        try:
            with importing:
                function = find(prototype, modules)
        except BaseException as error:  # of a module of the user's
            say(f"aclnn emulator: {prototype}: {error!r}")
            return 0
        if function is None:
            say(f"aclnn emulator: this Python has no `{prototype}`: {OTHER}; it fails with 500000")
            return 0
        table[number] = address = _keep(_callback(function))
        return address

    program = process.own(CProgram)
    program.attach(library)
    process.program = program
    session.exit_status = ctypes.c_int.in_dll(library, "aclnn_exit_status")
    installation.make, installation.finish = session.machine, session.finish
    windows = (ctypes.c_size_t * (2 * WINDOWS)).in_dll(library, "aclnn_windows")
    places = count_from(0)

    def window(low: int, size: int) -> None:
        number = next(places)
        place = number if number < 2 else 2 + (number - 2) % (WINDOWS - 2)  # the latest of those that were moved
        windows[2 * place], windows[2 * place + 1] = low, low + size

    window(PLAIN, PLACES * TIB)
    window(HINT, PLACES * ROOM)
    process.range_moved = window
    _fill(library, "aclnn_explain", ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.c_size_t)(explain))
    _fill(library, "aclnn_finish", ctypes.CFUNCTYPE(ctypes.c_int)(session.finish))
    _fill(library, "aclnn_resolver", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int)(resolve))


def _fill(library: Any, name: str, callback: Any) -> None:
    ctypes.c_void_p.in_dll(library, name).value = _keep(callback)


def _keep(callback: Any) -> int:
    session.kept.append(callback)
    return ctypes.cast(callback, ctypes.c_void_p).value or 0


def parts(function: Any) -> tuple[Callable[..., Any], Callable[[Any], Any], int, Any]:
    """What a callback of a function is made of: what runs, what makes C's result of its, what C gets if it raises, the
    class of ctypes. (Each caller has a frame of its own around these, as that tells where the call comes from.)"""
    declared: CFunction = function.c
    run: Callable[..., Any] = for_c(function) if hasattr(function, "told") else function
    status = declared.result.status
    kind = ctypes.CFUNCTYPE(declared.result.raw, *(ctype.raw for _, ctype in declared.parameters))
    return run, int if status else _answer_to_c, FAILED if status else 0, kind


def _callback(function: Any) -> Any:
    """A function of the API for callers in C."""
    run, answer, failed, kind = parts(function)

    def enter(*raw: Any) -> Any:
        try:
            return answer(run(*raw))
        except BaseException as error:  # ctypes would print it and return 0, which is ACL_SUCCESS
            _tell(error, function.c.name)
            return failed

    return kind(enter)


def _answer_to_c(value: Any) -> Any:
    """What C gets for a result that is no status."""
    if isinstance(value, str):
        _text.held = value.encode(errors="surrogateescape")
        return ctypes.cast(ctypes.c_char_p(_text.held), ctypes.c_void_p).value
    return value.value if isinstance(value, ctypes.c_void_p) else value


def _tell(error: BaseException, name: str) -> None:
    """A machine that raises ends a program in C, at the call; anything else is a mistake of ours, or of Python code
    that the program uses."""
    if isinstance(error, UndefinedBehaviour):
        os.abort()
    if isinstance(error, Misconfigured):
        return
    say(f"aclnn emulator: {name} raised, and returns {FAILED} or null:\n{''.join(traceback.format_exception(error))}")


def explain(address: int, instruction: int) -> None:
    """Where the program dereferenced an address that is none of the host's, and what that is. It dies next."""
    try:
        line = process.own(CProgram).line(instruction)
        say("\n".join([*pointer(line), *(f"  {each}" for each in _meaning(address))]))
    except BaseException as error:
        say(f"  (the emulator could not find out what it is: {error!r})")


def _meaning(address: int) -> list[str]:
    machine = installation.default or installation.inherited  # a test that is to die runs in a forked child
    if machine is None:
        return ["there is no machine now"]
    for device in machine.devices:
        if address in device.memory:
            what, piece = device.memory.told(address)
            history = [f"{each}" for each in piece.past()] if piece is not None else []
            return [what, *history, "The host reaches it with aclrtMemcpy only."]
    if not HINT <= address < HINT + PLACES * ROOM:
        return ["The address belongs neither to a device nor to the library: check the pointers of this call."]
    what, history = machine.handles.told(address)
    return [f"a handle: {what}", *map(str, history), "Only the library may follow a handle."]
