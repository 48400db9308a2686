"""The comparison of two answers to one call.

The size of a workspace is recorded but not compared, as it is no part of the contract. Of an error text only the code,
such as EZ1001, is compared. A part that differs may change the later parts, so only the first difference is reported.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from acl_runtime.headers.dtypes import numpy_dtype

Answer = Mapping[str, Any]
CODE: Final = re.compile(r"\bE[A-Z]\d{4}\b")
STATUSES: Final = ("status", "launch", "wait")
"""in the order of the calls"""
NEAR: Final = {
    "float64": 2.0**-45, "complex128": 2.0**-45, "float32": 2.0**-11, "complex64": 2.0**-11, "float16": 2.0**-8,
    "bfloat16": 2.0**-5,
}  # fmt: skip
"""the largest error that counts as near, as a share of the largest element. It leaves room for another order of sums,
for HFLOAT32, which has 11 bits, and for 4 units in the last place of 16 bits. All other types must be equal"""


class Verdict(NamedTuple):
    """The result of a comparison. `what`: the part that differs, if any. `error`: the error of a near result, as a
    share of its largest element."""

    what: str = ""
    theirs: str = ""
    ours: str = ""
    error: float = 0.0

    @property
    def agrees(self) -> bool:
        return not self.what


def verdict(call: Mapping[str, Any], theirs: Answer, ours: Answer) -> Verdict:
    """Compare the answers to a call."""
    for what, one, other in _parts(theirs, ours):
        if one != other:
            return Verdict(what, str(one), str(other))
    worst = 0.0
    results = zip(theirs.get("results", ()), ours.get("results", ()), _types(call["arguments"]), strict=False)
    for (place, one), (_, other), data_type in results:
        if one != other:
            error, first, second = _error(bytes.fromhex(one), bytes.fromhex(other), data_type)
            if error > 1:
                return Verdict(f"argument {place + 1} after the run", first, second)
            worst = max(worst, error)
    return Verdict(error=worst)


def _parts(theirs: Answer, ours: Answer) -> Iterator[tuple[str, Any, Any]]:
    """The parts that have to be equal, in the order of the calls."""
    yield "end of the process", theirs.get("ended", "none"), ours.get("ended", "none")
    for key in STATUSES:
        yield key, theirs.get(key), ours.get(key)
    yield "code of the error text", _code(theirs), _code(ours)
    yield "number of results", len(theirs.get("results", ())), len(ours.get("results", ()))


def _code(answer: Answer) -> str:
    match = CODE.search(answer.get("text", ""))
    return match[0] if match else "none"


def _types(arguments: Any) -> Iterator[int]:
    """The data types of the tensors with memory, in the order of the results."""
    for argument in arguments:
        if argument is not None and argument[0] == "tensor" and argument[-1]:
            yield argument[2]
        elif argument is not None and argument[0] == "tensors":
            yield from _types(argument[1])


def _error(theirs: bytes, ours: bytes, data_type: int) -> tuple[float, str, str]:
    """The largest error as a share of the largest element, infinite beyond NEAR; then, as text, the element with this
    error in both answers."""
    dtype: Any = numpy_dtype(data_type)
    if dtype is None or len(theirs) != len(ours):
        return np.inf, theirs.hex(), ours.hex()
    one, other = (np.frombuffer(data, dtype) for data in (theirs, ours))
    exact = dtype.kind in "biu"
    wide = [each.astype(np.complex128 if dtype.kind == "c" else np.float64) for each in (one, other)]
    alike = (one == other) if exact else (wide[0] == wide[1]) | (np.isnan(wide[0]) & np.isnan(wide[1]))
    with np.errstate(all="ignore"):
        errors = np.where(alike, 0.0, np.abs(wide[0] - wide[1]))
    errors = np.where(np.isnan(errors), np.inf, errors)
    at = int((errors if not exact else ~alike).argmax())
    largest = np.abs(wide[1][np.isfinite(wide[1])]).max(initial=0.0)
    share = 0.0 if alike.all() else np.inf if exact or not largest else float(errors[at] / largest)
    return (share if share <= NEAR.get(dtype.name, 0.0) else np.inf), f"element {at} is {one[at]}", f"{other[at]}"
