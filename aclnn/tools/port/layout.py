"""The text of a port: imports, helpers and blocks."""

import re

from aclnn.tools.port.cpp.place import CppProgram
from aclnn.tools.port.cpp.reading import line
from aclnn.tools.port.python.helpers import HELPERS
from aclnn.tools.port.python.printing import laid_out

FROM: dict[str, str] = {"ExitStack": "contextlib", "suppress": "contextlib", "IntEnum": "enum"}


FROM_CTYPES = frozenset({"byref", "cast", "memmove", "memset", "pointer", "POINTER", "sizeof", "Union"})


MODULES = ("copy", "math", "sys")


def whole(program: CppProgram, blocks: list[list[str]], name: str) -> str:
    """The text of the port."""
    body: list[str] = []
    previous = ""
    for lines in blocks:
        first = lines[0]
        large = first.startswith(("def ", "class ")) or previous.startswith(("def ", "class ", " "))
        if body and (large and not previous.startswith("#")):
            body += ["", ""]
        body += lines
        previous = lines[-1] if not any(text.startswith("def ") for text in lines) else "def "
    main = program.functions.get("main")
    if main is not None and main.node is not None:
        arguments = ", ".join(["len(sys.argv)", "sys.argv"][: len(main.parameters)])
        if len(main.parameters) > 2:
            program.problems.append((line(main.node), "main with more than two parameters"))
        body += ["", "", 'if __name__ == "__main__":', f"    sys.exit({main.name}({arguments}))"]
    helpers = _helpers(program, "\n".join(body))
    joined = "\n".join(helpers + body)
    laid: list[str] = []
    for row in [*_head(program, joined, name), *helpers, *body]:
        inner = row.lstrip(" ")
        laid += laid_out(inner, len(row) - len(inner)) if inner else [""]
    return "\n".join(laid).strip("\n") + "\n"


def _helpers(program: CppProgram, body: str) -> list[str]:
    """The helpers that the text uses, and the exceptions of its labels."""
    lines: list[str] = []
    for printer in sorted(program.printed):
        lines += [f"def {printer}(message, *args):", '    print(message % args, end="")', "", ""]
    for printer, source in HELPERS.items():
        if printer in program.helpers or re.search(rf"\b{printer}\(", body):
            lines += [*source.rstrip().splitlines(), "", ""]
    for printer in sorted(program.gotos):
        lines += [f"class {printer}(Exception):", f'    """goto {printer}"""', "", ""]
    return lines


def _head(program: CppProgram, body: str, name: str) -> list[str]:
    """The docstring and the imports, in the same order as in samples/."""
    code = re.sub(
        r'"(\\.|[^"\\])*"',
        '""',
        "\n".join(text_line for text_line in body.splitlines() if not text_line.lstrip().startswith("#")),
    )

    def is_used(word: str) -> bool:
        return re.search(rf"(?<![\w.]){word}\b", code) is not None

    lines = [f'"""A port of {name} by `aclnn port`."""', ""] if name else []
    lines += [f"import {each}" for each in MODULES if is_used(rf"{each}\.") or is_used(rf"{each}(?=\.)")]
    needed = [each for each in sorted(set(re.findall(r"\bc_\w+", code)) | FROM_CTYPES | set(FROM)) if is_used(each)]
    for module in ("contextlib", "ctypes", "enum"):
        names = [each for each in needed if FROM.get(each, "ctypes") == module]
        if names:
            names.sort(key=lambda each: (not each[0].isupper() or not each.isupper(), not each[0].isupper(), each))
            lines.append(f"from {module} import {', '.join(names)}")
    if is_used("np"):
        lines += ["", "import numpy as np"]
    acl = re.search(r"\b(?:acl|ACL|Hccl|mstx)\w+", code)
    if acl:
        lines += ["", "from acl_runtime import *"]
    operators = sorted(operator for operator in program.operators if is_used(operator))
    if operators:
        lines += ["" if not acl else None, f"from aclnn import {', '.join(operators)}"]  # type: ignore[list-item]
    return [text for text in lines if text is not None] + ["", ""]
