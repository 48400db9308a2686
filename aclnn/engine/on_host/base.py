"""Functions of aclnn/aclnn_base.h: they initialise and finalise the operator library."""

import acl_runtime.abi.c as c
from acl_runtime.boundary import acl_api

BASE = "aclnn/aclnn_base.h"


@acl_api(BASE)
def aclnnInit(configPath: c.const_char_p) -> c.aclnnStatus:
    """Initialise the operator library. aclInit does the same, and both may be called.

    A missing or malformed configuration file is not an error: "NULL, empty, missing file and malformed JSON all leave
    debug off and still succeed".

    Returns:
        ACLNN_SUCCESS: always.
    """


@acl_api(BASE)
def aclnnFinalize() -> c.aclnnStatus:
    """Finalise the operator library.

    Returns:
        ACLNN_SUCCESS: always.
    """
