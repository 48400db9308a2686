"""The C boundary: the one decorator between a call of the user's and the body of an API function.

It converts the arguments as the annotations say, runs the body under the machine's lock, turns AclError into the
status and the thread's error text, and records the call.
"""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from threading import get_native_id
from typing import Any, ParamSpec, TypeVar

import acl_runtime.statuses as statuses
from acl_runtime.c import CType, Result, of
from acl_runtime.conversions import Variadic
from acl_runtime.errors import AclError, UndefinedBehaviour
from acl_runtime.machine.installation import current
from acl_runtime.machine.machine import Machine
from acl_runtime.machine.records import Call
from acl_runtime.machine.site import here
from acl_runtime.messages import Item
from acl_runtime.pointers import RECORDED
from acl_runtime.statuses import (
    ACL_ERROR_RT_CONTEXT_NULL,
    ACL_ERROR_RT_INVALID_HANDLE,
    ACL_ERROR_RT_PARAM_INVALID,
    SUCCESS,
    Status,
)

KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class CFunction:
    """A function of the API as its header declares it."""

    name: str
    header: str
    result: Result
    parameters: tuple[tuple[str, CType], ...]
    doc: str
    closes: bool = True
    """does a failing runtime call append its closing line ("not the device allocation family")?"""
    also: tuple[tuple[str, str], ...] = ()
    """statuses, and their reasons, that it shares with others of its kind"""

    @cached_property
    def variadic(self) -> bool:
        """Does it end in `...`?"""
        return bool(self.parameters) and isinstance(self.parameters[-1][1], Variadic)

    @cached_property
    def prototype(self) -> str:
        """`aclError aclrtFree(void *devPtr)`."""
        listed = ", ".join(ctype.declare(name) for name, ctype in self.parameters)
        return self.result.declare(f"{self.name}({listed})")

    @property
    def help(self) -> str:
        """The prototype, then the docstring with the number of each status beside its name."""
        doc = "\n".join([self.doc, *(f"    {name}: {meaning}" for name, meaning in self.also)])
        doc = re.sub(r"^(\s+)(ACL\w+):", lambda m: f"{m[1]}{m[2]} ({getattr(statuses, m[2])}):", doc, flags=re.M)
        return f"{self.prototype}\n\n{doc}"

    def arrange(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """Arguments in the order of the prototype; TypeError in its words."""
        names = [name for name, _ in self.parameters]
        rest = dict(kwargs)
        taken = list(args)
        if self.variadic and len(args) >= len(names) - 1:
            taken[len(names) - 1 :] = [args[len(names) - 1 :]]
        for name in names[len(args) :]:
            if name not in rest:
                break
            taken.append(rest.pop(name))
        if rest or len(taken) != len(names):
            missing = f"missing {', '.join(names[len(taken) :])}" if len(taken) < len(names) else ""
            extra = f"unexpected {', '.join(rest)}" if rest else ""
            found = "; ".join(filter(None, (f"got {len(args) + len(kwargs)}", missing, extra)))
            raise TypeError(f"{self.name} takes {len(names)} argument(s), {found}\n    {self.prototype}")
        return tuple(taken)

    def blame(self, args: tuple[Any, ...]) -> TypeError:
        """Which argument could not be converted, and what would have been right."""
        for (name, ctype), value in zip(self.parameters, args, strict=True):
            try:
                ctype.convert(value)
            except TypeError as error:
                return TypeError(
                    f"{self.name}: parameter {name} ({ctype.spelling}) expects {error}; got {_shown(value)}\n"
                    f"    {self.prototype}"
                )
        return TypeError(self.name)


def _shown(value: object) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def acl_api(
    header: str, *, closes: bool = True, also: tuple[tuple[str, str], ...] = ()
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a `def` whose annotations are names of `acl_runtime.c` a function of the API, declared in `header`. `also`:
    statuses that many functions share (`acl_runtime.api.outcomes`)."""

    def decorate(body: Callable[P, R]) -> Callable[P, R]:
        annotations = dict(body.__annotations__)
        result = of(annotations.pop("return"))
        parameters = tuple((name, of(annotation)) for name, annotation in annotations.items())
        doc = inspect.cleandoc(body.__doc__ or "")
        return expose(CFunction(body.__name__, header, result, parameters, doc, closes, also), body)

    return decorate


def expose(function: CFunction, body: Callable[..., Any]) -> Any:
    """The Python function that users call."""
    converters = tuple(ctype.convert for _, ctype in function.parameters)
    count, variadic = len(converters), function.variadic
    name = function.name
    is_status = function.result.status

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != count or variadic:
            args = function.arrange(args, kwargs)
        try:
            values = [convert(value) for convert, value in zip(converters, args)]  # noqa: B905 (counted above)
        except TypeError:
            raise function.blame(args) from None
        machine = current()
        with machine.lock:
            thread = machine.thread()
            outer, thread.call = thread.call, name
            try:
                if machine.scheduler.restless:
                    machine.scheduler.stir()
                result = body(*values)
                if is_status:
                    result = SUCCESS
            except UndefinedBehaviour as behaviour:
                _record(machine, name, values, behaviour.finding.id)
                raise
            except AclError as error:
                result = Status(error.status) if is_status else _nothing(function.result)
                note(machine, function, error)
            finally:
                thread.call = outer
            _record(machine, name, values, result)
        return result

    call.__name__ = call.__qualname__ = name
    call.__module__ = body.__module__
    call.__doc__ = function.help
    call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, KINDS[isinstance(ctype, Variadic)]) for name, ctype in function.parameters]
    )
    call.c = function  # type: ignore[attr-defined]
    call.__wrapped__ = body  # type: ignore[attr-defined]
    return call


def _record(machine: Machine, name: str, values: list[Any], result: object) -> None:
    """Keep the call, with arguments as C saw them: addresses and handles as numbers, arrays as tuples. Nothing that
    keeps the caller's memory alive."""
    arguments = tuple([value.recorded if type(value) in RECORDED else value for value in values])
    call = Call(name, arguments, result)
    call.time = machine.clock.now
    machine.calls.append(call)


def also_named(name: str, function: Callable[P, R]) -> Callable[P, R]:
    """The same function under a second C name."""
    declared: CFunction = function.c  # type: ignore[attr-defined]
    return expose(replace(declared, name=name), function.__wrapped__)  # type: ignore[attr-defined]


def _nothing(result: Result) -> Any:
    return result.null() if result.null is not None else None


def note(machine: Machine, function: CFunction, error: AclError) -> None:
    """Put what went wrong into the thread's error record and last error."""
    if not error.items:
        return  # "returning 100002 records nothing"
    items = list(error.items)
    if error.runtime and error.runtime == error.status and function.closes:
        items.append(_closing(function.name, error.status))
    record = machine.errors()
    if function.name.startswith("aclnn"):  # texts of the library do not say which operator, let alone which call
        items[-1].detail = f"{items[-1].detail} [{function.name}, called at {here()}]".strip()
    for item in items:
        item.function = item.function or function.name
        item.thread = get_native_id() if machine.initialisation.errors_per_process else 0
        record.add(item)
    if error.runtime:
        machine.thread().last_error = error.runtime


def _closing(name: str, status: int) -> Item:
    """The line that "every failing runtime entry" adds, by the internal error."""
    entry = f"rt{name.removeprefix('aclrt')}"
    if status == ACL_ERROR_RT_PARAM_INVALID:
        return Item("EE1001", (f"{entry} execution failed.",))
    if status == ACL_ERROR_RT_CONTEXT_NULL:
        return Item("EE1001", (f"{entry} execution failed, reason=no valid context.",))
    if status == ACL_ERROR_RT_INVALID_HANDLE:
        return Item("EE1017", (entry, "handle", "it is invalid"))
    return Item("EE9999", (f"{entry} execution failed, reason=status {status}.",))
