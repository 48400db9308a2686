"""InplaceQuantScatter, and V2: rows are quantised, and replace rows of a tensor."""

from aclnn.op import (
    Arguments, Array, Bad, Planning, T, check_range, demand, empty, in_memory, lacks, listed, may_be_null, only_if,
    planned, ranks, refused_by_kernel, same_rank, shape, type_rows,
)  # fmt: skip
from aclnn.ops.quantisation._family import grid, with_scales

SELF, SCALES, ZEROS, MODE = "selfRef", "quantScales", "quantZeroPoints", "roundMode"


def another_form(a: Arguments) -> bool:
    return a["axis"] not in (-2, 1) or a["quantAxis"] not in (-1, 2) or a["reduction"] != 1


def wrong_updates(a: Arguments) -> Bad:
    batch, rows, columns = a.shape(SELF)
    shape = a.shape("updates")
    fits = shape[::2] == (batch, columns) and shape[1] <= rows
    return None if fits else (list(shape), f"[{batch}, at most {rows}, {columns}]")


def row(a: Arguments) -> tuple[int, ...]:
    return 1, 1, a.shape(SELF)[2]


def simple(a: Arguments) -> bool:
    return a.rank(SELF) == a.rank("updates") == 3 and a.rank("indices") == 1


SHAPES = (
    demand("{0} has rows for each batch of {1}", "updates", SELF, bad=wrong_updates),
    shape("indices", "{0} has a place for each batch", lambda a: a.shape(SELF)[:1]),
    *(shape(name, "{0} has an element for each column", row) for name in (SCALES, ZEROS)),
)  # fmt: skip
FORMS = "another axis than -2, another quantAxis than -1 or another reduction than 1"
TYPES = listed(SELF, "indices", "updates", SCALES, ZEROS)


def plan(p: Planning) -> None:
    x, places, dtype = p.read("updates"), p.read("indices"), p.dtype(SELF)
    factors = [p.read(name) for name in (SCALES, ZEROS) if p.given(name)]
    rows = p.step(with_scales, [x, *factors], x.shape, dtype, divides=True, **grid(dtype))
    p.builder.launch(check_range, [places], [], name="indices", count=p.shape(SELF)[1] - x.shape[1] + 1)
    p.builder.launch(put_rows, [rows, places], [p.builder.written(p[SELF])], moves=True)


@planned(
    "aclnnInplaceQuantScatter", may_be_null(ZEROS), lacks(FORMS, another_form), TYPES,
    ranks(SELF, "indices", "updates", SCALES, ZEROS), refused_by_kernel(*SHAPES),
)  # fmt: skip
def inplace_quant_scatter(p: Planning) -> None:
    """q = updates / quantScales + quantZeroPoints, rounded half to even, and saturated to INT8. selfRef[b, indices[b] :
    indices[b] + n] = q[b], where n is the number of rows of updates"""
    plan(p)


FACTORS: dict[int, tuple[int, ...]] = {T.ACL_FLOAT16: (T.ACL_FLOAT,), T.ACL_BF16: (T.ACL_BF16, T.ACL_FLOAT)}
"""the data types of quantScales, by that of updates"""


def another_rank(a: Arguments) -> bool:
    return not simple(a) or a[MODE] != "rint"


@planned(
    "aclnnInplaceQuantScatterV2", may_be_null(ZEROS), lacks(FORMS, another_form),
    lacks("other dimensions than 3, pairs of indices, or another roundMode than rint", another_rank), TYPES,
    type_rows(("updates", SCALES), FACTORS), ranks(SELF, "indices", "updates", SCALES, ZEROS),
    same_rank("updates", SELF), empty("updates"),
    refused_by_kernel(only_if("selfRef has 3 dimensions", simple, *SHAPES)),
)  # fmt: skip
def inplace_quant_scatter_v2(p: Planning) -> None:
    """Like aclnnInplaceQuantScatter. selfRef may have FLOAT8_E4M3FN."""
    plan(p)


@in_memory
def put_rows(rows: Array, places: Array, *, out: Array) -> None:
    """Rows that exceed the tensor are left out."""
    for batch, part, place in zip(out, rows, places, strict=True):
        if 0 <= place <= len(batch) - len(part):
            batch[place : place + len(part)] = part
