"""aclrtReduceAsync: dst = dst OP src against numpy for all types, and its checks (public)."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.memory.kinds_of_memory import place
from tests.helpers.outcomes import assert_status, errors, finding_of, ok
from tests.helpers.stream_gate import Gate

SUM, MAX, MIN, EQUAL = (
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL,
)
NULL, BAD = ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID
TYPES: dict[int, Any] = {
    ACL_INT8: np.int8, ACL_INT16: np.int16, ACL_INT32: np.int32,
    ACL_FLOAT16: np.float16, ACL_FLOAT: np.float32, ACL_BF16: ml_dtypes.bfloat16,
}  # fmt: skip
by_type = pytest.mark.parametrize("type", TYPES, ids=[np.dtype(each).name for each in TYPES.values()])


def reference(kind: int, type: int, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The expected result: computed in more than twice the precision, then rounded once or wrapped."""
    wide = np.float64 if np.dtype(TYPES[type]).kind != "i" else np.int64
    a, b = one.astype(wide), other.astype(wide)
    with np.errstate(all="ignore"):
        if kind != SUM:
            return np.where((a > b) == (kind == MAX), a, b).astype(TYPES[type])
        return (a + b).astype(TYPES[type])


def random_values(type: int, seed: int, size: int) -> np.ndarray:
    """Random numbers: integers over their whole range, floats from subnormal to the largest."""
    chosen, dtype = np.random.default_rng(seed), np.dtype(TYPES[type])
    if dtype.kind == "i":
        return chosen.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, size, dtype, endpoint=True)
    bits = chosen.integers(0, 1 << 8 * dtype.itemsize, size, f"u{dtype.itemsize}").view(dtype)
    near = chosen.normal(0, 8, size).astype(dtype)
    return np.where(np.isfinite(bits.astype(np.float32)) & (chosen.random(size) < 0.5), bits, near).astype(dtype)


@by_type
@pytest.mark.parametrize("kind", [SUM, MAX, MIN], ids=["sum", "max", "min"])
@pytest.mark.parametrize("seed", range(4))
def test_a_reduction_equals_numpy_and_changes_only_the_target(
    machine: Machine, kind: int, type: int, seed: int
) -> None:
    """Integers wrap, 16-bit floats are rounded once; just `count` bytes of dst change, src stays."""
    one, other = random_values(type, 2 * seed, 501), random_values(type, 2 * seed + 1, 501)
    item, size = one.itemsize, one.nbytes
    dst, src = place(machine, "device", one.view(np.uint8)), place(machine, "device", other.view(np.uint8))
    ok(aclrtReduceAsync(dst.address + item, src.address, size - 2 * item, kind, type, None, None))
    ok(aclrtSynchronizeStream(None))
    expected = one.copy()
    expected[1:-1] = reference(kind, type, one[1:-1], other[:-2])
    found = np.array(dst.get(), np.uint8).view(TYPES[type])
    assert np.array_equal(found.astype(np.float64), expected.astype(np.float64), equal_nan=True)
    assert src.get() == other.view(np.uint8).tolist()


EXACT: dict[str, tuple[int, int, float, float, float]] = {
    "int8 wraps": (ACL_INT8, SUM, 127, 1, -128),
    "int16 wraps": (ACL_INT16, SUM, -32768, -1, 32767),
    "int32 wraps": (ACL_INT32, SUM, 2**31 - 1, 2**31 - 1, -2),
    "float16 rounds to even": (ACL_FLOAT16, SUM, 2048, 1, 2048),
    "float16 rounds up": (ACL_FLOAT16, SUM, 2050, 1, 2052),
    "float16 overflows to infinity": (ACL_FLOAT16, SUM, 65504, 65504, np.inf),
    "float16 subnormal": (ACL_FLOAT16, SUM, 2**-24, 2**-24, 2**-23),
    "bfloat16 rounds to even": (ACL_BF16, SUM, 256, 1, 256),
    "bfloat16 rounds up": (ACL_BF16, SUM, 258, 1, 260),
    "float32 rounds to even": (ACL_FLOAT, SUM, 2**24, 1, 2**24),
    "infinity": (ACL_FLOAT, MAX, -np.inf, 1, 1),
}


@pytest.mark.parametrize(("type", "kind", "one", "other", "expected"), EXACT.values(), ids=EXACT)
def test_single_numbers_are_reduced_exactly(
    machine: Machine, type: int, kind: int, one: float, other: float, expected: float
) -> None:
    """Single numbers worked out by hand."""
    dtype = TYPES[type]
    dst, src = (place(machine, "device", np.array([each], dtype).view(np.uint8)) for each in (one, other))
    ok(aclrtReduceAsync(dst.address, src.address, dst.size, kind, type, None, None))
    ok(aclrtSynchronizeStream(None))
    assert float(np.array(dst.get(), np.uint8).view(dtype)[0]) == expected


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_reduction_runs_in_stream_order(schedule: str) -> None:
    """It is queued, and reads its data when it runs (public)."""
    with board(schedule) as machine:
        stream = create_stream()
        dst, src = place(machine, "device", [1] * 4), place(machine, "device", [2] * 4)
        gate = Gate(stream)
        for _ in range(3):
            ok(aclrtReduceAsync(dst.address, src.address, 4, SUM, ACL_INT8, stream, None))
        src.set([5] * 4)
        assert dst.get() == [1] * 4
        gate.open()
        ok(aclrtSynchronizeStream(stream))
        assert dst.get() == [16] * 4


