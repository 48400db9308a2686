"""How an operator is declared: one class, made from the facts of the catalogue or written by hand.

    class SoftmaxBackward(Op):
        gradOutput = TensorIn(FLOATS, rank=UP_TO_8, doc="gradient from the layer above")
        dim = Int64(doc="...")
        out = TensorOut(...)

Its `checks` come from the relations of the operator. The class is the contract, an instance is one call:
`SoftmaxBackward.dim` is the declaration, `call.dim` the value.
Prototype, document page, generic tests and the checks themselves all read these declarations.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar

from acl_runtime.abi.conversions import Real
from acl_runtime.headers.statuses import (
    ACLNN_ERR_INNER,
    ACLNN_ERR_INNER_FIND_KERNEL_ERROR,
    ACLNN_ERR_INNER_NULLPTR,
    ACLNN_ERR_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR,
)
from acl_runtime.objects.executor_life import Family
from acl_runtime.objects.handle_table import Thing
from acl_runtime.objects.soc import Series, Soc
from aclnn.catalogue.evidence import Level, level
from aclnn.engine.parameters import Elements, ObjectParam, Param, ScalarListIn, TensorListParam, TensorParam
from aclnn.engine.words.negation import negated


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


Demand = TypeVar("Demand", bound="Check")


class Check:
    """One line of a document's list of refusals."""

    status: int = ACLNN_ERR_PARAM_INVALID
    status_by_series: Mapping[Series, int] = MappingProxyType({})
    """the status on products where it is another one"""

    def __init__(self, *params: Param[Any], provenance: str = "document") -> None:
        self.params = params
        self.provenance = provenance
        """`document`; `public` for what later editions and the published library add; `ours`; POLICY"""

    @property
    def sentence(self) -> str:
        """The demand, as a sentence of the document's page."""
        raise TypeError(f"{type(self).__name__} has no sentence")

    @property
    def broken(self) -> str:
        """The condition that breaks the demand, as help texts list it."""
        return negated(self.sentence)

    def answers(self: Demand, status: int, on: Series) -> Demand:
        """This check, with another status on a product series."""
        other = copy(self)
        other.status_by_series = {**self.status_by_series, on: status}
        return other

    def with_status(self: Demand, status: int) -> Demand:
        """This check, with another status on every product."""
        other = copy(self)
        other.status, other.status_by_series = status, MappingProxyType({})
        return other

    def status_on(self, series: Series) -> int:
        """The status on a product series."""
        return self.status_by_series.get(series, self.status)

    def statuses(self) -> tuple[int, ...]:
        """The statuses on all products."""
        return tuple(dict.fromkeys((self.status, *self.status_by_series.values())))

    def judge(self, call: "Op", soc: Soc) -> Violation | None:
        """The violation, or None if the call is fine."""
        raise TypeError(f"{type(self).__name__} checks nothing")

    def __repr__(self) -> str:
        return self.sentence


class When(Enum):
    """The place of the test of the product in the two phases."""

    FIRST = "first phase, before everything else"
    EARLY = "first phase, after the early tests"
    AT_ONCE = "first phase, before the executor pointer is looked at"
    NULLS = "first phase, after the null pointers"
    LAST = "first phase, after the checks of the arguments"
    PLAN = "first phase, after all other checks"
    LAUNCH = "second phase; the first succeeds"


class Unsupported(NamedTuple):
    """The answer on a product that does not have the operator, and its place."""

    status: int
    when: When


class Lacking(NamedTuple):
    """Calls of a function that this emulator does not compute: their launch is 561003."""

    calls: str
    """the words behind "aclnnFoo with" """
    when: Callable[[Any], bool]
    """Is this one of them? By its `Arguments`"""


class Products(Enum):
    """The answer of the products without an operator that has a class of its own; its page says which."""

    NOTICED_AT_ONCE = Unsupported(ACLNN_ERR_PARAM_NULLPTR, When.AT_ONCE)
    NOTICED_BY_PLAN = Unsupported(ACLNN_ERR_INNER_NULLPTR, When.PLAN)
    REFUSED = Unsupported(ACLNN_ERR_PARAM_INVALID, When.NULLS)
    NOTICED_AT_LAUNCH = Unsupported(ACLNN_ERR_INNER, When.LAUNCH)


