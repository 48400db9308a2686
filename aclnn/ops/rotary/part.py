"""InplacePartialRotaryMul and its gradient: rotary position embedding of some columns, in place."""

from aclnn.op import (
    ACLNN_ERR_PARAM_INVALID, TILING, Arguments, Bad, Kernel, Planning, Relation, broadcast_shape, demand, done, listed,
    may_be_null, one_of, planned, ranks, same, same_dtype, same_shape,
)  # fmt: skip
from aclnn.ops.rotary.embedding import INTERLEAVE, rotary, rotary_grad
from aclnn.ops.norm._family import float_or

SLICE = "partialSlice"
LARGEST = 1024
"""most elements of a head"""


def tensor(a: Arguments) -> str:
    """The tensor that is changed."""
    return "xRef" if a.has("xRef") else "dyRef"


def ends(a: Arguments) -> tuple[int, int]:
    """The first column that is rotated, and the end of the columns."""
    values = a[SLICE].values if a.given(SLICE) else ()
    return (values[0], values[1]) if values else (0, a.shape(tensor(a))[-1])


def wrong_slice(a: Arguments) -> Bad:
    values, size = list(a[SLICE].values), a.shape(tensor(a))[-1]
    good = not values or (len(values) == 2 and 0 <= values[0] <= values[1] <= size)
    return None if good else (values, f"two ends in order, up to {size}")


def odd(a: Arguments) -> Bad:
    start, end = ends(a)
    return None if (end - start) % 2 == 0 else (end - start, "an even number of columns")


def wrong_table(a: Arguments) -> Bad:
    start, end = ends(a)
    whole = (*a.shape(tensor(a))[:-1], end - start)
    good = a.shape("cos")[-1] == end - start and broadcast_shape(a.shape("cos"), whole) == whole
    return None if good else (list(a.shape("cos")), f"a shape that broadcasts to {list(whole)}")


def wide_head(a: Arguments) -> Bad:
    size = a.shape(tensor(a))[-1]
    return None if size <= LARGEST else (size, f"at most {LARGEST}")


def contract(x: str, mode: str, *, status: int) -> tuple[Relation, ...]:
    """The checks of a function that changes the tensor `x`. `status`: the answer to wrong shapes."""
    return (
        may_be_null(SLICE), listed(x, "cos", "sin"), float_or("cos", x, provenance="document"),
        same_dtype("sin", "cos"), one_of(mode, INTERLEAVE, status=status), ranks(x, "cos", "sin", status=status),
        demand("{0} has at most 1024 columns", x, bad=wide_head, status=status),
        demand("{0} has two ends in order", SLICE, x, bad=wrong_slice, status=status),
        done("no column is rotated", SLICE, x, when=lambda a: ends(a)[0] == ends(a)[1]),
        demand("{0} has an even number of columns that are rotated", x, SLICE, bad=odd, status=status),
        demand("{0} broadcasts to the columns of {1}", "cos", x, bad=wrong_table, status=status),
        same_shape("sin", "cos", status=status), done(f"{x} is empty", x, when=lambda a: not a[x].numel),
    )  # fmt: skip


@planned("aclnnInplacePartialRotaryMul", *contract("xRef", "rotary_mode", status=ACLNN_ERR_PARAM_INVALID))
def inplace_partial_rotary_mul(p: Planning) -> None:
    """The columns of xRef from partialSlice[0] to partialSlice[1], or all columns, become x * cos + rotate(x) * sin;
    rotate turns each pair of neighbours (x1, x2) into (-x2, x1). Other columns are not changed."""
    turned(p, rotary)


@planned("aclnnInplacePartialRotaryMulGrad", *contract("dyRef", "rotaryMode", status=TILING))
def inplace_partial_rotary_mul_grad(p: Planning) -> None:
    """The gradient of aclnnInplacePartialRotaryMul: dyRef becomes the gradient of its x"""
    turned(p, rotary_grad)


def turned(p: Planning, kernel: Kernel) -> None:
    columns, name = slice(*ends(p)), tensor(p)
    x = p.read(name).along(3, columns)
    out = p.step(kernel, [x, p.read("cos"), p.read("sin")], x.shape, x.dtype, mode=INTERLEAVE)
    p.builder.launch(same, [out], [p.builder.written(p[name]).along(3, columns)], moves=True)
