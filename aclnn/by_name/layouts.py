"""The private formats of images: NC1HWC0, and FRACTAL_Z of weights. Their elements, from and to the order NCHW.

C0 channels lie together: those that 32 bytes hold. A tensor [N, C, H, W] is [N, C1, H, W, C0] in NC1HWC0. In FRACTAL_Z
it is [C1 H W, N1, 16, C0]. The padding is zero.
"""

from typing import Final

import numpy as np

from acl_runtime.headers.dtypes import Array
from acl_runtime.headers.enums import aclFormat
from acl_runtime.memory.private_formats import ROWS
from aclnn.engine.arguments import Shape

FRACTAL_Z: Final = aclFormat.ACL_FORMAT_FRACTAL_Z
LAID_OUT: Final = (aclFormat.ACL_FORMAT_NC1HWC0, FRACTAL_Z)
RANK: Final = 4
"""dimensions of an image"""


def storage(form: int, shape: Shape, columns: int) -> Shape:
    """The shape of the memory of a tensor [N, C, H, W]."""
    n, c, h, w = shape
    blocks = -(-c // columns)
    return (blocks * h * w, -(-n // ROWS), ROWS, columns) if form == FRACTAL_Z else (n, blocks, h, w, columns)


def from_layout(x: Array, *, form: int, shape: Shape) -> Array:
    """The elements in the order of the shape."""
    n, c, h, w = shape
    if form == FRACTAL_Z:
        parted: Array = np.transpose(x.reshape(-1, h, w, x.shape[1] * ROWS, x.shape[-1]), (3, 0, 4, 1, 2))
    else:
        parted = np.transpose(x, (0, 1, 4, 2, 3))
    return parted.reshape(parted.shape[0], -1, h, w)[:n, :c]


def to_layout(x: Array, *, form: int, columns: int) -> Array:
    """The elements in the order of the format."""
    n, c, h, w = x.shape
    blocks = -(-c // columns)
    rows = -(-n // ROWS) * ROWS if form == FRACTAL_Z else n
    padded: Array = np.zeros((rows, blocks * columns, h, w), x.dtype)
    padded[:n, :c] = x
    parted: Array = padded.reshape(rows, blocks, columns, h, w)
    if form == FRACTAL_Z:
        turned: Array = np.transpose(parted, (1, 3, 4, 0, 2))
        return turned.reshape(blocks * h * w, -1, ROWS, columns)
    return np.transpose(parted, (0, 1, 3, 4, 2))
