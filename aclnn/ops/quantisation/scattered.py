"""InplaceQuantScatter: rows are quantised, and replace rows of a tensor."""

from aclnn.op import (
    Arguments, Array, Bad, Planning, T, check_range, demand, in_memory, lacks, listed, may_be_null, planned, ranks,
    refused_by_kernel, shape,
)  # fmt: skip
from aclnn.ops.quantisation._family import grid, with_scales

SELF, SCALES, ZEROS = "selfRef", "quantScales", "quantZeroPoints"


def another_form(a: Arguments) -> bool:
    return a["axis"] not in (-2, 1) or a["quantAxis"] not in (-1, 2) or a["reduction"] != 1


def wrong_updates(a: Arguments) -> Bad:
    batch, rows, columns = a.shape(SELF)
    shape = a.shape("updates")
    fits = shape[::2] == (batch, columns) and shape[1] <= rows
    return None if fits else (list(shape), f"[{batch}, at most {rows}, {columns}]")


def row(a: Arguments) -> tuple[int, ...]:
    return 1, 1, a.shape(SELF)[2]


@planned(
    "aclnnInplaceQuantScatter", may_be_null(ZEROS),
    lacks("another axis than -2, another quantAxis than -1 or another reduction than 1", another_form),
    listed(SELF, "indices", "updates", SCALES, ZEROS), ranks(SELF, "indices", "updates", SCALES, ZEROS),
    refused_by_kernel(
        demand("{0} has rows for each batch of {1}", "updates", SELF, bad=wrong_updates),
        shape("indices", "{0} has a place for each batch", lambda a: a.shape(SELF)[:1]),
        *(shape(name, "{0} has an element for each column", row) for name in (SCALES, ZEROS)),
    ),
)  # fmt: skip
def inplace_quant_scatter(p: Planning) -> None:
    """q = updates / quantScales + quantZeroPoints, rounded half to even, and saturated to INT8. selfRef[b, indices[b] :
    indices[b] + n] = q[b], where n is the number of rows of updates"""
    x, places = p.read("updates"), p.read("indices")
    factors = [p.read(name) for name in (SCALES, ZEROS) if p.given(name)]
    rows = p.step(with_scales, [x, *factors], x.shape, T.ACL_INT8, divides=True, **grid(T.ACL_INT8))
    p.builder.launch(check_range, [places], [], name="indices", count=p.shape(SELF)[1] - x.shape[1] + 1)
    p.builder.launch(put_rows, [rows, places], [p.builder.written(p[SELF])], moves=True)


@in_memory
def put_rows(rows: Array, places: Array, *, out: Array) -> None:
    """Rows that exceed the tensor are left out."""
    for batch, part, place in zip(out, rows, places, strict=True):
        if 0 <= place <= len(batch) - len(part):
            batch[place : place + len(part)] = part
