"""A result that is copied back before it is computed.

The second phase returned 0, so the author believed that the operator had finished. The status only means that the
operator is queued. aclrtMemcpy copies at once and waits for no stream, so it returns the old content of the buffer.
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
