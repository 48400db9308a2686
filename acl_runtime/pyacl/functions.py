"""Making the functions of pyACL from the declarations of the C functions that they wrap."""

import inspect
from collections.abc import Callable, Mapping
from ctypes import byref, c_int32
from logging import getLogger
from typing import Any, Final

import acl_runtime.headers.handles as handles
from acl_runtime.abi.c import CType
from acl_runtime.abi.function import CFunction
from acl_runtime.errors import UndefinedBehaviour
from acl_runtime.headers.statuses import SUCCESS
from acl_runtime.pyacl.names import python_name, snake
from acl_runtime.pyacl.parameter_roles import Derived, ReturnedValue, Taken, function_given, listed, number, role, word
from acl_runtime.text import counted

LONGEST_KEY: Final = 1024
"""the first length that pyACL refuses for a key"""
LOGGER: Final = "acl_runtime.pyacl"
"""name of the logger for exceptions that callbacks raise"""


def _low_half(value: int, ret: int) -> tuple[int, int]:
    """The result with 32 bits of the value: "get_device_info cuts its value to 32 bits"."""
    return ((value + (1 << 31)) & 0xFFFF_FFFF) - (1 << 31), ret


def _active_first(active: int, ret: int) -> tuple[int, int, int]:
    """The result with the flags, which are 0, in second place: "against the C order"."""
    return active, 0, ret


def _listed(first: Any, count: int, ret: int) -> tuple[list[int], int, int]:
    """The result with the values of the array instead of its pointer."""
    return first[:count], count, ret


def _pairs(numbers: list[int]) -> int:
    """The number of pairs in a flat list."""
    return len(numbers) // 2


RESHAPED: Final[Mapping[str, Callable[..., Any]]] = {
    "aclrtGetDeviceInfo": _low_half,
    "aclrtGetPrimaryCtxState": _active_first,
    "aclGetCannAttributeList": _listed,
}
"""functions that make the result tuple if pyACL breaks the general rule, by C function"""


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
    releases = [function_given(function)]

    def run(info: Any) -> None:
        try:
            for release in releases:
                release(info.value)
        except UndefinedBehaviour:
            raise
        except Exception:
            releases.clear()
            getLogger(LOGGER).exception("the callback of acl.rt.set_exception_info_callback raised, and is dropped")

    run.__name__ = getattr(function, "__name__", type(function).__name__)
    return run


def _processes(value: Any) -> Any:
    """The array of a list of processes."""
    numbers = listed(value)
    return (c_int32 * len(numbers))(*numbers)


def _key_length(value: Any) -> int:
    """The length of the text for a key; ValueError if it is too great."""
    length = word(value)
    if length >= LONGEST_KEY:
        raise ValueError(f"len is {length}, and must be less than {LONGEST_KEY}")
    return length


TAKEN: Final[Mapping[tuple[str, str], Callable[..., Any]]] = {
    ("aclrtIpcMemSetImportPid", "pid"): _processes,
    ("aclrtIpcMemGetExportKey", "len"): _key_length,
    ("aclrtLaunchCallback", "fn"): _logged,
    ("aclrtSetExceptionInfoCallback", "callback"): _dropped,
}
"""conversions of arguments that break the general rule, by C function and parameter"""
NULL: Final = (("aclrtGetPrimaryCtxState", "flags"),)
"""parameters that are always a null pointer"""
DERIVED: Final[Mapping[tuple[str, str], Derived]] = {
    ("aclCreateTensorDesc", "numDims"): Derived("dims", len),
    ("aclrtIpcMemSetImportPid", "num"): Derived("pid", len),
    **{(f"aclSetTensor{which}Shape", "numDims"): Derived("dims", len) for which in ("", "Storage", "Origin")},
    ("aclSetTensorShapeRange", "dimsCount"): Derived("dims_range", _pairs),
    ("aclSetTensorValueRange", "valueCount"): Derived("value_range", _pairs),
    **{(f"aclopSetAttrList{kind}", "numValues"): Derived("values", len)
       for kind in ("Bool", "Int", "Float", "String", "DataType")},
    ("aclopSetAttrListListInt", "numLists"): Derived("values", len),
    ("aclopSetAttrListListInt", "numValues"): Derived("values", lambda values: [len(value) for value in values]),
    **{(name, f"num{side.title()}s"): Derived(key, len)
       for side in ("input", "output")
       for key, names in ((f"{side}_desc", ("aclopExecute", "aclopExecuteV2", "aclopCreateHandle", "aclopInferShape")),
                          (f"{side}s", ("aclopExecWithHandle",)))
       for name in names},
}  # fmt: skip
"""counts of lists, by C function and parameter"""
ECHOED: Final[Mapping[str, str]] = {"aclmdlAddDatasetBuffer": "dataset", "aclmdlSetDatasetTensorDesc": "dataset"}
"""arguments that pyACL returns before the status, by C function"""
ECHO: Final = ReturnedValue(lambda: None, number)
COMMON_MISTAKES: Final[Mapping[str, str]] = {
    "tuple": ": functions of pyACL return a tuple, with the status last",
    "bytes": ": acl.util.bytes_to_ptr gives its address",
    "ndarray": ": array.ctypes.data is its address",
}
"""hints for the TypeError, by type of the wrong argument"""
OPTIONAL: Final = ("aclInit", "aclrtSetExceptionInfoCallback")
"""functions whose only argument may be omitted, which means a null pointer"""


