"""One stream updates a task group, another one executes the model, and no event orders the two."""

from contextlib import contextmanager
from ctypes import byref

from acl_runtime import *
from aclnn import aclnnSoftmaxBackward
from samples.findings.common import another_stream, device, plan, tensors


def wrong():
    with device() as stream, another_stream() as other, model(stream) as (modelRI, group, gradOutput, output, out):
        update(group, other, output, gradOutput, out)
        aclmdlRIExecuteAsync(modelRI, stream)
        aclrtSynchronizeDevice()


def right():
    with device() as stream, another_stream() as other, model(stream) as (modelRI, group, gradOutput, output, out):
        event = aclrtEvent()
        aclrtCreateEventExWithFlag(byref(event), ACL_EVENT_SYNC)
        update(group, other, output, gradOutput, out)
        aclrtRecordEvent(event, other)
        aclrtStreamWaitEvent(stream, event)
        aclmdlRIExecuteAsync(modelRI, stream)
        aclrtSynchronizeDevice()
        aclrtDestroyEvent(event)


@contextmanager
def model(stream):
    """A model with one operator, which is in a task group."""
    modelRI, group = aclmdlRI(), aclrtTaskGrp()
    with tensors(3) as (gradOutput, output, out):
        workspaceSize, executor = plan(gradOutput, output, out)
        aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
        aclmdlRICaptureTaskGrpBegin(stream)
        aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
        aclmdlRICaptureTaskGrpEnd(stream, byref(group))
        aclmdlRICaptureEnd(stream, byref(modelRI))
        yield modelRI, group, gradOutput, output, out
        aclmdlRIDestroy(modelRI)


def update(group, stream, gradOutput, output, out):
    """Replace the operator of the group."""
    workspaceSize, executor = plan(gradOutput, output, out)
    aclmdlRICaptureTaskUpdateBegin(stream, group)
    aclnnSoftmaxBackward(None, workspaceSize, executor, stream)
    aclmdlRICaptureTaskUpdateEnd(stream)
