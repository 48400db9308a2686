"""Relations between values, and traits of an operator."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from acl_runtime.headers.dtype_names import format_name
from acl_runtime.headers.statuses import ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_PARAM_NULLPTR
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.arguments import Arguments
from aclnn.engine.constraints import PRIVATE, Empty, Limited
from aclnn.engine.declaration import Check, Lacking, Op, Violation
from aclnn.engine.parameters import Param, TensorParam
from aclnn.engine.plan_builder import PlanBuilder
from aclnn.engine.relation import Bad, First, Found, Relation, Traits, all_of, refusal, rule


def one_of(name: str, *values: object, status: int = ACLNN_ERR_PARAM_INVALID, provenance: str = "document") -> Relation:
    """A value is one of `values`."""
    allowed = " or ".join("null" if value is None else repr(value) for value in values)

    def judge(a: Arguments) -> Found | None:
        value = a[name]
        if value in values:
            return None
        why = f" Reason: {doc}." if (doc := a.param(name).doc) else ""
        return f"Value {value!r} for parameter {name} is invalid.{why}", name, repr(value), allowed

    broken = f"{{0}} is none of {allowed.replace(' or ', ', ')}" if len(values) > 2 else ""
    return Relation(rule(f"{{0}} is {allowed}", [name], judge, status=status, provenance=provenance, broken=broken))


def in_range(
    name: str, low: float, high: float, *, status: int = ACLNN_ERR_PARAM_INVALID, provenance: str = "document"
) -> Relation:
    """A number lies in a closed interval."""

    def judge(a: Arguments) -> Found | None:
        value = a[name]
        if low <= value <= high:
            return None
        words = f"Value {value!r} for parameter {name} is out of range."
        return words, name, repr(value), f"[{low}, {high}]"

    return Relation(rule(f"{{0}} lies in [{low}, {high}]", [name], judge, status=status, provenance=provenance))


def demand(
    sentence: str, *names: str, bad: Callable[[Arguments], Bad],
    status: int = ACLNN_ERR_PARAM_INVALID, provenance: str = "document", broken: str = "",
) -> Relation:  # fmt: skip
    """A relation for a rule that only one operator has. `bad` returns None, or the value of the first parameter, the
    allowed values, and perhaps the library's own words. The sentence has `{0}` for the first name. `broken`: the
    condition that breaks the demand, where the automatic negation (`negated`) reads badly."""

    def judge(a: Arguments) -> Found | None:
        wrong = bad(a)
        if wrong is None:
            return None
        value, allowed, *words = wrong
        return words[0] if words else refusal(sentence, names, broken), names[0], value, allowed

    return Relation(rule(sentence, names, judge, status=status, provenance=provenance, broken=broken))


def empty(
    *names: str, plan: Callable[[Any, PlanBuilder], None] | None = None, left: str = "", but: Series | None = None
) -> Relation:
    """If one of these tensors is empty, the checks below are skipped, and the call succeeds. `plan` plans the remaining
    work; without it nothing is written. `left` describes this work if it does not write zeros. `but`: a product series
    on which the checks continue."""

    def checks(op: type[Op]) -> Sequence[Check]:
        params = dict.fromkeys(op.named(name) for name in names)
        return [Empty(*params, plan=plan, left=left, but=but)]  # pyright: ignore[reportArgumentType]

    return Relation(checks)


class Done(Empty):
    """A check that refuses nothing. If a call has nothing to do, the checks below are skipped, and the call succeeds if
    its thread has a context."""

    def __init__(self, case: str, when: Callable[[Arguments], bool], *params: Any) -> None:
        super().__init__(*params)
        self._case, self._when = case, when

    @property
    def sentence(self) -> str:
        return f"if {self._case}, the checks end here (workspace 0, nothing is written)"

    def holds(self, call: Op, soc: Soc) -> bool:
        return self._when(Arguments(call, soc))


def done(case: str, *names: str, when: Callable[[Arguments], bool]) -> Relation:
    """If `when` returns True, the checks below are skipped, the call succeeds, and nothing is written. `names`: the
    parameters that `when` reads."""
    return Relation(lambda op: [Done(case, when, *map(op.named, names))])


class Conditional(Limited):
    """A check that is made only in calls for which `when` returns True."""

    def __init__(self, check: Check, case: str, when: Callable[[Arguments], bool]) -> None:
        super().__init__(check, f"if {case}")
        self._when = when

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        return self._check.judge(call, soc) if self._when(Arguments(call, soc)) else None


def only_if(case: str, when: Callable[[Arguments], bool], *relations: Relation) -> Relation:
    """The checks of these relations, in calls for which `when` returns True. `case` is this condition in words."""
    return Relation(
        lambda op: [Conditional(check, case, when) for relation in relations for check in relation.checks(op)]
    )


def refused_by_kernel(*relations: Relation) -> Relation:
    """The checks of these relations, with the status 561103: a composite function leaves these checks to its kernel.
    (Other traits than checks are dropped.)"""

    def checks(op: type[Op]) -> Sequence[Check]:
        return [check.with_status(ACLNN_ERR_INNER_NULLPTR) for relation in relations for check in relation.checks(op)]

    return Relation(checks)


def public_format(*names: str) -> Relation:
    """No tensor has a private format, such as FRACTAL_NZ."""

    def wrong(a: Arguments, name: str) -> Bad:
        format = a[name].storage_format
        printed = format_name(format)
        words = f"Format {printed} of tensor {a.name(name)} is not supported."
        return (printed, "any public format, such as ND", words) if format in PRIVATE else None

    def checks(op: type[Op]) -> Sequence[Check]:
        tensors = {param: name for name in names if isinstance(param := op.named(name), TensorParam)}
        sentence = "the format of {0} is not a private one"
        broken = "{0} has a private format"
        demands = [demand(sentence, name, bad=partial(wrong, name=name), broken=broken) for name in tensors.values()]
        return all_of(*demands).checks(op)

    return Relation(checks)


def same_format(name: str, as_: str, *, storage: bool = True, provenance: str = "public") -> Relation:
    """Two tensors have the same format: that of their storage, or with `storage=False` that of their view."""

    def bad(a: Arguments) -> Bad:
        own, expected = ((tensor.storage_format if storage else tensor.format) for tensor in (a[name], a[as_]))
        words = f"Format of {name} and {as_} should be same."
        return None if own == expected else (format_name(own), f"{format_name(expected)}, as {as_}", words)

    broken = "the formats of {0} and {1} differ"
    demanded = demand("{0} has the format of {1}", name, as_, bad=bad, provenance=provenance, broken=broken)
    return Relation(lambda op: () if op.named(name) is op.named(as_) else demanded.checks(op))


def nulls(*names: str) -> Relation:
    """The order in which null pointers are checked, if it differs from the prototype."""
    return Relation(traits=Traits(nulls=names))


def null_status(status: int, *names: str) -> Relation:
    """The status of a null tensor in place of 161001: for the named pointers, or for all. (Here `self` and `out` do not
    mean the tensor of an in-place twin.)"""
    if names:
        return Relation(traits=Traits(null_statuses=tuple((name, status) for name in names)))
    return Relation(traits=Traits(null_status=status))


def changes(change: Callable[[Arguments], None]) -> Relation:
    """The first phase changes the descriptors of its tensors after the call is planned."""
    return Relation(traits=Traits(changes=change))


def needed_if(name: str, flag: str) -> Relation:
    """An optional tensor is needed if the flag is true: then null is 161001."""
    return Relation(traits=Traits(needed=((name, flag),)))


def may_be_null(*names: str) -> Relation:
    """Handles that may be null, although the facts do not allow null."""
    return Relation(traits=Traits(optional=tuple((name, True) for name in names)))


def required(*names: str) -> Relation:
    """Handles that may not be null, although the facts call them optional."""
    return Relation(traits=Traits(optional=tuple((name, False) for name in names)))


class Said(Check):
    """A text is not null."""

    def __init__(self, param: Param[Any], status: int) -> None:
        super().__init__(param)
        self.status = status

    @property
    def sentence(self) -> str:
        return f"{self.params[0].printed} is not null"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        param = self.params[0]
        if call.__dict__[param.name] is not None:
            return None
        return Violation(f"Expected a proper text for {param.printed} but got null.", param.printed, "null", "a text")


def said(name: str, *, status: int = ACLNN_ERR_PARAM_NULLPTR) -> Relation:
    """A text is not null. (The other relations do not check a parameter that is null.)"""
    return Relation(lambda op: [Said(op.named(name), status)])


def twin_first(nulls: Sequence[str], *relations: Relation) -> Relation:
    """Checks that only the in-place twin makes before all others, even before it reads workspaceSize and executor: the
    null pointers, then the relations."""
    return Relation(traits=Traits(first=First(tuple(nulls), relations)))


def before_nulls(nulls: Sequence[str], *relations: Relation) -> Relation:
    """Checks that every function of the operator makes before all others. `twin_first` is for in-place twins only."""
    return Relation(traits=Traits(first=First(tuple(nulls), relations, twins=False)))


def out_of_place(*relations: Relation) -> Relation:
    """Relations that the operator has, but not its in-place twin."""

    def checks(op: type[Op]) -> Sequence[Check]:
        return () if op.twin() else [check for relation in relations for check in relation.checks(op)]

    return Relation(checks)


def overwrites(*names: str) -> Relation:
    """In-place tensors that are written without being read."""
    return Relation(traits=Traits(overwrites=names))


def updates(*names: str) -> Relation:
    """Tensors that are read and written, although the facts call them inputs."""
    return Relation(traits=Traits(updates=names))


def reads(*names: str) -> Relation:
    """Tensors that are inputs, although the facts call them outputs."""
    return Relation(traits=Traits(reads=names))


def lacks(calls: str, when: Callable[[Arguments], bool]) -> Relation:
    """Calls without a kernel: their launch returns 561003. `calls` continues "aclnnFoo with"."""
    return Relation(traits=Traits(lacks=(Lacking(calls, when),)))


def moves_bytes() -> Relation:
    """The operator moves elements of any data type, even of one that numpy and ml_dtypes lack."""
    return Relation(traits=Traits(moves_bytes=True))


def nibbles(*names: str) -> Relation:
    """The formula reads or writes these tensors as bits if they have floats of 4 bits (`Planning.nibbles`)."""
    return Relation(traits=Traits(nibbles=names))


def generated() -> Relation:
    """The functions belong to the family of generated operators."""
    return Relation(traits=Traits(generated=True))


def may_be_in_place() -> Relation:
    """An output may have the memory of an input, although the formula is not elementwise."""
    return Relation(traits=Traits(in_place=True))
