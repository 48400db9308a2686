# Rendered from the declarations by `python -m aclnn.render`; do not edit.

from ctypes import c_uint64, c_void_p
from typing import SupportsIndex
from acl_runtime.abi.arguments import Output, Target
from acl_runtime.headers.handles import aclOpExecutor, aclTensor, aclrtStream

def aclnnModulateGetWorkspaceSize(self: aclTensor | c_void_p | None, scaleOptional: aclTensor | c_void_p | None, shiftOptional: aclTensor | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_modulate.h; help(aclnnModulate) says more."""
def aclnnModulate(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnModulateBackwardGetWorkspaceSize(grad_output: aclTensor | c_void_p | None, input: aclTensor | c_void_p | None, scale: aclTensor | c_void_p | None, shift: aclTensor | c_void_p | None, grad_input: aclTensor | c_void_p | None, grad_scale: aclTensor | c_void_p | None, grad_shift: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_modulate_backward.h; help(aclnnModulateBackward) says more."""
def aclnnModulateBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnMultiScaleDeformableAttentionGradGetWorkspaceSize(value: aclTensor | c_void_p | None, spatialShape: aclTensor | c_void_p | None, levelStartIndex: aclTensor | c_void_p | None, location: aclTensor | c_void_p | None, attnWeight: aclTensor | c_void_p | None, gradOutput: aclTensor | c_void_p | None, gradValue: aclTensor | c_void_p | None, gradLocation: aclTensor | c_void_p | None, gradAttnWeight: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Catalogued, no kernel; aclnnop/aclnn_multi_scale_deformable_attention_grad.h; help(aclnnMultiScaleDeformableAttentionGrad) says more."""
def aclnnMultiScaleDeformableAttentionGrad(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnMultiScaleDeformableAttnFunctionGetWorkspaceSize(value: aclTensor | c_void_p | None, spatialShape: aclTensor | c_void_p | None, levelStartIndex: aclTensor | c_void_p | None, location: aclTensor | c_void_p | None, attnWeight: aclTensor | c_void_p | None, output: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Catalogued, no kernel; aclnnop/aclnn_multi_scale_deformable_attn_function.h; help(aclnnMultiScaleDeformableAttnFunction) says more."""
def aclnnMultiScaleDeformableAttnFunction(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnScaledMaskedSoftmaxGetWorkspaceSize(x: aclTensor | c_void_p | None, mask: aclTensor | c_void_p | None, scale: float, fixedTriuMask: bool, y: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_scaled_masked_softmax.h; help(aclnnScaledMaskedSoftmax) says more."""
def aclnnScaledMaskedSoftmax(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnScaledMaskedSoftmaxBackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, y: aclTensor | c_void_p | None, mask: aclTensor | c_void_p | None, scale: float, fixTriuMask: bool, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_scaled_masked_softmax_backward.h; help(aclnnScaledMaskedSoftmaxBackward) says more."""
def aclnnScaledMaskedSoftmaxBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
