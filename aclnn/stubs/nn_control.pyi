# Rendered from the declarations by `python -m aclnn.render`; do not edit.

from ctypes import c_uint64, c_void_p
from typing import SupportsIndex
from acl_runtime.abi.arguments import Output, Target
from acl_runtime.headers.handles import aclIntArray, aclOpExecutor, aclrtStream

def aclnnSleepGetWorkspaceSize(cycles: aclIntArray | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Catalogued; aclnnop/aclnn_sleep.h; help(aclnnSleep) says more."""
def aclnnSleep(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
