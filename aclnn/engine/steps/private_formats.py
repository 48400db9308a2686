"""Steps between ND and FRACTAL_NZ. `acl_runtime.memory.private_formats` says where the elements lie.

    nz_to_nd   a tensor whose storage is in FRACTAL_NZ, as a dense operand
    nd_to_nz   a dense operand into the memory of a tensor, which is in FRACTAL_NZ from then on

The steps only move bits, so they take an integer type of the same width for each data type.
"""

from typing import Any, Final

import numpy as np

from acl_runtime.headers.dtypes import Array, bits
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
"""the formats of this kind, and the columns of a block where the format names them"""
CARRYING: Final = (aclDataType.ACL_INT32, aclDataType.ACL_FLOAT)
"""data types whose elements may carry several of a narrower one"""
CARRIERS: Final = {
    4: aclDataType.ACL_INT4, 8: aclDataType.ACL_UINT8, 16: aclDataType.ACL_UINT16, 32: aclDataType.ACL_UINT32,
    64: aclDataType.ACL_UINT64,
}  # fmt: skip
"""by width in bits, the data type that is moved"""


def is_nz(tensor: Tensor) -> bool:
    """Does the tensor say that its storage is in FRACTAL_NZ?"""
    return tensor.storage_format in C0


def is_transposed(tensor: Tensor) -> bool:
    """Does the view swap the last two dimensions of a dense tensor? Other strides of a tensor in FRACTAL_NZ do not
    count."""
    rows, columns = tensor.shape[-2:]
    return tensor.strides[-2:] == (1, rows) != (columns, 1)


def block_columns(tensor: Tensor, rank: int | None = None) -> int:
    """The columns of a block, where they are others than 32 bytes hold: the format names them; or the storage has them,
    as aclnnNpuFormatCast makes it of INT32 and FLOAT for a second data type. `rank`: dimensions of the elements, if not
    those of the view."""
    named, storage = C0[aclFormat(tensor.storage_format)], tensor.storage_shape
    if named or tensor.dtype not in CARRYING or len(storage) != (len(tensor.shape) if rank is None else rank) + 2:
        return named
    return storage[-1] if storage[-2] == ROWS and storage[-1] != ROW_BITS // bits(tensor.dtype) else 0


def stored_as(tensor: Tensor) -> Stored:
    """How the elements of a tensor lie whose storage is in FRACTAL_NZ: those of the dense tensor behind the view."""
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
    made = builder.alloc(tensor.shape, carrier)
    builder.launch(from_blocks, [blocks], [made], moves=True, shape=stored.shape, swapped=swapped)
    return _retyped(made, tensor.dtype)


def nd_to_nz(builder: PlanBuilder, x: Operand, out: Tensor, stored: Stored) -> None:
    """Lay out a dense operand, and bring the blocks into the memory of a tensor. They are made in the workspace, as the
    operand may lie in the same memory."""
    carrier = CARRIERS[bits(x.dtype)]
    made = builder.alloc(stored.storage_shape, carrier)
    builder.launch(to_blocks, [_retyped(x, carrier)], [made], moves=True, columns=stored.columns)
    builder.launch(moved, [made], [builder.blocks(out, stored, carrier, write=True)], moves=True)


def to_blocks(x: Array, *, columns: int) -> Array:
    """ND to FRACTAL_NZ; the padding is zero."""
    *batch, r, c = x.shape
    across, down = -(-c // columns), -(-r // ROWS)
    padded: Array = np.zeros((*batch, down * ROWS, across * columns), x.dtype)
    padded[..., :r, :c] = x
    return np.moveaxis(padded.reshape(*batch, down, ROWS, across, columns), -2, -4)


def from_blocks(blocks: Array, *, shape: tuple[int, ...], swapped: bool = False) -> Array:
    """FRACTAL_NZ to ND. `shape` has no padding; `swapped`: the result has its last two dimensions swapped."""
    *batch, across, down, rows, columns = blocks.shape
    padded = np.moveaxis(blocks, -4, -2).reshape(*batch, down * rows, across * columns)
    found: Array = padded[..., : shape[-2], : shape[-1]]
    return np.swapaxes(found, -1, -2) if swapped else found


def moved(blocks: Array) -> Any:
    """The blocks as they are."""
    return blocks


def _retyped(x: Operand, dtype: int) -> Operand:
    """An operand of a data type of the same width."""
    return Operand(x.shape, dtype, row_major(x.shape), x.offset, x.memory)
