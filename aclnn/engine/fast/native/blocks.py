"""Memory of numpy's arrays in tasks. The values of a small block are overwritten when its array is gone.

numpy keeps blocks below 1 KiB of arrays that are gone, and the next array of their size gets one as it is. So an
`np.empty` of the program could hold the result of an operator, and a test without its copy to the host would pass. The
memory handler of `c/blocks.c` keeps the blocks of tasks apart. numpy looks the handler up in the current context
(contextvars). Without the compiled evaluator there is no such handler.
"""

import ctypes
from ctypes import PYFUNCTYPE, addressof, c_char, c_char_p, c_uint8, c_void_p, py_object, pythonapi
from functools import cache
from typing import Any, Final

import numpy._core._multiarray_umath as numpy_c  # pyright: ignore  # it has no types

from aclnn.engine.fast.native.library import evaluator

SET_HANDLER: Final = 304
GET_HANDLER: Final = 305
"""places of PyDataMem_SetHandler and PyDataMem_GetHandler in the table, the same in each numpy from 1.22 on"""
CAPSULE: Final = b"mem_handler"
DEFAULT: Final = b"default_allocator"
"""name of numpy's own handler"""


class Handler(ctypes.Structure):
    """`PyDataMem_Handler` of numpy."""

    _fields_ = (
        ("name", c_char * 127), ("version", c_uint8), ("about", c_void_p),
        *((name, c_void_p) for name in ("malloc", "calloc", "realloc", "free")),
    )  # fmt: skip


class NumpyHandlers:
    """Access to numpy's memory handlers, by its functions in C."""

    def __init__(self) -> None:
        pointer_of = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))
        capsule_of = PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", pythonapi))
        table = (c_void_p * (GET_HANDLER + 1)).from_address(pointer_of(numpy_c._ARRAY_API, None))
        self.select = PYFUNCTYPE(py_object, py_object)(table[SET_HANDLER])
        """selects a handler for the current context"""
        self._current = PYFUNCTYPE(py_object)(table[GET_HANDLER])()
        base = Handler.from_address(pointer_of(self._current, CAPSULE))
        library = evaluator()
        self.of_tasks: Any = None
        """the handler of tasks; None if the program has one of its own"""
        if library is not None and base.name == DEFAULT:
            self._handler = Handler(b"tasks", base.version, addressof(base), *library.handler_functions())
            self.of_tasks = capsule_of(addressof(self._handler), CAPSULE, None)


@cache
def _handlers() -> NumpyHandlers:
    """The handlers of the process. They are never freed, as arrays outlive machines."""
    return NumpyHandlers()


def keep_blocks_apart() -> None:
    """Let arrays of the current context have the memory of tasks."""
    handlers = _handlers()
    if handlers.of_tasks is not None:
        handlers.select(handlers.of_tasks)
