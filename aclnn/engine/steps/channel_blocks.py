"""The private formats of images: NC1HWC0 and NDC1HWC0, and for weights FRACTAL_Z and FRACTAL_Z_3D.

A block has C0 channels. A tensor [N, C, D, H, W] is [N, D, C1, H, W, C0] in NDC1HWC0, and [D C1 H W, N1, 16, C0] in
FRACTAL_Z_3D. NC1HWC0 and FRACTAL_Z are the same formats without D. The padding is zero. A tensor of fewer dimensions is
one image: [C, H] or [C, H, W].
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array, Shape
from acl_runtime.headers.enums import aclFormat
from acl_runtime.memory.private_formats import ROWS, up

_F = aclFormat
STORED_RANKS: Final[Mapping[int, int]] = {
    _F.ACL_FORMAT_NC1HWC0: 5, _F.ACL_FORMAT_FRACTAL_Z: 4, _F.ACL_FORMAT_NDC1HWC0: 6, _F.ACL_FRACTAL_Z_3D: 4,
}  # fmt: skip
"""number of dimensions of the memory, by format"""
WEIGHTS: Final = (_F.ACL_FORMAT_FRACTAL_Z, _F.ACL_FRACTAL_Z_3D)
DEEP: Final = (_F.ACL_FORMAT_NDC1HWC0, _F.ACL_FRACTAL_Z_3D)
ORDERS: Final[Mapping[int, str]] = {
    _F.ACL_FORMAT_NCHW: "NCHW", _F.ACL_FORMAT_NHWC: "NHWC", _F.ACL_FORMAT_HWCN: "HWCN", _F.ACL_FORMAT_NCDHW: "NCDHW",
    _F.ACL_FORMAT_NDHWC: "NDHWC",
}  # fmt: skip
"""names of the dimensions, by base format"""
ORDER: Final = "NCDHW"
"""order of the dimensions in the kernels"""


def storage(form: int, shape: Shape, order: str, columns: int) -> Shape:
    """The shape of the memory of a tensor. `order` has the names of its dimensions, `columns` is C0."""
    n, c, d, h, w = _sizes(shape, order)
    c1 = up(c, columns)
    if form in WEIGHTS:
        return d * c1 * h * w, up(n, ROWS), ROWS, columns
    return (n, *((d,) if form == _F.ACL_FORMAT_NDC1HWC0 else ()), c1, h, w, columns)


def from_channel_blocks(x: Array, *, form: int, shape: Shape, order: str) -> Array:
    """The elements in the order of the shape."""
    n, c, d, h, w = _sizes(shape, order)
    if form in WEIGHTS:
        blocks: Array = np.transpose(x.reshape(d, -1, h, w, x.shape[1] * ROWS, x.shape[-1]), (4, 1, 5, 0, 2, 3))
    else:
        blocks = np.transpose(x.reshape(n, d, -1, h, w, x.shape[-1]), (0, 2, 5, 1, 3, 4))
    unpadded = blocks.reshape(blocks.shape[0], -1, d, h, w)[:n, :c]
    return np.transpose(unpadded, _axes(order)).reshape(shape)


def to_channel_blocks(x: Array, *, form: int, order: str, columns: int) -> Array:
    """The elements in the order of the format."""
    sizes = _sizes(x.shape, order)
    n, c, d, h, w = sizes
    blocks, rows = up(c, columns), up(n, ROWS) * ROWS if form in WEIGHTS else n
    axes = _axes(order)
    padded: Array = np.zeros((rows, blocks * columns, d, h, w), x.dtype)
    padded[:n, :c] = np.transpose(x.reshape([sizes[axis] for axis in axes]), np.argsort(axes))
    in_blocks: Array = padded.reshape(rows, blocks, columns, d, h, w)
    stored = np.transpose(in_blocks, (3, 1, 4, 5, 0, 2) if form in WEIGHTS else (0, 3, 1, 4, 5, 2))
    return stored.reshape(storage(form, x.shape, order, columns))


def _sizes(shape: Shape, order: str) -> tuple[int, ...]:
    """The sizes of N, C, D, H and W."""
    missing = len(order) - len(shape)
    padded = (1, *shape, *(1,) * (missing - 1)) if missing else shape
    size = {"D": 1, **dict(zip(order, padded, strict=True))}
    return tuple(size[name] for name in ORDER)


def _axes(order: str) -> tuple[int, ...]:
    """The axes of N, C, D, H and W in the order of a tensor. A missing axis D comes first."""
    names = order if "D" in order else f"D{order}"
    return tuple(ORDER.index(name) for name in names)
