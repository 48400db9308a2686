"""A sample of a training loop, whose loss falls and equals the loss of numpy. It is ours, not from a document.

The model finds the class of a word: a table of embeddings, a hidden layer with softmax, a linear layer, and the cross
entropy as loss. The forward pass is aclnnEmbedding, aclnnMatmul, aclnnSoftmax and aclnnCrossEntropyLoss. The backward
pass is aclnnCrossEntropyLossGrad, aclnnSoftmaxBackward, aclnnEmbeddingDenseBackward and more products; a transposed
matrix is a second tensor over the same memory, with other strides. aclnnInplaceAdd with alpha = -rate is the update.

CHECK_RET(condition, expression) of the documents is `Check` here: it raises, and main prints the text of
aclGetRecentErrMsg.
"""

import sys
from ctypes import byref, c_float, c_uint64, c_void_p

import numpy as np

from acl_runtime import *
from aclnn import (
    aclnnCrossEntropyLoss,
    aclnnCrossEntropyLossGetWorkspaceSize,
    aclnnCrossEntropyLossGrad,
    aclnnCrossEntropyLossGradGetWorkspaceSize,
    aclnnEmbedding,
    aclnnEmbeddingDenseBackward,
    aclnnEmbeddingDenseBackwardGetWorkspaceSize,
    aclnnEmbeddingGetWorkspaceSize,
    aclnnInplaceAdd,
    aclnnInplaceAddGetWorkspaceSize,
    aclnnMatmul,
    aclnnMatmulGetWorkspaceSize,
    aclnnSoftmax,
    aclnnSoftmaxBackward,
    aclnnSoftmaxBackwardGetWorkspaceSize,
    aclnnSoftmaxGetWorkspaceSize,
)

WORDS, CLASSES, VOCABULARY, WIDTH, HIDDEN = 128, 5, 40, 16, 24
STEPS, RATE = 60, 2.0
KEEP_DTYPE = 0  # cubeMathType: compute in the data type of the inputs
TYPES = {"float32": ACL_FLOAT, "int64": ACL_INT64}


class Failed(Exception):
    """A call returned a bad status."""


def Check(ret):
    if ret != ACL_SUCCESS:
        raise Failed(f"{ret}: {aclGetRecentErrMsg()}")


