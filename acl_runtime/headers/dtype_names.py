"""The name in numpy, the size and the printed name of each aclDataType, and the names of formats.

Nothing here imports numpy, so that `aclnn explain` starts fast."""

from typing import Final

from acl_runtime.headers.enums import aclDataType, aclFormat

_T = aclDataType
NUMPY: Final = {
    _T.ACL_FLOAT: "float32", _T.ACL_FLOAT16: "float16", _T.ACL_INT8: "int8", _T.ACL_INT32: "int32",
    _T.ACL_UINT8: "uint8", _T.ACL_INT16: "int16", _T.ACL_UINT16: "uint16", _T.ACL_UINT32: "uint32",
    _T.ACL_INT64: "int64", _T.ACL_UINT64: "uint64", _T.ACL_DOUBLE: "float64", _T.ACL_BOOL: "bool",
    _T.ACL_COMPLEX64: "complex64", _T.ACL_COMPLEX128: "complex128",
}  # fmt: skip
"""names of the types of numpy"""
ML_DTYPES: Final = {
    _T.ACL_BF16: "bfloat16", _T.ACL_FLOAT8_E5M2: "float8_e5m2", _T.ACL_FLOAT8_E4M3FN: "float8_e4m3fn",
    _T.ACL_FLOAT8_E8M0: "float8_e8m0fnu",
}  # fmt: skip
"""names of the types of ml_dtypes"""
_PRINTED: Final = {_T.ACL_DT_UNDEFINED: "DT_UNDEFINED", _T.ACL_BF16: "DT_BFLOAT16"}


class _Sizes(dict[int, int]):
    def __missing__(self, data_type: int) -> int:
        return 128


bits: Final = _Sizes({
    _T.ACL_BOOL: 8, _T.ACL_INT8: 8, _T.ACL_UINT8: 8, _T.ACL_INT16: 16, _T.ACL_UINT16: 16, _T.ACL_INT32: 32,
    _T.ACL_UINT32: 32, _T.ACL_INT64: 64, _T.ACL_UINT64: 64, _T.ACL_FLOAT16: 16, _T.ACL_BF16: 16, _T.ACL_FLOAT: 32,
    _T.ACL_DOUBLE: 64, _T.ACL_COMPLEX64: 64, _T.ACL_COMPLEX128: 128, _T.ACL_FLOAT8_E5M2: 8, _T.ACL_FLOAT8_E4M3FN: 8,
    _T.ACL_FLOAT8_E8M0: 8, _T.ACL_UINT1: 1, _T.ACL_INT4: 4, _T.ACL_FLOAT6_E3M2: 6, _T.ACL_FLOAT6_E2M3: 6,
    _T.ACL_FLOAT4_E2M1: 4, _T.ACL_FLOAT4_E1M2: 4, _T.ACL_COMPLEX32: 32, _T.ACL_HIFLOAT8: 8, _T.ACL_STRING: 128,
}).__getitem__  # fmt: skip
"""bits of one element of a data type; "Unknown dtype counts 16 bytes" """


def numpy_name(data_type: int) -> str | None:
    """The name of the type of the elements in numpy or ml_dtypes; None if neither has one."""
    member = aclDataType(data_type)
    return NUMPY.get(member) or ML_DTYPES.get(member)


def dtype_name(data_type: int) -> str:
    """The name of a data type in error texts, such as DT_FLOAT or DT_FLOAT16."""
    try:
        member = aclDataType(data_type)
    except ValueError:
        return f"unknown data type {data_type}"
    return _PRINTED.get(member) or "DT_" + member.name.removeprefix("ACL_")


def plain_name(data_type: int) -> str:
    """The name of a data type without DT_, such as FLOAT16."""
    return dtype_name(data_type).removeprefix("DT_")


def format_name(format: int) -> str:
    """The name of a format, such as NCHW, ND, FRACTAL_NZ."""
    try:
        return aclFormat(format).name.removeprefix("ACL_FORMAT_").removeprefix("ACL_")
    except ValueError:
        return f"unknown format {format}"
