"""Contracts of functions that write narrow data types: INT4, FLOAT8, INT8."""

from aclnn.op import (
    Arguments, Bad, Series, Shape, T, demand, is_nz, shape, stored_as,
)  # fmt: skip
from aclnn.ops.matmul._family import plain_format

PER_INT32 = 8
"""INT4 values in an element of INT32"""


def packed_shape(a: Arguments) -> Shape:
    """The shape of weightInt4Pack: that of weight, but with eight values in an INT32."""
    *lead, last = a.shape("weight")
    return (*lead, last // PER_INT32) if a.dtype("weightInt4Pack") == T.ACL_INT32 else (*lead, last)


def part_element(a: Arguments) -> Bad:
    last, unit = a.shape("weight")[-1], PER_INT32 if a.dtype("weightInt4Pack") == T.ACL_INT32 else 2
    return None if last % unit == 0 else (last, f"a multiple of {unit}")


def wrong_storage(a: Arguments) -> Bad:
    """Checks that a storage in FRACTAL_NZ has the shape of blocks. Ascend 950 writes this format as INT4 only."""
    packed = a["weightInt4Pack"]
    if not is_nz(packed):
        return None
    if a.soc.series is Series.A950 and packed.dtype == T.ACL_INT32:
        return "INT32 in FRACTAL_NZ", "INT4 in FRACTAL_NZ, or ND"
    right = stored_as(packed).storage_shape
    return None if packed.storage_shape == right else (list(packed.storage_shape), list(right))


CONTRACTS = {
    "aclnnConvertWeightToINT4Pack": (
        plain_format("weight"),
        demand("a row of {0} fills whole elements of {1}", "weight", "weightInt4Pack", bad=part_element),
        shape("weightInt4Pack", "{0} has the shape of weight, eight values in an INT32", packed_shape),
        demand("the storage of {0} has the shape of its format", "weightInt4Pack", bad=wrong_storage),
    ),
}  # fmt: skip
