"""A program ends with a model that it never destroyed."""

from ctypes import byref

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import device, plan, tensors


def wrong():
    with device() as stream, tensors(3) as (gradOutput, output, out):
        modelRI = aclmdlRI()
        workspaceSize, executor = plan(gradOutput, output, out)
        aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclmdlRICaptureEnd(stream, byref(modelRI))
        aclmdlRIExecuteAsync(modelRI, stream)
        aclrtSynchronizeStream(stream)


def right():
    with device() as stream, tensors(3) as (gradOutput, output, out):
        modelRI = aclmdlRI()
        workspaceSize, executor = plan(gradOutput, output, out)
        aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclmdlRICaptureEnd(stream, byref(modelRI))
        aclmdlRIExecuteAsync(modelRI, stream)
        aclrtSynchronizeStream(stream)
        aclmdlRIDestroy(modelRI)
