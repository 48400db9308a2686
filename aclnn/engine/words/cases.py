"""A word for relations that hold in some calls only."""

from collections.abc import Callable, Sequence

from acl_runtime.objects.soc import Soc
from aclnn.engine.arguments import Arguments
from aclnn.engine.declaration import Check, Op, Violation
from aclnn.engine.relation import Relation


class InCase(Check):
    """A check that is made in some calls."""

    def __init__(self, check: Check, case: str, when: Callable[[Arguments], bool]) -> None:
        super().__init__(*check.params, provenance=check.provenance)
        self.status = check.status
        self._check, self._case, self._when = check, case, when

    @property
    def sentence(self) -> str:
        return f"{self._check.sentence} ({self._case})"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        return self._check.judge(call, soc) if self._when(Arguments(call, soc)) else None


def in_case(case: str, when: Callable[[Arguments], bool], *relations: Relation) -> Relation:
    """The checks of these relations, in the calls for which `when` holds. `case` says so in words. (Other traits than
    checks are dropped.)"""

    def checks(op: type[Op]) -> Sequence[Check]:
        return [InCase(check, case, when) for each in relations for check in each.checks(op)]

    return Relation(checks)
