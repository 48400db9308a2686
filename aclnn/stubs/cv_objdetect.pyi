# Rendered from the declarations by `python -m aclnn.render`; do not edit.

from ctypes import c_char_p, c_uint64, c_void_p
from typing import SupportsIndex
from acl_runtime.abi.arguments import Output, Target
from acl_runtime.headers.handles import aclFloatArray, aclIntArray, aclOpExecutor, aclTensor, aclrtStream

def aclnnCIoUGetWorkspaceSize(bBoxes: aclTensor | c_void_p | None, gtBoxes: aclTensor | c_void_p | None, trans: bool, isCross: bool, mode: str | bytes | c_char_p | None, overlap: aclTensor | c_void_p | None, atanSub: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_ciou.h; help(aclnnCIoU) says more."""
def aclnnCIoU(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnIouGetWorkspaceSize(bBoxes: aclTensor | c_void_p | None, gtBoxes: aclTensor | c_void_p | None, mode: str | bytes | c_char_p | None, eps: float, aligned: bool, overlap: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_iou.h; help(aclnnIou) says more."""
def aclnnIou(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnNonMaxSuppressionGetWorkspaceSize(boxes: aclTensor | c_void_p | None, scores: aclTensor | c_void_p | None, maxOutputBoxesPerClass: aclIntArray | c_void_p | None, iouThreshold: aclFloatArray | c_void_p | None, scoreThreshold: aclFloatArray | c_void_p | None, centerPointBox: SupportsIndex, selectedIndices: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_non_max_suppression.h; help(aclnnNonMaxSuppression) says more."""
def aclnnNonMaxSuppression(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnRoiAlignGetWorkspaceSize(self: aclTensor | c_void_p | None, rois: aclTensor | c_void_p | None, batchIndices: aclTensor | c_void_p | None, mode: str | bytes | c_char_p | None, outputHeight: SupportsIndex, outputWidth: SupportsIndex, samplingRatio: SupportsIndex, spatialScale: float, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_roi_align.h; help(aclnnRoiAlign) says more."""
def aclnnRoiAlign(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnRoiAlignV2GetWorkspaceSize(self: aclTensor | c_void_p | None, boxes: aclTensor | c_void_p | None, pooledHeight: SupportsIndex, pooledWidth: SupportsIndex, spatialScale: float, samplingRatio: SupportsIndex, aligned: bool, out: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_roi_align_v2.h; help(aclnnRoiAlignV2) says more."""
def aclnnRoiAlignV2(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnRoiAlignV2BackwardGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, boxes: aclTensor | c_void_p | None, inputShape: aclIntArray | c_void_p | None, pooledHeight: SupportsIndex, pooledWidth: SupportsIndex, spatialScale: float, samplingRatio: SupportsIndex, aligned: bool, gradInput: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_roi_align_v2_backward.h; help(aclnnRoiAlignV2Backward) says more."""
def aclnnRoiAlignV2Backward(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnRoiPoolingGradWithArgMaxGetWorkspaceSize(gradOutput: aclTensor | c_void_p | None, gradInputRef: aclTensor | c_void_p | None, rois: aclTensor | c_void_p | None, argmax: aclTensor | c_void_p | None, pooledH: SupportsIndex, pooledW: SupportsIndex, spatialScale: float, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_roi_pooling_grad_with_arg_max.h; help(aclnnRoiPoolingGradWithArgMax) says more."""
def aclnnRoiPoolingGradWithArgMax(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
def aclnnRoiPoolingWithArgMaxGetWorkspaceSize(x: aclTensor | c_void_p | None, rois: aclTensor | c_void_p | None, pooled_h: SupportsIndex, pooled_w: SupportsIndex, spatial_scale_h: float, spatial_scale_w: float, y: aclTensor | c_void_p | None, argmax: aclTensor | c_void_p | None, workspaceSize: Output[c_uint64], executor: Output[aclOpExecutor]) -> int:
    """Computed; aclnnop/aclnn_roi_pooling_with_arg_max.h; help(aclnnRoiPoolingWithArgMax) says more."""
def aclnnRoiPoolingWithArgMax(workspace: Target, workspaceSize: SupportsIndex, executor: aclOpExecutor | c_void_p | None, stream: aclrtStream | c_void_p | int | None) -> int: ...
