"""The other ways to allocate device memory, and to free it (public)."""

from collections.abc import Callable
from ctypes import Array, byref, c_void_p, pointer
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.errors import DeviceFault
from acl_runtime.streams.stream import Task
from tests.conftest import check_documented
from tests.helpers.builders import malloc
from tests.helpers.host_threads import in_thread
from tests.helpers.outcomes import assert_status, finding_of, text
from tests.helpers.planned_operators import SOFTMAX_RESULT, launch_softmax

Malloc = Callable[[Any, int, int], int]
SIZE_MAX = 2**64 - 1
MIB, GIB = 1 << 20, 1 << 30


def with_cfg(devPtr: Any, size: int, policy: int) -> int:
    return aclrtMallocWithCfg(devPtr, size, policy, None)


def for_task_scheduler(devPtr: Any, size: int, policy: int) -> int:
    return aclrtMallocForTaskScheduler(devPtr, size, policy, None)


MALLOCS: dict[str, Malloc] = {
    "aclrtMalloc": aclrtMalloc,
    "aclrtMallocAlign32": aclrtMallocAlign32,
    "aclrtMallocCached": aclrtMallocCached,
    "aclrtMallocWithCfg": with_cfg,
    "aclrtMallocForTaskScheduler": for_task_scheduler,
}
each_malloc = pytest.mark.parametrize("call", MALLOCS.values(), ids=MALLOCS)


@each_malloc
def test_refusals_before_a_context_is_needed(machine: Machine, call: Malloc) -> None:
    """Null pointer, size 0, size near SIZE_MAX -> 100000; then no context -> 107002 with EE1018 alone (public)."""
    out = c_void_p(7)

    def work() -> None:
        assert_status(call(None, 0, 0), ACL_ERROR_INVALID_PARAM, "(EH0008)", "devPtr")
        assert_status(call(byref(out), 0, 0), ACL_ERROR_INVALID_PARAM, "(EH0007)", "parameter size")
        assert_status(call(byref(out), SIZE_MAX - 63, 0), ACL_ERROR_INVALID_PARAM, "(EH0007)", "parameter size")
        assert call(byref(out), 64, 0) == ACL_ERROR_RT_CONTEXT_NULL
        found = text()
        assert "(EE1018)" in found
        assert "TraceBack" not in found

    in_thread(work)
    assert out.value == 7


REAL: dict[str, tuple[Malloc, int, int, int]] = {
    "Malloc: + 32": (aclrtMalloc, 33, 0, 96),
    "Align32: without the extra 32 bytes": (aclrtMallocAlign32, 33, 0, 64),
    "Align32: HUGE_ONLY in 2 MiB": (aclrtMallocAlign32, 2 * MIB, ACL_MEM_MALLOC_HUGE_ONLY, 2 * MIB),
    "Cached: same size rule as malloc": (aclrtMallocCached, 33, 0, 96),
    "Cached: HUGE_ONLY is distinguished": (aclrtMallocCached, 1, ACL_MEM_MALLOC_HUGE_ONLY, 2 * MIB),
    "Cached: HUGE_ONLY_P2P means the default": (aclrtMallocCached, 1, 4, 64),
    "WithCfg: rounded to 32 only": (with_cfg, 33, 0, 64),
    "WithCfg: policies are or-ed": (
        with_cfg, 1, ACL_MEM_MALLOC_HUGE_ONLY | ACL_MEM_TYPE_HIGH_BAND_WIDTH, 2 * MIB,
    ),
    "WithCfg: read-only for user space": (
        with_cfg, 33, ACL_MEM_MALLOC_NORMAL_ONLY | ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_ACCESS_USER_SPACE_READONLY, 64,
    ),
    "WithCfg: an unknown page policy means default": (with_cfg, 33, 99, 64),
    "Malloc: or-ing is not honoured": (aclrtMalloc, 1, ACL_MEM_MALLOC_HUGE_ONLY | ACL_MEM_TYPE_HIGH_BAND_WIDTH, 64),
    "ForTaskScheduler: rounded to 32 only": (for_task_scheduler, 33, 0, 64),
}  # fmt: skip


@pytest.mark.fidelity("aclrtMallocWithCfg")
@pytest.mark.parametrize(("call", "size", "policy", "real"), REAL.values(), ids=REAL)
def test_every_kind_has_the_real_size_and_is_207001_when_exhausted(
    call: Malloc, size: int, policy: int, real: int
) -> None:
    """Three allocations fit. A fourth returns 207001 and a null pointer, and fits after a free (public)."""
    with Machine(hbm_bytes=4 * real - 1) as machine:
        aclrtSetDevice(0)
        pointers = [c_void_p() for _ in range(3)]
        assert [call(byref(each), size, policy) for each in pointers] == [ACL_SUCCESS] * 3
        assert machine.devices[0].memory.used == 3 * real
        assert all(each.value and each.value % 512 == 0 for each in pointers)
        last = c_void_p(7)
        assert_status(call(byref(last), size, policy), ACL_ERROR_RT_MEMORY_ALLOCATION, "(EL0004)", f"{real} bytes")
        assert last.value is None
        assert aclrtFree(pointers[1]) == call(byref(last), size, policy) == ACL_SUCCESS
    check_documented(machine)


