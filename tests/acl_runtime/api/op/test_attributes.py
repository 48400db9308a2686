"""aclopAttr: attributes of operators before aclnn."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acl_runtime import *
from acl_runtime import Machine
from tests.conftest import check_documented
from tests.helpers.outcomes import assert_status, finding_of, ok

SETTERS: dict[str, tuple[Callable[..., int], tuple[Any, ...], Any]] = {
    "bool": (aclopSetAttrBool, (3,), True),
    "int": (aclopSetAttrInt, (-(1 << 62),), -(1 << 62)),
    "float": (aclopSetAttrFloat, (0.5,), 0.5),
    "string": (aclopSetAttrString, ("mean",), "mean"),
    "data type": (aclopSetAttrDataType, (ACL_BF16,), 27),
    "list of bools": (aclopSetAttrListBool, (3, [1, 0, 2]), (True, False, True)),
    "list of ints": (aclopSetAttrListInt, (2, [5, -6]), (5, -6)),
    "list of floats": (aclopSetAttrListFloat, (2, np.array([0.5, 2], np.float32)), (0.5, 2.0)),
    "list of lists": (aclopSetAttrListListInt, (2, [1, 2], [[7], [8, 9]]), ((7,), (8, 9))),
    "list of data types": (aclopSetAttrListDataType, (2, [ACL_BF16, ACL_FLOAT]), (27, 0)),
    "list of strings": (aclopSetAttrListString, (2, ["a", b"b"]), ("a", "b")),
    "empty list": (aclopSetAttrListInt, (0, None), ()),
    "list of no lists": (aclopSetAttrListListInt, (0, None, None), ()),
}


def values_of(machine: Machine, attr: aclopAttr) -> dict[str, Any]:
    found = machine.handles.get(attr.value or 0)
    return found.values  # type: ignore[union-attr, no-any-return]


@pytest.mark.parametrize(("setter", "arguments", "kept"), SETTERS.values(), ids=SETTERS)
def test_a_value_is_copied(machine: Machine, setter: Callable[..., int], arguments: tuple[Any, ...], kept: Any) -> None:
    attr = aclopCreateAttr()
    ok(setter(attr, "name", *arguments))
    assert values_of(machine, attr) == {"name": kept}
    aclopDestroyAttr(attr)


def test_a_second_value_replaces_the_first(machine: Machine) -> None:
    attr = aclopCreateAttr()
    ok(aclopSetAttrInt(attr, "axis", 1))
    ok(aclopSetAttrString(attr, "axis", "all"))
    ok(aclopSetAttrBool(attr, "keep", 0))
    assert values_of(machine, attr) == {"axis": "all", "keep": False}
    aclopDestroyAttr(attr)
    aclopDestroyAttr(None)


@pytest.mark.parametrize(("setter", "arguments", "kept"), SETTERS.values(), ids=SETTERS)
def test_null_attributes_and_a_null_name_are_100000(
    machine: Machine, setter: Callable[..., int], arguments: tuple[Any, ...], kept: Any
) -> None:
    attr = aclopCreateAttr()
    assert_status(setter(None, "name", *arguments), ACL_ERROR_INVALID_PARAM, "(EH0008)", "attr")
    assert_status(setter(attr, None, *arguments), ACL_ERROR_INVALID_PARAM, "(EH0008)", "attrName")
    assert values_of(machine, attr) == {}
    aclopDestroyAttr(attr)


@pytest.mark.parametrize(
    ("setter", "arguments", "word"),
    [
        (aclopSetAttrString, (None,), "attrValue"),
        (aclopSetAttrListBool, (1, None), "values"),
        (aclopSetAttrListInt, (1, None), "values"),
        (aclopSetAttrListInt, (-1, [1]), "numValues"),
        (aclopSetAttrListFloat, (1, None), "values"),
        (aclopSetAttrListDataType, (1, None), "values"),
        (aclopSetAttrListString, (1, None), "values"),
        (aclopSetAttrListString, (2, ["a", None]), "values[1]"),
        (aclopSetAttrListListInt, (1, None, [[1]]), "numValues"),
        (aclopSetAttrListListInt, (1, [1], None), "values"),
        (aclopSetAttrListListInt, (1, [1], [None]), "values[0]"),
        (aclopSetAttrListListInt, (1, [-1], [[1]]), "numValues[0]"),
    ],
)
def test_a_bad_value_is_100000(
    machine: Machine, setter: Callable[..., int], arguments: tuple[Any, ...], word: str
) -> None:
    attr = aclopCreateAttr()
    assert_status(setter(attr, "name", *arguments), ACL_ERROR_INVALID_PARAM, word)
    assert values_of(machine, attr) == {}
    aclopDestroyAttr(attr)


@pytest.mark.parametrize(("setter", "arguments", "kept"), SETTERS.values(), ids=SETTERS)
def test_use_after_destroy_is_found(
    machine: Machine, setter: Callable[..., int], arguments: tuple[Any, ...], kept: Any
) -> None:
    attr = aclopCreateAttr()
    aclopDestroyAttr(attr)
    assert finding_of(lambda: setter(attr, "name", *arguments))[0] == "dead-handle"
    assert finding_of(lambda: aclopDestroyAttr(attr))[0] == "dead-handle"


def test_a_list_that_is_too_short_is_found() -> None:
    with Machine(on_undefined="report") as machine:
        attr = aclopCreateAttr()
        assert aclopSetAttrListListInt(attr, "name", 1, [3], [[1, 2]]) == ACL_ERROR_RT_PARAM_INVALID
        assert [finding.id for finding in machine.findings] == ["host-overrun"]
    assert machine.findings[-1].id == "tensor-leaked"
    check_documented(machine)
