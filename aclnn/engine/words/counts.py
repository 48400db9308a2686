"""Relations between counts: dimensions, elements, numbers of an array, tensors of a list; and numbers above 0."""

from acl_runtime.headers.statuses import ACLNN_ERR_PARAM_INVALID
from aclnn.engine.arguments import Arguments
from aclnn.engine.relation import Bad, Relation
from aclnn.engine.words.values import demand


def same_rank(name: str, as_: str) -> Relation:
    """Two tensors have the same number of dimensions."""

    def bad(a: Arguments) -> Bad:
        rank, expected = a.rank(name), a.rank(as_)
        return None if rank == expected else (f"{rank} dimensions", f"{expected}, as {as_}")

    broken = "{0} and {1} have different numbers of dimensions"
    return demand("{0} has as many dimensions as {1}", name, as_, bad=bad, broken=broken)


def same_count(name: str, as_: str, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """Two lists have the same number of tensors."""

    def bad(a: Arguments) -> Bad:
        count, expected = len(a[name]), len(a[as_])
        return None if count == expected else (f"{count} tensors", f"{expected}, as {as_}")

    broken = "{0} and {1} have different numbers of tensors"
    return demand("{0} has as many tensors as {1}", name, as_, bad=bad, status=status, broken=broken)


def length(name: str, *allowed: int) -> Relation:
    """The length of an array is one of the allowed lengths."""

    def bad(a: Arguments) -> Bad:
        count = len(a[name].values)
        return None if count in allowed else (f"{count} numbers", " or ".join(map(str, allowed)))

    return demand(f"{{0}} has {' or '.join(map(str, allowed))} numbers", name, bad=bad)


def at_least(name: str, least: int) -> Relation:
    """No number of an array is below `least`."""

    def bad(a: Arguments) -> Bad:
        values = a[name].values
        return None if min(values, default=least) >= least else (list(values), f"{least} or more")

    return demand(f"each number of {{0}} is at least {least}", name, bad=bad)


def one_element(name: str, *, status: int = ACLNN_ERR_PARAM_INVALID) -> Relation:
    """A tensor has one element, in any number of dimensions."""

    def bad(a: Arguments) -> Bad:
        return None if a[name].numel == 1 else (list(a.shape(name)), "one element")

    return demand("{0} has one element", name, bad=bad, status=status)


def with_elements(name: str, *, status: int = ACLNN_ERR_PARAM_INVALID, provenance: str = "document") -> Relation:
    """No dimension of a tensor has the size 0."""

    def bad(a: Arguments) -> Bad:
        return None if a[name].numel else (list(a.shape(name)), "dimensions with elements")

    return demand("{0} has elements", name, bad=bad, status=status, provenance=provenance)


def with_tensors(name: str, *, status: int = ACLNN_ERR_PARAM_INVALID, provenance: str = "document") -> Relation:
    """A list has tensors."""

    def bad(a: Arguments) -> Bad:
        return None if a[name] else ("no tensors", "one or more")

    return demand("{0} has tensors", name, bad=bad, status=status, provenance=provenance, broken="{0} is an empty list")


def positive(name: str, *, status: int = ACLNN_ERR_PARAM_INVALID, provenance: str = "document") -> Relation:
    """A number is above 0. NaN is refused."""

    def bad(a: Arguments) -> Bad:
        return None if a[name] > 0 else (a[name], "above 0")

    return demand("{0} is positive", name, bad=bad, status=status, provenance=provenance)


def not_negative(name: str, *, status: int = ACLNN_ERR_PARAM_INVALID, provenance: str = "document") -> Relation:
    """A number is 0 or above. NaN is accepted."""

    def bad(a: Arguments) -> Bad:
        return (a[name], "0 or more") if a[name] < 0 else None

    return demand("{0} is not negative", name, bad=bad, status=status, provenance=provenance)
