"""Checks of memory see through mappings: "fill, written ranges and races are kept by physical handle" (ours)."""

from __future__ import annotations

import random
from ctypes import byref, c_uint64, string_at
from ctypes import memset as write_bytes

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.memory.host import readable
from aclnn import *
from tests.helpers.memory.virtual_memory import PAGE, mapped, on_host, physical, prop, reserve
from tests.helpers.outcomes import errors, finding_of, ok

D2D, D2H, H2D = ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE
COUNT = PAGE // 4
"""floats in a page"""


def stream() -> aclrtStream:
    made = aclrtStream()
    ok(aclrtCreateStream(byref(made)))
    return made


def aliases() -> tuple[int, int]:
    """Two addresses of the same bytes."""
    handle, address = physical(), reserve(2 * PAGE)
    for at in (0, 1):
        ok(aclrtMapMem(address + at * PAGE, PAGE, 0, handle, 0))
    ok(aclrtFreePhysical(handle))
    return address, address + PAGE


def queue(target: int, source: int, on: aclrtStream | None, count: int = 256) -> int:
    return aclrtMemcpyAsync(target, count, source, count, D2D, on)


def fill(address: int, count: int, byte: int = 0) -> None:
    ok(aclrtMemset(address, count, byte, count))


def tensor(address: int, count: int) -> aclTensor:
    return aclCreateTensor([count], 1, ACL_FLOAT, None, 0, ACL_FORMAT_ND, [count], 1, address)


def softmax(grad: int, output: int, out: int, count: int, on: aclrtStream | None = None) -> int:
    """Queue a SoftmaxBackward of tensors at these addresses."""
    size, executor = c_uint64(), aclOpExecutor()
    tensors = [tensor(each, count) for each in (grad, output, out)]
    ok(aclnnSoftmaxBackwardGetWorkspaceSize(tensors[0], tensors[1], 0, tensors[2], byref(size), byref(executor)))
    return aclnnSoftmaxBackward(None, size.value, executor, on)


def test_an_operator_works_across_handles(machine: Machine) -> None:
    """A tensor may begin in one handle and end in the next."""
    address, rest = mapped(2), mapped(2)
    start, count = address + PAGE - 4 * 8, 16
    grad, output, out = start, rest, rest + PAGE - 4 * 8
    values = np.linspace(-1, 1, count, dtype=np.float32), np.full(count, 1 / count, np.float32)
    for at, each in zip((grad, output), values, strict=True):
        ok(aclrtMemcpy(at, each.nbytes, each, each.nbytes, H2D))
    ok(softmax(grad, output, out, count))
    ok(aclrtSynchronizeStream(None))
    expected = values[1] * (values[0] - (values[0] * values[1]).sum())
    assert np.allclose(machine.read(out, count, np.float32), expected, atol=1e-6)


def test_a_read_of_the_unwritten_part_behind_a_boundary_is_found(machine: Machine) -> None:
    address, out = mapped(2), mapped(1)
    start = address + PAGE - 32
    fill(start, 32)
    fill(out, 64)
    id, report = finding_of(lambda: softmax(start, out, out, 16))
    assert id == "uninit-read"
    assert "physical memory 2 + 0x0" in report
    fill(address + PAGE, 32)
    ok(softmax(start, out, out, 16))
    ok(aclrtSynchronizeStream(None))


def test_launches_that_are_alike_see_what_changed_between_them(machine: Machine) -> None:
    """The same launch is warm, then meets a hole, then fresh memory."""
    address, out = mapped(2), mapped(1)
    start = address + PAGE - 32
    fill(address, 2 * PAGE)
    fill(out, 64)
    for _ in range(5):
        ok(softmax(start, out, out, 16))
        ok(aclrtSynchronizeStream(None))
    ok(aclrtUnmapMem(address + PAGE))
    assert finding_of(lambda: softmax(start, out, out, 16))[0] == "unmapped-access"
    ok(aclrtMapMem(address + PAGE, PAGE, 0, physical(), 0))
    assert finding_of(lambda: softmax(start, out, out, 16))[0] == "uninit-read"
    fill(address + PAGE, 64)
    ok(softmax(start, out, out, 16))
    ok(aclrtSynchronizeStream(None))


