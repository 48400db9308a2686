"""InplacePartialRotaryMul: rotary position embedding of some columns, in place."""

from aclnn.op import (
    Arguments, Bad, Planning, broadcast_shape, demand, done, listed, may_be_null, one_of, planned, ranks, same,
    same_dtype, same_shape,
)  # fmt: skip
from aclnn.ops.rotary.embedding import INTERLEAVE, rotary
from aclnn.ops.norm._family import float_or

X, SLICE = "xRef", "partialSlice"
LARGEST = 1024
"""most elements of a head"""


def ends(a: Arguments) -> tuple[int, int]:
    """The first column that is rotated, and the end of the columns."""
    values = a[SLICE].values if a.given(SLICE) else ()
    return (values[0], values[1]) if values else (0, a.shape(X)[-1])


def wrong_slice(a: Arguments) -> Bad:
    values, size = list(a[SLICE].values), a.shape(X)[-1]
    good = not values or (len(values) == 2 and 0 <= values[0] <= values[1] <= size)
    return None if good else (values, f"two ends in order, up to {size}")


def odd(a: Arguments) -> Bad:
    start, end = ends(a)
    return None if (end - start) % 2 == 0 else (end - start, "an even number of columns")


def wrong_table(a: Arguments) -> Bad:
    start, end = ends(a)
    whole = (*a.shape(X)[:-1], end - start)
    good = a.shape("cos")[-1] == end - start and broadcast_shape(a.shape("cos"), whole) == whole
    return None if good else (list(a.shape("cos")), f"a shape that broadcasts to {list(whole)}")


def wide_head(a: Arguments) -> Bad:
    size = a.shape(X)[-1]
    return None if size <= LARGEST else (size, f"at most {LARGEST}")


@planned(
    "aclnnInplacePartialRotaryMul", may_be_null(SLICE), listed(X, "cos", "sin"),
    float_or("cos", X, provenance="document"), same_dtype("sin", "cos"), one_of("rotary_mode", INTERLEAVE),
    ranks(X, "cos", "sin"),
    demand("{0} has at most 1024 columns", X, bad=wide_head),
    demand("{0} has two ends in order", SLICE, X, bad=wrong_slice),
    done("no column is rotated", SLICE, X, when=lambda a: ends(a)[0] == ends(a)[1]),
    demand("{0} has an even number of columns that are rotated", X, SLICE, bad=odd),
    demand("{0} broadcasts to the columns of {1}", "cos", X, bad=wrong_table), same_shape("sin", "cos"),
    done("xRef is empty", X, when=lambda a: not a[X].numel),
)  # fmt: skip
def inplace_partial_rotary_mul(p: Planning) -> None:
    """The columns of xRef from partialSlice[0] to partialSlice[1], or all columns, become x * cos + rotate(x) * sin;
    rotate turns each pair of neighbours (x1, x2) into (-x2, x1). Other columns are not changed."""
    columns = slice(*ends(p))
    x = p.read(X).along(3, columns)
    rotated = p.step(rotary, [x, p.read("cos"), p.read("sin")], x.shape, x.dtype, mode=INTERLEAVE)
    p.builder.launch(same, [rotated], [p.builder.written(p[X]).along(3, columns)], moves=True)
