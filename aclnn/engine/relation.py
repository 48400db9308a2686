"""A relation between the parameters of an operator, by their names in the C prototype: one line of its contract.

    broadcast("self", "other", into="out")

A relation becomes checks of each function of the operator, in the order of the relations. Some relations also choose
the data type of the computation.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID
from acl_runtime.objects.soc import Soc
from aclnn.engine.arguments import Arguments
from aclnn.engine.constraints import Rule
from aclnn.engine.declaration import Check, Lacking, Op, Violation
from aclnn.engine.parameters import DataTypes
from aclnn.engine.words.negation import negated

Compute = Callable[[Arguments], int | None]
"""function that returns the data type in which a call is computed; None if there is none"""
Bad: TypeAlias = "tuple[object, object] | tuple[object, object, str] | None"
"""the wrong value, the allowed values, and perhaps the library's own sentence; None if the arguments are right"""


@dataclass(frozen=True)
class Traits:
    """Properties that a relation gives a function, besides its checks."""

    compute: Compute | None = None
    in_place: bool | None = None
    """true if an output may have exactly the view of an input; None: other relations decide"""
    overwrites: tuple[str, ...] = ()
    """in-place tensors that are written without being read"""
    updates: tuple[str, ...] = ()
    """tensors that are read and written, although the facts call them inputs"""
    reads: tuple[str, ...] = ()
    """tensors that are only read, although the facts call them outputs"""
    nulls: tuple[str, ...] = ()
    """order of the checks of null pointers, if it is not that of the prototype"""
    null_status: int | None = None
    """status of a null tensor in place of 161001"""
    null_statuses: tuple[tuple[str, int], ...] = ()
    """statuses of single null pointers"""
    changes: Callable[[Arguments], None] | None = None
    """function that changes the descriptors of tensors after the first phase has planned the call"""
    groups: tuple[str, ...] = ()
    """parameters that name communicators"""
    needed: tuple[tuple[str, str], ...] = ()
    """optional tensors, each with the flag that makes it needed"""
    optional: tuple[tuple[str, bool], ...] = ()
    """handles, each with True if it may be null; this replaces the facts"""
    first: "First | None" = None
    """checks before all others"""
    lacks: tuple[Lacking, ...] = ()
    """calls that have no kernel"""
    generated: bool = False
    """true if the function is in the family of generated operators"""
    moves_bytes: bool = False
    """true if elements of any data type are moved"""
    nibbles: tuple[str, ...] = ()
    """tensors of floats of 4 bits, which the formula reads or writes as bits"""
    dtypes: tuple[DataTypes, ...] = ()
    """lists of data types besides those of the facts"""


@dataclass(frozen=True)
class Relation:
    """The checks and traits of each function of an operator."""

    checks: Callable[[type[Op]], Sequence[Check]] = field(default=lambda op: ())
    traits: Traits = Traits()


@dataclass(frozen=True)
class First:
    """Checks before all others: null pointers, then relations."""

    nulls: tuple[str, ...]
    relations: tuple[Relation, ...]
    twins: bool = True
    """true if only in-place twins make these checks"""


Found = tuple[str, str, object, object]
"""sentence of a violation, parameter, wrong value, allowed values"""


def all_of(*relations: Relation) -> Relation:
    """One relation with the checks of several relations. Their traits are dropped."""
    return Relation(lambda op: [check for relation in relations for check in relation.checks(op)])


def places(names: Sequence[str]) -> str:
    """Placeholders for all names in the sentence of a rule: `{0} and {1}`."""
    return " and ".join(f"{{{number}}}" for number in range(len(names)))


def refusal(demand: str, names: Sequence[str], broken: str = "") -> str:
    """The text of an error whose wording is ours: the condition that breaks a demand, as a sentence."""
    condition = broken.format(*names) or negated(demand.format(*names))
    return f"{condition[0].upper()}{condition[1:]}."


def rule(
    sentence: str,
    names: Sequence[str],
    judge: Callable[[Arguments], Found | None],
    *,
    status: int = ACLNN_ERR_PARAM_INVALID,
    provenance: str = "document",
    broken: str = "",
) -> Callable[[type[Op]], Sequence[Check]]:
    """One check of the parameters with these names. `judge` returns the violation. It is not called if a parameter is
    null, or is an output that a mask turns off.

    The sentence has `{0}` for the first name, `{1}` for the second. `broken`, the condition that breaks the demand, has
    them, too. By default it is the automatic negation (`negated`) of the sentence."""

    def checks(op: type[Op]) -> Sequence[Check]:
        params = [op.named(name) for name in names]
        own_names = dict(zip(names, map(str, params), strict=True))

        def refuse(call: Any, soc: Soc) -> Violation | None:
            if not all(param.in_use(call) for param in params):
                return None
            violation = judge(Arguments(call, soc))
            if violation is None:
                return None
            text, name, value, allowed = violation
            return Violation(text, own_names.get(name, name), value, allowed)

        texts = [each.format(*params).replace("{", "{{").replace("}", "}}") for each in (sentence, broken)]
        return [Rule(texts[0], refuse, *params, status=status, provenance=provenance, broken=texts[1])]

    return checks