def test_bytes_written_by_one_mapping_are_written_in_the_other(machine: Machine) -> None:
    (one, other), out = aliases(), mapped(1)
    fill(one, 64)
    fill(out, 64)
    ok(softmax(other, out, out, 16))
    ok(aclrtSynchronizeStream(None))


def test_a_race_between_two_mappings_of_one_handle_is_found(machine: Machine) -> None:
    (one, other), source = aliases(), mapped(1)
    fill(source, 256)
    first, second = stream(), stream()
    ok(queue(one, source, first))
    id, report = finding_of(lambda: queue(other + 128, source, second))
    assert id == "xstream-race"
    assert "physical memory 1" in report
    ok(queue(other + 256, source, second))


def test_an_execution_that_raises_leaves_no_access_to_memory_that_was_mapped_since(machine: Machine) -> None:
    """The model writes the bytes that its address has got since the capture, and then races."""
    first, second, source, racy = (reserve(PAGE) for _ in range(4))
    others, handle = [physical() for _ in range(3)], physical()
    for address, each in zip((second, source, racy), others, strict=True):
        ok(aclrtMapMem(address, PAGE, 0, each, 0))
        fill(address, PAGE)
    on, other, model = stream(), stream(), aclmdlRI()
    ok(aclmdlRICaptureBegin(on, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL))
    ok(queue(second, source, on))
    ok(queue(racy, source, on))
    ok(aclmdlRICaptureEnd(on, byref(model)))
    ok(aclrtUnmapMem(second))
    for address in (first, second):
        ok(aclrtMapMem(address, PAGE, 0, handle, 0))
    fill(first, PAGE)
    ok(aclrtMemsetAsync(racy, 256, 0, 256, other))
    assert finding_of(lambda: aclmdlRIExecuteAsync(model, on))[0] == "xstream-race"
    ok(aclrtMemcpy(bytearray(256), 256, first, 256, D2H))
    ok(aclrtSynchronizeStream(on))
    ok(aclrtSynchronizeStream(other))
    ok(aclmdlRIDestroy(model))


def test_a_race_behind_a_boundary_is_found(machine: Machine) -> None:
    address, source = mapped(2), mapped(1)
    fill(source, 1024)
    first, second = stream(), stream()
    ok(queue(address + PAGE - 256, source, first, 512))
    ok(queue(address, source, second, 256))
    assert finding_of(lambda: queue(address + PAGE + 255, source, second, 1))[0] == "xstream-race"


def test_unmapping_under_queued_work_is_found(machine: Machine) -> None:
    """ "Unmap under queued work: `io-freed-early`": only through the mapping that the work uses."""
    (one, other), source = aliases(), mapped(1)
    fill(source, 256)
    ok(queue(one, source, None))
    ok(aclrtUnmapMem(other))
    id, report = finding_of(lambda: aclrtUnmapMem(one))
    assert id == "io-freed-early"
    assert "unmapped" in report
    ok(aclrtSynchronizeStream(None))
    ok(aclrtUnmapMem(one))


def test_freeing_a_handle_that_is_mapped_under_queued_work_is_legal(machine: Machine) -> None:
    handle, address, source = physical(), reserve(PAGE), mapped(1)
    ok(aclrtMapMem(address, PAGE, 0, handle, 0))
    fill(source, 256, 3)
    ok(queue(address, source, None))
    ok(aclrtFreePhysical(handle))
    ok(aclrtSynchronizeStream(None))
    assert set(machine.read(address, 256, np.uint8)) == {3}


