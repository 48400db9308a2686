"""Copies that succeed and are not what they look like: their kind, plain memory in a stream (ours)."""

from collections.abc import Callable
from ctypes import byref, c_void_p
from itertools import product
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_stream, malloc_host
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.memory.kinds_of_memory import KINDS, place
from tests.helpers.memory.ways_to_copy import COPIES
from tests.helpers.outcomes import ok

pytestmark = pytest.mark.finds("memcpy-kind", "uninit-read")

HERE = "test_copy_kinds.py:"
H2H, H2D, D2H, D2D = (
    ACL_MEMCPY_HOST_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_DEVICE_TO_DEVICE,
)
RIGHT = {  # (does the source lie on a device, does the target): the kinds that say so
    (False, False): {H2H},
    (False, True): {H2D, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE},
    (True, False): {D2H},
    (True, True): {D2D},
}
ALL = (H2H, H2D, D2H, D2D, ACL_MEMCPY_DEFAULT, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)
Copy = Callable[[Any, Any, int, int], int]
WAYS: dict[str, Copy] = {
    "aclrtMemcpy": lambda dst, src, n, kind: aclrtMemcpy(dst, n, src, n, kind),
    "aclrtMemcpyAsync": lambda dst, src, n, kind: aclrtMemcpyAsync(dst, n, src, n, kind, None),
    "aclrtMemcpyAsyncWithCondition": lambda dst, src, n, kind: aclrtMemcpyAsyncWithCondition(
        dst, n, src, n, kind, None
    ),
    "aclrtMemcpy2d": lambda dst, src, n, kind: aclrtMemcpy2d(dst, n, src, n, n, 1, kind),
    "aclrtMemcpy2dAsync": lambda dst, src, n, kind: aclrtMemcpy2dAsync(dst, n, src, n, n, 1, kind, None),
}


def found(machine: Machine, id: str) -> list[str]:
    return [finding.what for finding in machine.findings if finding.id == id]


@pytest.mark.parametrize("way", WAYS)
def test_a_kind_is_told_exactly_if_it_disagrees_with_the_pointers(machine: Machine, way: str) -> None:
    """Every source, target and kind: reported where the copy succeeds and the kind is not what the pointers are; never
    for ACL_MEMCPY_DEFAULT; host to buffer to device is a host-to-device kind (ours)."""
    reported = 0
    for source, target, kind in product(KINDS, KINDS, ALL):
        src, dst = place(machine, source, range(8)), place(machine, target, range(8))
        with machine.allow("memcpy-kind", reason="counts each time, though the line is the same") as each:
            status = WAYS[way](dst.pointer, src.pointer, 8, kind)
        disagrees = kind != ACL_MEMCPY_DEFAULT and kind not in RIGHT[source == "device", target == "device"]
        assert each.times == (disagrees and status == ACL_SUCCESS), (source, target, kind)
        reported += each.times
    assert reported >= 2, "this way accepts some kinds that disagree"


def test_what_is_told_of_a_kind(machine: Machine) -> None:
    """The kind, what each pointer really is, where they come from, what to pass (ours)."""
    device, host = malloc(8), malloc_host(8)
    ok(aclrtMemcpy(host, 8, device, 8, H2D))
    (finding,) = [finding for finding in machine.findings if finding.id == "memcpy-kind"]
    assert (finding.level, finding.call) == ("warning", "aclrtMemcpy")
    assert finding.what.startswith(
        "kind is ACL_MEMCPY_HOST_TO_DEVICE, but src is device memory and dst is pinned host memory"
    )
    assert len(finding.history) == 2
    assert all(any(file in past.site for file in (HERE, "creating.py:", "builders.py:")) for past in finding.history)
    assert "ACL_MEMCPY_DEVICE_TO_HOST" in finding.hint


@pytest.mark.fidelity("findings of copies that a loop repeats (`memcpy-kind`, `pageable-async`)")
def test_a_loop_is_told_once(machine: Machine) -> None:
    """Ten thousand copies of one line are one finding; another line is another (findings, the rules)."""
    device, host = malloc(8), np.zeros(8, np.uint8)
    for _ in range(100):
        ok(aclrtMemcpy(host, 8, device, 8, H2D))
    assert len(found(machine, "memcpy-kind")) == 1
    ok(aclrtMemcpy(host, 8, device, 8, H2D))
    assert len(found(machine, "memcpy-kind")) == 2


