"""Relations for functions without a second phase. These functions have no other checks."""

from collections.abc import Sequence

from acl_runtime.abi.pointers import Out
from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_NULLPTR
from acl_runtime.objects.soc import Soc
from aclnn.engine.constraints import Rule
from aclnn.engine.declaration import Check, Op, Violation
from aclnn.engine.relation import Relation


def present(*names: str, status: int = ACLNN_ERR_PARAM_NULLPTR, provenance: str = "document") -> Relation:
    """No pointer is null. The pointers are checked in this order."""

    def checks(op: type[Op]) -> Sequence[Check]:
        return [_present(op, name, status, provenance) for name in names]

    return Relation(checks)


def _present(op: type[Op], name: str, status: int, provenance: str) -> Check:
    param = op.named(name)

    def judge(call: Op, soc: Soc) -> Violation | None:
        value = call.__dict__[param.name]
        null = value.null if isinstance(value, Out) else value is None
        text = f"Expected a proper value but got null for argument {name}."
        return Violation(text, name, "null", "a pointer that is not null") if null else None

    return Rule("{0} is not null", judge, param, status=status, provenance=provenance)
