"""Words that count: dimensions, numbers of an array, tensors of a list."""

from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID
from aclnn.engine.arguments import Arguments
from aclnn.engine.relation import Bad, Relation
from aclnn.engine.words.values import demand


def same_rank(name: str, as_: str) -> Relation:
    """Two tensors have as many dimensions."""

    def bad(a: Arguments) -> Bad:
        found, wanted = a.rank(name), a.rank(as_)
        return None if found == wanted else (f"{found} dimensions", f"{wanted}, as {as_}")

    return demand("{0} has as many dimensions as {1}", name, as_, bad=bad)


def same_count(name: str, as_: str, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """Two lists have as many tensors."""

    def bad(a: Arguments) -> Bad:
        found, wanted = len(a[name]), len(a[as_])
        return None if found == wanted else (f"{found} tensors", f"{wanted}, as {as_}")

    return demand("{0} has as many tensors as {1}", name, as_, bad=bad, status=status)


def length(name: str, *allowed: int) -> Relation:
    """An array has so many numbers."""

    def bad(a: Arguments) -> Bad:
        found = len(a[name].values)
        return None if found in allowed else (f"{found} numbers", " or ".join(map(str, allowed)))

    return demand(f"{{0}} has {' or '.join(map(str, allowed))} numbers", name, bad=bad)


def at_least(name: str, least: int) -> Relation:
    """No number of an array is below this."""

    def bad(a: Arguments) -> Bad:
        values = a[name].values
        return None if min(values, default=least) >= least else (list(values), f"{least} or more")

    return demand(f"{{0}} are at least {least}", name, bad=bad)
