"""The C boundary: the code between a call of the user and the body of an API function.

In C, an API function returns a status, and the compiler checks the types of its arguments. In Python, the body of an
API function is a plain `def`, which takes converted values and raises an exception when it refuses the call. `@acl_api`
makes such an API function of a body. A call has these steps:

1. Arguments. Each is converted by the type in the annotation of its parameter (`abi.conversions`), all by one
expression (`abi.unrolled`). A value that a C compiler would refuse raises TypeError, and the call is not recorded.
2. Machine. The call takes the current machine and the state of the calling thread.
3. Executor. A call with an aclOpExecutor, or of an operation with a communicator, is added to `machine.executor_calls`
before it waits for the lock. So the use of one of them by two threads at the same time is found.
4. Lock. The rest runs under the machine's lock. A body that waits for work releases the lock meanwhile (`scheduler`).
5. Rare cases. `_before` handles them, and most calls skip it after one test: a call in a callback of a stream, queued
work that must run between calls, a failure that a test has injected (`machine.fail`).
6. Body. It returns, or it raises AclError (the call is refused), or UndefinedBehaviour (a finding; the user sees it).
7. Result. An AclError is stored in the thread's error text and last error (`note`). The result is the status, or null
for a function that returns an object. In Python the status records whether the program checks it.
8. Record. The call is recorded in `machine.calls`, even if it failed or raised.

The inner function of `expose` is long on purpose: more functions would make every call slower. C programs use the
functions that `for_c` makes: the same steps, with values whose types the C compiler has checked.

Rejected. Bodies that return statuses themselves: the status, the error text and the last error would have to be set at
hundreds of places, and some would forget one of the three. A lock for each object: a function would not see a
consistent machine, and a race of the host program would become a race of the emulator.

Known limits. The lock is coarse: two host threads never run bodies of API functions at the same time. So a program does
not become faster by calls from several threads. Only tasks under `schedule="threads"` run without the lock.
"""

import inspect
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from threading import current_thread, get_native_id
from types import FunctionType
from typing import Any, ParamSpec, TypeAlias, TypeVar, cast

import acl_runtime.objects.support as support
from acl_runtime.abi.c import of
from acl_runtime.abi.conversions import Variadic
from acl_runtime.abi.function import CFunction, in_python
from acl_runtime.abi.unrolled import converter, receiver
from acl_runtime.checks.consequences import Release
from acl_runtime.checks.lifetime.executor_calls import ExecutorCall
from acl_runtime.checks.lifetime.teardown_order import RELEASES
from acl_runtime.errors import AclError, UndefinedBehaviour
from acl_runtime.faults.failures import Failure
from acl_runtime.headers.hccl import HcclResult
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_CONTEXT_NULL,
    ACL_ERROR_RT_INVALID_HANDLE,
    ACL_ERROR_RT_PARAM_INVALID,
    ACLNN_ERR_RUNTIME_ERROR,
    SUCCESS,
    Status,
)
from acl_runtime.machine.current import current, installation
from acl_runtime.machine.installation import Ended, EndedBefore, Inherited
from acl_runtime.machine.machine import Machine
from acl_runtime.recording import Recorder
from acl_runtime.source.frames import Caller, here, trail
from acl_runtime.streams.host_thread import ThreadState
from acl_runtime.streams.stream import Task
from acl_runtime.text import Text

_caller = sys._getframe  # pyright: ignore[reportPrivateUsage]
KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
IN_CALLBACK = "called in a callback of a stream (only if the machine reports findings instead of raising them)."
"""the reason of the status of such a call"""
P = ParamSpec("P")
R = TypeVar("R")
Failed: TypeAlias = Callable[..., None]
"""a function that is called with the AclError and the converted arguments"""


