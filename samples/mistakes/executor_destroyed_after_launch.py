"""An executor that is destroyed although its launch did that already.

There is aclCreate... and aclDestroy..., so whoever gets an executor destroys it: a natural thought, and wrong. The
launch has used it up; destroying it frees it a second time, and the heap of the process is corrupted from then on.
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
    check(aclDestroyAclOpExecutor(executor), "aclDestroyAclOpExecutor")  # nothing is to be destroyed
    check(aclrtFree(workspace), "aclrtFree")
    softmax.close()
    finish(stream)


if __name__ == "__main__":
    main()
