"""The data types and reductions of each product."""

from functools import cache
from typing import Final

from acl_runtime.api.hccl.checks import refuse
from acl_runtime.collective.requests import REDUCTIONS, type_name
from acl_runtime.headers.hccl import HcclDataType, HcclReduceOp, HcclResult
from acl_runtime.machine.current import current
from acl_runtime.objects.soc import NEWER, Series

T = HcclDataType
R = HcclReduceOp
SCATTERS: Final = "HcclReduceScatterV"
MOVED: Final = frozenset({
    T.HCCL_DATA_TYPE_INT8, T.HCCL_DATA_TYPE_UINT8, T.HCCL_DATA_TYPE_INT16, T.HCCL_DATA_TYPE_UINT16,
    T.HCCL_DATA_TYPE_INT32, T.HCCL_DATA_TYPE_UINT32, T.HCCL_DATA_TYPE_INT64, T.HCCL_DATA_TYPE_UINT64,
    T.HCCL_DATA_TYPE_FP16, T.HCCL_DATA_TYPE_FP32, T.HCCL_DATA_TYPE_FP64,
})  # fmt: skip
"""data types that every product moves"""
SMALL_FLOATS: Final = frozenset({
    T.HCCL_DATA_TYPE_HIF8, T.HCCL_DATA_TYPE_FP8E4M3, T.HCCL_DATA_TYPE_FP8E5M2, T.HCCL_DATA_TYPE_FP8E8M0,
})  # fmt: skip
INFERENCE: Final = frozenset({
    T.HCCL_DATA_TYPE_INT8, T.HCCL_DATA_TYPE_INT16, T.HCCL_DATA_TYPE_INT32, T.HCCL_DATA_TYPE_FP16,
    T.HCCL_DATA_TYPE_FP32,
})  # fmt: skip
A2: Final = INFERENCE | {T.HCCL_DATA_TYPE_INT64, T.HCCL_DATA_TYPE_BFP16}
REDUCED: Final = {
    Series.A2: A2,
    Series.A3: A2,
    Series.A950: A2 | {T.HCCL_DATA_TYPE_UINT64, T.HCCL_DATA_TYPE_FP64},
    Series.TRAINING: INFERENCE - {T.HCCL_DATA_TYPE_INT16} | {T.HCCL_DATA_TYPE_INT64},
    Series.INFERENCE: INFERENCE,
    Series.A200I_500_A2: INFERENCE,
}
"""data types that each product reduces. Our decision: 310B has those of the inference series"""
NO_PRODUCT: Final = frozenset({T.HCCL_DATA_TYPE_INT16, T.HCCL_DATA_TYPE_BFP16})


def moved(series: Series) -> frozenset[HcclDataType]:
    """The data types that a product moves."""
    types = MOVED | {T.HCCL_DATA_TYPE_BFP16} if series in NEWER else MOVED
    return types | SMALL_FLOATS if series is Series.A950 else types


def reduced(series: Series, function: str) -> frozenset[HcclDataType]:
    """The data types that a function reduces on a product."""
    types = REDUCED[series]
    return types - {T.HCCL_DATA_TYPE_INT64} if function == SCATTERS and series is Series.A2 else types


def joins(series: Series, function: str, dtype: int, op: int) -> bool:
    """True if a function has this reduction for the data type."""
    if series in (Series.INFERENCE, Series.A200I_500_A2):
        return op == R.HCCL_REDUCE_SUM or (dtype != T.HCCL_DATA_TYPE_INT16 and function != SCATTERS)
    if op != R.HCCL_REDUCE_PROD:
        return True
    return dtype not in NO_PRODUCT and not (function == SCATTERS and series in (Series.A2, Series.A3))


def check_moved(dtype: int, parameter: str = "dataType") -> None:
    """Refuse a data type that the product does not move."""
    types = moved(current().soc.series)
    if dtype not in types:
        raise _refuse_type(dtype, parameter, types)


@cache
def _has(series: Series, function: str, dtype: int, op: int) -> bool:
    """True if a function has this reduction for the data type on a product."""
    return dtype in reduced(series, function) and op in REDUCTIONS and joins(series, function, dtype, op)


def check_reduced(dtype: int, op: int) -> None:
    """Refuse a data type, a reduction, or a pair of them that the product does not have, in this order."""
    machine = current()
    series, function = machine.soc.series, machine.thread().call
    if _has(series, function, dtype, op):
        return
    types = reduced(series, function)
    if dtype not in types:
        raise _refuse_type(dtype, "dataType", types)
    if op not in REDUCTIONS:
        raise refuse(op, "op", "HCCL_REDUCE_SUM, PROD, MAX or MIN", HcclResult.HCCL_E_NOT_SUPPORT)
    expected = f"a reduction that {machine.soc.label} has for {type_name(dtype)}"
    raise refuse(HcclReduceOp(op).name, "op", expected, HcclResult.HCCL_E_NOT_SUPPORT)


def _refuse_type(dtype: int, parameter: str, types: frozenset[HcclDataType]) -> Exception:
    expected = "one of " + ", ".join(type_name(each) for each in sorted(types))
    return refuse(type_name(dtype), parameter, expected, HcclResult.HCCL_E_NOT_SUPPORT)