def acl_api(
    header: str,
    *,
    closes: bool = True,
    also: tuple[tuple[str, str], ...] = (),
    harmless: Collection[int] = (),
    resource: bool = False,
    inert: bool = False,
    pyacl: str | None = "",
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make an API function of a `def` whose annotations are names of `acl_runtime.abi.c`. `header`: the C header with
    the declaration; `also`: statuses that many functions share (`acl_runtime.api.outcomes`); the other parameters are
    fields of `CFunction`."""

    def decorate(body: Callable[P, R]) -> Callable[P, R]:
        annotations, code = dict(body.__annotations__), cast("FunctionType", body).__code__
        names = (*code.co_varnames[: code.co_argcount], "return")
        if wrong := [name for name in names if not hasattr(annotations.get(name), "__metadata__")]:
            raise TypeError(f"{body.__name__}: annotate {', '.join(wrong)} with names of acl_runtime.abi.c")
        result = of(annotations.pop("return"))
        parameters = tuple((name, of(annotation)) for name, annotation in annotations.items())
        doc = inspect.cleandoc(body.__doc__ or "")
        shared = (*also, *support.statuses(body.__name__), *(_in_a_callback(header, doc, also) if resource else ()))
        products = support.help_lines(body.__name__) if header.startswith("acl/") else ()
        declared = CFunction(
            body.__name__, header, result, parameters, doc, closes, shared, harmless, resource, products, inert, pyacl
        )
        return expose(declared, body)

    return decorate


def expose(  # noqa: PLR0915
    function: CFunction,
    body: Callable[..., Any],
    failed: Failed | None = None,
    *,
    with_machine: bool = False,
    from_c: bool = False,
) -> Any:
    """Make the function that users call. `failed`: called if an injected failure ends the call before the body runs.
    `with_machine`: True if `body` and `failed` get the machine, the thread and the tuple of arguments, not only the
    arguments. `from_c`: True if the function gets the raw values of a caller in C."""
    types = [ctype for _, ctype in function.parameters]
    convert = receiver(types) if from_c else converter(types)
    count = len(types) if from_c or not function.variadic else None
    name = function.name
    is_status, exclusive = function.result.status, function.exclusive
    record = Recorder(function)
    keep, stream, addresses = record.keep, record.stream, record.addresses

    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: PLR0912, PLR0915 (every call would pay for a second one)
        __tracebackhide__ = True  # so that pytest shows the line of the caller
        if kwargs or len(args) != count:
            args = function.arrange(args, kwargs)
        try:
            values = convert(args)
        except TypeError:
            raise function.blame(args) from None
        machine: Machine
        machine, thread = installation.seen.state
        if machine is not installation.current:
            try:
                machine, thread = current(), None
            except (Inherited, Ended) as gone:
                return _without_machine(function, gone)
        caller: Caller = _caller(1)
        if exclusive is None:
            mine = overlap = None
        else:
            caller = trail(caller)
            mine, running = (values[exclusive], current_thread(), name, caller), machine.executor_calls.running
            running.append(mine)
            overlap = machine.executor_calls.met(mine) if len(running) > 1 else None
        try:
            with machine.lock:
                if machine.closed:
                    raise EndedBefore
                if thread is None:
                    thread = installation.update_cache(machine)
                outer, outer_caller = thread.call, thread.caller
                thread.call, thread.caller = name, caller
                thread.count += 1
                began = machine.clock.now
                try:
                    if overlap or thread.callback or machine.scheduler.runs_between_calls or machine.faults.injectors:
                        injected = _before(machine, thread, function, overlap, values)
                        if injected is not None:
                            call_arguments = (machine, thread, values) if with_machine else values
                            raise _injected_error(injected, failed, body, call_arguments)
                    result = body(machine, thread, values) if with_machine else body(*values)
                    if is_status:
                        result = SUCCESS
                except AclError as error:
                    note(machine, function, error)
                    if exclusive is not None:
                        reported = error.injected or machine.consequences.reported(error)
                        _inform(machine, values[exclusive], name, reported=reported)
                    record.failed(machine, thread, outer, began, values, _failed(function, error.status), error.status)
                    return _returned(machine, thread, function, error, from_c=from_c)
                except BaseException as error:  # a finding, or an exception of a host callback
                    if exclusive is not None:
                        _inform(machine, values[exclusive], name, reported=True)
                    record.failed(machine, thread, outer, began, values, _raised(error), None)
                    if isinstance(error, UndefinedBehaviour) and not error.left:
                        error.left = True
                        # the frames of the emulator do not help the user
                        raise error.with_traceback(None) from None
                    raise
                finally:
                    thread.call, thread.caller = outer, outer_caller
                # as `Recorder.raw` and `rest`
                arguments, stored = (values, None) if keep is None else keep(values)
                launched, thread.launched = thread.launched, ()
                context = None
                if stream is not None and not arguments[stream]:
                    context = thread.explicit or thread.primary or machine.find_context()
                raw = (
                    function, arguments, result, thread, machine.memories.used, began, machine.clock.now, stored,
                    launched, context,
                )  # fmt: skip
                if outer or machine.options.trace or (addresses and machine.pinned.in_use):
                    record.rest(machine, outer, raw, 0)
                else:
                    machine.calls.append(raw)  # pyright: ignore[reportArgumentType]  # made a Call lazily
        except EndedBefore:  # the machine ended before the call had its lock: repeat the call on the present machine
            return call(*args[:-1], *args[-1]) if count is None else call(*args)
        except Ended as gone:  # while the body waited
            return _without_machine(function, gone)
        finally:
            if mine is not None:
                machine.executor_calls.running.remove(mine)
        return result

    call.failed, call.with_machine = failed, with_machine  # pyright: ignore[reportFunctionMemberAccess]
    return _declared(call, function, body)


def _inform(machine: Machine, number: int, function: str, *, reported: bool) -> None:
    """Inform an object that belongs to one thread at a time that a call with it has failed."""
    thing = machine.handles.get(number)
    if thing is not None:
        thing.call_failed(function, reported=reported)


def for_c(call: Any) -> Callable[..., Any]:
    """The variant of an API function for callers in C."""
    return expose(call.c, call.__wrapped__, call.failed, with_machine=call.with_machine, from_c=True)


def _declared(call: Any, function: CFunction, body: Callable[..., Any]) -> Any:
    """Give an API function its name, help and signature in Python."""
    call.__name__ = call.__qualname__ = function.name
    call.__code__ = call.__code__.replace(co_name=function.name)  # tracebacks name the code, not the function
    call.__module__ = body.__module__
    call.__doc__ = function.help
    call.__signature__ = inspect.Signature(
        [inspect.Parameter(in_python(name), KINDS[isinstance(ctype, Variadic)]) for name, ctype in function.parameters]
    )
    call.c = function
    call.__wrapped__ = body
    return call


def _in_a_callback(header: str, doc: str, also: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """The status of a call in a callback, for the help of a function. HCCL_E_PARA stands there anyway."""
    if not header.startswith("hccl"):
        return (("ACL_ERROR_RT_PARAM_INVALID", IN_CALLBACK),)
    return () if "HCCL_E_PARA" in doc or "HCCL_E_PARA" in dict(also) else (("HCCL_E_PARA", IN_CALLBACK),)


def _before(
    machine: Machine, thread: ThreadState, function: CFunction, overlap: ExecutorCall | None, values: Sequence[Any]
) -> Failure | None:
    """The rare steps before a body: one executor in two threads, a call in a callback, queued work that runs between
    calls. Returns the failure that a test injected, if any."""
    if overlap is not None and function.exclusive is not None:
        machine.executor_calls.judge(values[function.exclusive], function.name, overlap, _refusal(function))
    if function.resource and thread.callback is not None:
        _in_callback(machine, function, values, thread.callback)
    if machine.scheduler.runs_between_calls:
        machine.scheduler.run_idle()
    return machine.faults.of_call(function) if machine.faults.injectors else None


def _injected_error(
    failure: Failure, failed: Failed | None, body: Callable[..., Any], values: Sequence[Any]
) -> AclError:
    """The error of a call that fails because of `machine.fail`."""
    if failure.done:
        with suppress(AclError):  # the call fails in any case
            body(*values)
    error = failure.error()
    if failed is not None:
        failed(error, *values)
    return error


def also_named(name: str, function: Callable[P, R]) -> Callable[P, R]:
    """The function under a second C name."""
    declared: CFunction = function.c  # type: ignore[attr-defined]
    return expose(replace(declared, name=name), function.__wrapped__)  # type: ignore[attr-defined]


def _failed(function: CFunction, status: int) -> Any:
    """The result of a call that failed: the status, or null instead of an object."""
    result = function.result
    if result.status:
        return Status(status)
    return result.null() if result.null is not None else None


def _raised(error: BaseException) -> str:
    """The name of an exception in `machine.calls`: the id of its finding, else the name of its class."""
    return error.finding.id if isinstance(error, UndefinedBehaviour) else type(error).__name__


def _returned(machine: Machine, thread: ThreadState, function: CFunction, error: AclError, *, from_c: bool) -> Any:
    """The result of a failed call for the program. A status that must be checked is registered for `ignored-ret`."""
    if not function.result.status or machine.consequences.of(error) or error.status in function.harmless:
        return _failed(function, error.status)
    allowance = machine.findings.allowance("ignored-ret")
    if from_c:
        if not error.injected:
            machine.unasked.failed(thread, function.name, here(), error.status, error.reason(), allowance)
        return Status(error.status)
    return machine.unchecked.returned(function.name, error.status, error.reason(), allowance)


def _in_callback(machine: Machine, function: CFunction, values: Sequence[Any], callback: Task) -> None:
    """Report a call in a callback of a stream, and refuse it. "Callbacks must not call runtime functions that submit,
    synchronise, allocate or free (deadlock)". If the program allows the finding, the call continues."""
    what = Text("{call} is called in a callback of {stream}.", call=function.name, stream=callback.stream)
    in_report = machine.thread().task is callback  # a host function, whose task the finding already names
    if machine.consequences.first("callback-acl", function.name, here()):
        machine.undefined("callback-acl", what, *(() if in_report else (callback.past(),)))
    if machine.findings.listed("callback-acl"):
        _taint(machine, function, values)
        error = AclError(_refusal(function), Item("EE9999", (what,)), runtime=0)
        machine.consequences.taint(error, "callback-acl")
        raise error


def _taint(machine: Machine, function: CFunction, values: Sequence[Any]) -> None:
    """Taint the object that a refused call would have released or used up, so that it is not reported as a leak."""
    index = 0 if RELEASES.match(function.name) else function.executor
    if index is None or not values:
        return
    number: int = getattr(values[index], "value", values[index])  # an address, a handle, or a device
    if "ResetDevice" in function.name and 0 <= number < len(machine.devices):
        machine.consequences.taint(machine.devices[number])
    else:
        machine.consequences.taint(Release(number))


def _without_machine(function: CFunction, gone: Inherited | Ended) -> Any:
    """The result of a call in a forked child, or after the end of the process's machine. The call does nothing, as a
    thread that has ended may hold the lock. In a child the call is reported."""
    if isinstance(gone, Ended):
        return _failed(function, SUCCESS)
    try:
        gone.report(function.name)
    except UndefinedBehaviour as behaviour:
        raise behaviour.with_traceback(None) from None
    return _failed(function, _refusal(function))


def _refusal(function: CFunction) -> int:
    """The status of a refused call in report mode."""
    if function.header.startswith("aclnn"):
        return ACLNN_ERR_RUNTIME_ERROR
    return HcclResult.HCCL_E_PARA if function.header.startswith("hccl") else ACL_ERROR_RT_PARAM_INVALID


def note(machine: Machine, function: CFunction, error: AclError) -> None:
    """Store an error in the thread's error text and last error."""
    if not error.items:
        return  # "returning 100002 records nothing"
    items = list(error.items)
    if error.runtime and error.runtime == error.status and function.closes:
        items.append(_closing(function.name, error.status))
    record = machine.errors()
    if not items[-1].passing:
        machine.failed = machine.thread()
        machine.unchecked.failed()
    if function.name.startswith("aclnn") or function.header.startswith("aclnnop/"):
        items[-1].call = function.name
    site = here()
    for item in items:
        item.function = item.function or function.name
        item.site = item.site or site
        item.reported = machine.consequences.reported(error)
        item.thread = get_native_id() if machine.initialisation.errors_per_process else 0
        record.add(item)
    if error.runtime:
        machine.thread().last_error = error.runtime


def _closing(name: str, status: int) -> Item:
    """The line that "every failing runtime entry" adds to the error text, with the internal error code."""
    entry = f"rt{name.removeprefix('aclrt').removeprefix('rt')}"
    if status == ACL_ERROR_RT_PARAM_INVALID:
        return Item("EE1001", (f"{entry} execution failed.",))
    if status == ACL_ERROR_RT_CONTEXT_NULL:
        return Item("EE1001", (f"{entry} execution failed, reason=no valid context.",))
    if status == ACL_ERROR_RT_INVALID_HANDLE:
        return Item("EE1017", (entry, "handle", "it is invalid"))
    return Item("EE9999", (f"{entry} execution failed, reason=status {status}.",))
