"""A view that is larger than the memory behind it.

The batch grew from 4 to 6 rows; the tensors know it, the allocation does not. A device reads the two rows behind the
buffer from whatever lies there, and writes into it.
"""

from common import *

from aclnn import aclnnSoftmaxBackward


def main():
    stream = start()
    softmax = Softmax(rows=6)
    size, executor = softmax.plan()
    workspace = device_memory(size) if size else None
    check(aclnnSoftmaxBackward(workspace, size, executor, stream), "aclnnSoftmaxBackward")
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream")
    softmax.close()
    finish(stream)


if __name__ == "__main__":
    main()
