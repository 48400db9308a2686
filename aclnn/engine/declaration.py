"""How an operator is declared: one class that reads like the operator's document.

    class SoftmaxBackward(Op):
        \"\"\"out = ...\"\"\"
        gradOutput = TensorIn(FLOATS, rank=UP_TO_8, doc="gradient from the layer above")
        dim = Int64(doc="...")
        out = TensorOut(...)
        checks = (Listed(gradOutput), ...)

The class is the contract, an instance is one call: `SoftmaxBackward.dim` is the declaration, `call.dim` the value.
Prototype, document page, generic tests and the checks themselves all read these declarations.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Final, Generic, NamedTuple, TypeVar, overload

import acl_runtime.abi.c as c
from acl_runtime.abi.conversions import Bool, CType
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.statuses import (
    ACLNN_ERR_INNER,
    ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR,
)
from acl_runtime.objects.executor_life import Family
from acl_runtime.objects.handle_table import BoolArray, FloatArray, IntArray, Scalar, Tensor, Thing
from acl_runtime.objects.soc import Series, Soc

T = TypeVar("T")
Declared = TypeVar("Declared", bound="Param[Any]")
_D = aclDataType


class DataTypes:
    """Data types of a parameter, by product series, in the order the document lists them."""

    def __init__(
        self, everywhere: Sequence[aclDataType], extra: Mapping[Series, Sequence[aclDataType]] | None = None
    ) -> None:
        self._everywhere = tuple(everywhere)
        self._extra = dict(extra or {})

    def on(self, series: Series) -> tuple[aclDataType, ...]:
        """The data types on a product series."""
        return self._everywhere + tuple(self._extra.get(series, ()))


FLOAT_AND_HALF: Final = DataTypes((_D.ACL_FLOAT, _D.ACL_FLOAT16))
FLOATS: Final = DataTypes((_D.ACL_FLOAT, _D.ACL_FLOAT16), {Series.A2: (_D.ACL_BF16,), Series.A3: (_D.ACL_BF16,)})
UP_TO_8: Final = range(9)


class Param(Generic[T]):
    """A parameter of the first phase."""

    ctype: CType

    def __init__(self, doc: str, *, printed: str = "") -> None:
        self.doc = doc
        self.name = ""
        self._printed = printed

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def printed(self) -> str:
        """The name in the document's prototype, where that differs."""
        return self._printed or self.name

    @overload
    def __get__(self: Declared, call: None, owner: type) -> Declared: ...
    @overload
    def __get__(self, call: "Op", owner: type) -> T: ...
    def __get__(self, call: "Op | None", owner: type) -> Any:
        return self  # the value of a call lies in its __dict__, which Python asks first

    def __repr__(self) -> str:
        return self.name


class ObjectParam(Param[T]):
    """A parameter that is a handle; in a call its value is the object behind it."""

    kind: type[Thing]
    proper = ""
    """what a null argument is not, in the library's words"""

    def needed(self, call: "Op") -> bool:
        """Must the caller give it in this call?"""
        return True

    def looked_at(self, call: "Op") -> bool:
        """Is a dead handle noticed?"""
        return True


class ScalarIn(ObjectParam[Scalar]):
    """`const aclScalar *`; `call.alpha.item()` is its value as a Python number."""

    kind = Scalar
    ctype = c.of(c.const_aclScalar_p)
    proper = "Expected a value of type number for argument {} but instead found type null."


class IntArrayIn(ObjectParam[IntArray]):
    """`const aclIntArray *`; `call.dims.values` are its values."""

    kind = IntArray
    ctype = c.of(c.const_aclIntArray_p)
    proper = "Expected a value of type List[int] for argument {} but instead found type null."


class FloatArrayIn(ObjectParam[FloatArray]):
    """`const aclFloatArray *`; `call.scales.values` are its values."""

    kind = FloatArray
    ctype = c.of(c.const_aclFloatArray_p)
    proper = "Expected a value of type List[float] for argument {} but instead found type null."


