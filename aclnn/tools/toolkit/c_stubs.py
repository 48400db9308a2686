"""The C source of the functions of the library. Each calls its callback in a table that is filled at the first call.

Design. There are more than 2,000 functions, and `aclnn toolkit` compiles them in a second. So the code that calls a
callback is written once for each signature, and a function itself is one line: it passes its arguments on, with its
number and its return address. All functions that launch an operator share one signature. The source includes no header
of the toolkit. Its types have the size and the kind of the declared ones: a handle is a `uint64_t`, an enum is an
`int32_t`.

The source is compiled twice. With CALLS it gives the code that functions share, without unwind tables: an exception
that leaves a callback finds no frame to unwind to, and ends the program. Without CALLS it gives the functions, with
unwind tables, so that walk.c finds their callers.

Rejected. One complete function for each name: the compiler needs far longer. Jumps in assembly: fast to
assemble, but they must be written again for each processor, and a debugger could not unwind them.
"""

import ctypes
import re
from collections.abc import Mapping
from typing import Any, Final

from acl_runtime.abi.conversions import Variadic
from acl_runtime.abi.function import CFunction
from acl_runtime.headers.statuses import ACL_ERROR_INTERNAL_ERROR
from aclnn.tools.toolkit.template import filled

FAILED: Final = ACL_ERROR_INTERNAL_ERROR
"""the status of a call if Python cannot start; after the interpreter of a Python process has ended, the status is 0"""
LONGEST: Final = 1024
"""limit of a formatted text, in bytes"""
PASSED: Final[Mapping[Any, str]] = {
    None: "void", ctypes.c_void_p: "void *", ctypes.c_size_t: "uint64_t", ctypes.c_bool: "bool",
    ctypes.c_int8: "int8_t", ctypes.c_uint8: "uint8_t", ctypes.c_int16: "int16_t", ctypes.c_uint16: "uint16_t",
    ctypes.c_int32: "int32_t", ctypes.c_uint32: "uint32_t", ctypes.c_int64: "int64_t", ctypes.c_uint64: "uint64_t",
    ctypes.c_float: "float", ctypes.c_double: "double",
}  # fmt: skip
"""the C type under which an argument is passed, by its ctypes class"""
SERVED: Final = ("Tensor", "Scalar", "IntArray", "FloatArray", "BoolArray", "TensorList", "ScalarList")
"""descriptors that descriptors.c can create and destroy, in the order of its kinds, which count from 1"""
DESTROYS_EVENT: Final = "aclrtDestroyEvent"
WITHOUT_CALLERS: Final = re.compile(r"acl(Create|Destroy)|\w+GetWorkspaceSize$")
"""calls for descriptors and plans, of which a launch makes many. Their callers are found only if the program asks"""
WORD: Final = 8
FIRST: Final = "GetWorkspaceSize"
"""end of the name of a first phase, which first_phases.c may serve"""
BITS: Final[Mapping[str, str]] = {"float": "float_bits(a{})", "double": "double_bits(a{})"}
"""the word of an argument, by its C type; of all other types it is the argument itself"""
Signature = tuple[str, bool, tuple[str, ...], bool]
"""the result, whether it is a status, the parameters, and whether it is a first phase"""


def stubs(functions: list[CFunction]) -> str:
    """The whole source file."""
    numbers = dict[Signature, int]()
    lines = [_stub(number, function, numbers) for number, function in enumerate(functions)]
    shared = [_shared(number, *signature) for signature, number in numbers.items()]
    table = f"void *aclnn_table[{len(functions)}];\nconst int aclnn_count = {len(functions)};\n"
    prototypes = "".join(f'    "{function.prototype}",\n' for function in functions)
    texts = f"const char *const aclnn_prototypes[{len(functions)}] = {{\n{prototypes}}};\n"
    declared = "".join(f"{head};\n" for head, _ in shared)
    calls = f"#ifdef CALLS\n{''.join(head + body for head, body in shared)}{table}{texts}"
    sizes = sorted({each for _, _, passed, _ in numbers for each in passed if each.startswith("struct words")})
    structs = "".join(f"{each} {{ uint64_t words[{each.removeprefix('struct words')}]; }};\n" for each in sizes)
    return f"{filled('stubs.c')}{structs}{calls}#else\n{declared}{''.join(lines)}#endif\n"


