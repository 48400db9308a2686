"""Calls of a first phase whose status is public, in `public_calls.txt`.

A line without indentation has a function and a family of chips; the lines below it are calls. Each has the status, and
then the arguments by name. The status `!0` is any but success; of `0|561103` each comes from another public source.

    FLOAT16/NCHW[2,3]~[1,2]@[6]    a tensor: data type, format, shape, strides, shape of the storage
    FLOAT(0.5)                     an aclScalar
    ints[1,2] bools[1,0]           an array
    {INT8[2];INT8[3]}              a list of tensors
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from acl_runtime.headers.enums import aclDataType, aclFormat
from tests.aclnn.ops.case import A2, A950, INFERENCE, TRAINING, Meta
from tests.derived.values import Number, Values

CHIPS: Final = {"Ascend910B": A2, "Ascend950": A950, "Ascend310P": INFERENCE, "Ascend910": TRAINING}
"""a chip of each family"""
TENSOR: Final = re.compile(r"([A-Z]\w*)(?:/(\w+))?\[([-\d,]*)\](?:~\[([-\d,]*)\])?(?:@\[([-\d,]*)\])?")
SCALAR: Final = re.compile(r"([A-Z]\w*)\(([^)]+)\)")
ARRAY: Final = re.compile(r"(ints|floats|bools)\[([^]]*)\]")
WORDS: Final = {"null": None, "True": True, "False": False}


class PublicCall(NamedTuple):
    """A call, and its status."""

    function: str
    chip: str
    status: str
    arguments: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.function} {self.arguments}"

    def agrees(self, status: int) -> bool:
        """Is this a public status, or one that the public source does not exclude?"""
        if self.status.startswith("!"):
            return status != int(self.status[1:])
        return status in map(int, self.status.split("|"))


def public_calls() -> Iterator[PublicCall]:
    """All calls of the file."""
    function = family = ""
    for line in Path(__file__).with_suffix(".txt").read_text().splitlines():
        if not line.startswith(" "):
            function, family = line.split()
            continue
        status, *arguments = line.split()
        named = dict(each.split("=", 1) for each in arguments)
        yield PublicCall(function, CHIPS[family], status, {name: _value(text) for name, text in named.items()})


@cache
def _value(text: str) -> Any:
    if text in WORDS:
        return WORDS[text]
    if text.startswith("{"):
        return tuple(_value(each) for each in text[1:-1].split(";") if each)
    if text.startswith("'"):
        return text[1:-1]
    if (match := ARRAY.fullmatch(text)) is not None:
        kind = {"ints": int, "floats": float, "bools": lambda each: each == "1"}[match[1]]
        return Values(tuple(kind(each) for each in match[2].split(",") if each))
    if (match := SCALAR.fullmatch(text)) is not None:
        return Number(float(match[2]), aclDataType[f"ACL_{match[1]}"])
    if (match := TENSOR.fullmatch(text)) is not None:
        shape, strides, storage = (_numbers(match[at]) for at in (3, 4, 5))
        return Meta(shape or (), aclDataType[f"ACL_{match[1]}"], _format(match[2]), strides, 0, storage)
    return float(text) if re.search(r"[.en]", text) else int(text)


def _format(name: str | None) -> int:
    if name is None:
        return aclFormat.ACL_FORMAT_ND
    return aclFormat[name if name.startswith("ACL_") else f"ACL_FORMAT_{name}"]


def _numbers(text: str | None) -> tuple[int, ...] | None:
    return None if text is None else tuple(int(each) for each in text.split(",") if each)