def test_an_allowed_kind_is_counted_each_time(machine: Machine) -> None:
    """An allowed finding is not listed, and its line can still report one later (findings, the rules)."""
    device, host = malloc(8), np.zeros(8, np.uint8)
    for allowed in (True, True, False):
        allowance = machine.allow("memcpy-kind", reason="a test") if allowed else None
        ok(aclrtMemcpy(host, 8, device, 8, H2D))
        if allowance is not None:
            assert allowance.times == 1
            allowance.__exit__(None, None, None)
    assert len(found(machine, "memcpy-kind")) == 1


@pytest.mark.fidelity("the kind of a copy from or to registered host memory at its address of the device")
def test_mapped_host_memory_is_both(machine: Machine) -> None:
    """Registered memory at its address of the device: either kind is what it is (findings, a false alarm is worse)."""
    host, pointer = np.zeros(4096, np.uint8), c_void_p()
    ok(aclrtHostRegisterV2(host, 4096, ACL_HOST_REG_MAPPED))
    ok(aclrtHostGetDevicePointer(host, byref(pointer), 0))
    device = malloc(8)
    for kind in (H2D, D2D):
        ok(aclrtMemcpy(device, 8, pointer, 8, kind))
    for kind in (D2H, D2D):
        ok(aclrtMemcpy(pointer, 8, device, 8, kind))
    assert machine.findings == []


def test_a_copy_that_is_refused_is_no_finding(machine: Machine) -> None:
    """A status tells it already (findings, the levels)."""
    assert aclrtMemcpyAsync(malloc(8), 8, np.zeros(8, np.uint8), 8, D2H, None) != ACL_SUCCESS
    assert aclrtMemcpy(malloc(8), 4, malloc(8), 8, H2H) != ACL_SUCCESS
    assert machine.findings == []


@pytest.mark.fidelity("findings of copies that a loop repeats (`memcpy-kind`, `pageable-async`)")
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("way", [way for way in COPIES if way.endswith("Async")])
@pytest.mark.parametrize("side", ["src", "dst"])
def test_plain_memory_in_a_stream_is_advice(schedule: str, way: str, side: str) -> None:
    """Once for a line: the call waited for the stream, and which side did it (ours)."""
    with board(schedule) as machine:
        device, plain = place(machine, "device", range(8)).pointer, place(machine, "plain", range(8)).pointer
        for _ in range(3):
            ok(COPIES[way](device, plain, 8) if side == "src" else COPIES[way](plain, device, 8))
        (finding,) = [finding for finding in machine.findings if finding.id == "pageable-async"]
        assert (finding.level, finding.call) == ("advice", way)
        assert finding.what.startswith(side)
        for words in ("plain host memory", "waited for the default stream"):
            assert words in finding.what
        assert "aclrtMallocHost" in finding.hint


@pytest.mark.parametrize("way", COPIES)
def test_copies_that_are_what_they_look_like(machine: Machine, way: str) -> None:
    """The good twin: pinned memory in a stream, any memory at once (ours)."""
    kinds = ["pinned", "registered", "device"] + ([] if way.endswith("Async") else ["plain"])
    for kind in kinds:
        device, other = place(machine, "device", range(8)), place(machine, kind, range(8))
        if not (way == "aclrtMemcpy2d" and kind == "device"):
            ok(COPIES[way](device.pointer, other.pointer, 8))
            ok(COPIES[way](other.pointer, device.pointer, 8))
    assert [finding.id for finding in machine.findings if finding.id in ("memcpy-kind", "pageable-async")] == []


def test_a_buffered_source_does_not_wait(machine: Machine) -> None:
    """ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE keeps a copy of plain memory and returns (ours)."""
    device, plain, stream = malloc(8), np.zeros(8, np.uint8), create_stream()
    ok(aclrtMemcpyAsync(device, 8, plain, 8, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream))
    assert machine.findings == []
