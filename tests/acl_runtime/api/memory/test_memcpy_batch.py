"""aclrtMemcpyBatch and its three forms: many copies in one call, the order of its checks (public)."""

import random
from ctypes import byref, c_size_t
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import malloc
from tests.helpers.creating import create_context, create_stream
from tests.helpers.host_threads import in_thread
from tests.helpers.machines import SCHEDULES, board
from tests.helpers.memory.kinds_of_memory import Place, place
from tests.helpers.outcomes import assert_status, errors, finding_of, ok
from tests.helpers.stream_gate import Gate

SIZE_MAX, UNTOUCHED = 2**64 - 1, 12345
NULL, BAD = ACL_ERROR_INVALID_PARAM, ACL_ERROR_RT_PARAM_INVALID
FORMS = ("aclrtMemcpyBatch", "aclrtMemcpyBatchV2", "aclrtMemcpyBatchAsync", "aclrtMemcpyBatchAsyncV2")
each_form = pytest.mark.parametrize("form", FORMS)
with_index = pytest.mark.parametrize("form", [FORMS[0], FORMS[2]])
asynchronous = pytest.mark.parametrize("form", FORMS[2:])
DEVICE = aclrtMemLocation(0, ACL_MEM_LOCATION_TYPE_DEVICE)
HOST = aclrtMemLocation(0, ACL_MEM_LOCATION_TYPE_HOST)


def attr(dst: aclrtMemLocation, src: aclrtMemLocation) -> aclrtMemcpyBatchAttr:
    return aclrtMemcpyBatchAttr(dst, src)


class Call:
    """The arguments of one call; `index` is what failIndex holds afterwards."""

    def __init__(self, dsts: Any, rooms: Any, srcs: Any, sizes: Any, attrs: Any = None, starts: Any = (0,),
                 count: int | None = None, number: int | None = None) -> None:  # fmt: skip
        self.index = c_size_t(UNTOUCHED)
        count = len(sizes or ()) if count is None else count
        listed = [attr(DEVICE, HOST)] if attrs is None else attrs
        array = (aclrtMemcpyBatchAttr * len(listed))(*listed) if listed else None
        number = len(listed) if number is None else number
        starts = None if starts is None else list(starts)
        self.arguments = (dsts, rooms, srcs, sizes, count, array, starts, number)

    def __call__(self, form: str, stream: aclrtStream | int | None = None) -> int:
        if form == "aclrtMemcpyBatch":
            return aclrtMemcpyBatch(*self.arguments, byref(self.index))
        if form == "aclrtMemcpyBatchV2":
            return aclrtMemcpyBatchV2(*self.arguments)
        if form == "aclrtMemcpyBatchAsync":
            return aclrtMemcpyBatchAsync(*self.arguments, byref(self.index), stream)
        return aclrtMemcpyBatchAsyncV2(*self.arguments, stream)


@each_form
@pytest.mark.parametrize("seed", range(8))
def test_each_piece_of_a_random_batch_is_copied(machine: Machine, form: str, seed: int) -> None:
    """Each piece copies sizes[i] bytes; attrs[i] holds from attrsIndexes[i] on. failIndex is SIZE_MAX when all went
    well."""
    chosen = random.Random(seed)
    groups = [chosen.choice([("device", "pinned"), ("device", "plain"), ("pinned", "device"), ("plain", "device"),
                             ("device", "device"), ("registered", "device")]) for _ in range(3)]  # fmt: skip
    members = [chosen.randrange(1, 4) for _ in groups]
    starts = [sum(members[:i]) for i in range(len(members))]
    pieces: list[tuple[Place, Place, int]] = []
    for (target, source), number in zip(groups, members, strict=True):
        for _ in range(number):
            size = chosen.randrange(1, 20)
            data = chosen.randbytes(size + 5)
            pieces.append((place(machine, target, [9] * (size + 3)), place(machine, source, list(data)), size))
    attrs = [attr(*(DEVICE if side == "device" else HOST for side in pair)) for pair in groups]
    call = Call([dst.pointer for dst, _, _ in pieces], [size + 3 for *_, size in pieces],
                [src.pointer for _, src, _ in pieces], [size for *_, size in pieces], attrs, starts)  # fmt: skip
    ok(call(form))
    ok(aclrtSynchronizeStream(None))
    for dst, src, size in pieces:
        assert dst.get() == src.get()[:size] + [9] * 3
    assert call.index.value == (UNTOUCHED if form.endswith("V2") else SIZE_MAX)


