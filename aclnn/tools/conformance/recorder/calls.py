"""The calls of a kit or of a report.

A call is an object of JSON:

    id         the name of the function, and what the call is about; no two calls have the same id
    function   the C function; of an operator without GetWorkspaceSize
    kind       "operator" or "runtime"
    arguments  in the order of the prototype
    launch     of an operator: the second phase follows
    result     of a function of the runtime: the C type of its result
    alone      no call follows in the process of this one

An argument is null, or a list whose first item says which kind it is (`arguments.py`):

    ["tensor", shape, data type, format, strides, offset, storage shape, bytes]
    ["tensors", [tensor, ...]]      ["scalar", data type, bytes]      ["scalars", [scalar, ...]]
    ["ints", [...]]                 ["floats", [...]]                 ["bools", [...]]
    ["text", "mean"]                ["i64", -1]                       ["f64", 0.5]
    ["stream"], ["event"], ["context"]         new, or those of the process
    ["host", bytes], ["device", bytes]         so many bytes of memory, all 0

Bytes are hexadecimal digits. A tensor whose bytes are null has no memory.
"""

from __future__ import annotations

import json
import zipfile
from typing import Any, cast

MEMBER = "calls.json"
"""the calls in a kit, which is a zip archive"""


class Unreadable(Exception):
    """The file is neither a kit nor a report."""


def load(path: str) -> dict[str, Any]:
    """The content of a kit or of a report: its version, and its calls."""
    content: Any = None
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as kit:
                content = json.loads(kit.read(MEMBER))
        else:
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
    except (KeyError, ValueError, zipfile.BadZipFile):
        pass
    if not isinstance(content, dict) or "calls" not in content:
        raise Unreadable(f"{path or 'FILE'} is neither a kit nor a report")
    return cast("dict[str, Any]", content)
