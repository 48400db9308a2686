"""Casts of tensors to private formats and back: the shape of the storage, and NpuFormatCast."""

from math import prod
from typing import Final

from aclnn.op import (
    ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, ACLNN_ERR_RUNTIME_ERROR, C0, ORDERS, ROW_BITS, STORED_RANKS,
    Arguments, Bad, HostCall, Padded, Planning, Relation, Series, Shape, Soc, Stored, Tensor, TensorParam, aclDataType,
    aclFormat, bits, block_columns, changes, demand, dtype_name, except_on, format_name, from_channel_blocks, is_nz,
    listed, moved, moves_bytes, nd_to_nz, null_status, nz_to_nd, on_host, only_on, overwrites, planned, present,
    row_major, same_dtype, storage, to_channel_blocks, with_elements,
)  # fmt: skip
from aclnn.ops.movement._formats import PAIRS, SAME_TYPE, storage_shape
from aclnn.ops.movement._formats_950 import BY_SECOND_TYPE, NZ, SINGLE_ROW, blocks, ranks

F = aclFormat
DEFAULT: Final = -1
"""the additionalDtype that means the data type of the source"""


def additional(a: Arguments) -> int:
    return a.dtype("srcTensor") if a["additionalDtype"] == DEFAULT else a["additionalDtype"]


def unlisted_additional(a: Arguments) -> Bad:
    source = a.param("srcTensor")
    assert isinstance(source, TensorParam), "as its prototype says"
    dtype, allowed = additional(a), source.dtypes.on(a.soc.series)
    if a.soc.series is Series.A950:
        src_tensor_dtype = a.dtype("srcTensor")
        allowed = tuple(
            each for each in aclDataType if each == src_tensor_dtype or (src_tensor_dtype, each) in BY_SECOND_TYPE
        )
    return None if dtype in allowed else (dtype_name(dtype), ", ".join(map(dtype_name, allowed)))


def no_cast(a: Arguments) -> Bad:
    pair = a["srcTensor"].storage_format, a["dstFormat"]
    same = additional(a) == a.dtype("srcTensor") and pair in SAME_TYPE
    if same or castable(a.soc, pair):
        return None
    return f"{format_name(pair[0])} to {format_name(pair[1])}", "formats between which a tensor can be cast"


def castable(soc: Soc, pair: tuple[int, int]) -> bool:
    """True if the device casts between two formats. Ascend 950 casts only to FRACTAL_NZ and back."""
    if soc.series is Series.A950 and NZ.isdisjoint(pair):
        return False
    return pair in PAIRS or pair[::-1] in PAIRS


def target_shape(a: Arguments) -> Shape | None:
    src: Tensor = a["srcTensor"]
    c0 = ROW_BITS // bits(additional(a))
    if a.soc.series is Series.A950 and (block := blocks(src.dtype, additional(a))) is not None:
        c0 = block.columns
    return storage_shape(src.shape, src.storage_format, a["dstFormat"], c0)


def target_format(a: Arguments) -> int:
    """The format of the result. On Ascend 950 additionalDtype may select a format with another block."""
    dst_format: int = a["dstFormat"]
    block = blocks(a.dtype("srcTensor"), additional(a))
    changed = a.soc.series is Series.A950 and dst_format == F.ACL_FORMAT_FRACTAL_NZ and block is not None
    return block.form if changed and block is not None else dst_format


def single_row(a: Arguments) -> Bad:
    """A matrix of one row, which cannot be cast on Ascend 950 for some types."""
    to_nz = a["dstFormat"] == F.ACL_FORMAT_FRACTAL_NZ and additional(a) == a.dtype("srcTensor") in SINGLE_ROW
    single = to_nz and a.rank("srcTensor") > 1 and a.shape("srcTensor")[-2] == 1
    return (list(a.shape("srcTensor")), "more than one row") if single else None


def unfit_rank(a: Arguments) -> Bad:
    rank = a.rank("srcTensor")
    if a.soc.series is Series.A950:
        allowed = ranks(a.dtype("srcTensor"), additional(a))
        return None if rank in allowed else (f"{rank} dimensions", f"{allowed[0]} to {allowed[-1]}")
    return (
        None if target_shape(a) is not None and rank <= 6 else (f"{rank} dimensions", "2 to 6, as the formats demand")
    )


@on_host(
    "aclnnNpuFormatCastCalculateSizeAndFormat",
    present("srcTensor", status=ACLNN_ERR_PARAM_INVALID, provenance="public"),
    listed("srcTensor"),
    present("dstShape", "dstShapeSize", "actualFormat", provenance="ours"),
    demand("{0} is -1 or a data type of srcTensor", "additionalDtype", bad=unlisted_additional),
    demand("the format of srcTensor can be cast to {0}", "dstFormat", bad=no_cast,
           status=ACLNN_ERR_RUNTIME_ERROR),
    demand("{0} has a rank that fits both formats", "srcTensor", bad=unfit_rank),
    except_on(Series.A950, with_elements("srcTensor", status=ACLNN_ERR_RUNTIME_ERROR)),
    only_on(
        Series.A950, with_elements("srcTensor"),
        demand("{0} has more than one row, if it is of floats and has blocks of its own type", "srcTensor",
               bad=single_row),
    ),
)  # fmt: skip
def calculate_size_and_format(call: HostCall) -> None:
    """The shape and the format of the storage into which aclnnNpuFormatCast can cast `srcTensor`. A block has 32 bytes,
    counted in elements of `additionalDtype`."""
    shape = target_shape(call)
    assert shape is not None, "the rank was checked"
    call.store_array("dstShape", shape)
    call.store("dstShapeSize", len(shape))
    call.store("actualFormat", target_format(call))


