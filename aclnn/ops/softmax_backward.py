"""aclnnSoftmaxBackward: the gradient of softmax along one dimension."""

from aclnn.op import (
    FLOATS, Array, Int64, Op, Planning, Products, Series, TensorIn, TensorOut, axis, empty, listed, may_be_in_place,
    planned, ranks, same_dtype, same_shape, total,
)  # fmt: skip


class SoftmaxBackward(Op):
    header = "aclnnop/aclnn_softmax_backward.h"
    series = (Series.INFERENCE, Series.TRAINING, Series.A2, Series.A3, Series.A950)
    elsewhere = Products.NOTICED_AT_LAUNCH

    gradOutput = TensorIn(FLOATS, doc="gradient from the layer above")
    output = TensorIn(FLOATS, shape="as gradOutput", doc="result of the forward softmax")
    dim = Int64(doc="dimension the forward pass normalised over; negative counts from the end")
    out = TensorOut(
        FLOATS, shape="as gradOutput", doc="gradient of the forward input; other data types by automatic cast"
    )


@planned(
    SoftmaxBackward, empty("gradOutput", "output", but=Series.A950),  # before the data types too (docs/fidelity.md)
    listed("gradOutput", "output"), same_dtype("output", "gradOutput"), axis("dim", of="gradOutput"),
    ranks("gradOutput"), same_shape("output", "gradOutput"), same_shape("out", "gradOutput"), may_be_in_place(),
)  # fmt: skip
def softmax_backward(p: Planning) -> None:
    """out = (gradOutput - sum(gradOutput * output, dim)) * output

    `output` need not be a softmax: the formula is applied to any values. 0-d tensors count as one-dimensional.
    """
    grad, softmax = p.read("gradOutput"), p.read("output")
    # "其他数据类型通过自动cast能力支持": the result has gradOutput's data type and is then cast to out's
    dx = p.step(softmax_grad, [softmax, grad], grad.shape, grad.dtype, axis=p["dim"])
    p.builder.view_copy(p.builder.cast(dx, p.dtype("out")), p["out"])


def softmax_grad(y: Array, g: Array, *, axis: int) -> Array:
    """(g - sum(y * g)) * y; the sum has float64 partials."""
    if not y.ndim:
        return y * (g - g * y)
    return (g - total(y * g, axis, keepdims=True)) * y


aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward = softmax_backward.pairs["aclnnSoftmaxBackward"]
