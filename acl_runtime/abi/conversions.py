"""The classes of C types. Each has its C spelling, and converts an argument to the value that a body receives.

`convert` takes an argument of a caller in Python. The text of its TypeError completes "expected ...". `receive` takes
an argument of a caller in C. The C compiler has checked its type. The types by name are in `acl_runtime.abi.c`.
"""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# (much of ctypes has no types: arrays, pointers, what byref returns)

import ctypes
import operator
from collections.abc import Callable
from ctypes import c_bool, c_void_p
from typing import Any, Final, cast

import numpy as np

import acl_runtime.headers.handles as h
from acl_runtime.abi.pointers import (
    BYREF,
    FUNCTION,
    NULL,
    POINTER,
    Address,
    Addresses,
    Arrays,
    Given,
    Out,
    OutOfC,
    Texts,
    Values,
    address_of,
    target_of,
)

_referred = operator.attrgetter("_obj")


class CType:
    """A C type: its spelling, the annotation in Python stubs, and the conversion."""

    handle: type[c_void_p] | None = None
    """fast path: an argument of exactly this class is converted to its `.value`, 0 for null"""
    wraps = False
    """True if `convert` returns an object with an attribute `recorded`, the value for `machine.calls`"""
    raw: Any = c_void_p
    """the ctypes class of an argument from C"""

    def __init__(self, spelling: str, python: str) -> None:
        self.spelling = spelling
        self.python = python

    def convert(self, value: Any) -> Any:
        """Convert an argument from Python; the text of a TypeError completes "expected ..."."""
        return value

    def receive(self, raw: Any) -> Any:
        """Convert an argument from C. ctypes passes a null address as None."""
        return raw

    @property
    def receiver(self) -> Callable[[Any], Any] | None:
        """`receive`; None if it would return its argument unchanged."""
        return None if type(self).receive is CType.receive else self.receive

    def declare(self, name: str) -> str:
        """The declaration of a parameter, such as `const aclTensor *gradOutput`, with the star next to the name, as in
        the documents. Brackets follow the name."""
        if self.spelling.endswith("]"):
            base, bracket, sizes = self.spelling.partition("[")
            return f"{base}{name}{bracket}{sizes}"
        return f"{self.spelling}{name}" if self.spelling.endswith(("*", "&")) else f"{self.spelling} {name}"

    def __repr__(self) -> str:
        return self.spelling


class Integer(CType):
    """An integer or enum, wrapped to its width as C does."""

    def __init__(self, spelling: str, bits: int, *, signed: bool) -> None:
        super().__init__(spelling, "SupportsIndex")
        self.low = -(1 << bits - 1) if signed else 0
        self.mask = (1 << bits) - 1
        self.high = self.low + self.mask
        self.raw = getattr(ctypes, f"c_{'' if signed else 'u'}int{bits}")

    def convert(self, value: Any) -> int:
        if type(value) is int and self.low <= value <= self.high:
            return value
        try:
            number = operator.index(value)
        except TypeError:
            if target_of(value) is not None:
                raise TypeError("a number; pass x.value, not a pointer to it") from None
            if isinstance(value, ctypes._SimpleCData):
                return self.convert(value.value)
            raise TypeError("an integer") from None
        if self.low <= number <= self.high:
            return number
        return (number - self.low & self.mask) + self.low


class Enum(Integer):
    """An enum: any int is accepted, as in C."""

    def __init__(self, spelling: str) -> None:
        super().__init__(spelling, 32, signed=True)


class Bool(CType):
    """`bool`, or `const bool`."""

    raw = c_bool

    def __init__(self, spelling: str = "bool") -> None:
        super().__init__(spelling, "bool")

    def convert(self, value: Any) -> bool:
        if isinstance(value, c_bool):
            return value.value
        if isinstance(value, bool | int | np.bool_ | np.integer):
            return bool(value)
        raise TypeError("a bool")


