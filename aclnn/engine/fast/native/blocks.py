"""Memory of numpy's arrays in tasks. A small block is overwritten when its array is freed.

numpy reuses freed blocks below 1 KiB for new arrays, without clearing them. So an `np.empty` of the program could
contain the result of an operator, and a test that forgets the copy to the host would pass. The memory handler of
`c/blocks.c` separates the blocks of tasks. numpy looks the handler up in the current context (contextvars). Without the
compiled evaluator there is no such handler.
"""

from collections.abc import Callable
from ctypes import PYFUNCTYPE, c_char_p, c_void_p, py_object, pythonapi
from functools import partial
from typing import Final

import numpy._core._multiarray_umath as numpy_c  # pyright: ignore  # it has no types

from aclnn.engine.fast.native.library import evaluator

SET_HANDLER: Final = 304
GET_HANDLER: Final = 305
"""positions of PyDataMem_SetHandler and PyDataMem_GetHandler in numpy's table of functions, from numpy 1.22 on"""
CAPSULE: Final = b"mem_handler"


def _selection() -> Callable[[], object]:
    """A function that selects the handler of tasks for the current context. It does nothing if there is no evaluator,
    or if the program has installed a handler."""
    pointer_of = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))
    capsule_of = PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", pythonapi))
    table = (c_void_p * (GET_HANDLER + 1)).from_address(pointer_of(numpy_c._ARRAY_API, None))
    numpys = PYFUNCTYPE(py_object)(table[GET_HANDLER])()
    library = evaluator()
    handler = library and library.memory_handler(pointer_of(numpys, CAPSULE))
    if not handler:
        return bool
    select = PYFUNCTYPE(py_object, py_object)(table[SET_HANDLER])
    return partial(select, capsule_of(handler, CAPSULE, None))


keep_blocks_apart: Final = _selection()
"""function that selects the blocks of tasks for arrays of the current context"""
