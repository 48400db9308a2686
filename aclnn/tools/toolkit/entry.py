"""The Python side of the library: a ctypes callback for each function, made at the first call of the function.

bridge.c imports this module and calls `attach`. A stack frame of this module means that C made the call:
`acl_runtime.source.frames` recognises the module by its name and gets the caller from `process.program`.
"""

import atexit
import ctypes
import gc
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import count as count_from
from pathlib import Path
from threading import RLock, local
from typing import Any, Final

from acl_runtime.abi.function import CFunction
from acl_runtime.abi.pointers import HeldText
from acl_runtime.api.rt.event import aclrtDestroyEvent
from acl_runtime.boundary import for_c
from acl_runtime.checks.language import line, past_line
from acl_runtime.errors import Past, UndefinedBehaviour
from acl_runtime.machine.current import installation
from acl_runtime.machine.machine import Machine
from acl_runtime.objects.address_range import EXPECTED_START, VIRTUAL_END
from acl_runtime.objects.handle_table import HANDLE_RANGES, HINT, ROOM
from acl_runtime.objects.options import language
from acl_runtime.own_rank import say
from acl_runtime.process import process
from acl_runtime.source.frames import site_of, trail
from acl_runtime.source.site import pointer
from acl_runtime.text import Text
from aclnn.tools.toolkit.c_stubs import FAILED
from aclnn.tools.toolkit.control import session
from aclnn.tools.toolkit.exported_functions import find
from aclnn.tools.toolkit.late_destructions import LateDestructions
from aclnn.tools.toolkit.native_lines import DEEP, CProgram
from aclnn.tools.toolkit.native_objects import NativeObjects
from aclnn.tools.toolkit.session import FAST_CALLS, Misconfigured, callers

CONFIGURATION: Final = "aclnn_python.txt"
"""file beside the library with five lines: executable of Python, its shared library, folder of the packages, modules
with operators of the user, folders of these modules"""
COLLECTED: Final = (50_000, 20, 100)
"""thresholds of the garbage collector in an interpreter that runs only the emulator"""
USUAL: Final = (700, 2000)
"""defaults of Python for the first threshold; they depend on the version"""
SHARED: Final = 10_000
"""first threshold in the interpreter of a Python program that keeps the default"""
WINDOWS: Final = 32
"""size of the table of address ranges in bridge.c"""
OTHER: Final = "the library belongs to another version; write the toolkit again: aclnn toolkit DIR"


class ReturnedText(local):
    """Keeps the text alive that the last `const char *` result of a thread points to, until its next one."""

    held: bytes | None = None


_text: Final = process.own(ReturnedText)


def attach(path: str) -> bool:
    """Fill in the callbacks of the library at `path`. Returns False, with a message on stderr, if the library belongs
    to another version."""
    library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    try:
        _attach(library, path)
    except (ValueError, AttributeError) as error:  # a symbol is missing in the library
        say(f"aclnn emulator: {error}: {OTHER}; every call fails with 500000")
        return False
    return True


def alone() -> None:
    """Set up the garbage collector of an interpreter that runs only the emulator. A long queue has many objects and no
    cycles, and the collector would scan all these objects again and again."""
    gc.freeze()
    gc.set_threshold(*COLLECTED)


def beside_a_program() -> None:
    """Set up an interpreter that runs a Python program.

    The garbage collector: for its reports, the emulator keeps objects of each call: 11,000 in a training step of 2,000
    calls, none of them in a cycle. With Python's default threshold the collector would scan these objects more than
    once in each step, for a sixth of the time. A threshold that the program has set stays.

    An import: numpy imports numpy.random at its first use, such as by the tasks of a thread, or by an optimiser of
    PyTorch. A process that is forked meanwhile could never import it, and workers of PyTorch's DataLoader do.
    """
    import numpy.random  # noqa: F401  # pyright: ignore[reportUnusedImport]  # late: other interpreters need no import

    first, *others = gc.get_threshold()
    if first in USUAL:
        gc.set_threshold(SHARED, *others)


def leave() -> None:
    """Report at the end of a Python process that loaded the library before it used the emulator."""
    installation.at_exit()