def _stub(number: int, function: CFunction, numbers: dict[Signature, int]) -> str:
    """The source of one function. Its signature gets a number in `numbers`. Parameters are called a0, a1, ...: their
    real names might be keywords of C."""
    types = tuple(_passed(ctype.raw) for _, ctype in function.parameters if not isinstance(ctype, Variadic))
    passed = [f"a{place}" for place in range(len(types))]
    parameters, statement = [f"{type_} a{place}" for place, type_ in enumerate(types)], ""
    if function.variadic:  # the text is formatted in C, which knows the types of the arguments
        last = passed[-1]
        statement = (
            f'char text[{LONGEST + 1}] = ""; va_list list; va_start(list, {last}); '
            f"if ({last}) vsnprintf(text, sizeof text, {last}, list); va_end(list); "
        )
        parameters.append("...")
        passed[-1:] = [f'{last} ? "%s" : 0', "text"]
        types = (*types, "void *")
    signature = (PASSED[function.result.raw], function.result.status, types, function.name.endswith(FIRST))
    place = numbers.setdefault(signature, len(numbers))
    statement += f"PLACE({2 if WITHOUT_CALLERS.match(function.name) else 1}) "
    statement += _served(number, function.name, passed)
    arguments = ", ".join([*passed, str(number), "&at"])
    prefix = "" if signature[0] == "void" else "return "
    return (
        f"EXPORTED {signature[0]} {function.name}({', '.join(parameters) or 'void'}) "
        f"{{ {statement}{prefix}call{place}({arguments}); }}\n"
    )


def _passed(raw: Any) -> str:
    """The C type of a parameter. A struct of integers and pointers is passed as so many words."""
    return PASSED[raw] if raw in PASSED else f"struct words{-(-ctypes.sizeof(raw) // WORD)}"


def _served(number: int, name: str, passed: list[str]) -> str:
    """The statements that let descriptors.c serve a call which creates or destroys a descriptor, or let events.c accept
    the destruction of an event; otherwise empty."""
    if name == DESTROYS_EVENT:
        return f"if (aclnn_destroy_event((uint64_t){passed[0]}, &at)) return 0; "
    action, kind = next(
        ((verb, kind) for kind, one in enumerate(SERVED, 1) for verb in ("create", "destroy")
         if name == f"acl{verb.capitalize()}{one}"), ("", 0),
    )  # fmt: skip
    if not kind:
        return ""
    words = f"uint64_t w[] = {{{', '.join(f'(uint64_t){each}' for each in passed)}}}; "
    if action == "destroy":
        return f"{words}if (aclnn_destroy({kind}, {number}, w, &at)) return 0; "
    rest = f"{len(passed)}, &at, &made"
    return f"{words}uint64_t made; if (aclnn_create({kind}, {number}, w, {rest})) return (void *)made; "


def _shared(number: int, result: str, status: bool, types: tuple[str, ...], first: bool) -> tuple[str, str]:
    """The code that the functions of a signature share: its head and its body. It stores the place of the call while
    the callback runs, then restores that of an outer call."""
    parameters = "".join(f"{type_} a{place}, " for place, type_ in enumerate(types))
    passed = ", ".join(f"a{place}" for place in range(len(types)))
    served = over = ""
    if first and not any(type_.startswith("struct") for type_ in types):
        words = ", ".join(BITS.get(type_, "(uint64_t)a{}").format(place) for place, type_ in enumerate(types))
        served = f"    uint64_t w[] = {{{words}}};\n    if (aclnn_first_phase(number, w, {len(types)}, at)) return 0;\n"
        over = " aclnn_first_phase_over();"
    if result == "void":
        run, result_line = f"if (call) call({passed});", " INTERRUPTED()"
    else:
        failed = f"(aclnn_over ? 0 : {FAILED})" if status else 0
        run = f"{result} result = call ? call({passed}) : ({result}){failed};"
        result_line = f" INTERRUPTED(result = ({result}){failed}) return result;"
    return (
        f"SHARED {result} call{number}({parameters}int number, const struct place *at)",
        f"\n{{\n{served}    {result} (*call)({', '.join(types) or 'void'}) = slot_of(number);\n"
        f"    struct place from = aclnn_from; aclnn_from = *at;\n"
        f"    {run} aclnn_from = from;{over} LEAVE;{result_line}\n}}\n",
    )
