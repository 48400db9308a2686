"""Triangles of matrices, by the compiled evaluator."""

import numpy as np

from acl_runtime.headers.dtypes import Array
from aclnn.engine.fast.native.library import evaluator
from aclnn.engine.fast.native.triangles import copy_triangles
from aclnn.engine.fast.native_calls import by_evaluator


def triangle_copied(x: Array, left: Array, out: Array, *, upper: bool) -> bool:
    """Copy the first left[r] elements of each row r of x to `out`, and set the others to 0. With `upper` the others are
    copied, and the first are 0. `out` may be the memory of x. Returns False if nothing is done."""
    matrices, target = (array.reshape(-1, *array.shape[-2:]) for array in (x, out))
    if not out.size or not np.may_share_memory(target, out):
        return False
    return by_evaluator(evaluator(), lambda library, threads: copy_triangles(
        library, matrices, left.reshape(-1), target, upper=upper, threads=threads))  # fmt: skip
