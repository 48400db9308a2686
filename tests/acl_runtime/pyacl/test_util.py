"""acl.util."""

import ctypes
import signal
import threading
from typing import Any

import numpy as np
import pytest

from acl_runtime import Machine, UndefinedBehaviour

HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


def test_dir_lists_the_names(acl: Any) -> None:
    assert "bytes_to_ptr" in dir(acl.util)


def test_bytes_to_ptr_is_the_real_buffer(acl: Any) -> None:
    """ "Official samples copy into the buffer of a bytes object"."""
    source, target = bytes(range(64)), bytes(64)
    device, _ = acl.rt.malloc(64, 0)
    assert acl.rt.memcpy(device, 64, acl.util.bytes_to_ptr(source), 64, HOST_TO_DEVICE) == 0
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(target), 64, device, 64, DEVICE_TO_HOST) == 0
    assert np.frombuffer(target, np.uint8).tolist() == list(range(64))


@pytest.mark.parametrize("value", [bytearray(4), "text", np.zeros(4), None, 7], ids=repr)
def test_what_is_no_bytes_is_a_value_error(value: Any, acl: Any) -> None:
    with pytest.raises(ValueError, match="takes bytes"):
        acl.util.bytes_to_ptr(value)


def test_ptr_to_bytes_is_a_copy(acl: Any) -> None:
    pointer, _ = acl.rt.malloc_host(8)
    ctypes.memmove(pointer, b"12345678", 8)
    copied = acl.util.ptr_to_bytes(pointer, 8)
    ctypes.memset(pointer, 0, 8)
    assert copied == b"12345678"


@pytest.mark.parametrize("way", ["ptr_to_bytes", "ptr_to_numpy"])
def test_reading_pinned_memory_before_the_copy_into_it_is_over(way: str, acl: Any, machine: Machine) -> None:
    """ "host read before sync" (ours), reported by the call that waits."""
    pointer, _ = acl.rt.malloc_host(8)
    device, _ = acl.rt.malloc(8, 0)
    stream, _ = acl.rt.create_stream()
    assert acl.rt.memset(device, 8, 7, 8) == 0
    assert acl.rt.memcpy_async(pointer, 8, device, 8, DEVICE_TO_HOST, stream) == 0
    if way == "ptr_to_bytes":
        early = acl.util.ptr_to_bytes(pointer, 8)
    else:
        with pytest.warns(Warning, match="ptr_to_bytes"):
            early = acl.util.ptr_to_numpy(pointer, (8,), 2).tobytes()
    assert early == bytes(8)
    with pytest.raises(UndefinedBehaviour) as raised:
        acl.rt.synchronize_stream(stream)
    assert raised.value.finding.id == "read-before-sync"
    assert raised.value.finding.site.startswith(f"{__file__}:")
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.util.ptr_to_bytes(pointer, 8) == bytes([7] * 8)


def test_numpy_to_ptr_is_the_arrays_own_buffer_and_warns_each_time(acl: Any) -> None:
    array = np.arange(4.0)
    for _ in range(2):
        with pytest.warns(Warning, match="use acl.util.bytes_to_ptr") as caught:
            assert acl.util.numpy_to_ptr(array) == array.ctypes.data
        assert [(each.category, each.filename) for each in caught] == [(Warning, __file__)]


def test_numpy_to_ptr_warns_of_strides(acl: Any) -> None:
    array = np.arange(8.0)[::2]
    with pytest.warns(Warning) as caught:  # noqa: PT030 (both are looked at)
        assert acl.util.numpy_to_ptr(array) == array.ctypes.data
    assert [(str(each.message).split()[-1], each.filename) for each in caught] == [
        ("acl.util.bytes_to_ptr", __file__),
        ("contiguous", __file__),
    ]


def test_what_is_no_ndarray_is_a_value_error(acl: Any) -> None:
    for name in ("numpy_to_ptr", "numpy_contiguous_to_ptr"):
        with pytest.raises(ValueError, match="takes an ndarray"):
            getattr(acl.util, name)([1, 2])


def test_numpy_contiguous_to_ptr_copies_only_if_needed(acl: Any) -> None:
    array = np.arange(8.0)
    with pytest.warns(Warning, match="deprecated"):
        pointer, same = acl.util.numpy_contiguous_to_ptr(array)
    assert same is array
    assert pointer == array.ctypes.data
    with pytest.warns(Warning, match="deprecated"):
        pointer, other = acl.util.numpy_contiguous_to_ptr(array[::2])
    assert (pointer, other.tolist()) == (other.ctypes.data, [0, 2, 4, 6])


TYPES = [
    (0, "bool"), (1, "int8"), (2, "uint8"), (3, "int16"), (4, "uint16"), (5, "int32"), (6, "uint32"), (7, "int64"),
    (8, "uint64"), (9, "longlong"), (10, "ulonglong"), (11, "float32"), (12, "float64"), (23, "float16"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "dtype"), TYPES)
def test_ptr_to_numpy_is_a_writable_view(code: int, dtype: str, acl: Any) -> None:
    memory = np.ones((2, 3), dtype)
    with pytest.warns(Warning, match="use acl.util.ptr_to_bytes"):
        view = acl.util.ptr_to_numpy(memory.ctypes.data, (2, 3), code)
    assert (view.dtype, view.shape, view.flags.owndata, view.flags.writeable) == (memory.dtype, (2, 3), False, True)
    view[1, 2] = 0
    assert not memory[1, 2]


