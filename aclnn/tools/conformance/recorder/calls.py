"""The calls of a kit or of a report.

A call is an object of JSON:

    id         the name of the function, and the subject of the call; no two calls have the same id
    function   the C function; an operator without GetWorkspaceSize
    kind       "operator" or "runtime"
    arguments  in the order of the prototype
    launch     true if the second phase of an operator follows
    result     the C type of the result of a runtime function
    alone      true if the process makes no call after this one

An argument is null, or a list whose first item is its kind (`arguments.py`):

    ["tensor", shape, data type, format, strides, offset, storage shape, bytes]
    ["tensors", [tensor, ...]]      ["scalar", data type, bytes]      ["scalars", [scalar, ...]]
    ["ints", [...]]                 ["floats", [...]]                 ["bools", [...]]
    ["text", "mean"]                ["i64", -1]                       ["f64", 0.5]
    ["stream"], ["event"], ["context"]         a new stream or event, the current context
    ["host", size], ["device", size]           memory that is all 0
    ["struct", size]                           a struct by value that is all 0

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
