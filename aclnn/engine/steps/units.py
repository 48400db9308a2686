"""The status of a task whose kernel failed. It depends on the unit of the kernel: AI core, vector core or AI CPU."""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from acl_runtime.errors import DeviceFault
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_RT_AICORE_EXCEPTION,
    ACL_ERROR_RT_AICPU_EXCEPTION,
    ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
)
from acl_runtime.objects.soc import NEWER, Series, Soc
from aclnn.catalogue.index import lines
from aclnn.engine.device_view import Bound

CUBE: Final = frozenset({
    "nn_matmul", "nn_conv", "transformer_attention", "transformer_ffn", "transformer_gmm", "transformer_mc2",
})  # fmt: skip
"""categories of matrix products, convolutions and attention"""
ON_AI_CPU: Final = (np.dtype(np.float64), np.dtype(np.complex64), np.dtype(np.complex128))
"""data types that only the AI CPU computes (public)"""
RESULTS_ON_AI_CPU: Final = {
    "aclnnIndex": (np.dtype(np.int16),),
    "aclnnIndexAdd": tuple(map(np.dtype, ("int8", "uint8", "int64", "bool"))),
}
"""further data types of results that only the AI CPU computes on A2 and A3, by operator (public)"""


class KernelFault(DeviceFault):
    """The fault of a kernel that cannot use the values of a tensor. `located` sets the operator's status."""

    def __init__(self, text: str) -> None:
        super().__init__(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, Item("EZ2001", (text,)))


def located(fault: DeviceFault, operator: str, soc: Soc, steps: Sequence[Bound]) -> DeviceFault:
    """The fault of a launch with these steps, with the status of the unit."""
    if isinstance(fault, KernelFault):
        dtypes = (access.dtype for step in steps for access in (*step.inputs, *step.outputs))
        result = steps[-1].outputs[0].dtype if steps[-1].outputs else None
        fault.status = fault.runtime = status(operator, soc, dtypes, result)
    return fault


def status(operator: str, soc: Soc, dtypes: Iterable[np.dtype], result: np.dtype | None = None) -> int:
    """The status: 507015 (AI core) on products before A2, and for matrix products, convolutions and attention; 507018
    (AI CPU); 507035 (vector core) otherwise."""
    if soc.series not in NEWER:
        return ACL_ERROR_RT_AICORE_EXCEPTION
    by_result = soc.series is not Series.A950 and result in RESULTS_ON_AI_CPU.get(operator, ())
    if by_result or any(dtype in ON_AI_CPU for dtype in dtypes):
        return ACL_ERROR_RT_AICPU_EXCEPTION
    category = lines()[operator][0] if operator in lines() else ""
    return ACL_ERROR_RT_AICORE_EXCEPTION if category in CUBE else ACL_ERROR_RT_VECTOR_CORE_EXCEPTION
