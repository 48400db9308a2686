"""Kernels of the user: functions of numpy arrays that compute documented operators in place of this emulator.

    @aclnn.kernel("aclnnFoo")
    def foo(self, other, alpha):
        return self + alpha * other

    with Machine() as machine:
        machine.kernels["aclnnFoo"] = foo

The function gets the inputs of the first phase by position, in the order of the prototype: tensors as read-only dense
arrays, lists of tensors as lists, scalars and values as Python values, null as None. It returns the output: an array, a
tuple of arrays (a list of arrays for a list of tensors), or a dict by the outputs' names. `machine.kernels` has
precedence over `@aclnn.kernel`, which applies to all machines of the process. The first phase makes all its checks.

When the task runs, an exception or a result of a wrong shape or data type is the finding `kernel-raised`. In a machine
that only reports, the task then fails with 507015.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from acl_runtime.errors import DeviceFault, UndefinedBehaviour
from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.dtypes import Array, Shape, numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.machine.current import current
from acl_runtime.machine.own_kernels import Kernels
from acl_runtime.machine.raised import kernel_of, kernel_raised
from acl_runtime.objects.handle_table import HostArray, Scalar, Tensor
from acl_runtime.process import process
from acl_runtime.text import Text
from aclnn.engine.declaration import Op
from aclnn.engine.operand import Operand
from aclnn.engine.parameters import Elements
from aclnn.engine.plan import PAIRED
from aclnn.engine.plan_builder import PlanBuilder

KernelFunction = Callable[..., Any]
F = TypeVar("F", bound=KernelFunction)


def kernel(name: str) -> Callable[[F], F]:
    """Let a function compute the operator `name`, such as "aclnnFoo", on every machine. For a name without `aclnn`, the
    function replaces a device kernel (`acl_runtime.api.kernel.stand_in`)."""

    def register(function: F) -> F:
        process.own(Kernels)[name] = function
        return function

    return register


class KernelPlanner:
    """The planner of a user's kernel. Equal planners have equal plans."""

    def __init__(self, function: KernelFunction) -> None:
        self.function = function

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KernelPlanner) and self.function is other.function

    def __hash__(self) -> int:
        return hash(id(self.function))

    def __call__(self, call: Op, builder: PlanBuilder) -> None:
        inputs: list[Operand] = []
        outputs: list[tuple[str, Tensor]] = []
        arguments: list[Any] = []
        argument_names: list[str] = []
        for param in call.params:
            value = call.__dict__[param.name]
            if isinstance(param, Elements) and param.writes and value is not None:
                tensors = cast("Sequence[Tensor]", value if isinstance(value, tuple) else (value,))
                names = (f"{param.printed}[{number}]" for number in range(len(tensors)))
                outputs += zip(names if isinstance(value, tuple) else [param.printed], tensors, strict=True)
            if isinstance(param, Elements) and not param.reads:
                continue
            argument_names.append(param.printed)
            if isinstance(value, Tensor):
                arguments.append(len(inputs))
                inputs.append(builder.contiguous(value))
            elif isinstance(param, Elements) and value is not None:
                tensors = cast("tuple[Tensor, ...]", value)
                arguments.append(list(range(len(inputs), len(inputs) + len(tensors))))
                inputs += [builder.contiguous(tensor) for tensor in tensors]
            else:
                arguments.append((_python_value(value),))
        results = [builder.alloc(tensor.shape, tensor.dtype) for _, tensor in outputs]
        builder.launch(
            compute, inputs, results, moves=True, function=self.function, arguments=arguments,
            names=tuple(name for name, _ in outputs), operator=call.c_name(), argument_names=tuple(argument_names),
            results=tuple((result.shape, result.dtype) for result in results),
        )  # fmt: skip
        for (_, tensor), result in zip(outputs, results, strict=True):
            builder.view_copy(result, tensor)