class Real(CType):
    """`double` or `float`; the body receives a float."""

    def __init__(self, spelling: str) -> None:
        super().__init__(spelling, "float")
        self.raw = {"double": ctypes.c_double, "float": ctypes.c_float}[spelling.removeprefix("const ")]

    def convert(self, value: Any) -> float:
        if isinstance(value, ctypes.c_double | ctypes.c_float):
            return value.value
        if isinstance(value, str | bytes):
            raise TypeError("a number")
        try:
            return float(value)
        except (TypeError, ValueError):
            raise TypeError("a number") from None


class CString(CType):
    """`char *`: the body receives str or None."""

    def __init__(self, spelling: str) -> None:
        super().__init__(spelling, "str | bytes | c_char_p | None")

    def convert(self, value: Any) -> str | None:
        if value is None or isinstance(value, str):
            return value and value.split("\0", 1)[0]
        if isinstance(value, ctypes.c_char_p) or (isinstance(value, ctypes.Array) and value._type_ is ctypes.c_char):
            value = value.value
            if value is None:
                return None
        if isinstance(value, bytes):
            return value.split(b"\0", 1)[0].decode(errors="surrogateescape")
        raise TypeError("str, bytes or None")

    def receive(self, raw: int | None) -> str | None:
        return ctypes.string_at(raw).decode(errors="surrogateescape") if raw else None


class Pointer(CType):
    """`void *`: memory of the host or the device."""

    wraps = True

    def __init__(self, spelling: str, *, target: bool) -> None:
        super().__init__(spelling, "Target" if target else "Source")
        self.target = target

    def convert(self, value: Any) -> Address:
        return NULL if value is None else address_of(value, target=self.target)

    def receive(self, raw: int | None) -> Address:
        return Address(raw) if raw else NULL


class Output(CType):
    """`T *` for the output of one value: byref(x) or pointer(x) of the right ctypes class."""

    wraps = True

    def __init__(self, spelling: str, python: str, *accepted: type[Any], refused: tuple[type[Any], ...] = ()) -> None:
        super().__init__(spelling, f"Output[{python}]")
        self.accepted = accepted
        self.refused = refused
        instance = f"POINTER(c_{python.removesuffix('Pointer').lower()})" if python.endswith("Pointer") else python
        self.expected = f"byref(x) or pointer(x) with x = {instance}()"

    def convert(self, value: Any) -> Out[Any]:
        target: Any = _referred(value) if type(value) is BYREF else target_of(value)
        if type(target) in self.accepted:
            return Out(target)
        if target is None:
            if value is None or (isinstance(value, POINTER) and not value):
                return Out(None)
            if isinstance(value, ctypes.Array) and issubclass(value._type_, self.accepted):
                return Out(value._type_.from_buffer(value))
            fix = "; forgot byref?" if isinstance(value, self.accepted) else ""
            raise TypeError(f"{self.expected}{fix}")
        if isinstance(target, self.accepted) and not isinstance(target, self.refused):
            return Out(target)
        raise TypeError(f"{self.expected}, not of a {type(target).__name__}")

    def receive(self, raw: int | None) -> Out[Any]:
        return OutOfC(self.accepted[0].from_address(raw) if raw else None)


class RuntimeHandleType(CType):
    """A runtime handle such as aclrtStream, which is `void *` in C. The body receives the number, 0 for null."""

    raw = ctypes.c_size_t

    def __init__(self, spelling: str) -> None:
        name = spelling.rsplit(maxsplit=1)[-1]
        super().__init__(spelling, f"{name} | c_void_p | int | None")
        self.handle = getattr(h, name)

    def convert(self, value: Any) -> int:
        if value is None:
            return 0
        if isinstance(value, h.RuntimeHandle):
            return value.value or 0
        if isinstance(value, h.MetaHandle):
            raise TypeError(f"{self.spelling}, c_void_p, int or None")
        if isinstance(value, c_void_p):
            return value.value or 0
        if isinstance(value, int):
            return value & 0xFFFF_FFFF_FFFF_FFFF
        fix = "; pass x itself" if type(value) is BYREF or isinstance(value, POINTER) else ""
        raise TypeError(f"{self.spelling}, c_void_p, int or None{fix}")


