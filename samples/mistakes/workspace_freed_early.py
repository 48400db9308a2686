"""A workspace that is freed at the end of its scope.

In C++ a guard object frees the workspace when the function returns. The launch has returned by then, but the operator
has not run: aclrtFree does not wait for it. The next aclrtMalloc returns the same memory. Tests with small inputs pass
for months. Under load, the data of the next allocation is overwritten and results are wrong.
"""

from common import *

from aclnn import aclnnSoftmaxBackward


def backward(softmax, stream):
    size, executor = softmax.plan()
    workspace = device_memory(size)
    check(aclnnSoftmaxBackward(workspace, size, executor, stream), "aclnnSoftmaxBackward")
    check(aclrtFree(workspace), "aclrtFree")  # the guard's destructor: should wait for the stream first


def main():
    stream = start()
    softmax = Softmax()
    backward(softmax, stream)
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream")
    softmax.close()
    finish(stream)


if __name__ == "__main__":
    main()
