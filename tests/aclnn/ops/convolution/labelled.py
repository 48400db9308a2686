"""Tensors with the label of their number of dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from aclnn.device_tensor import DeviceTensor, device_tensor
from aclnn.testing import run
from tests.aclnn.ops.convolution.good_calls import LABELS


def labelled(value: Any) -> DeviceTensor:
    """An array, or nested lists of FLOAT, on the device."""
    array = value if isinstance(value, np.ndarray) else np.array(value, np.float32)
    return device_tensor(array, format=LABELS[array.ndim])


def convolved(function: Any, *arguments: Any) -> Any:
    """Run an operator. Arrays of three to five dimensions get their label."""
    dims = (3, 4, 5)
    return run(function, *(labelled(x) if isinstance(x, np.ndarray) and x.ndim in dims else x for x in arguments))
