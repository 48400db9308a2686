"""Converting and recording the arguments of a function without a loop.

Every call converts its arguments, and records them in `machine.calls`. A loop with a call for each argument would take
a tenth of a small launch. So each list of C types has a function that does the same in one expression. The text of such
a function, for a tensor, an integer, an output and any other type:

    def convert(given):
        a0, a1, a2, a3 = given
        return (
            a0.value or 0 if type(a0) is h0 else c0(a0),
            a1 if type(a1) is int and l1 <= a1 <= m1 else c1(a1),
            Out(a2._obj) if type(a2) is BYREF and type(a2._obj) in t2 else c2(a2),
            c3(a3),
        )

`c0` to `c3` are the `convert` of the types. The other branches are fast paths for their most frequent results. Equal
lists of types share a text, so few texts are compiled.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

from acl_runtime.abi.conversions import Array, CType, Integer, Output, Pointer
from acl_runtime.abi.pointers import BYREF, NULL, Address, Out, Values

Converter: TypeAlias = Callable[[Sequence[Any]], tuple[Any, ...]]
"""takes the arguments, and returns the values for the body"""
Keeper: TypeAlias = Callable[[Sequence[Any]], tuple[tuple[Any, ...], Any]]
"""takes the values of the body, and returns the values for a record: the arguments, and the written outputs (a list if
there are several outputs, None if there is none)"""


def converter(types: Sequence[CType]) -> Converter:
    """A function that does `tuple(ctype.convert(value) for ctype, value in zip(types, values))`, faster."""
    names: dict[str, Any] = {"BYREF": BYREF, "Out": Out}
    terms: list[str] = []
    for i, ctype in enumerate(types):
        names[f"c{i}"] = ctype.convert
        if ctype.handle is not None:
            names[f"h{i}"] = ctype.handle
            terms.append(f"a{i}.value or 0 if type(a{i}) is h{i} else c{i}(a{i})")
        elif isinstance(ctype, Integer):
            names[f"l{i}"], names[f"m{i}"] = ctype.low, ctype.high
            terms.append(f"a{i} if type(a{i}) is int and l{i} <= a{i} <= m{i} else c{i}(a{i})")
        elif isinstance(ctype, Output):
            names[f"t{i}"] = ctype.accepted
            terms.append(f"Out(a{i}._obj) if type(a{i}) is BYREF and type(a{i}._obj) in t{i} else c{i}(a{i})")
        else:
            terms.append(f"c{i}(a{i})")
    return _compiled(len(types), _tuple(terms), tuple(names))(*names.values())


def receiver(types: Sequence[CType]) -> Converter:
    """A function like that of `converter`, for the raw values of a caller in C. It calls `ctype.receiver` if the type
    has one. The conversions of pointers and arrays are inlined."""
    names: dict[str, Any] = {"Address": Address, "NULL": NULL, "Values": Values}
    terms: list[str] = []
    for i, ctype in enumerate(types):
        if type(ctype) is Pointer:
            terms.append(f"Address(a{i}) if a{i} else NULL")
        elif type(ctype) is Array:
            names[f"d{i}"] = ctype.dtype
            terms.append(f"Values(None, a{i} or 0, d{i})")
        elif ctype.receiver is not None:
            names[f"r{i}"] = ctype.receiver
            terms.append(f"r{i}(a{i})")
        else:
            terms.append(f"a{i}")
    return _compiled(len(types), _tuple(terms), tuple(names))(*names.values())


def keeper(types: Sequence[CType]) -> Keeper:
    """A function that makes the values of a record from the values of a body. It stores no object of the caller."""
    values = [f"a{i}.recorded" if ctype.wraps else f"a{i}" for i, ctype in enumerate(types)]
    stored = [f"a{index}.stored" for index, ctype in enumerate(types) if isinstance(ctype, Output)]
    outputs = f"[{', '.join(stored)}]" if len(stored) > 1 else "".join(stored) or "None"
    return _compiled(len(types), f"{_tuple(values)}, {outputs}", ())()


def _tuple(terms: Sequence[str]) -> str:
    return f"({''.join([f'{term}, ' for term in terms])})"


@cache
def _compiled(count: int, expression: str, names: tuple[str, ...]) -> Callable[..., Callable[[Sequence[Any]], Any]]:
    """A function that takes the values of `names`, and makes the function of `count` arguments with this result. Its
    arguments are in one sequence, as a call with a variable number of arguments is slower in Python."""
    arguments = "".join([f"a{i}, " for i in range(count)])
    unpacked = f"{arguments}= given" if count else "pass"
    text = f"""
def make({", ".join(names)}):
    def unrolled(given):
        {unpacked}
        return {expression}
    return unrolled
"""
    scope: dict[str, Any] = {}
    exec(text, scope)
    return scope["make"]