@asynchronous
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("source", ["pinned", "device", "plain"])
def test_plain_memory_makes_the_asynchronous_batch_wait(schedule: str, form: str, source: str) -> None:
    """With plain memory the call waits for the stream, as aclrtMemcpyAsync does; otherwise the copies are queued."""
    with board(schedule) as machine:
        stream, ran = create_stream(), list[int]()
        src, dst = place(machine, source, [1, 2]), place(machine, "device", [9, 9])
        call = Call([dst.pointer], [2], [src.pointer], [2], [attr(DEVICE, DEVICE if source == "device" else HOST)])
        gate = None if source == "plain" else Gate(stream)
        ok(aclrtLaunchHostFunc(stream, ran.append, 1))
        ok(call(form, stream))
        if gate is not None:
            assert (ran, dst.get()) == ([], [9, 9])
            src.set([3, 4])
            gate.open()
            ok(aclrtSynchronizeStream(stream))
        assert ran == [1]
        assert dst.get() == ([1, 2] if gate is None else [3, 4])


def test_synchronous_forms_wait_for_no_stream(machine: Machine) -> None:
    """Runtime rules, 1.6."""
    dst, src = place(machine, "device", [9]), place(machine, "pinned", [1])
    for form in FORMS[:2]:
        gate = Gate(None)
        ok(Call([dst.address], [1], [src.address], [1])(form))
        assert dst.get() == [1]
        assert not machine.tasks
        gate.open()
        ok(aclrtSynchronizeStream(None))
        machine.tasks.clear()


DIRTY = aclrtMemcpyBatchAttr(DEVICE, HOST, (0,) * 15 + (1,))
P = np.zeros(8, np.uint8)
# what is passed, in a thread without context and with a destroyed stream; each row breaks one rule and later ones
ORDER: dict[str, tuple[dict[str, Any], int, tuple[str, ...]]] = {
    "sizes null": ({"sizes": None, "count": 0, "dsts": None}, NULL, ("(EH0008)", "sizes cannot be")),
    "numBatches 0": ({"count": 0, "dsts": None}, NULL, ("(EH0007)", "numBatches")),
    "all sizes 0 -> success": ({"sizes": [0, 0], "dsts": None, "rooms": None, "attrs": []}, ACL_SUCCESS, ()),
    "dsts null": ({"dsts": None, "rooms": [1, 1]}, NULL, ("(EH0008)", "dsts cannot be")),
    "destMaxs null": ({"rooms": None, "srcs": None}, NULL, ("(EH0008)", "destMaxs cannot be")),
    "srcs null": ({"srcs": None, "rooms": [1, 1]}, NULL, ("(EH0008)", "srcs cannot be")),
    "attrs null": ({"attrs": [], "rooms": [1, 1]}, NULL, ("(EH0008)", "attrs cannot be")),
    "attrsIndexes null": ({"starts": None, "rooms": [1, 1]}, NULL, ("(EH0008)", "attrsIndexes cannot be")),
    "sizes[1] over destMaxs[1] -> 100000": (
        {"rooms": [8, 7], "attrs": [DIRTY]}, NULL, ("(EH0007)", "sizes[1]", "destMaxs[1] = 7"),
    ),
    "reserved bytes -> 100000": ({"attrs": [DIRTY], "starts": (7,)}, NULL, ("(EH0007)", "rsv")),
    "numAttrs 0 -> 100000": ({"number": 0, "starts": (7,)}, NULL, ("(EH0007)", "numAttrs")),
    "more attrs than pieces -> 100000": ({"attrs": [attr(DEVICE, HOST)] * 3}, NULL, ("(EH0007)", "numAttrs")),
}  # fmt: skip


