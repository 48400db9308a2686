"""The contract of products of matrices with permuted dimensions."""

from collections.abc import Sequence

from aclnn.op import (
    Arguments, Bad, Relation, Series, Shape, T, demand, format_name, is_nz, lacks, listed, only_if, ranks, required,
    same_dtype, shape, with_elements,
)  # fmt: skip
from aclnn.ops.matmul._family import cube_math_type

LIMIT = 65536
"""the sizes of a kernel's operands are below this"""
PLAIN, BATCH_SECOND, COLUMNS_SECOND = (0, 1, 2), (1, 0, 2), (0, 2, 1)
PERMUTATIONS = {"permX1": (PLAIN, BATCH_SECOND), "permX2": (PLAIN, COLUMNS_SECOND), "permY": (BATCH_SECOND,)}


def permuted(a: Arguments, name: str, order: str) -> Shape:
    places: Shape = a[order].values
    return tuple(a.shape(name)[i] for i in places)


def permutation(name: str, allowed: Sequence[Shape]) -> Relation:
    def bad(a: Arguments) -> Bad:
        order = tuple(a[name].values)
        return None if order in allowed else (list(order), " or ".join(str(list(each)) for each in allowed))

    return demand("{0} is a permutation that the operator has", name, bad=bad)


def wrong_inner(a: Arguments) -> Bad:
    depth, right = permuted(a, "x1", "permX1")[2], permuted(a, "x2", "permX2")[1]
    return None if depth == right else (depth, f"{right}, as x2 has it")


def too_large(a: Arguments) -> Bad:
    """Checks the limit of the kernel on A2 and A3 for the batches, the columns, and, if x1 is not permuted, its last
    dimension."""
    if a.soc.series is Series.A950:
        return None
    (batch, _, k), (_, _, n) = permuted(a, "x1", "permX1"), permuted(a, "x2", "permX2")
    plain = tuple(a["permX1"].values) == PLAIN
    good = batch < LIMIT and n < LIMIT and (not plain or k < LIMIT)
    return None if good else (list(a.shape("x1")), f"sizes below {LIMIT}")


def wrong_combination(a: Arguments) -> Bad:
    """Checks combinations of permutations with a scale or several batches. Ascend 950 accepts all combinations."""
    if a.soc.series is Series.A950:
        return None
    alone = not a.given("scale") and a["batchSplitFactor"] == 1
    batch, _, k = permuted(a, "x1", "permX1")
    if tuple(a["permX2"].values) == COLUMNS_SECOND and not (alone and tuple(a["permX1"].values) == BATCH_SECOND):
        return list(a["permX2"].values), f"{list(PLAIN)} with a scale, several batches, or permX1 {list(PLAIN)}"
    if tuple(a["permX1"].values) == BATCH_SECOND and batch * k >= LIMIT and not alone:
        return list(a.shape("x1")), f"rows of all batches below {LIMIT} with a scale or several batches"
    return None


def wrong_split(a: Arguments) -> Bad:
    count, batches = a["batchSplitFactor"], permuted(a, "x1", "permX1")[0]
    good = count > 0 and batches % count == 0 and (count == 1 or not a.given("scale"))
    return None if good else (count, f"a number that divides {batches}, 1 with a scale")


def in_blocks(a: Arguments) -> Bad:
    return ("FRACTAL_NZ", "ND") if is_nz(a["x1"]) or is_nz(a["out"]) else None


def not_in_blocks(a: Arguments) -> Bad:
    weight = a["x2"]
    if is_nz(weight) and len(weight.storage_shape) == 5:
        return None
    description = f"{format_name(weight.storage_format)} of {len(weight.storage_shape)} dimensions"
    return description, "FRACTAL_NZ of 5 dimensions"


def other_type(a: Arguments) -> Bad:
    """Checks the data type of out. Ascend 950 converts the result to any data type."""
    good = a.soc.series is Series.A950 or a.given("scale") or a.dtype("out") == a.dtype("x1")
    return None if good else (a.type_name("out"), a.type_name("x1"))


