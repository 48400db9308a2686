"""Matmul and Mm: the plain products of matrices."""

from math import prod

from acl_runtime.headers.enums import aclDataType
from aclnn.engine.arguments import Arguments, Shape, broadcast
from aclnn.engine.operator import planned
from aclnn.engine.parameters import FLOATS
from aclnn.engine.planning import Planning
from aclnn.engine.steps.private_formats import is_nz
from aclnn.engine.words.shapes import ranks, shape
from aclnn.engine.words.types import listed
from aclnn.engine.words.values import demand, done, nulls, public_format
from aclnn.ops.matmul._family import HALVES, cube_math_type, dot, product, product_types

Bad = tuple[object, object] | None


def inner(a: Arguments) -> Bad:
    """The sizes that are summed over."""
    one, other = a.shape("self"), a.shape("mat2")
    k = other[0] if len(other) == 1 else other[-2]
    return None if one[-1] == k else (list(one), f"the last size is {k}, as mat2 {list(other)} has it")


def batches(a: Arguments) -> Bad:
    """The dimensions before the last two. A vector has none."""
    one, other = a.shape("self"), a.shape("mat2")
    if min(len(one), len(other)) < 2 or broadcast(one[:-2], other[:-2]) is not None:
        return None
    return list(one[:-2]), f"batches that broadcast with {list(other[:-2])}"


def mixed_halves(a: Arguments) -> Bad:
    if not is_nz(a["mat2"]) or {a.dtype("self"), a.dtype("mat2")} != set(HALVES):
        return None
    return f"FRACTAL_NZ {a.type_name('mat2')}", f"{a.type_name('self')}, as self"


def result_shape(a: Arguments) -> Shape:
    """The shape of numpy's matmul."""
    one, other = a.shape("self"), a.shape("mat2")
    batch = broadcast(one[:-2], other[:-2]) if min(len(one), len(other)) >= 2 else one[:-2] or other[:-2]
    return (*(batch or ()), *one[-2:-1], *other[-1:] * (len(other) > 1))


def nothing(a: Arguments) -> bool:
    return not a["out"].numel and not (a["self"].numel and a["mat2"].numel)


NOTHING = done("out and one of self and mat2 are empty", "out", "self", "mat2", when=nothing)
TYPES = listed("self", "mat2", "out", among=FLOATS)
INNER = demand("the last size of {0} is the inner size of mat2", "self", "mat2", bad=inner)


def multiplied(p: Planning) -> None:
    """Plans the product of self and mat2, and brings it to out under the shape of out."""
    nz = is_nz(p["mat2"])
    one, other = p.builder.view(p["self"]), p.read("mat2", nz=True) if nz else p.builder.view(p["mat2"])
    wanted = result_shape(p)
    if p.rank("self") == p.rank("mat2") == 1:  # "dot kernel, cubeMathType ignored"
        both = p.promoted("self", "mat2") or aclDataType.ACL_FLOAT
        result = p.step(dot, [p.builder.cast(one, both), p.builder.cast(other, both)], (), both)
    else:
        both, rounded = product_types(p)
        if nz and p.rank("self") == p.rank("mat2") == 2:
            rounded = both  # the kernel of such a product has no wider result
        result = product(p, one, other, wanted, both, rounded)
    to = p.shape("out")
    if prod(to) != prod(wanted):
        raise p.builder.failed(f"Reshape from {list(wanted)} to {list(to)} failed.")
    p.store("out", p.builder.reshape(p.builder.cast(result, p.dtype("out")), to))


@planned(
    "aclnnMatmul", TYPES, cube_math_type(),
    demand("{0} in FRACTAL_NZ has the data type of self", "mat2", "self", bad=mixed_halves),
    ranks("self", "mat2", least=0, most=6), ranks("self", "mat2", least=1), INNER,
    demand("the batches of {0} and mat2 broadcast", "self", "mat2", bad=batches), public_format("self", "out"), NOTHING,
)  # fmt: skip
def matmul(p: Planning) -> None:
    """out = self @ mat2, as numpy's matmul. out may have any shape with as many elements."""
    multiplied(p)


@planned(
    "aclnnMm", nulls("out", "self", "mat2"), TYPES, cube_math_type(), ranks("mat2"), ranks("self"), INNER, ranks("out"),
    shape("out", "{0} has the rows of self and the columns of mat2", result_shape), NOTHING,
)  # fmt: skip
def mm(p: Planning) -> None:
    """out = self @ mat2, of two matrices"""
    multiplied(p)