class Op:
    """Base of all operators. The C name is `aclnn` plus the class name."""

    header: ClassVar[str]
    """the header that declares the pair; it cannot be derived from the name"""
    family: ClassVar[Family] = Family.COMPOSITE
    series: ClassVar[tuple[Series, ...]] = tuple(Series)
    """the products it computes on"""
    elsewhere: ClassVar[Products] = Products.REFUSED
    """how the others refuse it"""
    refusals: ClassVar[Mapping[Series, Unsupported]]
    """the answer of each product that refuses it"""
    undocumented: ClassVar[Mapping[Series, str]] = MappingProxyType({})
    """products that it computes on although no document lists them, each with what is known of it there"""
    const_stream: ClassVar[bool] = False
    """does the second phase's prototype say `const aclrtStream stream`?"""
    const_size: ClassVar[bool] = False
    """does it say `const uint64_t` for the size of the workspace?"""
    size_name: ClassVar[str] = "workspaceSize"
    """its name of that size"""
    null_code: ClassVar[str] = "EZ1001"
    """the code under which a null tensor is recorded"""
    in_place: ClassVar[bool] = True
    """may an output be exactly the view of an input?"""
    checks: ClassVar[tuple[Check, ...]] = ()
    """what phase 1 looks at after the null pointers, in this order"""
    from_facts: ClassVar[bool] = False
    """is it made from the facts of the catalogue? The others have a class of their own"""
    has_kernel: ClassVar[bool] = True
    """does the emulator compute it? The launch of one without a kernel fails"""
    lacks: ClassVar[tuple[Lacking, ...]] = ()
    """calls that have no kernel, where others have one"""
    moves_bytes: ClassVar[bool] = False
    """does it move elements whatever their data type is, also one that has no numbers here?"""
    compute: ClassVar[Callable[[Any], int | None] | None] = None
    """the data type that a call is computed in, by its `Arguments`; None: the formula says it"""
    changes: ClassVar[Callable[[Any], None] | None] = None
    """what a first phase changes of its tensors' descriptions, by its `Arguments`, once the call is planned"""
    null_status: ClassVar[int] = ACLNN_ERR_PARAM_NULLPTR
    """the status of a null tensor"""
    null_statuses: ClassVar[Mapping[str, int]] = MappingProxyType({})
    """and of null pointers that have another one, by name"""
    first_nulls: ClassVar[tuple[ObjectParam[Any], ...]] = ()
    """null pointers that are found before everything else"""
    first_checks: ClassVar[tuple[Check, ...]] = ()
    """what phase 1 looks at next, before the other null pointers"""
    null_checked: ClassVar[tuple[ObjectParam[Any], ...]]
    """in which order null pointers are found"""
    params: ClassVar[tuple[Param[Any], ...]]
    tensors: ClassVar[tuple[TensorParam[Any], ...]]
    objects: ClassVar[tuple[ObjectParam[Any], ...]]
    _by_name: ClassVar[dict[str, Param[Any]]]
    """the parameters by their names in the C prototype"""
    _in_place: ClassVar[Param[Any] | None]
    """of an in-place twin, the first tensor that is changed in place"""
    _c_name: ClassVar[str]
    object_places: ClassVar[tuple[tuple[int, type[Thing]], ...]]
    """which parameters are handles, and of what"""
    value_places: ClassVar[tuple[int, ...]]
    """which are none"""
    exact: ClassVar[bool]
    """do equal values mean the same? Not where there are floats (0.0 == -0.0)"""
    input_places: ClassVar[tuple[int, ...]]
    """which are tensors, or lists of them, that are read"""
    output_places: ClassVar[tuple[int, ...]]
    """which are tensors, or lists of them, that are written"""
    has_lists: ClassVar[bool]
    """is a parameter a list of tensors or scalars?"""

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
        changed = [param for param in params if isinstance(param, Elements) and param.reads and param.writes]
        in_place = changed or [param for param in params if param.printed.endswith("Ref")]
        cls._by_name = {str(param): param for param in params}
        cls._in_place = in_place[0] if in_place else None
        cls.null_checked = cls.objects
        cls.refusals = dict.fromkeys((each for each in Series if each not in cls.series), cls.elsewhere.value)
        cls._c_name = cls.__dict__.get("_c_name") or f"aclnn{cls.__name__}"
        cls.object_places = tuple((at, param.kind) for at, param in enumerate(params) if isinstance(param, ObjectParam))
        cls.value_places = tuple(at for at, param in enumerate(params) if not isinstance(param, ObjectParam))
        cls.exact = not any(isinstance(param.ctype, Real) for param in params)
        elements = [(at, param) for at, param in enumerate(params) if isinstance(param, Elements)]
        cls.input_places = tuple(at for at, param in elements if param.reads)
        cls.output_places = tuple(at for at, param in elements if param.writes)
        cls.has_lists = any(isinstance(param, TensorListParam | ScalarListIn) for param in params)

    def __init__(self, values: Sequence[Any]) -> None:
        for param, value in zip(self.params, values, strict=True):
            self.__dict__[param.name] = value

    @classmethod
    def named(cls, name: str) -> Param[Any]:
        """The parameter with this name in the C prototype. In an in-place twin, a name that it lacks (`self`, `out`)
        means its in-place tensor."""
        found = cls._by_name.get(name) or cls._by_name.get(f"{name}Ref") or cls._in_place
        if found is None:
            raise TypeError(f"{cls.c_name()} has no parameter {name}")
        return found

    @classmethod
    def named_object(cls, name: str) -> ObjectParam[Any]:
        """As `named`, of a parameter that is a handle."""
        param = cls.named(name)
        if not isinstance(param, ObjectParam):
            raise TypeError(f"{name} of {cls.c_name()} is no handle")
        return param

    @classmethod
    def computed(cls, arguments: Any) -> int | None:
        """The data type that a call is computed in; None if there is none, or only its formula says it."""
        return None if cls.compute is None else cls.compute(arguments)

    @classmethod
    def without_kernel(cls) -> Unsupported:
        """The answer of the step that finds no kernel of the operator on the product."""
        generated = cls.family is Family.GENERATED
        return Unsupported(ACLNN_ERR_INNER_FIND_KERNEL_ERROR if generated else ACLNN_ERR_INNER_NULLPTR, When.PLAN)

    @classmethod
    def level(cls, on: Series | None = None) -> Level:
        """How far its results can be trusted, in general or on a product series. The documents behind "exact" do not
        describe Ascend 950."""
        if cls.from_facts:
            return level(cls.c_name())
        if not cls.__module__.startswith("aclnn.ops."):
            return "own"
        return "computed" if on is Series.A950 else "exact"

    @classmethod
    def twin(cls) -> bool:
        """Is it the form in place of another function?"""
        return cls._c_name.startswith("aclnnInplace")

    @classmethod
    def c_name(cls) -> str:
        """Name of the second phase, `aclnn` plus the class name."""
        return cls._c_name