def host_aliases() -> tuple[int, int]:
    """Two addresses of the same bytes of the host."""
    handle, address = physical(given=on_host()), reserve(2 * PAGE)
    for at in (0, 1):
        ok(aclrtMapMem(address + at * PAGE, PAGE, 0, handle, 0))
    ok(aclrtFreePhysical(handle))
    return address, address + PAGE


def download(target: int, source: int, on: aclrtStream | None, count: int = 256) -> int:
    return aclrtMemcpyAsync(target, count, source, count, D2H, on)


def test_unmapping_memory_of_the_host_under_queued_work_is_found(machine: Machine) -> None:
    """Only through the mapping that the work uses, as for memory of a device."""
    (one, other), source = host_aliases(), mapped(1)
    fill(source, 256)
    ok(download(one, source, None))
    ok(aclrtUnmapMem(other))
    id, report = finding_of(lambda: aclrtUnmapMem(one))
    assert id == "io-freed-early"
    assert "unmapped" in report
    ok(aclrtSynchronizeStream(None))
    ok(aclrtUnmapMem(one))


def test_a_copy_over_two_handles_of_the_host_uses_both(machine: Machine) -> None:
    """Host code sees one range; unmapping the second handle under the copy is found too."""
    address, source = reserve(2 * PAGE), mapped(2)
    for at in (0, 1):
        ok(aclrtMapMem(address + at * PAGE, PAGE, 0, physical(given=on_host()), 0))
    fill(source, 2 * PAGE, 9)
    ok(download(address, source, None, 2 * PAGE))
    assert finding_of(lambda: aclrtUnmapMem(address + PAGE))[0] == "io-freed-early"
    ok(aclrtSynchronizeStream(None))
    assert string_at(address + PAGE - 4, 8) == b"\x09" * 8
    write_bytes(address + PAGE - 4, 3, 8)
    ok(aclrtMemcpy(source, 2 * PAGE, address, 2 * PAGE, H2D))
    assert set(machine.read(source + PAGE - 4, 8, np.uint8)) == {3}


def test_a_machine_that_only_reports_drops_a_copy_to_memory_that_was_unmapped() -> None:
    """Nothing is at the address any more; the copy must not end the process."""
    with Machine(on_undefined="report") as machine:
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        address, source = reserve(2 * PAGE), mapped(2)
        for at in (0, 1):
            ok(aclrtMapMem(address + at * PAGE, PAGE, 0, physical(given=on_host()), 0))
        fill(source, 2 * PAGE)
        for start, count in ((PAGE, 64), (0, 2 * PAGE)):
            ok(download(address + start, source, None, count))
        ok(aclrtUnmapMem(address + PAGE))
        ok(aclrtSynchronizeStream(None))
        assert errors(machine) == ["io-freed-early"]
        ok(aclrtResetDevice(0))


def test_a_race_between_two_mappings_of_memory_of_the_host_is_found(machine: Machine) -> None:
    (one, other), source, target = host_aliases(), mapped(1), mapped(1)
    fill(source, 256)
    first, second = stream(), stream()
    ok(download(one, source, first))
    id, report = finding_of(lambda: download(other + 128, source, second))
    assert id == "xstream-race"
    assert "physical memory 1" in report
    assert finding_of(lambda: aclrtMemcpy(target, 64, other, 64, H2D))[0] == "read-before-sync"
    ok(download(other + 256, source, second))


def test_two_mappings_of_memory_of_the_host_in_one_stream_are_in_order(machine: Machine) -> None:
    """The second copy changes the bytes of the first, through another address. That is no change by the host."""
    (one, other), source = host_aliases(), mapped(2)
    fill(source, 256, 1)
    fill(source + PAGE, 256, 2)
    ok(download(one, source, None))
    ok(download(other, source + PAGE, None))
    ok(aclrtSynchronizeStream(None))
    assert string_at(one, 256) == b"\2" * 256


