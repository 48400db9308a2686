"""Edge cases that the emulator once handled wrongly."""

import ctypes
import threading
from ctypes import byref, c_float, c_int64, pointer

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine, UndefinedBehaviour
from aclnn import *
from tests.helpers.builders import malloc, meta, on_device, plan
from tests.helpers.creating import create_stream
from tests.helpers.host_threads import wait
from tests.helpers.outcomes import finding_of

pytestmark = pytest.mark.finds("uninit-read")


def test_the_size_behind_pointer_is_known(machine: Machine) -> None:
    """ "Where the size of the host object is known, a count beyond it is host-overrun" (ours)."""
    value, device = c_float(), malloc(64)
    assert finding_of(lambda: aclrtMemcpy(pointer(value), 64, device, 64, ACL_MEMCPY_DEFAULT))[0] == "host-overrun"
    assert aclrtMemcpy(pointer(value), 4, device, 4, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS


def test_the_count_behind_pointer_is_known(machine: Machine) -> None:
    """One value behind the pointer, two by the count."""
    one = pointer(c_int64(2))
    arguments = (ACL_FLOAT, None, 0, ACL_FORMAT_ND, [2], 1, None)
    assert finding_of(lambda: aclCreateTensor(one, 2, *arguments))[0] == "host-overrun"
    assert aclCreateTensor(one, 1, *arguments)


@pytest.mark.parametrize("wrong", [np.empty(3, object), ctypes.c_char_p(b"text")], ids=["objects", "c_char_p"])
def test_what_is_no_memory_to_write_to(machine: Machine, wrong: object) -> None:
    """Python objects and the bytes behind c_char_p are no `void *` to copy into."""
    with pytest.raises(TypeError, match="dst"):
        aclrtMemcpy(wrong, 8, malloc(8), 8, ACL_MEMCPY_DEFAULT)


def test_a_numpy_integer_is_an_address(machine: Machine) -> None:
    device, host = malloc(8), np.arange(2, dtype=np.float32)
    assert aclrtMemcpy(np.uint64(device), 8, host, 8, ACL_MEMCPY_DEFAULT) == ACL_SUCCESS
    assert machine.read(device, 2, "f4").tolist() == [0, 1]
    assert aclTensor(5) == np.uint64(5)
    assert np.uint64(5) == aclTensor(5)


def test_text_tells_what_became_of_the_context(machine: Machine) -> None:
    """ "Call after destroying current context: 107002" (public); the text does not say it was never set."""
    context = aclrtContext()
    assert aclrtCreateContext(byref(context), 0) == ACL_SUCCESS
    assert aclrtDestroyContext(context) == ACL_SUCCESS
    for gone in ("context 1 was destroyed at", "released by aclrtResetDevice at"):
        assert aclrtMalloc(byref(ctypes.c_void_p()), 8, 0) == ACL_ERROR_RT_CONTEXT_NULL
        assert gone in (aclGetRecentErrMsg() or "")
        aclrtSetDevice(0)
        while aclrtResetDevice(0) == ACL_SUCCESS:
            pass
        aclGetRecentErrMsg()
    assert aclrtSetDevice(0) == ACL_SUCCESS


def test_text_of_an_operator_names_the_call_and_the_tensor(machine: Machine) -> None:
    """Parameter, found, allowed, SoC, history (ours)."""
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, meta([2, 3]), meta([3, 2]), 0, meta([2, 3]))
    for word in ("aclnnSoftmaxBackwardGetWorkspaceSize, called at", "builders.py:", "tensor created at", "Ascend910B1"):
        assert word in planned.text


def test_a_path_that_is_no_text_is_told() -> None:
    """The error text replaces the characters that UTF-8 cannot encode."""
    with Machine():
        for path in (b"/tmp/\xff", "a\0b"):
            assert aclInit(path) == ACL_ERROR_INVALID_FILE
            assert aclGetRecentErrMsg()


def test_brackets_inside_texts_do_not_nest(tmp_path_factory: pytest.TempPathFactory) -> None:
    """ "Nesting of { and of [ at most 10 each" counts JSON, not texts (public)."""
    path = tmp_path_factory.mktemp("acl") / "acl.json"
    path.write_text('{"note": "' + "{" * 20 + '\\"["}')
    with Machine():
        assert aclInit(str(path)) == ACL_SUCCESS
        assert aclFinalize() == ACL_SUCCESS


