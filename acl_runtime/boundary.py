"""The C boundary: the one decorator between a call of the user's and the body of an API function.

It converts the arguments as the annotations say, runs the body under the machine's lock, turns AclError into the
status and the thread's error text, and records the call.
"""

import inspect
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace
from threading import current_thread, get_native_id
from typing import Any, ParamSpec, TypeAlias, TypeVar

import acl_runtime.objects.support as support
from acl_runtime.abi.c import of
from acl_runtime.abi.conversions import Variadic
from acl_runtime.abi.function import CFunction
from acl_runtime.checks.lifetime.executor_visits import Visit
from acl_runtime.checks.lifetime.teardown_order import RELEASES
from acl_runtime.errors import AclError, UndefinedBehaviour
from acl_runtime.faults.failures import Failure
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_CONTEXT_NULL,
    ACL_ERROR_RT_INVALID_HANDLE,
    ACL_ERROR_RT_PARAM_INVALID,
    ACLNN_ERR_RUNTIME_ERROR,
    SUCCESS,
    Status,
)
from acl_runtime.machine.current import calling, installation
from acl_runtime.machine.installation import Inherited
from acl_runtime.machine.machine import Machine
from acl_runtime.recording import recorder
from acl_runtime.source.frames import Caller, here, trail
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Task

_caller = sys._getframe  # pyright: ignore[reportPrivateUsage]
KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
IN_CALLBACK = (("ACL_ERROR_RT_PARAM_INVALID", "called in a callback of a stream, and the machine only reports."),)
P = ParamSpec("P")
R = TypeVar("R")
Failed: TypeAlias = Callable[..., None]
"""gets the AclError and the converted arguments"""