class MetaHandleType(CType):
    """A handle such as `const aclTensor *`. The body receives the number, 0 for null."""

    raw = ctypes.c_size_t

    def __init__(self, spelling: str, kind: type[h.MetaHandle]) -> None:
        super().__init__(spelling, f"{kind.__name__} | c_void_p | None")
        self.kind = self.handle = kind

    def convert(self, value: Any) -> int:
        if isinstance(value, self.kind) or type(value) is c_void_p:
            return value.value or 0
        if value is None or (type(value) is int and value == 0):
            return 0
        fix = ""
        if type(value) is BYREF or isinstance(value, POINTER):
            fix = "; pass x itself"
        elif isinstance(value, int):
            fix = f"; {self.kind.__name__}(x) makes a handle of a number"
        raise TypeError(f"{self.kind.__name__}, c_void_p or None{fix}")


def _pointee(value: Any) -> type[Any]:
    """The class of x in byref(x) or pointer(x); `object` if `value` is none of these."""
    if type(value) is BYREF:
        return cast("type[Any]", type(_referred(value)))
    return cast("type[Any]", value._type_) if isinstance(value, POINTER) else object  # type: ignore[attr-defined]


def _pointed_values(value: Any, dtype: "np.dtype[Any]") -> tuple[tuple[Any, ...] | None, int]:
    """The values at byref(x) or pointer(x), and their address. The values are None if their number is unknown."""
    address = address_of(value, target=False)
    if address.size is None:
        return None, address.value
    raw = ctypes.string_at(address.value, address.size // dtype.itemsize * dtype.itemsize)
    return tuple(np.frombuffer(raw, dtype).tolist()), address.value


def _fix(value: Any) -> str:
    """The hint for an argument that is a pointer to a whole array; "" for others."""
    return "; pass the array itself" if issubclass(_pointee(value), ctypes.Array) else ""


class Array(CType):
    """`const T *` with a count in another parameter: list, tuple, array of numpy or ctypes, pointer, None."""

    wraps = True

    def __init__(self, spelling: str, element: Any, dtype: str, python: str) -> None:
        super().__init__(spelling, python)
        self.element = element
        self.dtype = np.dtype(dtype)
        self.number = {"i": _INT64.convert, "u": _UINT64.convert, "f": _REAL.convert, "b": _BOOL.convert}[
            self.dtype.kind
        ]

    def convert(self, value: Any) -> Values:
        if value is None:
            return Values(None)
        if isinstance(value, list | tuple):
            try:
                return Values(tuple(map(self.number, value)))
            except TypeError as error:
                raise TypeError(f"an array of {self.dtype} whose every element is {error}") from None
        if isinstance(value, np.ndarray):
            if value.dtype != self.dtype or not value.flags.c_contiguous:
                raise TypeError(f"a C-contiguous array of {self.dtype}; this one is of {value.dtype}")
            return Values(value.ravel().tolist())
        if isinstance(value, ctypes.Array) and issubclass(value._type_, self.element):
            return Values(value[:])
        if issubclass(_pointee(value), self.element):
            return Values(*_pointed_values(value, self.dtype), self.dtype)
        raise TypeError(f"a list, a tuple, an array of {self.dtype}, byref(x), pointer(x), or None{_fix(value)}")

    def receive(self, raw: int | None) -> Values:
        return Values(None, raw or 0, self.dtype)


class HandleArray(CType):
    """`const aclTensor *const *`: handles of one kind."""

    wraps = True

    def __init__(self, spelling: str, kind: type[h.MetaHandle]) -> None:
        super().__init__(spelling, f"Sequence[{kind.__name__} | c_void_p | None] | Referred | None")
        self.one = MetaHandleType(kind.__name__, kind)

    def convert(self, value: Any) -> Values:
        if value is None:
            return Values(None)
        if isinstance(value, list | tuple | ctypes.Array):
            items: list[Any] = list(value)
            if isinstance(value, ctypes.Array) and value._type_ is c_void_p:  # ctypes returns its items as numbers
                items = [c_void_p(item) for item in items]
            return Values([self.one.convert(item) for item in items])
        kind = _pointee(value)
        if kind is c_void_p or issubclass(kind, self.one.kind):
            return Values(*_pointed_values(value, _ADDRESS), _ADDRESS)
        expected = f"a list, a tuple or a ctypes array of {self.one.kind.__name__}, byref(x), pointer(x), or None"
        raise TypeError(f"{expected}{_fix(value)}")

    def receive(self, raw: int | None) -> Values:
        return Values(None, raw or 0, _ADDRESS)


class AddressArray(CType):
    """`void **` as an input: a list, tuple or ctypes array of arguments that a `void *` accepts."""

    wraps = True

    def __init__(self, spelling: str, *, target: bool) -> None:
        super().__init__(
            spelling, "Sequence[Target] | Referred | None" if target else "Sequence[Source] | Referred | None"
        )
        self.target = target

    def convert(self, value: Any) -> Values:
        if value is None:
            return Values(None)
        if isinstance(value, list | tuple | ctypes.Array):
            items: list[Any] = list(value)
            return Addresses([address_of(item, target=self.target) for item in items])
        kind = _pointee(value)
        if issubclass(kind, c_void_p) and not issubclass(kind, h.Handle):
            values, address = _pointed_values(value, _ADDRESS)
            return Addresses(None if values is None else [*map(Address, values)], address, _ADDRESS)
        raise TypeError(f"a list, a tuple or a ctypes array of addresses, byref(x), pointer(x), or None{_fix(value)}")

    def receive(self, raw: int | None) -> Values:
        return Addresses(None, raw or 0, _ADDRESS)


class ArrayOfArrays(CType):
    """`const int64_t *const values[]` with a count for each array: a list or a tuple of arrays, None."""

    wraps = True

    def __init__(self, spelling: str, inner: Array) -> None:
        super().__init__(spelling, f"Sequence[{inner.python}] | None")
        self.inner = inner

    def convert(self, value: Any) -> Values:
        if value is None:
            return Values(None)
        if not isinstance(value, list | tuple):
            raise TypeError("a list or a tuple of arrays, or None")
        return Arrays([self.inner.convert(item) for item in cast("list[Any]", value)])

    def receive(self, raw: int | None) -> Values:
        return Arrays(None, raw or 0, _ADDRESS, inner=self.inner.dtype)


class TextArray(CType):
    """`const char **` with a count in another parameter: a list or a tuple of texts, None."""

    wraps = True

    def __init__(self, spelling: str) -> None:
        super().__init__(spelling, "Sequence[str | bytes | None] | None")
        self.one = CString("const char *")

    def convert(self, value: Any) -> Values:
        if value is None:
            return Values(None)
        if not isinstance(value, list | tuple):
            raise TypeError("a list or a tuple of str, bytes or None, or None")
        return Values([self.one.convert(item) for item in cast("list[Any]", value)])

    def receive(self, raw: int | None) -> Values:
        return Texts(None, raw or 0, _ADDRESS)


class Structs(CType):
    """`T *` of a struct or of an array of them: byref(x), pointer(x), a ctypes array, an address, None."""

    wraps = True

    def __init__(self, spelling: str, kind: type[ctypes.Structure | ctypes.Union]) -> None:
        super().__init__(spelling, "Target")
        self.kind = kind

    def convert(self, value: Any) -> Address:
        target: Any = cast("Any", value) if isinstance(value, ctypes.Array) else target_of(value)
        kind = cast("Any", target._type_ if isinstance(target, ctypes.Array) else type(target))
        if isinstance(value, ctypes.Structure | ctypes.Union) or (target is not None and kind is not self.kind):
            raise TypeError(f"byref(x), pointer(x) or an array of {self.kind.__name__}, or None")
        return address_of(value, target=True)

    def receive(self, raw: int | None) -> Address:
        return Address(raw) if raw else NULL


class Function(CType):
    """A pointer to a function: a Python callable or a ctypes function. `result` and `parameters` are the types of the C
    function."""

    wraps = True

    def __init__(self, spelling: str, result: CType | None, *parameters: tuple[str, CType]) -> None:
        super().__init__(spelling, "Callable[..., Any] | None")
        self.result, self.parameters = result, parameters
        raw = [
            c_void_p if ctype.handle else ctype.raw for _, ctype in parameters
        ]  # c_void_p accepts the handle classes
        self._function_type = ctypes.CFUNCTYPE(result and result.raw, *raw)

    def convert(self, value: Any) -> Given:
        if value is None or (isinstance(value, int) and value == 0):
            return Given(None)
        if not callable(value) or isinstance(value, type):
            raise TypeError("a function, or None")
        null = isinstance(value, FUNCTION) and not value
        return Given(None if null else value)

    def receive(self, raw: int | None) -> Given:
        return Given(self._function_type(raw) if raw else None)

    def in_c(self, function: Callable[..., Any]) -> Any:
        """The C function that calls a function in Python."""
        return self._function_type(function)

    @property
    def typedef(self) -> str:
        """The typedef in C, such as `typedef void (*aclrtCallback)(void *userData);`."""
        parameters = ", ".join(ctype.declare(name) for name, ctype in self.parameters)
        return f"typedef {self.result or 'void'} (*{self.spelling})({parameters});"


class FunctionParameter(Function):
    """A pointer to a function without a typedef: `{}` in the spelling is replaced by the name."""

    def declare(self, name: str) -> str:
        return self.spelling.format(name)


class UnionByValue(CType):
    """A union of one int32_t that is passed by value, in the register of an int32_t; the body receives the number."""

    raw = ctypes.c_int32

    def __init__(self, spelling: str, kind: type[ctypes.Union]) -> None:
        super().__init__(spelling, f"{kind.__name__} | SupportsIndex")
        self.kind = kind

    def convert(self, value: Any) -> int:
        return _INT32.convert(value.value if isinstance(value, self.kind) else value)  # type: ignore[attr-defined]


class StructByValue(CType):
    """A struct that is passed by value; the body receives it."""

    def __init__(self, spelling: str, kind: type[ctypes.Structure]) -> None:
        super().__init__(spelling, kind.__name__)
        self.raw = self.kind = kind

    def convert(self, value: Any) -> Any:
        if not isinstance(value, self.kind):
            raise TypeError(f"an object of {self.kind.__name__}")
        return self.kind.from_buffer_copy(value)


class Anything(CType):
    """`void *` of user data: the callback gets it back unchanged."""

    wraps = True

    def __init__(self, spelling: str) -> None:
        super().__init__(spelling, "Any")

    def convert(self, value: Any) -> Given:
        return Given(value)

    def receive(self, raw: int | None) -> Given:
        return Given(raw)


class Variadic(CType):
    """`...`: the arguments after the declared arguments."""

    wraps = True

    def __init__(self) -> None:
        super().__init__("...", "Any")

    def convert(self, value: Any) -> Given:
        return Given(value)

    def receive(self, raw: int | None) -> Given:
        """The text, which a caller in C has formatted; it passes the text with the format "%s"."""
        return Given((ctypes.string_at(raw or 0).decode(errors="surrogateescape") if raw else "",))

    def declare(self, name: str) -> str:
        return "..."


_RETURNED: dict[str, Any] = {
    "void": None, "aclError": ctypes.c_int32, "aclnnStatus": ctypes.c_int32, "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64, "aclDataType": ctypes.c_int32, "aclFormat": ctypes.c_int32,
    "acltdtTensorType": ctypes.c_int32, "HcclResult": ctypes.c_int32, "mstxRangeId": ctypes.c_uint64,
    "size_t": ctypes.c_size_t, "float": ctypes.c_float, "aclFloat16": ctypes.c_uint16,
}  # fmt: skip
"""ctypes classes of results that are no pointers, by C type"""


class Result(CType):
    """The result of a function. `null` makes the result of a call that fails."""

    def __init__(
        self, spelling: str, python: str, null: Callable[[], Any] | None = None, *, status: bool = False
    ) -> None:
        super().__init__(spelling, python)
        self.null = null
        self.status = status
        """True for a status, which the boundary makes from the exception that the body raises"""
        self.raw = _RETURNED.get(spelling, c_void_p)


_ADDRESS: Final = np.dtype("uint64")
_INT32 = Integer("int32_t", 32, signed=True)
_INT64 = Integer("int64_t", 64, signed=True)
_UINT64 = Integer("uint64_t", 64, signed=False)
_REAL = Real("float")
_BOOL = Bool()
