"""Helpers for tests of host code, with or without pytest: make a tensor, run an operator, assert on a status.

    out = run(aclnnSoftmaxBackward, grad, output, -1, np.empty_like(grad))      both phases, on numpy arrays
    with device_tensor(x.T) as tensor: ...                                      a tensor with any layout
    assert_status(ret, ACLNN_ERR_PARAM_INVALID, "dim")                          a status and its message
    with expect_finding(machine, "ws-freed-early"): ...                         a mistake that must be reported
    sweep_failures(program).check()                                   does the program clean up when a call fails?

`aclnn docs testing` shows them in use. The helpers release everything that they create, so they leave no findings.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from ctypes import byref, c_uint64, c_void_p
from dataclasses import dataclass
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
    aclCreateScalarList,
    aclCreateTensorList,
    aclDestroyAclOpExecutor,
    aclDestroyBoolArray,
    aclDestroyFloatArray,
    aclDestroyIntArray,
    aclDestroyScalar,
    aclDestroyScalarList,
    aclDestroyTensorList,
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
    aclScalarList,
    aclTensorList,
)
from acl_runtime.abi.declarations import function_of
from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.headers.dtypes import Array, data_type_of
from acl_runtime.machine.current import current
from acl_runtime.testing.assertions import assert_status, assert_success, expect_at_end, expect_finding
from acl_runtime.testing.sweeps.sweep import sweep_failures
from aclnn.device_tensor import DeviceTensor, device_tensor
from aclnn.engine.declaration import Op
from aclnn.engine.parameters import (
    BoolArrayIn,
    FloatArrayIn,
    IntArrayIn,
    Param,
    ScalarIn,
    ScalarListIn,
    TensorListParam,
    TensorParam,
)

__all__ = [
    "DeviceTensor", "assert_status", "assert_success", "device_tensor", "expect_at_end", "expect_finding", "run",
    "sweep_failures",
]  # fmt: skip
Value = TypeVar("Value", aclScalar, aclIntArray, aclFloatArray, aclBoolArray, aclTensorList, aclScalarList)


def run(function: Callable[..., int], *args: Any, stream: aclrtStream | None = None, **kwargs: Any) -> Any:
    """Run both phases of an operator and wait for its end. AssertionError if a call fails.

    `function` is the second phase of the operator, such as aclnnSoftmaxBackward. The other arguments are those of its
    first phase up to workspaceSize, by position or by name:

    - a tensor is a numpy array (the tensor gets its layout), a DeviceTensor, or None
    - an output is an array of which only type and layout are used, such as one of np.empty
    - an aclScalar is a number, an array object such as aclIntArray is a list
    - an aclTensorList is a list of tensors, an aclScalarList a list of numbers
    - a tensor that the operator changes in place is an array with its initial values

    If the thread has no current context, device 0 is set for the call. Returns the output as an array, and several
    outputs as a tuple. A null output is None; a list of tensors is a list of arrays. A tensor that is changed in place
    is an output.
    """
    __tracebackhide__ = True
    phases: tuple[Any, Any] | None = getattr(function, "phases", None)
    if phases is None:
        raise TypeError(f"run takes the function of an operator, such as aclnnSoftmaxBackward, not {function!r}")
    first, second = phases
    op: type[Op] = first.op
    arguments = _in_order(phases, op, args, kwargs)
    with Undo() as undo:
        if current().find_context() is None:
            assert_success(aclrtSetDevice(0))
            undo.append(lambda: assert_success(aclrtResetDevice(0)))
        values = [_argument(param, value, undo) for param, value in zip(op.params, arguments, strict=True)]
        handles = [_handle(value) for value in values]
        size, executor = c_uint64(), aclOpExecutor()
        assert_success(first(*handles, byref(size), byref(executor)))
        workspace = _workspace(size.value, executor, undo)
        try:
            assert_success(second(workspace, size.value, executor, stream))
            assert_success(aclrtSynchronizeStream(stream))
        except BaseException:  # wait, because queued work uses the memory that is freed next
            with suppress(AssertionError, UndefinedBehaviour):
                assert_success(aclrtSynchronizeStream(stream))
            raise
        written = [op.params[place] for place in op.output_places]
        outputs = [value for param, value in zip(op.params, values, strict=True) if param in written]
        results = tuple(_result(value) for value in outputs)
    return results if len(results) != 1 else results[0]


def _in_order(phases: tuple[Any, Any], op: type[Op], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The arguments in the order of the prototype. If they do not fit, a TypeError shows the prototype."""
    __tracebackhide__ = True
    names = [param.printed for param in op.params]
    # a document may misprint a name: callers may use the printed name or the right one
    printed = {param.name: param.printed for param in op.params}
    by_name = {printed.get(name, name): value for name, value in kwargs.items()}
    problems = [f"{len(args)} arguments by position, at most {len(names)}"] if len(args) > len(names) else []
    for name in by_name:
        if name not in names:
            close = get_close_matches(name, names, 1)
            problems.append(f"no parameter {name}" + (f", did you mean {close[0]}?" if close else ""))
        elif name in names[: len(args)]:
            problems.append(f"{name} is given twice")
    missing = [name for name in names[len(args) :] if name not in by_name]
    if missing:
        problems.append(f"missing {', '.join(missing)}")
    if problems:
        first, second = (function_of(phase) for phase in phases)
        raise TypeError(
            f"run({second.name}, ...): {'; '.join(problems)}\n    {first.prototype}\n"
            "    (run takes the parameters before workspaceSize)"
        )
    return [*args, *(by_name[name] for name in names[len(args) :])]