@each_form
@pytest.mark.parametrize(("given", "status", "words"), ORDER.values(), ids=ORDER)
def test_order_of_the_acl_layer(
    machine: Machine, form: str, given: dict[str, Any], status: int, words: tuple[str, ...]
) -> None:
    """Before the stream, the product, the context; no last error. failIndex stays as it was, SIZE_MAX on success."""
    dead = create_stream()
    ok(aclrtDestroyStream(dead))
    call = Call(**{"dsts": [P, P], "rooms": [8, 8], "srcs": [P, P], "sizes": [8, 8]} | given)

    def work() -> None:
        assert_status(call(form, dead), status, *words)
        assert aclrtPeekAtLastError(0) == 0

    in_thread(work)
    written = status == ACL_SUCCESS and not form.endswith("V2")
    assert call.index.value == (SIZE_MAX if written else UNTOUCHED)
    assert not machine.findings.worth_telling


def test_a_null_fail_index_is_100000_before_all_else(machine: Machine) -> None:
    """ "failIndex null (first and third form) 100000", before all else, even where all sizes are 0."""
    for sizes in (None, [0]):
        arguments = (None, None, None, sizes, 1, None, None, 0)
        assert_status(aclrtMemcpyBatch(*arguments, None), NULL, "(EH0008)", "failIndex cannot be")
        assert_status(aclrtMemcpyBatchAsync(*arguments, None, 0x1234), NULL, "(EH0008)", "failIndex cannot be")


@pytest.mark.fidelity("batches of copies")
@each_form
def test_product_then_stream_then_context_are_checked(form: str) -> None:
    """Product 207000, then a dead stream 107017, then the context 107002 (public)."""
    for soc in ("Ascend910A", "Ascend310P3", "Ascend310B1"):
        with board(soc=soc) as machine:
            dead, call = create_stream(), Call([malloc(8)], [8], [P], [8])
            ok(aclrtDestroyStream(dead))
            if form in FORMS[2:]:
                assert call(form, dead) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
            for where in (lambda call=call: call(form), lambda call=call: in_thread(lambda: call(form))):
                assert where() == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
            assert_status(call(form), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "(EE1005)", soc)
            assert aclrtPeekAtLastError(0) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT
            assert (call.index.value, errors(machine)) == (UNTOUCHED, [])
    for soc in ("Ascend910B3", "Ascend910_9391"):
        with board(soc=soc) as machine:
            call = Call([malloc(8)], [8], [P], [8])
            in_thread(lambda call=call: assert_status(call(form), ACL_ERROR_RT_CONTEXT_NULL, "(EE1018)"))
            ok(call(form))


@asynchronous
def test_a_stream_of_another_context_is_107003_before_any_copy(machine: Machine, form: str) -> None:
    """A stream of another context is 107003 for queued copies, before anything is copied; plain memory blocks."""
    other, src = create_stream(), place(machine, "pinned", [1] * 8)
    dst = [place(machine, "device", [9] * 8) for _ in range(2)]
    context = create_context()
    mixed = Call([each.address for each in dst], [8, 8], [P, src.address], [8, 8])
    assert_status(mixed(form, other), ACL_ERROR_RT_STREAM_CONTEXT, "(EE1010)", "cur_ctx=context")
    assert [each.get() for each in dst] == [[9] * 8] * 2
    assert mixed(form, context) == ACL_ERROR_RT_INVALID_HANDLE
    ok(Call([dst[0].address], [8], [P], [8])(form, other))
    assert dst[0].get() == [0] * 8
    ok(mixed(form, None))
    ok(aclrtSetDevice(0))
    ok(aclrtSynchronizeStream(None))
    assert dst[1].get() == [9] * 8, "null is the default stream of the current context"


DEVICE1 = aclrtMemLocation(1, ACL_MEM_LOCATION_TYPE_DEVICE)
# three pieces from the host to the device; each row makes one mistake in the second
WRONG: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "attrs says host, it is the device": ({"attr": attr(HOST, HOST)}, ("(EE1003)", "dsts", "device 0")),
    "attrs says device, it is the host": ({"attr": attr(DEVICE, DEVICE)}, ("(EE1003)", "srcs", "the host")),
    "attrs says another device": ({"attr": attr(DEVICE1, HOST)}, ("(EE1003)", "dsts", "device 0")),
    "both on the host": ({"dst": P, "attr": attr(HOST, HOST)}, ("(EE1003)", "dsts", "device memory")),
    "a null pointer": ({"dst": None}, ("(EE1003)", "dsts")),
    "freed memory": ({"dst": "freed"}, ("(EL0003)", "dsts", "freed at")),
}


