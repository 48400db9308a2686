"""For tests of host code, with pytest or without: short ways to make a tensor, run an operator, assert on a status.

    out = run(aclnnSoftmaxBackward, grad, output, -1, np.empty_like(grad))      both phases, on numpy arrays
    with device_tensor(x.T) as tensor: ...                                      a tensor with any layout
    assert_status(ret, ACLNN_ERR_PARAM_INVALID, "dim")                          a status and its message
    with expect_finding(machine, "ws-freed-early"): ...                         a mistake that must be found
    sweep_failures(program).check()                                             does it clean up when a call fails?

docs/testing.md shows them in use. What they make they destroy and free, so they leave no findings.
"""

from collections.abc import Callable
from contextlib import suppress
from ctypes import byref, c_uint64, c_void_p
from difflib import get_close_matches
from math import prod
from types import TracebackType
from typing import Any, TypeVar, cast

import numpy as np

from acl_runtime import (
    ACL_MEM_MALLOC_HUGE_FIRST,
    aclBoolArray,
    aclCreateBoolArray,
    aclCreateFloatArray,
    aclCreateIntArray,
    aclCreateScalar,
    aclDestroyAclOpExecutor,
    aclDestroyBoolArray,
    aclDestroyFloatArray,
    aclDestroyIntArray,
    aclDestroyScalar,
    aclFloatArray,
    aclIntArray,
    aclOpExecutor,
    aclrtFree,
    aclrtMalloc,
    aclrtResetDevice,
    aclrtSetDevice,
    aclrtStream,
    aclrtSynchronizeStream,
    aclScalar,
)
from acl_runtime.abi.declarations import function_of
from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.headers.dtypes import Array, data_type_of
from acl_runtime.machine.current import current
from acl_runtime.testing.assertions import assert_status, assert_success, expect_at_end, expect_finding
from acl_runtime.testing.sweeps.sweep import sweep_failures
from aclnn.device_tensor import DeviceTensor, device_tensor
from aclnn.engine.declaration import BoolArrayIn, FloatArrayIn, IntArrayIn, Op, Param, ScalarIn, TensorOut, TensorParam

__all__ = [
    "DeviceTensor", "assert_status", "assert_success", "device_tensor", "expect_at_end", "expect_finding", "run",
    "sweep_failures",
]  # fmt: skip
Value = TypeVar("Value", aclScalar, aclIntArray, aclFloatArray, aclBoolArray)


def run(function: Callable[..., int], *args: Any, stream: aclrtStream | None = None, **kwargs: Any) -> Any:
    """Run both phases of an operator and wait for it; every call must succeed, or it is an AssertionError.

    `function` is the operator's, such as aclnnSoftmaxBackward; the arguments are those of its first phase, up to
    workspaceSize, in their order or by name. A tensor is given as a numpy array, whose layout it takes, or as a
    DeviceTensor, or None; an output as an array that only tells type and layout, such as one of np.empty; aclScalar
    and the array objects as numbers and lists. Without a current context, device 0 is set for the call.

    The result is the output as an array; with several outputs a tuple, in which a null one is None.
    """
    __tracebackhide__ = True
    phases: tuple[Any, Any] | None = getattr(function, "phases", None)
    if phases is None:
        raise TypeError(f"run takes the function of an operator, such as aclnnSoftmaxBackward, not {function!r}")
    first, second = phases
    op: type[Op] = first.op
    given = _given(phases, op, args, kwargs)
    with Undo() as undo:
        if current().find_context() is None:
            assert_success(aclrtSetDevice(0))
            undo.append(lambda: assert_success(aclrtResetDevice(0)))
        values = [_argument(param, value, undo) for param, value in zip(op.params, given, strict=True)]
        handles = [value.handle if isinstance(value, DeviceTensor) else value for value in values]
        size, executor = c_uint64(), aclOpExecutor()
        assert_success(first(*handles, byref(size), byref(executor)))
        workspace = _workspace(size.value, executor, undo)
        try:
            assert_success(second(workspace, size.value, executor, stream))
            assert_success(aclrtSynchronizeStream(stream))
        except BaseException:  # work that has not ended would still use what is freed now
            with suppress(AssertionError, UndefinedBehaviour):
                assert_success(aclrtSynchronizeStream(stream))
            raise
        outputs = [value for param, value in zip(op.params, values, strict=True) if isinstance(param, TensorOut)]
        results = tuple(None if tensor is None else _now(tensor) for tensor in outputs)
    return results if len(results) != 1 else results[0]