def _attach(library: Any, path: str) -> None:
    lines = [*Path(path).with_name(CONFIGURATION).read_text(encoding="utf-8").splitlines(), "", "", "", "", ""]
    modules = list(filter(None, lines[3].split(",")))
    folders = list(filter(None, lines[4].split(os.pathsep)))
    folders += [beside_the_program()] if modules else []
    sys.path += [folder for folder in folders if folder not in sys.path]
    missing: set[str] = set()
    count = ctypes.c_int.in_dll(library, "aclnn_count").value
    table = (ctypes.c_void_p * count).in_dll(library, "aclnn_table")
    prototypes = (ctypes.c_char_p * count).in_dll(library, "aclnn_prototypes")

    importing = RLock()  # a fork waits for an import: a child has no thread that would finish it
    os.register_at_fork(before=importing.acquire, after_in_parent=importing.release, after_in_child=importing.release)

    def resolve(number: int) -> int:
        """The address of the callback of a function. 0, with a message on stderr, if Python has no function with this
        prototype; the call then fails."""
        prototype = prototypes[number].decode()
        try:
            with importing:
                function = find(prototype, modules)
        except ModuleNotFoundError as error:
            name = str(error.name)
            if not any(module == name or module.startswith(f"{name}.") for module in modules):
                say(f"aclnn emulator: {prototype}: {error!r}")
            elif name not in missing:  # one message is enough for all calls
                missing.add(name)
                say(absent(name, folders))
            return 0
        except BaseException as error:  # raised by a module of the user, or by Ctrl-C
            _report_lookup(error, prototype, library)
            return 0
        if function is None:
            say(f"aclnn emulator: this Python has no `{prototype}`: {OTHER}; the call fails with 500000")
            return 0
        table[number] = address = _keep(_callback(function, library))
        return address

    program = process.own(CProgram)
    program.attach(library)
    process.program = program
    _find_callers(library)
    sys.unraisablehook = partial(_unraisable, library, sys.unraisablehook)
    session.native = _native(library, prototypes, modules)
    session.exit_status = ctypes.c_int.in_dll(library, "aclnn_exit_status")
    _report_at_exit(library)
    windows = (ctypes.c_size_t * (2 * WINDOWS)).in_dll(library, "aclnn_windows")
    places = count_from(0)

    def window(low: int, size: int) -> None:
        number = next(places)
        place = number if number < 2 else 2 + (number - 2) % (WINDOWS - 2)  # the latest moved ranges stay
        windows[2 * place], windows[2 * place + 1] = low, low + size

    window(EXPECTED_START, VIRTUAL_END - EXPECTED_START)
    window(HINT, HANDLE_RANGES * ROOM)
    process.range_moved = window
    _fill(library, "aclnn_explain", ctypes.CFUNCTYPE(None, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t))(explain))
    _fill(library, "aclnn_finish", ctypes.CFUNCTYPE(ctypes.c_int)(session.finish))
    _fill(library, "aclnn_resolver", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int)(resolve))


def _report_at_exit(library: Any) -> None:
    """Let the default machine be one for C, which reports at the end of the process. If the library has registered
    `leave` with atexit, it did so earlier than the machines, so that `leave` runs later."""
    installation.make, installation.finish = session.machine, partial(_leave, library)
    if ctypes.c_int.in_dll(library, "aclnn_registered").value:
        atexit.unregister(installation.at_exit)


def _report_lookup(error: BaseException, prototype: str, library: Any) -> None:
    """Handle an exception during the lookup of a function."""
    if isinstance(error, KeyboardInterrupt):
        library.aclnn_note_interrupt()
    else:
        say(f"aclnn emulator: {prototype}: {error!r}")


def _find_callers(library: Any) -> None:
    """Choose the calls whose callers the library finds. Where Python frames may lie below a call, it finds none."""
    below = ctypes.c_int.in_dll(library, "aclnn_python_below").value
    with suppress(ValueError):  # the machine reports an unknown value
        ctypes.c_int.in_dll(library, "aclnn_callers").value = 0 if below else callers()


def _native(library: Any, prototypes: Any, modules: Sequence[str]) -> NativeObjects | None:
    """The descriptors that the library serves; None if the environment turns this off."""
    if os.environ.get(FAST_CALLS) == "0":
        return None

    @cache
    def declaration(number: int) -> CFunction:
        function: Any = find(prototypes[number].decode(), modules)
        return function.c

    native = NativeObjects(library, declaration)
    destroy = for_c(aclrtDestroyEvent)

    def destroy_late(event: int) -> None:
        destroy(event)

    session.late = LateDestructions(library, destroy_late)

    def new_trail() -> int:
        return native.word(trail(sys._getframe()))  # pyright: ignore[reportPrivateUsage]

    _fill(library, "aclnn_new_trail", ctypes.CFUNCTYPE(ctypes.c_uint64)(new_trail))
    return native


def _leave(library: Any) -> None:
    """Write the report when the interpreter of a Python process ends. Destructors of C++ and threads may still make
    calls afterwards: these calls return 0 and take no interpreter lock."""
    if session.late is not None and session.late.count[0]:
        session.late.catch_up()
    library.aclnn_end(session.finish())


def beside_the_program() -> str:
    """The folder of the program."""
    return os.path.dirname(os.path.realpath("/proc/self/exe"))


def absent(name: str, folders: Sequence[str]) -> str:
    """The message for a module of `--with` that cannot be imported."""
    places = ", ".join([*folders, "and where this Python has its packages"])
    return (
        f"aclnn emulator: there is no module {name}, which this toolkit was written --with. It was looked for in "
        f"{places}. Put it there, or write the toolkit again; every call fails with 500000"
    )


