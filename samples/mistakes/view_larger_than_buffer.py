"""A view that is larger than the memory behind it.

The batch grew from 4 to 6 rows. The tensors were adapted, the allocation was not. A device reads two rows of unknown
content from the memory after the buffer, and writes two rows there.
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
