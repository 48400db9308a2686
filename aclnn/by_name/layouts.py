"""The private formats of images: NC1HWC0, and FRACTAL_Z of weights. Their elements, from and to the order NCHW.

C0 channels lie together. A tensor [N, C, H, W] is [N, C1, H, W, C0] in NC1HWC0. In FRACTAL_Z it is
[C1 H W, N1, 16, C0]. The padding is zero. A tensor of fewer dimensions is one image: [C, H] or [C, H, W].
"""

from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclFormat
from acl_runtime.memory.private_formats import ROWS
from aclnn.engine.arguments import Shape

FRACTAL_Z: Final = aclFormat.ACL_FORMAT_FRACTAL_Z
STORED_RANKS: Final = {aclFormat.ACL_FORMAT_NC1HWC0: 5, FRACTAL_Z: 4}
"""by format: the number of dimensions of the memory"""
RANK: Final = 4
"""dimensions of an image"""


def image(shape: Shape) -> Shape:
    """The shape of a tensor as N, C, H, W."""
    return shape if len(shape) == RANK else (1, *shape, *(1,) * (RANK - 1 - len(shape)))


def storage(form: int, shape: Shape, columns: int) -> Shape:
    """The shape of the memory of a tensor."""
    n, c, h, w = image(shape)
    blocks = -(-c // columns)
    return (blocks * h * w, -(-n // ROWS), ROWS, columns) if form == FRACTAL_Z else (n, blocks, h, w, columns)


def from_layout(x: Array, *, form: int, shape: Shape) -> Array:
    """The elements in the order of the shape."""
    n, c, h, w = image(shape)
    if form == FRACTAL_Z:
        parted: Array = np.transpose(x.reshape(-1, h, w, x.shape[1] * ROWS, x.shape[-1]), (3, 0, 4, 1, 2))
    else:
        parted = np.transpose(x, (0, 1, 4, 2, 3))
    return parted.reshape(parted.shape[0], -1, h, w)[:n, :c].reshape(shape)


def to_layout(x: Array, *, form: int, columns: int) -> Array:
    """The elements in the order of the format."""
    n, c, h, w = image(x.shape)
    blocks = -(-c // columns)
    rows = -(-n // ROWS) * ROWS if form == FRACTAL_Z else n
    padded: Array = np.zeros((rows, blocks * columns, h, w), x.dtype)
    padded[:n, :c] = x.reshape(n, c, h, w)
    parted: Array = padded.reshape(rows, blocks, columns, h, w)
    if form == FRACTAL_Z:
        turned: Array = np.transpose(parted, (1, 3, 4, 0, 2))
        return turned.reshape(blocks * h * w, -1, ROWS, columns)
    return np.transpose(parted, (0, 1, 3, 4, 2))
