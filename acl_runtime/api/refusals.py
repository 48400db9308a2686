"""Refusals that many functions share. Each function here makes an AclError with its documented code and text."""

from acl_runtime.errors import AclError
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import (
    ACL_ERROR_API_NOT_SUPPORT,
    ACL_ERROR_INVALID_PARAM,
    ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
    ACL_ERROR_RT_PARAM_INVALID,
    ACLNN_ERR_PARAM_NULLPTR,
)
from acl_runtime.machine.current import current
from acl_runtime.objects.support import ProductSupport, answer, having
from acl_runtime.text import Text


def null(parameter: str) -> AclError:
    """A null pointer, rejected by the ACL layer: 100000."""
    return AclError(ACL_ERROR_INVALID_PARAM, Item("EH0008", (parameter,)))


def invalid(value: object, parameter: str, expected: str, detail: str = "") -> AclError:
    """A value outside the range that the ACL layer accepts: 100000."""
    return AclError(ACL_ERROR_INVALID_PARAM, Item("EH0007", (value, parameter, expected), detail))


def null_object(function: str, parameter: str) -> AclError:
    """A null argument of a function of aclnn/acl_meta.h: 161001."""
    return AclError(ACLNN_ERR_PARAM_NULLPTR, Item("EZ1011", (function, parameter)))


def out_of_range(what: str, value: object, parameter: str, expected: str, detail: str = "") -> AclError:
    """A value outside the range that the runtime layer accepts: 107000."""
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1003", (what, value, parameter, expected), detail))


def null_in_runtime(what: str, parameter: str) -> AclError:
    """A null handle, rejected by the runtime layer: 107000."""
    return AclError(ACL_ERROR_RT_PARAM_INVALID, Item("EE1004", (what, parameter)))


def unsupported(what: str, reason: str) -> AclError:
    """An operation that the object does not support: 207000."""
    return AclError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, Item("EE1016", (what, reason)))


def lacking(what: str, feature: str, reason: str) -> AclError:
    """A feature of the function that the product lacks: 207000."""
    return AclError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, Item("EE1006", (what, feature, reason)))


def check_product(what: str, *, refused: bool = True, silent: bool = False, function: str = "") -> None:
    """Check that the running function is documented for the machine's product. If it is not, the table of
    `acl_runtime.objects.support` decides: the call is refused with 207000, or the advice `unsupported-product` is
    reported once.

    `refused`: True if the call has the arguments that some products refuse. `silent`: refuse without an error text and
    without a last error. `function`: the function whose row is used, by default the running one.
    """
    machine = current()
    name = function or machine.thread().call
    support = answer(name, machine.soc.series)
    if support.outcome is ProductSupport.SUPPORTED:
        return
    if support.outcome is ProductSupport.REFUSED or (support.outcome is ProductSupport.PARTLY and refused):
        if silent:
            raise AclError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, runtime=0)
        detail = f"({name} on {machine.soc.label}; the products that have it: {having(name)})"
        raise AclError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, Item("EE1005", (what,), detail))
    if machine.consequences.first("unsupported-product", name):
        text = Text("{function} on {product}: {text}.", function=name, product=machine.soc.label, text=support.text)
        machine.undefined("unsupported-product", text)


def not_simulated(what: str, instead: str) -> AclError:
    """A function that the emulator does not simulate: 200001."""
    return AclError(ACL_ERROR_API_NOT_SUPPORT, Item("EH0006", (what, f"this emulator does not simulate it; {instead}")))
