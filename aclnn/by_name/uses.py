"""Plans that hand a call to one function of aclnn."""

from typing import Any

from aclnn.by_name.call import Named
from aclnn.by_name.row import Plan


def uses(function: str, *arguments: Any) -> Plan:
    """A plan that hands a call to one function of aclnn. A text is the name of a tensor or of an attribute."""

    def plan(n: Named) -> None:
        n.aclnn(function, *(n[each] if isinstance(each, str) else each for each in arguments))

    plan.uses = function  # type: ignore[attr-defined]
    return plan
