"""The declaration of an operator: one class, made from the facts of the catalogue or written by hand.

    class SoftmaxBackward(Op):
        gradOutput = TensorIn(FLOATS, rank=UP_TO_8, doc="gradient from the layer above")
        dim = Int64(doc="...")
        out = TensorOut(...)

Its `checks` come from the relations of the operator. The class is the contract, and an instance is one call:
`SoftmaxBackward.dim` is the declaration, `call.dim` the value. Prototype, document page, generic tests and the checks
read these declarations.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar

from acl_runtime.abi.conversions import Bool, Integer, Real
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
    """The violation of a check: the library's own sentence, and the values that help to correct the call."""

    sentence: str
    parameter: str
    found: object
    allowed: object

    def text(self, soc: Soc, history: str = "") -> str:
        """The text of the refusal."""
        facts = f"parameter: {self.parameter}, found: {self.found}, allowed: {self.allowed}, SoC: {soc.label}"
        return f"{self.sentence} ({facts}{history})"


Demand = TypeVar("Demand", bound="Check")


class Check:
    """A check of a call: one line of a document's list of refusals."""

    status: int = ACLNN_ERR_PARAM_INVALID
    status_by_series: Mapping[Series, int] = MappingProxyType({})
    """status on products where it differs"""

    def __init__(self, *params: Param[Any], provenance: str = "document") -> None:
        self.params = params
        self.provenance = provenance
        """`document`, `public` (later editions, or the published library), `ours`, or POLICY"""

    @property
    def sentence(self) -> str:
        """The demand as a sentence of the operator's page."""
        raise TypeError(f"{type(self).__name__} has no sentence")

    @property
    def broken(self) -> str:
        """The condition that breaks the demand, as help texts list it."""
        return negated(self.sentence)

    def answers(self: Demand, status: int, on: Series) -> Demand:
        """A copy of this check with another status on a product series."""
        twin = copy(self)
        twin.status_by_series = {**self.status_by_series, on: status}
        return twin

    def with_status(self: Demand, status: int) -> Demand:
        """A copy of this check with another status on every product."""
        twin = copy(self)
        twin.status, twin.status_by_series = status, MappingProxyType({})
        return twin

    def status_on(self, series: Series) -> int:
        """The status on a product series."""
        return self.status_by_series.get(series, self.status)

    def statuses(self) -> tuple[int, ...]:
        """The statuses on all products."""
        return tuple(dict.fromkeys((self.status, *self.status_by_series.values())))

    def judge(self, call: "Op", soc: Soc) -> Violation | None:
        """The violation; None if the call is right."""
        raise TypeError(f"{type(self).__name__} checks nothing")

    def __repr__(self) -> str:
        return self.sentence


class When(Enum):
    """The moment at which the phases check that the product has the operator."""

    FIRST = "first phase, before everything else"
    EARLY = "first phase, after the early tests"
    AT_ONCE = "first phase, before the executor pointer is looked at"
    NULLS = "first phase, after the null pointers"
    LAST = "first phase, after the checks of the arguments"
    PLAN = "first phase, after all other checks"
    LAUNCH = "second phase; the first succeeds"


class Unsupported(NamedTuple):
    """The status on a product without the operator, and the moment of this check."""

    status: int
    when: When


class Lacking(NamedTuple):
    """Calls of a function that this emulator does not compute. Their launch returns 561003."""

    calls: str
    """description of the calls, for a text "aclnnFoo with ..." """
    when: Callable[[Any], bool]
    """function of the `Arguments` of a call; true for these calls"""


class Products(Enum):
    """The refusals of products without the operator, for operators with a class of their own."""

    NOTICED_AT_ONCE = Unsupported(ACLNN_ERR_PARAM_NULLPTR, When.AT_ONCE)
    NOTICED_BY_PLAN = Unsupported(ACLNN_ERR_INNER_NULLPTR, When.PLAN)
    REFUSED = Unsupported(ACLNN_ERR_PARAM_INVALID, When.NULLS)
    NOTICED_AT_LAUNCH = Unsupported(ACLNN_ERR_INNER, When.LAUNCH)


