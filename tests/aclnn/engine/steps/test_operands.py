"""Views of an operand: they are what numpy's indexing gives."""

from __future__ import annotations

import numpy as np
import pytest

from acl_runtime.headers.enums import aclDataType
from aclnn.engine.operand import Operand
from aclnn.engine.workspace import Intermediate

STORAGE = np.arange(200)
WHOLE = Operand((3, 4, 5), aclDataType.ACL_INT64, (40, 10, 2), 7, Intermediate(1600))


def elements(x: Operand) -> np.ndarray:
    return np.lib.stride_tricks.as_strided(STORAGE[x.offset :], x.shape, [8 * each for each in x.strides])


ARRAY = elements(WHOLE)
VIEWS = {
    "a part": (WHOLE.part(slice(1, 3), slice(None), slice(-2, None)), ARRAY[1:3, :, -2:]),
    "a part that ends behind the dimension": (WHOLE.part(slice(2, 9)), ARRAY[2:9]),
    "a part without elements": (WHOLE.part(slice(2, 1)), ARRAY[2:1]),
    "along a dimension": (WHOLE.along(1, slice(1, 3)), ARRAY[:, 1:3]),
    "at a place of the first dimension": (WHOLE.at(0, 2), ARRAY[2]),
    "at a place of the last dimension": (WHOLE.at(-1, 3), ARRAY[..., 3]),
    "a part of a part": (WHOLE.part(slice(1, 3)).along(2, slice(2, 4)).at(1, 1), ARRAY[1:3, 1, 2:4]),
}


@pytest.mark.parametrize(("view", "expected"), VIEWS.values(), ids=VIEWS)
def test_a_view(view: Operand, expected: np.ndarray) -> None:
    assert view.shape == expected.shape
    assert np.array_equal(elements(view), expected)
    assert (view.memory, view.dtype) == (WHOLE.memory, WHOLE.dtype)
