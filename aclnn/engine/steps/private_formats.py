"""Steps between ND and FRACTAL_NZ. `acl_runtime.memory.private_formats` describes the layout.

    nz_to_nd   makes a dense operand of a tensor whose storage is in FRACTAL_NZ
    nd_to_nz   writes a dense operand to the memory of a tensor in FRACTAL_NZ

The steps only move bits. So they use an integer type of the same width for each data type.
"""

from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtype_names import bits
from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclDataType, aclFormat
from acl_runtime.memory.private_formats import ROW_BITS, ROWS, Stored
from acl_runtime.objects.handle_table import Tensor, row_major
from aclnn.engine.operand import Operand
from aclnn.engine.plan_builder import PlanBuilder

_F = aclFormat
C0: Final = {
    _F.ACL_FORMAT_FRACTAL_NZ: 0, _F.ACL_FORMAT_FRACTAL_NZ_C0_2: 2, _F.ACL_FORMAT_FRACTAL_NZ_C0_4: 4,
    _F.ACL_FORMAT_FRACTAL_NZ_C0_8: 8, _F.ACL_FORMAT_FRACTAL_NZ_C0_16: 16, _F.ACL_FORMAT_FRACTAL_NZ_C0_32: 32,
}  # fmt: skip
"""columns of a block, by format; 0 if the name of the format does not have their number"""
CARRYING: Final = (aclDataType.ACL_INT32, aclDataType.ACL_FLOAT)
"""data types whose elements may carry several elements of a narrower type"""
CARRIERS: Final = {
    4: aclDataType.ACL_INT4, 8: aclDataType.ACL_UINT8, 16: aclDataType.ACL_UINT16, 32: aclDataType.ACL_UINT32,
    64: aclDataType.ACL_UINT64,
}  # fmt: skip
"""data type as which elements are moved, by their width in bits"""


def is_nz(tensor: Tensor) -> bool:
    """True if the storage of the tensor is in FRACTAL_NZ."""
    return tensor.storage_format in C0


def is_transposed(tensor: Tensor) -> bool:
    """True if the view swaps the last two dimensions of a dense tensor. A tensor in FRACTAL_NZ ignores other
    strides."""
    rows, columns = tensor.shape[-2:]
    return tensor.strides[-2:] == (1, rows) != (columns, 1)


def block_columns(tensor: Tensor, rank: int | None = None) -> int:
    """The number of columns of a block, or 0 for the usual block of 32 bytes.

    The name of the format has the number, or else the storage shape: aclnnNpuFormatCast makes storages of INT32 or
    FLOAT for elements of a narrower type. `rank`: the number of dimensions, if it is not that of the view."""
    of_format, storage = C0[aclFormat(tensor.storage_format)], tensor.storage_shape
    own_rank = len(tensor.shape) if rank is None else rank
    if of_format or tensor.dtype not in CARRYING or len(storage) != own_rank + 2:
        return of_format
    return storage[-1] if storage[-2] == ROWS and storage[-1] != ROW_BITS // bits(tensor.dtype) else 0


def stored_as(tensor: Tensor) -> Stored:
    """The layout of a tensor whose storage is in FRACTAL_NZ. Its shape is that of the dense tensor behind the view."""
    *batch, rows, columns = tensor.shape
    shape = (*batch, columns, rows) if is_transposed(tensor) else tensor.shape
    return Stored(shape, tensor.dtype, block_columns(tensor))


def nz_to_nd(builder: PlanBuilder, tensor: Tensor) -> Operand:
    """A dense operand with the elements of a tensor whose storage is in FRACTAL_NZ."""
    if len(tensor.shape) < 2 or bits(tensor.dtype) not in CARRIERS:
        raise builder.failed(f"{tensor} cannot be in the format FRACTAL_NZ.")
    stored, swapped = stored_as(tensor), is_transposed(tensor)
    carrier = CARRIERS[bits(tensor.dtype)]
    blocks = builder.blocks(tensor, stored, carrier, write=False)
    dense = builder.alloc(tensor.shape, carrier)
    builder.launch(from_blocks, [blocks], [dense], moves=True, shape=stored.shape, swapped=swapped)
    return _retyped(dense, tensor.dtype)


def nd_to_nz(builder: PlanBuilder, x: Operand, out: Tensor, stored: Stored) -> None:
    """Convert a dense operand to blocks in the workspace, and copy them to the memory of a tensor. The workspace is
    needed because the operand may lie in the same memory."""
    carrier = CARRIERS[bits(x.dtype)]
    blocks = builder.alloc(stored.storage_shape, carrier)
    builder.launch(to_blocks, [_retyped(x, carrier)], [blocks], moves=True, columns=stored.columns)
    builder.launch(moved, [blocks], [builder.blocks(out, stored, carrier, write=True)], moves=True)


def to_blocks(x: Array, *, columns: int) -> Array:
    """ND to FRACTAL_NZ; the padding is zero."""
    *batch, r, c = x.shape
    across, down = -(-c // columns), -(-r // ROWS)
    padded: Array = np.zeros((*batch, down * ROWS, across * columns), x.dtype)
    padded[..., :r, :c] = x
    return np.moveaxis(padded.reshape(*batch, down, ROWS, across, columns), -2, -4)


def from_blocks(blocks: Array, *, shape: tuple[int, ...], swapped: bool = False) -> Array:
    """FRACTAL_NZ to ND. `shape` has no padding. With `swapped` the last two dimensions of the result are swapped."""
    *batch, across, down, rows, columns = blocks.shape
    padded = np.moveaxis(blocks, -4, -2).reshape(*batch, down * rows, across * columns)
    dense: Array = padded[..., : shape[-2], : shape[-1]]
    return np.swapaxes(dense, -1, -2) if swapped else dense


def moved(blocks: Array) -> Any:
    """The blocks, unchanged."""
    return blocks


def _retyped(x: Operand, dtype: int) -> Operand:
    """An operand of a data type of the same width."""
    return Operand(x.shape, dtype, row_major(x.shape), x.offset, x.memory)
