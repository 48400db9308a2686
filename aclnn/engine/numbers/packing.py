"""Elements of four bits: two in a byte, the even one in the low four bits."""

from typing import cast

import numpy as np

from acl_runtime.headers.dtypes import Array


def unpack_int4(packed: Array) -> Array:
    """The elements, from -8 to 7, as int8: two of each byte."""
    pairs = packed.view(np.int8)
    both: Array = np.empty((pairs.size, 2), np.int8)
    np.right_shift(np.left_shift(pairs, 4), 4, out=both[:, 0])
    np.right_shift(pairs, 4, out=both[:, 1])
    return both.reshape(-1)


def pack_int4(values: Array) -> Array:
    """The bytes of an even number of elements, of which the low four bits count."""
    pairs = values.reshape(-1, 2).view(np.uint8)
    return cast("Array", (pairs[:, 0] & 15) | (pairs[:, 1] << 4))
