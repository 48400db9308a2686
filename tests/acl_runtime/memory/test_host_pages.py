"""Host addresses near pages that cannot be read or written. A bad access is a finding and never a crash. A good access
is no finding (ours)."""

import ctypes
import mmap
from collections.abc import Callable, Iterator
from ctypes import POINTER, byref, c_bool, c_float, c_int64, c_size_t, c_uint64, c_void_p, cast
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.memory import host
from tests.helpers.builders import malloc
from tests.helpers.outcomes import finding_of
from tests.helpers.own_process import program

pytestmark = pytest.mark.finds("uninit-read")

PAGE = mmap.PAGESIZE
NO_ACCESS, READ_ONLY, READ_AND_WRITE = 0, 1, 3
"""rights of mprotect"""


def protect(address: int, rights: int) -> None:
    libc = ctypes.CDLL(None)
    assert libc.mprotect(c_void_p(address), c_size_t(PAGE), rights) == 0


@pytest.fixture
def pages() -> Iterator[int]:
    """The address of three pages full of ones; the middle one cannot be read."""
    mapping = mmap.mmap(-1, 3 * PAGE)
    mapping.write(b"\1" * 3 * PAGE)
    view = ctypes.c_char.from_buffer(mapping)
    address = ctypes.addressof(view)
    protect(address + PAGE, NO_ACCESS)
    yield address
    protect(address + PAGE, READ_AND_WRITE)
    del view
    mapping.close()


ARRAYS: dict[str, tuple[Any, Callable[..., Any], Callable[..., int]]] = {
    "int64_t": (c_int64, aclCreateIntArray, aclGetIntArraySize),
    "float": (c_float, aclCreateFloatArray, aclGetFloatArraySize),
    "bool": (c_bool, aclCreateBoolArray, aclGetBoolArraySize),
}


@pytest.mark.parametrize(("element", "create", "size_of"), ARRAYS.values(), ids=ARRAYS)
def test_an_array_may_end_where_readable_memory_ends(
    machine: Machine, pages: int, element: Any, create: Callable[..., Any], size_of: Callable[..., int]
) -> None:
    """Exactly the values of the array are read behind a pointer (ours). Reading one more is host-overrun."""
    values = cast(pages + PAGE - 2 * ctypes.sizeof(element), POINTER(element))
    assert finding_of(lambda: create(values, 3))[0] == "host-overrun"
    size = c_uint64()
    assert size_of(create(values, 2), byref(size)) == ACL_SUCCESS
    assert size.value == 2


def test_a_huge_range_is_refused_by_its_last_byte(pages: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages of the process are not read one after the other."""
    touched: list[int] = []
    touch = host._touch_bytes  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(host, "_touch_bytes", lambda places, write: touched.extend(places) or touch(places, write))
    assert not host.readable(pages, 1 << 63)
    assert len(touched) == 2


def test_an_array_with_an_unreadable_page_in_the_middle_is_a_finding() -> None:
    """Both of its ends can be read. It is host-overrun, not a crash (ours)."""
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
def test_a_copy_with_an_unreadable_page_in_the_middle_is_a_finding(machine: Machine, pages: int, side: str) -> None:
    """The call that raises changes nothing, not even the bytes before that page (ours)."""
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


def test_a_copy_may_end_where_readable_memory_ends(machine: Machine, pages: int) -> None:
    """The last byte before the unreadable page can be copied (ours)."""
    device = malloc(PAGE)
    assert aclrtMemcpy(device, PAGE, pages, PAGE, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert aclrtMemcpy(pages + 2 * PAGE, PAGE, device, PAGE, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert finding_of(lambda: aclrtMemcpy(device, PAGE, pages + 1, PAGE, ACL_MEMCPY_DEFAULT))[0] == "host-overrun"


def test_a_copy_to_a_read_only_page_is_a_finding(machine: Machine, pages: int) -> None:
    """It is host-overrun, not a crash (ours)."""
    protect(pages + PAGE, READ_ONLY)
    device = malloc(64)
    id, message = finding_of(lambda: aclrtMemcpy(pages + PAGE, 64, device, 64, ACL_MEMCPY_DEFAULT))
    assert (id, "dst" in message) == ("host-overrun", True)