def acl_api(
    header: str,
    *,
    closes: bool = True,
    also: tuple[tuple[str, str], ...] = (),
    harmless: Collection[int] = (),
    resource: bool = False,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a `def` whose annotations are names of `acl_runtime.abi.c` a function of the API, declared in `header`; the
    other facts are those of `CFunction`. `also`: statuses that many functions share (`acl_runtime.api.outcomes`)."""

    def decorate(body: Callable[P, R]) -> Callable[P, R]:
        annotations = dict(body.__annotations__)
        result = of(annotations.pop("return"))
        parameters = tuple((name, of(annotation)) for name, annotation in annotations.items())
        doc = inspect.cleandoc(body.__doc__ or "")
        shared = (*also, *support.statuses(body.__name__), *(IN_CALLBACK if resource else ()))
        products = support.help_lines(body.__name__) if header.startswith("acl/") else ()
        declared = CFunction(
            body.__name__, header, result, parameters, doc, closes, shared, harmless, resource, products
        )
        return expose(declared, body)

    return decorate


def expose(  # noqa: PLR0915
    function: CFunction,
    body: Callable[..., Any],
    failed: Failed | None = None,
    *,
    told: bool = False,
    from_c: bool = False,
) -> Any:
    """The Python function that users call. `failed`: what a failure leaves behind that the body is not asked for.
    `told`: both get the machine, the thread and the list of the arguments instead of these alone. `from_c`: it gets
    what a caller in C passed."""
    handles = [ctype.handle for _, ctype in function.parameters]
    converters = [ctype.convert for _, ctype in function.parameters]
    receivers = [ctype.receiver for _, ctype in function.parameters] if from_c else None
    count = len(converters) if from_c or not function.variadic else None
    name = function.name
    is_status, executor = function.result.status, function.executor
    record = recorder(function)

    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: PLR0912, PLR0915 (every call would pay for a second one)
        __tracebackhide__ = True  # pytest then points to the line of the caller
        if kwargs or len(args) != count:
            args = function.arrange(args, kwargs)
        try:
            if receivers is None:
                values = [
                    value.value or 0 if type(value) is handle else convert(value)
                    for handle, convert, value in zip(handles, converters, args)  # noqa: B905 (counted above)
                ]
            else:
                values = [
                    receive(value) if receive else value
                    for receive, value in zip(receivers, args)  # noqa: B905 (counted above)
                ]
        except TypeError:
            raise function.blame(args) from None
        try:
            machine, thread = calling()
        except Inherited as inherited:
            return _in_child(function, inherited)
        caller: Caller = _caller(1)
        if executor is None:
            visit = other = None
        else:
            caller = trail(caller)
            visit, going = (values[executor], current_thread(), name, caller), machine.visits.going
            going.append(visit)
            other = machine.visits.met(visit) if len(going) > 1 else None
        try:
            with machine.lock:
                if thread is None:
                    thread = installation.meet(machine)
                outer, outer_caller = thread.call, thread.caller
                thread.call, thread.caller = name, caller
                thread.count += 1
                began = machine.clock.now
                try:
                    if other or thread.callback or machine.scheduler.restless or machine.faults.plans:
                        asked = _before(machine, thread, function, other, values)
                        if asked is not None:
                            raise _asked(asked, failed, body, [machine, thread, values] if told else values)
                    result = body(machine, thread, values) if told else body(*values)
                    if is_status:
                        result = SUCCESS
                except AclError as error:
                    note(machine, function, error)
                    record(machine, thread, outer, began, values, _failed(function, error.status), error.status)
                    return _returned(machine, thread, function, error, from_c=from_c)
                except BaseException as error:  # a finding, or what a callback of the host's raised
                    record(machine, thread, outer, began, values, _raised(error), None)
                    if isinstance(error, UndefinedBehaviour) and not error.left:
                        error.left = True
                        # the frames in here tell the user nothing
                        raise error.with_traceback(None) from None
                    raise
                finally:
                    thread.call, thread.caller = outer, outer_caller
                record(machine, thread, outer, began, values, result)
        finally:
            if visit is not None:
                machine.visits.going.remove(visit)
        return result

    call.failed, call.told = failed, told  # pyright: ignore[reportFunctionMemberAccess]
    return _declared(call, function, body)


def for_c(call: Any) -> Callable[..., Any]:
    """The same function for callers in C."""
    return expose(call.c, call.__wrapped__, call.failed, told=call.told, from_c=True)


def _declared(call: Any, function: CFunction, body: Callable[..., Any]) -> Any:
    """What Python shows of a function of the API."""
    call.__name__ = call.__qualname__ = function.name
    call.__code__ = call.__code__.replace(co_name=function.name)  # tracebacks name the code, not the function
    call.__module__ = body.__module__
    call.__doc__ = function.help
    call.__signature__ = inspect.Signature(
        [inspect.Parameter(name, KINDS[isinstance(ctype, Variadic)]) for name, ctype in function.parameters]
    )
    call.c = function
    call.__wrapped__ = body
    return call


def _before(
    machine: Machine, thread: ThreadState, function: CFunction, other: Visit | None, values: list[Any]
) -> Failure | None:
    """What other threads, queued work, and who asked for a failure have to do with a call."""
    if other is not None and function.executor is not None:
        machine.visits.judge(values[function.executor], function.name, other)
    if function.resource and thread.callback is not None:
        _in_callback(machine, function, values, thread.callback)
    if machine.scheduler.restless:
        machine.scheduler.stir()
    return machine.faults.of_call(function) if machine.faults.plans else None


def _asked(failure: Failure, failed: Failed | None, body: Callable[..., Any], values: list[Any]) -> AclError:
    """What the call fails with as `machine.fail` asked for it."""
    if failure.done:
        with suppress(AclError):  # it fails either way
            body(*values)
    error = failure.error()
    if failed is not None:
        failed(error, *values)
    return error


def also_named(name: str, function: Callable[P, R]) -> Callable[P, R]:
    """The same function under a second C name."""
    declared: CFunction = function.c  # type: ignore[attr-defined]
    return expose(replace(declared, name=name), function.__wrapped__)  # type: ignore[attr-defined]


def _failed(function: CFunction, status: int) -> Any:
    """What stands for a failure: the status, or the null of what it makes."""
    result = function.result
    if result.status:
        return Status(status)
    return result.null() if result.null is not None else None


def _raised(error: BaseException) -> str:
    """What `machine.calls` tells of an exception."""
    return error.finding.id if isinstance(error, UndefinedBehaviour) else type(error).__name__


def _returned(machine: Machine, thread: ThreadState, function: CFunction, error: AclError, *, from_c: bool) -> Any:
    """The same for the program, which has to look at a status."""
    if not function.result.status or error.told or error.status in function.harmless:
        return _failed(function, error.status)
    allowance = machine.findings.allowance("ignored-ret")
    if from_c:
        if not error.asked:
            machine.unasked.failed(thread, function.name, here(), error.status, error.reason(), allowance)
        return Status(error.status)
    return machine.unchecked.returned(function.name, error.status, error.reason(), allowance)


def _in_callback(machine: Machine, function: CFunction, values: list[Any], callback: Task) -> None:
    """ "Callbacks must not call runtime functions that submit, synchronise, allocate or free (deadlock)"; one that is
    allowed to goes on."""
    what = f"{function.name} is called in a callback of {callback.stream}."
    known = machine.thread().task is callback  # as that of a host function, which is told anyway
    if machine.findings.first("callback-acl", function.name, here()):
        machine.undefined("callback-acl", what, *(() if known else (callback.past(),)))
    if "callback-acl" not in machine.findings.allowed:
        _spare(machine, function, values)
        raise AclError(_refusal(function), Item("EE9999", (what,)), runtime=0, told=True)


def _spare(machine: Machine, function: CFunction, values: list[Any]) -> None:
    """What a refused call would have released, or used up, is left behind for that reason."""
    at = 0 if RELEASES.match(function.name) else function.executor
    if at is None or not values:
        return
    number: int = getattr(values[at], "value", values[at])  # an address, a handle, or a device
    if "ResetDevice" in function.name and 0 <= number < len(machine.devices):
        machine.consequences.spared.add(machine.devices[number])
    else:
        machine.consequences.spare(number)


def _in_child(function: CFunction, inherited: Inherited) -> Any:
    """A forked child waits for no lock of its parent's: the machine does nothing there."""
    try:
        inherited.tell(function.name)
    except UndefinedBehaviour as behaviour:
        raise behaviour.with_traceback(None) from None
    return _failed(function, _refusal(function))


def _refusal(function: CFunction) -> int:
    """The status of a call that does nothing, in a machine that only reports."""
    return ACLNN_ERR_RUNTIME_ERROR if function.header.startswith("aclnn") else ACL_ERROR_RT_PARAM_INVALID


def note(machine: Machine, function: CFunction, error: AclError) -> None:
    """Put what went wrong into the thread's error record and last error."""
    if not error.items:
        return  # "returning 100002 records nothing"
    items = list(error.items)
    if error.runtime and error.runtime == error.status and function.closes:
        items.append(_closing(function.name, error.status))
    record = machine.errors()
    machine.failed = machine.thread()
    machine.unchecked.failed()
    if function.name.startswith("aclnn"):
        items[-1].call = function.name
    site = here()
    for item in items:
        item.function = item.function or function.name
        item.site = item.site or site
        item.told = error.told and error.listed
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
