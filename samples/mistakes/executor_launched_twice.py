"""An executor that is kept for the next step.

Planning takes time and the shapes never change. So the program plans once, and launches the executor in each step. But
an executor is good for one launch, which frees it. The second step works with freed memory. Sometimes it even computes
the right result.
"""

from common import *

from aclnn import aclnnSoftmaxBackward


def main():
    stream = start()
    softmax = Softmax()
    size, executor = softmax.plan()  # once; aclSetAclOpExecutorRepeatable(executor) is missing
    workspace = device_memory(size)
    for _ in range(3):
        check(aclnnSoftmaxBackward(workspace, size, executor, stream), "aclnnSoftmaxBackward")
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream")
    check(aclrtFree(workspace), "aclrtFree")
    softmax.close()
    finish(stream)


if __name__ == "__main__":
    main()