class BoolArrayIn(ObjectParam[BoolArray]):
    """`const aclBoolArray *`; `call.mask.values` are its values."""

    kind = BoolArray
    ctype = c.of(c.const_aclBoolArray_p)
    proper = "Expected a value of type List[bool] for argument {} but instead found type null."


class TensorParam(ObjectParam[T]):
    """An aclTensor: the data types it may have and, for the document, shape and rank."""

    kind = Tensor
    proper = "Expected a proper Tensor but got null for argument {}."
    role = ""
    optional = False
    const_as_a_rule = True
    """does the prototype say `const aclTensor *` where a declaration does not say?"""

    def __init__(
        self,
        dtypes: DataTypes,
        *,
        doc: str,
        rank: range = UP_TO_8,
        shape: str = "",
        const: bool | None = None,
        when: "Flag | None" = None,
        printed: str = "",
    ) -> None:
        super().__init__(doc, printed=printed)
        self.dtypes = dtypes
        self.rank = rank
        self.shape = shape
        """the shape rule in the document's words"""
        self.when = when
        """the mask that makes an output needed"""
        const = self.const_as_a_rule if const is None else const
        self.ctype = c.of(c.const_aclTensor_p if const else c.aclTensor_p)

    def needed(self, call: "Op") -> bool:
        """Must the caller give it in this call?"""
        return not self.optional and (self.when is None or call.__dict__[self.when.name])

    def looked_at(self, call: "Op") -> bool:
        """ "A disabled output is neither inspected nor written"."""
        return self.when is None or self.in_use(call)

    def in_use(self, call: "Op") -> bool:
        """Does this call look at it?"""
        if self.when is not None:
            return call.__dict__[self.when.name]
        return call.__dict__[self.name] is not None


class TensorIn(TensorParam[Tensor]):
    """`const aclTensor *`, read."""

    role = "input"


class OptionalTensorIn(TensorParam[Tensor | None]):
    """`const aclTensor *`, read if not null."""

    role = "optional input"
    optional = True


class TensorOut(TensorParam[Tensor]):
    """`aclTensor *`, written; `when=mask` for one that is needed, and looked at, only if the mask is true."""

    role = "output"
    const_as_a_rule = False


class Int64(Param[int]):
    """`int64_t`."""

    ctype = c.of(c.int64_t)


class UInt64(Param[int]):
    """`uint64_t`."""

    ctype = c.of(c.uint64_t)


class Flag(Param[bool]):
    """`bool`, or `const bool` where the document's prototype has that."""

    def __init__(self, doc: str, *, const: bool = False) -> None:
        super().__init__(doc)
        self.ctype = Bool("const bool" if const else "bool")


class Double(Param[float]):
    """`double`."""

    ctype = c.Real("double")


class Text(Param[str | None]):
    """`char *`."""

    ctype = c.CString("char *")


class Violation(NamedTuple):
    """The answer of a check that refuses: the library's own sentence, then the facts to fix the call with."""

    sentence: str
    parameter: str
    found: object
    allowed: object

    def text(self, soc: Soc, history: str = "") -> str:
        """The whole text of a refusal."""
        facts = f"parameter: {self.parameter}, found: {self.found}, allowed: {self.allowed}, SoC: {soc.label}"
        return f"{self.sentence} ({facts}{history})"


class Check:
    """One line of a document's list of refusals."""

    status: int = ACLNN_ERR_PARAM_INVALID

    def __init__(self, *params: Param[Any], provenance: str = "document") -> None:
        self.params = params
        self.provenance = provenance
        """`document`; `public` for what later editions and the published library add; `ours`; POLICY"""

    @property
    def sentence(self) -> str:
        """The demand, as a sentence of the document's page."""
        raise TypeError(f"{type(self).__name__} has no sentence")

    def judge(self, call: "Op", soc: Soc) -> Violation | None:
        """The violation, or None if the call is fine."""
        raise TypeError(f"{type(self).__name__} checks nothing")

    def __repr__(self) -> str:
        return self.sentence


