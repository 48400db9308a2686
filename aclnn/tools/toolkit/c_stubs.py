"""The C source of the functions of the library. Each calls its callback in a table that is filled at the first call."""

from typing import Any, Final

from acl_runtime.abi.conversions import Variadic
from acl_runtime.abi.function import CFunction
from acl_runtime.headers.statuses import ACL_ERROR_INTERNAL_ERROR
from aclnn.tools.toolkit.headers import INCLUDES
from aclnn.tools.toolkit.template import filled

FAILED: Final = ACL_ERROR_INTERNAL_ERROR
"""the status that a call returns if Python cannot start"""
LONGEST: Final = 1024
"""limit of a formatted text, in bytes"""


def stubs(functions: list[Any]) -> str:
    """The whole source file."""
    names = dict.fromkeys([*INCLUDES, *(each.c.header for each in functions)])
    includes = "".join(f'#include "{name}"\n' for name in names)
    bodies = "".join(_stub(number, each.c) for number, each in enumerate(functions))
    table = f"void *aclnn_table[{len(functions)}];\nconst int aclnn_count = {len(functions)};\n"
    prototypes = "".join(f'    "{each.c.prototype}",\n' for each in functions)
    texts = f"const char *const aclnn_prototypes[{len(functions)}] = {{\n{prototypes}}};\n"
    return f"{includes}#include <stdarg.h>\n{filled('stubs.c')}{bodies}{table}{texts}"


def _stub(number: int, function: CFunction) -> str:
    """The source of one function. Its parameters are called a0, a1, ...: their real names might be names of this file
    or keywords of C."""
    kinds = [ctype for _, ctype in function.parameters]
    fixed = [ctype for ctype in kinds if not isinstance(ctype, Variadic)]
    named = [ctype.declare(f"a{place}") for place, ctype in enumerate(kinds)]
    passed = [f"a{place}" for place in range(len(fixed))]
    types = [ctype.spelling for ctype in fixed]
    before = ""
    if function.variadic:  # the text is formatted in C, which knows the types of the arguments
        last = len(fixed) - 1
        before = (
            f' char text[{LONGEST + 1}] = ""; va_list list; va_start(list, a{last});'
            f" if (a{last}) vsnprintf(text, sizeof text, a{last}, list); va_end(list);"
        )
        passed[last] = f'a{last} ? "%s" : 0'
        passed.append("text")
        types.append("const char *")
    result = function.result.spelling
    call = f"call({', '.join(passed)})"
    failed = str(FAILED) if function.result.status else "0"
    if result == "void":
        run, back = f"if (call) {call};", ""
    else:
        run, back = f"{function.result.declare('result')} = call ? {call} : ({result}){failed};", " return result;"
    listed, of_types = ", ".join(named) or "void", ", ".join(types) or "void"
    slot = function.result.declare(f"(*call)({of_types})")
    return (
        f"{function.result.declare(f'{function.name}({listed})')}\n"
        f"{{\n    void *slot;{before} {slot} = SLOT({number});\n"
        f"    const void *from = aclnn_from; aclnn_from = __builtin_return_address(0);\n"
        f"    {run} aclnn_from = from;{back}\n}}\n"
    )