@pytest.mark.fidelity("an unknown number for `ptr_to_numpy`'s type")
@pytest.mark.parametrize(
    ("shape", "code", "error"),
    [
        ([2], 11, ValueError),
        (2, 11, ValueError),
        (("2",), 11, TypeError),
        ((2.0,), 11, TypeError),
        ((2,), 13, ValueError),
    ],
    ids=repr,
)
def test_a_wrong_shape_or_type_of_ptr_to_numpy(shape: Any, code: int, error: type[Exception], acl: Any) -> None:
    memory = np.zeros(2, np.float32)
    with pytest.raises(error):
        acl.util.ptr_to_numpy(memory.ctypes.data, shape, code)


@pytest.mark.fidelity("`ptr_to_bytes`, `ptr_to_numpy` where the host cannot read")
@pytest.mark.filterwarnings("ignore:acl.util")
@pytest.mark.parametrize("read", ["ptr_to_bytes", "ptr_to_numpy"])
@pytest.mark.parametrize("where", ["device", "null", "nowhere"])
def test_memory_that_the_host_cannot_read_is_a_finding_and_no_crash(where: str, read: str, acl: Any) -> None:
    pointer = {"device": acl.rt.malloc(64, 0)[0], "null": 0, "nowhere": 4096}[where]
    arguments = {"ptr_to_bytes": (8,), "ptr_to_numpy": ((8,), 2)}[read]
    with pytest.raises(UndefinedBehaviour) as caught:
        getattr(acl.util, read)(pointer, *arguments)
    finding = caught.value.finding
    assert (finding.id, finding.call) == ("host-overrun", f"acl.util.{read}")
    assert finding.site.rpartition(":")[0] == __file__
    assert ("acl.rt.memcpy" in finding.hint) == (where == "device")


@pytest.mark.fidelity("`ptr_to_bytes`, `ptr_to_numpy` where the host cannot read")
@pytest.mark.filterwarnings("ignore:acl.util")
def test_the_same_in_a_machine_that_reports(acl: Any) -> None:
    with Machine(on_undefined="report") as machine:
        assert acl.util.ptr_to_bytes(0, 4) == b"\xff" * 4
        assert acl.util.ptr_to_numpy(0, (2,), 2).tolist() == [255, 255]
    assert [each.id for each in machine.findings if each.level == "error"] == ["host-overrun"] * 2


HELD, KEPT = np.zeros(8), [bytes(64)]


@pytest.mark.fidelity("`bytes_to_ptr`, `numpy_to_ptr` of an object that ends with the call")
@pytest.mark.filterwarnings("ignore:acl.util")
@pytest.mark.parametrize(
    ("gone", "convert"),
    [
        (True, lambda u: u.bytes_to_ptr(HELD.tobytes())),
        (True, lambda u: u.numpy_to_ptr(HELD.astype(np.float16))),
        (False, lambda u: u.bytes_to_ptr(KEPT[0])),
        (False, lambda u: u.bytes_to_ptr(b"a constant")),
        (False, lambda u: [u.bytes_to_ptr(each) for each in KEPT]),
        (False, lambda u: u.bytes_to_ptr(last := HELD.tobytes())),  # noqa: F841
        (False, lambda u: u.numpy_to_ptr(HELD.reshape(2, 4))),
        (False, lambda u: u.numpy_to_ptr(np.ascontiguousarray(HELD))),
        (False, lambda u: u.numpy_to_ptr(np.frombuffer(KEPT[0], np.uint8))),
        (False, lambda u: u.numpy_contiguous_to_ptr(HELD.astype(np.float16))),
    ],
)
def test_the_address_of_an_object_that_nobody_holds(gone: bool, convert: Any, acl: Any) -> None:
    if not gone:
        assert convert(acl.util)
        return
    with pytest.raises(UndefinedBehaviour, match=r"keeps no reference to the (bytes|ndarray) object") as caught:
        convert(acl.util)
    assert caught.value.finding.id == "host-overrun"
    assert caught.value.finding.site.rpartition(":")[0] == __file__


# threads


def test_a_thread_gets_one_argument_or_none(acl: Any) -> None:
    got: list[Any] = []
    first, ret = acl.util.start_thread(lambda args: got.append((threading.get_ident(), args)), ["a", 1])
    assert (ret, acl.util.stop_thread(first)) == (0, 0)
    second, ret = acl.util.start_thread(lambda: got.append("none"), None)
    assert (ret, acl.util.stop_thread(second)) == (0, 0)
    assert got == [(first, ["a", 1]), "none"]


def test_stop_thread_raises_what_the_function_had_raised(acl: Any, capsys: pytest.CaptureFixture[str]) -> None:
    tid, _ = acl.util.start_thread(lambda args: 1 / args, 0)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        acl.util.stop_thread(tid)
    assert "ZeroDivisionError: division by zero" in capsys.readouterr().err


@pytest.mark.fidelity("`acl.util.start_thread` resets SIGINT")
def test_start_thread_leaves_sigint(acl: Any) -> None:
    before = signal.getsignal(signal.SIGINT)
    tid, _ = acl.util.start_thread(print, None)
    acl.util.stop_thread(tid)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.fidelity("`acl.util.stop_thread` of a thread that is none, or was stopped")
def test_a_thread_is_stopped_once(acl: Any) -> None:
    tid, _ = acl.util.start_thread(print, None)
    assert [acl.util.stop_thread(tid), acl.util.stop_thread(tid)] == [0, 100000]


@pytest.mark.parametrize(
    "call", [lambda u: u.start_thread(1, []), lambda u: u.start_thread(print), lambda u: u.stop_thread("1")]
)
def test_threads_refuse_wrong_arguments(call: Any, acl: Any) -> None:
    with pytest.raises(TypeError):
        call(acl.util)
