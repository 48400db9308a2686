# Rendered from the declarations by `python -m aclnn.render`; do not edit.

from ctypes import c_uint64, c_void_p
from typing import SupportsIndex
from acl_runtime.abi.arguments import Output, Target
from acl_runtime.headers.handles import aclIntArray, aclOpExecutor, aclTensor, aclrtStream

def aclnnAdaptiveAvgPool2dGetWorkspaceSize(self: aclTensor | c_void_p | None, outputSize: aclIntArray | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_adaptive_avg_pool2d.h; help(aclnnAdaptiveAvgPool2d) says more."""
def aclnnAdaptiveAvgPool2d(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, self: aclTensor | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_adaptive_avg_pool2d_backward.h; help(aclnnAdaptiveAvgPool2dBackward) says more."""
def aclnnAdaptiveAvgPool2dBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnAdaptiveAvgPool3dGetWorkspaceSize(self: aclTensor | c_void_p | None, outputSize: aclIntArray | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_adaptive_avg_pool3d.h; help(aclnnAdaptiveAvgPool3d) says more."""
def aclnnAdaptiveAvgPool3d(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnAdaptiveAvgPool3dBackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, self: aclTensor | c_void_p | None, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_adaptive_avg_pool3d_backward.h; help(aclnnAdaptiveAvgPool3dBackward) says more."""
def aclnnAdaptiveAvgPool3dBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnAdaptiveMaxPool2dGetWorkspaceSize(self: aclTensor | c_void_p | None, outputSize: aclIntArray | c_void_p | None, outputOut: aclTensor | c_void_p | None, indicesOut: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_adaptive_max_pool2d.h; help(aclnnAdaptiveMaxPool2d) says more."""
def aclnnAdaptiveMaxPool2d(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, self: aclTensor | c_void_p | None, indices: aclTensor | c_void_p | None, gradInput: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_adaptive_max_pool2d_backward.h; help(aclnnAdaptiveMaxPool2dBackward) says more."""
def aclnnAdaptiveMaxPool2dBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnAdaptiveMaxPool3dGetWorkspaceSize(self: aclTensor | c_void_p | None, outputSize: aclIntArray | c_void_p | None, outputOut: aclTensor | c_void_p | None, indicesOut: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_adaptive_max_pool3d.h; help(aclnnAdaptiveMaxPool3d) says more."""
def aclnnAdaptiveMaxPool3d(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, self: aclTensor | c_void_p | None, indices: aclTensor | c_void_p | None, gradInput: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_adaptive_max_pool3d_backward.h; help(aclnnAdaptiveMaxPool3dBackward) says more."""
def aclnnAdaptiveMaxPool3dBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnAvgPool2dGetWorkspaceSize(self: aclTensor | c_void_p | None, kernelSize: aclIntArray | c_void_p | None, strides: aclIntArray | c_void_p | None, paddings: aclIntArray | c_void_p | None, ceilMode: bool, countIncludePad: bool, divisorOverride: SupportsIndex, cubeMathType: SupportsIndex, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_avgpool2d.h; help(aclnnAvgPool2d) says more."""
def aclnnAvgPool2d(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnAvgPool2dBackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, self: aclTensor | c_void_p | None, kernelSize: aclIntArray | c_void_p | None, stride: aclIntArray | c_void_p | None, padding: aclIntArray | c_void_p | None, ceilMode: bool, countIncludePad: bool, divisorOverride: SupportsIndex, cubeMathType: SupportsIndex, gradInput: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_avgpool2d_backward.h; help(aclnnAvgPool2dBackward) says more."""
def aclnnAvgPool2dBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnAvgPool3dGetWorkspaceSize(self: aclTensor | c_void_p | None, kernelSize: aclIntArray | c_void_p | None, stride: aclIntArray | c_void_p | None, padding: aclIntArray | c_void_p | None, ceilMode: bool, countIncludePad: bool, divisorOverride: SupportsIndex, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_avgpool3d.h; help(aclnnAvgPool3d) says more."""
def aclnnAvgPool3d(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnAvgPool3dBackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, self: aclTensor | c_void_p | None, kernelSize: aclIntArray | c_void_p | None, stride: aclIntArray | c_void_p | None, padding: aclIntArray | c_void_p | None, ceilMode: bool, countIncludePad: bool, divisorOverride: SupportsIndex, output: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_avgpool3d_backward.h; help(aclnnAvgPool3dBackward) says more."""
def aclnnAvgPool3dBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnMaxPoolGetWorkspaceSize(self: aclTensor | c_void_p | None, kernelShape: aclIntArray | c_void_p | None, strides: aclIntArray | c_void_p | None, autoPad: SupportsIndex, pads: aclIntArray | c_void_p | None, dilations: aclIntArray | c_void_p | None, ceilMode: SupportsIndex, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_max_pool.h; help(aclnnMaxPool) says more."""
def aclnnMaxPool(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnMaxPool2dWithIndicesGetWorkspaceSize(self: aclTensor | c_void_p | None, kernelSize: aclIntArray | c_void_p | None, stride: aclIntArray | c_void_p | None, padding: aclIntArray | c_void_p | None, dilation: aclIntArray | c_void_p | None, ceilMode: bool, out: aclTensor | c_void_p | None, indices: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_max_pool2d_with_indices.h; help(aclnnMaxPool2dWithIndices) says more."""
def aclnnMaxPool2dWithIndices(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, self: aclTensor | c_void_p | None, indices: aclTensor | c_void_p | None, kernelSize: aclIntArray | c_void_p | None, stride: aclIntArray | c_void_p | None, padding: aclIntArray | c_void_p | None, dilation: aclIntArray | c_void_p | None, ceilMode: bool, gradInput: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_max_pool2d_with_indices_backward.h; help(aclnnMaxPool2dWithIndicesBackward) says more."""
def aclnnMaxPool2dWithIndicesBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnMaxPool2dWithMaskGetWorkspaceSize(self: aclTensor | c_void_p | None, kernelSize: aclIntArray | c_void_p | None, stride: aclIntArray | c_void_p | None, padding: aclIntArray | c_void_p | None, dilation: aclIntArray | c_void_p | None, ceilMode: bool, out: aclTensor | c_void_p | None, indices: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_max_pool2d_with_indices.h; help(aclnnMaxPool2dWithMask) says more."""
def aclnnMaxPool2dWithMask(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnMaxPool2dWithMaskBackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, self: aclTensor | c_void_p | None, indices: aclTensor | c_void_p | None, kernelSize: aclIntArray | c_void_p | None, stride: aclIntArray | c_void_p | None, padding: aclIntArray | c_void_p | None, dilation: aclIntArray | c_void_p | None, ceilMode: bool, gradInput: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_max_pool2d_with_indices_backward.h; help(aclnnMaxPool2dWithMaskBackward) says more."""
def aclnnMaxPool2dWithMaskBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnMaxPool3dWithArgmaxGetWorkspaceSize(self: aclTensor | c_void_p | None, kernelSize: aclIntArray | c_void_p | None, stride: aclIntArray | c_void_p | None, padding: aclIntArray | c_void_p | None, dilation: aclIntArray | c_void_p | None, ceilMode: bool, out: aclTensor | c_void_p | None, indices: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_max_pool3d_with_argmax.h; help(aclnnMaxPool3dWithArgmax) says more."""
def aclnnMaxPool3dWithArgmax(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, self: aclTensor | c_void_p | None, indices: aclTensor | c_void_p | None, kernelSize: aclIntArray | c_void_p | None, stride: aclIntArray | c_void_p | None, padding: aclIntArray | c_void_p | None, dilation: aclIntArray | c_void_p | None, ceilMode: bool, gradInput: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_max_pool3d_with_argmax_backward.h; help(aclnnMaxPool3dWithArgmaxBackward) says more."""
def aclnnMaxPool3dWithArgmaxBackward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