def test_a_workspace_that_is_the_output_of_another_stream(machine: Machine) -> None:
    """ "Not shared with other work in flight" (ours), in any role in the other work."""
    first, second = create_stream(), create_stream()
    values = np.ones((2, 4), np.float32)
    strided = on_device(values, strides=(1, 2))
    planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, strided, on_device(values), 0, on_device(values))
    assert planned.workspace_size
    big = on_device(np.ones(1024, np.float32))
    grad, output = (on_device(np.ones(1024, np.float32)) for _ in range(2))
    other = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, big)
    assert aclnnSoftmaxBackward(None, 0, other.executor, first) == ACL_SUCCESS
    call = (big.address, planned.workspace_size, planned.executor, second)
    id, message = finding_of(lambda: aclnnSoftmaxBackward(*call))
    assert id == "ws-shared"
    assert "output `out`" in message
    assert aclrtSynchronizeStream(first) == ACL_SUCCESS
    assert aclnnSoftmaxBackward(*call) == ACL_SUCCESS


def test_elements_far_apart_in_a_machine_that_reports() -> None:
    """Outside live memory, reads give the fill value and writes are dropped, however far apart the elements lie."""
    for stride in (1 << 29, 1 << 61):
        with Machine(on_undefined="report"):
            aclrtSetDevice(0)
            grad, output = (on_device(np.full(4, value, np.float32)) for value in (3, 1))
            address = malloc(16)
            out = aclCreateTensor([4], 1, ACL_FLOAT, [stride], 0, ACL_FORMAT_ND, [4], 1, address)
            planned = plan(aclnnSoftmaxBackwardGetWorkspaceSize, grad, output, 0, out)
            assert planned.status == ACL_SUCCESS, planned.text
            workspace = malloc(max(planned.workspace_size, 1))
            assert aclnnSoftmaxBackward(workspace, planned.workspace_size, planned.executor, None) == ACL_SUCCESS
            assert aclrtSynchronizeStream(None) == ACL_SUCCESS


def test_a_thread_that_first_calls_after_the_end() -> None:
    """Started inside the block, first call after it: machine-closed (ours)."""
    over, found = threading.Event(), list[str]()

    def late() -> None:
        wait(over)
        try:
            aclrtSetDevice(0)
        except UndefinedBehaviour as behaviour:
            found.append(behaviour.finding.id)

    thread = threading.Thread(target=late)
    with Machine():
        thread.start()
    over.set()
    thread.join()
    assert found == ["machine-closed"]


def test_machines_are_left_in_the_reverse_order() -> None:
    first, second = Machine(), Machine()
    first.__enter__()
    second.__enter__()
    with pytest.raises(RuntimeError, match="reverse order"):
        first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    first.__exit__(None, None, None)


def test_a_stale_handle_of_another_machine_meets_no_object() -> None:
    """No handle or address of one machine is valid in the next (ours)."""
    with Machine():
        aclrtSetDevice(0)
        stale, address = meta([1]), malloc(8)
    with Machine() as machine:
        aclrtSetDevice(0)
        assert (meta([1]) == stale, malloc(8) == address) == (False, False)
        assert machine.handles.get(stale.value or 0) is None


def test_calls_keep_numbers_only(machine: Machine) -> None:
    """Records of calls hold addresses and handles as numbers, so that they keep no memory of the caller alive."""
    host = np.zeros(2, np.float32)
    aclrtMemcpy(malloc(8), 8, host, 8, ACL_MEMCPY_DEFAULT)
    meta([2, 3])
    for call in machine.calls:
        assert all(isinstance(each, int | float | str | tuple | None) for each in call.arguments), call
    with pytest.raises(UndefinedBehaviour):
        aclrtMemcpy(host, 64, malloc(64), 64, ACL_MEMCPY_DEFAULT)
    assert (machine.calls[-1].function, machine.calls[-1].result) == ("aclrtMemcpy", "host-overrun")


@pytest.mark.parametrize(
    "option",
    [{"window": "off"}, {"trace": "no"}, {"device_count": "2"}, {"patience": -1}, {"min_workspace": -5}],
    ids=str,
)
def test_options_of_a_wrong_kind_are_refused(option: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError), match=next(iter(option))):
        Machine(**option)  # type: ignore[arg-type]