class Matrix:
    """Device memory with the values of an array, and tensors over it."""

    def __init__(self, values):
        self.host = np.array(values, order="C")
        self.address = c_void_p()
        Check(aclrtMalloc(byref(self.address), self.host.nbytes, ACL_MEM_MALLOC_HUGE_FIRST))
        size = self.host.nbytes
        Check(aclrtMemcpy(self.address, size, self.host.ctypes.data, size, ACL_MEMCPY_HOST_TO_DEVICE))
        self.tensor = self.Tensor(self.host.shape, [stride // self.host.itemsize for stride in self.host.strides])
        self.transposed = self.Tensor(self.host.shape[::-1], [1, self.host.shape[-1]]) if self.host.ndim == 2 else None

    def Tensor(self, shape, strides):
        dtype, rank, storage = TYPES[self.host.dtype.name], len(shape), self.host.shape
        return aclCreateTensor(shape, rank, dtype, strides, 0, ACL_FORMAT_ND, storage, len(storage), self.address)

    def Values(self):
        size = self.host.nbytes
        Check(aclrtMemcpy(self.host.ctypes.data, size, self.address, size, ACL_MEMCPY_DEVICE_TO_HOST))
        return self.host

    def Destroy(self):
        Check(aclDestroyTensor(self.tensor))
        if self.transposed is not None:
            Check(aclDestroyTensor(self.transposed))
        Check(aclrtFree(self.address))


class Device:
    """A stream, and a workspace that grows with the largest demand. The stream runs its work in order, so all calls may
    use the same workspace."""

    def __init__(self):
        self.stream, self.workspace, self.size = aclrtStream(), c_void_p(), 0
        Check(aclrtCreateStream(byref(self.stream)))

    def Call(self, first, second, *args):
        workspaceSize, executor = c_uint64(0), aclOpExecutor()
        Check(first(*args, byref(workspaceSize), byref(executor)))
        if workspaceSize.value > self.size:
            Check(aclrtSynchronizeStream(self.stream))  # queued work may still use the old workspace
            self.Free()
            Check(aclrtMalloc(byref(self.workspace), workspaceSize.value, ACL_MEM_MALLOC_HUGE_FIRST))
            self.size = workspaceSize.value
        Check(second(self.workspace if workspaceSize.value else None, workspaceSize.value, executor, self.stream))

    def Free(self):
        if self.size:
            Check(aclrtFree(self.workspace))
            self.size = 0

    def Destroy(self):
        Check(aclrtDestroyStream(self.stream))
        self.Free()


def Train(device, table, first, second, words, classes):
    """The losses of all steps. `table`, `first` and `second` contain the trained parameters afterwards."""
    empty = np.empty
    embedded, sums, hidden = (Matrix(empty((WORDS, n), np.float32)) for n in (WIDTH, HIDDEN, HIDDEN))
    scores, logProb, scoresGrad = (Matrix(empty((WORDS, CLASSES), np.float32)) for _ in range(3))
    hiddenGrad, sumsGrad = (Matrix(empty((WORDS, HIDDEN), np.float32)) for _ in range(2))
    embeddedGrad = Matrix(empty((WORDS, WIDTH), np.float32))
    grads = [Matrix(empty(each.host.shape, np.float32)) for each in (table, first, second)]
    loss, zloss = (Matrix(empty(1, np.float32)) for _ in range(2))
    one = Matrix(np.ones((), np.float32))
    rate = aclCreateScalar(c_float(-RATE), ACL_FLOAT)
    lse = Matrix(np.ones(WORDS, np.float32))
    losses = []

    def Product(a, b, out):
        device.Call(aclnnMatmulGetWorkspaceSize, aclnnMatmul, a, b, out.tensor, KEEP_DTYPE)

    for _ in range(STEPS):
        device.Call(aclnnEmbeddingGetWorkspaceSize, aclnnEmbedding, table.tensor, words.tensor, embedded.tensor)
        Product(embedded.tensor, first.tensor, sums)
        device.Call(aclnnSoftmaxGetWorkspaceSize, aclnnSoftmax, sums.tensor, 1, hidden.tensor)
        Product(hidden.tensor, second.tensor, scores)
        device.Call(
            aclnnCrossEntropyLossGetWorkspaceSize, aclnnCrossEntropyLoss, scores.tensor, classes.tensor, None, b"mean",
            -100, 0.0, 0.0, False, loss.tensor, logProb.tensor, zloss.tensor, lse.tensor,
        )  # fmt: skip
        device.Call(
            aclnnCrossEntropyLossGradGetWorkspaceSize, aclnnCrossEntropyLossGrad, one.tensor, logProb.tensor,
            classes.tensor, None, None, None, b"mean", -100, 0.0, 0.0, scoresGrad.tensor,
        )  # fmt: skip
        Product(hidden.transposed, scoresGrad.tensor, grads[2])
        Product(scoresGrad.tensor, second.transposed, hiddenGrad)
        device.Call(
            aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, hiddenGrad.tensor, hidden.tensor, 1,
            sumsGrad.tensor,
        )  # fmt: skip
        Product(embedded.transposed, sumsGrad.tensor, grads[1])
        Product(sumsGrad.tensor, first.transposed, embeddedGrad)
        device.Call(
            aclnnEmbeddingDenseBackwardGetWorkspaceSize, aclnnEmbeddingDenseBackward, embeddedGrad.tensor,
            words.tensor, VOCABULARY, VOCABULARY, False, grads[0].tensor,
        )  # fmt: skip
        for parameter, grad in zip((table, first, second), grads, strict=True):
            device.Call(aclnnInplaceAddGetWorkspaceSize, aclnnInplaceAdd, parameter.tensor, grad.tensor, rate)
        Check(aclrtSynchronizeStream(device.stream))
        losses.append(float(loss.Values()[0]))

    Check(aclDestroyScalar(rate))
    for each in (embedded, sums, hidden, scores, logProb, scoresGrad, hiddenGrad, sumsGrad, embeddedGrad, *grads,
                 loss, zloss, lse, one):  # fmt: skip
        each.Destroy()
    return losses


def TrainWithNumpy(table, first, second, words, classes):
    """The losses of the same training in numpy."""
    losses = []
    for _ in range(STEPS):
        embedded = table[words]
        sums = embedded @ first
        hidden = np.exp(sums - sums.max(1, keepdims=True))
        hidden /= hidden.sum(1, keepdims=True)
        scores = hidden @ second
        logProb = scores - scores.max(1, keepdims=True)
        logProb -= np.log(np.exp(logProb).sum(1, keepdims=True))
        losses.append(float(-logProb[np.arange(WORDS), classes].mean()))
        scoresGrad = (np.exp(logProb) - np.eye(CLASSES)[classes]) / WORDS
        hiddenGrad = scoresGrad @ second.T
        sumsGrad = hidden * (hiddenGrad - (hiddenGrad * hidden).sum(1, keepdims=True))
        embeddedGrad = sumsGrad @ first.T
        second -= RATE * hidden.T @ scoresGrad
        first -= RATE * embedded.T @ sumsGrad
        np.subtract.at(table, words, RATE * embeddedGrad)
    return losses


def main():
    generator = np.random.default_rng(0)
    shapes = ((VOCABULARY, WIDTH), (WIDTH, HIDDEN), (HIDDEN, CLASSES))
    parameters = [generator.standard_normal(shape) for shape in shapes]
    words = generator.integers(0, VOCABULARY, WORDS)
    classes = words * 7 % CLASSES

    Check(aclInit(None))
    Check(aclrtSetDevice(0))
    device = Device()
    matrices = [Matrix(each.astype(np.float32)) for each in parameters]
    data = [Matrix(each.astype(np.int64)) for each in (words, classes)]
    losses = Train(device, *matrices, *data)
    expected = TrainWithNumpy(*parameters, words, classes)
    for step in (0, STEPS // 4, STEPS // 2, STEPS - 1):
        print(f"step {step:2}: loss {losses[step]:.4f}, numpy's {expected[step]:.4f}")
    difference = max(abs(a - b) for a, b in zip(losses, expected, strict=True))
    print(f"the losses of all steps differ by {'less' if difference < 1e-4 else 'more'} than 0.0001")
    weights = max(float(np.abs(a.Values() - b).max()) for a, b in zip(matrices, parameters, strict=True))
    print(f"the parameters differ by {'less' if weights < 1e-3 else 'more'} than 0.001")
    for each in (*matrices, *data):
        each.Destroy()
    device.Destroy()
    Check(aclrtResetDevice(0))
    Check(aclFinalize())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failed:
        print(f"a call failed with status {failed}", end="")
        sys.exit(1)