class Op:
    """Base of all operators. The C name is `aclnn` and the class name."""

    header: ClassVar[str]
    """header that declares both functions; it cannot be derived from the name"""
    family: ClassVar[Family] = Family.COMPOSITE
    series: ClassVar[tuple[Series, ...]] = tuple(Series)
    """products that have the operator"""
    elsewhere: ClassVar[Products] = Products.REFUSED
    """refusal on the other products"""
    refusals: ClassVar[Mapping[Series, Unsupported]]
    """refusal of each product without the operator"""
    undocumented: ClassVar[Mapping[Series, str]] = MappingProxyType({})
    """products that have the operator although no document lists them, each with a remark"""
    const_stream: ClassVar[bool] = False
    """true if the second phase's prototype has `const aclrtStream stream`"""
    const_size: ClassVar[bool] = False
    """true if the second phase's prototype has `const uint64_t` for the size of the workspace"""
    size_name: ClassVar[str] = "workspaceSize"
    """name of the size of the workspace in the second phase's prototype"""
    null_code: ClassVar[str] = "EZ1001"
    """code of the error message for a null tensor"""
    in_place: ClassVar[bool] = True
    """true if an output may be exactly the view of an input"""
    checks: ClassVar[tuple[Check, ...]] = ()
    """checks of phase 1 after the null pointers, in their order"""
    from_facts: ClassVar[bool] = False
    """true if the class is made from the facts of the catalogue, false if it is written by hand"""
    has_kernel: ClassVar[bool] = True
    """true if the emulator computes the operator; a launch without a kernel fails"""
    lacks: ClassVar[tuple[Lacking, ...]] = ()
    """calls that the kernel does not compute"""
    moves_bytes: ClassVar[bool] = False
    """true if it moves elements of any data type, even of one that numpy and ml_dtypes lack"""
    nibbles: ClassVar[tuple[str, ...]] = ()
    """tensors of floats of 4 bits, which the formula reads or writes as bits"""
    compute: ClassVar[Callable[[Any], int | None] | None] = None
    """function from `Arguments` to the data type of the computation; None: the formula chooses it"""
    group_places: ClassVar[tuple[int, ...]] = ()
    """numbers of the parameters that name communicators"""
    changes: ClassVar[Callable[[Any], None] | None] = None
    """function of `Arguments` that changes the descriptors of tensors after a first phase has planned the call"""
    null_status: ClassVar[int] = ACLNN_ERR_PARAM_NULLPTR
    """status of a null tensor"""
    null_statuses: ClassVar[Mapping[str, int]] = MappingProxyType({})
    """status of other null pointers, by name"""
    first_nulls: ClassVar[tuple[ObjectParam[Any], ...]] = ()
    """pointers that phase 1 checks for null before everything else"""
    first_checks: ClassVar[tuple[Check, ...]] = ()
    """checks of phase 1 after `first_nulls`, before the other null pointers"""
    null_checked: ClassVar[tuple[ObjectParam[Any], ...]]
    """pointers in the order in which phase 1 checks them for null"""
    params: ClassVar[tuple[Param[Any], ...]]
    tensors: ClassVar[tuple[TensorParam[Any], ...]]
    objects: ClassVar[tuple[ObjectParam[Any], ...]]
    _by_name: ClassVar[dict[str, Param[Any]]]
    """parameters by their names in the C prototype"""
    _in_place: ClassVar[Param[Any] | None]
    """first tensor that an in-place twin changes"""
    _c_name: ClassVar[str]
    object_places: ClassVar[tuple[tuple[int, type[Thing]], ...]]
    """number of each parameter that is a handle, and the class of its object"""
    handle_places: ClassVar[tuple[int, ...]]
    """numbers of the parameters that are handles"""
    value_places: ClassVar[tuple[int, ...]]
    """numbers of the parameters that are passed by value"""
    has_plain_values: ClassVar[bool]
    """true if all these are numbers, so that no memory of the caller belongs to them"""
    exact: ClassVar[bool]
    """true if no parameter is a float: for floats 0.0 == -0.0, but the results may differ"""
    input_places: ClassVar[tuple[int, ...]]
    """numbers of the parameters whose tensors are read; a parameter is a tensor or a list"""
    output_places: ClassVar[tuple[int, ...]]
    """numbers of the parameters whose tensors are written"""
    has_lists: ClassVar[bool]
    """true if a parameter is a list of tensors or scalars"""

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
        cls.object_places = tuple((i, param.kind) for i, param in enumerate(params) if isinstance(param, ObjectParam))
        cls.handle_places = tuple(i for i, _ in cls.object_places)
        cls.value_places = tuple(i for i, param in enumerate(params) if not isinstance(param, ObjectParam))
        values = [params[place].ctype for place in cls.value_places]
        cls.has_plain_values = all(isinstance(ctype, Integer | Real | Bool) for ctype in values)
        cls.exact = not any(isinstance(param.ctype, Real) for param in params)
        elements = [(i, param) for i, param in enumerate(params) if isinstance(param, Elements)]
        cls.input_places = tuple(i for i, param in elements if param.reads)
        cls.output_places = tuple(i for i, param in elements if param.writes)
        cls.has_lists = any(isinstance(param, TensorListParam | ScalarListIn) for param in params)

    def __init__(self, values: Sequence[Any]) -> None:
        for param, value in zip(self.params, values, strict=True):
            self.__dict__[param.name] = value

    @classmethod
    def named(cls, name: str) -> Param[Any]:
        """The parameter with this name in the C prototype. In an in-place twin, `self` and `out` mean its in-place
        tensor."""
        param = cls._by_name.get(name) or cls._by_name.get(f"{name}Ref") or cls._in_place
        if param is None:
            raise TypeError(f"{cls.c_name()} has no parameter {name}")
        return param

    @classmethod
    def named_object(cls, name: str) -> ObjectParam[Any]:
        """The parameter with this name, which is a handle, see `named`."""
        param = cls.named(name)
        if not isinstance(param, ObjectParam):
            raise TypeError(f"{name} of {cls.c_name()} is no handle")
        return param

    @classmethod
    def computed(cls, arguments: Any) -> int | None:
        """The data type of the computation; None if there is none, or if the formula chooses the type."""
        return None if cls.compute is None else cls.compute(arguments)

    @classmethod
    def without_kernel(cls) -> Unsupported:
        """The refusal of a product on which the library has no kernel of the operator."""
        generated = cls.family is Family.GENERATED
        return Unsupported(ACLNN_ERR_INNER_FIND_KERNEL_ERROR if generated else ACLNN_ERR_INNER_NULLPTR, When.PLAN)

    @classmethod
    def level(cls, on: Series | None = None) -> Level:
        """The level of evidence for the operator's results, in general or on a product series. The documents behind
        "exact" do not describe Ascend 950."""
        if cls.from_facts:
            return level(cls.c_name())
        if not cls.__module__.startswith("aclnn.ops."):
            return "own"
        return "computed" if on is Series.A950 else "exact"

    @classmethod
    def twin(cls) -> bool:
        """True if the function is the in-place form of another function."""
        return cls._c_name.startswith("aclnnInplace")

    @classmethod
    def c_name(cls) -> str:
        """The name of the second phase: `aclnn` and the class name."""
        return cls._c_name