@pytest.mark.parametrize("through", [0, 1], ids=["same-address", "other-address"])
def test_a_change_by_the_host_while_a_copy_is_queued_is_found(machine: Machine, through: int) -> None:
    both, target = host_aliases(), mapped(1)
    write_bytes(both[0], 1, 256)
    ok(aclrtMemcpyAsync(target, 256, both[0], 256, H2D, None))
    write_bytes(both[through], 2, 256)
    assert finding_of(lambda: aclrtSynchronizeStream(None))[0] == "pinned-reuse"


def test_a_hole_between_handles_of_the_host_is_found(machine: Machine) -> None:
    handle, address, values = physical(given=on_host()), reserve(2 * PAGE), np.zeros(16, np.float32)
    ok(aclrtMapMem(address, PAGE, 0, handle, 0))
    out = mapped(1)
    fill(out, 256)
    calls = {
        "copy-to": lambda: aclrtMemcpy(address + PAGE - 32, 64, values, 64, ACL_MEMCPY_DEFAULT),
        "copy-from": lambda: aclrtMemcpy(out, 64, address + PAGE, 64, H2D),
        "queued": lambda: download(address + PAGE, out, None),
        "set": lambda: aclrtMemset(address + PAGE, 64, 0, 64),
    }
    for name, call in calls.items():
        assert finding_of(call)[0] == "unmapped-access", name
    assert finding_of(lambda: softmax(address + PAGE, out, out, 16))[0] == "ws-host-ptr"


@pytest.mark.fidelity("aclrtMemMapNoAccess of memory of the host")
def test_memory_of_the_host_without_access_is_found(machine: Machine) -> None:
    """aclrtMemMapNoAccess takes the pages from host code as well, until aclrtMemSetAccess gives them."""
    handle, address, out = physical(given=on_host()), reserve(PAGE), mapped(1)
    fill(out, 256)
    ok(aclrtMemMapNoAccess(address, PAGE, 0, handle, 0))
    assert finding_of(lambda: download(address, out, None))[0] == "unmapped-access"
    assert not readable(address, 1)
    desc = aclrtMemAccessDesc(flags=3, location=aclrtMemLocation(id=0, type=ACL_MEM_LOCATION_TYPE_HOST))
    ok(aclrtMemSetAccess(address, PAGE, byref(desc), 1))
    ok(download(address, out, None))
    ok(aclrtSynchronizeStream(None))
    assert string_at(address, 4) == bytes(4)


@pytest.mark.parametrize("offset", [0, PAGE, PAGE - 4], ids=["never-mapped", "hole", "into-the-hole"])
def test_an_access_in_a_hole_is_found(machine: Machine, offset: int) -> None:
    address, out = (reserve(PAGE) if offset == 0 else mapped(1, reserved=3)), mapped(1)
    at, values = address + offset, np.zeros(16, np.float32)
    fill(out, 128)
    calls = {
        "copy-to": lambda: aclrtMemcpy(at, 64, values, 64, H2D),
        "copy-from": lambda: aclrtMemcpy(values, 64, at, 64, D2H),
        "queued": lambda: queue(at, out, None, 64),
        "set": lambda: aclrtMemset(at, 64, 0, 64),
        "input": lambda: softmax(at, out, out, 16),
        "output": lambda: softmax(out, out, at, 16),
    }
    for name, call in calls.items():
        assert finding_of(call)[0] == "unmapped-access", name


def test_a_machine_that_only_reports_goes_on_after_a_hole() -> None:
    with Machine(on_undefined="report") as machine:
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        address, out = mapped(1, reserved=2), mapped(1)
        fill(out, 128)
        ok(softmax(out, out, address + PAGE, 16))
        ok(queue(out, address + PAGE, None, 64))
        ok(aclrtSynchronizeStream(None))
        assert errors(machine)[0] == "unmapped-access"
        ok(aclrtResetDevice(0))
    assert set(errors(machine)) == {"unmapped-access"}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("schedule", ["late", "eager", "threads", "random"])