class Undo(list[Callable[[], None]]):
    """Cleanup functions, called in reverse order at the end of a block. If a function fails, the others are called
    nevertheless. A failure does not replace an exception of the block."""

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
    """A workspace of the size that the first phase returned; null for size 0. If the allocation fails there is no
    launch, so the executor is destroyed here."""
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
    """The argument of the first phase for a value. `undo` destroys the objects that are made for it."""
    __tracebackhide__ = True
    if isinstance(param, TensorParam):
        if value is None or isinstance(value, DeviceTensor):
            return value
        if not isinstance(value, np.ndarray):
            raise TypeError(f"{param.printed} takes a numpy array, a DeviceTensor or None, not {value!r}")
        tensor = device_tensor(cast("Array", value), copy=param.reads)
        undo.append(tensor.close)
        return tensor
    if value is None:
        return None
    if isinstance(param, TensorListParam):
        return _tensors(param, value, undo)
    if isinstance(param, ScalarListIn):
        scalars = [aclCreateScalar(*_typed(each)) for each in value]
        return _owned(undo, aclDestroyScalarList, aclCreateScalarList(scalars, len(scalars)))
    if isinstance(param, ScalarIn):
        return _scalar(value, undo)
    if isinstance(param, IntArrayIn):
        return _owned(undo, aclDestroyIntArray, aclCreateIntArray(value, len(value)))
    if isinstance(param, FloatArrayIn):
        return _owned(undo, aclDestroyFloatArray, aclCreateFloatArray(value, len(value)))
    if isinstance(param, BoolArrayIn):
        return _owned(undo, aclDestroyBoolArray, aclCreateBoolArray(value, len(value)))
    return value


def _scalar(value: Any, undo: Undo) -> aclScalar:
    """A Python float becomes ACL_FLOAT, as in the programs of the documents; an int becomes ACL_INT64. A numpy scalar
    keeps its type."""
    return _owned(undo, aclDestroyScalar, aclCreateScalar(*_typed(value)))


def _typed(value: Any) -> tuple[Array, int]:
    """The value of an aclScalar, and its data type."""
    exact: Array = np.asarray(value, np.float32 if type(value) is float else None)
    return exact, data_type_of(exact.dtype)


@dataclass(frozen=True)
class ListOnDevice:
    """An aclTensorList, and the tensors in it."""

    handle: aclTensorList
    tensors: list[DeviceTensor]


def _tensors(param: TensorListParam, values: Sequence[Array | DeviceTensor], undo: Undo) -> ListOnDevice:
    """A list of tensors. Destroying the list destroys them; their memory is freed afterwards."""
    tensors: list[DeviceTensor] = []
    for value in values:
        tensor = value if isinstance(value, DeviceTensor) else device_tensor(value, copy=param.reads)
        tensor.in_list = True
        undo.append(tensor.close)
        tensors.append(tensor)
    handle = aclCreateTensorList([member.handle for member in tensors], len(tensors))
    return ListOnDevice(_owned(undo, aclDestroyTensorList, handle), tensors)


def _handle(value: Any) -> Any:
    """The handle of a tensor or a list; any other value is returned unchanged."""
    return value.handle if isinstance(value, DeviceTensor | ListOnDevice) else value


def _result(value: DeviceTensor | ListOnDevice | None) -> Any:
    """The values of an output."""
    if isinstance(value, ListOnDevice):
        return [_values(tensor) for tensor in value.tensors]
    return None if value is None else _values(value)


def _owned(undo: Undo, destroy: Callable[[Any], int], handle: Value) -> Value:
    """Return the handle, and let `undo` destroy it."""
    undo.append(lambda: assert_success(destroy(handle)))
    return handle


def _values(tensor: DeviceTensor) -> Array:
    """The values in memory. aclrtMemcpy is not used, as it reports bytes that no operator has written."""
    storage = current().read(tensor.address, prod(tensor.layout.storage_shape), tensor.dtype)
    return tensor.view(storage)
