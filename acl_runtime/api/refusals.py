"""The refusals that many functions share: each makes the AclError with its documented code and text."""

from acl_runtime.errors import AclError
from acl_runtime.messages import Item
from acl_runtime.statuses import (
    ACL_ERROR_API_NOT_SUPPORT,
    ACL_ERROR_INVALID_PARAM,
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR,
)


def null(parameter: str) -> AclError:
    """A null pointer, rejected by the ACL layer: 100000."""
    return AclError(ACL_ERROR_INVALID_PARAM, Item("EH0008", (parameter,)))


def invalid(value: object, parameter: str, expected: str, detail: str = "") -> AclError:
    """A value outside what the ACL layer takes: 100000."""
    return AclError(ACL_ERROR_INVALID_PARAM, Item("EH0007", (value, parameter, expected), detail))


def null_object(function: str, parameter: str) -> AclError:
    """A null argument of a function of aclnn/acl_meta.h: 161001."""
    return AclError(ACLNN_ERR_PARAM_NULLPTR, Item("EZ1011", (function, parameter)))


def out_of_range(what: str, value: object, parameter: str, expected: str, detail: str = "") -> AclError:
    """A value outside what the runtime layer takes: 107000."""
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1003", (what, value, parameter, expected), detail))


def unsupported(what: str, reason: str) -> AclError:
    """The product, or the object, does not offer the feature: 207000."""
    return AclError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, Item("EE1016", (what, reason)))


def not_simulated(what: str, instead: str) -> AclError:
    """The function exists, this emulator does not do it: 200001."""
    return AclError(ACL_ERROR_API_NOT_SUPPORT, Item("EH0006", (what, f"this emulator does not simulate it; {instead}")))