@each_malloc
def test_1_gib_pages_are_there_on_a2_and_a3_only(machine: Machine, call: Malloc) -> None:
    """ "6, 7: 1-GiB pages (else 207000/207001)": roundup(size, 32) where they are, on A2 and A3."""
    with Machine("Ascend910A") as older:
        aclrtSetDevice(0)
        status = call(byref(c_void_p()), 33, ACL_MEM_MALLOC_HUGE1G_ONLY)
        assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "Ascend910A")
    check_documented(older)
    with Machine("Ascend910_9391") as a3:
        aclrtSetDevice(0)
        assert call(byref(c_void_p()), 33, ACL_MEM_MALLOC_HUGE1G_ONLY) == ACL_SUCCESS
        assert a3.devices[0].memory.used == 64
    check_documented(a3)


@pytest.mark.fidelity("aclrtMallocCached with an unknown policy")
def test_cached_distinguishes_four_policies(machine: Machine) -> None:
    """ "Only policies 0, 1, 2, 6 are distinguished, others = default"; a "bad enum value" is EH0007."""
    assert aclrtMallocCached(byref(c_void_p()), 32, ACL_MEM_MALLOC_HUGE1G_ONLY_P2P) == ACL_SUCCESS
    for policy in (8, -1, 99):
        status = aclrtMallocCached(byref(c_void_p()), 32, policy)
        assert_status(status, ACL_ERROR_INVALID_PARAM, "(EH0007)", "parameter policy")


def test_more_than_2_to_the_50_cached_bytes(machine: Machine) -> None:
    """ "more than 2^50 bytes -> 107000, before the context check"."""

    def call(size: int) -> int:
        return aclrtMallocCached(byref(c_void_p()), size, ACL_MEM_MALLOC_HUGE_FIRST)

    assert in_thread(lambda: call((1 << 50) + 1)) == ACL_ERROR_RT_PARAM_INVALID
    assert_status(call((1 << 50) + 1), ACL_ERROR_RT_PARAM_INVALID, "(EE1003)", "parameter size")
    assert call(1 << 50) == ACL_ERROR_RT_MEMORY_ALLOCATION
    assert in_thread(lambda: call(1 << 50)) == ACL_ERROR_RT_CONTEXT_NULL


@pytest.mark.parametrize("call", [aclrtMemFlush, aclrtMemInvalidate], ids=lambda call: call.__name__)
def test_flush_and_invalidate_do_nothing_and_refuse_null(machine: Machine, call: Callable[[Any, int], int]) -> None:
    """ "Null or size 0 -> 100000; no-op success on products without host-visible cache"."""
    address = malloc(64)
    assert_status(call(None, 0), ACL_ERROR_INVALID_PARAM, "(EH0008)", "devPtr")
    assert_status(call(address, 0), ACL_ERROR_INVALID_PARAM, "(EH0007)", "size")
    assert call(address, 64) == ACL_SUCCESS
    assert machine.read(address, 64, "u1").tolist() == [0xFF] * 64


# configurations


def config(*attributes: tuple[int, dict[str, int]]) -> aclrtMallocConfig:
    array: Array[aclrtMallocAttribute] = (aclrtMallocAttribute * max(len(attributes), 1))()
    for each, (attr, value) in zip(array, attributes, strict=False):
        each.attr, each.value = attr, aclrtMallocAttributeValue(**value)
    return aclrtMallocConfig(attrs=array, numAttrs=len(attributes))


CONFIGURED: dict[str, Callable[[Any], int]] = {
    "aclrtMallocWithCfg": lambda cfg: aclrtMallocWithCfg(byref(c_void_p()), 32, 0, cfg),
    "aclrtMallocForTaskScheduler": lambda cfg: aclrtMallocForTaskScheduler(byref(c_void_p()), 32, 0, cfg),
    "aclrtMallocHostWithCfg": lambda cfg: aclrtMallocHostWithCfg(byref(c_void_p()), 32, cfg),
}
each_configured = pytest.mark.parametrize("call", CONFIGURED.values(), ids=CONFIGURED)
CONFIGS: dict[str, tuple[Callable[[], Any], int]] = {
    "config null = defaults": (lambda: None, ACL_SUCCESS),
    "the current device": (lambda: config((ACL_RT_MEM_ATTR_DEVICE_ID, {"deviceId": 1})), ACL_SUCCESS),
    "module ids out of range silently become the application default": (
        lambda: config((ACL_RT_MEM_ATTR_MODULE_ID, {"moduleId": 0xFFFF})),
        ACL_SUCCESS,
    ),
    "three attributes": (
        lambda: config(
            (ACL_RT_MEM_ATTR_MODULE_ID, {"moduleId": 3}),
            (ACL_RT_MEM_ATTR_DEVICE_ID, {"deviceId": 1}),
            (ACL_RT_MEM_ATTR_VA_FLAG, {"vaFlag": 0}),
        ),
        ACL_SUCCESS,
    ),
    "no attributes in an array": (lambda: config(), ACL_SUCCESS),
    "non-zero count with null array -> 100000": (lambda: aclrtMallocConfig(None, 2), ACL_ERROR_INVALID_PARAM),
    "null array even though the count is 0 -> 107000": (lambda: aclrtMallocConfig(None, 0), ACL_ERROR_RT_PARAM_INVALID),
    "another device -> 107000": (
        lambda: config((ACL_RT_MEM_ATTR_DEVICE_ID, {"deviceId": 0})),
        ACL_ERROR_RT_PARAM_INVALID,
    ),
    "the reserved attribute -> 107000": (lambda: config((ACL_RT_MEM_ATTR_RSV, {})), ACL_ERROR_RT_PARAM_INVALID),
    "an unknown attribute -> 107000": (lambda: config((4, {})), ACL_ERROR_RT_PARAM_INVALID),
    "one address for both sides -> 200001": (
        lambda: config((ACL_RT_MEM_ATTR_VA_FLAG, {"vaFlag": 1})),
        ACL_ERROR_API_NOT_SUPPORT,
    ),
}


