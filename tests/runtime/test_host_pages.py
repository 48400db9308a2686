"""Host addresses whose pages end, or cannot be written: a finding, never a crash of the interpreter, never a false
alarm (decisions, 1 and 3)."""

import ctypes
import mmap
from collections.abc import Callable, Iterator
from ctypes import POINTER, byref, c_bool, c_float, c_int64, c_size_t, c_uint64, c_void_p, cast
from typing import Any

import numpy as np
import pytest

from acl_runtime import (
    ACL_MEMCPY_DEFAULT,
    ACL_SUCCESS,
    Machine,
    aclCreateBoolArray,
    aclCreateFloatArray,
    aclCreateIntArray,
    aclGetBoolArraySize,
    aclGetFloatArraySize,
    aclGetIntArraySize,
    aclrtMemcpy,
)
from tests.builders import malloc
from tests.runtime.common import finding_of, program

pytestmark = pytest.mark.finds("uninit-read")

PAGE = mmap.PAGESIZE
NOBODY, READERS, ALL = 0, 1, 3


def protect(address: int, rights: int) -> None:
    libc = ctypes.CDLL(None)
    assert libc.mprotect(c_void_p(address), c_size_t(PAGE), rights) == 0


@pytest.fixture
def pages() -> Iterator[int]:
    """The address of three pages full of ones, of which nobody can read the middle one."""
    mapping = mmap.mmap(-1, 3 * PAGE)
    mapping.write(b"\1" * 3 * PAGE)
    view = ctypes.c_char.from_buffer(mapping)
    address = ctypes.addressof(view)
    protect(address + PAGE, NOBODY)
    yield address
    protect(address + PAGE, ALL)
    del view
    mapping.close()


LAST: dict[str, tuple[Any, Callable[..., Any], Callable[..., int]]] = {
    "int64_t": (c_int64, aclCreateIntArray, aclGetIntArraySize),
    "float": (c_float, aclCreateFloatArray, aclGetFloatArraySize),
    "bool": (c_bool, aclCreateBoolArray, aclGetBoolArraySize),
}


@pytest.mark.parametrize(("element", "create", "size_of"), LAST.values(), ids=LAST)
def test_array_at_the_very_end(
    machine: Machine, pages: int, element: Any, create: Callable[..., Any], size_of: Callable[..., int]
) -> None:
    """Behind a pointer, exactly the values of the array are read (decisions, 2); one more is host-overrun."""
    values = cast(pages + PAGE - 2 * ctypes.sizeof(element), POINTER(element))
    assert finding_of(lambda: create(values, 3))[0] == "host-overrun"
    size = c_uint64()
    assert size_of(create(values, 2), byref(size)) == ACL_SUCCESS
    assert size.value == 2


def test_array_with_a_hole_in_it() -> None:
    """Both ends can be read, the middle cannot: host-overrun and no crash (decisions, 1)."""
    run = program(
        "import mmap\n"
        "mapping = mmap.mmap(-1, 3 * mmap.PAGESIZE)\n"
        "start = addressof(c_char.from_buffer(mapping))\n"
        "assert CDLL(None).mprotect(c_void_p(start + mmap.PAGESIZE), c_size_t(mmap.PAGESIZE), 0) == 0\n"
        "with Machine():\n"
        "    try: aclCreateIntArray(cast(start, POINTER(c_int64)), 3 * mmap.PAGESIZE // 8)\n"
        "    except UndefinedBehaviour as error: print(error.finding.id)\n"
    )
    assert (run.returncode, run.stdout) == (0, "host-overrun\n")


@pytest.mark.parametrize("side", ["dst", "src"])
def test_copy_with_a_hole_in_it(machine: Machine, pages: int, side: str) -> None:
    """The call that raises had no effect, not even up to the hole (decisions, 3)."""
    host, device = np.full(3 * PAGE, 7, np.uint8), malloc(3 * PAGE)
    assert aclrtMemcpy(device, 3 * PAGE, host, 3 * PAGE, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    for other in (host, device):
        pair = {"dst": other, "src": other} | {side: pages}
        id, message = finding_of(
            lambda pair=pair: aclrtMemcpy(pair["dst"], 3 * PAGE, pair["src"], 3 * PAGE, ACL_MEMCPY_DEFAULT)
        )
        assert (id, side in message) == ("host-overrun", True)
    assert np.unique(host).tolist() == np.unique(machine.read(device, 3 * PAGE, "u1")).tolist() == [7]
    assert ctypes.string_at(pages, PAGE) == b"\1" * PAGE


def test_copy_up_to_the_end(machine: Machine, pages: int) -> None:
    """The good twin: the last byte before the end counts as memory (decisions, 1)."""
    device = malloc(PAGE)
    assert aclrtMemcpy(device, PAGE, pages, PAGE, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert aclrtMemcpy(pages + 2 * PAGE, PAGE, device, PAGE, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert finding_of(lambda: aclrtMemcpy(device, PAGE, pages + 1, PAGE, ACL_MEMCPY_DEFAULT))[0] == "host-overrun"


def test_copy_to_what_cannot_be_written(machine: Machine, pages: int) -> None:
    """Readable but not writable: host-overrun and no crash (decisions, 1)."""
    protect(pages + PAGE, READERS)
    device = malloc(64)
    id, message = finding_of(lambda: aclrtMemcpy(pages + PAGE, 64, device, 64, ACL_MEMCPY_DEFAULT))
    assert (id, "dst" in message) == ("host-overrun", True)
