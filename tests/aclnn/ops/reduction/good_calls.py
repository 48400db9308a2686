"""Good calls that a search does not find, and checks that it does not reach: see `tests.aclnn.ops.good_calls`."""

from acl_runtime import *
from acl_runtime.objects.soc import Series
from tests.aclnn.ops.case import Meta
from tests.derived.values import Values

ONE_LEFT = {"self": Meta((1, 4)), "dim": Values((1,)), "correction": 1, "keepdim": False}
"""one element is left: so dim may be null, as then the shape of the result is not checked"""
GOOD = {
    "aclnnCdistBackward": {
        "grad": Meta((2, 3, 4)),
        "x1": Meta((2, 3, 5)),
        "x2": Meta((2, 4, 5)),
        "cdist": Meta((2, 3, 4)),
        "p": 2.0,
        "out": Meta((2, 3, 5)),
    },
    "aclnnStd": {**ONE_LEFT, "out": Meta((1,))},
    "aclnnStdMeanCorrection": {**ONE_LEFT, "stdOut": Meta((1,)), "meanOut": Meta((1,))},
}
UNREACHED = {
    ("aclnnCdistBackward", "if out is empty the checks end here (workspace 0, nothing is written)"): "test_no_rows",
    ("aclnnAminmax", "self has elements, if dim has not one entry"): "test_an_empty_self_of_aminmax_has_one_dim",
    ("aclnnLogSumExp", f"the format of self is not a private one (only on {Series.A950.value})"): (
        "test_a_private_format_is_refused_on_950_only"
    ),
    **{
        ("aclnnNorm", f"the data type of {name} is one that its product supports (only on {Series.A950.value})"): (
            "test_data_types_of_norms_by_product"
        )
        for name in ("self", "out")
    },
    ("aclnnLinalgVectorNorm", "the data type of out is real"): "test_no_complex_result",
}