def test_a_reduction_may_join_memory_of_two_devices(two: Machine) -> None:
    """The two sides lie on two devices; the stream belongs to either device."""
    ok(aclrtSetDevice(0))
    src = place(two, "device", [2] * 4)
    ok(aclrtSetDevice(1))
    dst = place(two, "device", [1] * 4)
    ok(aclrtReduceAsync(dst.address, src.address, 4, SUM, ACL_INT8, None, None))
    ok(aclrtSynchronizeStream(None))
    assert dst.get() == [3] * 4


DEAD, OTHERS = "a destroyed stream", "a stream of another context"
P, RESERVE = 0x1000, 0x2000
# (dst, src, count, kind, type, stream, reserve) in a thread without context; each row breaks one rule and later ones
ORDER: dict[str, tuple[tuple[Any, ...], int, tuple[str, ...]]] = {
    "dst null -> 100000": ((None, None, 0, 99, 99, DEAD, RESERVE), NULL, ("(EH0008)", "dst cannot be a NULL pointer")),
    "src null -> 100000": ((P, None, 0, 99, 99, DEAD, RESERVE), NULL, ("(EH0008)", "src cannot be a NULL pointer")),
    "type INT64 -> 100000": ((P, P, 0, SUM, ACL_INT64, DEAD, RESERVE), NULL, ("(EH0007)", "parameter type")),
    "type DOUBLE -> 100000": ((P, P, 0, SUM, ACL_DOUBLE, DEAD, RESERVE), NULL, ("(EH0007)", "parameter type")),
    "type 99 -> 100000": ((P, P, 0, SUM, 99, DEAD, RESERVE), NULL, ("(EH0007)", "parameter type")),
    "reserve not null -> 100000": ((P, P, 0, SUM, ACL_FLOAT, DEAD, RESERVE), NULL, ("(EH0007)", "parameter reserve")),
    "dead stream -> 107017": (
        (P, P, 0, SUM, ACL_FLOAT, DEAD, None), ACL_ERROR_RT_INVALID_HANDLE, ("(EE1017)", "destroyed at"),
    ),
    "kind 9 -> 107000": ((P, P, 0, 9, ACL_UINT8, OTHERS, None), BAD, ("(EE1003)", "parameter kind")),
    "kind 14 -> 107000": ((P, P, 0, 14, ACL_UINT8, OTHERS, None), BAD, ("(EE1003)", "parameter kind")),
    "count 0 -> 107000": ((P, P, 0, EQUAL, ACL_UINT8, OTHERS, None), BAD, ("(EE1003)", "parameter count")),
    "no context -> 107002": ((P, P, 8, SUM, ACL_FLOAT, OTHERS, None), ACL_ERROR_RT_CONTEXT_NULL, ("(EE1018)",)),
    "no context for null -> 107002": ((P, P, 8, SUM, ACL_FLOAT, None, None), ACL_ERROR_RT_CONTEXT_NULL, ("(EE1018)",)),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "status", "words"), ORDER.values(), ids=ORDER)
