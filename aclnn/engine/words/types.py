"""Relations between data types."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from acl_runtime.headers.dtype_names import dtype_name
from acl_runtime.headers.enums import aclDataType
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID
from acl_runtime.objects.handle_table import Scalar, Tensor
from acl_runtime.objects.soc import Soc
from aclnn.engine.arguments import Arguments, members
from aclnn.engine.constraints import listed as in_brackets
from aclnn.engine.declaration import Check, Op, Violation
from aclnn.engine.numbers.promotion import can_cast, is_complex, is_integer
from aclnn.engine.parameters import DataType, DataTypes, Elements, Param, ScalarIn
from aclnn.engine.relation import Bad, Compute, Found, Relation, Traits, places, refusal, rule
from aclnn.engine.words.values import demand


class TypeListed(Check):
    """The data type of an argument is in the list of its parameter for the product. The argument is a tensor, a list of
    tensors, a scalar, or a data type as a value."""

    def __init__(
        self, param: Elements[Any] | ScalarIn | DataType, dtypes: DataTypes, provenance: str,
        unless: Callable[[Tensor], bool] | None = None, status: int = ACLNN_ERR_PARAM_INVALID,
    ) -> None:  # fmt: skip
        """`unless`: tensors for which this function returns True are not checked."""
        super().__init__(param, provenance=provenance)
        self.status = status
        self.param, self.dtypes, self.unless = param, dtypes, unless

    @property
    def sentence(self) -> str:
        return f"the data type of {self.param} is one that its product supports"

    @property
    def broken(self) -> str:
        return f"the product does not support the data type of {self.param}"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        if not self.param.in_use(call):
            return None
        value, name, allowed = call.__dict__[self.param.name], str(self.param), self.dtypes.on(soc.series)
        for index, member in enumerate(members(value)):
            dtype = member if isinstance(member, int) else member.dtype
            if self.unless is not None and isinstance(member, Tensor) and self.unless(member):
                continue
            if dtype not in allowed:
                which, type_name = f"{name}[{index}]" if isinstance(value, tuple) else name, dtype_name(dtype)
                lead = "Scalar" if isinstance(member, Scalar) else "Tensor"
                support = in_brackets(allowed)
                words = f"{lead} {which} not implemented for {type_name}, should be in dtype support list {support}."
                return Violation(words, which, type_name, support)
        return None


def listed(
    *names: str, among: Sequence[aclDataType] | DataTypes | None = None, like: str | None = None,
    unless: Callable[[Tensor], bool] | None = None, provenance: str = "document",
    status: int = ACLNN_ERR_PARAM_INVALID,
) -> Relation:  # fmt: skip
    """The data type of each argument is in a list: `among`, that of the parameter `like`, or that of its own document.
    `unless`: tensors for which this function returns True are not checked."""
    own = among if isinstance(among, DataTypes) or among is None else DataTypes(among)

    def checks(op: type[Op]) -> Sequence[Check]:
        params = dict.fromkeys(op.named(name) for name in names)
        alike = None if like is None else _listed_types(op.named(like))
        lists = {param: own or alike or _listed_types(param) for param in params}
        checked = [(param, dtypes) for param, dtypes in lists.items() if dtypes]
        return [TypeListed(param, dtypes, provenance, unless, status) for param, dtypes in checked]  # pyright: ignore[reportArgumentType]

    return Relation(checks, Traits(dtypes=() if own is None else (own,)))


def _listed_types(param: Param[Any]) -> DataTypes | None:
    if isinstance(param, Elements | ScalarIn | DataType):
        return param.dtypes
    raise TypeError(f"{param} has no data type")


def computed_in(compute: Compute) -> Relation:
    """The operator computes in the data type that a function of the arguments returns."""
    return Relation(traits=Traits(compute=compute))


def promoted(*names: str) -> Relation:
    """The operator computes in the data type that these parameters promote to. Without one, the call is refused."""

    def judge(a: Arguments) -> Found | None:
        if not a.dtypes(*names) or a.promoted(*names) is not None:
            return None
        types = ", ".join(map(dtype_name, a.dtypes(*names)))
        if len(names) == 2:
            first, second = (a.type_name(name) for name in names)
            lead = a.name(names[0])
            words = f"{lead[0].upper()}{lead[1:]} dtype {first} and {names[1]} dtype {second} can not promote dtype."
        else:
            words = f"The data types {types} can not promote dtype."
        return words, names[-1], types, "data types that promote to one"

    def checks(op: type[Op]) -> Sequence[Check]:
        together = dict.fromkeys(op.named(name) for name in names)
        alone = len(together) == 1 and not op.named(names[0]).printed.endswith(("tensors", "List", "x"))
        if alone:
            return ()
        return rule(f"{places(names)} promote to one data type", names, judge, broken=no_common(names))(op)

    return Relation(checks, Traits(compute=lambda a: a.promoted(*names)))


def no_common(names: Sequence[str]) -> str:
    """The condition that parameters do not promote to one data type."""
    return f"there is no data type that {places(names)} promote to"


def together(compute: Compute, *names: str) -> Relation:
    """The function `compute` returns a data type for these parameters, by default `self` and `other`; None refuses the
    call. The relation is for promotions by other rules than `promoted`."""
    words = names or ("self", "other")

    def judge(a: Arguments) -> Found | None:
        if compute(a) is not None:
            return None
        types = " and ".join(a.type_name(name) for name in words)
        return refusal(demanded, words, broken), words[0], types, "data types that promote to one"

    demanded, broken = f"{places(words)} promote to one data type", no_common(words)
    return Relation(rule(demanded, words, judge, broken=broken))


def computed_among(types: DataTypes, *names: str) -> Relation:
    """The data type of the computation is in a list. It depends on these parameters, by default `self` and `other`."""
    words = names or ("self", "other")

    def checks(op: type[Op]) -> Sequence[Check]:
        def judge(a: Arguments) -> Found | None:
            result, allowed = op.computed(a), types.on(a.soc.series)
            if result is None or result in allowed:
                return None
            type_name, support = dtype_name(result), in_brackets(allowed)
            words_ = f"Promoted dtype {type_name} not implemented, should be in dtype support list {support}."
            return words_, words[-1], type_name, support

        sentence = f"{places(words)} promote to a data type that the product supports"
        broken = f"{places(words)} promote to a data type that the product does not support"
        return rule(sentence, words, judge, provenance="public", broken=broken)(op)

    return Relation(checks)


def becomes(out: str, of: Sequence[str] = ()) -> Relation:
    """The data type of the computation, or the promoted type of the parameters `of`, can be cast to that of `out`."""

    def checks(op: type[Op]) -> Sequence[Check]:
        def judge(a: Arguments) -> Found | None:
            result = a.promoted(*of) if of else op.computed(a)
            if result is None or can_cast(result, a.dtype(out)):
                return None
            name = dtype_name(result)
            words = f"Result type {name} can't be cast to the desired output type {a.type_name(out)}."
            return words, out, a.type_name(out), f"a data type that {name} can be cast to"

        return rule("the result can be cast to the data type of {0}", [out], judge)(op)

    return Relation(checks)


def fits(scalar: str) -> Relation:
    """The data type of a scalar can be cast to that of the computation; for BOOL, an integer is accepted too."""

    def checks(op: type[Op]) -> Sequence[Check]:
        def judge(a: Arguments) -> Found | None:
            result, own = op.computed(a), a.dtype(scalar)
            is_exception = result == aclDataType.ACL_BOOL and is_integer(own)
            if result is None or is_exception or can_cast(own, result):
                return None
            words = f"{scalar} dtype {a.type_name(scalar)} can't be cast to the desired dtype {dtype_name(result)}."
            return words, scalar, a.type_name(scalar), f"a data type that can be cast to {dtype_name(result)}"

        return rule("{0} can be cast to the data type that is computed in", [scalar], judge)(op)

    return Relation(checks)


def castable(name: str, to: str) -> Relation:
    """The data type of `name` can be cast to that of `to`."""

    def judge(a: Arguments) -> Found | None:
        if can_cast(a.dtype(name), a.dtype(to)):
            return None
        words = f"Tensor {name} type {a.type_name(name)} can't be cast to the desired output type {a.type_name(to)}."
        return words, to, a.type_name(to), f"a data type that {a.type_name(name)} can be cast to"

    return Relation(rule("the data type of {0} can be cast to that of {1}", [name, to], judge))


def same_dtype(name: str, as_: str, *, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """Two arguments have the same data type. Every member of a list has that type."""

    def judge(a: Arguments) -> Found | None:
        types = a.dtypes(as_)[:1]
        if set(a.dtypes(name)) <= set(types):
            return None
        own, expected = ", ".join(map(dtype_name, a.dtypes(name))), dtype_name(types[0])
        words = f"Expected both tensors to have same dtype, but found {name} {own} and {as_} {expected}."
        return words, name, own, f"{expected}, as {as_}"

    def checks(op: type[Op]) -> Sequence[Check]:
        if op.named(name) is op.named(as_) and name != as_:
            return ()
        broken = "the data types of {0} and {1} differ"
        return rule("{0} has the data type of {1}", [name, as_], judge, status=status, broken=broken)(op)

    return Relation(checks)


def uniform(name: str, *, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """All tensors of a list have the same data type."""

    def judge(a: Arguments) -> Found | None:
        dtypes = a.dtypes(name)
        if len(set(dtypes)) < 2:
            return None
        printed = ", ".join(map(dtype_name, dtypes))
        return f"The tensors of {name} must have the same dtype.", name, printed, "one data type"

    broken = "the tensors of {0} have different data types"
    return Relation(rule("the tensors of {0} have one data type", [name], judge, status=status, broken=broken))


def real_type(name: str) -> Relation:
    """A parameter has no complex data type."""

    def bad(a: Arguments) -> Bad:
        return (a.type_name(name), "a real data type") if is_complex(a.dtype(name)) else None

    return demand("the data type of {0} is real", name, bad=bad, broken="the data type of {0} is complex")


def type_rows(names: Sequence[str], rows: Mapping[int, Sequence[int]] | Callable[[Arguments], Any]) -> Relation:
    """The data types of two arguments are a combination in a table. Its rows list the types that the second argument
    may have, by the type of the first argument. `rows` may depend on the call."""
    first, second = names

    def judge(a: Arguments) -> Found | None:
        table: Mapping[int, Sequence[int]] = rows(a) if callable(rows) else rows
        allowed = table.get(a.dtype(first), ())
        if a.dtype(second) in allowed:
            return None
        words = f"{first} dtype {a.type_name(first)} and {second} dtype {a.type_name(second)} can not be used together."
        return words, second, a.type_name(second), in_brackets(tuple(allowed))

    sentence = "the data types of {0} and {1} are a pair that the operator supports"
    broken = "the operator does not support the data types of {0} and {1} together"
    return Relation(rule(sentence, [first, second], judge, broken=broken))
