"""Relations of parameters that name a communicator."""

from acl_runtime.headers.statuses import ACLNN_ERR_INNER, ACLNN_ERR_INNER_TILING_ERROR
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.arguments import Arguments
from aclnn.engine.declaration import Check, Op, Violation
from aclnn.engine.parameters import Param
from aclnn.engine.ranks.groups import group_of
from aclnn.engine.relation import Relation, Traits


class NamesGroup(Check):
    """A text is the name of a communicator. Null is not."""

    status = ACLNN_ERR_INNER_TILING_ERROR

    def __init__(self, param: Param[str]) -> None:
        super().__init__(param, provenance="public")
        self.status_by_series = {Series.A950: ACLNN_ERR_INNER}

    @property
    def sentence(self) -> str:
        return f"{self.params[0].printed} is the name of a communicator of the current device"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        name = self.params[0].printed
        if group_of(Arguments(call, soc), name) is not None:
            return None
        value = call.__dict__[self.params[0].name]
        found = "null" if value is None else repr(value)
        return Violation(f"Failed to get the ranks of group {found}.", name, found, "a name that HcclGetCommName wrote")


def names_group(name: str) -> Relation:
    """A text is the name of a communicator of the current device."""

    def checks(op: type[Op]) -> tuple[Check, ...]:
        return (NamesGroup(op.named(name)),)

    return Relation(checks, Traits(groups=(name,)))