def _given(phases: tuple[Any, Any], op: type[Op], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The arguments in the order of the prototype; TypeError with the prototype if they are not those."""
    __tracebackhide__ = True
    names = [param.printed for param in op.params]
    printed = {param.name: param.printed for param in op.params}  # a document's misprint need not be repeated
    by_name = {printed.get(name, name): value for name, value in kwargs.items()}
    troubles = [f"{len(args)} arguments by position, there are {len(names)}"] if len(args) > len(names) else []
    for name in by_name:
        if name not in names:
            close = get_close_matches(name, names, 1)
            troubles.append(f"no parameter {name}" + (f", did you mean {close[0]}?" if close else ""))
        elif name in names[: len(args)]:
            troubles.append(f"{name} is given twice")
    missing = [name for name in names[len(args) :] if name not in by_name]
    if missing:
        troubles.append(f"missing {', '.join(missing)}")
    if troubles:
        first, second = (function_of(phase) for phase in phases)
        told = "; ".join(troubles)
        raise TypeError(
            f"run({second.name}, ...): {told}\n    {first.prototype}\n    (run takes what comes before workspaceSize)"
        )
    return [*args, *(by_name[name] for name in names[len(args) :])]


class Undo(list[Callable[[], None]]):
    """What to do at the end of a block, the last first; it goes on after a failure, and hides none of the block's."""

    def __enter__(self) -> "Undo":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        failures: list[Exception] = []
        while self:
            try:
                self.pop()()
            except (AssertionError, UndefinedBehaviour) as failure:
                failures.append(failure)
        if failures and error is None:
            raise failures[0]


def _workspace(size: int, executor: aclOpExecutor, undo: Undo) -> c_void_p:
    """The memory that the first phase asked for; null if it needs none. Without it there is no launch, and the
    executor is still ours to destroy."""
    __tracebackhide__ = True
    workspace = c_void_p()
    if size:
        try:
            assert_success(aclrtMalloc(byref(workspace), size, ACL_MEM_MALLOC_HUGE_FIRST))
        except BaseException:
            assert_success(aclDestroyAclOpExecutor(executor))
            raise
        undo.append(lambda: assert_success(aclrtFree(workspace)))
    return workspace


def _argument(param: Param[Any], value: Any, undo: Undo) -> Any:
    """What the first phase gets for it; what is made for that is destroyed by `undo`."""
    __tracebackhide__ = True
    if isinstance(param, TensorParam):
        if value is None or isinstance(value, DeviceTensor):
            return value
        if not isinstance(value, np.ndarray):
            raise TypeError(f"{param.printed}: a numpy array, a DeviceTensor or None, not {value!r}")
        tensor = device_tensor(cast("Array", value), copy=not isinstance(param, TensorOut))
        undo.append(tensor.close)
        return tensor
    if value is None:
        return None
    if isinstance(param, ScalarIn):
        return _scalar(value, undo)
    if isinstance(param, IntArrayIn):
        return _destroyed(undo, aclDestroyIntArray, aclCreateIntArray(value, len(value)))
    if isinstance(param, FloatArrayIn):
        return _destroyed(undo, aclDestroyFloatArray, aclCreateFloatArray(value, len(value)))
    if isinstance(param, BoolArrayIn):
        return _destroyed(undo, aclDestroyBoolArray, aclCreateBoolArray(value, len(value)))
    return value


def _scalar(value: Any, undo: Undo) -> aclScalar:
    """A float is an ACL_FLOAT, as in the documents' programs; an int an ACL_INT64; a numpy scalar keeps its type."""
    exact: Array = np.asarray(value, np.float32 if type(value) is float else None)
    return _destroyed(undo, aclDestroyScalar, aclCreateScalar(exact, data_type_of(exact.dtype)))


def _destroyed(undo: Undo, destroy: Callable[[Any], int], handle: Value) -> Value:
    undo.append(lambda: assert_success(destroy(handle)))
    return handle


def _now(tensor: DeviceTensor) -> Array:
    """What it holds. Not by a copy of the host's, which would find that an operator wrote nothing into it."""
    storage = current().read(tensor.address, prod(tensor.layout.storage_shape), tensor.dtype)
    return np.array(tensor.layout.view(storage))
