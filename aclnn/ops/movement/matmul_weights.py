"""FRACTAL_NZ for weights of matrix products: the size of a weight, and its conversion in place."""

from math import prod
from typing import Final

from aclnn.op import (
    HALVES, Arguments, Bad, DataTypes, HostCall, Planning, Series, Shape, Stored, Tensor, aclDataType, aclFormat,
    changes, demand, empty, listed, moves_bytes, nd_to_nz, on_host, planned, present, up,
)  # fmt: skip
from aclnn.ops.matmul._family import plain_format

T, F = aclDataType, aclFormat
LARGE_SERIES: Final = (Series.A2, Series.A3)
WEIGHTS: Final = DataTypes(
    (*HALVES, T.ACL_INT8, T.ACL_UINT8, T.ACL_FLOAT8_E4M3FN, T.ACL_HIFLOAT8),
    on={
        Series.INFERENCE: (T.ACL_FLOAT16, T.ACL_INT8), Series.A200I_500_A2: (T.ACL_FLOAT16,),
        Series.TRAINING: (T.ACL_FLOAT16,),
    },
)  # fmt: skip
"""data types that aclnnTransMatmulWeight accepts, by product"""
BLOCK: Final = 16


# the size of a weight


def unsupported_rank(a: Arguments) -> Bad:
    rank = len(a["tensorShape"].values)
    most = 6 if a.soc.series in LARGE_SERIES else 2
    return None if 2 <= rank <= most else (f"{rank} dimensions", f"2 to {most}" if most > 2 else "2")


def other_rank(a: Arguments) -> Bad:
    rank = len(a["tensorShape"].values)
    return None if 2 <= rank <= 6 else (f"{rank} dimensions", "2 to 6")


def without_elements(a: Arguments) -> Bad:
    values = a["tensorShape"].values
    return (list(values), "no dimension is 0") if 0 in values else None


def stored_elements(shape: Shape, columns: int) -> int:
    *batch, rows, cols = shape
    return prod(batch) * up(rows, BLOCK) * BLOCK * up(cols, columns) * columns


@on_host(
    "aclnnCalculateMatmulWeightSize",
    present("tensorShape", "weightTensorSize"),
    demand("{0} has as many dimensions as the product supports", "tensorShape", bad=unsupported_rank),
)
def calculate_matmul_weight_size(call: HostCall) -> None:
    """The number of elements of a FLOAT16 weight of `tensorShape` in FRACTAL_NZ, padding included: the last two
    dimensions count as multiples of 16."""
    call.store("weightTensorSize", stored_elements(call["tensorShape"].values, BLOCK))


@on_host(
    "aclnnCalculateMatmulWeightSizeV2",
    present("tensorShape", "weightTensorSize"),
    demand("{0} has 2 to 6 dimensions", "tensorShape", bad=other_rank),
    demand("{0} has no dimension of size 0", "tensorShape", bad=without_elements),
)
def calculate_matmul_weight_size_v2(call: HostCall) -> None:
    """The number of elements of a weight of `tensorShape` in FRACTAL_NZ, padding included. The last dimension counts as
    a multiple of 16 for FLOAT16 and BFLOAT16, and of 32 for any other data type."""
    columns = BLOCK if call["dataType"] in HALVES else 2 * BLOCK
    call.store("weightTensorSize", stored_elements(call["tensorShape"].values, columns))


# conversion in place


def more_than_8(a: Arguments) -> Bad:
    rank = a.rank("mmWeightRef")
    return None if rank <= 8 else (f"{rank} dimensions", "at most 8")


def unsupported_weight(a: Arguments) -> Bad:
    rank, two = a.rank("mmWeightRef"), a.soc.series not in LARGE_SERIES and a.dtype("mmWeightRef") != T.ACL_INT8
    return None if 2 <= rank <= (2 if two else 6) else (f"{rank} dimensions", "2" if two else "2 to 6")


def become_nz(a: Arguments) -> None:
    tensor: Tensor = a["mmWeightRef"]
    tensor.stored_as(F.ACL_FORMAT_FRACTAL_NZ, Stored(tensor.shape, tensor.dtype).storage_shape)


@planned(
    "aclnnTransMatmulWeight",
    moves_bytes(),
    listed("mmWeightRef", among=WEIGHTS),
    plain_format("mmWeightRef"),
    demand("{0} has at most 8 dimensions", "mmWeightRef", bad=more_than_8),
    empty("mmWeightRef"),
    demand("{0} has as many dimensions as the product supports", "mmWeightRef", bad=unsupported_weight),
    changes(become_nz),
)
def trans_matmul_weight(p: Planning) -> None:
    """mmWeightRef in FRACTAL_NZ, in its own memory, which must have room for the padding
    (aclnnCalculateMatmulWeightSize). The first phase changes the storage format and the storage shape of the tensor,
    not its view."""
    tensor = p["mmWeightRef"]
    nd_to_nz(p.builder, p.read("mmWeightRef"), tensor, Stored(tensor.shape, tensor.dtype))
