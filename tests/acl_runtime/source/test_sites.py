"""Every object keeps the user's lines that created and ended it (findings, the rules: "the history of the object: where
it was made, freed, launched")."""

import pickle
from collections.abc import Callable
from ctypes import byref, c_float, c_uint64, c_void_p
from typing import Any

import numpy as np
import pytest

import acl_runtime as acl
from acl_runtime import *
from acl_runtime import Machine
from acl_runtime.objects.handle_table import Thing
from acl_runtime.source.frames import by_site, here
from acl_runtime.source.site import shown
from aclnn import *
from tests.helpers.builders import on_device

HOST = np.zeros(64, np.uint8)
Function = Callable[..., object]


def line_of(function: Any) -> str:
    """`file:line` of a function that is one line long."""
    return f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}"


# for each kind: its handle class if a call fills it, else None; the call that creates it; the call that destroys it
THINGS: dict[str, tuple[type[Any] | None, Function, Function]] = {
    "stream": (acl.aclrtStream, lambda it: acl.aclrtCreateStream(it), lambda it: acl.aclrtDestroyStream(it)),
    "event": (acl.aclrtEvent, lambda it: acl.aclrtCreateEvent(it), lambda it: acl.aclrtDestroyEvent(it)),
    "context": (acl.aclrtContext, lambda it: acl.aclrtCreateContext(it, 0), lambda it: acl.aclrtDestroyContext(it)),
    "tensor": (
        None,
        lambda: acl.aclCreateTensor([2], 1, 0, None, 0, 2, [2], 1, None),
        lambda it: acl.aclDestroyTensor(it),
    ),
    "scalar": (None, lambda: acl.aclCreateScalar(byref(c_float()), ACL_FLOAT), lambda it: acl.aclDestroyScalar(it)),
    "int array": (None, lambda: acl.aclCreateIntArray([1], 1), lambda it: acl.aclDestroyIntArray(it)),
    "tensor list": (None, lambda: acl.aclCreateTensorList(None, 0), lambda it: acl.aclDestroyTensorList(it)),
    "data buffer": (None, lambda: acl.aclCreateDataBuffer(None, 8), lambda it: acl.aclDestroyDataBuffer(it)),
}


@pytest.mark.parametrize(("kind", "make", "end"), THINGS.values(), ids=THINGS)
def test_a_handle_knows_where_it_was_created_and_destroyed(
    machine: Machine, kind: type[Any] | None, make: Function, end: Function
) -> None:
    """The history of an object names both lines."""
    made: Any = kind() if kind is not None else make()
    if kind is not None:
        assert make(byref(made)) == ACL_SUCCESS
    thing = machine.handles.get(made.value)
    assert isinstance(thing, Thing)
    end(made)
    assert [past.site for past in thing.past()] == [line_of(make), line_of(end)]


def allocated(machine: Machine, address: int) -> Any:
    return machine.devices[0].memory.at(address)


def pinned(machine: Machine, address: int) -> Any:
    return machine.pinned.holding(address)


PIECES: dict[str, tuple[Function, Function, Callable[[Machine, int], Any]]] = {
    "device memory": (lambda it: acl.aclrtMalloc(it, 64, 0), lambda it: acl.aclrtFree(it), allocated),
    "pinned memory": (lambda it: acl.aclrtMallocHost(it, 64), lambda it: acl.aclrtFreeHost(it), pinned),
    "mapped memory": (
        lambda it: acl.aclrtHostRegister(HOST, 64, 0, it),
        lambda it: acl.aclrtHostUnregister(HOST),
        allocated,
    ),
}


@pytest.mark.parametrize(("make", "end", "find"), PIECES.values(), ids=PIECES)
def test_memory_knows_where_it_was_allocated_and_freed(
    machine: Machine, make: Function, end: Function, find: Callable[[Machine, int], Any]
) -> None:
    """The history of an allocation names both lines."""
    address = c_void_p()
    assert make(byref(address)) == ACL_SUCCESS
    piece = find(machine, address.value or 0)
    assert end(address) == ACL_SUCCESS
    assert [past.site for past in piece.past()] == [line_of(make), line_of(end)]