def _python_value(value: Any) -> Any:
    """The Python value of a scalar or an array object."""
    if isinstance(value, tuple):
        return [_python_value(member) for member in cast("tuple[Any, ...]", value)]
    if isinstance(value, Scalar):
        return value.item()
    return list(value.values) if isinstance(value, HostArray) else value


def compute(
    *arrays: Array, function: KernelFunction, arguments: Sequence[Any], names: Sequence[str], operator: str,
    argument_names: Sequence[str], results: Sequence[tuple[Shape, int]],
) -> tuple[Array, ...]:  # fmt: skip
    """Call the user's function, and check its results. `arguments` has for each argument the number of an array, a list
    of such numbers, or a tuple with a value."""
    for array in arrays:
        array.flags.writeable = False
    try:
        return _results(function(*[_argument(argument, arrays) for argument in arguments]), names, results)
    except (DeviceFault, UndefinedBehaviour):
        raise
    except Exception as error:
        frames = error.__traceback__
        wrong_signature = isinstance(error, TypeError) and frames is not None and frames.tb_next is None
        reason = error.text if isinstance(error, WrongResult) else ""
        note = f"\nIt is called with {', '.join(argument_names)}." if wrong_signature else ""
        raise kernel_raised(current(), kernel_of(function, operator), error, why=reason, note=note) from None


class WrongResult(Exception):
    """The results of a kernel do not match the outputs."""

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self.text = text


def _argument(argument: Any, arrays: Sequence[Array]) -> Any:
    if isinstance(argument, int):
        return arrays[argument]
    if isinstance(argument, list):
        return [arrays[number] for number in cast("list[int]", argument)]
    return argument[0]


def _results(returned: Any, names: Sequence[str], outputs: Sequence[tuple[Shape, int]]) -> tuple[Array, ...]:
    """The results in the order of the outputs."""
    values: list[Any]
    if isinstance(returned, Mapping):
        by_name = _by_name(cast("Mapping[str, Any]", returned))
        if set(by_name) != set(names):
            raise WrongResult(
                Text("it returned {given}; the outputs are {names}", given=sorted(by_name), names=", ".join(names))
            )
        values = [by_name[name] for name in names]
    else:
        several = isinstance(returned, tuple) or (isinstance(returned, list) and len(names) > 1)
        of_a_list = isinstance(returned, list) and all(name.endswith("]") for name in names)
        values = list(cast("Sequence[Any]", returned)) if several or of_a_list else [returned]
        if len(values) != len(names):
            count = len(values)
            raise WrongResult(
                Text("it returned {count} results; the outputs are {names}", count=count, names=", ".join(names))
            )
    arrays: list[Array] = []
    for name, value, (shape, dtype) in zip(names, values, outputs, strict=True):
        array, expected = np.asarray(value), numpy_type(dtype)
        if array.shape != shape:
            raise WrongResult(
                Text("{name} has the shape {shape}, but the result has {found}", name=name, shape=list(shape),
                     found=list(array.shape))
            )  # fmt: skip
        if array.dtype != expected:
            raise WrongResult(
                Text("{name} has the data type {dtype}, but the result has {found}", name=name, dtype=expected,
                     found=array.dtype)
            )  # fmt: skip
        arrays.append(array)
    return tuple(arrays)


def _by_name(returned: Mapping[str, Any]) -> dict[str, Any]:
    """The results by name. A list under the name of a list of tensors has a result for each tensor."""
    results: dict[str, Any] = {}
    for name, value in returned.items():
        if isinstance(value, list):
            results |= {f"{name}[{number}]": member for number, member in enumerate(cast("list[Any]", value))}
        else:
            results[name] = value
    return results


def numpy_type(data_type: int) -> np.dtype[Any]:
    """The numpy type of a data type. Raises `WrongResult` if there is none."""
    dtype = numpy_dtype(data_type) or PAIRED.get(aclDataType(data_type))
    if dtype is None:
        raise WrongResult(Text("numpy has no {dtype}", dtype=dtype_name(data_type)))
    return dtype
