"""A declaration that is wrong says what is wrong when its module is imported, or its help is asked for."""

from __future__ import annotations

from typing import Any

import pytest

import acl_runtime.abi.c as c
from acl_runtime.abi.function import value_of
from acl_runtime.boundary import acl_api
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID

HCCL_E_PARA = 1


@pytest.mark.parametrize(
    ("annotations", "named"),
    [
        ({"size": c.size_t}, "return"),
        ({"return": c.aclError}, "size"),
        ({"size": int, "return": c.aclError}, "size"),
        ({}, "size, return"),
    ],
)
def test_an_annotation_that_is_no_c_type_is_named(annotations: dict[str, Any], named: str) -> None:
    def aclrtMine(size):  # type: ignore[no-untyped-def]
        """Do nothing."""

    aclrtMine.__annotations__ = annotations
    with pytest.raises(TypeError, match=f"aclrtMine: annotate {named} with names of acl_runtime.abi.c"):
        acl_api("acl/acl_rt.h")(aclrtMine)


def test_the_number_of_a_status_in_a_docstring() -> None:
    names = ("ACL_ERROR_RT_PARAM_INVALID", "HCCL_E_PARA", "-1")
    assert [value_of(name) for name in names] == [ACL_ERROR_RT_PARAM_INVALID, HCCL_E_PARA, -1]
    for name in ("ACL_ERROR_RT_PARAM_INVALD", "HCCL_E_PARAM"):
        with pytest.raises(ValueError, match=f"{name} stands in a docstring: acl_runtime/headers/ has no status"):
            value_of(name)