def function(wrapped: Any) -> Any:
    """Make the function of pyACL that calls a function of the emulator."""
    declared: CFunction = wrapped.c
    roles: list[tuple[str, Role]] = [(snake(name), _role(declared, name, ctype)) for name, ctype in declared.parameters]
    taken = [(name, each.take) for name, each in roles if isinstance(each, Taken)]
    echoed = ECHOED.get(declared.name)
    results = [name for name, each in roles if isinstance(each, ReturnedValue) or name == echoed]
    count, optional, status = len(taken), declared.name in OPTIONAL, declared.result.status
    spelling = declared.result.spelling
    address = hasattr(handles, spelling) or (spelling.endswith("*") and not declared.result.python.startswith("str"))
    reshape: Callable[..., Any] | None = RESHAPED.get(declared.name)

    def call(*args: Any) -> Any:
        __tracebackhide__ = True  # pytest then points to the line of the caller
        if len(args) == count:
            converted = [_converted(call, *each, value) for each, value in zip(taken, args, strict=True)]
        elif (optional and not args) or not count:  # "zero-argument functions ignore extra positional arguments"
            converted = [None] * count
        else:
            raise unparsed(call, f"takes {counted(count, 'argument')}, got {len(args)}")
        by_name = dict(zip([name for name, _ in taken], converted, strict=True))
        outs: list[tuple[ReturnedValue, Any]] = []
        values: list[Any] = []
        for name, parameter in roles:
            if parameter is None:
                values.append(None)
            elif isinstance(parameter, Derived):
                values.append(parameter.make(by_name[parameter.of]))
            elif isinstance(parameter, ReturnedValue):
                outs.append((parameter, parameter.make()))
                values.append(byref(outs[-1][1]))
            else:
                values.append(by_name[name])
                if name == echoed:
                    outs.append((ECHO, by_name[name]))
        answer = wrapped(*values)
        if not status:
            return (number(answer) or 0) if address else answer
        if answer is SUCCESS:  # a failure stays a Status, for the check `ignored-ret`
            answer = 0
        if not outs:
            return answer
        returned_values = [out.read(raw) for out, raw in outs]
        return reshape(*returned_values, answer) if reshape else (*returned_values, answer)

    if declared.name == "aclrtGetPrimaryCtxState":
        results.append("flags")
    returned = [*results, "ret"] if status else ["int" if address else declared.result.python]
    result = returned[0] if len(returned) == 1 else f"({', '.join(returned)})"
    return describe(call, f"acl.{python_name(declared)}", [name for name, _ in taken], result, declared, optional)


Role = Taken | ReturnedValue | Derived | None


def _role(declared: CFunction, name: str, ctype: CType) -> Role:
    if (declared.name, name) in NULL:
        return None
    if (declared.name, name) in DERIVED:
        return DERIVED[declared.name, name]
    take = TAKEN.get((declared.name, name))
    return Taken(take) if take else role(name, ctype, declared.name)


def _converted(call: Any, name: str, take: Callable[[Any], Any], value: Any) -> Any:
    """Convert an argument of the caller for the emulator's function; TypeError of pyACL if it has a wrong type."""
    try:
        return take(value)
    except TypeError as error:
        kind = type(value).__name__
        reason = f"{name} expects {error}; got {kind}{COMMON_MISTAKES.get(kind, '')}"
    raise unparsed(call, reason)


def unparsed(call: Any, why: str) -> TypeError:
    """The TypeError for wrong arguments; it begins with the words of pyACL."""
    name = f"{call.__module__}.{call.__name__}"
    return TypeError(f"{name} args parse failed: {why}\n    {(call.__doc__ or '').partition(chr(10))[0]}")


def describe(
    call: Any, name: str, parameters: list[str], result: str, declared: CFunction | None = None, optional: bool = False
) -> Any:
    """Set name, signature and help text of a function of pyACL."""
    call.__module__, _, call.__name__ = name.rpartition(".")
    call.__qualname__ = call.__name__
    default = None if optional else inspect.Parameter.empty
    call.__signature__ = inspect.Signature(
        [inspect.Parameter(parameter, inspect.Parameter.POSITIONAL_ONLY, default=default) for parameter in parameters]
    )
    names = f"[{', '.join(parameters)}]" if optional else ", ".join(parameters)
    text = declared.help if declared is not None else inspect.cleandoc(call.__doc__ or "")
    call.__doc__ = f"{name}({names}) -> {result}\n\n{text}"
    return call