class Unsupported(NamedTuple):
    """The answer on a product that does not have the operator, and when it comes."""

    status: int
    when: str


class Products(Enum):
    """Where the missing kernel of an unsupported product is noticed; each operator's page says which."""

    NOTICED_AT_ONCE = Unsupported(ACLNN_ERR_PARAM_NULLPTR, "first phase, before the executor pointer is looked at")
    NOTICED_BY_PLAN = Unsupported(ACLNN_ERR_INNER_NULLPTR, "first phase, after all other checks")
    NOTICED_AT_LAUNCH = Unsupported(ACLNN_ERR_INNER, "second phase; the first succeeds")


class Op:
    """Base of all operators. The C name is `aclnn` plus the class name."""

    header: ClassVar[str]
    """the header that declares the pair; it cannot be derived from the name"""
    family: ClassVar[Family] = Family.COMPOSITE
    series: ClassVar[tuple[Series, ...]]
    """the products it exists on"""
    elsewhere: ClassVar[Products]
    """how the others refuse it"""
    const_stream: ClassVar[bool] = False
    """does the second phase's prototype say `const aclrtStream stream`?"""
    null_code: ClassVar[str] = "EZ1001"
    """the code under which a null tensor is recorded"""
    checks: ClassVar[tuple[Check, ...]] = ()
    """what phase 1 looks at after the null pointers, in this order"""
    params: ClassVar[tuple[Param[Any], ...]]
    tensors: ClassVar[tuple[TensorParam[Any], ...]]
    objects: ClassVar[tuple[ObjectParam[Any], ...]]
    _c_name: ClassVar[str]
    object_places: ClassVar[tuple[tuple[int, type[Thing]], ...]]
    """which parameters are handles, and of what"""
    value_places: ClassVar[tuple[int, ...]]
    """which are none"""
    exact: ClassVar[bool]
    """do equal values mean the same? (0.0 == -0.0)"""
    input_places: ClassVar[tuple[int, ...]]
    """which are tensors that are read"""
    output_places: ClassVar[tuple[int, ...]]
    """which are tensors that are written"""

    def __init_subclass__(cls) -> None:
        declared: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            declared.update(vars(base))
        params: list[Param[Any]] = [value for value in declared.values() if isinstance(value, Param)]
        tensors: list[TensorParam[Any]] = [param for param in params if isinstance(param, TensorParam)]
        taken = [param.name for param in params if hasattr(Op, param.name) or param.name in Op.__annotations__]
        if taken:
            raise TypeError(f'{cls.__name__}: {", ".join(taken)} is a name of Op; say name_ = ...(printed="name")')
        objects: list[ObjectParam[Any]] = [param for param in params if isinstance(param, ObjectParam)]
        cls.params, cls.tensors, cls.objects = tuple(params), tuple(tensors), tuple(objects)
        cls._c_name = f"aclnn{cls.__name__}"
        cls.object_places = tuple((at, param.kind) for at, param in enumerate(params) if isinstance(param, ObjectParam))
        cls.value_places = tuple(at for at, param in enumerate(params) if not isinstance(param, ObjectParam))
        cls.exact = not any(isinstance(param.ctype, c.Real) for param in params)
        of_tensors = [(at, isinstance(param, TensorOut)) for at, param in enumerate(params) if param in tensors]
        cls.input_places = tuple(at for at, output in of_tensors if not output)
        cls.output_places = tuple(at for at, output in of_tensors if output)

    def __init__(self, values: Sequence[Any]) -> None:
        for param, value in zip(self.params, values, strict=True):
            self.__dict__[param.name] = value

    @classmethod
    def c_name(cls) -> str:
        """Name of the second phase, `aclnn` plus the class name."""
        return cls._c_name
