"""acl/acl_op.h: attributes of operators for the single-operator interface, which is older than aclnn."""

from collections.abc import Callable
from typing import Any, Final

import acl_runtime.abi.c as c
from acl_runtime.abi.pointers import Values
from acl_runtime.api.live_objects import discard, required
from acl_runtime.api.meta.objects import take
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.headers.handles import aclopAttr
from acl_runtime.headers.statuses import ACL_ERROR_RT_PARAM_INVALID
from acl_runtime.machine.current import current
from acl_runtime.objects.descriptions import OpAttributes

HEADER: Final = "acl/acl_op.h"
ONE: Final = (
    ("ACL_ERROR_INVALID_PARAM", "`attr` or `attrName` is null."),
    (
        "ACL_ERROR_RT_PARAM_INVALID",
        "`attr` was destroyed (only if the machine reports findings instead of raising them).",
    ),
)
LIST: Final = (
    (
        "ACL_ERROR_INVALID_PARAM",
        "`attr` or `attrName` is null; a count is negative; an array is null and its count is not 0.",
    ),
    (
        "ACL_ERROR_RT_PARAM_INVALID",
        "`attr` was destroyed or an array is too short (only if the machine reports findings instead of raising them).",
    ),
)


@acl_api(HEADER)
def aclopCreateAttr() -> c.new_aclopAttr:
    """Create attributes: a table of values by name, empty at first."""
    return aclopAttr(current().handles.add(OpAttributes()))


@acl_api(HEADER)
def aclopDestroyAttr(attr: c.const_aclopAttr_p) -> c.void_result:
    """Destroy attributes; null is ignored. Destroying them twice is undefined."""
    discard(attr, OpAttributes, "attr")


@acl_api(HEADER, also=ONE)
def aclopSetAttrBool(attr: c.aclopAttr_p, attrName: c.const_char_p, attrValue: c.uint8_t) -> c.aclError:
    """Set an attribute to a bool: 0 is false, any other number true.

    Returns:
        ACL_SUCCESS: set; an earlier value of that name is replaced.
    """
    _set(attr, attrName, bool(attrValue))


@acl_api(HEADER, also=ONE)
def aclopSetAttrInt(attr: c.aclopAttr_p, attrName: c.const_char_p, attrValue: c.int64_t) -> c.aclError:
    """Set an attribute to an integer.

    Returns:
        ACL_SUCCESS: set; an earlier value of that name is replaced.
    """
    _set(attr, attrName, attrValue)


@acl_api(HEADER, also=ONE)
def aclopSetAttrFloat(attr: c.aclopAttr_p, attrName: c.const_char_p, attrValue: c.float_) -> c.aclError:
    """Set an attribute to a float.

    Returns:
        ACL_SUCCESS: set; an earlier value of that name is replaced.
    """
    _set(attr, attrName, attrValue)


@acl_api(HEADER, also=ONE)
def aclopSetAttrString(attr: c.aclopAttr_p, attrName: c.const_char_p, attrValue: c.const_char_p) -> c.aclError:
    """Set an attribute to a text, which is copied. A null text is refused, like a null name.

    Returns:
        ACL_SUCCESS: set; an earlier value of that name is replaced.
    """
    attributes = _attributes(attr, attrName)
    if attrValue is None:
        raise null("attrValue")
    attributes.values[str(attrName)] = attrValue


@acl_api(HEADER, also=ONE)
def aclopSetAttrDataType(attr: c.aclopAttr_p, attrName: c.const_char_p, attrValue: c.aclDataType) -> c.aclError:
    """Set an attribute to a data type.

    Returns:
        ACL_SUCCESS: set; an earlier value of that name is replaced.
    """
    _set(attr, attrName, attrValue)


