"""Classes for the kinds of parameters of a first phase.

An operator's class has one object of these classes for each parameter of the prototype. In a call a parameter has a
value: a number, a text, the object behind a handle, or for a list the objects of its members.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar, overload

import acl_runtime.headers.handles as h
from acl_runtime.abi.conversions import CType
from acl_runtime.headers.enums import aclDataType
from acl_runtime.objects.handle_table import (
    BoolArray,
    FloatArray,
    IntArray,
    Scalar,
    ScalarList,
    Tensor,
    TensorList,
    Thing,
)
from acl_runtime.objects.soc import NEWER, Series
from aclnn.catalogue.c_types import c_type

T = TypeVar("T")
Declared = TypeVar("Declared", bound="Param[Any]")
_D = aclDataType


class DataTypes:
    """Data types of a parameter, by product series, in the order of the document."""

    def __init__(
        self,
        everywhere: Sequence[aclDataType],
        extra: Mapping[Series, Sequence[aclDataType]] | None = None,
        *,
        on: Mapping[Series, Sequence[aclDataType]] | None = None,
    ) -> None:
        """`extra` has further data types of a series. `on` has the whole list of a series."""
        self._everywhere = tuple(everywhere)
        self._on = {series: self._everywhere + tuple(more) for series, more in (extra or {}).items()}
        self._on.update({series: tuple(listed) for series, listed in (on or {}).items()})

    def on(self, series: Series) -> tuple[aclDataType, ...]:
        """The data types on a product series."""
        return self._on.get(series, self._everywhere)


ANY: Final = DataTypes(tuple(aclDataType))
"""data types of a parameter whose document lists none"""
FLOAT_AND_HALF: Final = DataTypes((_D.ACL_FLOAT, _D.ACL_FLOAT16))
FLOATS: Final = DataTypes((_D.ACL_FLOAT, _D.ACL_FLOAT16), dict.fromkeys(NEWER, (_D.ACL_BF16,)))
UP_TO_8: Final = range(9)


class Called(Protocol):
    """A call of an operator. Its `__dict__` has the values by the names of the parameters."""

    params: ClassVar[tuple[Any, ...]]


class Param(Generic[T]):
    """A parameter of the first phase."""

    ctype: CType

    def __init__(self, doc: str = "", *, printed: str = "") -> None:
        self.doc = doc
        self.name = ""
        self._printed = printed

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def printed(self) -> str:
        """The name in the document's prototype."""
        return self._printed or self.name

    @overload
    def __get__(self: Declared, call: None, owner: type) -> Declared: ...
    @overload
    def __get__(self, call: Called, owner: type) -> T: ...
    def __get__(self, call: Called | None, owner: type) -> Any:
        return self  # for a call, Python finds the value in __dict__ first

    def in_use(self, call: Called) -> bool:
        """True if the call uses the parameter."""
        return call.__dict__[self.name] is not None

    def __repr__(self) -> str:
        return self.name.removesuffix("_")  # a keyword, or a name of `Op`, has a `_` at its end


class ObjectParam(Param[T]):
    """A parameter that is a handle. Its value in a call is the object behind the handle."""

    kind: type[Thing]
    proper = ""
    """the library's sentence about a null argument"""
    handle: type[h.MetaHandle]
    """C type behind the pointer"""
    optional = False
    """true if the caller may pass null"""
    needed_with = ""
    """name of the flag; if the flag is true, null is refused"""

    def __init__(self, doc: str = "", *, optional: bool = False, const: bool = True, printed: str = "") -> None:
        super().__init__(doc, printed=printed)
        self.optional = optional or self.optional
        self.ctype = c_type(f"{'const ' if const else ''}{self.handle.__name__} *")

    def needed(self, call: Called) -> bool:
        """True if the argument must not be null in this call."""
        if self.needed_with:
            return bool(call.__dict__[self.needed_with])
        return not self.optional

    def looked_at(self, call: Called) -> bool:
        """True if the call notices a dead handle."""
        return True


class ScalarIn(ObjectParam[Scalar]):
    """`const aclScalar *`. `call.alpha.item()` is its value as a Python number."""

    kind = Scalar
    handle = h.aclScalar
    proper = "Expected a value of type number for argument {} but instead found type null."
    dtypes: DataTypes | None = None
    """data types in its document; None if it lists none"""


class IntArrayIn(ObjectParam[IntArray]):
    """`const aclIntArray *`. `call.dims.values` are its values."""

    kind = IntArray
    handle = h.aclIntArray
    proper = "Expected a value of type List[int] for argument {} but instead found type null."


class FloatArrayIn(ObjectParam[FloatArray]):
    """`const aclFloatArray *`. `call.scales.values` are its values."""

    kind = FloatArray
    handle = h.aclFloatArray
    proper = "Expected a value of type List[float] for argument {} but instead found type null."


class BoolArrayIn(ObjectParam[BoolArray]):
    """`const aclBoolArray *`. `call.mask.values` are its values."""

    kind = BoolArray
    handle = h.aclBoolArray
    proper = "Expected a value of type List[bool] for argument {} but instead found type null."


