"""Words that read the facts of a parameter themselves."""

from acl_runtime.headers.dtypes import format_name
from aclnn.catalogue.facts import Parameter
from aclnn.engine.arguments import Arguments, members
from aclnn.engine.constraints import PRIVATE
from aclnn.engine.relation import Found, Relation, rule


def listed_rank(param: Parameter) -> Relation:
    """The number of dimensions is one that the document lists, where the list has gaps."""
    allowed = [str(rank) for rank in range(9) if param.accepts_rank(rank)]

    def judge(a: Arguments) -> Found | None:
        for each in members(a[param.name]):
            if not param.accepts_rank(len(each.shape)):
                words = f"Expected {param.name} to have {' or '.join(allowed)} dimensions, but got {len(each.shape)}."
                return words, param.name, list(each.shape), f"{' or '.join(allowed)} dimensions"
        return None

    return Relation(rule(f"{{0}} has {' or '.join(allowed)} dimensions", [param.name], judge))


def listed_format(param: Parameter, status: int) -> Relation:
    """A private format is one of those that the document lists. (The library only warns of a public one.)"""

    def judge(a: Arguments) -> Found | None:
        allowed = param.formats_on(a.soc.series)
        for each in members(a[param.name]):
            found = format_name(each.format)
            if allowed is not None and each.format in PRIVATE and found not in allowed:
                return f"Format {found} of tensor {param.name} is not supported.", param.name, found, ", ".join(allowed)
        return None

    return Relation(rule("a private format of {0} is one that its document lists", [param.name], judge, status=status))
