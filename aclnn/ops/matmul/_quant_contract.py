"""The contract of QuantMatmulV3, V4 and V5: the demands on the tensors, in the order of the checks."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from aclnn.op import (
    ACLNN_ERR_RUNTIME_ERROR, Arguments, Bad, Relation, Series, Shape, T, broadcast_shape, demand, done, dtype_name,
    is_nz, public_format, ranks,
)  # fmt: skip
from aclnn.ops.matmul._family import PACKED_SCALES, PER_INT32

INT8, INT4, FLOAT, HALF, BF16, INT32 = T.ACL_INT8, T.ACL_INT4, T.ACL_FLOAT, T.ACL_FLOAT16, T.ACL_BF16, T.ACL_INT32
LONGEST: Final = 65535
PER_TOKEN: Final = "pertokenScaleOptional"
V5_NAMES: Final = {"scale": "x2Scale", "offset": "x2Offset", PER_TOKEN: "x1Scale"}


def called(a: Arguments, name: str) -> str:
    """The name of a parameter in the version that is called: V5 has other names."""
    return V5_NAMES.get(name, name) if a.has("x2Scale") else name


class TypeRow(NamedTuple):
    """A combination of data types."""

    factors: int
    scale: tuple[int, ...]
    bias: tuple[int, ...]
    out: int
    per_token: bool | None = False
    """True if each row of x1 needs a scale, None if a scale is optional"""
    offset: bool = False
    """True if an offset is allowed"""

    def text(self, scale: str, token: str) -> str:
        scales, biases = (" or ".join(map(dtype_name, each)) for each in (self.scale, self.bias))
        tokens = {True: f"with {token}", False: f"without {token}", None: f"with or without {token}"}[self.per_token]
        return f"{scale} {scales}, bias {biases} if any, out {dtype_name(self.out)}, {tokens}"


ON_310P: Final = (
    TypeRow(INT8, PACKED_SCALES, (INT32,), HALF), TypeRow(INT8, PACKED_SCALES, (INT32,), INT8, offset=True),
    TypeRow(INT8, (FLOAT,), (INT32,), HALF, per_token=True),
)  # fmt: skip
ON_A2: Final = (
    *ON_310P[:2], TypeRow(INT8, (FLOAT, BF16), (INT32, BF16, FLOAT), BF16, per_token=None),
    TypeRow(INT8, (FLOAT,), (INT32, HALF, FLOAT), HALF, per_token=True), TypeRow(INT8, (FLOAT, BF16), (INT32,), INT32),
    TypeRow(INT4, PACKED_SCALES, (INT32,), HALF),
    TypeRow(INT4, (FLOAT, BF16), (INT32, BF16, FLOAT), BF16, per_token=True),
    TypeRow(INT4, (FLOAT,), (INT32, HALF, FLOAT), HALF, per_token=True),
)  # fmt: skip
ON_950: Final = (*ON_A2, TypeRow(INT8, PACKED_SCALES, (INT32,), BF16))


def per_token(a: Arguments) -> bool:
    """True if there is a scale for each row of x1. The third version has no such parameter."""
    name = called(a, PER_TOKEN)
    return a.has(name) and a.given(name)


def packed(a: Arguments, name: str) -> bool:
    """True for INT4, also with eight values in an INT32."""
    return a.dtype(name) in (INT4, INT32)


def matrix(a: Arguments, name: str) -> Shape:
    """The last two sizes of x1 or x2 in elements, swapped if its transpose flag is set."""
    rows, columns = a.shape(name)[-2:]
    columns *= PER_INT32 if a.dtype(name) == INT32 else 1
    return (columns, rows) if a[f"transpose{name.upper()}"] else (rows, columns)


def result(a: Arguments) -> Shape | None:
    """The shape of the product; None if the batches do not broadcast."""
    batch = broadcast_shape(a.shape("x1")[:-2], a.shape("x2")[:-2])
    return None if batch is None else (*batch, matrix(a, "x1")[0], matrix(a, "x2")[1])


# demands


def is_empty_on_950(a: Arguments) -> bool:
    """True if Ascend 950 returns before all other checks, because the result has no elements."""
    fits = a.soc.series is Series.A950 and min(a.rank("x1"), a.rank("x2")) >= 2
    return fits and 0 in (matrix(a, "x1")[0], 1 if is_nz(a["x2"]) else matrix(a, "x2")[1])


def int4_on_310p(a: Arguments) -> Bad:
    wrong = a.soc.series is Series.INFERENCE and packed(a, "x1")
    return (a.type_name("x1"), "INT8") if wrong else None


def no_type_row(a: Arguments) -> Bad:
    rows = {Series.INFERENCE: ON_310P, Series.A950: ON_950}.get(a.soc.series, ON_A2)
    kinds = {INT4 if packed(a, name) else a.dtype(name) for name in ("x1", "x2")}
    has_per_token, scale, offset = per_token(a), called(a, "scale"), called(a, "offset")
    for row in rows:
        types = kinds == {row.factors} and a.dtype(scale) in row.scale and a.dtype("out") == row.out
        bias = not a.given("bias") or a.dtype("bias") in row.bias
        if types and bias and row.per_token in (None, has_per_token) and (row.offset or not a.given(offset)):
            return None
    names = [name for name in ("x1", "x2", scale, offset, "bias", "out") if a.given(name)]
    fitting = [row.text(scale, called(a, PER_TOKEN)) for row in rows if kinds == {row.factors}]
    return ", ".join(f"{name} {a.type_name(name)}" for name in names), "; or ".join(fitting) or "INT8 or INT4 for both"


def only_float(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if a.dtype(name) == FLOAT else (a.type_name(name), dtype_name(FLOAT))

    return demand("{0} is FLOAT", name, bad=bad)


def misfit_of_int4(a: Arguments) -> Bad:
    if not packed(a, "x1"):
        return None
    odd = any(a.dtype(name) == INT4 and a.shape(name)[-1] % 2 for name in ("x1", "x2"))
    fine = not (a["transposeX1"] or odd) and a.rank("x2") == 2
    return None if fine else (list(a.shape("x1")), "INT4 with even inner sizes, not transposed, beside a matrix")


def other_inner(a: Arguments) -> Bad:
    columns, expected_columns = matrix(a, "x1")[1], matrix(a, "x2")[0]
    return None if columns == expected_columns else (f"{columns} columns", f"{expected_columns}, the rows of x2")


def other_blocks(a: Arguments) -> Bad:
    """Checks the number of blocks along the inner dimension of a weight in FRACTAL_NZ."""
    x2 = a["x2"]
    if not is_nz(x2) or x2.dtype == INT32 or len(x2.storage_shape) < 4:
        return None
    columns, rows, height, width = x2.storage_shape[-4:]
    count, unit = (columns, width) if a["transposeX2"] else (rows, height)
    expected_count = -(-matrix(a, "x2")[0] // unit)
    return None if count == expected_count else (list(x2.storage_shape), f"{expected_count} blocks of the inner size")


def too_long(a: Arguments) -> Bad:
    if a.soc.series is Series.A950:
        return None
    unlimited = a.soc.series in (Series.A2, Series.A3) and a.dtype(called(a, "scale")) in (FLOAT, BF16) and per_token(a)
    last = max(a.shape("x1")[-1], a.shape("x2")[-1])
    return None if last <= LONGEST or (unlimited and a.dtype("x1") == INT8) else (last, f"at most {LONGEST}")


def of_columns(name: str) -> Relation:
    """Checks that a tensor has a value for each column of the result, or one for all."""

    def bad(a: Arguments) -> Bad:
        n, shape = matrix(a, "x2")[1], a.shape(name)
        return None if shape in ((n,), (1,)) else (list(shape), f"[{n}] or [1]")

    return demand("{0} has a value for each column of the product, or one", name, "x2", bad=bad)


def wrong_scale_length(a: Arguments) -> Bad:
    m, shape = matrix(a, "x1")[0], a.shape(called(a, PER_TOKEN))
    return None if shape == (m,) else (list(shape), [m])


def no_batch(a: Arguments) -> Bad:
    batch = list(a.shape("x1")[:-2])
    return None if result(a) is not None else (batch, f"batches that broadcast with {list(a.shape('x2')[:-2])}")


def other_bias(a: Arguments) -> Bad:
    *batch, _, n = result(a) or (0, 0)
    allowed = [(n,), *([(*batch, 1, n)] if len(batch) == 1 and not packed(a, "x1") else [])]
    shape = a.shape("bias")
    return None if shape in allowed else (list(shape), " or ".join(str(list(each)) for each in allowed))


def other_out(a: Arguments) -> Bad:
    expected_shape = result(a) or ()
    spread = (expected_shape[0], 1, expected_shape[1]) if len(expected_shape) == 2 else expected_shape
    return None if a.shape("out") in (expected_shape, spread) else (list(a.shape("out")), list(expected_shape))


def empty_operand(a: Arguments) -> Bad:
    empty = [name for name in ("x1", "x2") if not a[name].numel]
    return (f"an empty {empty[0]}", "elements") if empty else None


def contract(*, of_rows: bool, names: Mapping[str, str] | None = None) -> tuple[Relation, ...]:
    """The relations of a version. `of_rows`: rows of x1 may have scales. `names`: names of parameters in V5."""
    scale, offset, tokens = ((names or {}).get(each, each) for each in ("scale", "offset", PER_TOKEN))
    rows = (only_float(tokens), demand("{0} has a value for each row of x1", tokens, "x1", bad=wrong_scale_length))
    return (
        done("a matrix of the product has no elements (on Ascend 950)", "x1", "x2", when=is_empty_on_950),
        ranks("x2", "x1", "out", least=2, most=6), ranks(scale, least=1, most=1),
        demand("{0} is not INT4 on 310P", "x1", bad=int4_on_310p, status=ACLNN_ERR_RUNTIME_ERROR),
        only_float(offset), *(rows[:1] if of_rows else ()),
        demand(f"the data types of {{0}}, x2, {scale} and out go together", "x1", "x2", scale, "out", bad=no_type_row),
        demand("{0} of INT4 has the layout that the product takes", "x1", "x2", bad=misfit_of_int4),
        demand("{0} has as many columns as x2 has rows", "x1", "x2", bad=other_inner),
        demand("the storage of {0} has the blocks of its inner size", "x2", bad=other_blocks),
        demand("the last dimensions of {0} and x2 are not too long", "x1", "x2", bad=too_long),
        of_columns(scale), of_columns(offset), *(rows[1:] if of_rows else ()),
        demand("the batches of {0} and x2 broadcast", "x1", "x2", bad=no_batch),
        demand("{0} has a value for each column, or for each column and matrix", "bias", "x1", "x2", bad=other_bias),
        demand("{0} has the shape of the product", "out", "x1", "x2", bad=other_out), public_format("x1", "out"),
        demand("{0} and x2 have elements", "x1", "x2", bad=empty_operand),
    )  # fmt: skip
