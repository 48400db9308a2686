"""Gated units: a tensor is cut into halves along a dimension, and one half is the gate of the other."""

from math import prod

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, REAL_FLOAT, SHORT_FLOAT, TILING, Arguments, Array, Bad, Operand, Planning, Relation, Shape,
    axis, castable, demand, done, empty, generated, listed, one_of, planned, ranks, same_dtype, shape,
)  # fmt: skip
from aclnn.ops.activation._family import sigmoid
from aclnn.ops.activation.smooth import gelu_by_erf, gelu_by_tanh, silu_of


def halved(a: Arguments, name: str) -> Shape:
    """The shape of a half along `dim`."""
    sizes, axis = a.shape(name), a.axis("dim", of=name)
    return (*sizes[:axis], sizes[axis] // 2, *sizes[axis + 1 :])


def even(name: str, status: int) -> Relation:
    """Checks that dimension `dim` of a tensor has an even size."""

    def bad(a: Arguments) -> Bad:
        size = a.shape(name)[a.axis("dim", of=name)]
        return (f"{size} elements along dim", "an even number") if size % 2 else None

    return demand("{0} has an even size along {1}", name, "dim", bad=bad, status=status, provenance="public")


def halves(x: Array, axis: int) -> tuple[Array, Array]:
    size = x.shape[axis] // 2
    leading = (slice(None),) * axis
    return x[(*leading, slice(0, size))], x[(*leading, slice(size, None))]


def cut(p: Planning, name: str, axis: int) -> list[Operand]:
    """The halves of a tensor as two views. A formula of whole views can be computed tile by tile."""
    x = p.read(name)
    size = x.shape[axis] // 2
    return [x.along(axis, half) for half in (slice(0, size), slice(size, 2 * size))]


def swi_glu_of(first: Array, second: Array) -> Array:
    return silu_of(first) * second


def ge_glu_of(first: Array, second: Array, *, tanh: bool, left: bool) -> tuple[Array, Array]:
    gate, factor = (first, second) if left else (second, first)
    gelu = gelu_by_tanh(gate) if tanh else gelu_by_erf(gate)
    return factor * gelu, gelu


def glu_of(first: Array, second: Array) -> Array:
    return first * sigmoid(second)


@planned(
    "aclnnGlu", listed("self", "out", among=REAL_FLOAT, provenance="public"), castable("self", "out"),
    ranks("self", least=1, most=8), axis("dim", of="self"), even("self", ACLNN_ERR_PARAM_INVALID),
    shape("out", "{0} has the shape of a half of self", lambda a: halved(a, "self")), empty("self"),
)  # fmt: skip
def glu(p: Planning) -> None:
    """out = A / (1 + exp(-B)), where A and B are the halves of self along dim"""
    x = cut(p, "self", p.axis("dim", of="self"))
    p.store("out", p.step(glu_of, x, x[0].shape, x[0].dtype))


def wrong_column_count(a: Arguments) -> Bad:
    size = a.shape("input")[-1]
    return None if size % 2 == 0 and 0 < size <= 1024 else (f"{size} columns", "an even number from 2 to 1024")


def too_many_rows(a: Arguments) -> Bad:
    rows = prod(a.shape("input")[:-1])
    return (f"{rows} rows", "at most 200000") if rows > 200000 else None


def last_half(a: Arguments) -> Shape:
    return (*a.shape("input")[:-1], a.shape("input")[-1] // 2)


@planned(
    "aclnnGeluMul", generated(), listed("input", among=SHORT_FLOAT, provenance="public"), same_dtype("out", "input"),
    ranks("input", least=2, most=8, status=TILING),
    demand("{0} has an even number of columns, at most 1024", "input", bad=wrong_column_count, status=TILING,
           provenance="public"),
    demand("{0} has at most 200000 rows", "input", bad=too_many_rows, status=TILING, provenance="public"),
    one_of("approximateOptional", None, "none", "tanh", status=TILING, provenance="public"),
    shape("out", "{0} has the shape of a half of input", last_half, status=TILING), empty("input"),
)  # fmt: skip
def gelu_mul(p: Planning) -> None:
    """out = gelu(A) * B, where A and B are the halves of input along the last dimension; gelu with tanh if
    approximateOptional is tanh, else with erf"""
    x = cut(p, "input", p.rank("input") - 1)
    p.store("out", p.step(gelu_mul_of, x, x[0].shape, x[0].dtype, tanh=p["approximateOptional"] == "tanh"))


def gelu_mul_of(first: Array, second: Array, *, tanh: bool) -> Array:
    return ge_glu_of(first, second, tanh=tanh, left=True)[0]


OUTPUTS = ("out", "outGelu")


def ge_glu_rules() -> tuple[Relation, ...]:
    def scalar(a: Arguments) -> bool:
        return not a.shape("self")

    half = "{0} has the shape of a half of self"
    return (
        listed("self", *OUTPUTS, among=SHORT_FLOAT, provenance="public"),
        done("self is empty or has no dimension", "self", when=lambda a: scalar(a) or not a["self"].numel),
        *(same_dtype(out, "self") for out in OUTPUTS), ranks("self", least=0, most=8), axis("dim", of="self"),
        even("self", ACLNN_ERR_PARAM_INVALID),
        *(shape(out, half, lambda a: halved(a, "self")) for out in OUTPUTS), one_of("approximate", 0, 1),
    )  # fmt: skip


def ge_glu_plan(p: Planning, *, left: bool) -> None:
    x = cut(p, "self", p.axis("dim", of="self"))
    results = p.steps(ge_glu_of, x, [(x[0].shape, x[0].dtype)] * 2, tanh=p["approximate"] == 1, left=left)
    for name, result in zip(OUTPUTS, results, strict=True):
        p.store(name, result)


@planned("aclnnGeGlu", *ge_glu_rules())
def ge_glu(p: Planning) -> None:
    """out = A * gelu(B), outGelu = gelu(B), where A and B are the halves of self along dim; gelu with erf if
    approximate is 0, with tanh if it is 1"""
    ge_glu_plan(p, left=False)


@planned("aclnnGeGluV3", *ge_glu_rules())
def ge_glu_v3(p: Planning) -> None:
    """Like aclnnGeGlu; if activateLeft is true, out = gelu(A) * B, and outGelu = gelu(A)"""
    ge_glu_plan(p, left=p["activateLeft"])


def dim_out_of_range(a: Arguments) -> Bad:
    rank, dim = a.rank("x"), a["dim"]
    return None if -rank <= dim < rank else (dim, f"[{-rank}, {rank - 1}]")


@planned(
    "aclnnSwiGlu", generated(), listed("x", "out", among=SHORT_FLOAT, provenance="public"), same_dtype("out", "x"),
    demand("{0} is a dimension of {1}", "dim", "x", bad=dim_out_of_range, status=TILING, provenance="public"),
    even("x", TILING),
    shape("out", "{0} has the shape of a half of x", lambda a: halved(a, "x"), status=TILING), empty("x"),
)  # fmt: skip
def swi_glu(p: Planning) -> None:
    """out = A / (1 + exp(-A)) * B, where A and B are the halves of x along dim"""
    x = cut(p, "x", p.axis("dim", of="x"))
    p.store("out", p.step(swi_glu_of, x, x[0].shape, x[0].dtype))
