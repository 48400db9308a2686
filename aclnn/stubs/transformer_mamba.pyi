# Rendered from the declarations by `python -m aclnn.render`; do not edit.

from ctypes import c_char_p, c_uint64, c_void_p
from typing import SupportsIndex
from acl_runtime.abi.arguments import Output, Target
from acl_runtime.headers.handles import aclOpExecutor, aclTensor, aclrtStream

def aclnnCausalConv1dFnGetWorkspaceSize(x: aclTensor | c_void_p | None, weight: aclTensor | c_void_p | None, convStatesRef: aclTensor | c_void_p | None, biasOptional: aclTensor | c_void_p | None, queryStartLocOptional: aclTensor | c_void_p | None, cacheIndicesOptional: aclTensor | c_void_p | None, initialStateModeOptional: aclTensor | c_void_p | None, blockIdxFirstScheduledTokenOptional: aclTensor | c_void_p | None, blockIdxLastScheduledTokenOptional: aclTensor | c_void_p | None, initialStateIdxOptional: aclTensor | c_void_p | None, numComputedTokensOptional: aclTensor | c_void_p | None, activation: str | bytes | c_char_p | None, nullBlockId: SupportsIndex, blockSizeToAlign: SupportsIndex, y: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Catalogued, no kernel; aclnnop/aclnn_causal_conv1d_fn.h; help(aclnnCausalConv1dFn) says more."""
def aclnnCausalConv1dFn(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnCausalConv1dUpdateGetWorkspaceSize(x: aclTensor | c_void_p | None, weight: aclTensor | c_void_p | None, convStatesRef: aclTensor | c_void_p | None, biasOptional: aclTensor | c_void_p | None, queryStartLocOptional: aclTensor | c_void_p | None, cacheIndicesOptional: aclTensor | c_void_p | None, numAcceptedTokensOptional: aclTensor | c_void_p | None, blockIdxLastScheduledTokenOptional: aclTensor | c_void_p | None, initialStateIdxOptional: aclTensor | c_void_p | None, activation: str | bytes | c_char_p | None, nullBlockId: SupportsIndex, maxQueryLen: SupportsIndex, y: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Catalogued, no kernel; aclnnop/aclnn_causal_conv1d_update.h; help(aclnnCausalConv1dUpdate) says more."""
def aclnnCausalConv1dUpdate(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
