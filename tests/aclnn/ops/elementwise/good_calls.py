"""Checks and data types that a search does not reach: see `tests.aclnn.ops.good_calls`."""

from acl_runtime.objects.soc import Series

NEWEST = f"only on {Series.A950.value}"
STRETCHED = "it broadcasts into selfRef, which has at most 8"
UNREACHED = {
    **{
        (
            f"aclnn{name}",
            "if out is empty the checks end here (workspace 0, nothing is written)",
        ): "test_lists_without_elements_need_no_work"
        for name in ("AddN", "Sum", "MaxN", "MinN")
    },
    **{
        (f"aclnnInplace{name}", "other has at most 8 dimensions"): STRETCHED
        for name in ("Add", "AddRelu", "Div", "DivMod", "FloorDivide", "RemainderTensorTensor")
    },
    ("aclnnMuls", f"self and other promote to one data type ({NEWEST})"): "test_a_scalar_without_a_common_type_on_950",
    ("aclnnInplaceMuls", f"selfRef and other promote to one data type ({NEWEST})"): "as aclnnMuls",
    **{
        (f"aclnn{name}PowTensorScalar", sentence): test
        for name in ("", "Inplace")
        for sentence, test in (
            ("self and exponent are not both BOOL", "test_bool_to_the_power_of_bool"),
            (f"exponent is an integer that self can be raised to ({NEWEST})", "test_exponents_on_950"),
        )
    },
    ("aclnnPowScalarTensor", "self and exponent are not both BOOL"): "test_bool_to_the_power_of_bool",
    **{
        (f"aclnn{name}", "at least one limit of self is not null"): "test_one_limit_is_needed"
        for name in ("Clamp", "ClampTensor")
    },
    **{
        (f"aclnn{name}", f"self and the limits promote to a type of out ({NEWEST})"): "test_types_of_limits_on_950"
        for name in ("Clamp", "ClampMin", "ClampMax")
    },
    ("aclnnInplaceClampMax", f"selfRef and the limits promote to a type of selfRef ({NEWEST})"): (
        "test_types_of_limits_on_950"
    ),
    **{
        (f"aclnn{kind}{name}", f"{operands} have at most 8 dimensions if one has gaps"): "test_nine_dimensions"
        for kind in ("", "Inplace")
        for name, operands in (
            ("Lerp", "selfRef and end and weight" if kind else "self and end and weight and out"),
            ("Lerps", "selfRef and end" if kind else "self and end and out"),
        )
    },
    **{
        (f"aclnn{name}", f"{sentence} ({NEWEST})"): "test_formats_on_950"
        for name in ("LogAddExp", "LogAddExp2")
        for sentence in (
            "other has the format of self",
            "out has the format of self",
            "the format of self is not a private one",
        )
    },
    ("aclnnInplaceDivMods", "selfRef and other are real unless mode is 0"): "test_complex_quotients_are_not_rounded",
}
INTEGERS = ("ACL_INT8", "ACL_INT16", "ACL_INT32", "ACL_INT64", "ACL_UINT8", "ACL_BOOL")
NO_QUOTIENT = "on Ascend 950 integers cannot hold a quotient"
INTO_INTEGERS = "test_powers_into_any_integer"
UNTYPED = {
    **{
        ("aclnnComplex", "out", dtype): "test_parts_of_complex_numbers: real and imag have its parts' data type"
        for dtype in ("ACL_COMPLEX32", "ACL_COMPLEX128")
    },
    **{
        (f"aclnnPow{name}", "out", f"ACL_{dtype}"): INTO_INTEGERS
        for name in ("TensorTensor", "TensorScalar", "ScalarTensor")
        for dtype in ("UINT16", "UINT32", "UINT64")
    },
    **{
        (f"aclnn{name}", parameter, "ACL_BOOL"): "no power is BOOL"
        for name, parameter in (
            ("PowTensorTensor", "out"),
            ("PowTensorScalar", "out"),
            ("InplacePowTensorTensor", "self"),
            ("InplacePowTensorScalar", "self"),
        )
    },
    **{("aclnnInplaceXLogYScalarOther", "selfRef", dtype): "the result is no integer" for dtype in INTEGERS},
    ("aclnnTrunc", "out", "ACL_BF16"): "the facts list it on inference products, where self cannot have it",
    **{(f"aclnnInplace{name}", "selfRef", dtype): NO_QUOTIENT for name in ("Div", "Divs") for dtype in INTEGERS},
    **{
        (f"aclnn{name}", parameter, "ACL_BOOL"): "on Ascend 950 BOOL cannot hold a quotient"
        for name, parameter in (
            ("FloorDivides", "out"),
            ("InplaceFloorDivide", "selfRef"),
            ("InplaceFloorDivides", "selfRef"),
        )
    },
}
