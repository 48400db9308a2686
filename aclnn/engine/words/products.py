"""Relations that are checked on some products only."""

from collections.abc import Sequence

from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.constraints import Limited
from aclnn.engine.declaration import Check, Op, Violation
from aclnn.engine.relation import Relation


class OnProducts(Limited):
    """A check that is made on some product series only."""

    def __init__(self, check: Check, series: frozenset[Series], where: str) -> None:
        super().__init__(check, where)
        self._series = series

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        return self._check.judge(call, soc) if soc.series in self._series else None


def _limited(relations: Sequence[Relation], series: frozenset[Series], where: str) -> Relation:
    def checks(op: type[Op]) -> Sequence[Check]:
        return [OnProducts(check, series, where) for relation in relations for check in relation.checks(op)]

    return Relation(checks)


def answers(status: int, on: Series, *relations: Relation) -> Relation:
    """The checks of these relations, with another status on one product series. (Other traits than checks are
    dropped.)"""
    return Relation(lambda op: [check.answers(status, on) for relation in relations for check in relation.checks(op)])


def only_on(series: Series, *relations: Relation) -> Relation:
    """The checks of these relations, on one product series. (Other traits than checks are dropped.)"""
    return _limited(relations, frozenset({series}), f"only on {series.value}")


def except_on(series: Series, *relations: Relation) -> Relation:
    """The checks of these relations, on every other product series. (Other traits than checks are dropped.)"""
    return _limited(relations, frozenset(Series) - {series}, f"not on {series.value}")
