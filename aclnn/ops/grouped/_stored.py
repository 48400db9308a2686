"""Weights of products whose storage is in FRACTAL_NZ. Their view may have the dimensions of the storage."""

from math import prod

from aclnn.op import (
    Arguments, Bad, Operand, Planning, Shape, Stored, Tensor, format_name, from_blocks, is_nz, nz_to_nd,
)  # fmt: skip

BLOCKED = 2
"""dimensions that the storage has beyond those of the matrices"""


def spread(tensor: Tensor, rank: int) -> bool:
    """True if a weight of matrices with `rank` dimensions has the dimensions of its storage."""
    return len(tensor.shape) == rank + BLOCKED


def wrong_storage(a: Arguments, name: str, shape: Shape) -> Bad:
    """Checks that a weight of this shape is in FRACTAL_NZ, whatever its view is."""
    tensor, expected = a[name], Stored(shape, a.dtype(name)).storage_shape
    if spread(tensor, len(shape)):
        return None if tensor.shape == expected else (list(tensor.shape), list(expected))
    if not is_nz(tensor):
        return format_name(tensor.storage_format), "FRACTAL_NZ"
    stored = tensor.storage_shape
    good = tensor.shape == shape and (stored == expected or prod(stored) == prod(expected))
    return None if good else (list(stored), list(expected))


def dense(p: Planning, name: str, shape: Shape) -> Operand:
    """A weight of this shape as a dense operand: from its storage, or as a view of its memory."""
    tensor = p[name]
    if spread(tensor, len(shape)):
        layout = Stored(shape, tensor.dtype)
        blocks = p.builder.blocks(tensor, layout, tensor.dtype, write=False)
        return p.step(from_blocks, [blocks], shape, tensor.dtype, moves=True, shape=layout.shape)
    return nz_to_nd(p.builder, tensor) if is_nz(tensor) else p.builder.view(tensor)