def test_an_executor_knows_where_it_was_planned_and_launched(machine: Machine) -> None:
    """The history of an executor names both lines, and its task names the launch."""
    tensors = [on_device(np.ones(2, np.float32)).handle for _ in range(3)]
    size, executor = c_uint64(), acl.aclOpExecutor()
    grad, output, out = tensors
    plan = lambda: aclnnSoftmaxBackwardGetWorkspaceSize(grad, output, 0, out, byref(size), byref(executor))  # noqa: E731
    launch = lambda: aclnnSoftmaxBackward(None, 0, executor, None)  # noqa: E731
    assert plan() == launch() == ACL_SUCCESS
    thing = machine.handles.dead(executor.value or 0)
    assert thing is not None
    assert [past.site for past in thing.past()] == [line_of(plan), line_of(launch)]
    (task,) = next(iter(machine.streams())).queue
    assert task.past().site == line_of(launch)


def test_a_device_knows_where_it_was_set(machine: Machine) -> None:
    """It keeps the line of aclrtSetDevice."""
    machine.devices[0].set_at = ""
    reset, set_ = lambda: acl.aclrtResetDevice(0), lambda: acl.aclrtSetDevice(0)
    assert reset() == set_() == ACL_SUCCESS
    assert machine.devices[0].set_at == line_of(set_)


# which frame is the user's


def site_from(module: str | None) -> str:
    """The site that a function of this module, called from here, finds for the user."""
    scope: dict[str, Any] = {"here": here}
    if module is not None:
        scope["__name__"] = module
    exec(compile("def inner(): return here()\ndef outer(): return inner()", "other.py", "exec"), scope)
    return scope["outer"]()


def test_our_modules_are_known_by_name() -> None:
    """The folder of their files does not matter. A name that only begins alike is the user's, and so is code without a
    name."""
    for module in ("acl_runtime.api.x", "aclnn.ops.x"):
        assert site_from(module).startswith(f"{__file__}:")
    for module in ("acl_runtime_tests.x", "aclnn_tools", "__main__", None):
        assert site_from(module) == "other.py:2"


def test_at_most_five_sites_are_listed_the_most_frequent_first() -> None:
    """`by_site` sums equal lines."""
    assert by_site(["a:1", "b:2", "b:2"]) == "2 at b:2, 1 at a:1"
    assert by_site(f"a:{n}" for n in range(9)).count(" at ") == 5
    assert by_site([]) == "none"


def innermost() -> None:
    acl.aclDestroyTensor(acl.aclTensor(5))


def between() -> None:
    innermost()


def test_a_line_that_calls_itself_is_listed_once() -> None:
    """A comprehension is a function of its own before Python 3.12, and a program may recurse."""

    def again(depth: int) -> None:
        [acl.aclDestroyTensor(acl.aclTensor(5)) for _ in range(1)] if depth == 0 else again(depth - 1)

    with Machine(on_undefined="report") as machine:
        again(2)
        (finding,) = machine.findings
    line = again.__code__.co_firstlineno + 1
    assert str(finding.site) == f"{__file__}:{line}"
    assert f"{__file__}:{line}" not in finding.site.callers  # type: ignore[attr-defined]


def test_a_finding_lists_the_callers_too() -> None:
    """ "Both stacks": the mistake is seldom in a helper itself (ours). Frames of the test runner are left out."""
    with Machine(on_undefined="report") as machine:
        between()
        (finding,) = machine.findings
    first = between.__code__.co_firstlineno
    here_, *outer = [finding.site, *finding.site.callers]  # type: ignore[attr-defined]
    assert here_ == f"{__file__}:{innermost.__code__.co_firstlineno + 1}"
    assert outer[0] == f"{__file__}:{first + 1}"
    assert [each.rpartition(":")[0] for each in outer] == [__file__] * 2
    assert f"called from {', '.join(map(shown, outer))}" in str(finding)
    assert "called from" not in finding.text(callers=False)
    assert type(pickle.loads(pickle.dumps(finding.site))) is str
