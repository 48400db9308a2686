"""A result that is copied back before it is there.

The second phase returned 0, so the result must be there: so thought its author. It only means that the operator is
queued. aclrtMemcpy acts at once and waits for no stream; it brings what the buffer held before.
"""

from common import *

from aclnn import aclnnSoftmaxBackward


def main():
    stream = start()
    softmax = Softmax()
    size, executor = softmax.plan()
    workspace = device_memory(size)
    check(aclnnSoftmaxBackward(workspace, size, executor, stream), "aclnnSoftmaxBackward")
    result = np.zeros((4, 4), np.float32)
    ret = aclrtMemcpy(result, result.nbytes, softmax.memory[2], result.nbytes, ACL_MEMCPY_DEVICE_TO_HOST)
    check(ret, "aclrtMemcpy")  # aclrtSynchronizeStream comes too late
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream")
    print(result)
    check(aclrtFree(workspace), "aclrtFree")
    softmax.close()
    finish(stream)


if __name__ == "__main__":
    main()