@pytest.mark.fidelity("batches of copies")
@each_form
@pytest.mark.parametrize(("given", "words"), WRONG.values(), ids=WRONG)
def test_a_refused_piece_has_its_number_in_fail_index(
    machine: Machine, form: str, given: dict[str, Any], words: tuple[str, ...]
) -> None:
    """107000 and its number in failIndex; no piece was copied."""
    dst = [place(machine, "device", [9] * 8) for _ in range(3)]
    freed = malloc(8)
    ok(aclrtFree(freed))
    dsts: list[Any] = [each.address for each in dst]
    if "dst" in given:
        dsts[1] = freed if isinstance(given["dst"], str) else given["dst"]
    attrs = [attr(DEVICE, HOST), given.get("attr", attr(DEVICE, HOST)), attr(DEVICE, HOST)]
    call = Call(dsts, [8] * 3, [P] * 3, [8] * 3, attrs, (0, 1, 2))
    assert_status(call(form), BAD, *words)
    assert aclrtPeekAtLastError(0) == BAD
    assert call.index.value == (UNTOUCHED if form.endswith("V2") else 1)
    ok(aclrtSynchronizeStream(None))
    assert [each.get() for each in dst] == [[9] * 8] * 3


@each_form
@pytest.mark.parametrize("starts", [(1,), (0, 0), (0, 2), (0, 3)], ids=str)
def test_attribute_indexes_rise_from_0(machine: Machine, form: str, starts: tuple[int, ...]) -> None:
    """The indexes must rise from 0 and stay below numBatches. failIndex names no piece."""
    call = Call([malloc(8), malloc(8)], [8, 8], [P, P], [8, 8], [attr(DEVICE, HOST)] * len(starts), starts)
    assert_status(call(form), BAD, "(EE1003)", "attrsIndexes")
    assert call.index.value == UNTOUCHED


@pytest.mark.fidelity("batches of copies")
@each_form
@pytest.mark.parametrize("side", ["memcpy-size", "host-overrun", "wild"])
@pytest.mark.parametrize("report", [False, True], ids=["raise", "report"])
def test_finding_in_the_last_piece(form: str, side: str, report: bool) -> None:
    """A call that raises copies no piece. In a machine that only reports, a crash returns 107000 and the number of the
    piece; a silent mistake copies the bytes that exist (ours)."""
    with board(on_undefined="report" if report else "raise") as machine:
        dst = [place(machine, "device", [9] * 8) for _ in range(2)]
        last = {"memcpy-size": np.zeros(12, np.uint8), "host-overrun": np.zeros(4, np.uint8), "wild": 0x10}[side]
        size = 12 if side == "memcpy-size" else 8
        call = Call([each.address for each in dst], [8, 12], [P, last], [8, size])
        id = "host-overrun" if side == "wild" else side
        if report and id == "host-overrun":
            assert_status(call(form), BAD, "srcs")
            assert call.index.value == (UNTOUCHED if form.endswith("V2") else 1)
        elif report:
            ok(call(form))
        else:
            assert finding_of(lambda: call(form))[0] == id
            assert call.index.value == UNTOUCHED
        assert [each.get() for each in dst] == [[0 if report and id == "memcpy-size" else 9] * 8] * 2
        assert errors(machine) == [id]


@each_form
def test_the_id_of_a_location_is_the_device(two: Machine, form: str) -> None:
    """`id` of a location is the device."""
    ok(aclrtSetDevice(1))
    dst = place(two, "device", [9] * 8)
    ok(aclrtSetDevice(0))
    src = place(two, "device", [1] * 8)
    call = Call([dst.address, dst.address + 4], [4, 4], [src.address, P], [4, 4],
                [attr(DEVICE1, DEVICE), attr(DEVICE1, HOST)], (0, 1))  # fmt: skip
    ok(call(form))
    ok(aclrtSynchronizeStream(None))
    assert dst.get() == [1] * 4 + [0] * 4


@with_index
def test_zero_sized_pieces_are_skipped(machine: Machine, form: str) -> None:
    """This holds if at least one size is not 0."""
    dst = place(machine, "device", [9] * 8)
    call = Call([dst.address, dst.address + 4], [0, 4], [P, P], [0, 4])
    ok(call(form))
    assert dst.get() == [9] * 4 + [0] * 4
    assert call.index.value == SIZE_MAX
