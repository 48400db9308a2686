# Rendered from the declarations by `python -m aclnn.render`; do not edit.

from ctypes import c_uint64, c_void_p
from typing import SupportsIndex
from acl_runtime.abi.arguments import Output, Target
from acl_runtime.headers.handles import aclIntArray, aclOpExecutor, aclTensor, aclrtStream

def aclnnUpsampleNearest2dGetWorkspaceSize(self: aclTensor | c_void_p | None, outputSize: aclIntArray | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Catalogued; aclnnop/aclnn_upsample_nearest_2d.h; help(aclnnUpsampleNearest2d) says more."""
def aclnnUpsampleNearest2d(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
