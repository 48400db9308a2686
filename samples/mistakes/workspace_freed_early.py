"""A workspace that goes away with its scope.

In C++ a guard object frees the workspace when the function returns. The launch has returned by then, but the operator
has not run: aclrtFree waits for nobody, and the next aclrtMalloc hands the same memory out again. Tests with small
inputs pass for months; under load, results are wrong in whatever was allocated next.
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
