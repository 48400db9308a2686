"""An executor that is destroyed although its launch already freed it.

Every aclCreate... has its aclDestroy..., so it seems natural to destroy an executor as well. But the launch has freed
the executor. Destroying it frees it a second time, and from then on the heap of the process is corrupted.
"""

from common import *

from aclnn import aclnnSoftmaxBackward


def main():
    stream = start()
    softmax = Softmax()
    size, executor = softmax.plan()
    workspace = device_memory(size)
    check(aclnnSoftmaxBackward(workspace, size, executor, stream), "aclnnSoftmaxBackward")
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream")
    check(aclDestroyAclOpExecutor(executor), "aclDestroyAclOpExecutor")  # the launch already freed it
    check(aclrtFree(workspace), "aclrtFree")
    softmax.close()
    finish(stream)


if __name__ == "__main__":
    main()
