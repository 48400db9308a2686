"""Relations that follow from the facts of one parameter."""

from acl_runtime.headers.dtype_names import format_name
from aclnn.catalogue.facts import Parameter
from aclnn.engine.arguments import Arguments, members
from aclnn.engine.constraints import PRIVATE
from aclnn.engine.relation import Found, Relation, rule
from aclnn.engine.steps.private_formats import is_nz
from aclnn.engine.words.shapes import stands_for_null
from aclnn.engine.words.values import only_if

NZ = "FRACTAL_NZ"


def listed_rank(param: Parameter) -> Relation:
    """The number of dimensions is in the document's list. `ranks` is the relation for a list without gaps."""
    allowed = [str(rank) for rank in range(9) if param.accepts_rank(rank)]

    def judge(a: Arguments) -> Found | None:
        for member in members(a[param.name]):
            if not param.accepts_rank(len(member.shape)):
                words = f"Expected {param.name} to have {' or '.join(allowed)} dimensions, but got {len(member.shape)}."
                return words, param.name, list(member.shape), f"{' or '.join(allowed)} dimensions"
        return None

    broken = f"the number of dimensions of {{0}} is none of {', '.join(allowed)}"
    return Relation(rule(f"{{0}} has {' or '.join(allowed)} dimensions", [param.name], judge, broken=broken))


def listed_format(param: Parameter, status: int) -> Relation:
    """A private format is in the list of the document. (For a public format the library only logs a warning.) A list
    with FRACTAL_NZ also allows its variants with another block size."""

    def judge(a: Arguments) -> Found | None:
        allowed = param.formats_on(a.soc.series)
        for member in members(a[param.name]):
            name = format_name(member.format)
            is_listed = allowed is None or name in allowed or (name.startswith(NZ) and NZ in allowed)
            if member.format in PRIVATE and not is_listed:
                assert allowed is not None
                return f"Format {name} of tensor {param.name} is not supported.", param.name, name, ", ".join(allowed)
        return None

    sentence = "a private format of {0} is one that its document lists"
    broken = "{0} has a private format that its document does not list"
    return Relation(rule(sentence, [param.name], judge, status=status, broken=broken))


def where_judged(param: Parameter, relation: Relation) -> Relation:
    """The relation, which then exempts two kinds of tensors: a tensor in FRACTAL_NZ may have the shape of its storage,
    and an output of shape (0,) means null."""
    if "aclTensor *" not in param.type:
        return relation

    def judged(a: Arguments) -> bool:
        tensor = a[param.name]
        return tensor is None or not (is_nz(tensor) or (param.io == "out" and stands_for_null(tensor)))

    null = ", nor of the shape (0,)" if param.io == "out" else ""
    return only_if(f"{param.name} is not in FRACTAL_NZ{null}", judged, relation)
