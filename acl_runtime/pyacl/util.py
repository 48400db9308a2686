"""acl.util and acl.app_log: the functions of pyACL that do more than call a C function."""

import ctypes
import inspect
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from typing import Any, Final, cast

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.statuses import ACL_ERROR_INVALID_PARAM
from acl_runtime.machine.current import current
from acl_runtime.memory import host
from acl_runtime.pyacl.functions import describe, unparsed
from acl_runtime.pyacl.parameter_roles import index, word
from acl_runtime.text import Text, counted

NPY_TYPES: Final = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "longlong", "ulonglong",
    "float32", "float64",
)  # fmt: skip
"""numpy types; the index of a type is its NPY code"""
HALF: Final = 23
"""the NPY code of float16"""
UNREADABLE: Final = 0xFF
"""the byte that a read of bad memory returns in report mode"""
OWNERS: Final = (bytes, np.ndarray)
"""types of objects whose address a function of acl.util returns"""


def _util(result: str, *, owned_by_caller: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """A decorator for functions of acl.util: arguments are positional, and a wrong number of arguments raises the
    TypeError of pyACL. `owned_by_caller`: True if the result is the address of the argument, so that the caller must
    keep a reference to the argument."""

    def decorate(body: Callable[..., Any]) -> Any:
        parameters = list(inspect.signature(body).parameters)

        def call(*args: Any) -> Any:
            __tracebackhide__ = True
            if len(args) != len(parameters):
                raise unparsed(call, f"takes {counted(len(parameters), 'argument')}, got {len(args)}")
            if owned_by_caller and type(args[0]) in OWNERS and sys.getrefcount(args[0]) <= _unheld(bytes(64)):
                _report_dropped_owner(body.__name__, args[0])
            try:
                return body(*args)
            except TypeError as error:
                raise unparsed(call, str(error)) from None

        call.__doc__ = body.__doc__
        return describe(call, f"acl.util.{body.__name__.lstrip('_')}", parameters, result)

    return decorate


def _unheld(*args: Any) -> int:
    """The result of `sys.getrefcount` for an argument without a reference in the caller."""
    return sys.getrefcount(args[0])


def _report_dropped_owner(name: str, owner: Any) -> None:
    """Report `host-overrun`: the caller keeps no reference, so the returned address points to freed memory."""
    if isinstance(owner, np.ndarray) and not owner.flags.owndata:
        return  # the array is a view: another object owns the memory
    machine = current()
    kind = "bytes" if isinstance(owner, bytes) else "ndarray"
    call = f"acl.util.{name}"
    sentence = Text(
        "the program keeps no reference to the {kind} object: its memory is freed when {call} returns.",
        kind=kind,
        call=call,
    )
    with machine.lock:
        hint = Text("Keep it in a variable as long as the address is used.")
        machine.findings.add("host-overrun", sentence, hint=hint, call=call)


def _deprecated(name: str, instead: str) -> None:
    """Issue the warning of a deprecated function: "a deprecation Warning (base class, on every call)"."""
    warnings.warn(f"acl.util.{name} is deprecated: use acl.util.{instead}", Warning, stacklevel=4)


def _require_ndarray(name: str, arr: Any) -> Array:
    if not isinstance(arr, np.ndarray):
        raise ValueError(f"acl.util.{name} takes an ndarray; got {type(arr).__name__}")
    return cast("Array", arr)


@_util("int", owned_by_caller=True)
def numpy_to_ptr(arr: Any) -> int:
    """The address of the array's buffer. Keep the array as long as you use the address."""
    array = _require_ndarray("numpy_to_ptr", arr)
    _deprecated("numpy_to_ptr", "bytes_to_ptr")
    if not array.flags.c_contiguous:
        warnings.warn("acl.util.numpy_to_ptr: the array is not contiguous", Warning, stacklevel=3)
    return array.__array_interface__["data"][0]


@_util("(ptr, arr)")
def numpy_contiguous_to_ptr(arr: Any) -> tuple[int, Array]:
    """A contiguous array and its address. The array is the argument, or a copy if the argument is not contiguous."""
    array = np.ascontiguousarray(_require_ndarray("numpy_contiguous_to_ptr", arr))
    _deprecated("numpy_contiguous_to_ptr", "bytes_to_ptr")
    return array.__array_interface__["data"][0], array


@_util("ndarray")
def ptr_to_numpy(ptr: Any, shape: Any, npy_type: Any) -> Array:
    """An array over the memory at `ptr`, without a copy. `npy_type`: 0 bool, 1 int8, 2 uint8, 3 int16, 4 uint16,
    5 int32, 6 uint32, 7 int64, 8 uint64, 9 longlong, 10 ulonglong, 11 float32, 12 float64, 23 float16."""
    address, code = word(ptr), index(npy_type)
    if not isinstance(shape, tuple):
        raise ValueError(f"acl.util.ptr_to_numpy takes a tuple for the shape; got {type(shape).__name__}")
    lengths = tuple(map(index, cast("tuple[Any, ...]", shape)))
    names = dict(enumerate(NPY_TYPES)) | {HALF: "float16"}
    if code not in names or min(lengths, default=0) < 0:
        raise ValueError(f"acl.util.ptr_to_numpy: type {code}, shape {lengths}: see help(acl.util.ptr_to_numpy)")
    _deprecated("ptr_to_numpy", "ptr_to_bytes")
    dtype = np.dtype(names[code])
    size = int(np.prod(lengths, dtype=np.int64)) * dtype.itemsize
    if _readable("ptr_to_numpy", address, size):
        raw: Any = (ctypes.c_ubyte * size).from_address(address)
    else:
        raw = bytearray([UNREADABLE]) * size
    return np.frombuffer(raw, dtype).reshape(lengths) if size else np.empty(lengths, dtype)


@_util("int", owned_by_caller=True)
def bytes_to_ptr(b: Any) -> int:
    """The address of the buffer of a bytes object. Keep the object as long as you use the address."""
    if not isinstance(b, bytes):
        raise ValueError(f"acl.util.bytes_to_ptr takes bytes; got {type(b).__name__}")
    return ctypes.cast(ctypes.c_char_p(b), ctypes.c_void_p).value or 0


@_util("bytes")
def ptr_to_bytes(ptr: Any, size: Any) -> bytes:
    """A copy of `size` bytes at `ptr`."""
    address, count = word(ptr), word(size)
    if not _readable("ptr_to_bytes", address, count):
        return bytes([UNREADABLE]) * count
    machine = current()
    with machine.lock:
        machine.announce.host_read(address, address + count)
    return ctypes.string_at(address, count)


def _readable(name: str, address: int, size: int) -> bool:
    """True if the host can read all these bytes. Otherwise report `host-overrun`, as a read would crash the process."""
    machine = current()
    with machine.lock:
        block = machine.pinned.holding(address)
        if block is not None and address + size <= block.end and not block.registered:
            return True  # a watchpoint may block the pages, so `host.readable` would say no
        if machine.memory_at(address) is None and (not size or host.readable(address, size)):
            return True
        pointer, hint = {"parameter": "ptr", "address": f"{address:#x}"}, None
        sentence = Text("{parameter} = {address} is no host memory of {size} bytes.", **pointer, size=size)
        if machine.memory_at(address) is not None:
            sentence = Text("{parameter} = {address} is memory of a device, which the host cannot read.", **pointer)
            hint = Text("Copy it to memory of the host with acl.rt.memcpy first.")
        machine.findings.add("host-overrun", sentence, hint=hint, call=f"acl.util.{name}")
    return False


class StartedThreads:
    """The threads that acl.util.start_thread started, by id. acl.util.stop_thread joins and removes them."""

    def __init__(self) -> None:
        self._started: dict[int, tuple[threading.Thread, list[BaseException]]] = {}
        self.start_thread = _util("(tid, ret)")(self._start_thread)
        self.stop_thread = _util("ret")(self._stop_thread)

    def _start_thread(self, fn: Any, args: Any) -> tuple[int, int]:
        """Run `fn(args)` in a new thread, `fn()` if `args` is None. `tid` is for acl.util.stop_thread."""
        if not callable(fn):
            raise TypeError(f"fn expects a callable; got {type(fn).__name__}")
        raised: list[BaseException] = []

        def run() -> None:
            try:
                fn(*() if args is None else (args,))
            except BaseException as error:
                raised.append(error)
                traceback.print_exception(error, file=sys.stderr)

        thread = threading.Thread(target=run, name=getattr(fn, "__name__", None), daemon=True)
        thread.start()
        number = thread.ident or 0
        self._started[number] = thread, raised
        return number, 0

    def _stop_thread(self, tid: Any) -> int:
        """Wait until the function of the thread has returned; RuntimeError if it raised an exception. Returns 100000
        for a thread that acl.util.start_thread did not start, or that was stopped already."""
        started = self._started.pop(word(tid), None)
        if started is None:
            return ACL_ERROR_INVALID_PARAM
        thread, raised = started
        thread.join()
        if raised:
            raise RuntimeError(f"the function of thread {tid} raised {raised[0]!r}")
        return 0


def app_log(log: Callable[..., Any]) -> Any:
    """Make acl.app_log, which calls aclAppLog with file and line of the caller."""

    def call(*args: Any) -> None:
        """Log a text: level 0 debug, 1 info, 2 warning, 3 error."""
        if len(args) != 2 or not isinstance(args[1], str):
            raise unparsed(call, "takes a level and a str")
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        try:
            level = index(args[0])
        except TypeError as error:
            raise unparsed(call, f"log_level expects {error}") from None
        log(level, frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno, "%s", args[1])

    return describe(call, "acl.app_log", ["log_level", "text"], "None")