@acl_api(HEADER, also=LIST)
def aclopSetAttrListBool(
    attr: c.aclopAttr_p, attrName: c.const_char_p, numValues: c.int_, values: c.const_uint8_t_p
) -> c.aclError:
    """Set an attribute to a list of bools, which is copied.

    Returns:
        ACL_SUCCESS: set; an earlier value of that name is replaced.
    """
    _set_list(attr, attrName, numValues, values, lambda each: tuple(map(bool, each)))


@acl_api(HEADER, also=LIST)
def aclopSetAttrListInt(
    attr: c.aclopAttr_p, attrName: c.const_char_p, numValues: c.int_, values: c.const_int64_t_p
) -> c.aclError:
    """Set an attribute to a list of integers, which is copied.

    Returns:
        ACL_SUCCESS: set; an earlier value of that name is replaced.
    """
    _set_list(attr, attrName, numValues, values)


@acl_api(HEADER, also=LIST)
def aclopSetAttrListFloat(
    attr: c.aclopAttr_p, attrName: c.const_char_p, numValues: c.int_, values: c.const_float_p
) -> c.aclError:
    """Set an attribute to a list of floats, which is copied.

    Returns:
        ACL_SUCCESS: set; an earlier value of that name is replaced.
    """
    _set_list(attr, attrName, numValues, values)


@acl_api(HEADER, also=LIST)
def aclopSetAttrListListInt(
    attr: c.aclopAttr_p,
    attrName: c.const_char_p,
    numLists: c.int_,
    numValues: c.const_int_p,
    values: c.const_int64_t_const_p_array,
) -> c.aclError:
    """Set an attribute to a list of lists of integers, which are copied. `numValues` has the length of each list.

    Returns:
        ACL_SUCCESS: set; an earlier value of that name is replaced.
    """
    attributes = _attributes(attr, attrName)
    counts, lists = _listed(numLists, numValues, "numLists", "numValues"), _listed(numLists, values, "numLists")
    members = [
        _listed(count, values, f"numValues[{i}]", f"values[{i}]")
        for i, (count, values) in enumerate(zip(counts, lists, strict=True))
    ]
    attributes.values[str(attrName)] = tuple(members)


@acl_api(HEADER, also=LIST)
def aclopSetAttrListDataType(
    attr: c.aclopAttr_p, attrName: c.const_char_p, numValues: c.int_, values: c.const_aclDataType_array
) -> c.aclError:
    """Set an attribute to a list of data types, which is copied.

    Returns:
        ACL_SUCCESS: set; an earlier value of that name is replaced.
    """
    _set_list(attr, attrName, numValues, values)


@acl_api(HEADER, also=LIST)
def aclopSetAttrListString(
    attr: c.aclopAttr_p, attrName: c.const_char_p, numValues: c.int_, values: c.const_char_pp
) -> c.aclError:
    """Set an attribute to a list of texts, which are copied. A null text is refused.

    Returns:
        ACL_SUCCESS: set; an earlier value of that name is replaced.
    """
    _set_list(attr, attrName, numValues, values, _texts)


def _attributes(number: int, name: str | None) -> OpAttributes:
    attributes = required(number, OpAttributes, "attr")
    if name is None:
        raise null("attrName")
    return attributes


def _set(number: int, name: str | None, value: Any) -> None:
    _attributes(number, name).values[str(name)] = value


def _set_list(
    number: int, name: str | None, count: int, values: Values, convert: Callable[[tuple[Any, ...]], Any] = tuple
) -> None:  # fmt: skip
    attributes = _attributes(number, name)
    attributes.values[str(name)] = convert(_listed(count, values))


def _texts(values: tuple[str | None, ...]) -> tuple[str | None, ...]:
    for i, text in enumerate(values):
        if text is None:
            raise null(f"values[{i}]")
    return values


def _listed(count: int, values: Values, counter: str = "numValues", parameter: str = "values") -> tuple[Any, ...]:
    """The values of an array of the host."""
    if count < 0:
        raise invalid(count, counter, "0 or more")
    if count and values.null:
        raise null(parameter)
    return take(values, count, parameter, ACL_ERROR_RT_PARAM_INVALID) if count else ()