def _fill(library: Any, name: str, callback: Any) -> None:
    ctypes.c_void_p.in_dll(library, name).value = _keep(callback)


def _keep(callback: Any) -> int:
    session.kept.append(callback)
    return ctypes.cast(callback, ctypes.c_void_p).value or 0


def parts(function: Any) -> tuple[Callable[..., Any], Callable[[Any], Any], int, Any]:
    """The parts of a callback: the function to run, the conversion of its result for C, the result after an exception,
    and the callback class of ctypes.

    Each caller wraps them in a function of its own, because the frame of that function shows where the call comes from.
    """
    declared: CFunction = function.c
    run: Callable[..., Any] = for_c(function) if hasattr(function, "with_machine") else function
    status = declared.result.status
    kind = ctypes.CFUNCTYPE(declared.result.raw, *(ctype.raw for _, ctype in declared.parameters))
    return run, int if status else _answer_to_c, FAILED if status else 0, kind


def _callback(function: Any, library: Any) -> Any:
    """A function of the API for callers in C."""
    run, answer, failed, kind = parts(function)
    native, late = session.native, session.late  # both or neither

    def enter(*raw: Any) -> Any:
        try:
            if native is not None and late is not None:
                if late.count[0]:
                    late.catch_up()
                native.catch_up()
            return answer(run(*raw))
        except KeyboardInterrupt:
            library.aclnn_note_interrupt()
            return failed
        except BaseException as error:  # ctypes would print it and return 0, which is ACL_SUCCESS
            _report_exception(error, function.c.name)
            return failed

    return kind(enter)


def _unraisable(library: Any, show: Callable[[Any], object], ignored: Any) -> None:
    """Handle an exception that Python would only print. Ctrl-C may come at the very beginning of a call, before the
    callback can handle it."""
    callback = f"{ignored.err_msg} {ignored.object!r}"  # from Python 3.13 on only the text has it
    ours = any(f"<function {each.__name__}.<locals>." in callback for each in (_attach, _native, _callback))
    if ignored.exc_type is KeyboardInterrupt and ours:
        library.aclnn_note_interrupt()
    else:
        show(ignored)


def _answer_to_c(value: Any) -> Any:
    """The C value of a result that is not a status."""
    if isinstance(value, str):
        raw = value.raw if isinstance(value, HeldText) else value.encode(errors="surrogateescape")
        _text.held = raw
        return ctypes.cast(ctypes.c_char_p(raw), ctypes.c_void_p).value
    return value.value if isinstance(value, ctypes.c_void_p) else value


def _report_exception(error: BaseException, name: str) -> None:
    """Handle an exception that must not reach C. Undefined behaviour under `on_undefined="raise"` ends the program at
    the call. Any other exception is an error of the emulator, or of Python code that the program uses."""
    if isinstance(error, UndefinedBehaviour):
        os.abort()
    if isinstance(error, Misconfigured):
        return
    say(f"aclnn emulator: {name} raised, and returns {FAILED} or null:\n{''.join(traceback.format_exception(error))}")


def explain(address: int, frames: Any) -> None:
    """Print where the program dereferenced an address that is not host memory, and the object at this address. The
    program dies afterwards. `frames`: the addresses of `aclnn_interrupted`."""
    try:
        place = site_of(process.own(CProgram).own_part(frames[:DEEP]))
        say("\n".join([*pointer(place), *(f"  {each}" for each in _meaning(address))]))
    except BaseException as error:
        say(f"  (the emulator could not describe the address: {error!r})")


def _meaning(address: int) -> list[str]:
    """Describe the object at an address, in the language of the machine."""
    machine = installation.default or installation.inherited  # inherited: a death test runs in a forked child
    if machine is None:
        return [line(Text("there is no machine now"), language())]
    lang = machine.options.lang
    return [
        past_line(item, lang) if isinstance(item, Past) else line(item, lang) for item in _lines_about(machine, address)
    ]


def _lines_about(machine: Machine, address: int) -> list[str | Past]:
    """Lines in English about the object at an address, its history, and the rule that was broken."""
    if (reservation := machine.virtual.known_at(address)) is not None:
        return [reservation.why_not(address), *reservation.past()]
    for device in machine.devices:
        if address in device.memory:
            sentence, piece = device.memory.describe(address)
            history = piece.past() if piece is not None else ()
            return [sentence, *history, Text("The host can access it only with aclrtMemcpy.")]
    if not HINT <= address < HINT + HANDLE_RANGES * ROOM:
        return [Text("The address is neither in device memory nor a handle: check the pointers of this call.")]
    sentence, history = machine.handles.describe(address)
    return [Text("a handle: {what}", what=sentence), *history, Text("Only the library may dereference a handle.")]
