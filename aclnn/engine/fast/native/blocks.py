"""Memory of numpy's arrays in tasks. A small block is overwritten when its array is freed.

numpy reuses freed blocks below 1 KiB for new arrays, without clearing them. So an `np.empty` of the program could
contain the result of an operator, and a test that forgets the copy to the host would pass. The memory handler of
`c/blocks.c` separates the blocks of tasks. numpy looks the handler up in the current context (contextvars). Without the
compiled evaluator there is no such handler. Then the blocks of the sizes of a task are overwritten after its run.
"""

from collections.abc import Callable, Collection, Iterable
from ctypes import PYFUNCTYPE, c_char_p, c_void_p, py_object, pythonapi
from functools import partial
from typing import Final

import numpy._core._multiarray_umath as numpy_c  # pyright: ignore  # it has no types

from acl_runtime.memory.small_blocks import KEPT, overwrite
from aclnn.engine.fast.native.library import evaluator

SET_HANDLER: Final = 304
GET_HANDLER: Final = 305
"""positions of PyDataMem_SetHandler and PyDataMem_GetHandler in numpy's table of functions, from numpy 1.22 on"""
CAPSULE: Final = b"mem_handler"
ITEM_SIZES: Final = (1, 2, 4, 8, 16)
"""the bytes of an element, by its type"""


def _selection() -> Callable[[], object] | None:
    """A function that selects the handler of tasks for the current context. None if there is no evaluator, or if the
    program has installed a handler."""
    pointer_of = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))
    capsule_of = PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", pythonapi))
    table = (c_void_p * (GET_HANDLER + 1)).from_address(pointer_of(numpy_c._ARRAY_API, None))
    current = PYFUNCTYPE(py_object)(table[GET_HANDLER])()
    library = evaluator()
    handler = library and library.memory_handler(pointer_of(current, CAPSULE))
    if not handler:
        return None
    select = PYFUNCTYPE(py_object, py_object)(table[SET_HANDLER])
    return partial(select, capsule_of(handler, CAPSULE, None))


_select: Final = _selection()
keep_blocks_apart: Final[Callable[[], object]] = _select or bool
"""function that selects the blocks of tasks for arrays of the current context"""


def overwriting(work: Callable[[], None], counts: Iterable[int]) -> Callable[[], None]:
    """The work of a task that overwrites small blocks of numpy at its end. `counts`: the numbers of elements of its
    tensors."""
    sizes = {size for count in counts for item in ITEM_SIZES if 0 < (size := count * item) < KEPT}
    return partial(_run, work, sizes) if sizes else work


def _run(work: Callable[[], None], sizes: Collection[int]) -> None:
    try:
        work()
    finally:
        overwrite(sizes)


leaving_no_values: Final = overwriting if _select is None else None
"""None if the tasks have separate blocks"""
