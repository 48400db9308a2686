"""Host addresses near pages that cannot be read or written. A bad access is a finding and never a crash. A good access
is no finding (ours)."""

import ctypes
import errno
import mmap
import os
from collections.abc import Callable, Iterator
from ctypes import POINTER, byref, c_bool, c_float, c_int64, c_size_t, c_uint64, c_void_p, cast
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.memory import host
from acl_runtime.objects.address_range import libc
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


class Denied:
    """The C library under a sandbox that forbids the system calls which copy between processes."""

    def __init__(self, error: int) -> None:
        self.error, self.library = error, libc()

    def __getattr__(self, name: str) -> Any:
        return self.refuse if name.startswith("process_vm_") else getattr(self.library, name)

    def refuse(self, *_: object) -> int:
        ctypes.set_errno(self.error)
        return -1


@pytest.fixture(params=[None, errno.ENOSYS, errno.EPERM], ids=["allowed", "ENOSYS", "EPERM"])
def access(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is accessed by system calls that a kernel has, that qemu does not have, and that a sandbox forbids."""
    if request.param is not None:
        denied = Denied(request.param)
        monkeypatch.setattr(host, "libc", lambda: denied)


@pytest.fixture
def pages(access: None) -> Iterator[int]:
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


def test_a_long_copy_is_exact(machine: Machine, pages: int) -> None:
    """Bytes on both sides of many borders of pages, from an odd address to an odd address."""
    values = np.random.default_rng(1).integers(0, 256, 300_000, np.uint8)
    there, back, device = values.copy(), np.zeros_like(values), malloc(values.size)
    count = values.size - 7
    assert aclrtMemcpy(device, count, there.ctypes.data + 3, count, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert aclrtMemcpy(back.ctypes.data + 5, count, device, count, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert back[5 : 5 + count].tobytes() == values[3 : 3 + count].tobytes()
    assert (back[:5].tolist(), back[5 + count :].tolist()) == ([0] * 5, [0] * 2)


def test_no_descriptor_is_left_behind(machine: Machine, pages: int) -> None:
    """Neither by a good access nor by a bad one."""
    before = os.listdir("/proc/self/fd")
    assert (host.read(pages, 8), host.read(pages + PAGE, 8)) == (b"\1" * 8, None)
    assert (host.readable(pages, 3 * PAGE), host.replaceable(pages, PAGE)) == (False, True)
    assert os.listdir("/proc/self/fd") == before


def test_without_descriptors_memory_is_accessed_directly(pages: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "pipe", full)
    assert host.read(pages + PAGE - 8, 8) == b"\1" * 8
    assert host.readable(pages, PAGE)


DENY = f"""
class Instruction(Structure): _fields_ = [("code", c_ushort), ("yes", c_ubyte), ("no", c_ubyte), ("k", c_uint)]
class Filter(Structure): _fields_ = [("count", c_ushort), ("instructions", POINTER(Instruction))]
numbers = {{"x86_64": (310, 311), "aarch64": (270, 271)}}[os.uname().machine]
parts = (Instruction * 5)((0x20, 0, 0, 0), *((0x15, 2 - i, 0, n) for i, n in enumerate(numbers)),
                          (0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x50000 + {errno.EPERM}))
libc = CDLL(None, use_errno=True)
calls = libc.process_vm_readv, libc.process_vm_writev
if libc.prctl(38, 1, 0, 0, 0) == 0:  # no new rights
    libc.prctl(22, 2, byref(Filter(5, parts)), 0, 0)  # a filter of system calls
assert [(call(os.getpid(), None, 0, None, 0, 0), get_errno() in ({errno.EPERM}, {errno.ENOSYS})) for call in calls] == (
    [(-1, True)] * 2)
"""


@pytest.mark.parametrize("before", ["", DENY], ids=["allowed", "denied"])
def test_an_array_with_an_unreadable_page_in_the_middle_is_a_finding(before: str) -> None:
    """Both of its ends can be read. It is host-overrun, not a crash (ours), also where the kernel refuses the system
    calls."""
    run = program(
        f"import mmap, os\n{before}"
        "mapping = mmap.mmap(-1, 3 * mmap.PAGESIZE)\n"
        "start = addressof(c_char.from_buffer(mapping))\n"
        "assert CDLL(None).mprotect(c_void_p(start + mmap.PAGESIZE), c_size_t(mmap.PAGESIZE), 0) == 0\n"
        "with Machine():\n"
        "    try: aclCreateIntArray(cast(start, POINTER(c_int64)), 3 * mmap.PAGESIZE // 8)\n"
        "    except UndefinedBehaviour as error: print(error.finding.id)\n"
    )
    assert (run.returncode, run.stdout) == (0, "host-overrun\n"), run.stderr


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
