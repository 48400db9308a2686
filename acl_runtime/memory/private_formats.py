"""Memory in the private format FRACTAL_NZ: the positions of the elements.

A matrix of R rows and C columns in FRACTAL_NZ is cut into blocks of 16 rows and C0 columns; C0 elements have 32 bytes.
The last two dimensions of a tensor become four: `nz[..., j, i, r, c] = x[..., i * 16 + r, j * C0 + c]`. The padding is
zero.
"""

from math import prod
from typing import Final, NamedTuple

from acl_runtime.headers.dtype_names import bits
from acl_runtime.headers.dtypes import nbytes
from acl_runtime.headers.enums import aclFormat
from acl_runtime.text import Text

ROWS: Final = 16
"""rows of a block"""
ROW_BITS: Final = 256
"""bits in a row of a block, except in formats that name C0"""
NZ: Final = aclFormat.ACL_FORMAT_FRACTAL_NZ


def up(size: int, unit: int) -> int:
    """The number of units that `size` takes."""
    return -(-size // unit)


class Stored(NamedTuple):
    """A tensor in FRACTAL_NZ."""

    shape: tuple[int, ...]
    """the shape of the elements, without padding; at least two dimensions"""
    dtype: int
    c0: int = 0
    """columns of a block in a format that names them, such as FRACTAL_NZ_C0_16; 0: as many as fit into 32 bytes"""

    @property
    def columns(self) -> int:
        """C0: the columns of a block."""
        return self.c0 or ROW_BITS // bits(self.dtype)

    @property
    def blocks(self) -> tuple[int, int]:
        """The blocks of one matrix: along its columns, and along its rows."""
        return up(self.shape[-1], self.columns), up(self.shape[-2], ROWS)

    @property
    def storage_shape(self) -> tuple[int, ...]:
        """The shape in memory, padding included."""
        return (*self.shape[:-2], *self.blocks, ROWS, self.columns)

    @property
    def matrix_bytes(self) -> int:
        """Bytes of one matrix, padding included."""
        return prod(self.blocks) * ROWS * self.columns * bits(self.dtype) // 8

    @property
    def nbytes(self) -> int:
        """Bytes of all matrices, padding included."""
        return prod(self.shape[:-2]) * self.matrix_bytes

    def __str__(self) -> str:
        return Text("FRACTAL_NZ of {shape}", shape=list(self.shape))


class Padded(NamedTuple):
    """A tensor in another private format, of which the checks use only the size."""

    storage_shape: tuple[int, ...]
    """the shape in memory, padding included"""
    dtype: int

    @property
    def nbytes(self) -> int:
        """Bytes of the memory."""
        return nbytes(prod(self.storage_shape), self.dtype)