def test_of_several_mistakes_the_first_check_answers(
    machine: Machine, arguments: tuple[Any, ...], status: int, words: tuple[str, ...]
) -> None:
    """In a thread without context; 1000xx leaves no last error (public)."""
    streams = {DEAD: create_stream(), OTHERS: create_stream(), None: None}
    ok(aclrtDestroyStream(streams[DEAD]))
    dst, src, count, kind, type, which, reserve = arguments

    def work() -> None:
        assert_status(aclrtReduceAsync(dst, src, count, kind, type, streams[which], reserve), status, *words)
        assert aclrtPeekAtLastError(0) == (status if status // 1000 == 107 else 0)

    in_thread(work)
    assert not machine.findings.worth_telling


def test_streams_of_other_contexts_and_kinds_are_refused(machine: Machine) -> None:
    """A stream of another context: 107003. A handle of another kind: 107017. Null: the default stream of the current
    context."""
    dst, src, other = place(machine, "device", [1] * 4), place(machine, "device", [2] * 4), create_stream()
    context = create_context()

    def call(stream: Any) -> int:
        return aclrtReduceAsync(dst.address, src.address, 4, SUM, ACL_INT8, stream, None)

    assert_status(call(other), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)", "cur_ctx=context")
    assert_status(call(context), ACL_ERROR_RT_INVALID_HANDLE, "(EE1017)", "parameter stream")
    ok(call(None))
    ok(aclrtSynchronizeStream(other))
    assert dst.get() == [1] * 4
    ok(aclrtSynchronizeStream(None))
    assert dst.get() == [3] * 4


@pytest.mark.fidelity("reductions")
@pytest.mark.parametrize("side", ["dst", "src"])
@pytest.mark.parametrize("bad", ["freed", "host", "pinned"])
def test_an_address_that_is_no_device_memory_is_107000(machine: Machine, side: str, bad: str) -> None:
    """Both sides are live device memory, else 107000 from the driver."""
    freed, live = malloc(8), malloc(8)
    ok(aclrtFree(freed))
    address = {"freed": freed, "host": 0x10, "pinned": place(machine, "pinned", [0] * 8).address}[bad]
    pair = (address, live) if side == "dst" else (live, address)
    assert_status(aclrtReduceAsync(*pair, 8, SUM, ACL_FLOAT, None, None), BAD, "(EL0003)", f"({side}:")


@pytest.mark.parametrize("mode", ["raise", "report"])
@pytest.mark.parametrize("side", ["dst", "src"])
def test_a_reduction_past_an_allocation_is_memcpy_size(mode: str, side: str) -> None:
    """The finding is memcpy-size. A machine that only reports reduces the elements that exist."""
    with board(on_undefined=mode) as machine:
        short, long = place(machine, "device", [1] * 4), place(machine, "device", [2] * 8)
        pair = (short, long) if side == "dst" else (long, short)
        arguments = (*(each.address for each in pair), 8, SUM, ACL_INT8, None, None)
        if mode == "raise":
            id, message = finding_of(lambda: aclrtReduceAsync(*arguments))
            assert (id, side in message) == ("memcpy-size", True)
        else:
            ok(aclrtReduceAsync(*arguments))
            ok(aclrtSynchronizeStream(None))
            assert pair[0].get() == [3] * 4 + [2] * (0 if side == "dst" else 4)
        assert errors(machine) == ["memcpy-size"]


def test_count_that_is_no_multiple_107000(machine: Machine) -> None:
    """Of the element's size (ours)."""
    status = aclrtReduceAsync(malloc(8), malloc(8), 6, SUM, ACL_FLOAT, None, None)
    assert_status(status, BAD, "(EE1003)", "parameter count", "4 bytes")


LISTED = (*TYPES, ACL_INT4, ACL_UINT8, ACL_UINT16, ACL_UINT32)
REDUCED = {
    "Ascend910B2": set(TYPES),
    "Ascend910_9381": set(TYPES),
    "Ascend910A": {ACL_FLOAT},
    "Ascend310P3": set(TYPES) - {ACL_BF16},
    "Ascend310B1": set(TYPES) - {ACL_BF16},
}


@pytest.mark.fidelity("types of reductions on 310P and 310B; the most bytes of a sum")
@pytest.mark.parametrize("soc", REDUCED)
def test_each_product_reduces_its_own_types(soc: str) -> None:
    """ "Type outside {fp32, fp16, bf16, int4, int8, int16, int32, uint8, uint16, uint32}: 100000; in the list but not
    on this chip: 207000 EE1006"; "on 910: float32 only" (public); 310P and 310B: ours."""
    with board(soc=soc):
        for type in LISTED:
            status = aclrtReduceAsync(malloc(8), malloc(8), 8, SUM, type, None, None)
            if type in REDUCED[soc]:
                assert status == ACL_SUCCESS
            else:
                assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1006)", soc)
                assert aclrtPeekAtLastError(0) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
            ok(aclrtSynchronizeStream(None))


@pytest.mark.parametrize("soc", REDUCED)
def test_each_product_has_its_own_kinds_of_reduction(soc: str) -> None:
    """ "310P has neither max (11) nor min (12); equal (13) only on chips with the STARS scheduler (not 910, 310P):
    207000. Order: kind, then type". Equal is refused on the others too, as no document defines its result (ours)."""
    with board(soc=soc):
        for kind in (SUM, MAX, MIN, EQUAL):
            refused = kind == EQUAL or (kind != SUM and soc == "Ascend310P3")
            status = aclrtReduceAsync(malloc(8), malloc(8), 8, kind, ACL_FLOAT, None, None)
            assert status == (ACL_ERROR_RT_FEATURE_NOT_SUPPORT if refused else ACL_SUCCESS)
            if refused:
                status = aclrtReduceAsync(malloc(8), malloc(8), 8, kind, ACL_UINT8, None, None)
                assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1006)", "SDMA_AUTOMATIC_")
            ok(aclrtSynchronizeStream(None))


@pytest.mark.fidelity("reductions")
def test_equal_is_not_offered(machine: Machine) -> None:
    """Kind 13 is legal, but no document defines its result: 207000, and nothing changes."""
    dst = place(machine, "device", [1] * 4)
    status = aclrtReduceAsync(dst.address, dst.address, 4, EQUAL, ACL_INT8, None, None)
    assert_status(status, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1006)", "AUTOMATIC_EQUAL")
    ok(aclrtSynchronizeStream(None))
    assert dst.get() == [1] * 4
