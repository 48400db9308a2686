"""Kernels of one's own: a function of numpy arrays that computes a documented operator, in place of this emulator.

    @aclnn.kernel("aclnnFoo")
    def foo(self, other, alpha):
        return self + alpha * other

    with Machine() as machine:
        machine.kernels["aclnnFoo"] = foo

The function gets the parameters of the first phase that are no outputs, by position in the order of the prototype:
tensors as read-only dense arrays, lists of them as lists, scalars and values as Python values, null as None. It returns
the output: an array, a tuple of arrays (a list of them for a list of tensors), or a dict by the outputs' names.
`machine.kernels` comes before `@aclnn.kernel`, which holds for all machines of the process. All checks of the first
phase stay.

A result of a wrong shape or data type, and an exception, are the finding `kernel-raised` when the task runs; in a
machine that only reports, the task then fails with 507015.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from acl_runtime.errors import DeviceFault, UndefinedBehaviour
from acl_runtime.headers.dtypes import Array, dtype_name, numpy_dtype
from acl_runtime.headers.enums import aclDataType
from acl_runtime.machine.current import current
from acl_runtime.machine.own_kernels import Kernels
from acl_runtime.machine.raised import called, kernel_raised
from acl_runtime.objects.handle_table import HostArray, Scalar, Tensor
from acl_runtime.process import process
from aclnn.engine.declaration import Op
from aclnn.engine.operand import Operand
from aclnn.engine.parameters import Elements
from aclnn.engine.plan import PAIRED
from aclnn.engine.plan_builder import PlanBuilder

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)


def kernel(name: str) -> Callable[[F], F]:
    """Let a function compute the operator `name`, such as "aclnnFoo", on every machine. For a name without `aclnn`, the
    function stands in for a device kernel (`acl_runtime.api.kernel.stand_in`)."""

    def register(function: F) -> F:
        process.own(Kernels)[name] = function
        return function

    return register


class Planner:
    """Plans a call of a user's kernel. Equal planners have equal plans."""

    def __init__(self, function: Function) -> None:
        self.function = function

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Planner) and self.function is other.function

    def __hash__(self) -> int:
        return hash(id(self.function))

    def __call__(self, call: Op, builder: PlanBuilder) -> None:
        inputs: list[Operand] = []
        outputs: list[tuple[str, Tensor]] = []
        form: list[Any] = []
        takes: list[str] = []
        for param in call.params:
            value = call.__dict__[param.name]
            if isinstance(param, Elements) and param.writes and value is not None:
                members = cast("Sequence[Tensor]", value if isinstance(value, tuple) else (value,))
                named = (f"{param.printed}[{at}]" for at in range(len(members)))
                outputs += zip(named if isinstance(value, tuple) else [param.printed], members, strict=True)
            if isinstance(param, Elements) and not param.reads:
                continue
            takes.append(param.printed)
            if isinstance(value, Tensor):
                form.append(len(inputs))
                inputs.append(builder.contiguous(value))
            elif isinstance(param, Elements) and value is not None:
                listed = cast("tuple[Tensor, ...]", value)
                form.append(list(range(len(inputs), len(inputs) + len(listed))))
                inputs += [builder.contiguous(each) for each in listed]
            else:
                form.append((_plain(value),))
        results = [builder.alloc(tensor.shape, tensor.dtype) for _, tensor in outputs]
        names = tuple(name for name, _ in outputs)
        builder.launch(
            compute, inputs, results, moves=True, function=self.function, form=form, names=names,
            operator=call.c_name(), takes=tuple(takes), results=tuple((each.shape, each.dtype) for each in results),
        )  # fmt: skip
        for (_, tensor), result in zip(outputs, results, strict=True):
            builder.view_copy(result, tensor)


def _plain(value: Any) -> Any:
    """A scalar or an array object as a Python value."""
    if isinstance(value, tuple):
        return [_plain(each) for each in cast("tuple[Any, ...]", value)]
    if isinstance(value, Scalar):
        return value.item()
    return list(value.values) if isinstance(value, HostArray) else value


def compute(
    *arrays: Array, function: Function, form: Sequence[Any], names: Sequence[str], operator: str,
    takes: Sequence[str], results: Sequence[tuple[tuple[int, ...], int]],
) -> tuple[Array, ...]:  # fmt: skip
    """Call the user's function, and look at its results."""
    for array in arrays:
        array.flags.writeable = False
    try:
        return _results(function(*[_argument(each, arrays) for each in form]), names, results)
    except (DeviceFault, UndefinedBehaviour):
        raise
    except Exception as error:
        frames = error.__traceback__
        uncalled = isinstance(error, TypeError) and frames is not None and frames.tb_next is None
        why = str(error) if isinstance(error, WrongResult) else ""
        note = f"\nIt is called with {', '.join(takes)}." if uncalled else ""
        kernel = f"the kernel {called(function)} of {operator}"
        raise kernel_raised(current(), kernel, error, why=why, note=note) from None


class WrongResult(Exception):
    """A kernel returned something that is not the outputs."""


def _argument(form: Any, arrays: Sequence[Array]) -> Any:
    if isinstance(form, int):
        return arrays[form]
    return [arrays[at] for at in cast("list[int]", form)] if isinstance(form, list) else form[0]


def _results(
    returned: Any, names: Sequence[str], wanted: Sequence[tuple[tuple[int, ...], int]]
) -> tuple[Array, ...]:  # fmt: skip
    """The results in the order of the outputs."""
    values: list[Any]
    if isinstance(returned, Mapping):
        given = _by_name(cast("Mapping[str, Any]", returned))
        if set(given) != set(names):
            raise WrongResult(f"it returned {sorted(given)}; the outputs are {', '.join(names)}")
        values = [given[name] for name in names]
    else:
        several = isinstance(returned, tuple) or (isinstance(returned, list) and len(names) > 1)
        of_a_list = isinstance(returned, list) and all(name.endswith("]") for name in names)
        values = list(cast("Sequence[Any]", returned)) if several or of_a_list else [returned]
        if len(values) != len(names):
            raise WrongResult(f"it returned {len(values)} results; the outputs are {', '.join(names)}")
    found: list[Array] = []
    for name, value, (shape, dtype) in zip(names, values, wanted, strict=True):
        array, right = np.asarray(value), numpy_type(dtype)
        if array.shape != shape:
            raise WrongResult(f"{name} has the shape {list(shape)}, but the result has {list(array.shape)}")
        if array.dtype != right:
            raise WrongResult(f"{name} has the data type {right}, but the result has {array.dtype}")
        found.append(array)
    return tuple(found)


def _by_name(returned: Mapping[str, Any]) -> dict[str, Any]:
    """The results by name. A list under the name of a list of tensors has a result for each of them."""
    found: dict[str, Any] = {}
    for name, value in returned.items():
        members = enumerate(cast("list[Any]", value)) if isinstance(value, list) else ()
        found |= {f"{name}[{at}]": member for at, member in members} if isinstance(value, list) else {name: value}
    return found


def numpy_type(dtype: int) -> np.dtype[Any]:
    """The numpy type of a data type; TypeError where there is none."""
    found = numpy_dtype(dtype) or PAIRED.get(aclDataType(dtype))
    if found is None:
        raise WrongResult(f"numpy has no {dtype_name(dtype)}")
    return found