def unfit_pair(a: Arguments) -> Bad:
    formats = a["srcTensor"].storage_format, a["dstTensor"].storage_format
    if a.soc.series is Series.A950:
        base = [format_ for format_ in formats if format_ not in NZ]
        if len(base) == 1 and (base[0], F.ACL_FORMAT_FRACTAL_NZ) in {*PAIRS, *SAME_TYPE}:
            return None
    elif {*PAIRS, *SAME_TYPE} & {formats, formats[::-1]}:
        return None
    return " to ".join(map(format_name, formats)), "formats between which a tensor can be cast"


def without_gaps(name: str) -> Relation:
    def bad(a: Arguments) -> Bad:
        return None if a[name].contiguous else (f"strides {list(a[name].strides)}", "a contiguous tensor")

    return demand("{0} is contiguous", name, bad=bad)


def columns_for(a: Arguments) -> set[int]:
    """The columns of a block for each additionalDtype that the calculation of the storage accepts."""
    source = a.param("srcTensor")
    assert isinstance(source, TensorParam), "as its prototype says"
    return {*C0.values(), *(ROW_BITS // bits(each) for each in source.dtypes.on(a.soc.series))}


def other_storage(a: Arguments) -> Bad:
    src, dst = a["srcTensor"], a["dstTensor"]
    c0 = ROW_BITS // bits(src.dtype)
    if is_nz(dst):
        c0 = block_columns(dst, a.rank("srcTensor")) or c0
        c0 = c0 if c0 in columns_for(a) else ROW_BITS // bits(src.dtype)
    expected_shape = storage_shape(src.shape, src.storage_format, dst.storage_format, c0)
    if expected_shape is None:
        return f"srcTensor with {a.rank('srcTensor')} dimensions", f"a rank that fits {format_name(dst.storage_format)}"
    if dst.storage_shape in (expected_shape, (prod(expected_shape),)):
        return None
    return list(dst.storage_shape), f"{list(expected_shape)}, as aclnnNpuFormatCastCalculateSizeAndFormat says"


def like_source(a: Arguments) -> None:
    src, dst = a["srcTensor"], a["dstTensor"]
    form, storage = dst.storage_format, dst.storage_shape
    dst.describe(src.shape, dst.dtype, row_major(src.shape), dst.offset, src.format, storage)
    dst.stored_as(form, storage)


@planned(
    "aclnnNpuFormatCast",
    moves_bytes(),
    null_status(ACLNN_ERR_INNER_NULLPTR),
    overwrites("dstTensor"),
    listed("srcTensor", "dstTensor"),
    without_gaps("srcTensor"),
    without_gaps("dstTensor"),
    same_dtype("dstTensor", "srcTensor"),
    demand("srcTensor can be cast to the format of {0}", "dstTensor", bad=unfit_pair),
    demand(
        "{0} has the storage shape of its format, or one dimension of as many elements", "dstTensor", bad=other_storage
    ),
    changes(like_source),
)
def npu_format_cast(p: Planning) -> None:
    """dstTensor = srcTensor in the format of dstTensor: to a private format, or from it. The first phase gives
    dstTensor the view of srcTensor."""
    src, dst = p["srcTensor"], p["dstTensor"]
    if is_nz(dst):
        nd_to_nz(p.builder, p.read("srcTensor"), dst, Stored(src.shape, src.dtype, block_columns(dst, len(src.shape))))
    elif is_nz(src):
        p.builder.view_copy(nz_to_nd(p.builder, src), dst)
    elif dst.storage_format in STORED_RANKS:
        _to_channel_blocks(p, src, dst)
    else:
        _from_channel_blocks(p, src, dst)


def _to_channel_blocks(p: Planning, src: Tensor, dst: Tensor) -> None:
    form, order, columns = dst.storage_format, ORDERS[src.storage_format], ROW_BITS // bits(src.dtype)
    padded = Padded(storage(form, src.shape, order, columns), src.dtype)
    target = p.builder.alloc(padded.storage_shape, src.dtype)
    p.builder.launch(
        to_channel_blocks, [p.read("srcTensor")], [target], moves=True, form=form, order=order, columns=columns
    )
    p.builder.launch(moved, [target], [p.builder.blocks(dst, padded, src.dtype, write=True)], moves=True)


def _from_channel_blocks(p: Planning, src: Tensor, dst: Tensor) -> None:
    form, order = src.storage_format, ORDERS[dst.storage_format]
    columns = src.storage_shape[-1] if len(src.storage_shape) == STORED_RANKS[form] else ROW_BITS // bits(src.dtype)
    blocks = p.builder.blocks(src, Padded(storage(form, src.shape, order, columns), src.dtype), src.dtype, write=False)
    result = p.builder.alloc(src.shape, src.dtype)
    p.builder.launch(from_channel_blocks, [blocks], [result], moves=True, form=form, shape=src.shape, order=order)
    p.builder.view_copy(result, dst)