@pytest.mark.parametrize("given", [prop(), on_host()], ids=["device", "host"])
def test_random_maps_and_copies_agree_with_a_dict_of_bytes(
    given: aclrtPhysicalMemProp, schedule: str, seed: int
) -> None:
    """The oracle keeps an array for each handle, and which handle is mapped to which page."""
    chosen = random.Random(seed)
    with Machine(schedule=schedule, seed=seed) as machine:
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        pages, address = 6, reserve(6 * PAGE)
        handles, of_device = [physical(given=given) for _ in range(4)], given.location.type == 1
        contents = [np.full(PAGE, 0xFF if of_device else 0, np.uint8) for _ in handles]
        at: dict[int, int] = {}
        for _ in range(60):
            page = chosen.randrange(pages)
            if page not in at:
                at[page] = chosen.randrange(len(handles))
                ok(aclrtMapMem(address + page * PAGE, PAGE, 0, handles[at[page]], 0))
            elif chosen.random() < 0.3:
                ok(aclrtUnmapMem(address + page * PAGE))
                del at[page]
            else:
                here, value = chosen.randrange(PAGE - 512), chosen.randrange(256)
                ok(aclrtMemsetAsync(address + page * PAGE + here, 512, value, 512, None))
                ok(aclrtSynchronizeStream(None))
                contents[at[page]][here : here + 512] = value
        for page, number in at.items():
            at_page = address + page * PAGE
            found = machine.read(at_page, PAGE, np.uint8).tobytes() if of_device else string_at(at_page, PAGE)
            assert found == contents[number].tobytes()
            ok(aclrtUnmapMem(address + page * PAGE))
        for handle in handles:
            ok(aclrtFreePhysical(handle))
        ok(aclrtReleaseMemAddress(address))
        ok(aclrtResetDevice(0))
    assert not machine.findings


def test_a_closed_machine_leaves_memory_of_the_host_readable() -> None:
    """As pinned memory of aclrtMallocHost: arrays of the program may view it."""

    with Machine():
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        address = reserve(PAGE)
        ok(aclrtMapMem(address, PAGE, 0, physical(given=on_host()), 0))
        write_bytes(address, 5, 8)
        ok(aclrtResetDevice(0))
    assert string_at(address, 2) == b"\5\5"


@pytest.mark.finds("mem-leaked")
def test_memory_that_went_with_a_reset_is_no_memory(machine: Machine) -> None:
    """A reset frees the memory of the device; the handle, its mapping and the addresses can still be given back."""
    handle, address = physical(), reserve(PAGE)
    ok(aclrtMapMem(address, PAGE, 0, handle, 0))
    ok(aclrtResetDeviceForce(0))
    assert machine.devices[0].memory.used == 0
    ok(aclrtSetDevice(0))
    assert finding_of(lambda: fill(address, 64))[0] == "unmapped-access"
    ok(aclrtUnmapMem(address))
    ok(aclrtFreePhysical(handle))
    ok(aclrtReleaseMemAddress(address))


@pytest.mark.parametrize("at", [0, 1], ids=["never-mapped", "mapped"])
def test_memory_whose_release_was_refused_in_a_callback_is_no_leak_as_well(at: int) -> None:
    """The leak only follows from the finding."""
    with Machine(on_undefined="report") as machine:
        ok(aclInit(None))
        ok(aclrtSetDevice(0))
        handle, address = physical(), reserve(PAGE)
        if at:
            ok(aclrtMapMem(address, PAGE, 0, handle, 0))
        ok(aclrtLaunchHostFunc(None, lambda _: aclrtFreePhysical(handle), None))
        ok(aclrtSynchronizeStream(None))
        if at:
            ok(aclrtUnmapMem(address))
        ok(aclrtReleaseMemAddress(address))
        ok(aclrtResetDevice(0))
    assert [finding.id for finding in machine.findings] == ["callback-acl"]
