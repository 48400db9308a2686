"""Memory of numpy's arrays in tasks. The values of a small block are overwritten when its array is gone.

numpy keeps blocks below 1 KiB of arrays that are gone, and the next array of their size gets one as it is. So an
`np.empty` of the program could hold the result of an operator, and a test without its copy to the host would pass. The
memory handler of `c/blocks.c` keeps the blocks of tasks apart. numpy looks the handler up in the current context
(contextvars). Without the compiled evaluator there is no such handler.
"""

from collections.abc import Callable
from ctypes import PYFUNCTYPE, c_char_p, c_void_p, py_object, pythonapi
from functools import partial
from typing import Final

import numpy._core._multiarray_umath as numpy_c  # pyright: ignore  # it has no types

from aclnn.engine.fast.native.library import evaluator

SET_HANDLER: Final = 304
GET_HANDLER: Final = 305
"""places of PyDataMem_SetHandler and PyDataMem_GetHandler in the table, the same in each numpy from 1.22 on"""
CAPSULE: Final = b"mem_handler"


def _selection() -> Callable[[], object]:
    """A function that selects the handler of tasks for the current context. It does nothing if there is no evaluator,
    or if the program has a handler of its own."""
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
"""lets arrays of the current context have the memory of tasks"""