class Elements(ObjectParam[T]):
    """Base of tensors and of lists of tensors: their allowed data types and ranks."""

    role = ""
    reads = False
    """true if the operator reads the elements"""
    writes = False
    """true if the operator writes the elements"""
    const_as_a_rule = True
    """true if the prototype has `const` by default"""

    def __init__(
        self,
        dtypes: DataTypes,
        *,
        doc: str = "",
        rank: range = UP_TO_8,
        shape: str = "",
        const: bool | None = None,
        when: "Flag | None" = None,
        optional: bool = False,
        printed: str = "",
    ) -> None:
        const = self.const_as_a_rule if const is None else const
        super().__init__(doc, optional=optional, const=const, printed=printed)
        self.dtypes = dtypes
        self.rank = rank
        self.shape = shape
        """shape rule in the document's words"""
        self.when = when
        """mask; the output is used only if the mask is true"""

    def needed(self, call: Called) -> bool:
        """True if the argument must not be null in this call."""
        return super().needed(call) and (self.when is None or call.__dict__[self.when.name])

    def looked_at(self, call: Called) -> bool:
        """True if the call notices a dead handle: "A disabled output is neither inspected nor written"."""
        return self.when is None or self.in_use(call)

    def in_use(self, call: Called) -> bool:
        """True if the call uses the parameter."""
        return super().in_use(call) if self.when is None else call.__dict__[self.when.name]


class TensorParam(Elements[T]):
    """An aclTensor."""

    kind = Tensor
    handle = h.aclTensor
    proper = "Expected a proper Tensor but got null for argument {}."


class TensorIn(TensorParam[Tensor]):
    """`const aclTensor *`, read."""

    role = "input"
    reads = True


class OptionalTensorIn(TensorParam[Tensor | None]):
    """`const aclTensor *`, read if not null."""

    role = "optional input"
    reads = True
    optional = True


class TensorOut(TensorParam[Tensor]):
    """`aclTensor *`, written. With `when=mask` it is used only if the mask is true."""

    role = "output"
    writes = True
    const_as_a_rule = False


class OptionalTensorOut(TensorOut):
    """`aclTensor *`, written if not null."""

    role = "optional output"
    optional = True


class TensorRef(TensorParam[Tensor]):
    """`aclTensor *`, changed in place: read, then written, as one access."""

    role = "in-place tensor"
    reads = True
    writes = True
    const_as_a_rule = False


class TensorListParam(Elements[tuple[Tensor, ...]]):
    """An aclTensorList. The value in a call is a tuple of its tensors. A null list or member is None."""

    kind = TensorList
    handle = h.aclTensorList
    proper = "Expected a proper TensorList but got null for argument {}."


class TensorListIn(TensorListParam):
    """`const aclTensorList *`, read."""

    role = "list of inputs"
    reads = True


class TensorListOut(TensorListParam):
    """`aclTensorList *`, written."""

    role = "list of outputs"
    writes = True
    const_as_a_rule = False


class TensorListRef(TensorListParam):
    """`aclTensorList *`, whose tensors are changed in place."""

    role = "list of in-place tensors"
    reads = True
    writes = True
    const_as_a_rule = False


class ScalarListIn(ObjectParam[tuple[Scalar, ...]]):
    """`const aclScalarList *`. The value in a call is a tuple of its scalars."""

    kind = ScalarList
    handle = h.aclScalarList
    proper = "Expected a value of type List[number] for argument {} but instead found type null."


class ValueParam(Param[T]):
    """A parameter that is passed by value."""

    spelling = ""
    """C type"""

    def __init__(self, doc: str = "", *, const: bool = False, printed: str = "") -> None:
        super().__init__(doc, printed=printed)
        self.ctype = c_type(f"const {self.spelling}" if const else self.spelling)


class Number(ValueParam[int]):
    """Base of integers."""


class Int64(Number):
    """`int64_t`."""

    spelling = "int64_t"


class UInt64(Number):
    """`uint64_t`."""

    spelling = "uint64_t"


class Int32(Number):
    """`int32_t`."""

    spelling = "int32_t"


class Int(Number):
    """`int`."""

    spelling = "int"


class UInt32(Number):
    """`uint32_t`."""

    spelling = "uint32_t"


class Int8(Number):
    """`int8_t`."""

    spelling = "int8_t"


class Flag(ValueParam[bool]):
    """`bool`, or `const bool` in some prototypes."""

    spelling = "bool"


class Double(ValueParam[float]):
    """`double`."""

    spelling = "double"


class Float(Double):
    """`float`."""

    spelling = "float"


class DataType(ValueParam[int]):
    """`aclDataType`: a data type as a value."""

    spelling = "aclDataType"
    dtypes: DataTypes | None = None
    """values in its document; None if it lists none"""


class Other(Param[Any]):
    """A parameter of any other C type, such as `uint64_t *` for a result. Only functions without a second phase have
    such parameters."""

    def __init__(self, ctype: CType, *, printed: str = "") -> None:
        super().__init__(printed=printed)
        self.ctype = ctype


class String(ValueParam[str | None]):
    """`char *`."""

    spelling = "char *"
