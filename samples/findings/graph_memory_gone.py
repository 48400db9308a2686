"""The memory of a tensor is freed after the capture, and the model runs again."""

from ctypes import byref

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import device, plan, tensors


def wrong():
    with device() as stream:
        modelRI = aclmdlRI()
        with tensors(3) as (gradOutput, output, out):
            workspaceSize, executor = plan(gradOutput, output, out)
            aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
            aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
            aclmdlRICaptureEnd(stream, byref(modelRI))
        aclmdlRIExecuteAsync(modelRI, stream)
        aclrtSynchronizeStream(stream)
        aclmdlRIDestroy(modelRI)


def right():
    with device() as stream:
        modelRI = aclmdlRI()
        with tensors(3) as (gradOutput, output, out):
            workspaceSize, executor = plan(gradOutput, output, out)
            aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
            aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
            aclmdlRICaptureEnd(stream, byref(modelRI))
            aclmdlRIExecuteAsync(modelRI, stream)
            aclrtSynchronizeStream(stream)
        aclmdlRIDestroy(modelRI)
