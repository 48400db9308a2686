"""Handles: their values and texts, handles of another kind, destroyed ones (ours: handles, handle kinds)."""

from collections.abc import Callable
from ctypes import byref, c_uint64, c_void_p, pointer
from typing import Any

import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.helpers.builders import meta
from tests.helpers.creating import create_context, create_stream
from tests.helpers.outcomes import assert_status, finding_of, text
from tests.helpers.planned_operators import softmax

KINDS = [aclrtStream, aclrtContext, aclrtEvent, aclTensor, aclScalar, aclIntArray, aclTensorList, aclScalarList,
         aclOpExecutor]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_null_handle_equals_none_and_0_and_is_false(kind: type[c_void_p]) -> None:
    """A null handle equals None and 0 and is false; its text says so (ours)."""
    for null in (kind(), kind(None), kind(0)):
        assert null == None  # noqa: E711 (the rule is about ==)
        assert null == 0
        assert null == kind() == c_void_p()
        assert not null
        assert "null" in repr(null)
        assert kind.__name__ in repr(null)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_handles_compare_and_hash_by_value(kind: type[c_void_p]) -> None:
    """Two handles with one number are equal (ours)."""
    handle, same, other = kind(0x1000), kind(0x1000), kind(0x1040)
    assert handle == same == 0x1000 == handle
    assert handle == c_void_p(0x1000) == handle
    assert handle != other
    assert handle != None  # noqa: E711
    assert handle != "0x1000"
    assert handle
    assert {handle: 1}[same] == 1
    assert len({handle, same, other}) == 2
    assert hash(handle) == hash(0x1000), "as a number it finds the same entry"


def test_repr_shows_kind_and_ordinal(machine: Machine) -> None:
    """For a tensor, it also shows data type and shape (ours)."""
    create_stream()
    assert "stream 2" in repr(create_stream())
    assert "context" in repr(create_context())
    tensor = meta([2, 3], ACL_FLOAT16)
    for word in ("tensor 1", "DT_FLOAT16", "[2, 3]"):
        assert word in repr(tensor)
    assert "executor 1" in repr(softmax()[3].executor)
    assert "int array 1" in repr(aclCreateIntArray([1], 1))
    aclDestroyTensor(tensor)
    assert "destroyed" in repr(tensor)
    assert "unknown" in repr(aclTensor(0x10))


@pytest.mark.fidelity("device addresses and handles")
def test_numbers_are_not_reused(machine: Machine) -> None:
    """Handles have a range of their own and are not reused (ours)."""
    numbers = set()
    for _ in range(100):
        tensor = meta([1])
        numbers.add(tensor.value)
        assert aclDestroyTensor(tensor) == ACL_SUCCESS
    assert len(numbers) == 100


def test_an_old_dead_handle_is_still_known_as_dead(machine: Machine) -> None:
    """After 10,000 later ones, its history is gone, but the number is still known as a destroyed handle (ours)."""
    stream = create_stream()
    assert aclrtDestroyStream(stream) == ACL_SUCCESS
    assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "stream 1", "destroyed")
    for _ in range(10_000):
        aclDestroyIntArray(aclCreateIntArray(None, 0))
    assert_status(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE, "destroyed")


@pytest.mark.parametrize("kind", [aclrtStream, c_void_p], ids=lambda kind: kind.__name__)
def test_creators_fill_any_void_pointer(machine: Machine, kind: type[c_void_p]) -> None:
    """aclrtStream is `void *` in C, so a plain c_void_p and an int are accepted too (ours)."""
    stream = kind()
    assert aclrtCreateStream(pointer(stream)) == ACL_SUCCESS
    assert aclrtSynchronizeStream(stream.value) == ACL_SUCCESS
    assert aclrtDestroyStream(c_void_p(stream.value)) == ACL_SUCCESS


def test_runtime_handles_are_void_pointers(machine: Machine) -> None:
    """A runtime handle of another kind compiles in C, and the runtime returns its status (ours)."""
    for wrong in (create_context(), aclrtEvent(0x40)):
        assert_status(aclrtSynchronizeStream(wrong), ACL_ERROR_RT_INVALID_HANDLE, "stream")


# (function, its argument of another kind, the parameter)
OTHER_KINDS: dict[str, tuple[Callable[[Any], object], Callable[[], Any], str, str]] = {
    "a tensor as int array": (aclDestroyIntArray, lambda: meta([1]), "array", "aclIntArray"),
    "an int array as tensor": (aclDestroyTensor, lambda: aclCreateIntArray([1], 1), "tensor", "aclTensor"),
    "a list as its member": (aclDestroyTensor, lambda: aclCreateTensorList(None, 0), "tensor", "aclTensor"),
    "a stream as tensor": (aclDestroyTensor, create_stream, "tensor", "aclTensor"),
    "a tensor as executor": (aclSetAclOpExecutorRepeatable, lambda: meta([1]), "executor", "aclOpExecutor"),
    "a null handle of another kind": (aclDestroyTensor, aclIntArray, "tensor", "aclTensor"),
    "a number": (aclDestroyTensor, lambda: 0x1000, "tensor", "aclTensor(x)"),
    "a pointer to the handle": (aclDestroyTensor, lambda: byref(meta([1])), "tensor", "pass x itself"),
    "a text": (aclDestroyTensor, lambda: "tensor", "tensor", "aclTensor"),
}


