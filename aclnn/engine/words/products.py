"""Words for relations that some products have and others do not."""

from collections.abc import Sequence

from acl_runtime.headers.statuses import ACLNN_ERR_INNER
from acl_runtime.objects.soc import Series, Soc
from aclnn.engine.declaration import FIRST, Check, Op, Products, Violation
from aclnn.engine.relation import Relation, Traits


class OnProducts(Check):
    """A check that only these products make."""

    def __init__(self, check: Check, series: frozenset[Series], where: str) -> None:
        super().__init__(*check.params, provenance=check.provenance)
        self.status = check.status
        self._check, self._series, self._where = check, series, where

    @property
    def sentence(self) -> str:
        return f"{self._check.sentence} ({self._where})"

    def judge(self, call: Op, soc: Soc) -> Violation | None:
        return self._check.judge(call, soc) if soc.series in self._series else None


def _limited(relations: Sequence[Relation], series: frozenset[Series], where: str) -> Relation:
    def checks(op: type[Op]) -> Sequence[Check]:
        return [OnProducts(check, series, where) for each in relations for check in each.checks(op)]

    return Relation(checks)


def only_on(series: Series, *relations: Relation) -> Relation:
    """The checks of these relations, on one product series. (Other traits than checks are dropped.)"""
    return _limited(relations, frozenset({series}), f"only on {series.value}")


def except_on(series: Series, *relations: Relation) -> Relation:
    """The checks of these relations, on every other product series. (Other traits than checks are dropped.)"""
    return _limited(relations, frozenset(Series) - {series}, f"not on {series.value}")


def refused_last() -> Relation:
    """A product without the function refuses it with 361001, after all checks."""
    return Relation(traits=Traits(elsewhere=Products.REFUSED_LAST))


def refused_first(status: int = ACLNN_ERR_INNER) -> Relation:
    """A product without the function refuses it before it looks at a pointer, with 561000, 161002 or 361001."""
    return Relation(traits=Traits(elsewhere=next(each for each in FIRST if each.value.status == status)))


def refused_early() -> Relation:
    """A product without the function refuses it with 161002, after the tests of `before_nulls`."""
    return Relation(traits=Traits(elsewhere=Products.INVALID_EARLY))
