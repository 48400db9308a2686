"""acl/acl_prof.h: subscriptions to the operators of a model, which arrive as records on a file descriptor.

The emulator profiles no model: every subscription is refused, and no record ever arrives. The functions that decode
records find no operator in any bytes.
"""

from typing import Final

import acl_runtime.abi.c as c
import acl_runtime.abi.profiling as p
from acl_runtime.abi.pointers import Address
from acl_runtime.api.live_objects import discard_required, required
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.errors import AclError
from acl_runtime.headers.handles import aclprofSubscribeConfig
from acl_runtime.headers.messages import Item
from acl_runtime.headers.statuses import ACL_ERROR_INVALID_MODEL_ID
from acl_runtime.machine.current import current
from acl_runtime.objects.profiling import SubscribeConfig

HEADER: Final = "acl/acl_prof.h"
RECORD: Final = 1
"""bytes of a record: any number, as there is none"""
DEAD: Final = (
    ("ACL_ERROR_RT_PARAM_INVALID", "the object was destroyed (only if the machine reports findings, not raises them)."),
)


@acl_api(HEADER)
def aclprofCreateSubscribeConfig(
    timeInfoSwitch: p.int8_t, aicoreMetrics: c.aclprofAicoreMetrics, fd: c.source_void_p
) -> p.new_aclprofSubscribeConfig:
    """Create the configuration of a subscription: whether times are collected, the metrics, and a pointer to the file
    descriptor for the records."""
    return aclprofSubscribeConfig(current().handles.add(SubscribeConfig()))


@acl_api(HEADER, also=DEAD)
def aclprofDestroySubscribeConfig(profSubscribeConfig: p.const_aclprofSubscribeConfig_p) -> c.aclError:
    """Destroy the configuration of a subscription.

    Returns:
        ACL_SUCCESS: destroyed.
        ACL_ERROR_INVALID_PARAM: `profSubscribeConfig` is null.
    """
    discard_required(profSubscribeConfig, SubscribeConfig, "profSubscribeConfig")


@acl_api(HEADER, also=DEAD)
def aclprofModelSubscribe(modelId: c.uint32_t, profSubscribeConfig: p.const_aclprofSubscribeConfig_p) -> c.aclError:
    """Subscribe to the operators of a model. The emulator profiles no model.

    Returns:
        ACL_ERROR_INVALID_PARAM: `profSubscribeConfig` is null.
        ACL_ERROR_INVALID_MODEL_ID: otherwise, as no model can be profiled.
    """
    required(profSubscribeConfig, SubscribeConfig, "profSubscribeConfig")
    raise _no_model(modelId)


@acl_api(HEADER)
def aclprofModelUnSubscribe(modelId: c.uint32_t) -> c.aclError:
    """End a subscription, of which there is none.

    Returns:
        ACL_ERROR_INVALID_MODEL_ID: always, as no model is subscribed.
    """
    raise _no_model(modelId)


def _no_model(number: int) -> AclError:
    return AclError(ACL_ERROR_INVALID_MODEL_ID, Item("EH0007", (number, "modelId", "a model that can be profiled")))


@acl_api(HEADER)
def aclprofGetOpDescSize(opDescSize: c.size_t_p) -> c.aclError:
    """Query the bytes of the record of one operator.

    Returns:
        ACL_SUCCESS: `*opDescSize` bytes.
        ACL_ERROR_INVALID_PARAM: `opDescSize` is null.
    """
    if opDescSize.null:
        raise null("opDescSize")
    opDescSize.store(RECORD)


@acl_api(HEADER)
def aclprofGetOpNum(opInfo: c.const_void_p, opInfoLen: c.size_t, opNumber: c.uint32_t_p) -> c.aclError:
    """Count the operators in the bytes that arrived.

    Returns:
        ACL_SUCCESS: `*opNumber` is 0.
        ACL_ERROR_INVALID_PARAM: an argument is null.
    """
    if not opInfo.value:
        raise null("opInfo")
    if opNumber.null:
        raise null("opNumber")
    opNumber.store(0)


@acl_api(HEADER)
def aclprofGetOpTypeLen(
    opInfo: c.const_void_p, opInfoLen: c.size_t, index: c.uint32_t, opTypeLen: c.size_t_p
) -> c.aclError:
    """Query the length of the type of an operator.

    Returns:
        ACL_ERROR_INVALID_PARAM: always, as there is no operator of any index.
    """
    raise _no_operator(opInfo, index, opTypeLen.null, "opTypeLen")


@acl_api(HEADER)
def aclprofGetOpType(
    opInfo: c.const_void_p, opInfoLen: c.size_t, index: c.uint32_t, opType: c.target_char_p, opTypeLen: c.size_t
) -> c.aclError:
    """Query the type of an operator.

    Returns:
        ACL_ERROR_INVALID_PARAM: always, as there is no operator of any index.
    """
    raise _no_operator(opInfo, index, not opType.value, "opType")


@acl_api(HEADER)
def aclprofGetOpNameLen(
    opInfo: c.const_void_p, opInfoLen: c.size_t, index: c.uint32_t, opNameLen: c.size_t_p
) -> c.aclError:
    """Query the length of the name of an operator.

    Returns:
        ACL_ERROR_INVALID_PARAM: always, as there is no operator of any index.
    """
    raise _no_operator(opInfo, index, opNameLen.null, "opNameLen")


@acl_api(HEADER)
def aclprofGetOpName(
    opInfo: c.const_void_p, opInfoLen: c.size_t, index: c.uint32_t, opName: c.target_char_p, opNameLen: c.size_t
) -> c.aclError:
    """Query the name of an operator.

    Returns:
        ACL_ERROR_INVALID_PARAM: always, as there is no operator of any index.
    """
    raise _no_operator(opInfo, index, not opName.value, "opName")


@acl_api(HEADER)
def aclprofGetOpStart(opInfo: c.const_void_p, opInfoLen: c.size_t, index: c.uint32_t) -> c.uint64_t_result:
    """The start of an operator: 0, as there is no operator of any index."""
    return 0


@acl_api(HEADER)
def aclprofGetOpEnd(opInfo: c.const_void_p, opInfoLen: c.size_t, index: c.uint32_t) -> c.uint64_t_result:
    """The end of an operator: 0, as there is no operator of any index."""
    return 0


@acl_api(HEADER)
def aclprofGetOpDuration(opInfo: c.const_void_p, opInfoLen: c.size_t, index: c.uint32_t) -> c.uint64_t_result:
    """The duration of an operator: 0, as there is no operator of any index."""
    return 0


@acl_api(HEADER)
def aclprofGetModelId(opInfo: c.const_void_p, opInfoLen: c.size_t, index: c.uint32_t) -> c.size_t_result:
    """The model of an operator: 0, as there is no operator of any index."""
    return 0


def _no_operator(info: Address, index: int, missing: bool, name: str) -> AclError:
    if not info.value:
        return null("opInfo")
    return null(name) if missing else invalid(index, "index", "the index of an operator; no operator arrived")
