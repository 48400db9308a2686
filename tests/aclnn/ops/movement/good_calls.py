"""Good calls that a search does not find: see `tests.aclnn.ops.good_calls`."""

from __future__ import annotations

from acl_runtime import *
from tests.aclnn.ops.case import Meta
from tests.derived.values import Number, Values

ROWS = {"self": Meta((4, 3)), "out": Meta((2, 3))}
CLASSES = {"onValue": Meta((1,)), "offValue": Meta((1,)), "out": Meta((2, 3, 4))}
# (the numbers of repeats that the tests draw add up to outputSize)
GOOD = {
    "aclnnEye": {"n": 2, "m": 3, "out": Meta((2, 3))},
    "aclnnArange": {"start": Number(1), "end": Number(4), "step": Number(1), "out": Meta((3,))},
    "aclnnRange": {"start": Number(1), "end": Number(3), "step": Number(1), "out": Meta((3,))},
    "aclnnLinspace": {"start": Number(1), "end": Number(3), "steps": 5, "out": Meta((5,))},
    "aclnnLogSpace": {"start": Number(1), "end": Number(3), "steps": 5, "base": 2.0, "result": Meta((5,))},
    "aclnnOneHot": {"self": Meta((2, 3), ACL_INT64), "numClasses": 4, "axis": -1, **CLASSES},
    "aclnnSlice": ROWS | {"dim": 0, "start": 1, "end": 4, "step": 2},
    "aclnnSliceV2": ROWS | {"starts": Values((1,)), "ends": Values((4,)), "axes": Values((0,)), "steps": Values((2,))},
    "aclnnRepeatInterleave": {
        "self": Meta((2, 3)), "repeats": Meta((6,), ACL_INT64), "outputSize": 2, "out": Meta((2,)),
    },
    "aclnnRepeatInterleaveWithDim": {
        "self": Meta((2, 3)), "repeats": Meta((3,), ACL_INT64), "dim": 1, "outputSize": 2, "out": Meta((2, 2)),
    },
    "aclnnRepeatInterleaveInt": {"self": Meta((2, 3)), "repeats": 2, "outputSize": 12, "out": Meta((12,))},
    "aclnnRepeatInterleaveIntWithDim": {
        "self": Meta((2, 3)), "repeats": 2, "dim": 1, "outputSize": 6, "out": Meta((2, 6)),
    },
    "aclnnRepeatInterleaveTensor": {"repeats": Meta((6,), ACL_INT64), "outputSize": 3, "out": Meta((3,), ACL_INT64)},
    "aclnnNpuFormatCast": {
        "srcTensor": Meta((16, 32), ACL_FLOAT16, ACL_FORMAT_FRACTAL_NZ),
        "dstTensor": Meta((16, 32), ACL_FLOAT16),
    },
}  # fmt: skip
NINE = "test_nine_dimensions"
UNREACHED = {
    ("aclnnDiag", "the data type of out is real if self is empty"): "test_zeros_of_a_complex_type_are_refused",
    (
        "aclnnEye",
        "if out is empty the checks end here (workspace 0, nothing is written)",
    ): "test_a_matrix_without_rows_needs_no_work",
    ("aclnnPermute", "self has at most 8 dimensions"): NINE,
    ("aclnnExpand", "self has at most 8 dimensions"): NINE,
    ("aclnnExpand", "out has at most 8 dimensions"): NINE,
    (
        "aclnnExpand",
        "if self or out is empty the checks end here (workspace 0, nothing is written)",
    ): "test_an_empty_tensor_is_not_expanded",
    ("aclnnRepeat", "self has at most 8 dimensions"): NINE,
    ("aclnnRepeat", "repeats has at most 8 numbers"): NINE,
    ("aclnnNpuFormatCast", "srcTensor is contiguous"): "test_a_cast_takes_contiguous_tensors",
    ("aclnnNpuFormatCast", "dstTensor is contiguous"): "test_a_cast_takes_contiguous_tensors",
}
LAID_OUT = {
    "aclnnTransMatmulWeight": "its weight takes more memory than its view",
    "aclnnNpuFormatCast": "the storage of its tensors has other dimensions than their views",
}
UNTYPED = {("aclnnNpuFormatCast", "srcTensor", "ACL_FLOAT4_E1M2"): "dstTensor does not list it"}
