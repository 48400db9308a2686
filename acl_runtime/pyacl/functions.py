"""A function of pyACL, made of the declaration of the C function it wraps."""

import inspect
from collections.abc import Callable, Mapping
from ctypes import byref
from logging import getLogger
from typing import Any, Final

from acl_runtime.abi.c import CType
from acl_runtime.abi.function import CFunction
from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.headers.statuses import SUCCESS
from acl_runtime.pyacl.names import python_name, snake
from acl_runtime.pyacl.values import Taken, Told, function_given, number, role

LOGGER: Final = "acl_runtime.pyacl"
"""of Python's logging: what callbacks raised"""


def _low_half(value: int, ret: int) -> tuple[int, int]:
    """ "get_device_info cuts its value to 32 bits"."""
    return ((value + (1 << 31)) & 0xFFFF_FFFF) - (1 << 31), ret


def _active_first(active: int, ret: int) -> tuple[int, int, int]:
    """Flags are 0, and come second: "against the C order"."""
    return active, 0, ret


def _listed(first: Any, count: int, ret: int) -> tuple[list[int], int, int]:
    """What the pointer points to."""
    return first[:count], count, ret


RESHAPED: Final[Mapping[str, Callable[..., Any]]] = {
    "aclrtGetDeviceInfo": _low_half,
    "aclrtGetPrimaryCtxState": _active_first,
    "aclGetCannAttributeList": _listed,
}
"""results that are not what the rule gives"""


def _logged(function: Any) -> Any:
    """A function for aclrtLaunchCallback: "an exception inside it is only logged"."""
    function_given(function)

    def run(data: Any) -> None:
        try:
            function(data)
        except UndefinedBehaviour:
            raise
        except Exception:
            getLogger(LOGGER).exception("a callback of acl.rt.launch_callback raised")

    run.__name__ = getattr(function, "__name__", type(function).__name__)
    return run


def _dropped(function: Any) -> Any:
    """A function for aclrtSetExceptionInfoCallback: "gets one int handle; a raising callback is dropped"."""
    if function is None:
        return None
    kept = [function_given(function)]

    def run(info: Any) -> None:
        try:
            for each in kept:
                each(info.value)
        except UndefinedBehaviour:
            raise
        except Exception:
            kept.clear()
            getLogger(LOGGER).exception("the callback of acl.rt.set_exception_info_callback raised, and is dropped")

    run.__name__ = getattr(function, "__name__", type(function).__name__)
    return run


TAKEN: Final[Mapping[tuple[str, str], Callable[..., Any]]] = {
    ("aclrtLaunchCallback", "fn"): _logged,
    ("aclrtSetExceptionInfoCallback", "callback"): _dropped,
}
"""parameters that are taken in another way than their type says"""
NULL: Final = (("aclrtGetPrimaryCtxState", "flags"),)
"""parameters that are always a null pointer"""
SLIPS: Final[Mapping[str, str]] = {
    "tuple": ": functions of pyACL return a tuple, with the status last",
    "bytes": ": acl.util.bytes_to_ptr gives its address",
    "ndarray": ": array.ctypes.data is its address",
}
"""types that are passed by mistake, and what was forgotten"""
OPTIONAL: Final = ("aclInit", "aclrtSetExceptionInfoCallback")
"""those whose only argument may be left out: a null pointer"""


def function(wrapped: Any) -> Any:
    """The function of pyACL that calls one of ours."""
    declared: CFunction = wrapped.c
    roles: list[tuple[str, Taken | Told | None]] = [
        (snake(name), _role(declared, name, ctype)) for name, ctype in declared.parameters
    ]
    taken = [(name, each.take) for name, each in roles if isinstance(each, Taken)]
    results = [name for name, each in roles if isinstance(each, Told)]
    count, optional, status = len(taken), declared.name in OPTIONAL, declared.result.status
    address = declared.result.spelling.endswith("*") and not declared.result.python.startswith("str")
    reshape: Callable[..., Any] | None = RESHAPED.get(declared.name)

    def call(*args: Any) -> Any:
        __tracebackhide__ = True  # pytest then points to the line of the caller
        if len(args) == count:
            given = iter([_converted(call, *each, value) for each, value in zip(taken, args, strict=True)])
        elif (optional and not args) or not count:  # "zero-argument functions ignore extra positional arguments"
            given = iter([None] * count)
        else:
            raise unparsed(call, f"takes {count} argument(s), got {len(args)}")
        outs: list[tuple[Told, Any]] = []
        values: list[Any] = []
        for _, each in roles:
            if each is None:
                values.append(None)
            elif isinstance(each, Told):
                outs.append((each, each.make()))
                values.append(byref(outs[-1][1]))
            else:
                values.append(next(given))
        answer = wrapped(*values)
        if not status:
            return (number(answer) or 0) if address else answer
        if answer is SUCCESS:  # (a failure stays the status that knows whether it was looked at)
            answer = 0
        if not outs:
            return answer
        told = [out.read(raw) for out, raw in outs]
        return reshape(*told, answer) if reshape else (*told, answer)

    if declared.name == "aclrtGetPrimaryCtxState":
        results.append("flags")
    returned = [*results, "ret"] if status else ["int" if address else declared.result.python]
    shown = returned[0] if len(returned) == 1 else f"({', '.join(returned)})"
    return describe(call, f"acl.{python_name(declared.name)}", [name for name, _ in taken], shown, declared, optional)


def _role(declared: CFunction, name: str, ctype: CType) -> Taken | Told | None:
    if (declared.name, name) in NULL:
        return None
    take = TAKEN.get((declared.name, name))
    return Taken(take) if take else role(name, ctype, declared.name)


def _converted(call: Any, name: str, take: Callable[[Any], Any], value: Any) -> Any:
    """What our function gets for an argument."""
    try:
        return take(value)
    except TypeError as error:
        kind = type(value).__name__
        reason = f"{name} expects {error}; got {kind}{SLIPS.get(kind, '')}"
    raise unparsed(call, reason)


def unparsed(call: Any, why: str) -> TypeError:
    """What pyACL raises for wrong arguments: the first words are its own."""
    name = f"{call.__module__}.{call.__name__}"
    return TypeError(f"{name} args parse failed: {why}\n    {(call.__doc__ or '').partition(chr(10))[0]}")


def describe(
    call: Any, name: str, parameters: list[str], result: str, declared: CFunction | None = None, optional: bool = False
) -> Any:
    """What Python shows of a function of pyACL."""
    call.__module__, _, call.__name__ = name.rpartition(".")
    call.__qualname__ = call.__name__
    default = None if optional else inspect.Parameter.empty
    call.__signature__ = inspect.Signature(
        [inspect.Parameter(each, inspect.Parameter.POSITIONAL_ONLY, default=default) for each in parameters]
    )
    listed = f"[{', '.join(parameters)}]" if optional else ", ".join(parameters)
    text = declared.help if declared is not None else inspect.cleandoc(call.__doc__ or "")
    call.__doc__ = f"{name}({listed}) -> {result}\n\n{text}"
    return call