@pytest.mark.parametrize(("call", "wrong", "parameter", "fix"), OTHER_KINDS.values(), ids=OTHER_KINDS)
def test_another_struct_pointer_does_not_compile(
    machine: Machine, call: Callable[[Any], object], wrong: Callable[[], Any], parameter: str, fix: str
) -> None:
    """aclnn objects are distinct struct pointers: another class is a TypeError (ours)."""
    with pytest.raises(TypeError, match=rf"parameter {parameter} ") as error:
        call(wrong())
    assert fix in str(error.value)


def test_a_plain_void_pointer_is_accepted_as_struct_pointer(machine: Machine) -> None:
    """The kind of its object is checked (ours)."""
    tensor, array, offset = meta([4], offset=2), aclCreateIntArray([1], 1), c_uint64()
    assert aclDestroyTensor(c_void_p()) == ACL_SUCCESS
    id, message = finding_of(lambda: aclGetIntArraySize(c_void_p(tensor.value), byref(offset)))
    assert id == "dead-handle"
    assert "array" in message
    assert "tensor 1" in message
    assert aclGetIntArraySize(c_void_p(array.value), byref(offset)) == ACL_SUCCESS
    assert aclDestroyTensor(c_void_p(tensor.value)) == ACL_SUCCESS


def test_a_failing_creator_returns_a_null_handle(machine: Machine) -> None:
    """The handle has the type that the creator returns (ours)."""
    tensor = aclCreateTensor(None, 2, ACL_FLOAT, None, 0, ACL_FORMAT_ND, None, 0, None)
    scalar = aclCreateScalar(bytes(16), ACL_STRING)
    assert (type(tensor), bool(tensor)) == (aclTensor, False)
    assert (type(scalar), bool(scalar)) == (aclScalar, False)


CREATORS: dict[str, Callable[[], c_void_p]] = {
    "aclTensor": lambda: meta([1]),
    "aclScalar": lambda: aclCreateScalar(bytes(4), ACL_FLOAT),
    "aclIntArray": lambda: aclCreateIntArray([1], 1),
    "aclFloatArray": lambda: aclCreateFloatArray([1.0], 1),
    "aclBoolArray": lambda: aclCreateBoolArray([True], 1),
    "aclTensorList": lambda: aclCreateTensorList([meta([1])], 1),
}


@pytest.mark.parametrize("kind", CREATORS)
def test_creators_return_their_own_kind(machine: Machine, kind: str) -> None:
    """The creators of acl_meta.h return the handle type of the header (public)."""
    handle = CREATORS[kind]()
    assert (type(handle).__name__, bool(handle)) == (kind, True)


def test_use_after_destroy_is_a_finding_with_history(machine: Machine) -> None:
    """The finding is dead-handle. It names the lines that created and destroyed the object (ours)."""
    tensor = meta([1])
    aclDestroyTensor(tensor)
    id, message = finding_of(lambda: aclGetViewOffset(tensor, None))
    assert id == "dead-handle"
    for word in ("tensor", "tensor 1", "created at", "builders.py:", "destroyed at", "test_handles.py:"):
        assert word in message
    assert text() == "", "a finding is no error text"


@pytest.mark.parametrize("null", [False, True], ids=["two", "one-null"])
def test_a_list_is_made_from_an_array_of_void_pointers(machine: Machine, null: bool) -> None:
    """Programs that use only ctypes pass such arrays: "a plain c_void_p is accepted" (ours)."""
    members = [meta([1]).value, None if null else meta([2]).value]
    size = c_uint64()
    tensors = aclCreateTensorList((c_void_p * 2)(*members), 2)
    assert aclGetTensorListSize(tensors, byref(size)) == ACL_SUCCESS
    assert size.value == 2
    assert aclDestroyTensorList(tensors) == ACL_SUCCESS
    assert finding_of(lambda: aclDestroyTensor(c_void_p(members[0])))[0] == "tensor-double-destroy"


def test_a_member_of_a_destroyed_list_names_the_list(machine: Machine) -> None:
    """Destroying a list destroys its members, and their history names the list (ours)."""
    tensor = meta([1])
    assert aclDestroyTensorList(aclCreateTensorList([tensor], 1)) == ACL_SUCCESS
    id, message = finding_of(lambda: aclDestroyTensor(tensor))
    assert id == "tensor-double-destroy"
    assert "destroyed with tensor list 1" in message