def neither_view_nor_storage(a: Arguments) -> Bad:
    return None if a.rank("x2") in (3, 5) else (f"{a.rank('x2')} dimensions", "3 or 5")


def single_row(a: Arguments) -> Bad:
    return (list(a.shape("x2")), "no dimension of 1 but the batches") if 1 in a.shape("x2")[1:] else None


def result(a: Arguments) -> Shape:
    (batch, m, _), (_, _, n) = permuted(a, "x1", "permX1"), permuted(a, "x2", "permX2")
    count = a["batchSplitFactor"]
    if a.given("scale"):
        return m, 1, batch * n
    return (m, batch, n) if count == 1 else (count, m, batch * n // count)


def is_null(name: str) -> Relation:
    return demand("{0} is null", name, bad=lambda a: (list(a.shape(name)), "null"))


def permutations(allowed: dict[str, tuple[Shape, ...]]) -> tuple[Relation, ...]:
    return tuple(permutation(name, orders) for name, orders in allowed.items())


def other_batches(a: Arguments) -> Bad:
    left, right = permuted(a, "x1", "permX1")[0], a.shape("x2")[0]
    return None if left == right else (right, f"{left}, as x1")


def with_another_scale(a: Arguments) -> Bad:
    good = not a.given("scale") or (a.dtype("x1"), a.dtype("out")) == (T.ACL_FLOAT16, T.ACL_INT8)
    return None if good else (a.type_name("out"), "INT8 beside x1 of FLOAT16, as there is a scale")


def columns(a: Arguments) -> Shape:
    return (permuted(a, "x1", "permX1")[0] * permuted(a, "x2", "permX2")[2],)


PRODUCT = (
    demand("the rows of {1} are the last dimension of {0}", "x1", "x2", "permX1", "permX2", bad=wrong_inner),
    demand("{0} has the batches of {1}", "x2", "x1", bad=other_batches, provenance="ours"),
    demand("the sizes of {0} and {1} fit the kernel", "x1", "x2", bad=too_large),
    demand("{0} fits the other arguments", "permX2", "x1", bad=wrong_combination),
    demand("{0} divides the batches", "batchSplitFactor", "x1", bad=wrong_split),
    with_elements("x1"), with_elements("x2"), is_null("bias"),
    shape("scale", "{0} has an element for each column of each batch", columns),
    shape("out", "{0} has the shape of the product", result),
)  # fmt: skip
ARGUMENTS = (
    required("permX1", "permX2", "permY"), listed("x1", "x2", "scale", "out"), ranks("x1", "out", least=3, most=3),
    cube_math_type("x1", "x2"),
    demand("{0} and {1} are not in FRACTAL_NZ", "x1", "out", bad=in_blocks), same_dtype("x2", "x1"),
    demand("{0} is INT8 beside a scale, and x1 FLOAT16", "out", "scale", bad=with_another_scale),
    *permutations(PERMUTATIONS),
)  # fmt: skip
PLAIN_PRODUCT = (*ARGUMENTS, ranks("x2", least=3, most=3), *PRODUCT)
IN_BLOCKS = (
    lacks("x2 as it is stored, in 5 dimensions", lambda a: a.rank("x2") == 5), *ARGUMENTS,
    demand("{0} has 3 dimensions, or 5 as it is stored", "x2", bad=neither_view_nor_storage),
    demand("{0} is in FRACTAL_NZ, whose storage has 5 dimensions", "x2", bad=not_in_blocks),
    demand("{0} has the data type of {1} if there is no scale", "out", "x1", bad=other_type),
    only_if("x2 has 3 dimensions", lambda a: a.rank("x2") == 3, *PRODUCT, demand(
        "{0} has several rows and columns", "x2", bad=single_row)),
)  # fmt: skip