@pytest.mark.fidelity("aclrtMallocWithCfg")
@each_configured
@pytest.mark.parametrize(("make", "status"), CONFIGS.values(), ids=CONFIGS)
def test_a_configuration_follows_the_rules_of_acl_malloc_config(
    two: Machine, call: Callable[[Any], int], make: Callable[[], Any], status: int
) -> None:
    """The rules of aclrtMallocConfig (public)."""
    assert aclrtSetDevice(1) == ACL_SUCCESS
    cfg = make()
    assert call(None if cfg is None else byref(cfg)) == status, text()
    if cfg is not None:
        assert call(pointer(cfg)) == status


@each_configured
def test_of_several_mistakes_in_a_configuration_the_first_check_answers(
    machine: Machine, call: Callable[[Any], int]
) -> None:
    """ACL layer, ranges, context, then the device (public)."""
    cases = [
        (aclrtMallocConfig(None, 1), ACL_ERROR_INVALID_PARAM),
        (aclrtMallocConfig(None, 0), ACL_ERROR_RT_PARAM_INVALID),
        (config((9, {})), ACL_ERROR_RT_PARAM_INVALID),
        (config((ACL_RT_MEM_ATTR_DEVICE_ID, {"deviceId": 9})), ACL_ERROR_RT_CONTEXT_NULL),
    ]
    for cfg, status in cases:
        assert in_thread(lambda cfg=cfg: call(byref(cfg))) == status


@each_configured
def test_a_configuration_at_a_bad_address_is_host_overrun(machine: Machine, call: Callable[[Any], int]) -> None:
    """A bad address, of the config or of its array, is host-overrun and no crash (ours)."""
    assert finding_of(lambda: call(0x10))[0] == "host-overrun"
    cfg = aclrtMallocConfig(numAttrs=1 << 62)
    c_void_p.from_buffer(cfg).value = 0x10
    assert finding_of(lambda: call(byref(cfg)))[0] == "host-overrun"


# freeing


def test_a_synchronising_free_waits_for_queued_work(machine: Machine) -> None:
    """ "Device synchronise first, then free": no finding under queued work, and the work is done."""
    grad, _, out = launch_softmax()
    assert finding_of(lambda: aclrtFree(grad.address))[0] == "io-freed-early"
    assert aclrtFreeWithDevSync(grad.address) == ACL_SUCCESS
    assert machine.read(out.address, 8, "f4").tolist() == [SOFTMAX_RESULT] * 8
    assert_status(aclrtFreeWithDevSync(grad.address), ACL_ERROR_RT_PARAM_INVALID, "(EL0003)", "freed at")


def test_a_synchronising_free_refuses_what_aclrt_free_refuses(machine: Machine) -> None:
    """ "Same errors" as aclrtFree; the synchronisation needs a context."""
    address = malloc(64)
    assert_status(aclrtFreeWithDevSync(None), ACL_ERROR_INVALID_PARAM, "(EH0008)", "devPtr")
    assert in_thread(lambda: aclrtFreeWithDevSync(None)) == ACL_ERROR_INVALID_PARAM
    assert in_thread(lambda: aclrtFreeWithDevSync(address)) == ACL_ERROR_RT_CONTEXT_NULL
    assert aclrtFreeWithDevSync(address + 1) == ACL_ERROR_RT_PARAM_INVALID
    assert aclrtPeekAtLastError(0) == ACL_ERROR_RT_PARAM_INVALID
    assert aclrtFree(address) == ACL_SUCCESS


def test_free_with_synchronisation_of_a_stream_that_failed(machine: Machine) -> None:
    """The call that waits returns the failure and does not free the memory (ours)."""

    def fail() -> None:
        raise DeviceFault(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION)

    address, context = malloc(64), machine.find_context()
    assert context is not None
    with machine.lock:
        machine.submit(context.default_stream, Task("failing", fail, (), "here"))
    assert aclrtFreeWithDevSync(address) == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
    assert aclrtFreeWithDevSync(address) == ACL_SUCCESS
