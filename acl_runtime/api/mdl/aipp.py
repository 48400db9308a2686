"""acl/acl_mdl.h: inputs whose images the model prepares itself (AIPP)."""

import acl_runtime.abi.c as c
from acl_runtime.api.mdl.lookup import HEADER, UNKNOWN_ID, loaded
from acl_runtime.api.refusals import invalid, null
from acl_runtime.boundary import acl_api
from acl_runtime.headers.enums import ACL_INVALID_NODE_INDEX, aclmdlInputAippType
from acl_runtime.models import described


@acl_api(HEADER, also=(UNKNOWN_ID,))
def aclmdlGetAippType(
    modelId: c.uint32_t, index: c.size_t, type: c.aclmdlInputAippType_p, dynamicAttachedDataIndex: c.size_t_p
) -> c.aclError:
    """Query how an input of a model prepares images. The emulator has models with static AIPP, and none with dynamic
    AIPP, so `*dynamicAttachedDataIndex` is always ACL_INVALID_NODE_INDEX.

    Returns:
        ACL_SUCCESS: `*type` is an aclmdlInputAippType.
        ACL_ERROR_INVALID_PARAM: `dynamicAttachedDataIndex` or `type` is null, or there is no input `index`.
    """
    for out, name in ((dynamicAttachedDataIndex, "dynamicAttachedDataIndex"), (type, "type")):
        if out.null:
            raise null(name)
    model = loaded(modelId).model
    inputs = described.inputs(model)
    if index >= len(inputs):
        raise invalid(index, "index", f"less than the {len(inputs)} inputs")
    static = inputs[index].name in model.aipp
    kinds = aclmdlInputAippType.ACL_DATA_WITH_STATIC_AIPP, aclmdlInputAippType.ACL_DATA_WITHOUT_AIPP
    type.store(int(kinds[not static]))
    dynamicAttachedDataIndex.store(ACL_INVALID_NODE_INDEX)
